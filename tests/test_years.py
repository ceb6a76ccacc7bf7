"""Years, and the bounds that people set to them."""

from pathlib import Path
from typing import Any

import pytest

from forge.authors.structural.author import StructuralAuthor
from forge.env.conditions import meets
from forge.env.session import World
from forge.gates.keep import Tally, kept_tasks
from forge.tasks.dags.graph import tool_graph
from forge.tasks.intents.inside import selections
from forge.types.environment import Environment
from forge.types.intent import Plain
from tests.documents import doc_of
from tests.structural import crud, draft_of, environment_of

WHOLE = {"type": "integer"}
TEXT = {"type": "string"}
CLUB: dict[str, Any] = {
    "type": "object",
    "required": ["club_id", "name"],
    "properties": {
        "club_id": {**TEXT, "readOnly": True},
        "name": TEXT,
        "founded_year": WHOLE,
        "dissolved_year": WHOLE,
    },
}


@pytest.fixture
def clubs(tmp_path: Path) -> Environment:
    draft = draft_of(doc_of(tmp_path, crud("club", CLUB)))
    return environment_of(draft, StructuralAuthor().base(draft.state_schema, 3))


def test_nothing_is_dissolved_before_it_is_founded(clubs: Environment) -> None:
    records = clubs.bases["only"]["clubs"].values()
    both = [(r.get("founded_year"), r.get("dissolved_year")) for r in records]
    whole = {(one, other) for one, other in both if one is not None and other is not None}
    assert all(founded <= dissolved for founded, dissolved in whole)
    assert len(whole) > 3


def test_a_bound_leaves_some_records_out(clubs: Environment) -> None:
    """All years are below 3000."""
    world = World(clubs)
    bounds = set()
    for task in kept_tasks(world, tool_graph(clubs), count=40, seed=0, tally=Tally()):
        base = clubs.bases[task.base]
        for of, _ in selections(task.intent):
            for condition in of.where:
                if condition.op in ("lt", "gt") and isinstance(condition.value, Plain):
                    bounds.add((condition.column, condition.op, condition.value.value))
                    column, bound = condition.column, condition.value.value
                    years = [
                        r[column] for r in base[of.table].values() if r.get(column) is not None
                    ]
                    assert not all(meets(year, condition.op, bound) for year in years)
    assert len(bounds) > 3
