"""What samples in training, with the weights of now.

- `here`: the model that is trained, by Transformers, in its own process
- `beside`: vLLM on the same GPU, which is given the weights before it samples
- `served`: vLLM's servers elsewhere, which are sent the weights

The last two are held, and given their weights, by TRL's `VLLMGeneration` (TRL 1.16).
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol
from urllib.request import urlopen

import torch
from torch import nn

from forge.errors import UserError
from forge.llm.client import Client, Endpoint
from forge.rollout.tokens.beside import Beside
from forge.rollout.tokens.decode import Decoder
from forge.rollout.tokens.load import context_of
from forge.rollout.tokens.local import Local
from forge.rollout.tokens.served import Completions
from forge.rollout.tokens.talk import Sampler
from forge.rollout.tokens.template import Template
from forge.train.recipe import Recipe

SHARDING = ("ACCELERATE_USE_FSDP", "ACCELERATE_USE_DEEPSPEED")
"""What `accelerate launch` says where no process has the whole model."""
VLLM = "pip install 'forge-envs[vllm]'"


@dataclass(frozen=True, slots=True)
class Weights:
    """`of_now`: while in it, the sampler has the weights of now."""

    sampler: Sampler
    of_now: Callable[[], AbstractContextManager[None]]


class Renewing(Protocol):
    """The trainer, as far as vLLM is concerned."""

    vllm_generation: Any

    def renew(self) -> None: ...


def weights_of(recipe: Recipe, trainer: Renewing, model: nn.Module, template: Template) -> Weights:
    """Of the policy, as its recipe says."""
    tokens = recipe.rollouts.tokens
    if recipe.sampler.by == "beside":
        return beside(trainer, template, tokens)
    if recipe.sampler.by == "server":
        return served(trainer, template, recipe)
    return here(model, template, tokens)


def here(model: nn.Module, template: Template, tokens: int) -> Weights:
    """`tokens`: that a rollout may have, as the model can."""
    decoder = Decoder(model, template.ends, template.text)
    local = Local(decoder, model.device, min(tokens, context_of(model)))

    @contextmanager
    def of_now() -> Iterator[None]:
        local.forget()
        was = model.training
        model.eval()
        try:
            yield
        finally:
            model.train(was)
            local.forget()

    return Weights(local, of_now)


def beside(trainer: Renewing, template: Template, tokens: int) -> Weights:
    writer = Beside(trainer.vllm_generation.llm.llm_engine, template.ends)
    gpu = torch.cuda.is_available()
    device = torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")
    return Weights(Local(writer, device, tokens), lambda: _renewed(trainer))


def served(trainer: Renewing, template: Template, recipe: Recipe) -> Weights:
    client = Client(endpoint_of(recipe))
    return Weights(Completions(client, template.ends), lambda: _renewed(trainer))


@contextmanager
def _renewed(trainer: Renewing) -> Iterator[None]:
    trainer.renew()
    yield


def endpoint_of(recipe: Recipe) -> Endpoint:
    name = recipe.sampler.name or recipe.model.name
    return Endpoint(name, f"{recipe.sampler.url.rstrip('/')}/v1", seconds=3600)


def is_sharded() -> bool:
    """Whether no process has the whole model."""
    return any(os.environ.get(name) == "true" for name in SHARDING)


def check_sampler(recipe: Recipe) -> None:
    """UserError where what is to sample is not there, or cannot have these weights."""
    by = recipe.sampler.by
    if by == "transformers":
        if is_sharded():
            raise UserError(
                "a model in shards cannot be sampled from by Transformers",
                mend="--set sampler.by=beside, or server",
            )
        return
    if find_spec("vllm") is None:
        raise UserError(f"sampler.by={by} needs the package vllm", mend=VLLM)
    if recipe.model.is_file():
        raise UserError(
            "vLLM reads no GGUF file in training",
            where=str(recipe.model),
            mend="give a folder of Hugging Face's, as `forge train sft` writes",
        )
    if by == "server":
        try:
            urlopen(f"{recipe.sampler.url.rstrip('/')}/health", timeout=10).close()
        except (OSError, ValueError) as error:
            raise UserError(
                f"no vLLM answers at {recipe.sampler.url}: {error}",
                mend="train/vllm-serve.sh with TRAINED=1, or --set sampler.url=…",
            ) from None
        if not torch.cuda.is_available():
            raise UserError(
                "weights are sent to vLLM from one GPU to others, and here is none",
                mend="--set sampler.by=transformers",
            )
