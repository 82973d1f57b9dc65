"""The check of sync-conflict copies: what a syncing program put beside a file, not knowing which to keep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault import files
from memvault.core.plan import Move, Rewrite
from memvault.errors import MemvaultError
from memvault.vault.layout import STATE, TRASH, is_conflict_copy
from memvault.vault.merge import Ground, identity_of, merged
from memvault.verbs.doctor.finding import Finding, command
from memvault.verbs.doctor.survey import Entry, Survey, digest_of

_MARK = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}(?:-[0-9a-z]+)?"
    r"|\.conflict-\d[0-9tz-]*"
    r"| ?\([^()]*(?:conflicted copy|case conflict|conflict \d{4}-)[^()]*\)",
    re.IGNORECASE,
)


def conflict_copies(survey: Survey) -> Iterator[Finding]:
    """Copies that a syncing program, or a late save in an editor, left beside a file."""
    sizes = {entry.path: entry.size for entry in survey.entries if entry.is_file}
    for entry in survey.entries:
        if entry.is_file and is_conflict_copy(entry.name) and not entry.path.startswith((f"{STATE}/", f"{TRASH}/")):
            yield _judged(entry, sizes, survey)


def original_of(path: str) -> str:
    """The path of the file that a conflict copy is a copy of; empty where its name does not say."""
    folder, slash, name = path.rpartition("/")
    plain = _MARK.sub("", name)
    return "" if plain == name else f"{folder}{slash}{plain}"


def _judged(entry: Entry, sizes: dict[str, int], survey: Survey) -> Finding:
    original = original_of(entry.path)
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

    Nobody knows what both began with, so texts that differ are never mixed: then the copy becomes a memory of its own.
    """
    if not entry.path.startswith(survey.tiers) or survey.vault.place(original) is None:
        return None
    try:
        ours, theirs = (files.read(survey.vault.absolute(path)) for path in (original, entry.path))
    except MemvaultError:
        return None
    ground = Ground(original, survey.vault.charter.id, survey.bench.zone, kinds=survey.bench.settings.kinds)
    if identity_of(ours, ground) != identity_of(theirs, ground) or not identity_of(ours, ground):
        return None
    found = merged(None, ours, theirs, ground)
    rewrite = Rewrite(original, found.raw, files.digest(ours), f"it takes in what its conflict copy {entry.name} says")
    if found.parked is None:
        away = Move(entry.path, survey.trash.name_for(entry.path), "it was taken in", version=files.digest(theirs))
        return Finding(
            severity="warning",
            path=entry.path,
            sentence=f"It is a conflict copy of {original} with the same text, and other fields.",
            advice=f"Take its fields over ({command('edit', original)}), then delete it.",
            mends=(rewrite, away) if found.raw != ours else (away,),
        )
    beside = _free(f"{original.removesuffix('.md')}-{found.parked_id[:8]}.md", survey)
    move = Move(entry.path, beside, "it contradicts the other", data=found.parked, version=files.digest(theirs))
    return Finding(
        severity="error",
        path=entry.path,
        sentence=f"It is a conflict copy of {original}, and the two say different things.",
        advice=f"{command('resolve', original)} says which of them holds, once each is a memory of its own.",
        mends=(rewrite, move),
    )


def _free(path: str, survey: Survey) -> str:
    stem, turn, free = path.removesuffix(".md"), 1, path
    while free in survey.paths:
        turn += 1
        free = f"{stem}-{turn}.md"
    return free
