"""Looking at a whole environment, whoever wrote it: its rules, states, effects and tools.

Always holds: what is wrong is a finding that says where, never an exception; tools are run only
where everything that they stand on is sound.
"""

from collections import Counter
from collections.abc import Iterator

from forge.env.base import Base
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.sandbox.source import check_source
from forge.env.store import Store
from forge.errors import UserError
from forge.synth.check import ToolCheck, check_tools
from forge.types.data import Data
from forge.types.environment import Environment, Tool


class Inspection(Data):
    passed: bool
    source: tuple[str, ...]
    """What breaks the rules for tools: `line 12: why`."""
    effects: tuple[str, ...]
    """Where what a tool is declared to do names what is not there."""
    bases: dict[str, str]
    """Base state -> "pass", or what does not fit the schema."""
    tools: dict[str, ToolCheck]
    """Empty where one of the others fails, for then the tools cannot be run."""


def inspect(environment: Environment, *, sandbox: SandboxKind = "monty") -> Inspection:
    """Everything that can be known of an environment by reading and running it."""
    source = tuple(check_source(environment.source, [tool.name for tool in environment.tools]))
    effects = tuple(_effect_findings(environment))
    bases = {name: _base_finding(environment, name) for name in environment.bases}
    sound = not source and not effects and set(bases.values()) == {"pass"}
    tools = check_tools(environment, sandbox=sandbox) if sound else {}
    return Inspection(
        passed=sound and all(check.passed for check in tools.values()),
        source=source,
        effects=effects,
        bases=bases,
        tools=tools,
    )


def _base_finding(environment: Environment, name: str) -> str:
    try:
        base = Base(environment.state_schema, environment.bases[name])
        Store(base, now=environment.nows[name])
    except UserError as error:
        return str(error)
    return "pass"


def _effect_findings(environment: Environment) -> Iterator[str]:
    tables = {
        table.name: {column.name for column in table.columns}
        for table in environment.state_schema.tables
    }
    names = Counter(tool.name for tool in environment.tools)
    yield from (f"{name} is there {count} times" for name, count in names.items() if count > 1)
    for tool in environment.tools:
        effect = tool.effect
        if effect is None:
            continue
        if effect.table not in tables:
            yield f"{tool.name}: there is no table {effect.table!r}"
            continue
        for column in _columns(tool):
            if column not in tables[effect.table]:
                yield f"{tool.name}: {effect.table} has no column {column!r}"
        for table in effect.cascades:
            if table not in tables:
                yield f"{tool.name}: there is no table {table!r} to take along"
        paging = [name for name in effect.paging.model_dump().values() if name is not None]
        for argument in [*effect.match, *effect.fields, *paging]:
            if argument not in tool.parameters.get("properties", {}):
                yield f"{tool.name}: there is no parameter {argument!r}"


def _columns(tool: Tool) -> list[str]:
    """The columns that the effect names."""
    effect = tool.effect
    if effect is None:
        return []
    return [
        *(match.column for match in effect.match.values()),
        *(requirement.column for requirement in effect.requires),
        *effect.fields.values(),
        *effect.fixed,
        *effect.sets,
        *(effect.shows or {}),
    ]
