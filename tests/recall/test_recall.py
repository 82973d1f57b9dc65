"""Recall: what was said is found however it is asked for, and always as the files say it now."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Place
from memvault.core.query import Filters
from memvault.errors import BadInput
from memvault.text.terms import estimate_tokens
from memvault.transcripts.search import CombinedResult, TurnHit
from tests.conftest import Clock, Opener
from tests.transcripts.talking import chat

TEXTS = (
    "Sara prefers tea over coffee in the morning.",
    "ADR-016 moves the session store from Redis to Postgres.",
    "ADR-017 keeps the search index on local disks.",
    "The login code lives in src/auth/login.py and needs two reviewers.",
    "Write to maria.lopez@acme.example for invoices.",
    "Café crème in the Rue de l'Échiquier is the best.",
    "東京の会議は来週の火曜日に延期された。",
    "Version 2.7.5 of the parser drops empty lines.",
    "Die Straßenbahn fährt am Wochenende nicht.",
)


@pytest.fixture
def full(vault: Memvault) -> Memvault:
    for text in TEXTS:
        vault.remember(text)
    return vault


@pytest.fixture(scope="module")
def full_to_read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memvault]:
    """The same for many tests, none of which changes it."""
    folder = tmp_path_factory.mktemp("full")
    clock = Clock()
    Memvault.init(folder / "vault", clock=clock)
    with Memvault(folder / "vault", clock=clock, environment={"HOME": str(folder)}) as vault:
        for text in TEXTS:
            vault.remember(text)
        yield vault


def first(vault: Memvault, query: str) -> str:
    hits = vault.recall(query).hits
    return hits[0].text if hits else ""


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("what does Sara like to drink, tea?", 0),
        ("ADR-016", 1),
        ("adr-017", 2),
        ("where is the login code", 3),
        ("src/auth/login.py", 3),
        ("login.py", 3),
        ("maria.lopez@acme.example", 4),
        ("lopez", 4),
        ("cafe creme", 5),
        ("Échiquier", 5),
        ("会議", 6),
        ("火曜日", 6),
        ("2.7.5", 7),
        ("strassenbahn", 8),
        ('"session store"', 1),
        ("reviewer", 3),
        ("don't we have two reviewers? (login)", 3),
        ("NOT redis AND (postgres", 1),
    ],
)
def test_natural_questions_names_paths_and_scripts_find_what_they_should(
    full_to_read: Memvault, query: str, wanted: int
) -> None:
    assert first(full_to_read, query) == TEXTS[wanted]


def test_a_quoted_phrase_must_stand_there_as_it_is(full_to_read: Memvault) -> None:
    assert [hit.text for hit in full_to_read.recall('"session store"').hits] == [TEXTS[1]]
    assert full_to_read.recall('"store session"').hits == ()


@pytest.mark.points(only=True)
def test_an_edit_made_by_any_other_program_is_seen_at_once(full: Memvault) -> None:
    path = full.path_of(full.recall("Sara").hits[0].memory.id)
    path.write_text(path.read_text().replace("tea over coffee", "rooibos over everything"))
    assert "rooibos" in first(full, "rooibos")
    assert full.recall("tea").hits == () or "tea over" not in first(full, "tea")


@pytest.mark.points(only=True)
def test_a_file_dropped_into_the_vault_is_found_and_a_deleted_one_is_not(full: Memvault) -> None:
    dropped = full.root / "2-memories" / "Dropped by hand.md"
    dropped.write_text("The zeppelin museum closes at six.")
    assert "zeppelin" in first(full, "zeppelin")
    dropped.unlink()
    assert full.recall("zeppelin").hits == ()


def test_recall_may_find_nothing(full_to_read: Memvault) -> None:
    answer = full_to_read.recall("quantum chromodynamics")
    assert (answer.hits, answer.tokens, answer.searched) == ((), 0, len(TEXTS))


def test_a_hit_says_how_alike_it_is_on_a_scale_that_is_always_the_same(full_to_read: Memvault) -> None:
    exact = full_to_read.recall("session store Redis Postgres").hits[0]
    faint = full_to_read.recall("Postgres tuning for analytics warehouses and dashboards").hits[0]
    assert 0.9 < exact.similarity <= 1.0
    assert faint.similarity < 0.4
    assert (exact.weak, faint.weak) == (False, True)
    assert full_to_read.recall("Postgres tuning for analytics warehouses", min_similarity=0.5).hits == ()


def test_a_long_note_is_one_hit_with_its_best_passage(vault: Memvault) -> None:
    filler = " ".join(f"Sentence number {n} speaks of ordinary things in an ordinary way." for n in range(80))
    vault.remember(
        f"# Notebook\n\n{filler}\n\n## Boat\n\nThe boat is moored at pier nine.\n\n{filler}", title="Notebook"
    )
    hits = vault.recall("where is the boat moored").hits
    assert len(hits) == 1
    assert "pier nine" in hits[0].text
    assert estimate_tokens(hits[0].text) < 200


@pytest.mark.points(only=True)
def test_the_budget_is_never_exceeded_and_what_was_left_out_is_said(vault: Memvault) -> None:
    for n in range(12):
        vault.remember(f"Lighthouse {n}: " + "the keeper writes a long report about the weather and the sea. " * 6)
    answer = vault.recall("lighthouse keeper", budget=300, limit=12)
    assert answer.tokens <= 300
    assert sum(estimate_tokens(hit.text) for hit in answer.hits) <= 300
    assert len(answer.hits) + answer.left_out == 12


def test_conditions_narrow_the_search(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    vault.remember("The garden fence is green.", tags=("home/garden",), people=("Ana Ruiz",), type="reference")
    clock.pass_(days=10)
    vault.remember("The garden gate was fixed yesterday.", tags=("home",), kind="episodic")

    def titles(**given: object) -> list[str]:
        found = vault.recall("garden", filters=Filters(**given)).hits  # type: ignore[arg-type]
        return sorted(hit.memory.title for hit in found)

    fence, gate = "The garden fence is green", "The garden gate was fixed yesterday"
    assert titles() == [fence, gate]
    assert titles(tags=frozenset({"home"})) == [fence, gate]
    assert titles(tags=frozenset({"home/garden"})) == [fence]
    assert titles(people=frozenset({"ana"})) == [fence]
    assert titles(kinds=frozenset({"episodic"})) == [gate]
    assert titles(types=frozenset({"reference"})) == [fence]
    assert titles(since=clock.now.replace(hour=0)) == [gate]
    assert titles(tiers=frozenset({1})) == []


def test_archived_memories_are_found_and_marked(full: Memvault) -> None:
    full.move(full.recall("Sara").hits[0].memory.id, "archived")
    hit = full.recall("Sara tea").hits[0]
    assert (hit.memory.place, hit.memory.status) == (Place.ARCHIVED, "archived")


def test_the_heavier_memory_goes_first_where_the_words_say_the_same(vault: Memvault) -> None:
    vault.remember("Alpha beta gamma.", title="Light", weight=0.3)
    vault.remember("Alpha beta gamma.", title="Grave", weight=0.9)
    assert [hit.memory.title for hit in vault.recall("alpha beta gamma").hits] == ["Grave", "Light"]


@pytest.mark.points(only=True)
def test_reading_writes_no_note_and_only_whole_texts_count_as_a_use(full: Memvault) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in full.root.rglob("*.md")}
    full.recall("Sara tea")
    assert full.show("Sara prefers tea over coffee in the morning").uses == 0
    full.recall("Sara tea", whole_texts=True, limit=1)
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in full.root.rglob("*.md")}
    assert full.show("Sara prefers tea over coffee in the morning").uses == 1  # one a day and device counts once


def test_a_query_without_words_needs_a_condition(full_to_read: Memvault) -> None:
    with pytest.raises(BadInput):
        full_to_read.recall("?!")
    assert len(full_to_read.recall("", filters=Filters(tiers=frozenset({2}))).hits) == len(TEXTS)


@pytest.mark.points(only=True)
def test_a_cache_emptied_under_an_open_vault_is_filled_again(full: Memvault, environment: dict[str, str]) -> None:
    assert full.recall("Sara").hits
    shutil.rmtree(environment["XDG_CACHE_HOME"])
    full.remember("A new one about herons.")
    assert full.recall("herons").hits
    assert full.recall("Sara").hits


@pytest.mark.points(only=True)
def test_an_index_damaged_between_two_queries_is_built_again(full: Memvault, environment: dict[str, str]) -> None:
    first = len(full.recall("Sara", min_similarity=0.0).hits)
    for path in Path(environment["XDG_CACHE_HOME"]).rglob("*.seg"):
        path.write_bytes(b"damaged" * 50)
    assert len(full.recall("Sara", min_similarity=0.0, fresh=True).hits) == first


# -- what contradicts, and what was superseded

BACKUP = (
    "The portal backup runs at {} every night.\n\nIlse keeps the tapes in the blue cupboard beside the office door."
    " A tape is used again after six weeks."
)


def backup(vault: Memvault, clock: Clock, hour: str, title: str) -> str:
    clock.pass_(days=1)
    return vault.remember(BACKUP.format(hour), title=title).memory.id


def found_ids(vault: Memvault, query: str) -> list[str]:
    return [hit.memory.id for hit in vault.recall(query).hits]


@pytest.mark.points(only=True)
def test_newer_of_two_contradicting_hits_stands_directly_before_the_older(vault: Memvault, clock: Clock) -> None:
    old = backup(vault, clock, "02:00", "Portal backup at night")
    between = vault.remember(
        "Nobody answers for the portal while its backup at night goes on, as Ilse is asleep at 02:00."
    ).memory.id
    new = backup(vault, clock, "04:00", "Tapes")
    query = "portal backup night 02:00"
    assert found_ids(vault, query).index(old) < found_ids(vault, query).index(new)
    vault.list_conflicts()
    order = found_ids(vault, query)
    assert order.index(old) == order.index(new) + 1
    assert set(order) == {old, between, new}
    assert {hit.memory.id: hit.contradicts for hit in vault.recall(query).hits} == {
        old: (new,),
        new: (old,),
        between: (),
    }


@pytest.mark.points(only=True)
def test_superseded_memory_is_found_behind_its_successor(vault: Memvault, clock: Clock) -> None:
    old = backup(vault, clock, "02:00", "Portal backup at night")
    new = backup(vault, clock, "04:00", "Tapes")
    vault.list_conflicts()
    vault.resolve(old, new)
    query = "tapes backup 04:00"
    assert found_ids(vault, query) == [old, new]
    assert [(hit.superseded, hit.contradicts) for hit in vault.recall(query).hits] == [(False, ()), (True, ())]
    vault.undo()
    assert [hit.superseded for hit in vault.recall(query).hits] == [False, False]


@pytest.mark.points(only=True)
def test_a_chain_of_successors_stands_in_its_order_and_one_that_goes_round_is_no_harm(
    vault: Memvault, clock: Clock
) -> None:
    first, second, third = (backup(vault, clock, hour, f"Tapes {hour}") for hour in ("02:00", "04:00", "05:00"))
    vault.resolve(second, first)
    vault.resolve(third, second)
    assert found_ids(vault, "tapes 02:00") == [third, second, first]
    vault.link(first, third, relation="supersedes")
    assert sorted(found_ids(vault, "tapes 02:00")) == sorted([first, second, third])


def test_a_successor_named_by_hand_on_one_side_counts(vault: Memvault, clock: Clock) -> None:
    old = backup(vault, clock, "02:00", "Portal backup at night")
    new = backup(vault, clock, "04:00", "Tapes")
    vault.edit(new, fields={"supersedes": ("[[Portal backup at night]]",)})
    assert found_ids(vault, "portal backup night 02:00") == [new, old]


def test_settled_contradiction_is_not_reported(vault: Memvault, clock: Clock) -> None:
    old = backup(vault, clock, "02:00", "Portal backup at night")
    new = backup(vault, clock, "04:00", "Tapes")
    vault.list_conflicts()
    assert [memory.id for memory in vault.show(old).contradicts] == [new]
    vault.link(new, old, relation="supersedes")
    shown = vault.show(old)
    assert (shown.contradicts, [memory.id for memory in shown.superseded_by]) == ((), [new])
    assert vault.show(new).contradicts == ()


def test_linked_memories_come_with_a_hit_where_there_is_room(vault: Memvault) -> None:
    vault.remember("The weir at Hollin opens at high water.", title="Weir")
    vault.remember("Ilse keeps the brass key in the blue tin.", title="Key")
    vault.remember("Boats wait below the bridge.", title="Boats")
    vault.link("Weir", "Key", relation="extends")
    hits = vault.recall("when does the weir open").hits
    assert [(hit.memory.title, hit.via) for hit in hits] == [("Weir", ""), ("Key", "Weir extends it")]
    assert [hit.memory.title for hit in vault.recall("when does the weir open", limit=1).hits] == ["Weir"]


def test_successor_comes_with_a_hit_and_before_it(vault: Memvault) -> None:
    vault.remember("The weir at Hollin opens at high water.", title="Weir")
    vault.remember("It is shut for good since the flood.", title="Shut")
    vault.link("Shut", "Weir", relation="supersedes")
    assert [hit.memory.title for hit in vault.recall("when does the weir open").hits] == ["Shut", "Weir"]


# -- other words, other names, days


def test_another_word_for_the_same_is_found_and_the_word_itself_goes_first(vault: Memvault) -> None:
    vault.remember("Our customers are called back within a day.", title="Calls")
    assert [hit.memory.title for hit in vault.recall("clients").hits] == ["Calls"]
    vault.remember("Each client has a folder of its own.", title="Folders")
    assert [hit.memory.title for hit in vault.recall("clients").hits] == ["Folders", "Calls"]


def test_a_slip_of_the_pen_is_forgiven_where_the_word_stands_nowhere(full_to_read: Memvault) -> None:
    assert first(full_to_read, "invoyces") == TEXTS[4]
    assert first(full_to_read, "Postgrse") == TEXTS[1]


def test_people_are_found_by_any_of_their_names(full: Memvault, open_vault: Opener) -> None:
    full.remember("Prefers the window seat.", title="Trains", people=("Sara Uy",))
    with open_vault(full.root, settings={"people.aliases": ("Sara Uy = Sara, SU, the boss",)}) as named:
        assert {hit.memory.title for hit in named.recall("SU").hits} >= {"Trains"}
        assert "window seat" in named.recall("window seat for the boss").hits[0].text
        for name in ("Sara Uy", "su", "The Boss", "Sara"):
            found = named.recall("seat", filters=Filters(people=frozenset({name}))).hits
            assert [hit.memory.title for hit in found] == ["Trains"], name
        assert [row.memory.title for row in named.list(Filters(people=frozenset({"SU"}))).rows] == ["Trains"]
    assert full.recall("seat", filters=Filters(people=frozenset({"SU"}))).hits == ()


def test_memories_of_the_named_days_go_first(vault: Memvault, clock: Clock) -> None:
    for _ in range(3):
        clock.pass_(days=14)
        vault.remember(f"The weir was inspected, nothing to tell ({clock.now:%Y-%j}).", title=f"Weir {clock.now:%Y-%j}")
    wanted = clock.now - timedelta(days=14)
    hits = vault.recall(f"inspection of the weir on {wanted.day} {wanted:%B %Y}").hits
    assert hits[0].memory.title == f"Weir {wanted:%Y-%j}"
    assert [hit.dated for hit in hits] == [True, False, False]
    assert hits[0].similarity > hits[1].similarity


@pytest.mark.parametrize("query", ["what was done on 3 May 2025", "am 3. Mai 2025 gemacht", "2025-05-03", "03.05.2025"])
@pytest.mark.parametrize("heading", ["# 2025-05-03", "## 03.05.2025", "# Saturday, 2025-05-03"])
def test_a_day_that_stands_in_the_text_is_found_however_it_is_asked_for(
    vault: Memvault, query: str, heading: str
) -> None:
    folder = vault.root / "2-memories"
    folder.mkdir(exist_ok=True)
    for number in range(4):
        (folder / f"log {number}.md").write_text(f"# Log {number}\n\nWas done in 2024: pruned row {number + 3}.")
    (folder / "that day.md").write_text(f"{heading}\n\nPlanted beans.")
    assert "Planted beans" in first(vault, query)


def test_a_number_is_found_with_zeros_or_without(full_to_read: Memvault) -> None:
    assert first(full_to_read, "ADR 17") == TEXTS[2]
    assert first(full_to_read, "adr-0016") == TEXTS[1]


def test_speaker_is_found_by_any_of_their_names(vault: Memvault, open_vault: Opener, tmp_path: Path) -> None:
    said = (("SU", "The kayak was sold at once."), ("Ilja", "My kayak was sold too."), ("Ilja", "Lunch was late."))
    vault.ingest([str(chat(tmp_path / "talk.json", said))])
    with open_vault(vault.root, settings={"people.aliases": ("Sara Uy = Sara, SU",)}) as named:
        found = named.recall("what did Sara sell, a kayak?", spoken=True)
    assert isinstance(found, CombinedResult)
    best = found.ranked[0]
    assert isinstance(best, TurnHit)
    assert best.turn.speaker == "SU"
    assert best.reasons is not None
    assert best.reasons.speaker > 0


# -- memories that say the same

SAME = "The ferry to the small island leaves from the old pier every morning, and the mate sells tickets on board."


@pytest.mark.points(only=True)
def test_recall_folds_duplicates_into_the_best_hit(vault: Memvault) -> None:
    ids = [vault.remember(SAME, title="Ferry").memory.id for _ in range(3)]
    vault.remember("The ferry to the big island leaves at nine.", title="Big ferry")
    hits = vault.recall("ferry island", limit=2).hits
    assert [len(hit.alike) for hit in hits] in ([2, 0], [0, 2])
    stands = next(hit for hit in hits if hit.alike)
    assert {stands.memory.id, *stands.alike} == set(ids)


def test_recall_folds_nothing_when_asked_for_all(vault: Memvault) -> None:
    for _ in range(3):
        vault.remember(SAME, title="Ferry")
    assert len(vault.recall("ferry island", fold=False).hits) == 3


@pytest.mark.points(only=True)
def test_successor_is_not_folded_into_a_duplicate(vault: Memvault) -> None:
    old = vault.remember(SAME, title="Ferry").memory.id
    new = vault.remember(SAME.replace("mate", "captain"), title="Ferry").memory.id
    assert len(vault.recall("ferry island").hits) == 1
    vault.resolve(new, old)
    assert found_ids(vault, "ferry island") == [new, old]


# -- very long questions


def test_a_question_of_twelve_kilobytes_is_bounded_and_the_answer_says_so(
    full: Memvault, environment: dict[str, str]
) -> None:
    days = " ".join(f"{month} {day}," for month in ("January", "March", "May", "July") for day in range(10, 29))
    question = f"the parser {days} " + "monday " * 1_700
    found = full.recall(question, min_similarity=0.0)
    assert any("parser" in hit.text for hit in found.hits)
    assert found.bounded == (
        "The question is very long: only the first 3,999 of its 12,652 characters and the first 40 of the 77 days"
        " that it names were looked for."
    )
    assert full.dig(question).bounded == found.bounded
    assert full.recall(question, spoken=True).bounded == found.bounded
    assert not list(Path(environment["XDG_CACHE_HOME"]).rglob("*.damaged"))


def test_a_usual_question_is_not_bounded(full: Memvault) -> None:
    assert full.recall("what did Sara say on May 1, May 3 and last week " + "of the parser " * 100).bounded is None


def test_a_note_is_found_by_the_folder_that_its_person_put_it_in(vault: Memvault) -> None:
    folder = vault.root / "Greenhouse"
    folder.mkdir()
    (folder / "May.md").write_text("Water daily at seven, shade cloth from noon.\n", encoding="utf-8")
    assert vault.recall("greenhouse").hits[0].memory.path == "Greenhouse/May.md"


def test_a_recall_can_be_kept_to_what_holds_everywhere_or_in_one_project(vault: Memvault) -> None:
    for name, fields in {
        "all": "",
        "ours": "project: git@example.org:works/harbor.git\n",
        "shared": "project: harbor\nscope: global\n",
        "theirs": "project: mill\n",
    }.items():
        path = vault.root / "2-memories" / f"{name}.md"
        path.write_text(f"---\n{fields}---\nThe crane is oiled on Mondays.\n")

    def found(*scopes: str) -> set[str]:
        hits = vault.recall("crane", filters=Filters(scopes=frozenset(scopes)), fold=False).hits
        return {hit.memory.name for hit in hits}

    assert found("global") == {"all", "shared"}
    assert found("Harbor") == {"ours"}
    assert found("global", "harbor") == {"all", "shared", "ours"}
    assert found("quay") == set()
