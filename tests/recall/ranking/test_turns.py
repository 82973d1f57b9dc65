from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Turn
from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import ScoredUnit, score_units
from memvault.recall.ranking.weights import WEIGHTS, RankingWeights
from tests.recall.ranking.turn_indexes import MemoryShelf

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
BEGAN = datetime(2024, 5, 2, 9, tzinfo=UTC)
FILLER = tuple(f"The harbour was quiet and boat number {number} came in late." for number in range(20))


def turn(number: int, text: str, speaker: str = "Mara", *, session: str = "s1", day: int = 0, role: str = "") -> Turn:
    return Turn(
        id=str(number), speaker=speaker, text=text, session=session, time=BEGAN + timedelta(days=day), role=role
    )


def talk(*said: str | tuple[str, str]) -> MemoryShelf:
    """One sitting; every other turn is Ilja's unless a speaker is given."""
    rows = [one if isinstance(one, tuple) else (("Mara", "Ilja")[number % 2], one) for number, one in enumerate(said)]
    return MemoryShelf([turn(number, text, speaker) for number, (speaker, text) in enumerate(rows)])


def ask(shelf: MemoryShelf, text: str, *, weights: RankingWeights = WEIGHTS, limit: int = 10) -> list[ScoredUnit]:
    return score_units(read_question(text, now=NOW, weights=weights), shelf, limit=limit, weights=weights)


def found(shelf: MemoryShelf, text: str, **more: object) -> list[str]:
    return [shelf.texts[one.unit] for one in ask(shelf, text, **more)]  # type: ignore[arg-type]


def test_the_turn_with_the_rare_word_comes_first():
    shelf = talk(*FILLER, "The boiler was delivered.", *FILLER)
    assert found(shelf, "What happened to the boiler?")[0] == "The boiler was delivered."


def test_search_finds_nothing_without_a_matching_word():
    assert ask(talk(*FILLER), "zeppelin mooring") == []


def test_an_empty_shelf_finds_nothing():
    assert ask(MemoryShelf([]), "anything at all") == []


def test_speaker_is_found_by_another_name():
    shelf = talk(*FILLER, ("SU", "I sold the red kayak."), ("Ilja", "I sold the red kayak too."), *FILLER)
    question = "What did Sara sell, the kayak?"
    plain = score_units(read_question(question, now=NOW), shelf)
    named = score_units(read_question(question, now=NOW, people=("Sara Uy = Sara, SU",)), shelf)
    assert {one.reasons.speaker for one in plain} == {0.0}
    assert shelf.texts[named[0].unit] == "I sold the red kayak."
    assert named[0].reasons.speaker == WEIGHTS.speaker


def test_an_answer_is_found_by_the_words_of_its_question():
    shelf = talk(*FILLER, "Which breed is your spaniel?", "A springer, from the shelter.", "Lovely.", *FILLER)
    first, second = found(shelf, "spaniel breed")[:2]
    assert {first, second} == {"Which breed is your spaniel?", "A springer, from the shelter."}
    assert first == "A springer, from the shelter."


def test_a_sitting_ends_what_a_turn_is_heard_in():
    turns = [
        turn(0, "We talked about the zeppelin."),
        turn(1, "It was blue.", session="s2"),
        turn(2, "So it was.", session="s2"),
    ]
    assert found(MemoryShelf(turns), "zeppelin") == ["We talked about the zeppelin."]


def test_a_sitting_that_speaks_of_it_throughout_lifts_its_turns():
    texts = ["The garden again.", "The garden, yes.", "Garden and roses.", "I cut the roses and the garden hedge."]
    other = ["Roses are dear.", "So they are.", "Prices rise.", "I cut the roses and the office budget."]
    turns = [turn(number, text) for number, text in enumerate(texts)]
    turns += [turn(number, text, session="s2") for number, text in enumerate(other, 10)]
    assert found(MemoryShelf(turns), "cut roses garden")[0] == texts[3]


def test_the_speaker_who_is_named_comes_first():
    shelf = talk(*FILLER, ("Mara", "I bought a kayak."), ("Ilja", "I bought a kayak."), *FILLER)
    best = ask(shelf, "Did Ilja get a kayak?")[0]
    assert shelf.texts[best.unit] == "I bought a kayak."
    assert best.reasons.speaker == WEIGHTS.speaker


def test_a_speakers_name_is_no_word_to_look_for():
    shelf = talk(*FILLER, ("Ilja", "Mara, Mara, Mara!"), ("Mara", "The kayak is red."), *FILLER)
    assert found(shelf, "Mara kayak")[0] == "The kayak is red."


def test_turns_of_the_day_come_first():
    turns = [turn(day, "We went rowing on the lake.", session=f"s{day}", day=day) for day in range(0, 90, 5)]
    best = ask(MemoryShelf(turns), "Where did we go rowing on 12 May 2024?")[0]
    assert best.unit == 2  # the tenth day after 2 May
    assert best.reasons.day == WEIGHTS.day


def test_a_unit_that_names_the_day_is_found_by_it():
    turns = [turn(0, "We go rowing tomorrow."), turn(1, "We go rowing often.")]
    best = ask(MemoryShelf(turns), "rowing on 3 May 2024")[0]
    assert (best.unit, best.reasons.day) == (0, WEIGHTS.said_day)


