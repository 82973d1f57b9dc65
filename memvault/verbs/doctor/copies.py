"""The check of sync-conflict copies: what a syncing program put beside a file, not knowing which to keep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.core.plan import Move
from memvault.vault.layout import STATE, TRASH, is_conflict_copy
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
    return Finding(
        severity="error",
        path=entry.path,
        sentence=f"It is a conflict copy of {original}, and the two differ.",
        advice=f"Take over what is missing ({command('edit', original)}), then delete the copy; or put it in the "
        "original's place.",
    )
