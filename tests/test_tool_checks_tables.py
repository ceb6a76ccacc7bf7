"""The tables that are left of an environment where some of its tools are."""

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.synth.build import build
from forge.types.environment import Effect, Match, Tool
from forge.types.state import Column, StateSchema, Table

SOURCE = "def get_kite(owner: str) -> dict:\n    return get('kites', owner)\n"


def test_a_table_that_keys_are_drawn_from_is_kept_without_tools_of_its_own() -> None:
    owner = Column(name="owner", required=True, nullable=False, spoken=True, among=("pilots",))
    login = Column(name="login", required=True, nullable=False, spoken=True)
    tables = (
        Table(name="pilots", noun="pilot", key=("login",), columns=(login,)),
        Table(name="kites", noun="kite", key=("owner",), columns=(owner,)),
    )
    takes = {"type": "object", "properties": {"owner": {"type": "string"}}, "required": ["owner"]}
    effect = Effect(verb="get", table="kites", match={"owner": Match(column="owner")}, result=())
    get = Tool(name="get_kite", description="A kite.", parameters=takes, kind="read", effect=effect)
    schema = StateSchema(tables=tables)
    draft = Draft("kites", "Kites", schema, (get,), {"get_kite": SOURCE}, ())
    environment, _ = build(draft, StructuralAuthor(), seed=0)
    assert {table.name for table in environment.state_schema.tables} == {"pilots", "kites"}
