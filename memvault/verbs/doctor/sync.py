"""Checks of a vault that travels over git: its merges ask memvault, in this clone too."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.verbs.doctor.finding import Finding
from memvault.verbs.doctor.survey import Survey
from memvault.verbs.sync import marks


def sync(survey: Survey) -> Iterator[Finding]:
    """A clone in which git does not know how memories are merged; a vault that never travelled is let be."""
    if marks.DRIVER not in marks.bytes_of(survey.bench.vault.root / marks.ATTRIBUTES).decode("utf-8", "replace"):
        return
    for problem in survey.syncing():
        yield Finding(
            severity="warning",
            path=marks.ATTRIBUTES,
            sentence=problem,
            advice="`memvault sync status` tells how this clone stands; until `memvault sync init` has set it up, git "
            "merges memories as mere text.",
        )
