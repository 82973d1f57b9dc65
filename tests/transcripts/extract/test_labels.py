"""What a stretch is called: one line with its speaker, and a few keywords, known ones first."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Fact, Trajectory, Turn
from memvault.text.keyword_spelling import normalize_keyword, same_keyword
from memvault.transcripts.extract.labels import label_segments
from memvault.transcripts.extract.segments import CENTRAL_LONGEST, segment_turns
from tests.transcripts.extract.test_segmenting import BAKING, SAILING, TAXES, TRAVEL, conversations, talk

NOW = datetime(2026, 1, 29, tzinfo=UTC)
WHOLE = Trajectory(first=0, last=7)
SECRET = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"


def label_segment(
    turns: list[Turn], facts: tuple[Fact, ...] | list[Fact], one: Trajectory, *, known: dict[str, int] | None = None
) -> Trajectory:
    return label_segments(turns, facts, (one,), known=known or {})[0]


@given(conversations())
def test_label_has_a_short_line_and_few_distinct_keywords(turns: list[Turn]) -> None:
    for one in label_segments(turns, (), segment_turns(turns)):
        assert len(one.summary) <= CENTRAL_LONGEST
        assert "\n" not in one.summary
        assert len(one.keywords) <= 5
        assert all(word == normalize_keyword(word) != "" for word in one.keywords)
        assert not any(
            same_keyword(word, other) for at, word in enumerate(one.keywords) for other in one.keywords[at + 1 :]
        )


@pytest.mark.parametrize("topic", [SAILING, BAKING, TRAVEL, TAXES])
def test_label_names_the_speaker_and_has_two_keywords(topic: tuple[str, ...]) -> None:
    found = label_segment(talk(*topic), (), Trajectory(first=0, last=len(topic) - 1))
    speaker, _, said = found.summary.partition(": ")
    assert speaker in "AB"
    assert any(said.removesuffix("…") in text for text in topic)
    assert 2 <= len(found.keywords) <= 5


def test_keywords_name_the_topic() -> None:
    turns = talk(*SAILING, *BAKING)
    boat, bread = label_segments(turns, (), (WHOLE, Trajectory(first=8, last=15)))
    assert "mast" in boat.keywords
    assert {"sourdough", "starter", "crust", "bread", "dough"} & set(bread.keywords)
    assert not set(boat.keywords) & set(bread.keywords)


def test_keywords_work_in_scripts_without_spaces() -> None:
    words = label_segment(talk(*TRAVEL), (), Trajectory(first=0, last=5)).keywords
    assert {"旅館", "京都"} <= set(words)


def test_known_keyword_is_preferred_in_its_spelling() -> None:
    plain = label_segment(talk(*SAILING), (), WHOLE).keywords
    known = label_segment(talk(*SAILING), (), WHOLE, known={"Storms": 3, "sailing-boat": 2}).keywords
    assert "Storms" in known
    assert "sailing-boat" in known
    assert "Storms" not in plain


def test_known_keyword_needs_support_in_the_text() -> None:
    known = {"garden": 900, "mast-year": 800, "c": 700}
    assert not set(known) & set(label_segment(talk(*SAILING), (), WHOLE, known=known).keywords)


def test_segments_share_one_spelling() -> None:
    turns = talk(*["The pipe-wire setup crackles.", "PipeWire crackles since pipewire 1.2."] * 2)
    found = label_segments(turns, (), (Trajectory(first=0, last=1), Trajectory(first=2, last=3)))
    first, second = ({word for word in one.keywords if same_keyword(word, "pipewire")} for one in found)
    assert len(first) == 1
    assert first == second


def test_keywords_include_fact_names_but_no_speakers() -> None:
    turns = [
        Turn(id="1", speaker="Ilse Brandt", text="I met Noor at Quillmark House, Ils would say Ilse Brandt again."),
        Turn(id="2", speaker="Noor", text="Ilse, Quillmark House is lovely."),
    ]
    facts = [
        Fact(text="Ilse met Noor.", speaker="Ilse Brandt", turns=("1",), about=("Noor", "Quillmark House", "v1.2"))
    ]
    found = label_segment(turns, facts, Trajectory(first=0, last=1))
    assert found.keywords[0] == "quillmark-house"
    assert not {"ilse", "ils", "noor", "ilse-brandt", "v1.2"} & set(found.keywords)


def test_label_line_has_no_code_urls_or_markup() -> None:
    text = "# Boat\n\n```py\nmast = boom(mast, boom, mast)\n```\n\n- **The mast** of the boat at https://example.org/mast cracks.\n"
    found = label_segment([Turn(id="1", speaker="user", text=text)], (), Trajectory(first=0, last=0))
    assert found.summary == "The mast of the boat at cracks."
    assert not any("example" in word or "=" in word for word in found.keywords)


def test_label_prefers_user_questions_to_assistant_answers() -> None:
    turns = talk(
        "How do I repair the mast of my sailing boat?",
        "The mast of a sailing boat can be repaired with epoxy.",
        speakers=("user", "assistant"),  # type: ignore[arg-type]
    )
    assert label_segment(turns, (), Trajectory(first=0, last=1)).summary.startswith("How do I")


def test_a_line_says_what_was_decided_last() -> None:
    turns = talk(
        "How do I repair the cracked mast of my old sailing boat?",
        "Epoxy or a new mast of spruce would do.",
        "We decided to glue it with epoxy.",
        "Epoxy sets slowly in the cold.",
        "Wir haben uns jetzt für Fichte entschieden.",
        "I decided to list what epoxy costs, too.",
        "Have we decided on the varnish of the mast?",
        speakers=("user", "assistant"),  # type: ignore[arg-type]
    )
    assert label_segment(turns, (), Trajectory(first=0, last=6)).summary == turns[4].text
    assert label_segment(turns, (), Trajectory(first=0, last=3)).summary == "We decided to glue it with epoxy."


def test_labels_contain_no_secrets_or_private_text() -> None:
    turns = talk(
        f"The token of the boatyard server is {SECRET} by the way.", "<private>The mast has a crack.</private>"
    )
    found = label_segment(turns, (), Trajectory(first=0, last=1))
    assert SECRET not in found.summary
    assert not any(SECRET.casefold() in word or "mast" in word for word in found.keywords)


def test_very_long_turn_is_labeled_by_its_beginning() -> None:
    turns = [Turn(id="1", speaker="user", text="The mast is cracked. " + "Word " * 40_000)]
    found = label_segment(turns, (), Trajectory(first=0, last=0))
    assert found.summary == "The mast is cracked."


@given(st.text(max_size=200))
def test_any_text_can_be_labeled(text: str) -> None:
    found = label_segment([Turn(id="1", speaker="", text=text)], (), Trajectory(first=0, last=0))
    assert len(found.summary) <= CENTRAL_LONGEST
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e]", found.summary)


def test_a_decision_among_people_bears_the_name_of_who_said_it() -> None:
    turns = talk("Is the mast of the boat to be of spruce?", "We decided to take spruce.", speakers=("Ilse", "Noor"))  # type: ignore[arg-type]
    found = label_segment(turns, (), Trajectory(first=0, last=1))
    assert found.summary == "Noor: We decided to take spruce."
