"""Checks of what lies around the notes: leftovers, late writes, interrupted operations, the undo store."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.maintenance.doctor.finding import ClearLeftovers, Finding, Settle, ShrinkUndo
from memvault.maintenance.doctor.scan import KILO, Survey
from memvault.system import files


def leftovers(survey: Survey) -> Iterator[Finding]:
    """Temporary files of writers that were killed."""
    suspect = {entry.folder for entry in survey.entries if entry.name.startswith(".mv-") and entry.is_file}
    for folder in sorted(suspect):
        found = files.leftovers(survey.vault.root / folder)
        if found:
            count = f"{len(found)} temporary file{'' if len(found) == 1 else 's'}"
            yield Finding(
                severity="warning",
                path=f"{folder}{found[0].name}",
                sentence=f"A writer was killed here and left {count}; the notes themselves are whole.",
                advice="Delete what is called .mv-….tmp in that folder.",
                chore=ClearLeftovers(folder),
            )


def late_writes(survey: Survey) -> Iterator[Finding]:
    """Text that an editor saved into a file after memvault had replaced it."""
    # With nothing old enough to be let go of, settling only looks.
    for late in survey.vault.late_writes(older_than_ns=0, now_ns=0):
        yield Finding(
            severity="warning",
            path=survey.vault.relative(late.path) or str(late.path),
            sentence="An editor saved into it just after memvault had changed it; that text is kept aside.",
            advice="The next command that writes brings it back, into the note or beside it.",
            chore=Settle(),
        )


def interrupted(survey: Survey) -> Iterator[Finding]:
    """Operations of this device that were begun and never ended."""
    for operation in survey.vault.log.recent():
        if operation.state != "begun":
            continue
        paths = [step.path for step in operation.steps if step.path]
        yield Finding(
            severity="warning",
            path=paths[0] if paths else "",
            sentence=f"The operation {operation.op} ({operation.verb}) was interrupted.",
            advice="The next command that writes settles it; `memvault log` then shows what of it was done.",
            chore=Settle(),
        )


def undo_store(survey: Survey) -> Iterator[Finding]:
    """Bytes kept for undo that take more room than their setting allows."""
    allowed = survey.vault.settings.whole("undo.keep_megabytes") * KILO * KILO
    store = survey.vault.relative(survey.vault.undo) or ""
    # What is held for late writes lies there too, and is not part of what the setting speaks of.
    kept = sum(entry.size for entry in survey.entries if _is_kept(entry.path, store) and entry.is_file)
    if kept > allowed:
        yield Finding(
            severity="warning",
            path=f"{store}/",
            sentence=f"What is kept for undo takes {kept / KILO / KILO:.1f} MB; undo.keep_megabytes allows "
            f"{allowed // KILO // KILO}.",
            advice="Delete the oldest folders in it (what they hold cannot be undone then), or raise the setting.",
            chore=ShrinkUndo(),
        )


def _is_kept(path: str, store: str) -> bool:
    return path.startswith(f"{store}/") and path.removeprefix(f"{store}/")[:1].isdigit()
