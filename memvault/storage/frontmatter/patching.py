"""Setting and removing keys of a note that exists, proven before it is handed back."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.storage.frontmatter.changes import Change, grouped, remaining, settings_of
from memvault.storage.frontmatter.edit import edits_for
from memvault.storage.frontmatter.lines import Manner, lines_of
from memvault.storage.frontmatter.nodes import Entry, Outline, line_start
from memvault.storage.frontmatter.outline import outline
from memvault.storage.frontmatter.read import parse
from memvault.storage.frontmatter.rewrite import prove
from memvault.storage.frontmatter.sheet import Edit, Sheet, spliced
from memvault.storage.frontmatter.values import Block, Refusal, Removed, Setting


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
