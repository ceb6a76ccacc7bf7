"""Which resource each part of a path is: by the whole way there, not by its last word alone.

`/orgs/{org}/hooks/{id}` and `/repos/{owner}/{repo}/hooks/{id}` are two things with one word;
`/labels/{id}` and `/projects/{project_id}/labels` are one. Where one word stands for several, each
but the main one is named with what it is in: "org hook".

Always holds: two steps have the same noun exactly if they are the same resource; a document whose
words are not ambiguous is as it was. The cost grows with the number of different ways, a word.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from forge.authors.structural.reading.reading import ASKER, Reading, Step
from forge.authors.structural.reading.routes import PEOPLE
from forge.authors.structural.words import Words, is_plural, one, split, stems


@dataclass(frozen=True)
class _Way:
    """How one gets to a collection: what is picked before it, and the words between."""

    noun: Words
    holders: tuple[Words, ...]
    between: tuple[str, ...]

    def leads_on(self, other: "_Way") -> bool:
        """Whether `other` is the same way, gone further: what is named here is picked there."""
        size = len(self.holders)
        if self.holders != other.holders[:size] or other.between:
            return False
        rest = other.holders[size:]
        return all(one(split(word)) in rest for word in self.between)

    def enters(self, other: "_Way") -> bool:
        """Whether it is the same way behind another door: `/admin/users` beside `/users`."""
        doors = not self.holders and len(self.between) == 1
        return doors and not other.holders and not other.between


@dataclass
class _Seen:
    """What is done at one way."""

    shows: set[Words] = field(default_factory=set)
    """Every noun that the names of the schemas shown may be."""
    picks: bool = False
    reads: bool = False
    reads_one: bool = False
    makes: bool = False
    times: int = 0

    @property
    def lists_only(self) -> bool:
        return self.reads and not self.picks and not self.makes


def tell_apart(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The readings, with the noun of each step that of its resource, and what is said of the one
    who asks (`/user/keys` beside `/users/{username}/keys`) said of one of all."""
    people = _people([r for r in readings if not r.odd and r.steps])
    readings = tuple(_of_one(reading, people) for reading in readings)
    readings = _by_one_name(_without_versions(readings))
    usable = [r for r in readings if not r.odd and r.steps]
    seen: dict[_Way, _Seen] = {}
    for reading in usable:
        for place, way in enumerate(_ways(reading.steps)):
            last = place == len(reading.steps) - 1
            if last or reading.steps[place].arguments:
                _note(seen.setdefault(way, _Seen()), reading, last)
    names = _names(_groups(seen), seen)
    return _by_holders(tuple(_named(reading, names) for reading in readings))


_VERSIONED = re.compile(r"(?<=[a-z])(?:[_-]?v|V)\d+$")


