"""The daemon's protocol: frames of a kind and some fields, every length bounded."""

from time import monotonic

# Both sides load this, and one of them is gone after ten milliseconds: nothing else is imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROTOCOL = 1
_MARK = b"mv"
_HEAD = len(_MARK) + 2 + 4  # the mark, the protocol, the kind, the length of what follows
LONGEST = 12_000_000
"""Bytes of a frame; whoever has more to say does without."""
_MOST_FIELDS = 32

# What is asked
RUN, HOOK, TOOL, STATUS, STOP, UNLOCK, LOCK, RENEW = b"r", b"h", b"t", b"s", b"q", b"u", b"l", b"n"
WORK = (RUN, HOOK, TOOL, UNLOCK, LOCK)
"""What is done only for a caller of the same code, at home where we are."""
# What is answered: that it will be looked at; that too many wait; that the other's version differs; that the caller
# had better do it; and the answer.
ACCEPTED, BUSY, OTHER, DECLINED, DONE = b"a", b"b", b"o", b"d", b"r"
TAKEN = b"t"
"""All that a caller says of an answer, outside of any frame: that it is here."""


class ProtocolError(Exception):
    """What came is no frame of this protocol."""


def make_frame(kind: bytes, fields: "Sequence[bytes]" = ()) -> bytes:
    """Return a frame as bytes."""
    body = b"".join([part for field in fields for part in (_encode_length(len(field)), field)])
    return b"".join((_MARK, bytes((PROTOCOL,)), kind, _encode_length(len(body)), body))


def receive_frame(
    take: "Callable[[int], bytes]", until: float, wait: "Callable[[float], None]"
) -> tuple[bytes, list[bytes]]:
    """Receive the next frame piece by piece, until a moment at most."""
    head = _receive_exactly(_HEAD, take, until, wait)
    size = int.from_bytes(head[4:], "big")
    if head[:2] != _MARK or head[2] != PROTOCOL or size > LONGEST:
        raise ProtocolError
    return head[3:4], _parse_fields(_receive_exactly(size, take, until, wait))


def _receive_exactly(size: int, take: "Callable[[int], bytes]", until: float, wait: "Callable[[float], None]") -> bytes:
    parts = []
    while size:
        rest = until - monotonic()
        if rest <= 0:
            raise TimeoutError
        wait(rest)
        part = take(min(size, 1 << 20))
        if not part:
            raise ProtocolError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _parse_fields(body: bytes) -> list[bytes]:
    fields: list[bytes] = []
    at = 0
    while at < len(body):
        size = int.from_bytes(body[at : at + 4], "big")
        if at + 4 + size > len(body) or len(fields) == _MOST_FIELDS:
            raise ProtocolError
        fields.append(body[at + 4 : at + 4 + size])
        at += 4 + size
    return fields


def _encode_length(value: int) -> bytes:
    return value.to_bytes(4, "big")


def join_texts(texts: "Sequence[bytes]") -> bytes:
    """Join several texts into one field, each ended by a NUL, which none of them can hold."""
    return b"".join([text + b"\0" for text in texts])


def split_texts(field: bytes) -> list[bytes]:
    """Split a field into its texts."""
    return field.split(b"\0")[:-1]
