"""Scores: whichever way they are come by, the best memories are those that Whoosh's own BM25F finds best."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault import Memvault
from memvault.core.query import IndexDocument, Match, Word
from memvault.storage.index.postings.write import lean_import
from memvault.storage.index.query import GuardedBackend
from memvault.storage.index.search import Keep, bounds, open_backend, score_bulk
from memvault.storage.index.search.bm25 import CONTEXT, FIELDS, K1, similar_terms
from memvault.storage.index.search.whoosh import WhooshBackend
from memvault.text.terms import extract_terms, find_terms
from tests.benchmarks.corpus import Corpus

WORDS = "heron swan rain mill moor weir river".split()
ODDS = (1, 2, 4, 8, 16, 32, 64)
EVERY_WAY = [(few, dense, module) for few in (0, 1 << 30) for dense in (0, 1, 1 << 30) for module in ("", "numpy")]
WAYS = [way for way in EVERY_WAY if way[0] == 0] + [EVERY_WAY[-1]]


@pytest.fixture(params=WAYS, ids=str)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the ways: all or only the best are scored, levels are kept of all passages or of some, with numpy or not."""
    few, dense, module = request.param
    numpy: ModuleType | None = pytest.importorskip(module) if module else None
    monkeypatch.setattr(score_bulk, "FEW", few)
    monkeypatch.setattr(bounds, "DENSE", dense)
    monkeypatch.setattr("memvault.storage.index.search.whoosh.numpy_if_worth_it", lambda **_: numpy)


def made(chance: random.Random, number: int, *, passages: int, longest: int = 15) -> IndexDocument:
    """A memory of words of all kinds, from the rarest to the commonest."""

    def said(most: int) -> str:
        return " ".join(chance.choices(WORDS, ODDS, k=chance.randrange(most + 1)))

    texts = tuple(said(longest) for _ in range(chance.randrange(passages + 1)))
    some = [said(3) if chance.random() < 0.3 else "" for _ in CONTEXT]
    title, names, triggers, headings = some
    return IndexDocument(number, title, names, triggers, headings, texts)


def check_alike(ours: Sequence[Match], theirs: Sequence[Match]) -> None:
    assert [(match.number, match.part) for match in ours] == [(match.number, match.part) for match in theirs]
    assert [match.score for match in ours] == pytest.approx([match.score for match in theirs], abs=1e-9)


QUESTIONS = (
    [Word("heron")],
    [Word("river")],
    [Word("heron"), Word("mill"), Word("river", weight=0.4)],
    [Word("nowhere", (("swan", 0.3), ("weir", 0.9))), Word("rain", (("moor", 0.5),))],
    [Word(word) for word in WORDS],
    [Word(f"nowhere{number}") for number in range(100)] + [Word("weir"), Word("swan")],
)


@pytest.mark.usefixtures("way")
@pytest.mark.points(only=True)
def test_the_best_of_many_are_the_best_of_a_reading_of_everything(tmp_path: Path) -> None:
    chance = random.Random(5)
    first = [made(chance, number, passages=4) for number in range(1, 150)]
    later = [made(chance, number, passages=4) for number in range(150, 190)]
    much = IndexDocument(200, "", "", "", "", ("heron " * 70 + "river " * 1_200, "heron river"))
    with closing(open_backend("whoosh", tmp_path / "a")) as ours, closing(open_backend("scan", tmp_path / "b")) as scan:
        for each in (ours, scan):
            each.replace(first, ())
            each.replace([*later, much], range(20, 60))
            each.replace([], [3, 150])
        keeps: list[Keep | None] = [None, lambda number: number % 3 == 0, {7, 160, 200}.__contains__]
        for question in QUESTIONS:
            for keep in keeps:
                right = scan.search(question, keep=keep, limit=500)
                for limit in (0, 1, 7, 40, 500):
                    check_alike(ours.search(question, keep=keep, limit=limit), right[:limit])


EXACT = 10  # what is longer, Whoosh keeps the length of in round numbers
SEED = st.integers(0, 1 << 30)


@settings(max_examples=10)
@given(SEED, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True), st.integers(1, 20))
@pytest.mark.points(only=True)
def test_the_scores_are_those_of_whooshs_own_bm25f(seed: int, terms: list[str], limit: int) -> None:
    chance = random.Random(seed)
    documents = [made(chance, number, passages=1, longest=EXACT) for number in range(1, 40)]
    gone = set(chance.sample(range(1, 40), 9))
    keep = {number for number in range(1, 40) if chance.random() < 0.7}.__contains__ if seed % 2 else None
    with TemporaryDirectory() as spare, pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_bulk, "FEW", 0)
        with closing(open_backend("whoosh", Path(spare) / "ours")) as ours:
            for start in range(0, len(documents), 13):
                ours.replace(documents[start : start + 13], ())
            ours.replace([], sorted(gone))
            found = ours.search([Word(term) for term in terms], keep=keep, limit=limit)
            values = ours.rarity(terms)
        kept = [each for each in documents if each.number not in gone]
        expected = stock(Path(spare), kept, values)
    scores = {number: score for number, score in expected.items() if keep is None or keep(number)}
    best = sorted(scores, key=lambda number: (-round(scores[number], 9), number))[:limit]
    assert [match.number for match in found] == best
    assert [match.score for match in found] == pytest.approx([scores[number] for number in best])


