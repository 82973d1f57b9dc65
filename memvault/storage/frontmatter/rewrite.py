"""The proof that a patched note differs from the old one in what was asked for, and in nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from memvault.storage.frontmatter.changes import Change, changed, settings_of
from memvault.storage.frontmatter.nodes import Outline, line_end, line_start
from memvault.storage.frontmatter.outline import outline
from memvault.storage.frontmatter.read import parse
from memvault.storage.frontmatter.values import Block, Refusal, Removed, Value


def prove(before: Block, patched: bytes, wanted: Mapping[str, Change]) -> None:
    """Reads the patched note from its bytes, and refuses unless it is the old one but for the change."""
    after = parse(patched)
    if after.problem and not before.problem:
        raise Refusal(f"it could not be read any more: {after.problem.reason}", after.problem.line)
    if not after.has_fence or after.body != before.body or after.bom != before.bom:
        raise Refusal("the body would not stay as it is")
    if list(after.fields.items()) != list(_expected(before.fields, wanted).items()):
        raise Refusal("the keys would not read as they should")
    if before.has_fence:
        _prove_bytes(before, after, wanted)


def _prove_bytes(before: Block, after: Block, wanted: Mapping[str, Change]) -> None:
    old, new = _text(before), _text(after)
    old_outline, new_outline = outline(old), outline(new)
    if [*_entries(new_outline)] != [*_expected_entries(old_outline, wanted)]:
        raise Refusal("the keys would not stand as they should")
    gone = before.fields.keys() - after.fields.keys()
    come = after.fields.keys() - before.fields.keys()
    rest = _untouched(old, old_outline, wanted, gone)
    if rest != _untouched(new, new_outline, wanted, come) or _fences(before) != _fences(after):
        raise Refusal("more than the lines of the changed keys would be different")


def _text(block: Block) -> str:
    return block.raw[block.start : block.end].decode()


def _fences(block: Block) -> tuple[bytes, bytes]:
    return block.raw[: block.start], block.raw[block.end : block.body_start]


def _expected(fields: Mapping[str, Value], wanted: Mapping[str, Change]) -> dict[str, Value]:
    expected = dict(fields)
    for key, change in wanted.items():
        if isinstance(change, Removed):
            del expected[key]
            continue
        value = changed(fields.get(key), change)
        if value is None:
            expected.pop(key, None)
        else:
            expected[key] = value
    return expected


def _entries(read: Outline) -> Iterator[tuple[str, Value]]:
    return ((entry.key, entry.value.value) for entry in read.entries)


def _expected_entries(read: Outline, wanted: Mapping[str, Change]) -> Iterator[tuple[str, Value]]:
    """Every entry as it should be, also those of keys given twice."""
    expected = _expected(read.fields, wanted)
    for key, value in _entries(read):
        if key not in wanted:
            yield key, value
        elif key in expected:
            yield key, expected[key]
    yield from ((key, expected[key]) for key in settings_of(wanted) if key not in read.fields)


def _untouched(text: str, read: Outline, wanted: Collection[str], passing: Collection[str]) -> str:
    """The text without the keys that change, but for their comments; what follows a key that comes or goes counts."""
    bounds = [*(line_start(text, entry.name.start) for entry in read.entries), len(text)]
    pieces = [text[: bounds[0]]]
    in_changed = False
    for entry, (start, end) in zip(read.entries, pairwise(bounds), strict=True):
        after = line_end(text, max(entry.name.end, entry.value.end))
        if entry.key in passing:
            pieces.append(_comments(text[after:end]) if in_changed else text[after:end])
        elif entry.key in wanted:
            may_hold_comments = entry.value.style in ("-", ":")
            pieces.append("\0" + _comments(text[start if may_hold_comments else after : end]))
            in_changed = True
        else:
            pieces.append(text[start:end])
            in_changed = False
    return "".join(pieces)


def _comments(text: str) -> str:
    return "".join(line for line in text.split("\n") if line.lstrip(" ").startswith("#"))
