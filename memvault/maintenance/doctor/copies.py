"""The check of sync-conflict copies: what a syncing program put beside a file, not knowing which to keep."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from memvault.core.plan import Move, Rewrite
from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import Finding, JoinRecord, command
from memvault.maintenance.doctor.scan import Entry, Look, Survey, digest_of
from memvault.storage.census import beginnings
from memvault.storage.vault.layout import STATE, TRASH, is_conflict_copy, unmarked
from memvault.sync.merging.note import Ground, Merged, identity_of, merged
from memvault.system import files

_RECORDS = (f"{STATE}/journal/", f"{STATE}/ledger/")
_TWO = "Two memories contradict each other: `memvault conflicts` lists them, `memvault resolve` says which holds."
_NUMBERED = re.compile(r" [2-9](\.(?:md|markdown))$", re.IGNORECASE)


def conflict_copies(survey: Survey) -> Iterator[Finding]:
    """Copies that a syncing program, or a late save in an editor, left beside a file."""
    sizes = {entry.path: entry.size for entry in survey.entries if entry.is_file}
    for entry in survey.entries:
        if entry.is_file and is_conflict_copy(entry.name) and not entry.path.startswith((f"{STATE}/", f"{TRASH}/")):
            yield (
                _named_alike(entry)
                if survey.vault.place(entry.path)
                else _judged(entry, _home(entry, sizes, survey), sizes, survey)
            )
        elif entry.is_file and entry.path.startswith(_RECORDS) and (record := original_of(entry.path)):
            yield Finding(
                severity="error",
                path=entry.path,
                sentence=f"It is a conflict copy of {record}, and what it tells is not counted.",
                advice="Add those of its lines that are not there to the end of that file, then delete it.",
                chore=JoinRecord(entry.path, record),
            )


def _named_alike(entry: Entry) -> Finding:
    return Finding(
        severity="note",
        path=entry.path,
        sentence="It is called like a copy from a sync conflict, and is no copy of anything here: it counts as a note.",
        advice="Give it another name, so that nobody takes it for one.",
    )


def numbered_copy(one: Look, other: Look, survey: Survey) -> Finding | None:
    """Two notes of one id, one of which has the other's name and a number, as iCloud gives it, and adds to it.

    Anybody may have made such a copy by hand, to make another memory of it: so it is only taken in where nothing of
    the two contradicts, and else told of as any two that claim one id.
    """
    for copy, original in ((one, other), (other, one)):
        if _NUMBERED.sub(r"\1", copy.path) == original.path != copy.path:
            found = _merging(copy.entry, original.path, survey)
            return found if found and found.severity == "warning" else None
    return None


def _home(entry: Entry, sizes: Container[str], survey: Survey) -> str:
    """Where the memory lies that a copy is a copy of: its name tells, or its id where that was moved meanwhile."""
    original = original_of(entry.path)
    if original in sizes or not entry.path.startswith(survey.tiers):
        return original
    try:
        raw = files.read(survey.vault.absolute(entry.path))
    except MemvaultError:
        return original
    id_ = identity_of(raw, _ground(original, survey))
    moved = [look.path for look in survey.looks if id_ and look.memory.id == id_ and not look.foreign]
    return moved[0] if len(moved) == 1 else original


def original_of(path: str) -> str:
    """The path of the file that a conflict copy is a copy of; empty where its name does not say."""
    folder, slash, name = path.rpartition("/")
    plain = unmarked(name)
    return "" if plain == name else f"{folder}{slash}{plain}"


def _judged(entry: Entry, original: str, sizes: Mapping[str, int], survey: Survey) -> Finding:
    if original not in sizes:
        return Finding(
            severity="warning",
            path=entry.path,
            sentence="It is a copy from a sync conflict, and the file it was a copy of is not there.",
            advice="Rename it without the mark to keep it as a note, or delete it.",
        )
    digest = digest_of(survey, entry.path)
    if sizes[original] == entry.size and digest and digest == digest_of(survey, original):
        why = f"move it to the trash: {original} is the same to the last byte"
        move = Move(entry.path, survey.trash.name_for(entry.path), why, version=digest)
        return Finding(
            severity="warning",
            path=entry.path,
            sentence=f"It is a conflict copy of {original}, and the same to the last byte.",
            advice="Delete it.",
            mends=(move,) if entry.path.startswith(survey.tiers) else (),
        )
    return _merging(entry, original, survey) or Finding(
        severity="error",
        path=entry.path,
        sentence=f"It is a conflict copy of {original}, and the two differ.",
        advice=f"Take over what is missing ({command('edit', original)}), then delete the copy; or put it in the "
        "original's place.",
    )


def _merging(entry: Entry, original: str, survey: Survey) -> Finding | None:
    """Two versions of one memory, made one as after any sync; None where they are not, or not memvault's to touch.

    Where nobody knows what both began with, texts that differ are not mixed: the copy becomes a memory of its own.
    """
    if not entry.path.startswith(survey.tiers) or survey.vault.place(original) is None:
        return None
    try:
        ours, theirs = (files.read(survey.vault.absolute(path)) for path in (original, entry.path))
    except MemvaultError:
        return None
    ground = _ground(original, survey)
    id_ = identity_of(ours, ground)
    if not id_ or id_ != identity_of(theirs, ground):
        return None
    found = _made_one(ours, theirs, id_, ground, survey)
    why = f"it takes in what its conflict copy {entry.name} says"
    if found.parked is None:
        rewrite = Rewrite(original, found.raw, files.digest(ours), why)
        gone = "move it to the trash: it was taken in"
        away = Move(entry.path, survey.trash.name_for(entry.path), gone, version=files.digest(theirs))
        return Finding(
            severity="warning",
            path=entry.path,
            sentence=f"It is a copy of {original} that was changed elsewhere, and nothing in the two contradicts.",
            advice=f"Take over what is missing ({command('edit', original)}), then delete it.",
            mends=(rewrite, away) if found.raw != ours else (away,),
        )
    beside = _free(f"{original.removesuffix('.md')}-{found.parked_id[:8]}.md", survey)
    rewrite = Rewrite(original, found.raw, files.digest(ours), "it names the version that contradicts it")
    two = f"it is {beside} now, as there are two versions: `memvault conflicts` lists them"
    move = Move(entry.path, beside, two, data=found.parked, version=files.digest(theirs))
    return Finding(
        severity="error",
        path=entry.path,
        sentence=f"It is a conflict copy of {original}, and the two say different things.",
        advice=f"{command('resolve', original)} says which of them holds, once each is a memory of its own.",
        mends=(rewrite, move),
        then=_TWO,
    )


def _made_one(ours: bytes, theirs: bytes, id_: str, ground: Ground, survey: Survey) -> Merged:
    for base, is_sure in beginnings(survey.bench, survey.operations, id_, (ours, theirs)):
        found = merged(base, ours, theirs, ground, is_sure=is_sure)
        if found.parked is None:
            return found
    return merged(None, ours, theirs, ground)


def _ground(path: str, survey: Survey) -> Ground:
    return Ground(path, survey.vault.charter.id, survey.bench.zone, kinds=survey.bench.settings.kinds)


def _free(path: str, survey: Survey) -> str:
    stem, turn, free = path.removesuffix(".md"), 1, path
    while free in survey.paths:
        turn += 1
        free = f"{stem}-{turn}.md"
    return free