def test_a_day_alone_finds_what_was_said_on_it():
    turns = [turn(day, f"Boat {day} came in.", session=f"s{day}", day=day) for day in range(0, 300, 5)]
    assert 2 in [one.unit for one in ask(MemoryShelf(turns), "What happened on 12 May 2024?")]


def test_question_for_a_time_prefers_turns_with_one():
    shelf = talk(*FILLER, "The dentist called me.", "The dentist saw me last week.", *FILLER)
    assert found(shelf, "When was the dentist?")[0] == "The dentist saw me last week."


def test_statements_rank_before_questions():
    shelf = talk(*FILLER, "Is the piano tuned?", *FILLER, "So the piano is tuned.", *FILLER)
    assert found(shelf, "piano tuned")[0] == "So the piano is tuned."


def test_best_part_of_each_turn_is_returned_once():
    long = " ".join(f"Sentence {number} speaks of harbours and of boats that came in." for number in range(40))
    shelf = MemoryShelf([turn(0, f"{long} The zeppelin moored here. {long}"), turn(1, "Nothing else.")])
    best = ask(shelf, "zeppelin boats")
    assert [shelf.turns[one.unit] for one in best] == [0, 1]
    assert "zeppelin" in shelf.texts[best[0].unit]


def exchange() -> MemoryShelf:
    said = [
        ("user", "Which oven shall I buy for baking bread?"),
        ("assistant", "An oven with steam is best for bread, such an oven bakes evenly."),
    ]
    rows = [*said, *(("user", text) for text in FILLER)]
    return MemoryShelf([turn(number, text, role, role=role) for number, (role, text) in enumerate(rows)])


def test_the_persons_own_words_come_before_the_assistants():
    shelf = exchange()
    assert shelf.roles[ask(shelf, "oven for bread")[0].unit] == 1


def test_the_assistants_words_come_first_if_they_are_asked_for():
    shelf = exchange()
    assert shelf.roles[ask(shelf, "Which oven for bread did you recommend?")[0].unit] == 2


def test_a_word_that_nobody_said_is_looked_for_as_it_is_spelled_nearly():
    shelf = talk(*FILLER, "The chrysanthemum is in bloom.", *FILLER)
    assert found(shelf, "chrysantemum")[0] == "The chrysanthemum is in bloom."


def test_a_word_that_was_run_together_is_found_apart():
    shelf = talk(*FILLER, "Our road trip was long.", *FILLER)
    assert found(shelf, "roadtrip")[0] == "Our road trip was long."


def test_other_words_for_the_same_thing_are_found():
    shelf = talk(*FILLER, "I picked up the clarinet again.", *FILLER, "She bought a van.", *FILLER)
    assert found(shelf, "Which instruments?")[0] == "I picked up the clarinet again."
    assert found(shelf, "What did she buy?")[0] == "She bought a van."


def test_a_common_word_tells_the_best_apart_wherever_they_are(monkeypatch):
    texts = [f"The boat {number} is {'blue' if number % 3 else 'red'}." for number in range(300)]
    texts[100], texts[200] = "The zeppelin there is large.", "The zeppelin there is red."
    shelf = MemoryShelf([turn(number, text, session=f"s{number // 20}") for number, text in enumerate(texts)])
    widely = ask(shelf, "red zeppelin", limit=2)
    monkeypatch.setattr("memvault.recall.ranking.turns._ENOUGH", 50)
    assert [one.unit for one in ask(shelf, "red zeppelin", limit=2)] == [one.unit for one in widely] == [200, 100]


def test_reasons_add_up_to_the_score():
    shelf = talk(
        *FILLER, ("Ilja", "Who has my kayak since last May?"), ("Mara", "The kayak was sold last May."), *FILLER
    )
    for one in ask(shelf, "When did Mara sell the kayak in May?"):
        assert one.score == pytest.approx(one.reasons.total)


def test_similarity_tells_an_answer_from_a_chance_find():
    shelf = talk(*FILLER, "I sold the red kayak to my neighbour.", *FILLER)
    assert ask(shelf, "red kayak sold")[0].similarity > 0.8
    assert ask(shelf, "zeppelin mooring mast neighbour permit")[0].similarity < 0.4


def test_a_day_that_fits_is_as_good_as_its_words():
    turns = [turn(day, "We went rowing.", session=f"s{day}", day=day) for day in range(0, 300, 5)]
    best = ask(MemoryShelf(turns), "rowing on 12 May 2024")[0]
    assert best.similarity > 0.8


@given(
    st.lists(st.text("kayak boat? zeppelin\n", max_size=60), max_size=12), st.text("kayak boat 2024 May?", max_size=40)
)
@pytest.mark.points(only=True)
def test_any_talk_can_be_asked_anything(texts, question):
    shelf = talk(*texts)
    best = ask(shelf, question, limit=5)
    assert len(best) <= 5
    assert [one.score for one in best] == sorted((one.score for one in best), reverse=True)
    assert len({shelf.turns[one.unit] for one in best}) == len(best)
    assert all(0 <= one.similarity <= 1 for one in best)
