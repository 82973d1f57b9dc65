"""Text as people and programs save it, made UTF-8 where its first bytes say what it is."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

NO_TEXT = "it is no text"
NOT_UTF8 = "it is not UTF-8 text: save it as UTF-8, and bring it in again"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LOOKED_AT = 4_096  # bytes in which a file that is no text has a zero


def in_utf8(raw: bytes) -> bytes:
    """A text's bytes in UTF-8; where nobody can tell what they are, a ValueError says so."""
    if raw.startswith(_UTF16):
        try:
            return raw.decode("utf-16").encode()
        except UnicodeError as error:
            raise ValueError(NO_TEXT) from error
    if b"\x00" in raw[:_LOOKED_AT]:
        raise ValueError(NO_TEXT)
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        raise ValueError(NOT_UTF8) from error
    return raw


def chunks_in_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Chunks of a long text, likewise; what is not marked as UTF-16 goes on as it is, for whoever reads it to judge."""
    rest = iter(chunks)
    first = next(rest, b"")
    if not first.startswith(_UTF16):
        yield from chain((first,) if first else (), rest)
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for chunk in chain((first,), rest):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
