"""A model's chat template and tokenizer: a conversation as the ids that the model reads.

Always holds: what comes after a response is written behind the very ids that were sampled, which
are never decoded and encoded again; what people, tools and documents say is ordinary text, even
where it looks like a mark of the template; the same conversation gives the same ids on any day.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from jinja2 import TemplateError

from forge.errors import UserError
from forge.rollout.tokens.jinja import compiled
from forge.types.data import Json

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

APART = "\ufdd0"
"""No character, so in no text: put into what looks like a mark, and taken out between tokens."""
SAID = "QZX"
"""Stands for a response while what comes after it is rendered."""
TEXTS = "--format hermes"
"""What does without a template's own way of calling tools."""


class Unwritten(Exception):
    """The template does not write this conversation. Says why."""


class Template:
    """`name`: of the model, for messages. `ends`: ids that end a turn, beside those that the
    tokenizer and the template have for it."""

    def __init__(
        self, tokenizer: "PreTrainedTokenizerFast", name: str, ends: Iterable[int] = ()
    ) -> None:
        """UserError if it has no chat template."""
        self.name = name
        self.tokenizer = tokenizer
        if not tokenizer.chat_template:
            raise UserError(
                f"{name} has no chat template", mend="give a model that is made to chat"
            )
        added = tokenizer.added_tokens_decoder
        marks = {str(token) for token in added.values() if token.special}
        self._marks = re.compile("|".join(map(re.escape, sorted(marks, key=len, reverse=True))))
        found = {*ends, tokenizer.eos_token_id, self._turn_end(set(added))} - {None}
        self.ends: frozenset[int] = frozenset(found)
        texts = [tokenizer.decode([end]) for end in self.ends]
        self._end_texts = sorted(filter(None, texts), key=len, reverse=True)

    def prompt(
        self, messages: Sequence[Json], tools: Sequence[Json] | None, more: Mapping[str, Json]
    ) -> list[int]:
        """A whole conversation, and the beginning of the next turn. `more`: what else the template
        is told; the time, as `at` has it, among it.

        UserError if the template cannot write it, or does not tell of the tools."""
        try:
            text = self._written(messages, tools, more)
            if tools:
                self._check_tools(text, messages, more)
        except Unwritten as why:
            raise UserError(
                f"the chat template of {self.name} does not write this conversation: {why}",
                mend=TEXTS,
            ) from None
        return self._ids(text)

    def after(
        self,
        messages: Sequence[Json],
        at: int,
        response: Sequence[int],
        tools: Sequence[Json] | None,
        more: Mapping[str, Json],
    ) -> list[int] | None:
        """What comes behind the response that is `messages[at]`: the end of the turn where the
        model did not write it, what came back, and the beginning of the next turn. None where the
        template cannot tell."""
        said = SAID
        while any(said in json.dumps(each, ensure_ascii=False) for each in (messages, tools)):
            said += SAID[-1]
        placed = [*messages[:at], {"role": "assistant", "content": said}, *messages[at + 1 :]]
        try:
            text = self._written(placed, tools, more)
        except Unwritten:
            return None
        _, found, tail = text.rpartition(said)
        if not found:
            return None
        if not (response and response[-1] in self.ends):
            return self._ids(tail)
        ended = tail.lstrip()
        end = next((each for each in self._end_texts if ended.startswith(each)), None)
        if end is None:
            return self._ids(tail)
        # The end that was sampled stands before the rest, as some tokenizers take the space after.
        own: str = self.tokenizer.decode([response[-1]])
        return self._ids(own + ended[len(end) :])[1:]

    def response(
        self,
        messages: Sequence[Json],
        message: Mapping[str, Json],
        tools: Sequence[Json] | None,
        more: Mapping[str, Json],
    ) -> list[int]:
        """The ids that a model would have sampled for a message, its end included. UserError if the
        template does not write it."""
        try:
            before = self._written(messages, tools, more)
            text = self._render([*self._plain(messages), *_typed([message])], tools, more, False)
            if not text.startswith(before):
                raise Unwritten("it writes what came before otherwise")
            names = [call["function"]["name"] for call in message.get("tool_calls") or ()]
            if not all(name in text[len(before) :] for name in names):
                raise Unwritten("it does not tell of calls")
        except Unwritten as why:
            raise UserError(
                f"the chat template of {self.name} does not write this turn: {why}", mend=TEXTS
            ) from None
        said = text[len(before) :]
        end = next((e for e in self._end_texts if said.rstrip().endswith(e)), None)
        return self._ids(said if end is None else said[: said.rindex(end) + len(end)])

    def text(self, response: Sequence[int]) -> str:
        """What was sampled, marks included, without what ends the turn."""
        ended = bool(response) and response[-1] in self.ends
        text: str = self.tokenizer.decode(list(response[:-1] if ended else response))
        return text

    def head(self, text: str, tokens: int) -> str:
        """As much of the beginning as so many tokens hold; no character is cut in two."""
        read = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        spans = read["offset_mapping"]
        return text if len(spans) <= tokens else text[: spans[tokens][0]]

    def _written(
        self, messages: Sequence[Json], tools: Sequence[Json] | None, more: Mapping[str, Json]
    ) -> str:
        return self._render(self._plain(messages), tools, more, True)

    def _plain(self, messages: Sequence[Json]) -> list[Json]:
        """With nothing in them that is a mark, but for what the model wrote itself."""
        return [
            message if message["role"] == "assistant" else self._without_marks(message)
            for message in _typed(messages)
        ]

    def _without_marks(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._marks.sub(lambda mark: mark[0][0] + APART + mark[0][1:], value)
        if isinstance(value, list):
            return [self._without_marks(item) for item in value]
        if isinstance(value, dict):
            return {name: self._without_marks(item) for name, item in value.items()}
        return value

    def _render(
        self,
        messages: Sequence[Json],
        tools: Sequence[Json] | None,
        more: Mapping[str, Json],
        beginning: bool,
    ) -> str:
        given = self._without_marks(tools) or None
        try:
            source = self.tokenizer.get_chat_template(None, given)
            return compiled(source).render(
                **self.tokenizer.special_tokens_map,
                messages=messages,
                tools=given,
                documents=None,
                add_generation_prompt=beginning,
                **more,
            )
        except (TemplateError, TypeError, ValueError, KeyError) as error:
            raise Unwritten(" ".join(str(error).split())) from None

    def _ids(self, text: str) -> list[int]:
        pieces = text.split(APART)
        return [
            id for piece in pieces for id in self.tokenizer.encode(piece, add_special_tokens=False)
        ]

    def _turn_end(self, added: set[int]) -> int | None:
        """The id with which the template ends what an assistant says."""
        said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": SAID}]
        try:
            tail = self._render(said, None, at("2024-07-26"), False).rpartition(SAID)[2]
        except Unwritten:
            return None
        return next((id for id in self._ids(tail) if id in added), None)

    def _check_tools(self, text: str, messages: Sequence[Json], more: Mapping[str, Json]) -> None:
        if self._written(messages, None, more) == text:
            raise Unwritten("it does not tell of tools")
        if not self._tells_results:
            raise Unwritten("it does not tell what tools gave")

    @cached_property
    def _tells_results(self) -> bool:
        result = {"role": "tool", "tool_call_id": "a", "name": "a", "content": SAID}
        said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "a"}, result]
        return SAID in self._render(said, None, at("2024-07-26"), True)


def at(now: str) -> dict[str, Json]:
    """What templates are told of the time, an ISO date that may have a time of day: they would take
    the machine's."""
    moment = datetime.fromisoformat(now)
    return {"date_string": moment.strftime("%d %b %Y"), "strftime_now": moment.strftime}


def _typed(messages: Sequence[Json]) -> list[Json]:
    """Arguments as objects, which templates write, not as the text that the protocol has."""
    return [
        {
            **message,
            "content": message["content"] or "",
            "tool_calls": [{**call, "function": _read(call["function"])} for call in calls],
        }
        if (calls := message.get("tool_calls"))
        else message
        for message in messages
    ]


def _read(function: Mapping[str, Json]) -> Json:
    given = function["arguments"]
    return {**function, "arguments": json.loads(given) if isinstance(given, str) else given}
