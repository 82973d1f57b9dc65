"""What an id looks like, how one is derived from a name, and which references mean a memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memvault.core.memory import Memory

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


# Links, tags and headings in a markdown body.

_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_WIKILINK = re.compile(r"\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]|\n]{0,300})?(?:\|[^\[\]\n]{0,300})?\]\]")
_MARKDOWN_LINK = re.compile(r"\]\(<?(?![a-z][a-z0-9+.-]*:|#)([^)\s>]{1,300}\.md)>?(?:#[^)\s]*)?\)", re.IGNORECASE)
_BESIDE = re.compile(r"\]\(<?(?![a-z][a-z0-9+.-]*:|#|/)([^)\s>]{1,300})>?\)", re.IGNORECASE)
_TAG = re.compile(r"(?:^|(?<=[\s(]))#([\w/-]*[^\W\d][\w/-]*)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def strip_code(body: str) -> str:
    """Return the body without code, which may only look like links or tags."""
    return _FENCE.sub(" ", body) if "`" in body or "~~~" in body else body


def find_wikilinks(text: str) -> tuple[str, ...]:
    """Return the notes that a text links to, as written: without heading, block or display text."""
    found = [*_WIKILINK.findall(text), *(unquote_link(link) for link in _MARKDOWN_LINK.findall(text))]
    return tuple(dict.fromkeys(target.strip() for target in found if target.strip()))


def unquote_link(link: str) -> str:
    """Return a markdown link's target with its escaped spaces resolved."""
    return link.replace("%20", " ")


def target_name(link: str) -> str:
    """Return the note name that a link's target means: without folders and ending."""
    name = link.strip().rpartition("/")[2]
    return name[:-3] if name.casefold().endswith(".md") else name


def linked_names(memory: Memory, *fields: str) -> list[str]:
    """Return the names or ids of notes that a memory has in some fields, without the brackets of links."""
    values = (memory.more.get(field) for field in fields)
    texts = (text for value in values if value for text in (value if isinstance(value, tuple) else (str(value),)))
    return [target_name(target) for text in texts for target in (find_wikilinks(text) or (text,))]


def is_named(memory: Memory, names: Iterable[str]) -> bool:
    """Return whether one of some names or ids means this memory."""
    known = (memory.name.casefold(), memory.title.casefold())
    return any(name.casefold() in known or id_matches(memory.id, name) for name in names)


def links_by_path(text: str, name: str = "") -> bool:
    """Return whether a text links by path: to the note of that name or, without a name, to any file beside itself."""
    for link in _MARKDOWN_LINK.findall(text) if name else _BESIDE.findall(text):
        if not name or target_name(unquote_link(link)).casefold() == name.casefold():
            return True
    wanted = (link for link in _WIKILINK.findall(text) if "/" in link)
    return bool(name) and any(target_name(link).casefold() == name.casefold() for link in wanted)


def find_inline_tags(body: str) -> tuple[str, ...]:
    """Return the #tags written in the text."""
    return tuple(dict.fromkeys(_TAG.findall(body))) if "#" in body else ()


def find_headings(body: str) -> tuple[str, ...]:
    """Return all headings, in order."""
    return tuple(_HEADING.findall(body)) if "#" in body else ()
