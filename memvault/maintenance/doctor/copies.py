"""The check of sync-conflict copies: what a syncing program put beside a file, not knowing which to keep."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping

from memvault.core.ids import is_id
from memvault.core.plan import MoveFile, RewriteNote
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.links import linked_names
from memvault.maintenance.doctor.scan import ScannedEntry, ScannedNote, VaultScan, digest_of
from memvault.storage.finding import Chore, DoctorFinding, shell_command
from memvault.storage.journal.merge_bases import merge_bases
from memvault.storage.merging.merge_lines import merge_records
from memvault.storage.merging.merge_note import MergedNote, NoteContext, merge_note, note_identity
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE, TRASH, is_conflict_copy, remove_conflict_mark
from memvault.system import files
from memvault.text.file_names import name_key

_RECORDS = (f"{STATE}/journal/", f"{STATE}/ledger/")
_TWO = "Two memories contradict each other: `memvault review` shows them and asks which holds."
_JOIN = "take its lines into the file that it is a copy of"
_NUMBERED = re.compile(r" [2-9](\.(?:md|markdown))$", re.IGNORECASE)


def check_conflict_copies(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find copies that a syncing program, or a late save in an editor, left beside a file."""
    sizes = {entry.path: entry.size for entry in scan.entries if entry.is_file}
    for entry in scan.entries:
        if entry.is_file and is_conflict_copy(entry.name) and not entry.path.startswith((f"{STATE}/", f"{TRASH}/")):
            yield (
                _not_a_copy(entry)
                if scan.vault.place_of(entry.path)
                else _judge_copy(entry, _original_path(entry, sizes, scan), sizes, scan)
            )
        elif entry.is_file and entry.path.startswith(_RECORDS) and (record := original_of(entry.path)):
            yield DoctorFinding(
                severity="error",
                path=entry.path,
                sentence=f"It is a conflict copy of {record}, and its lines are not counted.",
                advice="Add those of its lines that are not there to the end of that file, then delete it.",
                chore=Chore(_JOIN, _join_record, (entry.path, record)),
            )


def _not_a_copy(entry: ScannedEntry) -> DoctorFinding:
    return DoctorFinding(
        severity="note",
        path=entry.path,
        sentence="It is called like a copy from a sync conflict, and is no copy of anything here: it counts as a note.",
        advice="Give it another name, so that nobody takes it for one.",
    )


def numbered_copy(one: ScannedNote, other: ScannedNote, scan: VaultScan) -> DoctorFinding | None:
    """Find a copy with the other note's name and a number, as iCloud makes it, that only adds to the note.

    Anybody may have made such a copy by hand, to make another memory of it: so it is only taken in where nothing of
    the two contradicts, and else told of as any two that claim one id.
    """
    for copy, original in ((one, other), (other, one)):
        if _NUMBERED.sub(r"\1", copy.path) == original.path != copy.path:
            found = _merge_copy(copy.entry, original.path, scan)
            return found if found and found.severity == "warning" else None
    return None


def _original_path(entry: ScannedEntry, sizes: Container[str], scan: VaultScan) -> str:
    """Return the path of the original: by the copy's name, or by its id where the original was moved."""
    original = original_of(entry.path)
    if original in sizes or not entry.path.startswith(scan.tiers):
        return original
    try:
        raw = files.read_file(scan.vault.absolute_path(entry.path))
    except MemvaultError:
        return original
    id_ = note_identity(raw, _merge_context(original, scan))
    moved = [note.path for note in scan.notes if id_ and note.memory.id == id_ and not note.is_foreign]
    return moved[0] if len(moved) == 1 else original


def original_of(path: str) -> str:
    """Return the path of the file that a conflict copy is a copy of; empty where its name does not say."""
    folder, slash, name = path.rpartition("/")
    plain = remove_conflict_mark(name)
    return "" if plain == name else f"{folder}{slash}{plain}"


