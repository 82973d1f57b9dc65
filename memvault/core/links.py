"""What stands between the lines of a markdown body: wikilinks, tags, headings."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_WIKILINK = re.compile(r"\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]|\n]{0,300})?(?:\|[^\[\]\n]{0,300})?\]\]")
_MARKDOWN_LINK = re.compile(r"\]\(<?(?![a-z][a-z0-9+.-]*:|#)([^)\s>]{1,300}\.md)>?(?:#[^)\s]*)?\)", re.IGNORECASE)
_BESIDE = re.compile(r"\]\(<?(?![a-z][a-z0-9+.-]*:|#|/)([^)\s>]{1,300})>?\)", re.IGNORECASE)
_TAG = re.compile(r"(?:^|(?<=[\s(]))#([\w/-]*[^\W\d][\w/-]*)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def without_code(body: str) -> str:
    """The body with code left out, for what code may only look like."""
    return _FENCE.sub(" ", body) if "`" in body or "~~~" in body else body


def wikilinks(text: str) -> tuple[str, ...]:
    """The notes a text links to, as written: without heading, block or display text."""
    found = [*_WIKILINK.findall(text), *(unquoted(link) for link in _MARKDOWN_LINK.findall(text))]
    return tuple(dict.fromkeys(target.strip() for target in found if target.strip()))


def unquoted(link: str) -> str:
    """A markdown link's target with its escaped spaces resolved."""
    return link.replace("%20", " ")


def target_name(link: str) -> str:
    """The note name a link's target stands for: without folders and ending."""
    name = link.strip().rpartition("/")[2]
    return name[:-3] if name.casefold().endswith(".md") else name


def goes_by_path(text: str, name: str = "") -> bool:
    """Whether a text links by path: to the note of that name, or, with no name, to anything beside itself."""
    for link in _MARKDOWN_LINK.findall(text) if name else _BESIDE.findall(text):
        if not name or target_name(unquoted(link)).casefold() == name.casefold():
            return True
    wanted = (link for link in _WIKILINK.findall(text) if "/" in link)
    return bool(name) and any(target_name(link).casefold() == name.casefold() for link in wanted)


def inline_tags(body: str) -> tuple[str, ...]:
    """The #tags written in the text."""
    return tuple(dict.fromkeys(_TAG.findall(body))) if "#" in body else ()


def headings(body: str) -> tuple[str, ...]:
    """All headings, in order."""
    return tuple(_HEADING.findall(body)) if "#" in body else ()
