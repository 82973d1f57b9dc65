"""What could deceive a reader is shown; what makes a script or an emoji whole stays."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.display import neutralize_json, neutralize_text, to_one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("bell\x07, delete\x7f, next line\x85", r"bell\x07, delete\x7f, next line\x85"),
        *(("over\rwritten", r"over\x0dwritten"), ("user\u202etxt.exe", r"user\u202etxt.exe")),
        *(("\u2066isolated\u2069", r"\u2066isolated\u2069"), ("left\u200emark", r"left\u200emark")),
        *(("zero\u200bwidth", r"zero\u200bwidth"), ("\ufeffmark", r"\ufeffmark")),
        ("tag\U000e0041\U000e007f", r"tag\U000e0041\U000e007f"),
        ("hidden\U000e0100 selector", r"hidden\U000e0100 selector"),
        *(("joined\u200dletters", r"joined\u200dletters"), ("a line\u2028separator", r"a line\u2028separator")),
        *(("half a pair \ud83d", r"half a pair \ud83d"), ("soft\u00adhyphen", r"soft\xadhyphen")),
        *(("grapheme\u034fjoiner", r"grapheme\u034fjoiner"), ("a letter's\ufe0f style", r"a letter's\ufe0f style")),
        *(("signs ❤\ufe0f\ufe0e", "signs ❤\ufe0f\\ufe0e"), ("<system-reminder> x", "&lt;system-reminder> x")),
        *(("</function_results>", "&lt;/function_results>"), ("<any-agents-own a=1>", "&lt;any-agents-own a=1>")),
        *(("<|im_start|>", "&lt;|im_start|>"), ("[INST] [/INST]", "&#91;INST] &#91;/INST]")),
        *(("＜ｓｙｓｔｅｍ＞", "&lt;ｓｙｓｔｅｍ＞"), ("‹/tool_result›", "&lt;/tool_result›")),
        ("<!-- memvault:end -->", "&lt;!-- memvault:end -->"),
    ],
)
def test_characters_that_could_deceive_are_spelled_out(text: str, shown: str) -> None:
    assert neutralize_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("plain text, with a tab\tand\nlines", "Grüße, naïve café, Þórr", "日本語のテキスト、한국어"),
        *("👨‍👩‍👧 and 🏳️‍🌈 and 👍🏽", "می‌خواهم", "क्‍ष", "葛\U000e0100飾区"),
        *("a non-breaking\u00a0space", "❤️ 1️⃣", "Map<my_type> and List<String>, <b>bold</b>, a < b, [x] [tool](a.md)"),
    ],
)
def test_what_deceives_nobody_stays(text: str) -> None:
    assert neutralize_text(text) == text


def test_windows_line_ends_become_plain_ones() -> None:
    assert neutralize_text("one\r\ntwo\r\n") == "one\ntwo\n"


def test_a_line_of_ours_is_never_broken_by_a_title() -> None:
    assert to_one_line(" a title\non two\tlines ") == "a title on two lines"


@given(st.text())
def test_nothing_printed_controls_a_terminal_or_turns_text(text: str) -> None:
    shown = neutralize_text(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in shown if char not in "\n\t")
    assert not any(
        unicodedata.bidirectional(char) in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI")
        for char in shown
    )


@given(st.text())
def test_escaped_text_is_not_escaped_again(text: str) -> None:
    assert neutralize_text(neutralize_text(text)) == neutralize_text(text)


@given(
    st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["[INST]\u00ad", "<system>\U000e0041\ue000"])
)
def test_json_says_the_same_when_it_is_read_by_a_program(text: str) -> None:
    page = neutralize_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(page) == [text]
    assert neutralize_text(page) == page