def _judge_copy(entry: ScannedEntry, original: str, sizes: Mapping[str, int], scan: VaultScan) -> DoctorFinding:
    if original not in sizes:
        return DoctorFinding(
            severity="warning",
            path=entry.path,
            sentence="It is a copy from a sync conflict, and the file it was a copy of is not there.",
            advice="Rename it without the mark to keep it as a note, or delete it.",
        )
    digest = digest_of(scan, entry.path)
    if sizes[original] == entry.size and digest and digest == digest_of(scan, original):
        why = f"move it to the trash: {original} is the same to the last byte"
        move = MoveFile(entry.path, scan.trash.free_name(entry.path), why, version=digest)
        return DoctorFinding(
            severity="warning",
            path=entry.path,
            sentence=f"It is a conflict copy of {original}, and the same to the last byte.",
            advice="Delete it.",
            mends=(move,) if entry.path.startswith(scan.tiers) else (),
        )
    return _merge_copy(entry, original, scan) or DoctorFinding(
        severity="error",
        path=entry.path,
        sentence=f"It is a conflict copy of {original}, and the two differ.",
        advice=f"Take over what is missing ({shell_command('edit', original)}), then delete the copy; or put it in the "
        "original's place.",
    )


def _merge_copy(entry: ScannedEntry, original: str, scan: VaultScan) -> DoctorFinding | None:
    """Merge two versions of one memory as after any sync; None where they are not, or not memvault's to touch.

    Where nobody knows what both began with, texts that differ are not mixed: the copy becomes a memory of its own.
    """
    if not entry.path.startswith(scan.tiers) or scan.vault.place_of(original) is None:
        return None
    try:
        ours, theirs = (files.read_file(scan.vault.absolute_path(path)) for path in (original, entry.path))
    except MemvaultError:
        return None
    ground = _merge_context(original, scan)
    id_ = note_identity(ours, ground)
    if not id_ or id_ != note_identity(theirs, ground):
        return None
    found = _merge_versions(ours, theirs, id_, ground, scan)
    why = f"it takes in what its conflict copy {entry.name} says"
    if found.parked is None:
        rewrite = RewriteNote(original, found.raw, files.digest(ours), why)
        gone = "move it to the trash: it was taken in"
        away = MoveFile(entry.path, scan.trash.free_name(entry.path), gone, version=files.digest(theirs))
        return DoctorFinding(
            severity="warning",
            path=entry.path,
            sentence=f"It is a copy of {original} that was changed elsewhere, and nothing in the two contradicts.",
            advice=f"Take over what is missing ({shell_command('edit', original)}), then delete it.",
            mends=(rewrite, away) if found.raw != ours else (away,),
        )
    beside = _free_path(f"{original.removesuffix('.md')}-{found.parked_id[:8]}.md", scan)
    rewrite = RewriteNote(original, found.raw, files.digest(ours), "it names the version that contradicts it")
    two = f"it is {beside} now, as there are two versions: `memvault review` shows them"
    move = MoveFile(entry.path, beside, two, data=found.parked, version=files.digest(theirs))
    return DoctorFinding(
        severity="error",
        path=entry.path,
        sentence=f"It is a conflict copy of {original}, and the two say different things.",
        advice=f"{shell_command('review', 'hold', original)} says which holds, once each is a memory of its own.",
        mends=(rewrite, move),
        then=_TWO,
    )


def _merge_versions(ours: bytes, theirs: bytes, id_: str, ground: NoteContext, scan: VaultScan) -> MergedNote:
    for base, is_sure in merge_bases(scan.context, scan.operations, id_, (ours, theirs)):
        found = merge_note(base, ours, theirs, ground, is_sure=is_sure)
        if found.parked is None:
            return found
    return merge_note(None, ours, theirs, ground)


def _merge_context(path: str, scan: VaultScan) -> NoteContext:
    return NoteContext(path, scan.vault.vault_file.id, scan.context.zone, kinds=scan.context.settings.kinds)


def _free_path(path: str, scan: VaultScan) -> str:
    stem, turn, free = path.removesuffix(".md"), 1, path
    while free in scan.paths:
        turn += 1
        free = f"{stem}-{turn}.md"
    return free


