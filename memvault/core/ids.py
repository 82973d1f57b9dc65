"""What an id looks like, how one is derived from a name, and which references are one."""

from __future__ import annotations

import re

SHORT_LENGTH = 8
SHORTEST_PREFIX = 4

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_NIL = "00000000-0000-0000-0000-000000000000"

INVENTED_SESSION = "mcp-"
"""How the id of a session begins that stands for a connection, where nobody said to which session that belongs."""


def is_id(text: str) -> bool:
    """Return whether the text is a whole id: a uuid with its hyphens."""
    return _ID.fullmatch(text) is not None


def is_prefix(text: str) -> bool:
    """Return whether the text can be the beginning of an id: four characters at least."""
    return len(text) >= SHORTEST_PREFIX and is_id(text + _NIL[len(text) :])


def id_matches(id_: str, ref: str) -> bool:
    """Return whether a reference is this id or a prefix of it, in any case."""
    return is_prefix(ref) and id_.casefold().startswith(ref.casefold())


def short_id(id_: str) -> str:
    """Return the beginning of an id, as it is shown."""
    return id_[:SHORT_LENGTH]


def derive_id(namespace: str, name: str) -> str:
    """Return the id that every device derives from the same name: a version 5 uuid."""
    # Imported here as it costs 3 ms (the uuid module 8), and few runs derive an id.
    from hashlib import sha1

    data = bytes.fromhex(namespace.replace("-", "")) + name.encode("utf-8", "surrogatepass")
    digest = bytearray(sha1(data, usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