def stock(folder: Path, documents: Sequence[IndexDocument], values: dict[str, float]) -> dict[int, float]:
    """What Whoosh's own BM25F gives each document, words being worth as much as they are to us."""
    with lean_import():
        from whoosh import query
        from whoosh.analysis import SpaceSeparatedTokenizer
        from whoosh.fields import STORED, TEXT, Schema
        from whoosh.filedb.filestore import RamStorage
        from whoosh.scoring import BM25F

    class Weighing(BM25F):  # type: ignore[misc]
        def idf(self, *_: Any) -> float:
            return 1.0

    fields = {name: TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=False) for name in FIELDS}
    index = RamStorage().create_index(Schema(number=STORED, **fields))
    writer = index.writer()
    for each in documents:
        texts = {name: getattr(each, name) for name in CONTEXT}
        writer.add_document(number=each.number, body=" ".join(each.passages), **texts)
    writer.commit()
    weighing = Weighing(K1=K1, **{f"{name}_B": weight.b for name, weight in FIELDS.items()})
    wanted = [
        query.Term(name, term, boost=value * weight.boost)
        for term, value in values.items()
        for name, weight in FIELDS.items()
    ]
    with index.searcher(weighting=weighing) as searcher:
        return {hit["number"]: hit.score for hit in searcher.search(query.Or(wanted), limit=None)}


# -- which known terms stand for one that was typed otherwise


@pytest.mark.parametrize(
    ("term", "known"),
    [
        ("batery", "battery"),  # a letter less
        ("batttery", "battery"),  # a letter more
        ("bettery", "battery"),  # another letter
        ("abttery", "battery"),  # two that changed places
        ("batte", "battery"),  # only the beginning
        ("calibrations", "calibration"),
    ],
)
def test_what_is_nearly_alike_is_near(term: str, known: str) -> None:
    assert similar_terms(term, [known]) == [known]


@pytest.mark.parametrize(
    ("term", "known"),
    [
        ("tea", "team"),  # too short to guess at
        ("battery", "battery"),  # itself
        ("batman", "battery"),
        ("gauge", "gauze"),  # at five letters, one other letter is another word
        ("v2024", "v2025"),  # digits mean what they say
        ("battery", "bat"),
    ],
)
def test_what_is_another_word_is_not(term: str, known: str) -> None:
    assert similar_terms(term, [known]) == []


# -- tidying: many small changes leave nothing behind, and no answer is another for it


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


# -- what the postings tell of a memory is what its text says, and nothing is told of what is not there

TOLD = frozenset(extract_terms("weir heron gauge state-of-the-art v2.10.3 sara.uy@example.org government system topic"))


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


@pytest.mark.points(only=True)
def test_it_tells_of_every_passage_and_field_what_a_look_at_the_text_tells(backend: WhooshBackend) -> None:
    telling = backend.term_teller(TOLD)
    assert telling is not None
    for document in documents():
        passages = document.passages or ("",)
        context = {name: find_terms(getattr(document, name), TOLD) for name in CONTEXT}
        whole = frozenset().union(*(find_terms(passage, TOLD) for passage in passages))
        assert telling.all_terms(document.number) == whole.union(*context.values())
        for part, passage in enumerate(passages):
            assert telling.term_hits(document.number, part) == (context, find_terms(passage, TOLD), whole)


def test_of_what_is_gone_or_was_never_there_nothing_is_told(backend: WhooshBackend) -> None:
    backend.replace([IndexDocument(90, "Weir", "", "", "", ("A heron.",))], [1])
    telling = backend.term_teller(TOLD)
    assert telling is not None
    assert [telling.all_terms(number) for number in (1, 77, 1 << 40)] == [None] * 3
    assert telling.term_hits(1, 0) is None
    assert telling.all_terms(90) == frozenset({"weir", "heron"})


def test_what_was_asked_before_a_change_tells_of_what_was_there_then(backend: WhooshBackend) -> None:
    telling = backend.term_teller(TOLD)
    assert telling is not None
    backend.replace([], [1])
    assert telling.all_terms(1) is not None


def test_scripts_without_spaces_are_left_to_the_text(backend: WhooshBackend) -> None:
    assert backend.term_teller(extract_terms("記憶")) is None


def test_a_backend_that_cannot_tell_is_not_asked(tmp_path: Path) -> None:
    with closing(GuardedBackend("scan", tmp_path / "scan")) as backend:
        assert backend.term_teller(TOLD) is None
