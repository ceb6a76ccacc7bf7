"""Policies and users by the names that one gives them on the command line."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from forge.dataset.scripts import ANY, read_script
from forge.dataset.trajectories import recorded
from forge.errors import UserError
from forge.llm.client import Endpoint
from forge.rollout.policies.context import WHOLE, Context, Strategy
from forge.rollout.policies.engine import Engine
from forge.rollout.policies.first_match import FirstMatch
from forge.rollout.policies.formats import Format
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Policy
from forge.rollout.policies.random import Random
from forge.rollout.policies.renamed import Renamed
from forge.rollout.policies.replay import Replay
from forge.rollout.policies.shown import Shown
from forge.rollout.run import seed_of
from forge.rollout.tokens.load import load_template
from forge.rollout.users.judge import Judge
from forge.rollout.users.scripted import Scripted
from forge.rollout.users.user import User
from forge.types.data import Json
from forge.types.rollout import Turn
from forge.types.state import StateSchema
from forge.types.task import Lang

PLAIN: dict[str, Callable[[], Policy]] = {
    "oracle": Oracle,
    "noop": Noop,
    "random": Random,
    "first-match": FirstMatch,
}
FROM_FILE = ("replay", "script")
SEEING = frozenset({"noop", "random"})
"""Those that go by what they see. The others play in true names."""
LLM = "llm"
USERS: dict[str, Callable[[], User]] = {"scripted": Scripted}


@dataclass(frozen=True, slots=True)
class Casting:
    """`tasks`: those that the policy can play; None: all."""

    policy: Policy
    tasks: frozenset[str] | None = None
    marks: Mapping[str, Json] = field(default_factory=dict)
    """What of its settings is not as usual, by the flags that set it."""


def cast(
    name: str,
    *,
    seed: int,
    context: Context = WHOLE,
    format: Format = "native",
    rename_tools: int | None = None,
    tokenizer: Path | None = None,
) -> Casting:
    """The policy of that name, for a run with this seed; as if it were a model that reads by
    `context`, calls in `format`, and has the tokens of `tokenizer`, where these are not as usual;
    under other names by the seed `rename_tools`. UserError if there is none, or its file is not
    right."""
    casting = _cast(name, seed)
    template = None if tokenizer is None else load_template(tokenizer)
    policy, marks = casting.policy, {**casting.marks, **marks_of(context)}
    if rename_tools is not None and name not in SEEING:
        policy = Renamed(policy, rename_tools)
    if context != WHOLE or format != "native" or template is not None:
        policy = Shown(policy, context, format, template)
    if format != "native":
        marks["format"] = format
    if template is not None:
        marks["tokenizer"] = template.name
    return _renamed(replace(casting, policy=policy, marks=marks), rename_tools)


def _renamed(casting: Casting, rename_tools: int | None) -> Casting:
    """The same, seeing other names; None: the true ones."""
    if rename_tools is None:
        return casting
    marks = {**casting.marks, "rename-tools": rename_tools}
    return replace(casting, policy=Renamed(casting.policy, rename_tools), marks=marks)


def _cast(name: str, seed: int) -> Casting:
    kind, colon, file = name.partition(":")
    if kind in FROM_FILE and file:
        return _replay(Path(file), seed) if kind == "replay" else _script(Path(file))
    if not colon and kind in PLAIN:
        return Casting(PLAIN[kind]())
    if kind in FROM_FILE:
        raise UserError(f"policy {kind!r} needs a file", mend=f"--policy {kind}:FILE")
    raise _unknown("policy", name, [*PLAIN, *(f"{each}:FILE" for each in FROM_FILE), "local:PATH"])


def model_of(
    engine: Engine,
    *,
    format: Format,
    temperature: float | None,
    top_p: float | None,
    turn_tokens: int | None,
    context: Context,
    drop_thinking: bool,
    extra: str | None,
    rename_tools: int | None,
    marks: Mapping[str, Json],
) -> Casting:
    """A model behind an engine; `marks`: what of that is not as usual. UserError if `extra` is no
    JSON object."""
    from forge.rollout.policies.chat import Chat, Sampling

    policy = Chat(
        engine,
        format=format,
        sampling=Sampling(temperature, top_p, turn_tokens, _object_of(extra, "--extra")),
        context=context,
        drop_thinking=drop_thinking,
    )
    unusual = {
        "format": (format, "native"),
        "temperature": (temperature, None),
        "top-p": (top_p, None),
        "turn-tokens": (turn_tokens, None),
        "drop-thinking": (drop_thinking, False),
        "extra": (extra, None),
    }
    found = {name: given for name, (given, usual) in unusual.items() if given != usual}
    casting = Casting(policy, marks={**found, **marks_of(context), **marks})
    return _renamed(casting, rename_tools)


def context_of(
    strategy: Strategy,
    keep: int | None,
    tokens: int | None,
    summaries: int | None,
    result: int | None,
) -> Context:
    """What the flags say. UserError where one is for another strategy."""
    for_summary = {"--context-tokens": tokens, "--context-summaries": summaries}
    given = [flag for flag, value in for_summary.items() if value is not None]
    if strategy != "summary" and given:
        raise UserError(f"{given[0]} is for --context summary", mend="add it, or leave this out")
    if strategy == "append" and keep is not None:
        raise UserError("--context-keep is for --context window and summary", mend="leave it out")
    return Context(
        strategy,
        keep,
        WHOLE.budget if tokens is None else tokens,
        WHOLE.summaries if summaries is None else summaries,
        result,
    )


def marks_of(context: Context) -> dict[str, Json]:
    """What of it is not as usual, by the flags that set it."""
    usual = Context(context.strategy)
    flags = {
        "context": (context.strategy, WHOLE.strategy),
        "context-keep": (context.kept, usual.kept),
        "context-tokens": (context.budget, usual.budget),
        "context-summaries": (context.summaries, usual.summaries),
        "tool-result-tokens": (context.result, None),
    }
    return {name: given for name, (given, as_usual) in flags.items() if given != as_usual}


def _object_of(given: str | None, flag: str) -> dict[str, Json]:
    try:
        value = json.loads(given or "{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise UserError(f"{given!r} is not a JSON object", mend=f"{flag} '{{\"top_k\": 20}}'")
    return value


@dataclass(frozen=True, slots=True)
class Part:
    """Who plays the user; `marks`: what of its settings is not as usual, by the flags."""

    user: User
    judge: Judge | None = None
    marks: Mapping[str, Json] = field(default_factory=dict)


def user_named(
    name: str,
    schema_of: Callable[[str], StateSchema],
    reach: Callable[[str, str | None], Endpoint],
    *,
    model: str | None = None,
    base_url: str | None = None,
    lang: Lang | None = None,
    temperature: float | None = None,
    extra: str | None = None,
    judge: str | None = None,
) -> Part:
    """The user of that name. `schema_of`: the nouns of an environment, for the one that is a model;
    all that follows is for that alone. `reach`: the endpoint of a model and an address. UserError
    if there is none, or something is missing."""
    flags = {
        "user-model": model,
        "user-base-url": base_url,
        "lang": lang,
        "user-temperature": temperature,
        "user-extra": extra,
        "user-judge": judge,
    }
    if name != LLM:
        if name not in USERS:
            raise _unknown("user", name, [*USERS, LLM])
        given = next((flag for flag, value in flags.items() if value is not None), None)
        if given is not None:
            raise UserError(f"--{given} is for a user that is a model", mend=f"--user {LLM}")
        return Part(USERS[name]())
    if model is None:
        raise UserError("it is not said which model is the user", mend="--user-model NAME")
    from forge.llm.client import Client
    from forge.rollout.policies.chat import Sampling
    from forge.rollout.users.model import ModelUser

    def client_of(model: str) -> Client:
        return Client(replace(reach(model, base_url), whose="user-"))

    user = ModelUser(
        client_of(model),
        schema_of,
        lang=lang,
        sampling=Sampling(temperature, extra=_object_of(extra, "--user-extra")),
    )
    marked = ("lang", "user-temperature", "user-extra", "user-judge")
    marks = {flag: flags[flag] for flag in marked if flags[flag] is not None}
    return Part(user, None if judge is None else Judge(client_of(judge), schema_of), marks)


def _unknown(what: str, name: str, known: Iterable[str]) -> UserError:
    names = list(known)
    near = get_close_matches(name, names, n=2, cutoff=0.5)
    mend = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    return UserError(f"there is no {what} {name!r}", mend=mend)


def _replay(path: Path, seed: int) -> Casting:
    """Attempts are known by their seeds; one that was not recorded is like the first."""
    record = recorded(path)
    attempts = {seed_of(seed, *key): key[1] for key in record.places}

    def turns(task: str, own: int) -> Sequence[Turn] | None:
        found = record.find(task, attempts.get(own, 0))
        return None if found is None else [step.turn for step in found.steps]

    return Casting(Replay(f"replay:{path.stem}", turns), frozenset(id for id, _ in record.places))


def _script(path: Path) -> Casting:
    script = read_script(path)

    def turns(task: str, own: int) -> Sequence[Turn] | None:
        return script.get(task, script.get(ANY))

    return Casting(
        Replay(f"script:{path.stem}", turns), None if ANY in script else frozenset(script)
    )
