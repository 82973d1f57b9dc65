"""Checks of the archive of conversations: each can be read from end to end."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import Finding
from memvault.maintenance.doctor.scan import Survey
from memvault.transcripts.archive.read import Transcript
from memvault.transcripts.search import archive

_SHOWN = 3


def conversations(survey: Survey) -> Iterator[Finding]:
    """Conversations of which a part cannot be read."""
    store = archive(survey.bench)
    for path, _ in store.listing():
        if trouble := _trouble(store.open(path)):
            more = f" (and {len(trouble) - _SHOWN} more)" if len(trouble) > _SHOWN else ""
            yield Finding(
                severity="error",
                path=path,
                sentence=f"A part of this conversation cannot be read: {'; '.join(trouble[:_SHOWN])}{more}.",
                advice="The rest is found as before. If you have a copy from before, put it in its place;"
                " where the source is still there, `memvault ingest` adds what is missing.",
            )


def _trouble(there: Transcript) -> list[str]:
    try:
        there.head()
        for _ in there.turns():
            pass
        for _ in there.facts():
            pass
    except MemvaultError as error:
        return [str(error)]
    return there.trouble
