"""What every search backend promises, whatever it keeps its texts in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault.core.query import IndexDocument, Match, Word
from memvault.recall.ranking.question import query_words
from memvault.storage.index.search import BACKENDS, Backend, Keep, open_backend
from memvault.text.terms import query_terms

ALL = 100


def document(number: int, *passages: str, title: str = "", names: str = "", triggers: str = "") -> IndexDocument:
    return IndexDocument(number, title, names, triggers, "", passages)


def ask(backend: Backend, question: str, *, keep: Keep | None = None, limit: int = ALL) -> list[Match]:
    return backend.search(query_words(question), keep=keep, limit=limit)


def found(backend: Backend, question: str) -> list[int]:
    return [match.number for match in ask(backend, question)]


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    opened = open_backend(request.param, tmp_path / request.param)
    yield opened
    opened.close()


TEXTS = {
    1: "We decided in ADR-016 to keep readings in a database.",
    2: "We decided in ADR-017 to alert by telephone.",
    3: "Write to sara.uy@example.org about the licence.",
    4: "The limits stand in config/alerts/limits.yaml these days.",
    5: "Release v2.10.3 broke the importer.",
    6: "Die Straße zum Wehr ist gesperrt; die Größe stimmt.",
    7: "Ein Café am Fluss, naïve Pläne.",
    8: "Поиск памяти работает быстро.",
    9: "الذاكرة تساعد على التعلم",
    10: "記憶を検索する方法について。",
    11: "记忆系统的设计文档。",
    12: "기억을 검색하는 방법.",
    13: "The well-known state-of-the-art gauge doesn't rust.",
    14: "Maja is allergic to hazelnuts, so the cake had almonds.",
}

QUESTIONS = [
    ("What is Maja allergic to?", 14),
    ("why did we decide on ADR-016", 1),
    ("ADR-017", 2),
    ("sara.uy@example.org", 3),
    ("who has the licence? sara", 3),
    ("config/alerts/limits.yaml", 4),
    ("limits.yaml", 4),
    ("v2.10.3", 5),
    ("STRASSE", 6),
    ("größe", 6),
    ("cafe", 7),
    ("naive", 7),
    ("скорый поиск памяти", 8),
    ("الذاكرة", 9),
    ("検索", 10),
    ("记忆系统", 11),
    ("기억", 12),
    ("state of the art", 13),
    ("state-of-the-art", 13),
    ("doesn’t it rust", 13),
    ("hazelnut", 14),
]


@pytest.mark.parametrize(("question", "number"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_question_in_any_script_finds_its_text_first(backend: Backend, question: str, number: int) -> None:
    backend.replace([document(number, text) for number, text in TEXTS.items()], ())
    assert found(backend, question)[:1] == [number]


def test_a_number_in_a_name_is_not_its_neighbour(backend: Backend) -> None:
    backend.replace([document(number, text) for number, text in TEXTS.items()], ())
    first, *others = ask(backend, "ADR-016")
    assert first.number == 1
    assert all(match.score < first.score for match in others)


def test_a_title_outdoes_a_passing_mention(backend: Backend) -> None:
    text = "Long ago, on some day when a gauge failed, somebody wrote a letter about batteries to the mill."
    backend.replace([document(1, text), document(2, "Nothing else.", title="Gauge batteries")], ())
    assert found(backend, "gauge batteries") == [2, 1]


@pytest.mark.parametrize("field", ["title", "names", "triggers"])
def test_every_context_field_is_searched(backend: Backend, field: str) -> None:
    backend.replace([document(1, "text"), document(2, "text", **{field: "heron"})], ())
    assert found(backend, "herons") == [2]


def test_the_best_passage_is_named(backend: Backend) -> None:
    passages = ("The weir went silent.", "A heron stood there.", "Herons, a heron and one more heron.", "Rain.")
    backend.replace([document(1, *passages)], ())
    (match,) = ask(backend, "heron")
    assert match.part == 2


def test_of_equal_passages_the_first_is_named(backend: Backend) -> None:
    backend.replace([document(1, "Rain fell.", "A heron.", "A heron.")], ())
    assert ask(backend, "heron")[0].part == 1


def test_a_memory_is_found_once_whatever_matches(backend: Backend) -> None:
    backend.replace([document(1, *["heron"] * 30, title="heron", names="heron")], ())
    assert found(backend, "heron") == [1]


def test_a_memory_with_no_text_is_found_by_its_title(backend: Backend) -> None:
    backend.replace([document(1, title="Herons"), document(2, "", title="Storks")], ())
    assert [(match.number, match.part) for match in ask(backend, "heron")] == [(1, 0)]
    assert found(backend, "stork") == [2]
    assert backend.numbers() == {1, 2}


def test_equals_come_in_order_of_their_numbers(backend: Backend) -> None:
    backend.replace([document(number, "A heron.") for number in (7, 3, 9, 1)], ())
    assert found(backend, "heron") == [1, 3, 7, 9]


# -- changes


def test_nothing_is_found_in_nothing(backend: Backend) -> None:
    assert ask(backend, "heron") == []
    assert backend.numbers() == set()
    assert backend.rarity(["heron"])["heron"] > 0


def test_no_terms_find_nothing(backend: Backend) -> None:
    backend.replace([document(1, "A heron.")], ())
    assert backend.search([], keep=None, limit=ALL) == []
    assert backend.rarity([]) == {}


def test_a_replaced_text_is_found_by_what_it_says_now(backend: Backend) -> None:
    backend.replace([document(1, "A heron."), document(2, "A stork.")], ())
    backend.replace([document(3, "A swan.")], [1])
    assert found(backend, "heron") == []
    assert found(backend, "swan") == [3]
    assert backend.numbers() == {2, 3}


def test_what_is_gone_is_gone_with_all_its_passages(backend: Backend) -> None:
    backend.replace([document(1, "A heron.", "More herons."), document(2, "A heron.")], ())
    backend.replace([], [1])
    assert found(backend, "heron") == [2]
    backend.replace([], [2])
    assert found(backend, "heron") == []
    assert backend.numbers() == set()


def test_a_failure_on_the_way_in_changes_nothing(backend: Backend) -> None:
    backend.replace([document(1, "A heron.")], ())

    def documents() -> Iterator[IndexDocument]:
        yield document(2, "A heron.")
        raise LookupError

    with pytest.raises(LookupError):
        backend.replace(documents(), [1])
    assert found(backend, "heron") == [1]
    backend.replace([document(3, "A heron.")], ())
    assert backend.numbers() == {1, 3}


def test_what_was_taken_in_is_there_after_closing(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for name in BACKENDS:
        first = open_backend(name, tmp_path / name)
        first.replace([document(1, "A heron.", "A swan.")], ())
        first.close()
        second = open_backend(name, tmp_path / name)
        assert [(match.number, match.part) for match in ask(second, "swan")] == [(1, 1)]
        second.close()


# -- limits


def test_no_more_is_given_than_was_asked_for(backend: Backend) -> None:
    backend.replace([document(number, "heron " * number) for number in range(1, 21)], ())
    best = ask(backend, "heron")
    assert ask(backend, "heron", limit=3) == best[:3]
    assert ask(backend, "heron", limit=1) == best[:1]


def test_what_is_not_wanted_takes_no_place(backend: Backend) -> None:
    backend.replace([document(number, "A heron.") for number in range(1, 31)], ())
    even = ask(backend, "heron", keep=lambda number: number % 2 == 0, limit=5)
    assert [match.number for match in even] == [2, 4, 6, 8, 10]
    assert ask(backend, "heron", keep=lambda _: False) == []


def test_a_late_but_wanted_memory_is_found_behind_thousands_of_better_ones(backend: Backend) -> None:
    crowd = [document(number, "heron heron heron") for number in range(1, 1500)]
    backend.replace([*crowd, document(5000, "One heron among a good many other words of no account.")], ())
    assert [match.number for match in ask(backend, "heron", keep=lambda number: number == 5000, limit=1)] == [5000]


def test_thousands_of_terms_are_no_trouble(backend: Backend) -> None:
    backend.replace([document(number, text) for number, text in TEXTS.items()], ())
    question = [Word(term) for term in (*(f"word{number}" for number in range(3_000)), "hazelnut")]
    assert [match.number for match in backend.search(question, keep=None, limit=ALL)] == [14]


def test_very_long_words_are_no_trouble(backend: Backend) -> None:
    backend.replace([document(1, "x" * 100_000), document(2, "A heron.", title="y" * 5_000)], ())
    assert found(backend, "heron") == [2]
    ask(backend, "x" * 100_000)


def test_a_term_may_be_asked_for_twice(backend: Backend) -> None:
    backend.replace([document(1, "A heron."), document(2, "A swan.")], ())
    heron = Word("heron")
    assert backend.search([heron, heron], keep=None, limit=ALL) == backend.search([heron], keep=None, limit=ALL)


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800", "🦩 🏳️‍🌈", "\u202egnirts", "a" * 70 + "\n" * 1000, "%s {} \\"]
)
def test_no_text_is_too_strange(backend: Backend, text: str) -> None:
    backend.replace([document(1, text, title=text, names=text), document(2, "A heron.")], ())
    assert found(backend, "heron") == [2]
    ask(backend, text)


# -- rarity


def test_the_rarer_a_term_the_more_it_says(backend: Backend) -> None:
    backend.replace([document(number, "rain " + ("heron" if number < 4 else "")) for number in range(1, 300)], ())
    worth = backend.rarity(["rain", "heron", "swan"])
    assert 0 < worth["rain"] < worth["heron"] < worth["swan"]
    assert list(worth) == ["rain", "heron", "swan"]


# -- the oracle

WORDS = ["heron", "swan", "rain", "mill", "gauge", "weir", "river", "größe", "поиск"]


def collections(longest: int) -> st.SearchStrategy[list[IndexDocument]]:
    saying = st.lists(st.sampled_from(WORDS), max_size=longest).map(" ".join)
    passages = st.lists(saying, max_size=4).map(tuple)
    return st.lists(st.builds(IndexDocument, st.just(0), saying, saying, saying, saying, passages), max_size=12)


MADE = st.one_of(collections(10), collections(60))
QUESTION = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
WANTED: st.SearchStrategy[Keep | None] = st.one_of(
    st.none(), st.sets(st.integers(1, 12)).map(lambda few: few.__contains__)
)


def numbered(made: list[IndexDocument], first: int = 1) -> list[IndexDocument]:
    return [
        IndexDocument(number, each.title, each.names, each.triggers, each.headings, each.passages)
        for number, each in enumerate(made, first)
    ]


@contextmanager
def both() -> Iterator[list[Backend]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        yield [stack.enter_context(closing(open_backend(name, folder / name))) for name in ("whoosh", "scan")]


def check_alike(whoosh: list[Match], scan: list[Match]) -> None:
    assert [(match.number, match.part) for match in whoosh] == [(match.number, match.part) for match in scan]
    assert [match.score for match in whoosh] == pytest.approx([match.score for match in scan], abs=1e-9)


FEW = settings(max_examples=20)


@FEW
@given(MADE, QUESTION, WANTED, st.integers(0, 12))
def test_whoosh_scores_what_a_reading_of_everything_scores(
    made: list[IndexDocument], question: str, keep: Keep | None, limit: int
) -> None:
    with both() as opened:
        for each in opened:
            each.replace(numbered(made), ())
        whoosh, scan = (ask(each, question, keep=keep, limit=limit) for each in opened)
        check_alike(whoosh, scan)
        terms = query_terms(question)
        assert opened[0].rarity(terms) == pytest.approx(opened[1].rarity(terms))


@FEW
@given(MADE, MADE, st.sets(st.integers(1, 12)), QUESTION, st.booleans())
@pytest.mark.points(only=True)
def test_after_changes_whoosh_scores_what_a_reading_of_everything_scores(
    before: list[IndexDocument], later: list[IndexDocument], gone: set[int], question: str, optimised: bool
) -> None:
    with both() as opened:
        for each in opened:
            each.replace(numbered(before), ())
            each.replace(numbered(later, 100), sorted(gone))
        if optimised:
            opened[0].optimise()
        whoosh, scan = (ask(each, question) for each in opened)
        check_alike(whoosh, scan)
        assert opened[0].numbers() == opened[1].numbers()


# -- other words


def test_a_word_that_stands_for_another_is_found_behind_the_word_itself(backend: Backend) -> None:
    backend.replace([document(1, "The customer called."), document(2, "The client called."), document(3, "Rain.")], ())
    matches = backend.search([Word("client", (("custom", 0.3),))], keep=None, limit=ALL)
    assert [match.number for match in matches] == [2, 1]


def test_a_vague_word_counts_for_less(backend: Backend) -> None:
    backend.replace([document(1, "A heron."), document(2, "A swan.")], ())
    matches = backend.search([Word("heron", weight=0.4), Word("swan")], keep=None, limit=ALL)
    assert [match.number for match in matches] == [2, 1]


def test_terms_spelled_alike_are_named_for_what_stands_nowhere(backend: Backend) -> None:
    backend.replace([document(1, "A zeppelin.", title="Zeppelins"), document(2, "Notes.", names="hydrogen")], ())
    assert backend.near(["zeppelim", "hydrogenium", "zeppelin", "heron"]) == {
        "zeppelim": ["zeppelin"],
        "hydrogenium": ["hydrogen"],
    }


def test_what_is_gone_is_near_to_nothing(backend: Backend) -> None:
    backend.replace([document(1, "A zeppelin."), document(2, "Rain.")], ())
    backend.replace([], [1])
    assert backend.near(["zeppelim"]) == {}


SAID_OTHERWISE = st.lists(
    st.builds(
        Word,
        st.sampled_from([*WORDS, "nowhere"]),
        st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from((0.3, 0.5, 0.9))), max_size=3).map(tuple),
        st.sampled_from((0.4, 1.0)),
    ),
    min_size=1,
    max_size=4,
)


@FEW
@given(MADE, SAID_OTHERWISE, st.integers(0, 12))
def test_with_other_words_too_whoosh_scores_what_a_reading_of_everything_scores(
    made: list[IndexDocument], question: list[Word], limit: int
) -> None:
    with both() as opened:
        for each in opened:
            each.replace(numbered(made), ())
        check_alike(*(each.search(question, keep=None, limit=limit) for each in opened))
        terms = [word.term for word in question]
        assert opened[0].near(terms) == opened[1].near(terms)
