"""The text between the fences as entries with their places: read whole where YAML allows, else key by key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memvault.storage.frontmatter.recover import rescue
from memvault.storage.frontmatter.yaml_events import (
    Allowance,
    Entry,
    Node,
    Outline,
    Trouble,
    entry_of,
    line_start,
    tree,
)

_TIED = "its frontmatter carries an anchor or a tag as a whole"
_BRACES = "its frontmatter is one mapping in braces"
_ALIAS = "an alias stands here for nothing that could be read"
_PLACEHOLDER = "braces within braces are no value; put them in quotes"
_ASKED = "its frontmatter is written with question marks"
_TWICE = "it is given more than once"


def outline(text: str) -> Outline:
    """The entries of a frontmatter, whatever its state."""
    allowance = Allowance()
    try:
        root = tree(text, allowance)
    except Trouble as trouble:
        found = rescue(text, trouble, allowance)
        entries = _without_twins(found.entries)
        return Outline(entries, "", found.trouble, found.locked, is_mapping=bool(entries))
    if root is None:
        return Outline()
    if root.style not in (":", "{"):
        return Outline(is_mapping=False)
    entries = _without_twins([entry_of(text, name, value) for name, value in root.pairs])
    indent = text[line_start(text, root.start) : root.start]
    return Outline(entries, indent, next(_findings(root), None), _lock(root, indent))


def _lock(root: Node, indent: str) -> str:
    if root.tied:
        return _TIED
    return _BRACES if root.style == "{" else _ASKED if indent.strip(" ") else ""


def _without_twins(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The same entries, those whose key occurs again locked."""
    counts = Counter(entry.key for entry in entries)
    if len(counts) == len(entries):
        return tuple(entries)
    return tuple(Entry(e.name, e.value, _TWICE) if counts[e.key] > 1 else e for e in entries)


def _findings(root: Node) -> Iterator[Trouble]:
    """What passes as events but has no meaning as values, in file order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.style == "?":
            yield Trouble(_ALIAS if node.tied else _PLACEHOLDER, node.start)
        if isinstance(node.value, dict) and len(node.value) * 2 < len(node.parts):
            yield from _twins(node)
        waiting.extend(part for part in reversed(node.parts) if part.parts or part.style == "?")


def _twins(mapping: Node) -> Iterator[Trouble]:
    seen: set[object] = set()
    for name, _ in mapping.pairs:
        if name.value in seen:
            yield Trouble(f"`{str(name.value)[:40]}` is given twice; the last one counts", name.start)
        seen.add(name.value)
