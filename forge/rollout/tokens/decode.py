"""Many conversations written by one model in this process, side by side.

Each row keeps the keys and values of all that it read and wrote, so that what follows it later is
read only from where it is new; rows come and go between two ids. Always holds: a response follows
from the model, its prompt, its settings and its seed, whatever rows are beside it, as far as sums
of floats do; each log-prob is of the distribution that the id was drawn from.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import torch
from transformers import DynamicCache

from forge.rollout.tokens.rows import common

Past = tuple[tuple[torch.Tensor, torch.Tensor], ...]
"""Keys and values of each layer, [1, heads, ids, size]."""
KEPT = 4 << 30
"""Bytes of keys and values, of rows that have ended, that are kept."""
WAITING = 4
"""How many times the rows that were ever side by side are kept: each may wait for its tools, and
what begins alike is read from them; the others belong to conversations that are over."""
LAST = 4
"""Ids that may make up one character."""
PREFILL = 512
"""Ids of a prompt that are read at once."""


@dataclass(frozen=True, slots=True)
class Draw:
    """How ids are drawn. `temperature` 0: the likeliest each time, with its log-prob at 1. `top_k`
    0 and `top_p` 1: of all. `most`: ids of a response; `stop`: texts that end it."""

    seed: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    most: int = 1 << 30
    stop: tuple[str, ...] = ()


@dataclass(eq=False)
class Row:
    """A response as it grows. `stopped`: it ended of its own; `dropped`: nobody waits for it."""

    prompt: list[int]
    draw: Draw
    random: Random = field(init=False)
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    stopped: bool = False
    dropped: bool = False

    def __post_init__(self) -> None:
        self.random = Random(self.draw.seed)


class Decoder:
    """`ends`: ids that end a response; `text`: that ids stand for. To be used in torch's inference
    mode."""

    def __init__(
        self, model: Any, ends: frozenset[int], text: Callable[[Sequence[int]], str]
    ) -> None:
        self._model = model
        self._ends = ends
        self._text = text
        named = inspect.signature(model.forward).parameters
        self._memory = "cache" if "cache" in named else "past_key_values"
        """What the model calls its keys and values: vLLM wants a transformers of the older name."""
        self._rows: list[Row | None] = []
        """Those in the batch; None: it has ended, and its place is kept until others move."""
        self._cache = DynamicCache()
        self._mask = torch.zeros((0, 0), dtype=torch.long, device=model.device)
        self._kept: list[tuple[list[int], Past]] = []
        self._most = 0
        """Rows that were side by side."""

    @property
    def open(self) -> list[Row]:
        return [row for row in self._rows if row is not None]

    def join(self, rows: Sequence[Row]) -> list[Row]:
        """Reads the prompts of these, and writes the first id of each. Those that have ended."""
        ended = []
        places = [(row, self._past(at)) for at, row in enumerate(self._rows) if row is not None]
        self._most = max(self._most, len(places) + len(rows))
        for row in rows:
            past, logits = self._read(row)
            if row.dropped:
                ended.append(row)
                continue
            self._write([row], logits)
            if self._is_ended(row):
                self._keep(row, past)
                ended.append(row)
            else:
                places.append((row, past))
        self._stack(places)
        return ended

    def step(self) -> list[Row]:
        """One more id for each open row. Those that have ended with it."""
        read = [[row.ids[-1] if row else 0] for row in self._rows]
        length = self._mask.shape[1]
        more = torch.tensor([[1 if row else 0] for row in self._rows], device=self._mask.device)
        places = self._mask.sum(1, keepdim=True)
        self._mask = torch.cat([self._mask, more], 1)
        logits = self._model(
            input_ids=torch.tensor(read, device=self._mask.device),
            attention_mask=self._mask,
            position_ids=places,
            use_cache=True,
            **{self._memory: self._cache},
        ).logits[:, -1]
        assert self._cache.get_seq_length() == length + 1
        open_ = [at for at, row in enumerate(self._rows) if row is not None]
        self._write(self.open, logits[open_])
        ended = []
        for at in open_:
            row = self._rows[at]
            assert row is not None
            if self._is_ended(row):
                self._keep(row, self._past(at))
                self._rows[at] = None
                ended.append(row)
        if 2 * len(self.open) <= len(self._rows):
            self._stack([(row, self._past(at)) for at, row in enumerate(self._rows) if row])
        return ended

    def clear(self) -> None:
        """Lets go of all rows, and of what was kept of others."""
        self._kept.clear()
        self._stack([])

    def _is_ended(self, row: Row) -> bool:
        row.stopped = self._has_stopped(row)
        return row.stopped or row.dropped or len(row.ids) >= row.draw.most

    def _has_stopped(self, row: Row) -> bool:
        if row.ids and row.ids[-1] in self._ends:
            return True
        if not row.draw.stop:
            return False
        last = self._text(row.ids[-LAST - max(map(len, row.draw.stop)) :])
        return any(stop in last for stop in row.draw.stop)

    def _read(self, row: Row) -> tuple[Past, torch.Tensor]:
        """The keys and values of its prompt, and what comes behind that: [1, vocabulary]; of less
        where it is dropped on the way."""
        prompt, device = row.prompt, self._model.device
        same, at = max(
            ((common(ids, prompt), at) for at, (ids, _) in enumerate(self._kept)), default=(0, 0)
        )
        same = min(same, len(prompt) - 1)  # what comes behind the last is not kept
        cache = DynamicCache()
        if same > 0:
            ids, past = self._kept.pop(at)
            cache = DynamicCache([(k[:, :, :same], v[:, :, :same]) for k, v in past])
            if same < len(ids):  # else it lives on in what follows it
                self._kept.append((ids, past))
        logits = torch.empty(0)
        for start in range(same, len(prompt), PREFILL):
            if row.dropped:
                break
            part = prompt[start : start + PREFILL]
            logits = self._model(
                input_ids=torch.tensor([part], device=device),
                position_ids=torch.arange(start, start + len(part), device=device)[None],
                use_cache=True,
                logits_to_keep=1,
                **{self._memory: cache},
            ).logits[:, -1]
        return tuple((layer.keys, layer.values) for layer in cache.layers), logits

    def _past(self, at: int) -> Past:
        """Of one place in the batch, without what was put before and between."""
        own = self._mask[at].bool()
        return tuple(
            (layer.keys[at : at + 1, :, own], layer.values[at : at + 1, :, own])
            for layer in self._cache.layers
        )

    def _stack(self, places: Sequence[tuple[Row, Past]]) -> None:
        """Makes the batch of these rows."""
        self._rows = [row for row, _ in places]
        lengths = [past[0][0].shape[2] for _, past in places]
        most = max(lengths, default=0)
        self._mask = torch.tensor(
            [[0] * (most - length) + [1] * length for length in lengths],
            dtype=torch.long,
            device=self._model.device,
        ).reshape(len(places), most)
        layers = zip(*(past for _, past in places), strict=True)
        self._cache = DynamicCache(
            [
                (_padded([keys for keys, _ in each], most), _padded([v for _, v in each], most))
                for each in layers
            ]
        )

    def _keep(self, row: Row, past: Past) -> None:
        """For what follows it. The last id has not been read."""
        self._kept.append(([*row.prompt, *row.ids[:-1]], past))
        del self._kept[: -WAITING * self._most]
        while sum(_bytes(past) for _, past in self._kept) > KEPT:
            self._kept.pop(0)

    def _write(self, rows: Sequence[Row], logits: torch.Tensor) -> None:
        ids, logprobs = pick(logits, [row.draw for row in rows], [r.random.random() for r in rows])
        for row, id, logprob in zip(rows, ids, logprobs, strict=True):
            row.ids.append(id)
            row.logprobs.append(logprob)


def _bytes(past: Past) -> int:
    return sum(each.nbytes for layer in past for each in layer)


def _padded(tensors: Sequence[torch.Tensor], length: int) -> torch.Tensor:
    """As one, each with zeros before it."""
    return torch.cat(
        [torch.nn.functional.pad(each, (0, 0, length - each.shape[2], 0)) for each in tensors]
    )


def pick(
    logits: torch.Tensor, draws: Sequence[Draw], at: Sequence[float]
) -> tuple[list[int], list[float]]:
    """An id for each row of logits [rows, vocabulary], and its log-prob. `at`: in [0, 1), where in
    the distribution, whose ids are in the order of their numbers."""
    heat = [draw.temperature or 1.0 for draw in draws]
    scaled = logits.double() / torch.tensor(heat, dtype=torch.double, device=logits.device)[:, None]
    for number, draw in enumerate(draws):
        if draw.temperature and (draw.top_k or draw.top_p < 1):
            scaled[number] = _cut(scaled[number], draw)
    logprobs = torch.log_softmax(scaled, -1)
    sums = logprobs.exp().cumsum(-1)
    points = torch.tensor(at, dtype=torch.double, device=logits.device)[:, None] * sums[:, -1:]
    drawn = torch.searchsorted(sums, points, right=True)[:, 0]
    greedy = torch.tensor([not draw.temperature for draw in draws], device=logits.device)
    ids = torch.where(greedy, scaled.argmax(-1), drawn)
    chosen = logprobs.gather(-1, ids[:, None])[:, 0]
    return ids.tolist(), chosen.tolist()


def _cut(scaled: torch.Tensor, draw: Draw) -> torch.Tensor:
    """Without the ids that are not among the `top_k`, or the likeliest that make up `top_p`."""
    ordered, places = scaled.sort(descending=True, stable=True)
    before = torch.softmax(ordered, -1).cumsum(-1).roll(1)
    before[0] = 0
    out = before >= draw.top_p
    if draw.top_k:
        out[draw.top_k :] = True
    out[0] = False
    return scaled.masked_fill(torch.zeros_like(out).scatter(0, places, out), -torch.inf)
