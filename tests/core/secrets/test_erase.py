"""What was forgotten for good goes out of a text, and nothing else does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from memvault.core.secrets.erase import FORGOTTEN_MARK, erase_forgotten, known_parts, known_spellings, normalize_text
from memvault.core.secrets.screens import normalize_content

SAID = "The door code is four seven one one now."


def without(text: str, *forgotten: str) -> str:
    known = {
        form
        for each in forgotten
        for part in known_parts(each)
        for form in (normalize_content(part), normalize_text(part))
    }
    return erase_forgotten(text, lambda part: any(form in known for form in known_spellings(part)))


def test_a_sentence_within_others_goes_and_they_stay() -> None:
    assert without(f"Hello there. {SAID} See you at nine.", SAID) == f"Hello there. {FORGOTTEN_MARK} See you at nine."


def test_each_longer_sentence_of_what_was_forgotten_goes() -> None:
    forgotten = f"{SAID} Ring twice when you are there. Yes."
    text = "Yes. Ring twice when you are there. Yes."
    assert without(text, forgotten) == f"Yes. {FORGOTTEN_MARK} Yes."


def test_sentences_without_spaces_are_recognized() -> None:
    assert (
        without("今日は雨です。玄関の暗証番号は四七一一です。", "玄関の暗証番号は四七一一です。")
        == f"今日は雨です。{FORGOTTEN_MARK}"
    )


@given(some.text(max_size=200))
def test_a_text_of_which_nothing_was_forgotten_stays_as_it_is(text: str) -> None:
    assert erase_forgotten(text, lambda _part: False) == text


@given(some.text(max_size=120), some.text(max_size=120))
def test_erasing_again_changes_nothing(text: str, forgotten: str) -> None:
    once = without(text, forgotten)
    assert without(once, forgotten) == once


@given(some.lists(some.sampled_from(["It rains.", SAID, "Tea at four.", "\n\n", "\n- ", " "]), max_size=8))
def test_erase_leaves_nothing_that_was_forgotten(parts: list[str]) -> None:
    text = " ".join(parts)
    assert SAID not in without(text, SAID)
    assert "Tea at four." in without(text, SAID) or "Tea at four." not in text
