"""Bytes to text: UTF-8 first, then what a mark or the bytes themselves tell.

Always holds: what is valid UTF-8 is read as UTF-8; nothing is replaced or dropped; what no rule is
sure of is refused with the place of the first byte that is not UTF-8.
"""

import codecs
import re

from forge.errors import UserError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONE = re.compile(rb"(?:[\x00-\x7f]+[\xa0-\xff])+[\x00-\x7f]*")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
_HAN = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


class Undecodable(Exception):
    """`start`: the first byte that is not UTF-8."""

    def __init__(self, start: int) -> None:
        self.start = start
        super().__init__(f"byte {start}")


def known(encoding: str | None) -> str:
    """An encoding that was asked for by name; empty for none. Raises UserError where there is
    none of that name."""
    try:
        b"".decode(encoding or "utf-8")
    except LookupError:
        mend = "--encoding gb18030, shift_jis, euc_jp, latin-1, …"
        raise UserError(f'there is no encoding "{encoding}"', mend=mend) from None
    return encoding or ""


def decoded(data: bytes, encoding: str = "") -> str:
    """The text of `data`, in this encoding where one is said. Raises Undecodable."""
    if encoding:
        return _strictly(data, encoding)
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strictly(data, name)
    if b"\0" in data[:4] and len(data) % 2 == 0:
        return _strictly(data, "utf-16-be" if data[:1] == b"\0" else "utf-16-le")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = error.start
    if _LONE.fullmatch(data):  # single letters between ASCII: a language of Western Europe
        return data.decode("latin-1")
    if text := _japanese(data):
        return text
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        raise Undecodable(start) from None
    strange = sum(not char.isascii() for char in text)
    if strange and len(_HAN.findall(text)) >= 0.9 * strange:
        return text
    raise Undecodable(start)


def _japanese(data: bytes) -> str:
    """The text, where it is Japanese: no other is full of kana in one of these encodings and
    hardly has any that are half as wide, as a wrong reading has."""
    best, most = "", 0.1
    for name in ("euc_jp", "cp932"):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        strange = sum(not char.isascii() for char in text)
        share = (len(_KANA.findall(text)) - len(_HALF_WIDTH.findall(text))) / max(strange, 1)
        if share > most:
            best, most = text, share
    return best


def _strictly(data: bytes, name: str) -> str:
    try:
        return data.decode(name).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Undecodable(error.start) from None
