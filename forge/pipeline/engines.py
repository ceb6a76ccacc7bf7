"""What samples for a model policy, by the flags that one gives on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forge.errors import UserError, lacks_package
from forge.llm.client import Client, Endpoint
from forge.rollout.policies.engine import Engine
from forge.rollout.tokens.load import TRAIN, load_template
from forge.rollout.tokens.talk import TokenEngine
from forge.types.data import Json

LOCAL = "local:"


@dataclass(frozen=True, slots=True)
class Sampler:
    """`marks`: what of its settings is not as usual, by the flags that set it."""

    engine: Engine
    marks: Mapping[str, Json] = field(default_factory=dict)


def engine_at(endpoint: Endpoint, *, tokens: bool, tokenizer: Path | None) -> Sampler:
    """A model behind an endpoint; with `tokens`, behind vLLM, which tells them;
    with `tokenizer`, sent ids. UserError if the endpoint cannot be meant."""
    from forge.rollout.tokens.served import Completions, Told

    client = Client(endpoint)
    if tokenizer is not None:
        template = load_template(tokenizer)
        engine = TokenEngine(client.name, template, Completions(client, template.ends))
        return Sampler(engine, {"tokenizer": template.name})
    return Sampler(Told(client), {"tokens": True}) if tokens else Sampler(client)


def engine_here(name: str, tokenizer: Path | None) -> Sampler:
    """A model in this process, at the path that its name is. UserError if it cannot be loaded."""
    if tokenizer is not None:
        raise UserError("a local model has a tokenizer of its own", mend="leave out --tokenizer")
    if not name:
        raise UserError("policy 'local' needs a model", mend="--policy local:PATH")
    path = Path(name)
    template = load_template(path)
    try:
        from forge.rollout.tokens.local import local_at
    except ImportError as error:
        raise lacks_package("a local model", error, TRAIN) from None
    sampler = local_at(path, template.ends, template.text)
    return Sampler(TokenEngine(f"{LOCAL}{template.name}", template, sampler))
