"""Tidying: many small changes leave nothing behind, and no answer is another for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.query import IndexDocument, Word
from memvault.storage.index.search import open_backend
from memvault.storage.index.search.whoosh import WhooshBackend


def saying(number: int, text: str) -> IndexDocument:
    return IndexDocument(number, "", "", "", "", (text,))


def test_a_question_after_a_change_scores_only_what_is_new(tmp_path: Path) -> None:
    backend = open_backend("whoosh", tmp_path)
    assert isinstance(backend, WhooshBackend)
    crowd = [saying(number, "A heron in the rain of a long day.") for number in range(1, 3_000)]
    backend.replace(crowd, ())
    backend.search([Word("heron")], keep=None, limit=3)
    kept = set(backend._postings.cache._held)
    backend.replace([saying(5_000, "A heron in the rain of a long day.")], [2])
    assert [match.number for match in backend.search([Word("heron")], keep=None, limit=3)] == [1, 3, 4]
    assert kept
    assert kept <= set(backend._postings.cache._held)
    backend.close()


def test_what_is_taken_in_in_many_batches_is_left_in_one_segment(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memvault.storage.index.index.BATCH", 4)
    Memvault.init(tmp_path / "vault")
    for number in range(20):
        (tmp_path / "vault" / "2-memories" / f"heron-{number}.md").write_text(f"The heron number {number}.\n")
    with Memvault(tmp_path / "vault", environment=environment) as vault:
        found = vault.recall("heron", limit=50, budget=10_000)
        parts = [path for path in (vault.index_folder / "whoosh").iterdir() if path.suffix == ".seg"]
    assert {hit.memory.title for hit in found.hits} >= {f"heron {number}" for number in range(20)}
    assert len(parts) == 1, "each question would begin anew in every segment"
