"""vLLM in this process, as what writes many responses side by side.

Always holds: each log-prob is of the distribution that the id was drawn from, as an engine with
`logprobs_mode="processed_logprobs"` tells it. Responses follow from their seeds as far as sums of
floats do, which vLLM takes in another order for other rows beside them.
"""

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vllm import SamplingParams

    from forge.rollout.tokens.decode import Draw, Row


class Beside:
    """`engine`: vLLM's `LLMEngine`; `ends`: ids that end a response, beside those that it knows."""

    def __init__(self, engine: Any, ends: frozenset[int]) -> None:
        self._engine = engine
        self._ends = ends
        self._rows: dict[str, Row] = {}
        self._names = map(str, count())

    def join(self, rows: "Sequence[Row]") -> "list[Row]":
        for row in rows:
            name = next(self._names)
            self._rows[name] = row
            prompt = {"prompt_token_ids": row.prompt}
            self._engine.add_request(name, prompt, self._drawn(row.draw))
        return []

    def step(self) -> "list[Row]":
        dropped = [name for name, row in self._rows.items() if row.dropped]
        self._engine.abort_request(dropped)
        ended = [self._rows.pop(name) for name in dropped]
        if not self._rows:
            return ended
        for output in self._engine.step():
            row = self._rows.get(output.request_id)
            if row is None or not output.finished:
                continue
            del self._rows[output.request_id]
            (said,) = output.outputs
            row.ids = list(said.token_ids)
            row.logprobs = [of[id].logprob for id, of in zip(row.ids, said.logprobs, strict=True)]
            row.stopped = said.finish_reason == "stop"
            ended.append(row)
        return ended

    def clear(self) -> None:
        self._engine.abort_request(list(self._rows))
        self._rows.clear()

    def _drawn(self, draw: "Draw") -> "SamplingParams":
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        return SamplingParams(
            seed=draw.seed,
            temperature=draw.temperature,
            top_p=draw.top_p,
            top_k=draw.top_k,
            max_tokens=draw.most,
            stop=list(draw.stop),
            stop_token_ids=sorted(self._ends),
            logprobs=0,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
