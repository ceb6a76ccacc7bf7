from dataclasses import dataclass, field
from enum import Enum


class RequestOutputKind(Enum):
    CUMULATIVE = 0
    FINAL_ONLY = 2


class StructuredOutputsParams: ...


@dataclass
class SamplingParams:
    seed: int
    temperature: float
    top_p: float
    top_k: int
    max_tokens: int
    logprobs: int
    stop: list[str] = field(default_factory=list)
    stop_token_ids: list[int] = field(default_factory=list)
    output_kind: RequestOutputKind = RequestOutputKind.CUMULATIVE
