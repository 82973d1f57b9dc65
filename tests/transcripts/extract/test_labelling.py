"""Topics by a model: one bit for each pair, labels that the text bears out, and rules where it lies or is silent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from memvault.core.conversation import Trajectory, Turn
from memvault.models.llm.ask import Failure, Reason
from memvault.models.llm.ask import read_prompt as instructions
from memvault.models.llm.schema import find_problem
from memvault.transcripts.extract.labels import label_segments
from memvault.transcripts.extract.llm_topics import label_with_model, segment_with_model
from memvault.transcripts.extract.segments import segment_turns
from tests.transcripts.extract.test_segmenting import BAKING, SAILING, talk

WHOLE = (Trajectory(first=0, last=7),)
SECRET = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"
GOOD = {"summary": "A and B talk about the cracked mast of the boat.", "keywords": ["mast", "boatyard"]}


class Model:
    """Answers each question by a rule, as far as the seam would let the answer through."""

    def __init__(self, rule: Callable[[str], object]) -> None:
        self._rule = rule
        self.prompts: list[str] = []

    def __call__(
        self, system: str, prompt: str, schema: Mapping[str, object], max_seconds: float, *, purpose: str = ""
    ) -> Any:
        assert system
        assert purpose
        assert max_seconds > 0
        self.prompts.append(prompt)
        answer = self._rule(prompt)
        wrong = "" if isinstance(answer, Failure) else find_problem(answer, schema)
        return Failure("malformed", wrong) if wrong else answer


def behind(asked: str) -> str:
    """The turn that a question is about."""
    return asked.partition("The turn behind the mark:")[2].partition("After it:")[0]


# -- the same topic


def test_model_decides_topics_pair_by_pair() -> None:
    turns = talk(*SAILING, *BAKING)
    model = Model(lambda asked: {"same_topic": "sourdough bread came out flat" not in behind(asked)})
    assert segment_with_model(turns, (), model) == (Trajectory(first=0, last=7), Trajectory(first=8, last=15))
    assert len(model.prompts) == len(turns) - 1


def test_model_sees_few_turns_around_the_boundary() -> None:
    turns = talk(*SAILING, *BAKING)
    model = Model(lambda _: {"same_topic": True})
    segment_with_model(turns, (), model)
    assert SAILING[5] in model.prompts[7]
    assert SAILING[4] not in model.prompts[7]
    assert BAKING[2] in model.prompts[7]
    assert BAKING[3] not in model.prompts[7]


@pytest.mark.parametrize("answer", [{}, {"same_topic": "no"}, {"same": False}, [], {"same_topic": None}, "false"])
def test_invalid_answer_means_the_same_topic(answer: object) -> None:
    found = segment_with_model(talk(*SAILING, *BAKING), (), Model(lambda _: answer))
    assert found == (Trajectory(first=0, last=15),)


@pytest.mark.parametrize("reason", ["late", "budget", "missing", "refused", "failed", "none", "inside"])
def test_rules_segment_the_rest_when_the_model_fails(reason: Reason) -> None:
    turns = talk(*SAILING, *SAILING, *BAKING, *BAKING)
    model = Model(lambda _: Failure(reason, "gone"))
    assert segment_with_model(turns, (), model) == segment_turns(turns)
    assert len(model.prompts) == 1


def test_rules_segment_without_a_model() -> None:
    turns = talk(*SAILING, *SAILING, *BAKING, *BAKING)
    assert segment_with_model(turns, (), None) == segment_turns(turns)


def test_model_is_not_asked_about_assistant_answers() -> None:
    turns = talk(*SAILING, speakers=("user", "assistant"))  # type: ignore[arg-type]
    model = Model(lambda _: {"same_topic": False})
    assert [one.first for one in segment_with_model(turns, (), model)] == [0, 2, 4, 6]
    assert len(model.prompts) == 3


def test_rules_split_overlong_model_segments() -> None:
    turns = talk(*SAILING * 12)
    found = segment_with_model(turns, (), Model(lambda _: {"same_topic": True}))
    assert max(one.last - one.first + 1 for one in found) <= 40
    assert [at for one in found for at in range(one.first, one.last + 1)] == list(range(96))


def test_model_segments_stay_within_a_session() -> None:
    turns = [*talk(*SAILING, session="1"), *talk(*SAILING, session="2")]
    found = segment_with_model(turns, (), Model(lambda _: {"same_topic": True}))
    assert [one.first for one in found] == [0, 8]


def test_model_sees_no_secret_or_private_text() -> None:
    turns = talk(f"The token is {SECRET}.", "<private>My mast.</private> Fine.", f"{'x' * 690} {SECRET}")
    model = Model(lambda _: {"same_topic": True})
    segment_with_model(turns, (), model)
    label_with_model(turns, (), (Trajectory(first=0, last=2),), model, known={})
    assert not any("ghp_" in asked or "My mast" in asked for asked in model.prompts)


# -- labels


def label_by(answer: object, *, known: Mapping[str, int] | None = None) -> Trajectory:
    return label_with_model(talk(*SAILING), (), WHOLE, Model(lambda _: answer), known=known or {})[0]


def test_valid_label_is_accepted() -> None:
    found = label_by(GOOD)
    assert (found.summary, found.keywords) == (GOOD["summary"], ("mast", "boatyard"))


def test_label_keywords_use_the_known_spelling() -> None:
    found = label_by({**GOOD, "keywords": ["masts", "Boat Yard", "regatta"]}, known={"Mast": 2, "boatyard": 9})
    assert found.keywords == ("Mast", "boatyard", "regatta")


def test_known_keyword_is_accepted_without_support_in_the_text() -> None:
    words = ["mast", "yachting", "repairs", "craft"]
    assert label_by({**GOOD, "keywords": words}) == label_segments(talk(*SAILING), (), WHOLE)[0]
    assert label_by({**GOOD, "keywords": words}, known={"yachting": 3}).keywords == tuple(words)


@pytest.mark.parametrize(
    "lie",
    [
        {**GOOD, "keywords": ["mast"]},
        {**GOOD, "keywords": ["mast", "Mast"]},
        {**GOOD, "keywords": ["mast", "boom", "boat", "regatta", "rigging", "boatyard"]},
        {**GOOD, "keywords": ["mast", "aliens", "invasion"]},
        {**GOOD, "keywords": ["aliens", "invasion"]},
        {**GOOD, "keywords": ["mast", ""]},
        {**GOOD, "keywords": ["mast", "boom\x07boat"]},
        {**GOOD, "keywords": ["mast", "boat " * 9]},
        {**GOOD, "keywords": ["mast", "the boat of the old regatta"]},
        {**GOOD, "keywords": ["mast", SECRET]},
        {**GOOD, "keywords": ["mast", 7]},
        {**GOOD, "keywords": "mast, boat"},
        {**GOOD, "summary": ""},
        {**GOOD, "summary": "The mast of the boat. " * 6},
        {**GOOD, "summary": "The mast\nof the boat."},
        {**GOOD, "summary": "Aliens landed and demanded a huge ransom."},
        {**GOOD, "summary": "The mast of the boat cost 4711 crowns."},
        {**GOOD, "summary": f"The mast of the boat: {SECRET}"},
        {"keywords": GOOD["keywords"]},
        {"summary": GOOD["summary"]},
        {},
        [],
        None,
    ],
)
def test_unsupported_label_is_refused(lie: object) -> None:
    found = label_by(lie)
    by_rules = label_segments(talk(*SAILING), (), WHOLE)[0]
    if isinstance(lie, dict) and SECRET in str(lie.get("summary")):
        assert SECRET not in found.summary
        return
    assert found == by_rules


def test_refused_label_does_not_stop_the_next() -> None:
    turns = talk(*SAILING, *BAKING)
    runs = (Trajectory(first=0, last=7), Trajectory(first=8, last=15))
    model = Model(lambda asked: GOOD if SAILING[0] in asked else {"keywords": []})
    found = label_with_model(turns, (), runs, model, known={})
    assert found[0].summary == GOOD["summary"]
    assert found[1] == label_segments(turns, (), runs)[1]


def test_unavailable_model_is_asked_once() -> None:
    model = Model(lambda _: Failure("missing", "no such program"))
    turns, runs = talk(*SAILING, *BAKING), (Trajectory(first=0, last=7), Trajectory(first=8, last=15))
    found = label_with_model(turns, (), runs, model, known={})
    assert found == label_segments(turns, (), runs)
    assert len(model.prompts) == 1
    assert label_with_model(turns, (), runs, None, known={}) == found


def test_model_sees_the_likely_known_keywords() -> None:
    model = Model(lambda _: GOOD)
    known = {f"word{number}": number + 1 for number in range(200)} | {"mast": 1}
    label_with_model(talk(*SAILING), (), WHOLE, model, known=known)
    shown = model.prompts[0].partition("Known keywords:")[2]
    assert "mast" in shown
    assert "word199" in shown
    assert "word3," not in shown


def test_model_sees_beginning_and_end_of_a_long_segment() -> None:
    turns = [Turn(id=str(at), speaker="A", text=f"{SAILING[0]} number {at} {'word ' * 400}") for at in range(40)]
    model = Model(lambda _: GOOD)
    label_with_model(turns, (), (Trajectory(first=0, last=39),), model, known={})
    assert len(model.prompts[0]) < 14_000
    assert "number 0 " in model.prompts[0]


@pytest.mark.parametrize("name", ["same-topic", "label"])
def test_label_prompts_exist(name: str) -> None:
    assert "JSON" in instructions(name)
