"""The pass that writes tools: an operation, the tables it speaks of, and one function asked for.

Always holds: the tool that the agent sees is made of the document alone; of what the model writes
only the body of the one function is taken, under the header that it was given.
"""

import ast
import re
import textwrap
from dataclasses import dataclass, replace

from forge.authors.author import Draft
from forge.authors.llm.prompts import prompt, version
from forge.authors.llm.words import about, briefly_said, said_of, said_of_table
from forge.authors.structural.plans.filters import LOOKS
from forge.authors.structural.reading.reading import plain
from forge.authors.structural.reading.routes import CREATE, DELETE, GET, LIST, SET, UPDATE
from forge.authors.structural.words import singular, split
from forge.env.sandbox.source import python_name
from forge.env.sandbox.stubs import STUBS
from forge.types.data import Json, JsonSchema
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import Tool
from forge.types.state import State, Table

PROMPT = version("tool")
READS = frozenset({"GET", "HEAD"})
EXAMPLES = 2
_TYPES = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list",
    "object": "dict",
}  # fmt: skip
_BLOCK = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_API = STUBS.partition("\n\n")[2].strip()


class NoFunction(ValueError):
    """What was written holds no function that could be taken; says why, for the model."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An operation to be written: `tool` as the agent will see it."""

    operation: Operation
    tool: Tool


def wanted(doc: ApiDoc, draft: Draft, operation: Operation) -> Wanted:
    """The tool that the document describes, without arguments that only choose how an answer looks;
    no effect is known of it yet."""
    parameters = [
        each for each in operation.parameters if each.required or plain(each.name) not in LOOKS
    ]
    properties = {each.name: _described(each.schema, each.description) for each in parameters}
    reads = _reads(operation)
    text = " ".join((operation.description or operation.summary).split())
    tool = Tool(
        name=operation.name,
        description=text if len(text) <= 400 else " ".join(operation.summary.split()),
        parameters={
            "type": "object",
            "properties": properties,
            "required": [each.name for each in parameters if each.required],
            "additionalProperties": False,
        },
        kind="read" if reads else "write",
        returns=_returns(doc, draft, operation),
        operation=f"{operation.method} {operation.path}".strip() or operation.name,
    )
    return Wanted(replace(operation, parameters=tuple(parameters)), tool)


def _reads(operation: Operation) -> bool:
    """As the document says; where it does not, by the verb of its name or of its first sentence."""
    if operation.hints is not None and operation.hints.reads is not None:
        return operation.hints.reads
    if operation.method:
        return operation.method in READS
    verbs = {*split(operation.name)[:2], *map(singular, split(operation.summary)[:1])}
    return not verbs.isdisjoint(_ASKS) and verbs.isdisjoint(CREATE | UPDATE | SET | DELETE)


_ASKS = GET | LIST | {"find", "return", "count", "check", "give"}


def _described(schema: JsonSchema, description: str) -> JsonSchema:
    text = " ".join(description.split())
    return {**schema, "description": text} if text and "description" not in schema else schema


def _returns(doc: ApiDoc, draft: Draft, operation: Operation) -> JsonSchema | None:
    """As another tool shows a record of the same entity: that is what the tables can give."""
    by_name = {each.name: each for each in doc.operations}
    for tool in draft.tools if operation.entity is not None else ():
        other, effect = by_name.get(tool.name), tool.effect
        if other is None or effect is None or effect.verb not in ("get", "create", "update"):
            continue
        if other.entity == operation.entity and tool.returns is not None:
            return tool.returns
    unsaid = operation.result is None and not operation.method
    return {} if unsaid else operation.result  # a document of tools need not say what they give


