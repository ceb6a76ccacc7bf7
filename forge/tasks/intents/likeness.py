"""Names that can be taken for one another: by a slip of the pen, in short, or by a hasty reader."""

from difflib import SequenceMatcher

SLIP = 0.8
"""From this share of like letters on, a name passes for another one misspelt."""


def mistakable(one: str, other: str) -> bool:
    """Whether who says the one may well mean the other: but for case, misspelt, or in short."""
    one, other = one.casefold().strip(), other.casefold().strip()
    return one in other or other in one or _misspelt(one, other)


def akin(one: str, other: str) -> bool:
    """Whether a hasty reader may take the one for the other: two Toms, Auro and Aurora, "Book the
    room" and "Book the caterer". Not if they are the same but for case."""
    one, other = one.casefold().strip(), other.casefold().strip()
    if one == other or not one or not other:
        return False
    if one in other or other in one:
        return True
    words, others = one.split(), other.split()
    if len(words) == len(others) > 1:
        return sum(a != b for a, b in zip(words, others, strict=True)) == 1
    return _misspelt(one, other)


def _misspelt(one: str, other: str) -> bool:
    least = SLIP * (len(one) + len(other)) / 2
    if min(len(one), len(other)) < least:
        return False
    if sum(min(one.count(letter), other.count(letter)) for letter in set(one)) < least:
        return False  # so many letters are not even there
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= SLIP
