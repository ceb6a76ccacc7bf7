"""Prose of a document, made safe to hand on.

What comes out is plain text: no control or direction-changing characters, no HTML tags, no lone
surrogates, never longer than the limit. It is still a stranger's text: whoever shows it escapes it.
"""

import re

LIMIT = 2000
CUT = " […]"

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]"
)
_LONE = re.compile("[\ud800-\udfff]")
_TAGS = (
    "a abbr article b blockquote body br button caption center code dd del details div dl dt em"
    " font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd li link"
    " main meta nav ol p pre s samp script section small span strong style sub summary sup svg"
    " table tbody td textarea th thead title tr tt u ul var video"
)
_TAG = re.compile(r"</?(?:" + "|".join(_TAGS.split()) + r")(?:\s[^<>]{0,2000})?/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|\n\s*\n")


def legible(text: str) -> str:
    """`text` with every lone surrogate replaced, so that it can be encoded."""
    return _LONE.sub("\ufffd", text)


def clean(text: object, limit: int = LIMIT) -> str:
    """Plain text from a value that should be prose; anything but a string is no prose."""
    if not isinstance(text, str):
        return ""
    text = legible(text[: 4 * limit].replace("\r\n", "\n").replace("\r", "\n"))
    text = _TAG.sub("", _COMMENT.sub("", _UNSEEN.sub("", text))).strip()
    return text if len(text) <= limit else text[: limit - len(CUT)].rstrip() + CUT


def line(text: object, limit: int = 200) -> str:
    """The same on one line."""
    return clean(" ".join(clean(text, 4 * limit).split()), limit)


def first_sentence(text: str) -> str:
    """The first sentence of a description, on one line, to stand for a missing summary."""
    return line(_SENTENCE.split(text.strip(), maxsplit=1)[0])
