"""How long a text is where no tokenizer is at hand: a token is taken for four bytes of UTF-8, which
is near what byte-pair tokenizers come to in English, JSON and Chinese."""

BYTES = 4
"""Of a token."""


def tokens_in(text: str) -> int:
    return -(-len(text.encode()) // BYTES)


def head_of(text: str, tokens: int) -> str:
    """As much of the beginning as so many tokens hold; no character is cut in two."""
    return text.encode()[: tokens * BYTES].decode(errors="ignore")
