"""The proof that a patched note differs from the old one in what was asked for, and in nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from memvault.storage.frontmatter.changes import Change, changed, grouped, remaining, settings_of
from memvault.storage.frontmatter.edit import Edit, Sheet, edits_for, spliced
from memvault.storage.frontmatter.outline import outline
from memvault.storage.frontmatter.read import parse
from memvault.storage.frontmatter.scalars import Block, Manner, Refusal, Removed, Setting, Value, lines_of
from memvault.storage.frontmatter.yaml_events import Entry, Outline, line_end, line_start


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


# Setting and removing keys of a note that exists, proven before it is handed back.


def patched(raw: bytes, changes: Mapping[str, Setting | Removed]) -> bytes:
    """The note with its changes made, and the proof done that nothing else changed."""
    block = parse(raw)
    wanted = remaining(block.fields, grouped(changes, block.fields))
    if not wanted:
        return raw
    new = _with_changes(block, wanted) if block.has_fence else _with_fence(block, wanted)
    prove(block, new, wanted)
    return new


def _with_fence(block: Block, wanted: Mapping[str, Change]) -> bytes:
    if not block.editable:
        raise Refusal(block.problem.reason if block.problem else "", 1)
    try:
        block.body.decode()
    except UnicodeDecodeError:
        raise Refusal("the file is not UTF-8 text") from None
    fence = f"---{block.eol}{lines_of(settings_of(wanted), Manner(block.eol))}---{block.eol}"
    return block.raw[: block.body_start] + fence.encode() + block.body


def _with_changes(block: Block, wanted: Mapping[str, Change]) -> bytes:
    text = block.raw[block.start : block.end].decode(errors="replace")
    read = outline(text)
    if not block.editable:
        reason = read.locked or (block.problem.reason if block.problem else "")
        raise Refusal(reason, block.problem.line if block.problem else None)
    sheet = Sheet(text, Manner(block.eol, _dash(text, read)))
    edits = []
    new: dict[str, Change] = {}
    entries = {entry.key: entry for entry in read.entries}
    for key, change in wanted.items():
        if key in entries:
            edits += _edits(sheet, entries[key], change)
        else:
            new[key] = change
    edits.append(Edit(len(text), len(text), lines_of(settings_of(new), sheet.manner, indent=read.indent)))
    edited = spliced(text, edits)
    return block.raw[: block.start] + edited.encode() + block.raw[block.end :]


def _edits(sheet: Sheet, entry: Entry, change: Change) -> list[Edit]:
    line = 2 + sheet.text.count("\n", 0, entry.name.start)
    if entry.locked:
        raise Refusal(f"`{entry.key}` cannot be changed: {entry.locked}", line)
    try:
        return edits_for(sheet, entry.name, entry.value, change)
    except Refusal as refusal:
        raise Refusal(refusal.reason, line) from None


def _dash(text: str, read: Outline) -> str:
    """What stands before the items of this note's first list, beyond its key's indentation."""
    node = next((e.value for e in read.entries if e.value.style in ("[", "-") and e.value.parts), None)
    if node is None or node.style == "[":
        return ""
    before = text[line_start(text, node.start) : node.parts[0].start].removeprefix(read.indent)
    return before if before.strip(" ") == "-" and before.endswith(" ") else ""
