"""The text between the fences as entries with their places: read whole where YAML allows, else key by key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memvault.storage.frontmatter.recover import recover_outline
from memvault.storage.frontmatter.yaml_events import (
    EventBudget,
    FrontmatterEntry,
    FrontmatterError,
    FrontmatterOutline,
    YamlNode,
    line_start,
    make_entry,
    parse_tree,
)

_TIED = "its frontmatter carries an anchor or a tag as a whole"
_BRACES = "its frontmatter is one mapping in braces"
_ALIAS = "an alias stands here for nothing that could be read"
_PLACEHOLDER = "braces within braces are no value; put them in quotes"
_ASKED = "its frontmatter is written with question marks"
_TWICE = "it is given more than once"


def read_outline(text: str) -> FrontmatterOutline:
    """Return the entries of a frontmatter, whatever its state."""
    allowance = EventBudget()
    try:
        root = parse_tree(text, allowance)
    except FrontmatterError as trouble:
        found = recover_outline(text, trouble, allowance)
        entries = _lock_duplicates(found.entries)
        return FrontmatterOutline(entries, "", found.trouble, found.locked, is_mapping=bool(entries))
    if root is None:
        return FrontmatterOutline()
    if root.style not in (":", "{"):
        return FrontmatterOutline(is_mapping=False)
    entries = _lock_duplicates([make_entry(text, name, value) for name, value in root.pairs])
    indent = text[line_start(text, root.start) : root.start]
    return FrontmatterOutline(entries, indent, next(_find_problems(root), None), _lock_reason(root, indent))


def _lock_reason(root: YamlNode, indent: str) -> str:
    if root.tied:
        return _TIED
    return _BRACES if root.style == "{" else _ASKED if indent.strip(" ") else ""


def _lock_duplicates(entries: Sequence[FrontmatterEntry]) -> tuple[FrontmatterEntry, ...]:
    """Return the entries with those locked whose key occurs again."""
    counts = Counter(entry.key for entry in entries)
    if len(counts) == len(entries):
        return tuple(entries)
    return tuple(FrontmatterEntry(e.name, e.value, _TWICE) if counts[e.key] > 1 else e for e in entries)


def _find_problems(root: YamlNode) -> Iterator[FrontmatterError]:
    """Yield what parses as events but has no meaning as values, in file order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.style == "?":
            yield FrontmatterError(_ALIAS if node.tied else _PLACEHOLDER, node.start)
        if isinstance(node.value, dict) and len(node.value) * 2 < len(node.parts):
            yield from _find_duplicate_keys(node)
        waiting.extend(part for part in reversed(node.parts) if part.parts or part.style == "?")


def _find_duplicate_keys(mapping: YamlNode) -> Iterator[FrontmatterError]:
    seen: set[object] = set()
    for name, _ in mapping.pairs:
        if name.value in seen:
            yield FrontmatterError(f"`{str(name.value)[:40]}` is given twice; the last one counts", name.start)
        seen.add(name.value)