def _without_versions(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """With `projectsV2` called `projects`, in a document that has no others."""
    texts = {step.text for reading in readings for step in reading.steps}
    bare = {t: short for t in texts if (short := _VERSIONED.sub("", t)) != t and short not in texts}
    if len(set(bare.values())) < len(bare) or not bare:
        return readings
    return tuple(
        replace(r, steps=tuple(replace(s, text=bare.get(s.text, s.text)) for s in r.steps))
        for r in readings
    )


def _by_one_name(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """With one first word where a document has two: what `/organizations/{org}/limits` picks on the
    way is one of the `orgs`, if these are picked by the same argument and are what it is called
    after, and that is nowhere the end of a way."""
    ends = {r.steps[0].text for r in readings if len(r.steps) == 1 and r.on_item}
    picked: dict[str, set[str]] = {}
    for reading in readings:
        first = reading.steps[0] if reading.steps else None
        if first is not None and len(first.arguments) == 1:
            picked.setdefault(first.text, set()).add(first.arguments[0].field)
    named = {one(split(text)): text for text in picked}
    other: dict[str, str] = {}
    for text, fields in picked.items():
        [field_] = fields if len(fields) == 1 else [""]
        main = named.get(split(field_), text)
        if (
            main != text
            and text not in ends
            and field_ in picked[main]
            and one(split(text)) != split(field_)
        ):
            other[text] = main
    return tuple(_renamed_first(reading, other) for reading in readings) if other else readings


def _renamed_first(reading: Reading, other: dict[str, str]) -> Reading:
    first = reading.steps[0] if reading.steps else None
    if first is None or first.text not in other or not first.arguments:
        return reading
    return replace(reading, steps=(replace(first, text=other[first.text]), *reading.steps[1:]))


def _by_holders(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Apart, too, what is picked in things that are told apart themselves, where the words of the
    ways to it are the same: reactions to comments of issues, and to those of commits."""
    found: dict[_Way, dict[Words, bool]] = {}
    taken: set[Words] = set()
    for reading in readings:
        for place, way in enumerate(_ways(reading.steps)):
            step, near = reading.steps[place], _nearest(reading.steps[:place])
            taken.add(step.noun)
            if not reading.odd and near and (step.arguments or place == len(reading.steps) - 1):
                held = found.setdefault(way, {})
                held[near] = held.get(near, False) or bool(step.arguments)
    names: dict[tuple[_Way, Words], Words] = {}
    for way, held in found.items():
        for near in held:
            name = (*near, *way.noun)
            if sum(held.values()) > 1 and name not in taken:
                names[way, near] = name
    return tuple(_renamed(reading, names) for reading in readings) if names else readings


def _nearest(steps: tuple[Step, ...]) -> Words:
    return next((step.noun for step in reversed(steps) if step.arguments), ())


def _renamed(reading: Reading, names: dict[tuple[_Way, Words], Words]) -> Reading:
    steps = []
    for place, way in enumerate(_ways(reading.steps)):
        step = reading.steps[place]
        name = names.get((way, _nearest(reading.steps[:place])), step.name)
        steps.append(replace(step, name=name))
    return replace(reading, steps=tuple(steps))


def _people(readings: Iterable[Reading]) -> dict[str, Step]:
    """First words of paths that mean the one who asks, and how all are picked: `user`, where there
    is `users/{username}`."""
    firsts = [reading.steps[0] for reading in readings]
    alone = {s.text for s in firsts if not s.arguments and not is_plural(s.text)}
    found: dict[str, Step] = {}
    for step in firsts:
        word = one(step.words)
        if len(step.arguments) == 1 and word in PEOPLE and word[0] in alone - {step.text}:
            asker = replace(step.arguments[0], name=ASKER)
            found.setdefault(word[0], Step(step.text, (asker,)))
    return found


def _of_one(reading: Reading, people: dict[str, Step]) -> Reading:
    """`/user/keys` as `/users/{asker}/keys`."""
    steps = reading.steps
    if not steps or steps[0].arguments or steps[0].text not in people:
        return reading
    return replace(reading, steps=(people[steps[0].text], *steps[1:]))


def _ways(steps: tuple[Step, ...]) -> list[_Way]:
    """For each step the way to it."""
    holders: list[Words] = []
    between: list[str] = []
    found: list[_Way] = []
    for step in steps:
        noun = one(step.words)
        found.append(_Way(noun, tuple(holders), tuple(between)))
        if step.arguments:
            holders, between = [*holders, noun], []
        else:
            between.append(step.text)
    return found


def _note(seen: _Seen, reading: Reading, last: bool) -> None:
    seen.times += 1
    seen.picks = seen.picks or not last or reading.on_item
    if not last:
        return
    shape, method = reading.answer.shape, reading.operation.method
    if shape is not None and shape.name and reading.answer.kind in ("record", "list"):
        seen.shows |= set(stems(shape.name))
    seen.reads = seen.reads or method == "GET"
    if reading.on_item and method == "GET" and reading.answer.kind == "record":
        seen.reads_one = True
    if not reading.on_item and method == "POST":
        seen.makes = True


# ------------------------------------------------------------------------ one, or several


def _groups(seen: dict[_Way, _Seen]) -> dict[Words, list[list[_Way]]]:
    """The ways to each noun, those to one resource together."""
    by_noun: dict[Words, list[_Way]] = {}
    for way in seen:
        by_noun.setdefault(way.noun, []).append(way)
    return {noun: _grouped(ways, seen) for noun, ways in by_noun.items()}


def _grouped(ways: list[_Way], seen: dict[_Way, _Seen]) -> list[list[_Way]]:
    if len(ways) == 1:
        return [ways]
    groups: list[list[_Way]] = []
    for way in sorted(ways, key=lambda w: (not seen[w].picks, len(w.holders))):
        near = [g for g in groups if any(_is_alias(way, w, seen) for w in g)]
        if not near and not seen[way].picks:
            near = [g for g in groups if any(_shows_same(way, w, seen) for w in g)]
            near = near if len(near) == 1 else []
        if not near:
            groups.append([way])
            continue
        near[0].append(way)
        for other in near[1:]:
            near[0].extend(other)
            groups.remove(other)
    return groups


def _is_alias(way: _Way, other: _Way, seen: dict[_Way, _Seen]) -> bool:
    mine, theirs = seen[way].shows, seen[other].shows
    leads = next((w for w, o in ((way, other), (other, way)) if w.leads_on(o)), None)
    if leads is not None:
        if seen[leads].lists_only and not seen[leads].shows:
            return False
        return not mine or not theirs or bool(mine & theirs)
    doors = way.enters(other) or other.enters(way)
    return doors and bool(mine & theirs)


def _shows_same(way: _Way, other: _Way, seen: dict[_Way, _Seen]) -> bool:
    """Whether one way only lists the records that are picked, or only listed, at the other."""
    same = bool(seen[way].shows & seen[other].shows)
    return same and seen[way].lists_only and (seen[other].reads_one or seen[other].lists_only)


# -------------------------------------------------------------------------------- names


def _names(groups: dict[Words, list[list[_Way]]], seen: dict[_Way, _Seen]) -> dict[_Way, Words]:
    """The noun of each way to a resource; ways to what is no collection keep their word."""
    taken = set(groups)
    names: dict[_Way, Words] = {}
    for noun, several in groups.items():
        kept = [g for g in several if any(seen[way].picks or seen[way].reads for way in g)]
        if len(kept) < 2:
            continue
        ranks = [_rank(group, seen) for group in kept]
        best = min(ranks)
        for group, rank in zip(kept, ranks, strict=True):
            main = rank == best and ranks.count(best) == 1
            name = noun if main else _qualified(noun, group, taken)
            taken.add(name)
            names |= dict.fromkeys(group, name)
    return names


def _rank(group: list[_Way], seen: dict[_Way, _Seen]) -> tuple[bool, bool, bool, int]:
    """The main one is what shows its records, and of these what is in nothing else, or the one most
    is done with."""
    shown = any(seen[way].shows for way in group)
    picked = any(seen[way].picks for way in group)
    nested = all(way.holders or way.between for way in group)
    return (not shown, not picked, nested, -sum(seen[way].times for way in group))


def _qualified(noun: Words, group: list[_Way], taken: set[Words]) -> Words:
    """The noun with what it is in: the nearest thing, the words between, all of the way."""
    way = max(group, key=lambda w: len(w.holders))
    words = tuple(part for word in way.between for part in one(split(word)))
    near = way.holders[-1] if way.holders else ()
    all_of_it = tuple(part for holder in way.holders for part in holder)
    tries = [(*near, *noun), (*words, *noun), (*near, *words, *noun), (*all_of_it, *words, *noun)]
    for name in tries:
        if name not in taken:
            return name
    number = 2
    while (*tries[-1], str(number)) in taken:
        number += 1
    return (*tries[-1], str(number))


def _named(reading: Reading, names: dict[_Way, Words]) -> Reading:
    ways = _ways(reading.steps)
    steps = [replace(s, name=names.get(w, ())) for s, w in zip(reading.steps, ways, strict=True)]
    return replace(reading, steps=tuple(steps))
