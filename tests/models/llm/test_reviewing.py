"""Reviewing a text: the model where there is one, rules where it fails, a verdict in the journal, nothing else touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.api import Memvault
from memvault.memories.reviewers import ReviewNeighbor, ReviewResult, _review_prompt, review_text
from memvault.models.llm.ask import Answered, CallBudget, CallLog, Failure, ModelClient, Question, Standing
from tests.conftest import START

TEXT = "Always run the migrations before the tests, because the tests create no schema."
TEA = ReviewNeighbor("5f0c-tea", "Tea", "Sara prefers green tea to coffee in the morning.")
GOOD = {"importance": 8, "relevance": 8, "novelty": 8, "trivial": False, "reason": "It is a rule."}
SECRET = "sk-planted-0123456789abcdefghij"


def scrubbed(text: str) -> str:
    return text.replace(SECRET, "[redacted]")


def unscrubbed(text: str) -> str:
    return text


class Scripted:
    """A provider that answers each reviewer as it is told to, and keeps the prompts."""

    name, model = "scripted", ""

    def __init__(self, answer: Callable[[Question], object]) -> None:
        self._answer = answer
        self.asked: list[Question] = []

    def answer(self, question: Question, _deadline: object) -> Answered | Failure:
        self.asked.append(question)
        found = self._answer(question)
        return found if isinstance(found, Failure) else Answered(found)

    def standing(self, _deadline: object) -> Standing:
        return Standing()


def asking(provider: Scripted, scrub: Callable[[str], str] = scrubbed) -> Any:
    model = ModelClient(provider, scrub=scrub, environment={}, budget=CallBudget(100), log=CallLog(None, START))  # type: ignore[arg-type]
    return model.complete_json


def reviewed(vault: Memvault, text: str, *nearest: ReviewNeighbor, ask: Any = None, **given: Any) -> ReviewResult:
    given.setdefault("scrub", scrubbed)
    return vault.run(lambda context: review_text(context, text, nearest, ask, **given))


def verdicts(vault: Memvault) -> list[dict[str, Any]]:
    lines = [
        json.loads(line)
        for path in (vault.root / ".memvault" / "journal").rglob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    return [line for line in lines if line["e"] == "verdict"]


def notes(vault: Memvault) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in vault.root.rglob("*.md")}


def test_without_a_model_rules_review_and_the_verdict_is_journaled(vault: Memvault) -> None:
    found = reviewed(vault, TEXT, id="abc")
    assert found.outcome == "store"
    assert [answer.by for answer in found.answers] == ["importance", "relevance", "novelty"]
    assert {failure.reason for failure in found.failures.values()} == {"none"}
    [entry] = verdicts(vault)
    assert (entry["id"], entry["outcome"]) == ("abc", "store")
    assert [answer["by"] for answer in entry["answers"]] == ["importance", "relevance", "novelty"]
    assert TEXT not in json.dumps(entry)


def test_with_a_model_all_reviewers_are_asked_about_the_text_and_its_neighbours(vault: Memvault) -> None:
    provider = Scripted(lambda _: GOOD)
    found = reviewed(vault, TEXT, TEA, ask=asking(provider))
    assert found.failures == {}
    assert found.verdict.weight == 0.8
    assert len(provider.asked) == 3
    assert len({question.system for question in provider.asked}) == 3
    assert all(TEXT in question.prompt and TEA.text in question.prompt for question in provider.asked)


def test_they_are_asked_side_by_side(vault: Memvault) -> None:
    together = Barrier(3, timeout=20)  # broken, and so a failure, unless all three are there at once

    def answer(_: Question) -> object:
        together.wait()
        return GOOD

    assert reviewed(vault, TEXT, ask=asking(Scripted(answer))).failures == {}


def test_where_one_reviewer_fails_its_twin_answers(vault: Memvault) -> None:
    def answer(question: Question) -> object:
        return Failure("late", "too late") if "**novelty**" in question.system else GOOD

    found = reviewed(vault, TEA.text, TEA, ask=asking(Scripted(answer)))
    assert list(found.failures) == ["novelty"]
    by = {answer.by: answer for answer in found.answers}
    assert by["importance"].importance == 8
    assert by["novelty"].reason == "100% of it is known already"


@pytest.mark.parametrize(
    "said",
    [
        "I would say it is quite important.",
        '{"importance": 9',
        {"importance": "nine", "reason": ""},
        "",
        None,
        Failure("failed", "it ended with exit code 1"),
    ],
    ids=str,
)
def test_a_bad_answer_is_as_no_model_and_touches_nothing(vault: Memvault, said: object) -> None:
    vault.remember("Sara prefers tea.")
    before = notes(vault)
    plain = reviewed(vault, TEXT)
    found = reviewed(vault, TEXT, ask=asking(Scripted(lambda _: said)))
    assert (found.verdict, found.answers) == (plain.verdict, plain.answers)
    assert len(found.failures) == 3
    assert notes(vault) == before


@pytest.mark.points(only=True)
def test_a_model_that_never_comes_back_is_not_waited_for(vault: Memvault, open_vault: Any) -> None:
    never = Event()
    quick = open_vault(vault.root, settings={"model.review_seconds": 0.1})

    def ask(*_: object, **__: object) -> object:
        never.wait(30)
        return GOOD

    try:
        found = reviewed(quick, TEXT, ask=ask)
    finally:
        never.set()
    assert {failure.reason for failure in found.failures.values()} == {"late"}
    assert found.outcome == "store"


def test_a_reviewer_that_breaks_down_harms_no_other(vault: Memvault) -> None:
    def ask(system: str, *_: object, **__: object) -> object:
        if system == "b":
            raise RuntimeError
        return GOOD

    found = reviewed(vault, TEXT, ask=ask, reviewers={"a": "a", "b": "b", "c": "c"})
    assert [answer.by for answer in found.answers] == ["a", "c"]
    assert found.failures["b"].reason == "failed"


def test_two_who_call_it_trivial_reject_it(vault: Memvault) -> None:
    def answer(question: Question) -> object:
        return GOOD | {"trivial": "**importance**" not in question.system}

    found = reviewed(vault, TEXT, ask=asking(Scripted(answer)))
    assert found.outcome == "reject"
    assert verdicts(vault)[0]["outcome"] == "reject"


def test_what_is_known_updates_the_nearest_memory(vault: Memvault) -> None:
    other = ReviewNeighbor("other", "Deploys", "Deploys run on Tuesdays.")
    found = reviewed(vault, TEA.text, other, TEA)
    assert (found.outcome, found.updates) == ("update", TEA.id)
    assert verdicts(vault)[0]["id"] == TEA.id


def test_an_update_of_nothing_is_stored(vault: Memvault) -> None:
    found = reviewed(vault, TEXT, ask=asking(Scripted(lambda _: GOOD | {"novelty": 1})))
    assert (found.outcome, found.updates) == ("store", "")


def test_a_reviewer_more_is_a_text_more(vault: Memvault) -> None:
    provider = Scripted(lambda _: GOOD)
    told = {"importance": "…", "security": "You judge whether a text should be kept out for safety's sake."}
    found = reviewed(vault, TEXT, ask=asking(provider), reviewers=told)
    assert [answer.by for answer in found.answers] == ["importance", "security"]
    without = reviewed(vault, TEXT, reviewers=told)
    assert [answer.by for answer in without.answers] == ["importance"]


def test_where_nobody_answers_what_is_trivial_is_rejected_and_the_rest_is_stored_with_5(vault: Memvault) -> None:
    told = {"security": "…"}
    assert reviewed(vault, "ok thanks", reviewers=told).outcome == "reject"
    found = reviewed(vault, TEXT, reviewers=told)
    assert (found.outcome, found.verdict.importance) == ("store", 5)


def test_a_dry_run_journals_nothing(vault: Memvault) -> None:
    reviewed(vault, TEXT, dry_run=True)
    assert verdicts(vault) == []


def test_a_verdict_is_one_line_however_much_was_said(vault: Memvault) -> None:
    told = {f"r{number}": "…" for number in range(40)}
    reviewed(vault, TEXT, ask=asking(Scripted(lambda _: GOOD | {"reason": "ü" * 5000})), reviewers=told)
    [entry] = verdicts(vault)
    assert len(entry["answers"]) == 40
    assert len(json.dumps(entry, ensure_ascii=False).encode()) < 4_000


@given(
    st.text(max_size=30),
    st.text(max_size=30),
    st.sampled_from(["text", "title", "memory"]),
    st.integers(11_970, 12_010),
)
def test_no_prompt_holds_a_planted_secret_not_even_half_of_it(before: str, after: str, where: str, filled: int) -> None:
    planted = f"{before}{'word ' * (filled // 5)} {SECRET}{after}"
    neighbour = ReviewNeighbor("1", planted if where == "title" else "t", planted if where == "memory" else "m")
    prompt = _review_prompt(planted if where == "text" else "plain", [neighbour], scrubbed)
    assert SECRET[:12] not in prompt


def test_what_a_model_says_is_kept_and_shown_without_secrets_or_messages_to_the_terminal(vault: Memvault) -> None:
    secret = "AKIAIOSFODNN7EXAMPLQ"
    said = f"It says \x1b]0;owned\x07\x9b2J \u202e {'and so on ' * 17}{secret}{'x' * 50}"
    found = reviewed(vault, TEXT, ask=asking(Scripted(lambda _: GOOD | {"reason": said}), unscrubbed), scrub=None)
    for reason in (
        *(answer.reason for answer in found.answers),
        *(kept["reason"] for kept in verdicts(vault)[0]["answers"]),
    ):
        assert secret[:4] not in reason
        assert reason.startswith("It says \\x1b]0;owned\\x07\\x9b2J \\u202e and so on")
        assert reason.isprintable()


def test_an_unwritable_journal_stops_no_review(
    vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(vault._vault), "try_journal", lambda *_: False)
    assert reviewed(vault, TEXT).outcome == "store"
