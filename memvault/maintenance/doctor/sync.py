"""Checks of a vault that travels over git: its merges ask memvault, in this clone too."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.maintenance.doctor.finding import Finding, Unlock
from memvault.maintenance.doctor.scan import Survey
from memvault.sync import marks
from memvault.system.git_locks import locks
from memvault.text.dates.dates import write_moment


def sync(survey: Survey) -> Iterator[Finding]:
    """A clone in which git does not know how memories are merged; a vault that never travelled is let be."""
    if marks.DRIVER not in marks.bytes_of(survey.bench.vault.root / marks.ATTRIBUTES).decode("utf-8", "replace"):
        return
    yield from _locked(survey)
    for problem in survey.syncing():
        yield Finding(
            severity="warning",
            path=marks.ATTRIBUTES,
            sentence=problem,
            advice="`memvault sync status` tells how this clone stands; until `memvault sync init` has set it up, git "
            "merges memories as mere text.",
        )


def _locked(survey: Survey) -> Iterator[Finding]:
    now = survey.bench.now
    for lock in locks(survey.bench.vault.root):
        if lock.holders:
            continue  # a git at work is nothing amiss
        is_left = lock.is_left(now)
        yield Finding(
            severity="warning",
            path=survey.vault.relative(lock.path) or str(lock.path),
            sentence=f"This lock of git's is there since {write_moment(lock.laid)}, and {lock.whose}.",
            advice="Delete it." if is_left else "Delete it once you are sure that no git is at work there.",
            chore=Unlock(lock.path) if is_left else None,
        )
