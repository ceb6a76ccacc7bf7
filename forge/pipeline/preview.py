"""A few tasks end to end, before all is paid for: what a model does with a small part of the
documents, and by that what the whole would cost.

Always holds: nothing is written but the kept answers, so that the whole pays for none of them
again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from forge.authors.author import Draft
from forge.dataset.folder import read_dataset
from forge.docs.read import read
from forge.llm.budget import Usage
from forge.llm.model import Model, Tally
from forge.llm.prices import tariff_of
from forge.pipeline.commission import Commission, Done, Drafts, Estimate, estimated
from forge.pipeline.passes.desk import Piece
from forge.pipeline.synth import synthesise
from forge.types.doc import ApiDoc
from forge.types.environment import Environment
from forge.types.task import Task


@dataclass(frozen=True, slots=True)
class Preview:
    """`done`: what the model did for the part; `whole`: by pass, what all would cost: as measured,
    or from the prompts where the part has no piece of a pass."""

    document: str
    environment: Environment
    tasks: tuple[Task, ...]
    done: Done
    whole: Mapping[str, Estimate]


def previewed(
    paths: Sequence[Path],
    number: int,
    *,
    tasks: int,
    seed: int,
    commission: Commission,
    reader: Callable[[Sequence[Path]], list[ApiDoc]] = read,
    agree: Callable[[Commission, dict[str, Estimate]], None] = lambda commission, estimates: None,
    heed: Callable[[Piece, Model], None] = lambda piece, model: None,
) -> Preview:
    """`number` tasks of one environment, made with at most as many operations that rules left out.
    `tasks`: for each environment, of the whole. UserError as of the whole."""
    every: Drafts = []

    def part(drafts: Drafts) -> Drafts:
        nonlocal every
        every = drafts
        return [_part(drafts, number)]

    with TemporaryDirectory() as folder:
        out = Path(folder) / "preview"
        synthesis = synthesise(
            paths,
            out,
            tasks=number,
            seed=seed,
            reader=reader,
            jobs=1,
            commission=commission,
            part=part,
            agree=agree,
            heed=heed,
        )
        data = read_dataset(out)
        (name,) = data.manifest.environments
        environment, made = data.environment(name), tuple(data.tasks())
    done = synthesis.model
    assert done is not None
    whole = {
        use: _measured(estimate, done, use, commission)
        for use, estimate in estimated(every, commission, tasks).items()
    }
    return Preview(synthesis.documents[0].document, environment, made, done, whole)


def _part(drafts: Drafts, number: int) -> tuple[ApiDoc, list[Draft]]:
    """The environment of which rules left the least out, but something; of those with nothing left
    out the first."""
    every = [(doc, draft) for doc, several in drafts for draft in several]
    able = [each for each in every if each[1].tools] or every
    doc, draft = min(able, key=lambda each: len(each[1].left_out) or len(each[1].tools) + 1000)
    return doc, [replace(draft, left_out=draft.left_out[:number])]


def _measured(estimate: Estimate, done: Done, use: str, commission: Commission) -> Estimate:
    outcome, tally = done.outcomes.get(use), done.tallies.get(use, Tally())
    if outcome is None or not outcome.pieces:
        return estimate
    times = estimate.pieces / outcome.pieces
    took: Usage = tally.used + tally.kept
    calls = round((tally.asked + tally.cached) * times)
    prompt, completion = round(took.prompt * times), round(took.completion * times)
    tariff = tariff_of(commission.endpoint.model, commission.endpoint.base_url)
    usd = None if tariff is None else tariff.of(calls, prompt, completion)
    return Estimate(
        estimate.pieces,
        (calls, calls),
        (prompt, prompt),
        (completion, completion),
        None if usd is None else (usd, usd),
    )
