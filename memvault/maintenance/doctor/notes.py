"""Checks of single notes: can they be read whole, and do their fields mean what they say?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from memvault.core.kinds import FIELDS
from memvault.core.memory import Place
from memvault.core.plan import SetFields
from memvault.maintenance.doctor.links import find_outside_links
from memvault.maintenance.doctor.scan import KILO, ScannedEntry, ScannedNote, VaultScan
from memvault.storage.finding import DoctorFinding, Severity, shell_command
from memvault.storage.vault.layout import STATE, TRASH
from memvault.text.file_names import name_key, portability_problem
from memvault.text.terms import is_specific

# A clock that is a little fast, or set to another zone, is no reason to alarm anybody.
LEEWAY = timedelta(days=1)
_PAST_FIELDS = ("created", "last_accessed", "last_used_at", "completed_at", "cleared_at")
_MOST_SHOWN, _MOST_NAMED = 40, 3
_STATE_FOLDERS = (f"{TRASH}/", f"{STATE}/")


def check_unreadable(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes and folders that cannot be read at all."""
    outside = {exit_.path for exit_ in find_outside_links(scan)}  # they are told of by themselves
    for path, reason in scan.unread_notes.items():
        if path in outside:
            continue
        yield DoctorFinding(
            severity="error",
            path=path,
            sentence=f"It cannot be read: {reason}.",
            advice="Make it an ordinary file in the vault that you may read (`chmod u+r` where the right is missing).",
        )
    for entry in scan.entries:
        if entry.is_link and entry.path not in outside and scan.is_folder_link(entry):
            yield (
                _linked_state_folder(entry.path)
                if f"{entry.path}/".startswith(_STATE_FOLDERS)
                else DoctorFinding(
                    severity="note",
                    path=entry.path,
                    sentence="It is a link to a folder; what lies behind it is not read.",
                    advice="Put the folder itself into the vault if its notes should be found.",
                )
            )
    for path, reason in scan.unlisted_folders.items():
        yield DoctorFinding(
            severity="error",
            path=path or ".",
            sentence=f"The folder cannot be listed ({reason}); nothing in it is found.",
            advice="Give yourself the right to list it (`chmod u+rx`), or hide it with a line in .memvaultignore.",
        )


def _linked_state_folder(path: str) -> DoctorFinding:
    return DoctorFinding(
        severity="error",
        path=path,
        sentence="A folder of memvault's own is a link. What it leads to may be somebody else's.",
        advice="Remove the link (what it leads to stays); if you made it yourself, put the folder in its place.",
    )


_ENCODINGS: Mapping[str, tuple[Severity, str, str]] = MappingProxyType(
    {
        "binary": (
            "warning",
            "It holds NUL bytes, so it is no text, whatever its name says.",
            "Give it the ending it ought to have, or bring its text back from a copy.",
        ),
        "unknown": (
            "warning",
            "It is not UTF-8: some letters cannot be read, and memvault will not write to it.",
            "Save it as UTF-8 in an editor.",
        ),
        "utf-16": (
            "note",
            "It is UTF-16: memvault reads it, and will not write to it.",
            "Save it as UTF-8 if memvault should keep its fields.",
        ),
    }
)


