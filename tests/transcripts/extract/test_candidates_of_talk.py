"""What of a conversation is worth a memory: by cues, by who said it, and about one for ten turns."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Fact, Turn
from memvault.transcripts.extract.candidates import MemoryCandidate, find_candidates
from memvault.transcripts.extract.facts import extract_facts

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "labelled" / "candidates.jsonl").read_text(encoding="utf-8").splitlines()
]


def talk(*said: tuple[str, str]) -> list[Turn]:
    return [
        Turn(id=str(n), speaker=who, role=who if who in ("user", "assistant") else "", text=text, time=NOW)
        for n, (who, text) in enumerate(said)
    ]


def found(*said: tuple[str, str]) -> tuple[MemoryCandidate, ...]:
    turns = talk(*said)
    return find_candidates(turns, extract_facts(turns))


# -- the labelled set


@pytest.mark.parametrize(("part", "precision", "recall"), [("tuned", 0.95, 0.9), ("held", 0.9, 0.9)])
@pytest.mark.points(only=True)
def test_candidates_match_the_labelled_statements(
    part: str, precision: float, recall: float, capsys: pytest.CaptureFixture[str]
) -> None:
    right = named = known = 0
    for row in (row for row in ROWS if row["set"] == part):
        told = found(*(tuple(turn) for turn in row["turns"]))
        wanted = [(str(keep["turn"]), keep["sort"]) for keep in row["keep"]]
        right += sum(any(turn in one.turns and sort == one.sort for one in told) for turn, sort in wanted)
        named, known = named + len(told), known + len(wanted)
    with capsys.disabled():
        print(f"\ncandidates ({part}): precision {right / named:.1%}, recall {right / known:.1%} of {known}")
    assert right / named >= precision
    assert right / known >= recall


# -- who said it


def test_signals_count_for_the_user_and_not_the_assistant() -> None:
    said = "We decided to store the sessions in Postgres."
    assert [one.sort for one in found(("user", said))] == ["decision"]
    assert found(("assistant", said)) == ()


def test_candidate_source_follows_the_speaker() -> None:
    cause = "It turns out that the proxy cuts every connection after 60 seconds."
    assert [one.source for one in found(("user", cause))] == ["hook"]
    assert [one.source for one in found(("assistant", cause))] == ["agent"]
    assert [one.source for one in found(("Ann", "I decided to move to Porto in spring."), ("Bob", "ok"))] == ["import"]


def test_suggestion_becomes_a_decision_only_with_agreement() -> None:
    said = ("assistant", "I'd suggest storing the sessions in Postgres.")
    assert found(said, ("user", "hm, why?")) == ()
    assert found(said, ("user", "yes, but not now")) == ()
    (one,) = found(said, ("user", "yes, do that"))
    assert (one.sort, one.turns, one.source) == ("decision", ("0", "1"), "agent")
    assert one.text == (
        "The assistant proposed: I'd suggest storing the sessions in Postgres. The user agreed: yes, do that"
    )


@pytest.mark.parametrize(
    "said",
    [
        "Should we store the sessions in Postgres from now on?",
        "If we decided to store the sessions in Postgres, what would break?",
        "> We decided to store the sessions in Postgres.",
        "```\n# we decided to store the sessions in Postgres\n```",
        'The memo says: "we decided to store the sessions in Postgres".',
        "My boss said we decided to store the sessions in Postgres.",
        "Maybe we decided to store the sessions in Postgres, I am not sure.",
        "We haven't decided to store the sessions in Postgres.",
        "Translate: we decided to store the sessions in Postgres.",
        "<private>We decided to store the sessions in Postgres.</private> ok",
    ],
)
def test_questions_suppositions_and_quotes_are_no_candidates(said: str) -> None:
    assert found(("user", said)) == ()


# -- what it says


def test_todo_candidate_has_its_due_day() -> None:
    (one,) = found(("user", "I still need to call the landlord about the heating tomorrow."))
    assert one.sort == "todo"
    assert one.due is not None
    assert one.due.date().isoformat() == "2026-01-30"
    assert "(2026-01-30)" in one.text


def test_todo_candidate_without_a_time_has_no_due_day() -> None:
    turn = Turn(id="a", speaker="user", role="user", text="Remind me to call the landlord about the heating tomorrow.")
    (one,) = find_candidates([turn])
    assert one.due is None


def test_candidate_text_omits_the_attached_request() -> None:
    (one,) = found(("user", "I prefer Word over Docs for the formatting control, can you help me with that?"))
    assert one.text == "The user: I prefer Word over Docs for the formatting control"


def test_candidate_answer_includes_its_question() -> None:
    (one,) = found(
        ("assistant", "Which database shall the billing service have?"), ("user", "Let's go with Postgres for billing.")
    )
    assert one.text == (
        "The assistant asked the user: Which database shall the billing service have? "
        "The user: Let's go with Postgres for billing."
    )
    assert one.turns == ("0", "1")


def test_candidate_uses_the_matching_fact() -> None:
    turns = talk(("user", "We decided to store the sessions in Postgres."))
    told = Fact(text="The team decided to store the sessions in Postgres.", speaker="user", turns=("0",))
    (one,) = find_candidates(turns, [told])
    assert one.text == told.text


# -- how many


def test_candidates_are_limited_and_strongest_first() -> None:
    said = [("user", f"We decided to store table number {n} in the {n}th Postgres schema.") for n in range(20)]
    said[3] = ("user", "Decision: the mobile app will be written in Flutter.")
    told = found(*said)
    assert len(told) == 2
    assert "Flutter" in told[0].text


def test_candidates_drop_repeated_statements() -> None:
    said = ("user", "We decided to store the sessions in Postgres.")
    assert len(found(said, said, said)) == 1


SPOKEN = st.sampled_from(
    [
        *("We decided to use Postgres for billing.", "yes, do that", "I suggest Redis for the cache of billing."),
        *("ok", "", "Why?"),
    ]
)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "Ann"]), SPOKEN), max_size=8))
def test_candidates_name_given_turns_and_are_deterministic(said: list[tuple[str, str]]) -> None:
    turns = talk(*said)
    told = find_candidates(turns, extract_facts(turns))
    assert told == find_candidates(turns, extract_facts(turns))
    for one in told:
        assert one.turns
        assert set(one.turns) <= {turn.id for turn in turns}
        assert one.sort
        assert one.text.strip()
