"""Where topics begin and end: every turn in one stretch, no stretch over two sittings, in doubt no cut."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import SITTING, Fact, Trajectory, Turn
from memvault.transcripts.extract.segments import (
    LONGEST,
    SHORTEST,
    boundary_costs,
    changes_topic,
    ends_with_question,
    segment_turns,
    split_sittings,
)

NOON = datetime(2026, 1, 29, 12, tzinfo=UTC)

SAILING = (
    "The mast of the old sailing boat has a crack near the boom.",
    "Was the crack in the mast there before the regatta?",
    "No, the boom hit the mast when the boat turned in the storm.",
    "Then the boatyard has to look at the mast and the rigging.",
    "The boatyard has a spare boom, and the rigging is still good.",
    "Good rigging is half of a sailing boat, the mast is the other half.",
    "The regatta is in May, so the boat needs the mast by April.",
    "I will call the boatyard about the mast and the boom.",
)
BAKING = (
    "My sourdough bread came out flat, the dough never rose.",
    "How old is the starter of the sourdough?",
    "The starter is a week old, I feed the starter rye flour.",
    "A starter needs two weeks before the dough rises well.",
    "So more rye flour, and the bread bakes next week?",
    "Yes, and bake the bread in a pot, so the crust stays soft.",
    "The crust of the bread was hard as the oven was dry.",
    "Steam in the oven makes the crust of the sourdough better.",
)
TUNING = (
    "Die Klaviersaiten sind nach dem Umzug verstimmt.",
    "Welche Saiten am Klavier klingen denn falsch?",
    "Vor allem die Basssaiten, das Klavier stand kalt.",
    "Der Klavierstimmer kommt am Montag wegen der Saiten.",
    "Der Klavierstimmer soll auch die Pedale am Klavier ansehen.",
    "Das linke Pedal vom Klavier quietscht schon lange.",
)
TRAVEL = (
    *("来月の京都旅行の宿を予約したいです。", "京都の宿なら、駅の近くの旅館がいいですよ。"),
    *("駅前の旅館は桜の季節でも予約できますか。", "桜の季節の京都は混むので、旅館の予約は早めに。"),
    *("では今日、旅館を予約します。", "京都の桜、楽しみですね。旅館も良さそうです。"),
)
TAXES = (
    *("確定申告の書類がまだ揃っていません。", "申告に必要な領収書はありますか。"),
    *("医療費の領収書と源泉徴収票があります。", "源泉徴収票があれば確定申告は簡単です。"),
    *("領収書の合計を申告書に書けばいいですか。", "はい、医療費の領収書は申告書に付けます。"),
)


def talk(*texts: str, speakers: str = "AB", **given: object) -> list[Turn]:
    return [
        Turn(id=f"t{at}", speaker=speakers[at % len(speakers)], text=text, **given)  # type: ignore[arg-type]
        for at, text in enumerate(texts)
    ]


def cuts(turns: Sequence[Turn], facts: Sequence[Fact] = ()) -> list[int]:
    return [one.first for one in segment_turns(turns, facts)][1:]


TEXTS = st.lists(st.sampled_from([*SAILING, *BAKING, *TUNING, *TRAVEL, "ok", "", "😀", "?"]), max_size=60)
SESSIONS = st.lists(st.integers(0, 12), max_size=5)


@st.composite
def conversations(draw: st.DrawFn) -> list[Turn]:
    texts, breaks = draw(TEXTS), set(draw(SESSIONS))
    session, turns = 0, []
    for at, text in enumerate(texts):
        session += at in breaks
        turns.append(Turn(id=str(at), speaker="AB"[at % 2], text=text, session=str(session)))
    return turns


@given(conversations())
def test_every_turn_belongs_to_one_bounded_segment(turns: list[Turn]) -> None:
    found = segment_turns(turns)
    assert [at for one in found for at in range(one.first, one.last + 1)] == list(range(len(turns)))
    for one in found:
        assert len({turn.session for turn in turns[one.first : one.last + 1]}) == 1
        assert one.last - one.first < LONGEST
    ends = {after for _, after in split_sittings(turns)}
    starts = {first for first, _ in split_sittings(turns)}
    assert all(one.last > one.first or (one.first in starts and one.last + 1 in ends) for one in found)


def test_empty_conversation_has_no_segment() -> None:
    assert segment_turns([]) == ()
    assert segment_turns(talk("ok")) == (Trajectory(first=0, last=0),)


@pytest.mark.parametrize(
    ("one", "other"), [(SAILING, BAKING), (BAKING, SAILING), (SAILING, TUNING), (TRAVEL, TAXES), (TAXES, BAKING)]
)
def test_two_topics_become_two_segments(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert cuts(talk(*one, *one, *other, *other)) == [2 * len(one)]


def test_long_assistant_answers_are_segmented_by_topic() -> None:
    def answered(lines: tuple[str, ...]) -> list[str]:
        return [text for question in lines[:4] for text in (question, " ".join(lines * 12))]

    turns = talk(*answered(SAILING), *answered(BAKING), *answered(TUNING), speakers=("user", "assistant"))  # type: ignore[arg-type]
    assert cuts(turns) == [8, 16]


def test_turns_without_terms_are_one_segment() -> None:
    assert cuts(talk(*["ok", "yes", "really?", "no", "thanks", "😀"] * 3)) == []


def test_one_topic_is_one_segment() -> None:
    assert cuts(talk(*SAILING)) == []
    assert cuts(talk(*BAKING, *BAKING)) == []


def test_very_long_topic_is_split() -> None:
    found = segment_turns(talk(*SAILING * 12))
    assert len(found) >= 3
    assert all(SHORTEST <= one.last - one.first + 1 <= LONGEST for one in found)


# -- sittings


def test_new_session_starts_a_segment() -> None:
    morning, evening = talk(*SAILING[:4], session="1"), talk(*SAILING[4:], session="2")
    assert cuts([*morning, *evening]) == [4]


def test_long_silence_starts_a_segment() -> None:
    def at(hours: float) -> list[Turn]:
        times = [NOON, NOON, NOON + timedelta(hours=hours), NOON + timedelta(hours=hours)]
        return [
            Turn(id=str(n), speaker="A", text=text, time=time)
            for n, (text, time) in enumerate(zip(SAILING, times, strict=False))
        ]

    assert cuts(at(SITTING / timedelta(hours=1))) == [2]
    assert cuts(at(1)) == []
    assert cuts(at(-48)) == []  # a clock that was set back


def test_naive_and_aware_times_are_not_compared() -> None:
    turns = [
        Turn(id="a", speaker="A", text=SAILING[0], time=NOON),
        Turn(id="b", speaker="B", text=SAILING[1], time=datetime(2026, 3, 1)),  # noqa: DTZ001 - that is the point
        Turn(id="c", speaker="A", text=SAILING[2]),
    ]
    assert cuts(turns) == []


# -- hints


def test_boundary_costs_more_after_a_question() -> None:
    waiting, told = talk("Is it cracked?", "No."), talk("It is cracked.", "No.")
    assert boundary_costs(waiting, (), 0, 2)[1] > boundary_costs(told, (), 0, 2)[1]


def test_boundary_costs_most_before_an_assistant_answer() -> None:
    turns = talk("Mend the mast.", "Done.", "Thanks.", speakers=("user", "assistant"))  # type: ignore[arg-type]
    answer, next_request = boundary_costs(turns, (), 0, 3)[1:]
    assert answer > next_request + 3


def test_boundary_costs_less_after_turning_words_or_a_pause() -> None:
    turns = talk("The mast is cracked.", "Anyway, the bread.", "The mast.")
    plain, after_words = boundary_costs(turns, (), 0, 3)[2], boundary_costs(turns, (), 0, 3)[1]
    assert after_words < plain
    later = [Turn(id=str(n), speaker="A", text="mast", time=NOON + timedelta(hours=n)) for n in range(2)]
    assert boundary_costs(later, (), 0, 2)[1] < plain


def test_fact_of_two_turns_holds_them_together() -> None:
    turns = talk(*SAILING, *SAILING, *BAKING, *BAKING)
    at = 2 * len(SAILING)
    bridge = Fact(text="The bread was baked on the boat.", speaker="A", turns=(f"t{at - 1}", f"t{at}"))
    assert cuts(turns) == [at]
    assert boundary_costs(turns, [bridge], 0, len(turns))[at] > boundary_costs(turns, (), 0, len(turns))[at]
    assert at not in cuts(turns, [bridge, bridge])


def test_fact_of_distant_or_unknown_turns_holds_nothing() -> None:
    turns = talk(*SAILING, *SAILING)
    far = Fact(text="All of it.", speaker="A", turns=("t0", "t15"))
    unknown = Fact(text="None of it.", speaker="A", turns=("x", "y"))
    assert boundary_costs(turns, [far, unknown], 0, len(turns)) == boundary_costs(turns, (), 0, len(turns))


@pytest.mark.parametrize(
    "text",
    [
        *("Anyway, how is the bread?", "Ok thanks. By the way, did it rain?", "Andere Frage: wann kommt der Zug?"),
        *("Au fait, tu viens demain ?", "Por cierto, ¿llueve?", "Кстати, когда поезд?", "ところで、雨ですか。"),
        *("对了,火车几点?", "그나저나 비가 오나요?", "بالمناسبة، متى القطار؟"),
    ],
)
def test_turning_words_are_known_in_many_languages(text: str) -> None:
    assert changes_topic(text)


@pytest.mark.parametrize(
    "text", ["I like it anyway", "The btwx tool", "We stand by the waypoint", "", "Sideways by the way"]
)
def test_turning_words_elsewhere_in_a_sentence_are_ignored(text: str) -> None:
    assert not changes_topic(text)


@pytest.mark.parametrize(
    "text", ["Really?", "Is it? 😀", 'He said "why?"', "本当ですか？", "متى؟", "You see? [photo: a boat]"]
)
def test_question_is_recognized_at_the_end_of_a_text(text: str) -> None:
    assert ends_with_question(text)
    assert not ends_with_question(f"{text} I see.")


def test_private_text_does_not_influence_segments() -> None:
    hidden = [f"<private>{text}</private>" for text in (*SAILING, *SAILING, *BAKING, *BAKING)]
    assert cuts(talk(*hidden)) == []
