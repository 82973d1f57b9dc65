"""Check the ids of memories: of a known form, and no two the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from memvault.core.ids import is_id
from memvault.core.plan import MoveFile
from memvault.maintenance.doctor.copies import numbered_copy
from memvault.maintenance.doctor.links import linked_names
from memvault.maintenance.doctor.scan import ScannedNote, VaultScan
from memvault.storage.finding import DoctorFinding, shell_command
from memvault.text.file_names import name_key


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
