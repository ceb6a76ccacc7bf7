"""What the records of an entity are nested in, by the paths that make, pick and list them.

Always holds: words that only group (`/repos/{owner}/{repo}/git/refs`) are nothing to belong to; a
holder is the nearest part of a path with an argument.
"""

from forge.authors.structural.model.entities import Entity
from forge.authors.structural.reading.reading import Reading, Step
from forge.authors.structural.words import Words


def holder_of(reading: Reading) -> Step | None:
    """The nearest step before the last that picks a record."""
    return next((step for step in reversed(reading.steps[:-1]) if step.arguments), None)


def makers(entity: Entity) -> tuple[Reading, ...]:
    """The operations that show what every record is in: those that make it, else all of its own."""
    return entity.creates or (*entity.lists, *entity.items)


def holders(entity: Entity) -> list[Step]:
    """What its own operations are nested in: the nearest steps with arguments."""
    found = []
    for reading in [*entity.items, *entity.creates, *entity.lists]:
        if len(reading.steps) > 1 and reading.steps[-1].noun == entity.noun:
            step = holder_of(reading)
            if step is not None and step.arguments:
                found.append(step)
    return found


def home_of(entity: Entity) -> Words:
    """The one noun that all its records are made in, else the one that each is picked in and all
    ways to make and list them lead through; () where there is none, or several."""
    nouns = {step.noun if (step := holder_of(r)) else () for r in makers(entity)}
    if len(nouns) == 1:
        return next(iter(nouns))
    noun = picked_in(entity)
    return noun if noun and all(_leads_through(noun, r) for r in makers(entity)) else ()


def picked_in(entity: Entity) -> Words:
    """The one noun that the path to each record leads through last; () for none, or several."""
    nouns = {step.noun if (step := holder_of(r)) else () for r in entity.items}
    return next(iter(nouns)) if len(nouns) == 1 else ()


def _leads_through(noun: Words, reading: Reading) -> bool:
    return any(step.arguments and step.noun == noun for step in reading.steps[:-1])
