"""What a refused request means: whose fault it is, and what mends it. Pure.

The statuses and words are those of OpenAI, vLLM, SGLang, llama.cpp, Ollama and the gateways before
them. Always holds: what the user can mend is told apart from what passes; the key is in no message.
"""

from dataclasses import dataclass
from typing import Literal

Meaning = Literal["passes", "context", "filter", "model", "key", "quota", "format", "request"]
"""What a refusal is about.

- `passes`: asked again, it may go through
- `context`: the conversation no longer fits the model
- `filter`: it is not answered for what it says
- `model`: there is no such model, or no such path
- `key`, `quota`: who asks
- `format`: the server cannot do the way of calling tools that was asked for
- `request`: something else in this request
"""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP status that is none of success, the server's code and type of the error (as one
    text), and its message."""

    status: int
    code: str
    message: str


CONTEXT = (
    "context_length",
    "context length",
    "context size",
    "context window",
    "exceed_context",
    "maximum context",
    "max_model_len",
    "maximum model length",
    "prompt is too long",
    "too many tokens",
    "input is too long",
)
FORMAT = (
    "tool choice",
    "tool_choice",
    "tool-call-parser",
    "tools param",
    "support tools",
    "'tools'",
    '"tools"',
    "tool use",
    "function calling",
    "response_format",
    "json_schema",
    "json schema",
    "structured output",
    "grammar",
)
FILTER = ("content_filter", "content filter", "content management policy", "content_policy")
MODEL = ("model_not_found", "invalid model", "unknown model")


def meaning_of(refusal: Refusal) -> Meaning:
    said = f"{refusal.code} {refusal.message}".lower()
    status = refusal.status
    if any(word in said for word in FILTER):
        return "filter"
    if status in (401, 403):
        return "key"
    if status in (404, 405) or any(word in said for word in MODEL):
        return "model"
    if "insufficient_quota" in said or status == 402:
        return "quota"
    if status in (408, 409, 425, 429):
        return "passes"
    if any(word in said for word in CONTEXT):
        return "context"
    if any(word in said for word in FORMAT):
        return "format"
    if status >= 500:
        return "passes"
    if "model" in said and ("does not exist" in said or "not found" in said):
        return "model"
    return "context" if status == 413 else "request"