def check_encoding(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes that are not UTF-8 text."""
    for note in scan.notes:
        if note.encoding in _ENCODINGS:
            severity, sentence, advice = _ENCODINGS[note.encoding]
            yield DoctorFinding(severity=severity, path=note.path, sentence=sentence, advice=advice)


def check_frontmatter(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find frontmatter that cannot be read, or has no end."""
    for note in scan.notes:
        if note.problem is not None and note.encoding == "utf-8":
            yield DoctorFinding(
                severity="note" if note.is_foreign else "warning",
                path=note.path,
                sentence=f"Line {note.problem.line}: {note.problem.reason}.",
                advice=f"Fix that line, with {shell_command('edit', note.path)} or in any editor; "
                "until then its text is "
                "found, its fields are read as far as they can be"
                f"{'' if note.is_editable else ', and none is written'}.",
            )


def check_merge_markers(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes that a merge left half-written."""
    for note in scan.notes:
        if note.marker_line:
            yield DoctorFinding(
                severity="error",
                path=note.path,
                sentence=f"A merge left its markers in it from line {note.marker_line} on: it is two versions at once.",
                advice="Keep what is right between <<<<<<<, ======= and >>>>>>>, and take the three marker lines out.",
            )


def check_empty(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes with nothing in them."""
    for note in scan.notes:
        if note.is_blank:
            yield DoctorFinding(
                severity="note",
                path=note.path,
                sentence="The note is empty.",
                advice="Write something into it, or delete it. If it held something before, look in your backups.",
            )


def check_too_long(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes of which only the beginning is indexed."""
    kilobytes = scan.vault.settings.integer("index.max_kilobytes")
    for note in scan.notes:
        if note.is_clipped:
            yield DoctorFinding(
                severity="note",
                path=note.path,
                sentence=f"It has {note.entry.size // KILO:,} KB; only the first {kilobytes:,} KB are found by search.",
                advice="Split it, or raise index.max_kilobytes: `memvault config index.max_kilobytes NUMBER`.",
            )


def check_linked_files(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes under several names: links, symbolic and hard."""
    for note in scan.notes:
        if note.entry.is_link or note.entry.link_count > 1:
            what = "a symbolic link" if note.entry.is_link else "a file with several names (hard links)"
            yield DoctorFinding(
                severity="note",
                path=note.path,
                sentence=f"It is {what}: memvault reads it, and will not write to it.",
                advice="Put a copy in its place if memvault should keep its fields.",
            )


# -- fields


def check_values(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find fields whose values are not of memvault's form, so that defaults count in their stead."""
    strangers: dict[str, list[str]] = defaultdict(list)
    for note in scan.notes:
        for name, raw in _unfit_fields(note):
            if note.is_foreign:
                strangers[name].append(note.path)
            else:
                yield _unfit_value(note, name, raw)
    for name, paths in sorted(strangers.items()):
        more = f" and {len(paths) - 1} more of your own notes" if len(paths) > 1 else ""
        yield DoctorFinding(
            severity="note",
            path=paths[0],
            sentence=f"`{name}` has a meaning of its own in this note{more}: it is kept, and the default counts.",
        )


def _unfit_fields(note: ScannedNote) -> Iterator[tuple[str, object]]:
    for name, raw in note.fields.items():
        row = FIELDS.get(name)
        if row is not None and raw and name != "id" and row.read(raw, UTC) is None:
            yield name, raw


def _unfit_value(note: ScannedNote, name: str, raw: object) -> DoctorFinding:
    shown = str(raw) if len(str(raw)) <= _MOST_SHOWN else f"{str(raw)[:_MOST_SHOWN]}…"
    default = FIELDS[name].default
    instead = f"{default} counts instead" if isinstance(default, str | int | float) else "it counts as missing"
    return DoctorFinding(
        severity="warning" if name == "weight" and _is_number(raw) else "note",
        path=note.path,
        sentence=f"`{name}: {shown}` is not a value memvault knows; {instead}.",
        advice=f"It is kept as it is. Where it was meant for memvault, {name} is {FIELDS[name].meaning}.",
    )


def _is_number(raw: object) -> bool:
    try:
        float(str(raw))
    except ValueError:
        return False
    return True


def check_dates(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find dates that lie in the future and cannot."""
    latest = scan.context.now + LEEWAY
    for note in scan.notes:
        ahead = [] if note.is_foreign else [name for name in _PAST_FIELDS if _read_moment(note, name, scan) > latest]
        if ahead:
            yield DoctorFinding(
                severity="warning",
                path=note.path,
                sentence=f"Its {' and '.join(f'`{name}`' for name in ahead)} lies in the future; it counts as now.",
                advice=f"Put the date right with {shell_command('edit', note.path)}, "
                "and look whether a clock was wrong.",
            )


def _read_moment(note: ScannedNote, name: str, scan: VaultScan) -> datetime:
    value = FIELDS[name].read(note.fields.get(name), scan.context.zone)
    return value if isinstance(value, datetime) else scan.context.now


def check_status(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find a status that says otherwise than the folder does; the folder goes before the field."""
    archive = scan.vault.layout.archived
    steps = (step for operation in scan.operations for step in operation.steps if step.do == "move")
    was_archived = {step.to.rpartition("/")[2] for step in steps if step.to.startswith(archive)}
    decisions = scan.vault.ledger.decisions()
    for note in scan.notes:
        place, status = note.memory.place, note.memory.status
        if place is Place.ARCHIVED and status != "archived" and _has_status(note):
            yield _status_mismatch(note, f"It lies in the archive, and its status says {status}.", "archived")
        elif place in (Place.IDENTITY, Place.HOT, Place.MEMORIES) and status == "archived":
            if decisions.is_own_value(note.memory.id, "status", "archived") and note.entry.name not in was_archived:
                continue  # upkeep put it away, and left it in its place because others link to its path
            if note.entry.name in was_archived:
                yield _status_mismatch(
                    note, "It was taken out of the archive, and its status still says archived.", "active"
                )
            else:
                yield _called_archived(note)


def _has_status(note: ScannedNote) -> bool:
    raw = note.fields.get("status")
    return bool(raw) and FIELDS["status"].read(raw, UTC) is not None


def _status_mismatch(note: ScannedNote, sentence: str, right: str) -> DoctorFinding:
    change = SetFields(note.path, {"status": right}, f"set its status to {right}", note.memory.version)
    return DoctorFinding(
        severity="warning",
        path=note.path,
        sentence=sentence,
        advice=f"Set `status: {right}` in it, or move it to where its status says it belongs.",
        mends=(change,) if note.is_editable and not note.is_clipped else (),
    )


def _called_archived(note: ScannedNote) -> DoctorFinding:
    return DoctorFinding(
        severity="warning",
        path=note.path,
        sentence="Its status says archived, and it does not lie in the archive.",
        advice=f"Archive it ({shell_command('vault', 'move', note.path, 'archived')}) or set `status: active` in it.",
    )


def check_triggers(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find phrases that load nothing, as they would stand in every other prompt or came with another program's note."""
    for note in scan.notes:
        if note.is_foreign or not note.memory.triggers:
            continue
        if note.memory.more.get("source") == "import":
            yield _idle_triggers(note, note.memory.triggers, "came with another program's note")
        elif idle := tuple(phrase for phrase in note.memory.triggers if not is_specific(phrase)):
            yield _idle_triggers(note, idle, "would stand in every other prompt")


def _idle_triggers(note: ScannedNote, phrases: tuple[str, ...], why: str) -> DoctorFinding:
    named = ", ".join(f"“{phrase[:_MOST_SHOWN]}”" for phrase in phrases[:_MOST_NAMED])
    return DoctorFinding(
        severity="note",
        path=note.path,
        sentence=f"Its triggers {named} load nothing: such a phrase {why}.",
        advice="Write longer ones, of three letters or more and not of one or two small words, or take them out.",
    )


# Checks of names: one name, one note, on every system the vault may travel to.


def check_shared_names(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find notes that share a name, so that a wikilink can mean either."""
    named: dict[str, list[ScannedNote]] = defaultdict(list)
    for note in scan.notes:
        named[name_key(note.memory.name)].append(note)
    for notes in named.values():
        if len({note.entry.folder for note in notes}) > 1:
            yield _shared_name(sorted(notes, key=lambda note: (len(note.path), note.path)))


def _shared_name(notes: list[ScannedNote]) -> DoctorFinding:
    first, *others = notes
    name = first.memory.name
    return DoctorFinding(
        severity="note" if all(note.is_foreign for note in notes) else "warning",
        path=others[0].path,
        sentence=f"{len(notes)} notes have the name “{name}”; [[{name}]] means {first.path}.",
        advice="Rename all but one (Obsidian takes the links along), or write links to them with their folder.",
    )


def check_case_twins(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find files in one folder whose names only some systems can tell apart."""
    together: dict[tuple[str, str], list[ScannedEntry]] = defaultdict(list)
    for entry in scan.entries:
        together[entry.folder, name_key(entry.name)].append(entry)
    for entries in together.values():
        for entry in entries[1:]:
            yield DoctorFinding(
                severity="error",
                path=entry.path,
                sentence=f"Only letter case or the form of accents tells it from {entries[0].path}: on macOS and "
                "Windows one of the two would be lost.",
                advice="Rename one of them.",
            )


def check_portable_names(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find names that some systems do not take, or that no wikilink can reach."""
    reported: set[str] = set()
    for note in scan.notes:
        for path in _path_parts(note.path):
            reason = None if path in reported else portability_problem(path.rstrip("/").rpartition("/")[2])
            reported.add(path)
            if reason:
                yield DoctorFinding(
                    severity="note" if note.is_foreign else "warning",
                    path=path,
                    sentence=f"Its name does not work on every system: {reason}.",
                    advice="Rename it if the vault is ever to be used on another system, or linked to by name.",
                )


def _path_parts(path: str) -> Iterator[str]:
    """Yield a note's path and those of the folders it lies in."""
    pieces = path.split("/")
    for end in range(1, len(pieces)):
        yield "/".join(pieces[:end]) + "/"
    yield path
