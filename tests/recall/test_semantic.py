"""Recalls that find by meaning too: what they gain, and that they never lose what words find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("model2vec")

from memvault import Memvault  # noqa: E402
from memvault.core.conversation import Turn  # noqa: E402
from memvault.core.query import Filters  # noqa: E402
from memvault.errors import NoVectors  # noqa: E402
from memvault.recall import semantic  # noqa: E402
from memvault.recall.ranking.question import read_question  # noqa: E402
from memvault.recall.ranking.turns import ScoredUnit, ScoreParts, score_units  # noqa: E402
from memvault.recall.semantic import fuse_turns  # noqa: E402
from memvault.recall.semantic_model import count_vectors  # noqa: E402
from memvault.storage.vault.context import VaultContext  # noqa: E402
from memvault.text.terms import extract_terms  # noqa: E402
from memvault.transcripts.search import CombinedResult, TurnHit, refresh_index  # noqa: E402
from tests.benchmarks.chats import Chats  # noqa: E402
from tests.conftest import START, Clock  # noqa: E402
from tests.models.static_model import make_model  # noqa: E402
from tests.recall.ranking.turn_indexes import MemoryShelf  # noqa: E402
from tests.transcripts.talking import CONCERT, GAUGES, chat  # noqa: E402

NOTES = {
    "tyres": "The sedan needs new tyres before the first snow.",
    "knee": "The surgeon said that the knee is fine again.",
    "sunday": "On Sundays there is lasagna with spinach.",
    "leash": "The poodle pulls whenever a cat comes by.",
    "pipeline": "Deploy on Thursdays, never before a weekend.",
    "boiler": "The boiler loses pressure; open the second valve.",
}
TALK = (
    ("Noor", "The poodle slept all through the thunderstorm."),
    ("Tom", "Mine hides under the stairs for hours."),
    ("Noor", "We should buy a thicker curtain for that window."),
    ("Tom", "The shop on the corner has them at half the price."),
    ("Noor", "Then let us go on Friday after lunch."),
    ("Tom", "Friday it is, right after the tram arrives."),
)
WORDS = ("boiler pressure", "lasagna", "When do we deploy?", "poodle", "what did the surgeon say")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"))


Reopen = Callable[..., Memvault]


@pytest.fixture
def filled(vault: Memvault) -> Memvault:
    for title, text in NOTES.items():
        vault.remember(text, title=title, near="ignore")
    return vault


@pytest.fixture
def with_model(filled: Memvault, open_vault: Any, model: Path) -> Reopen:
    """The vault once more, with a model."""

    def reopen(**given: Any) -> Memvault:
        settings = {"semantic.model": str(model), **given.pop("settings", {})}
        opened: Memvault = open_vault(filled.root, settings=settings, **given)
        return opened

    return reopen


def titles(vault: Memvault, query: str, **given: Any) -> list[str]:
    return [hit.memory.title for hit in vault.recall(query, **given).hits]


def order(vault: Memvault, query: str) -> list[tuple[str, float, float]]:
    return [(hit.memory.title, hit.score, hit.similarity) for hit in vault.recall(query).hits]


def said(vault: Memvault, query: str) -> list[tuple[str, float]]:
    found = vault.recall(query, spoken=True)
    assert isinstance(found, CombinedResult)
    return [(each.text, each.score) for each in found.ranked if isinstance(each, TurnHit)]


def taught(vault: Memvault, tmp_path: Path, *sittings: Sequence[tuple[str, str]]) -> None:
    vault.ingest([str(chat(tmp_path / "talk.json", *sittings))])


# -- what it gains


@pytest.mark.parametrize(
    ("query", "title"), [("physician", "knee"), ("hound", "leash"), ("supper", "sunday"), ("vehicle", "tyres")]
)
@pytest.mark.points(only=True)
def test_a_memory_is_found_that_shares_no_word(filled: Memvault, with_model: Reopen, query: str, title: str) -> None:
    assert titles(with_model(), query)[0] == title


def test_hit_by_meaning_alone_is_weak(with_model: Reopen) -> None:
    hit = with_model().recall("physician").hits[0]
    assert hit.weak
    assert hit.similarity < 0.4
    assert titles(with_model(), "physician", min_similarity=0.4) == []


@pytest.mark.points(only=True)
def test_turns_are_found_without_a_shared_word(filled: Memvault, with_model: Reopen, tmp_path: Path) -> None:
    taught(filled, tmp_path, TALK)
    assert any("poodle" in text for text, _ in said(with_model(), "hound"))
    assert said(filled, "hound") == []


@pytest.mark.points(only=True)
def test_explain_names_what_meaning_adds(filled: Memvault, with_model: Reopen) -> None:
    hit = with_model().recall("physician").hits[0]
    assert hit.meaning > 0
    assert hit.meaning == pytest.approx(hit.score)
    assert all(hit.meaning == 0 for query in WORDS for hit in filled.recall(query).hits)


def test_conditions_hold_for_what_lies_near(with_model: Reopen) -> None:
    assert titles(with_model(), "physician", filters=Filters(tags=frozenset({"nowhere"}))) == []


# -- what it never loses


@pytest.mark.parametrize("query", WORDS)
def test_first_hit_of_words_stays_first(filled: Memvault, with_model: Reopen, query: str) -> None:
    assert titles(with_model(), query)[0] == titles(filled, query)[0]


@pytest.mark.parametrize("query", WORDS)
@pytest.mark.points(only=True)
def test_all_that_words_find_is_found(filled: Memvault, with_model: Reopen, query: str) -> None:
    assert set(titles(filled, query)) <= set(titles(with_model(), query))


def missing(vault: Memvault, model: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return {"semantic.model": str(model / "nowhere")}


def silent(vault: Memvault, model: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return {"semantic.model": "", "semantic.url": "http://127.0.0.1:9/v1", "semantic.name": "small"}


def without_numpy(vault: Memvault, model: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    import sys

    for name in ("memvault.storage.index.vectors", "memvault.models.embeddings", "model2vec"):
        monkeypatch.setitem(sys.modules, name, None)
    return {}


@pytest.mark.parametrize("trouble", [missing, silent, without_numpy])
@pytest.mark.points(only=True)
def test_recall_without_an_answer_equals_words_alone(
    filled: Memvault, with_model: Reopen, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Any
) -> None:
    taught(filled, tmp_path, GAUGES, CONCERT)
    plain = [order(filled, query) for query in WORDS]
    told = said(filled, "gauge battery")
    other = with_model(settings=trouble(filled, model, monkeypatch))
    assert [order(other, query) for query in WORDS] == plain
    assert said(other, "gauge battery") == told


def is_loaded(vault: Memvault) -> bool:
    def loaded(context: VaultContext) -> bool:
        meaning = context.open_semantic() if context.open_semantic is not None else None
        assert meaning is not None
        return meaning.embedder.is_loaded

    return vault.run(loaded)


def test_hurried_recall_does_not_load_a_model(filled: Memvault, with_model: Reopen) -> None:
    hurried = with_model(hurried=True)
    assert titles(hurried, "physician") == titles(filled, "physician") == []
    assert not is_loaded(hurried)
    assert hurried.run(count_vectors).fresh == len(NOTES)
    hurried.embed()
    assert titles(hurried, "physician") == ["knee"]
    assert is_loaded(hurried)
    assert hurried.run(count_vectors).fresh == 0


def test_one_that_failed_is_asked_again_after_a_while(
    with_model: Reopen, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = with_model()
    asked: list[str] = []

    def failing(texts: Sequence[str]) -> object:
        asked.extend(texts)
        raise NoVectors(name="tiny", reason="it is tired")

    model = vault._open_semantic_index()
    assert model is not None
    monkeypatch.setattr(model.embedder, "embed_texts", failing)
    for _ in range(3):
        assert titles(vault, "physician") == []
    assert len(asked) == len(NOTES)
    monkeypatch.undo()
    clock.pass_(minutes=2)
    assert titles(vault, "physician") == ["knee"]


@pytest.mark.points(only=True)
def test_a_model_that_knows_nothing_costs_nothing() -> None:
    chance = np.random.default_rng(3)
    plain, joined = [], []
    for talk in Chats(5).talks(3):
        shelf = MemoryShelf([Turn(id=str(place), speaker=who, text=text) for place, (who, text) in enumerate(talk)])
        for place, (_, text) in enumerate(talk):
            likeness = chance.standard_normal(len(talk))
            beyond = np.maximum((likeness - likeness.mean()) / likeness.std() - 1, 0)
            found = score_units(read_question(" ".join(sorted(extract_terms(text))[:3]), now=START), shelf, limit=100)
            near = {unit: float(value) for unit, value in enumerate(beyond) if value}
            both = fuse_turns(found, near, weight=1.0, turns=shelf.turns, limit=100)
            plain.append(place in [one.unit for one in found[:5]])
            joined.append(place in [one.unit for one in both[:5]])
    assert 60 < sum(plain) < len(plain)  # hard enough to lose something
    assert sum(joined) >= sum(plain) - len(plain) // 100


# -- keeping up


@pytest.mark.points(only=True)
def test_new_changed_and_forgotten_memories_are_kept_up_with(with_model: Reopen) -> None:
    vault = with_model()
    assert titles(vault, "physician") == ["knee"]
    vault.remember("My doctor moved to the new building.", title="moved", near="ignore")
    assert set(titles(vault, "physician")) == {"knee", "moved"}
    vault.edit("knee", body="The joint is fine again.")
    assert titles(vault, "physician") == ["moved"]
    vault.forget("moved")
    assert titles(vault, "physician") == []


def test_a_conversation_that_grew_is_kept_up_with(filled: Memvault, with_model: Reopen, tmp_path: Path) -> None:
    taught(filled, tmp_path, GAUGES)
    vault = with_model()
    vault.embed()
    taught(filled, tmp_path, GAUGES, TALK)
    vault.run(refresh_index)
    assert vault.run(count_vectors).fresh == len(TALK)
    assert any("poodle" in text for text, _ in said(vault, "hound"))


def test_damaged_vectors_are_made_again(with_model: Reopen) -> None:
    vault = with_model()
    vault.embed()
    vault.close()
    (path,) = Path(vault.environment["XDG_CACHE_HOME"]).rglob("*.vectors")
    path.write_bytes(path.read_bytes()[:-3])
    assert titles(vault, "physician") == ["knee"]


def test_an_index_that_is_built_again_takes_its_vectors_with_it(with_model: Reopen) -> None:
    vault = with_model()
    vault.embed()
    vault.remember("The puppy ate my shoe.", title="shoe", near="ignore")
    vault.forget("tyres")
    vault.reindex()
    assert set(titles(vault, "hound")) == {"leash", "shoe"}
    assert titles(vault, "physician") == ["knee"]


def test_a_long_memory_is_found_by_the_passage_that_lies_near(with_model: Reopen) -> None:
    filler = "The tower stands by the river and the bells ring at noon for everybody in the old town. "
    text = "\n\n".join([filler * 4, "Our physician has a new clinic. " * 8, filler * 4])
    vault = with_model()
    vault.remember(text, title="a long one", near="ignore")
    hits = {hit.memory.title: hit for hit in vault.recall("surgeon hospital").hits}
    assert "clinic" in hits["a long one"].text


def test_much_is_embedded_in_parts_with_progress(with_model: Reopen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "_BATCH", 2)
    monkeypatch.setattr(semantic, "_SEGMENT", 4)
    told: list[tuple[int, int]] = []
    vault = with_model()
    done = vault.embed(progress=lambda part, whole: told.append((part, whole)))
    assert (done.fresh, done.vectors) == (len(NOTES), len(NOTES))
    assert told == [(2, 6), (4, 6), (6, 6)]
    assert vault.embed().fresh == 0
    assert titles(vault, "physician") == ["knee"]


# -- two lists as one

NOTHING = ScoreParts(words=0.0, around=0.0, sitting=0.0, speaker=0.0, day=0.0, timed=0.0, asking=0.0, voice=0.0)
TURNS = [0, 0, 1, 2, 3, 4]


def scored(*rows: tuple[int, float, float]) -> list[ScoredUnit]:
    return [ScoredUnit(unit, score, sure, NOTHING) for unit, score, sure in rows]


def test_part_found_by_words_stands_for_its_turn() -> None:
    found = fuse_turns(scored((0, 5.0, 0.8)), {1: 9.0, 2: 1.0}, weight=1.0, turns=TURNS, limit=10)
    assert [one.unit for one in found] == [0, 2]


def test_each_score_is_the_sum_of_its_reasons() -> None:
    rows = [
        ScoredUnit(2, 4.0, 0.7, ScoreParts(4.0, 0, 0, 0, 0, 0, 0, 0)),
        ScoredUnit(3, 3.5, 0.6, ScoreParts(3.5, 0, 0, 0, 0, 0, 0, 0)),
    ]
    found = fuse_turns(rows, {3: 2.0, 5: 1.0}, weight=1.0, turns=TURNS, limit=10)
    assert [(one.unit, one.score) for one in found] == [(3, 5.5), (2, 4.0), (5, 1.0)]
    assert [one.reasons.total for one in found] == [one.score for one in found]


def test_no_more_than_wanted_is_given() -> None:
    assert len(fuse_turns(scored((2, 4.0, 0.7), (3, 3.0, 0.7)), {5: 1.0}, weight=1.0, turns=TURNS, limit=2)) == 2
