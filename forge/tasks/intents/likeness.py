"""Names that can be taken for one another: by a slip of the pen, or in short."""

from difflib import SequenceMatcher

SLIP = 0.8
"""From this share of like letters on, a name passes for another one misspelt."""


def mistakable(one: str, other: str) -> bool:
    """Whether who says the one may well mean the other: but for case, misspelt, or in short."""
    one, other = one.casefold().strip(), other.casefold().strip()
    return (
        one in other
        or other in one
        or SequenceMatcher(None, one, other, autojunk=False).ratio() >= SLIP
    )