def _join_record(context: VaultContext, copy_path: str, record_path: str) -> None:
    """Add the lines of a copy to its record, so that somebody who appends at the same moment loses nothing."""
    copy, record = context.vault.absolute_path(copy_path), context.vault.absolute_path(record_path)
    with context.vault.lock_vault():
        files.append_line(record, b"", durable=True)
        ours = files.read_file(record)
        whole = merge_records(None, ours, files.read_file(copy))
        files.overwrite_spans(record, _changed_lines(ours, whole))
        if rest := whole[len(ours) :].removeprefix(b"\n"):
            files.append_line(record, rest, durable=True)
        files.remove_file(copy)


def _changed_lines(before: bytes, after: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for old, new in zip(before.splitlines(keepends=True), after.splitlines(keepends=True), strict=False):
        if len(old) == len(new) and old != new:
            yield at, new
        at += len(old)


# The ids of memories: of a known form, and no two the same.


def check_ids(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find ids of a form that memvault does not know."""
    for note in scan.notes:
        stated = note.fields.get("id")
        if not note.is_foreign and stated and not (isinstance(stated, str) and is_id(stated.strip())):
            yield DoctorFinding(
                severity="note",
                path=note.path,
                sentence="Its `id` is no uuid; it is kept, and memvault goes by an id of its own for it.",
                advice="Take the line out if nothing else uses it: a uuid comes in its place with the next change.",
            )


def check_duplicate_ids(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes that claim one id."""
    claims: dict[str, list[ScannedNote]] = defaultdict(list)
    for note in scan.notes:
        if note.memory.id:
            claims[note.memory.id].append(note)
    linked = linked_names(scan)
    for notes in claims.values():
        if len(notes) > 1:
            yield from _judge_duplicates(sorted(notes, key=lambda note: note.path), linked, scan)


def _judge_duplicates(notes: list[ScannedNote], linked: frozenset[str], scan: VaultScan) -> Iterator[DoctorFinding]:
    """Move identical copies to the trash, all but one; leave what differs to the person."""
    copies: dict[tuple[str, object], list[ScannedNote]] = defaultdict(list)
    for note in notes:
        copies[note.memory.version, note.memory.place].append(note)
    staying: list[ScannedNote] = []
    for group in copies.values():
        keeper = min(
            group, key=lambda note: (name_key(note.memory.name) not in linked, len(note.entry.name), note.path)
        )
        for note in group:
            if note is not keeper and _is_removable(note, keeper, linked):
                why = f"move it to the trash: {keeper.path} is the same to the last byte"
                yield DoctorFinding(
                    severity="warning",
                    path=note.path,
                    sentence=f"It is a copy of {keeper.path}, to the last byte, and so claims the same id.",
                    advice="Delete one of the two.",
                    mends=(MoveFile(note.path, scan.trash.free_name(note.path), why, version=note.memory.version),),
                )
            else:
                staying.append(note)
    first, *rivals = sorted(staying, key=lambda note: note.path)
    yield from (numbered_copy(note, first, scan) or _rival_claim(note, first) for note in rivals)


def _is_removable(note: ScannedNote, keeper: ScannedNote, linked: frozenset[str]) -> bool:
    names = name_key(note.memory.name), name_key(keeper.memory.name)
    plain = not (note.is_foreign or note.is_clipped or note.entry.is_link or note.entry.link_count > 1)
    return plain and (names[0] == names[1] or names[0] not in linked)


def _rival_claim(note: ScannedNote, first: ScannedNote) -> DoctorFinding:
    same = note.memory.version == first.memory.version and not note.is_clipped
    how = "with the same text" if same else "with another text"
    return DoctorFinding(
        severity="error",
        path=note.path,
        sentence=f"It claims the id of {first.path}, {how}; {first.path} keeps the id.",
        advice=f"Compare them ({shell_command('show', first.path)}, {shell_command('show', note.path)}). "
        "If both are to stay, take "
        f"the `id:` line out of this one ({shell_command('edit', note.path)}); if not, delete one.",
    )
