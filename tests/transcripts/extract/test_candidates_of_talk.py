"""What of a conversation is worth a memory: by what is said, by whom, and so that it stands alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Turn
from memvault.text.statements.judge import SURE
from memvault.transcripts.extract.candidates import MemoryCandidate, find_candidates

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
    return find_candidates(talk(*said)).found


def passed(*said: tuple[str, str]) -> list[str]:
    return [one.why for one in find_candidates(talk(*said)).passed]


# -- the labelled set


@pytest.mark.parametrize(("part", "precision", "recall"), [("tuned", 0.9, 0.9), ("held", 0.8, 0.9)])
@pytest.mark.points(only=True)
def test_candidates_match_the_labelled_statements(
    part: str, precision: float, recall: float, capsys: pytest.CaptureFixture[str]
) -> None:
    right = named = known = 0
    for row in (row for row in ROWS if row["set"] == part):
        told = found(*(tuple(turn) for turn in row["turns"]))
        wanted = [str(keep["turn"]) for keep in row["keep"]]
        right += sum(any(turn in one.turns for one in told) for turn in wanted)
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
    assert one.text == "Agreed: storing the sessions in Postgres."


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
    (one,) = find_candidates([turn]).found
    assert one.due is None


def test_candidate_text_omits_the_attached_request() -> None:
    (one,) = found(("user", "I prefer Word over Docs for the formatting control, can you help me with that?"))
    assert one.text == "I prefer Word over Docs for the formatting control"


def test_an_answer_that_stands_alone_is_kept_without_its_question() -> None:
    (one,) = found(
        ("assistant", "Which database shall the billing service have?"), ("user", "Let's go with Postgres for billing.")
    )
    assert one.text == "Let's go with Postgres for billing."


def test_a_choice_is_kept_with_the_question_that_it_answers() -> None:
    (one,) = found(("assistant", "Should we keep the old API under /v1, or drop it?"), ("user", "Drop it in March."))
    assert one.text == "Should we keep the old API under /v1, or drop it? Drop it in March."
    assert one.turns == ("0", "1")


# -- what a sentence does


@pytest.mark.parametrize(
    "said",
    [
        "I can't stand coriander.",
        "My sister Mo is a vet in Leeds.",
        "We only deploy on Tuesdays.",
        "Never use semicolons in our Go code.",
        "Ich esse kein Fleisch und mag keinen Fisch.",
        "Je n'aime pas les réunions du matin.",
        "No soporto el ruido, prefiero trabajar de noche.",
        "我不吃辣，从小就不习惯。",
    ],
)
def test_statements_of_the_person_and_their_rules_are_sure(said: str) -> None:
    (one,) = found(("user", said))
    assert one.sureness >= SURE


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("How long does rice keep in the fridge?", "a question"),
        ("what does SIGPIPE mean", "a question"),
        ("Rename that variable to count.", "a task for now"),
        ("Make the second paragraph shorter, please.", "a task for now"),
        ("I'm trying to install the driver.", "over with the session"),
        ("Suppose I hated wine.", "supposed or reported"),
        ("My colleague said I always come late.", "supposed or reported"),
        ("user: I like tea", "pasted or quoted"),
        ("Oh wow, great!", "a courtesy"),
    ],
)
def test_what_is_passed_over_says_why(said: str, why: str) -> None:
    assert found(("user", said)) == ()
    assert passed(("user", said)) == [why]


def test_a_preference_beside_a_request_is_kept_without_the_request() -> None:
    (one,) = found(("user", "Draft a reply to the landlord, polite but brief, I hate waffle."))
    assert one.text == "I hate waffle."


def test_quoted_and_pasted_text_is_nobodys_statement() -> None:
    assert found(("user", 'Proofread this: "I always pay in cash. My bank is the Sparkasse in Ulm."')) == ()
    assert found(("user", "2026-03-12T08:14:22Z WARN pool exhausted\nour server is always down")) == ()


# -- it stands alone


def test_he_and_she_are_named_from_the_turns_before() -> None:
    (one,) = found(
        ("user", "How do I bake a cake for my grandson Pim?"),
        ("assistant", "With strawberries."),
        ("user", "No, he can't have strawberries."),
    )
    assert "my grandson Pim" in one.text.casefold() or "grandson Pim" in one.text


def test_what_points_back_is_kept_with_the_sentence_before_it() -> None:
    (one,) = found(("user", "Meetings before ten? Never have liked them."))
    assert one.text == "Meetings before ten? Never have liked them."


def test_what_means_nothing_alone_is_not_kept() -> None:
    assert found(("user", "It has 4 of them.")) == ()


# -- how many


PORTS = ("Oslo", "Genoa", "Cork", "Kiel", "Vigo", "Brest", "Gdynia", "Bari", "Malmo", "Turku")


def test_candidates_are_limited_and_surest_first() -> None:
    said = [("user", f"{name} is a port with {n} berths.") for n, name in enumerate(PORTS)]
    said[3] = ("user", "We decided that the mobile app will be written in Flutter.")
    told = found(*said)
    assert len(told) == 5
    assert "Flutter" in told[0].text
    assert passed(*said).count("less telling than the rest") == len(PORTS) - 5


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
    told = find_candidates(turns)
    assert told == find_candidates(turns)
    for one in told.found:
        assert one.turns
        assert set(one.turns) <= {turn.id for turn in turns}
        assert one.sort
        assert one.text.strip()
