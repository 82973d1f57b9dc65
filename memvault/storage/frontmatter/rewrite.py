"""Sets and removes keys of a note, and proves that nothing else changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from memvault.storage.frontmatter.edit import (
    Change,
    FrontmatterText,
    TextEdit,
    apply_change,
    apply_edits,
    edits_for,
    group_changes,
    new_settings,
    pending_changes,
    replace_surrogates,
    value_of,
)
from memvault.storage.frontmatter.outline import read_outline
from memvault.storage.frontmatter.read import parse
from memvault.storage.frontmatter.scalars import (
    FrontmatterStyle,
    ParsedNote,
    Refusal,
    RemovedKey,
    Setting,
    Value,
    format_keys,
)
from memvault.storage.frontmatter.yaml_events import FrontmatterOutline, line_end, line_start


def _verify_bytes(before: ParsedNote, after: ParsedNote, wanted: Mapping[str, Change]) -> None:
    old, new = (note.raw[note.start : note.end].decode() for note in (before, after))
    old_outline, new_outline = read_outline(old), read_outline(new)
    if [(entry.key, entry.value.value) for entry in new_outline.entries] != [*_expected_entries(old_outline, wanted)]:
        raise Refusal("the keys would not stand as they should")
    gone = before.fields.keys() - after.fields.keys()
    come = after.fields.keys() - before.fields.keys()
    rest = _untouched_text(old, old_outline, wanted, gone)
    fences, new_fences = ((note.raw[: note.start], note.raw[note.end : note.body_start]) for note in (before, after))
    if rest != _untouched_text(new, new_outline, wanted, come) or fences != new_fences:
        raise Refusal("more than the lines of the changed keys would be different")


def _expected_fields(fields: Mapping[str, Value], wanted: Mapping[str, Change]) -> dict[str, Value]:
    expected = dict(fields)
    for key, change in wanted.items():
        if isinstance(change, RemovedKey):
            del expected[key]
            continue
        value = apply_change(fields.get(key), change)
        if value is None:
            expected.pop(key, None)
        else:
            expected[key] = value
    return expected


def _expected_entries(read: FrontmatterOutline, wanted: Mapping[str, Change]) -> Iterator[tuple[str, Value]]:
    """Yield every entry as it should be, duplicate keys included."""
    expected = _expected_fields(read.fields, wanted)
    for entry in read.entries:
        if entry.key not in wanted:
            yield entry.key, entry.value.value
        elif entry.key in expected:
            yield entry.key, expected[entry.key]
    yield from ((key, expected[key]) for key in new_settings(wanted) if key not in read.fields)


def _untouched_text(text: str, read: FrontmatterOutline, wanted: Collection[str], passing: Collection[str]) -> str:
    """Return the text without the changed keys, except for their comments."""
    bounds = [*(line_start(text, entry.name.start) for entry in read.entries), len(text)]
    pieces = [text[: bounds[0]]]
    in_changed = False
    for entry, (start, end) in zip(read.entries, pairwise(bounds), strict=True):
        after = line_end(text, max(entry.name.end, entry.value.end))
        if entry.key in passing:
            pieces.append(_comment_lines(text[after:end]) if in_changed else text[after:end])
        elif entry.key in wanted:
            may_hold_comments = entry.value.style in ("-", ":")
            pieces.append("\0" + _comment_lines(text[start if may_hold_comments else after : end]))
            in_changed = True
        else:
            pieces.append(text[start:end])
            in_changed = False
    return "".join(pieces)


def _comment_lines(text: str) -> str:
    return "".join(line for line in text.split("\n") if line.lstrip(" ").startswith("#"))


# Setting and removing keys of an existing note.


def patch_note(raw: bytes, changes: Mapping[str, Setting | RemovedKey]) -> bytes:
    """Return the note with its changes made, proven to change nothing else."""
    block = parse(raw)
    wanted = pending_changes(block.fields, group_changes(changes, block.fields))
    if not wanted:
        return raw
    new = _edit_frontmatter(block, wanted) if block.has_fence else _add_frontmatter(block, wanted)
    # It must be the old note but for the requested change.
    after = parse(new)
    if after.problem and not block.problem:
        raise Refusal(f"it could not be read any more: {after.problem.reason}", after.problem.line)
    if not after.has_fence or after.body != block.body or after.bom != block.bom:
        raise Refusal("the body would not stay as it is")
    if list(after.fields.items()) != list(_expected_fields(block.fields, wanted).items()):
        raise Refusal("the keys would not read as they should")
    if block.has_fence:
        _verify_bytes(block, after, wanted)
    return new


def _add_frontmatter(block: ParsedNote, wanted: Mapping[str, Change]) -> bytes:
    if not block.editable:
        raise Refusal(block.problem.reason if block.problem else "", 1)
    try:
        block.body.decode()
    except UnicodeDecodeError:
        raise Refusal("the file is not UTF-8 text") from None
    fence = f"---{block.eol}{format_keys(new_settings(wanted), FrontmatterStyle(block.eol))}---{block.eol}"
    return block.raw[: block.body_start] + fence.encode() + block.body


def _edit_frontmatter(block: ParsedNote, wanted: Mapping[str, Change]) -> bytes:
    text = block.raw[block.start : block.end].decode(errors="replace")
    read = read_outline(text)
    if not block.editable:
        reason = read.locked or (block.problem.reason if block.problem else "")
        raise Refusal(reason, block.problem.line if block.problem else None)
    sheet = FrontmatterText(text, FrontmatterStyle(block.eol, _list_dash(text, read)))
    edits = []
    new: dict[str, Change] = {}
    entries = {entry.key: entry for entry in read.entries}
    for key, change in wanted.items():
        if key in entries:
            entry, line = entries[key], 2 + text.count("\n", 0, entries[key].name.start)
            if entry.locked:
                raise Refusal(f"`{key}` cannot be changed: {entry.locked}", line)
            try:
                edits += edits_for(sheet, entry.name, entry.value, change)
            except Refusal as refusal:
                raise Refusal(refusal.reason, line) from None
        else:
            new[key] = change
    edits.append(TextEdit(len(text), len(text), format_keys(new_settings(new), sheet.style, indent=read.indent)))
    edited = apply_edits(text, edits)
    return block.raw[: block.start] + edited.encode() + block.raw[block.end :]


def _list_dash(text: str, read: FrontmatterOutline) -> str:
    """Return what stands before the items of this note's first list, beyond its key's indentation."""
    node = next((e.value for e in read.entries if e.value.style in ("[", "-") and e.value.parts), None)
    if node is None or node.style == "[":
        return ""
    before = text[line_start(text, node.start) : node.parts[0].start].removeprefix(read.indent)
    return before if before.strip(" ") == "-" and before.endswith(" ") else ""


# A whole new note.


def compose_note(fields: Mapping[str, Setting], body: str) -> bytes:
    """Return the bytes of a new note, read back once to be sure that its fields read as given."""
    settings = new_settings(group_changes(fields))
    text = replace_surrogates(body)
    if text:
        text = text.removesuffix("\n") + "\n"
    note = f"---\n{format_keys(settings, FrontmatterStyle())}---\n{text}".encode()
    if parse(note).fields != {key: value_of(setting) for key, setting in settings.items()}:
        raise Refusal("these fields would not read back as they were given; they may be too long")
    return note
