"""Find links, tags and headings in the body of a note, and the names by which links mean a memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memvault.core.ids import id_matches
from memvault.core.memory import Memory

_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_WIKILINK = re.compile(r"\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]|\n]{0,300})?(?:\|[^\[\]\n]{0,300})?\]\]")
_MARKDOWN_LINK = re.compile(r"\]\(<?(?![a-z][a-z0-9+.-]*:|#)([^)\s>]{1,300}\.md)>?(?:#[^)\s]*)?\)", re.IGNORECASE)
_BESIDE = re.compile(r"\]\(<?(?![a-z][a-z0-9+.-]*:|#|/)([^)\s>]{1,300})>?\)", re.IGNORECASE)
_TAG = re.compile(r"(?:^|(?<=[\s(]))#([\w/-]*[^\W\d][\w/-]*)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)

NAMED_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
"""A date in a note's name."""


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
