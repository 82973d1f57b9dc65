"""What the postings tell of a memory is what its text says, and nothing is told of what is not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memvault.core.query import IndexDocument
from memvault.storage.index.query import GuardedBackend
from memvault.storage.index.search.bm25 import CONTEXT
from memvault.storage.index.search.whoosh import WhooshBackend
from memvault.text.terms import extract_terms, find_terms
from tests.benchmarks.corpus import Corpus

WORDS = frozenset(
    extract_terms("weir heron gauge state-of-the-art v2.10.3 sara.uy@example.org government system topic")
)


def documents() -> list[IndexDocument]:
    made = [
        IndexDocument(
            1, "The weir", "gauge", "", "Heron", ("A heron stands.", "The gauge is state-of-the-art.", "v2.10.3")
        ),
        IndexDocument(2, "", "weir", "heron\nsystem", "", ()),
        IndexDocument(3, "Nothing", "", "", "", ("Write to sara.uy@example.org.",)),
    ]
    notes = enumerate(Corpus(seed=7).notes(40), 4)
    return made + [
        IndexDocument(number, note.title, "\n".join(note.tags), "", "", tuple(note.body.split("\n\n")))
        for number, note in notes
    ]


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[WhooshBackend]:
    with closing(WhooshBackend(tmp_path / "index")) as opened:
        made = documents()
        opened.replace(made[::2], ())
        opened.replace(made[1::2], ())
        yield opened


def test_it_tells_of_every_passage_and_field_what_a_look_at_the_text_tells(backend: WhooshBackend) -> None:
    telling = backend.term_teller(WORDS)
    assert telling is not None
    for document in documents():
        passages = document.passages or ("",)
        context = {name: find_terms(getattr(document, name), WORDS) for name in CONTEXT}
        whole = frozenset().union(*(find_terms(passage, WORDS) for passage in passages))
        assert telling.all_terms(document.number) == whole.union(*context.values())
        for part, passage in enumerate(passages):
            assert telling.term_hits(document.number, part) == (context, find_terms(passage, WORDS), whole)


def test_of_what_is_gone_or_was_never_there_nothing_is_told(backend: WhooshBackend) -> None:
    backend.replace([IndexDocument(90, "Weir", "", "", "", ("A heron.",))], [1])
    telling = backend.term_teller(WORDS)
    assert telling is not None
    assert [telling.all_terms(number) for number in (1, 77, 1 << 40)] == [None] * 3
    assert telling.term_hits(1, 0) is None
    assert telling.all_terms(90) == frozenset({"weir", "heron"})


def test_what_was_asked_before_a_change_tells_of_what_was_there_then(backend: WhooshBackend) -> None:
    telling = backend.term_teller(WORDS)
    assert telling is not None
    backend.replace([], [1])
    assert telling.all_terms(1) is not None


def test_scripts_without_spaces_are_left_to_the_text(backend: WhooshBackend) -> None:
    assert backend.term_teller(extract_terms("記憶")) is None


def test_a_backend_that_cannot_tell_is_not_asked(tmp_path: Path) -> None:
    with closing(GuardedBackend("scan", tmp_path / "scan")) as backend:
        assert backend.term_teller(WORDS) is None
