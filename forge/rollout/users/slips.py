"""User errors: what a simulated user should not have said, found by rules over its words.

A user errs that contradicts what it wants, makes something up, leaves before the agent has what it
asked for, speaks as the agent, or names an internal id. Pure. Always holds: to repeat what the
question, the facts or the agent said is no invention; a user that only tells its facts, says that
it does not know, agrees or thanks has no slip. How far to trust it: `evals/user-errors.md`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forge.rollout import sayings
from forge.rollout.users.asking import Asked, asked
from forge.rollout.users.manners import (
    agrees,
    asks_for,
    asks_for_an_id,
    begins,
    does_not_know,
    echoes,
    names,
    part_of_the_agent,
    reads_back,
    speaks_of_an_id,
    states,
)
from forge.rollout.users.values import Value, new_values
from forge.types.rollout import Rule, Slip, Trajectory
from forge.types.task import Fact, Task


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the user may say: the facts, and `texts` that it was told or wrote (the question, the
    wishes, the clock)."""

    facts: tuple[Fact, ...]
    texts: tuple[str, ...]

    @property
    def written(self) -> str:
        parts = [f"{fact.about} {fact.text} {fact.value}" for fact in self.facts]
        return "\n".join([*self.texts, *parts])


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user heard and said at step `turn` (-1: the opening); `left`: and was gone."""

    turn: int
    heard: str
    said: str
    left: bool = False


def slips_of(task: Task, trajectory: Trajectory) -> tuple[Slip, ...]:
    """Of one rollout of the task."""
    texts = (task.question, task.now, str(task.actor or ""))
    return slips(Knowledge(task.facts, texts), exchanges(task, trajectory))


def exchanges(task: Task, trajectory: Trajectory) -> list[Exchange]:
    found = []
    if trajectory.question != task.question:
        found.append(Exchange(-1, "", trajectory.question))
    heard: list[str] = []
    last = len(trajectory.steps) - 1
    for number, step in enumerate(trajectory.steps):
        if step.turn.text:
            heard.append(step.turn.text)
        if step.user is not None:
            left = number == last and trajectory.outcome in ("done", "gave_up")
            found.append(Exchange(number, "\n".join(heard), step.user, left))
            heard = []
    return found


def slips(knows: Knowledge, talk: Sequence[Exchange]) -> tuple[Slip, ...]:
    """In the order of the turns, at most one of each rule a turn."""
    found: dict[tuple[int, Rule], Slip] = {}
    known = knows.written
    said: list[str] = []
    wanted: list[Fact] = []
    for each in talk:
        known += f"\n{each.heard}"
        said.append(each.said)
        understood = asked(knows.facts, each.heard)
        late = [fact for fact in knows.facts if to_tell(fact) and fact.name in understood.facts]
        wanted += [fact for fact in late if fact not in wanted]
        untold = [fact for fact in wanted if not tells(fact, said)]
        for rule, reason in _in_turn(each, understood, late, untold, known, knows):
            found.setdefault((each.turn, rule), Slip(turn=each.turn, rule=rule, reason=reason))
        known += f"\n{each.said}"  # what was made up once is one slip
    return tuple(found.values())


def _in_turn(
    each: Exchange,
    understood: Asked,
    late: Sequence[Fact],
    untold: Sequence[Fact],
    known: str,
    knows: Knowledge,
) -> Iterator[tuple[Rule, str]]:
    part = part_of_the_agent(each.said) or echoes(each.said, each.heard, "\n".join(knows.texts))
    for fact in knows.facts:
        if to_tell(fact) and not part and not tells(fact, [each.said]):
            part = asks_for(each.said, fact)
    if part:
        yield "takes the agent's part", f'"{part}"'
    for value in new_values(each.said, known):
        yield _of_value(value, each, late)
    yield from _against(each, knows.facts)
    if each.left:
        yield from _of_leaving(each, understood, untold)


def _against(each: Exchange, facts: Sequence[Fact]) -> Iterator[tuple[Rule, str]]:
    """What is said of a fact that is not so."""
    for fact in facts:
        about = fact.about or fact.name
        alike = [other for other in facts if (other.about or other.name) == about]
        if any(tells(other, [each.said]) for other in alike):
            continue
        if not fact.noted and names(each.heard, fact) and does_not_know(each.said):
            yield "contradicts", f"it knows {about}, and says that it does not"
        taken = reads_back(each.heard, fact)
        right = any(tells(other, [taken]) for other in alike)
        if taken and not right and agrees(each.said):
            yield "contradicts", f"agrees that {about} is {taken}, not {fact.text}"
        elif (stated := states(each.said, fact)) and kind_of(fact) in ("name", *_kinds(stated)):
            yield "contradicts", f"says that {about} is {stated}, not {fact.text}"


def _kinds(text: str) -> set[str]:
    return {value.kind for value in new_values(text, "")}


def _of_value(value: Value, each: Exchange, late: Sequence[Fact]) -> tuple[Rule, str]:
    """Of something named that the user cannot know."""
    for_id = value.kind in ("code", "number") and (
        speaks_of_an_id(each.said, value.text) or (asks_for_an_id(each.heard) and not late)
    )
    if for_id:
        return "says an id", f"{value.text}, which people do not know"
    for fact in late:
        if kind_of(fact) == value.kind and not tells(fact, [each.said]):
            return "contradicts", f"{fact.about or fact.name} is {fact.text}, not {value.text}"
    return "invents", f"the {value.kind} {value.text}"


def _of_leaving(
    each: Exchange, understood: Asked, untold: Sequence[Fact]
) -> Iterator[tuple[Rule, str]]:
    for fact in untold:
        yield "stops early", f"was asked for {fact.about or fact.name}, and never said it"
    if understood.facts or understood.unknown:
        yield "stops early", "the agent had asked for something"
    elif understood.confirm:
        yield "stops early", "the agent had asked whether to go ahead"
    elif begins(each.heard):
        yield "stops early", "the agent had not said that it was done"


def to_tell(fact: Fact) -> bool:
    """Whether the user has it at hand and has not said it at once."""
    return fact.told and not fact.noted


def tells(fact: Fact, said: Sequence[str]) -> bool:
    """Whether any of the texts names the fact's value, however written."""
    text, value = "\n".join(said), fact.value
    if sayings.named_texts([fact.text, str(value)], text):
        return True
    if isinstance(value, bool):
        return bool(sayings.says(text))
    if isinstance(value, int | float):
        return any(sayings.is_number(float(value), each) for each in sayings.numbers(text))
    if isinstance(value, list):
        return any(sayings.named_texts([str(item)], text) for item in value)
    days = [day for found in sayings.dates(str(value)) for day in found]
    named = [day for found in sayings.dates(text) for day in found]
    return any(one[1:] == other[1:] for one in days for other in named)


def kind_of(fact: Fact) -> str:
    """Of the values in `values.py`."""
    if isinstance(fact.value, int | float):
        return "number"
    text = str(fact.value)
    if sayings.dates(text):
        return "date"
    if "@" in text:
        return "address"
    return "code" if any(c.isdigit() for c in text) and " " not in text else "name"