def asked_for(
    wanted: Wanted, draft: Draft, base: State, *, written: str = "", failure: str = ""
) -> list[Json]:
    """The messages that ask for the function. `base`: for what values look like; `written` and
    `failure`: what was wrong before."""
    tables = about(wanted.operation, draft.state_schema.tables)
    kind, among = wanted.tool.kind, {table.name for table in tables[:2]}
    text = prompt(
        "tool",
        title=draft.title,
        table_api=_API,
        tables=[
            briefly_said(table)
            if table.name in _above(tables[0])
            else said_of_table(table, base.get(table.name, {}))
            for table in tables
        ],
        examples=_examples(draft, among, kind),
        reads=kind == "read",
        operation=said_of(wanted.operation),
        header=header_of(wanted.tool),
        written=written,
        failure=failure,
    )
    return [{"role": "user", "content": text}]


def _above(table: Table) -> set[str]:
    """The tables that it belongs or refers to."""
    refers = {column.references for column in table.columns if column.references}
    return refers - {table.name} | ({table.parent.table} if table.parent is not None else set())


def _examples(draft: Draft, tables: set[str], kind: str) -> list[str]:
    """Functions on the same tables, of the same kind first, the short ones first."""
    found = [
        (tool.kind != kind, len(source), source.strip())
        for tool in draft.tools
        if tool.effect is not None
        and tool.effect.table in tables
        and "_" + tool.name not in (source := draft.sources[tool.name])
        and not _needs_shared(draft, source)
    ]
    return [source for *_, source in sorted(found)[:EXAMPLES]]


def _needs_shared(draft: Draft, source: str) -> bool:
    """Whether it calls a function that the model does not see."""
    own = {
        node.name
        for node in ast.parse(draft.sources.get("", "")).body
        if isinstance(node, ast.FunctionDef)
    }
    return any(
        isinstance(each, ast.Name) and each.id in own for each in ast.walk(ast.parse(source))
    )


def header_of(tool: Tool) -> str:
    """`def close_task(task_id: str, note: str | None = None) -> dict:` and its first line."""
    properties = tool.parameters["properties"]
    required = tool.parameters["required"]
    parts = [f"{python_name(name)}: {_type(properties[name])}" for name in required]
    parts += [
        _optional(python_name(name), schema)
        for name, schema in properties.items()
        if name not in required
    ]
    gives = "None" if tool.returns is None else _type(tool.returns)
    line = " ".join(tool.description.split())[:200]
    return f"def {tool.name}({', '.join(parts)}) -> {gives}:\n    {line!r}"


def _optional(name: str, schema: JsonSchema) -> str:
    default = schema.get("default")
    if isinstance(default, str | int | float) or default is None:
        kind = _type(schema) + ("" if default is not None else " | None")
        return f"{name}: {kind} = {default!r}"
    return f"{name}: {_type(schema)} | None = None"


def _type(schema: JsonSchema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    return _TYPES.get(str(kind), "object" if "type" in schema else "dict | list")


def function_in(text: str, tool: Tool) -> tuple[Tool, str]:
    """The tool without what the function makes no use of (optional arguments: a tool that takes
    them would promise what it does not do), and the function, under its header. NoFunction."""
    blocks = _BLOCK.findall(text) or [text]
    problem = "there is no function in it"
    for block in blocks:
        try:
            tree = ast.parse(textwrap.dedent(block))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            problem = f"it is no Python: {error}"
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == tool.name:
                heeded = _heeded(tool, node)
                return heeded, _under_header(node, heeded)
    raise NoFunction(problem)


def _heeded(tool: Tool, node: ast.FunctionDef) -> Tool:
    used = {each.id for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name)}
    required = tool.parameters["required"]
    properties = {
        name: schema
        for name, schema in tool.parameters["properties"].items()
        if name in required or python_name(name) in used
    }
    return tool.model_copy(update={"parameters": {**tool.parameters, "properties": properties}})


def _under_header(node: ast.FunctionDef, tool: Tool) -> str:
    head = ast.parse(f"{header_of(tool)}\n    pass").body[0]
    assert isinstance(head, ast.FunctionDef)
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if not body:
        raise NoFunction("the function has no body")
    head.body = [head.body[0], *body]
    return ast.unparse(ast.fix_missing_locations(head)) + "\n"
