"""What TRL and forge use of vLLM in the trainer's process, in its shape, over transformers: on any
machine, slowly. Each step writes one id for every request that is open."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from vllm.sampling_params import RequestOutputKind, SamplingParams


@dataclass
class Logprob:
    logprob: float
    rank: int = 1


@dataclass
class CompletionOutput:
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[dict[int, Logprob]] = field(default_factory=list)
    finish_reason: str | None = None


@dataclass
class RequestOutput:
    request_id: str
    outputs: list[CompletionOutput]
    finished: bool


@dataclass
class _Request:
    prompt: list[int]
    params: SamplingParams
    said: CompletionOutput
    random: torch.Generator


class _Engine:
    def __init__(self, model: Any, most: int) -> None:
        self._model, self._most = model, most
        self._open: dict[str, _Request] = {}
        runner = SimpleNamespace(model=SimpleNamespace(load_weights=self._load))
        worker = SimpleNamespace(model_runner=runner)
        self.model_executor = SimpleNamespace(driver_worker=worker)

    def _load(self, weights: Iterable[tuple[str, torch.Tensor]]) -> None:
        if self._open:
            raise RuntimeError("weights were changed while requests are open")
        own = dict(self._model.named_parameters())
        with torch.no_grad():
            for name, weight in weights:
                own[name].copy_(weight)

    def add_request(
        self, request_id: str, prompt: dict[str, list[int]], params: SamplingParams
    ) -> str:
        ids = prompt["prompt_token_ids"]
        if len(ids) >= self._most:
            raise ValueError(f"the prompt has {len(ids)} tokens of {self._most}")
        random = torch.Generator().manual_seed(params.seed)
        self._open[request_id] = _Request(ids, params, CompletionOutput(), random)
        return request_id

    def abort_request(self, request_ids: list[str]) -> None:
        for name in request_ids:
            self._open.pop(name, None)

    @torch.inference_mode()
    def step(self) -> list[RequestOutput]:
        found = []
        for name, request in list(self._open.items()):
            said, params = request.said, request.params
            ids = [*request.prompt, *said.token_ids]
            logits = self._model(torch.tensor([ids])).logits[0, -1]
            logprobs = (logits / (params.temperature or 1.0)).log_softmax(-1)
            if params.temperature:
                id = int(torch.multinomial(logprobs.exp(), 1, generator=request.random))
            else:
                id = int(logprobs.argmax())
            said.token_ids.append(id)
            said.logprobs.append({id: Logprob(float(logprobs[id]))})
            if id in params.stop_token_ids:
                said.finish_reason = "stop"
            elif len(said.token_ids) >= min(params.max_tokens, self._most - len(request.prompt)):
                said.finish_reason = "length"
            if said.finish_reason:
                del self._open[name]
                found.append(RequestOutput(name, [said], True))
            elif params.output_kind != RequestOutputKind.FINAL_ONLY:
                found.append(RequestOutput(name, [said], False))
        return found


class LLM:
    def __init__(self, model: str, max_model_len: int, **settings: Any) -> None:
        if settings["logprobs_mode"] != "processed_logprobs":
            raise ValueError(settings["logprobs_mode"])
        self.llm_engine = _Engine(AutoModelForCausalLM.from_pretrained(model), max_model_len)

    def reset_prefix_cache(self) -> None:
        pass
