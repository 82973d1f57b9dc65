"""Checks of the catalogue: it knows the notes as they are, and its search index knows what its rows know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memvault.core.query import Filters
from memvault.maintenance.doctor.finding import ClearSetAside, Finding, Rebuild
from memvault.maintenance.doctor.scan import Survey
from memvault.storage.index.index import Catalogue
from memvault.storage.vault.listing import is_text

_ADVICE = "`memvault reindex` builds the index again from the files; nothing is lost with it."


def catalogue(survey: Survey) -> Iterator[Finding]:
    """Where the catalogue disagrees with the files, or with itself."""
    yield from [_wrong(said, paths) for said, paths in _disagreements(survey) if paths] or _inner(survey)


def _disagreements(survey: Survey) -> Iterator[tuple[str, list[str]]]:
    index = survey.bench.catalogue
    diff = index.diff(survey.vault.listing())
    # What has changed since the last command is no disagreement: the next one takes it in.
    waiting = {path for path, _ in diff.wanted()} | set(diff.gone)
    known = {memory.path: memory.version for memory in index.memories(Filters())}
    seen = {look.path: look.memory.version for look in survey.looks}
    settled = sorted(path for path in seen.keys() - waiting if is_text(path))
    yield "The index does not know this note", [path for path in settled if path not in known]
    stale = [path for path in settled if known.get(path, seen[path]) != seen[path]]
    yield "The index knows this note otherwise than it is", stale
    gone = known.keys() - seen.keys() - waiting - survey.unread.keys()
    yield "The index knows this note, and it is gone", sorted(gone)


def _inner(survey: Survey) -> list[Finding]:
    """Two books are kept of the same notes, rows and words: they must have the same entries."""
    rows, words = survey.bench.catalogue.numbers()
    if rows == words:
        return []
    return [_wrong(f"The index holds {len(rows)} notes, and its search {len(words)}; they are not the same", [])]


def _wrong(said: str, paths: list[str]) -> Finding:
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    return Finding(
        severity="error",
        path=paths[0] if paths else "",
        sentence=f"{said}{more}.",
        advice=_ADVICE,
        chore=Rebuild(),
    )


def set_aside(survey: Survey) -> Iterator[Finding]:
    """Damaged indexes that were set aside."""
    for folder in folders_set_aside(survey.bench.catalogue):
        yield Finding(
            severity="note",
            path=str(folder),
            sentence="A damaged index was set aside here when a new one was built.",
            advice="Delete the folder.",
            chore=ClearSetAside(),
        )


def folders_set_aside(index: Catalogue) -> list[Path]:
    """The folders beside the catalogue that hold what it was before it was damaged."""
    return sorted(index.folder.parent.glob(f"{index.folder.name}.*"))
