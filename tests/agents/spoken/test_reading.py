"""What a prompt is read for, and what speaks against it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.agents.spoken.english import ENGLISH
from memvault.agents.spoken.intent import (
    BY_NAME,
    Dig,
    Maintain,
    Pause,
    Remember,
    Resume,
    SaveProgress,
    Significant,
    WhatAbout,
    after,
    before,
    own_phrase,
    words,
)
from memvault.agents.spoken.listening import HINTS, may_hold_command
from memvault.agents.spoken.other_languages import OTHERS
from memvault.agents.spoken.parse import read
from memvault.agents.spoken.prompt_text import LONGEST, Page
from memvault.core.settings.row import SPOKEN, spoken_phrases

LABELLED = Path(__file__).parents[2] / "labelled" / "intents.jsonl"
COMMANDS = [
    row["prompt"] for row in map(json.loads, LABELLED.read_text("utf-8").splitlines()) if row["intent"] != "none"
]
LINES = [prompt for prompt in COMMANDS if "\n" not in prompt]

pieces = st.sampled_from(
    [
        *COMMANDS[::5],
        "```",
        "`",
        '"',
        "'",
        "“",
        "<a>",
        "</a>",
        "> ",
        "\n",
        "\n\n",
        ": ",
        "? ",
        ". ",
        "remember this",
        "\u00a0",
    ]
)
prompts = st.lists(st.one_of(pieces, st.text(max_size=12)), max_size=12).map("".join)


@given(prompts)
def test_any_prompt_is_read_and_what_is_taken_stands_in_it(prompt: str) -> None:
    found = read(prompt)
    if isinstance(found, Remember | Significant):
        assert all(piece in prompt for piece in found.text.split())


@given(prompts)
def test_a_page_is_as_long_as_its_prompt_and_its_sentences_lie_in_it(prompt: str) -> None:
    page = Page.of(prompt)
    assert len(page.plain) == len(page.prompt)
    for sentence in page.sentences():
        assert 0 <= sentence.start < sentence.end <= sentence.line_end <= len(prompt)


@pytest.mark.parametrize("prompt", LINES)
def test_nothing_that_is_shown_is_obeyed(prompt: str) -> None:
    shown = (
        f"> {prompt}",
        f"```\n{prompt}\n```",
        f"<note>{prompt}</note>",
        f"Translate this:\n\n{prompt}",
        f"- {prompt}",
    )
    assert [read(text) for text in shown] == [None] * len(shown)


@pytest.mark.parametrize("prompt", [prompt for prompt in LINES if '"' not in prompt and "“" not in prompt])
def test_nothing_in_quotes_is_obeyed(prompt: str) -> None:
    assert read(f'"{prompt}"') is None
    assert read(f"“{prompt}”") is None


@pytest.mark.parametrize("prompt", ["remember that we use tabs", "Remember: I like tabs.", "remember I prefer tabs"])
def test_after_a_request_for_work_it_is_a_word_on_that_work(prompt: str) -> None:
    assert isinstance(read(prompt), Remember)
    assert read(f"Write a test for the parser. {prompt}") is None
    assert isinstance(read(f"Nice, the tests pass. {prompt}"), Remember)


def test_the_first_command_of_a_prompt_is_the_one() -> None:
    assert read("Remember this: we ship on Mondays.\n\nSave progress.") == Remember("we ship on Mondays.")
    assert read("Save progress. Remember this: we ship on Mondays.") == SaveProgress()


def test_each_command_says_what_it_wants() -> None:
    assert read("remind me to call Anna tomorrow") == Remember("call Anna tomorrow", to_do=True)
    assert read("This is significant: we signed.") == Significant("we signed.")
    assert read("dig deeper into the outage?") == Dig("the outage")
    assert read("what do you remember about ADR-016?") == WhatAbout("ADR-016")
    assert read("memory maintenance") == Maintain()
    assert read("pause memvault for 2 hours") == Pause(timedelta(hours=2))
    assert read("don't remember this session") == Pause(session=True)
    assert read("memvault on") == Resume()


def test_a_prompt_that_goes_on_with_work_is_cut_there() -> None:
    assert read("Remember this: the key is in the vault. Now run the tests.") == Remember("the key is in the vault.")
    assert read("Remember this: the key is red. It opens the gate. Can you fix the lock?") == Remember(
        "the key is red. It opens the gate."
    )


def test_a_block_behind_a_colon_is_taken_whole() -> None:
    assert read("Remember this:\n\n- a\n- b\n\nThanks") == Remember("- a\n- b")


def test_signs_alone_are_nothing_to_remember() -> None:
    assert read("remember this: ...") is None
    assert read("remember this.....") == Remember()


def test_what_stands_far_behind_is_not_looked_at() -> None:
    assert read("word " * LONGEST + "\n\nremember this: tea") is None


# -- a person's own phrases


def test_own_phrases_are_obeyed_in_any_language() -> None:
    own = ("remember = skriv opp", "save = lagre nå", "dig = grav i", "about=hva vet du om")
    assert read("Skriv opp: nøkkelen er rød", phrases=own) == Remember("nøkkelen er rød")
    assert read("skriv opp at nøkkelen er rød", phrases=own) == Remember("at nøkkelen er rød")
    assert read("Lagre nå!", phrases=own) == SaveProgress()
    assert read("grav i strømbruddet", phrases=own) == Dig("strømbruddet")
    assert read("Hva vet du om Kari?", phrases=own) == WhatAbout("Kari")
    assert read("han sa skriv opp dette", phrases=own) is None
    assert read("skriv opp hva?", phrases=own) is None
    assert all(may_hold_command(text, phrases=own) for text in ("Skriv  opp: x", "lagre nå", "Hva vet du om x"))


def test_own_phrases_are_words_and_no_patterns() -> None:
    assert read("save it now", phrases=["save = save.*"]) is None
    assert read("(( x", phrases=["remember = (("]) == Remember("x")


def test_rows_that_name_no_command_are_refused_by_the_setting_and_say_nothing_here() -> None:
    assert spoken_phrases(("remember = merk dir", "TODO=denk dran")) == ""
    for bad in ("remember", "forget = vergiss", "remember = "):
        assert spoken_phrases((bad,))
        assert own_phrase(bad) is None
        assert read("forget vergiss", phrases=[bad]) is None


def test_the_setting_knows_the_commands_that_there_are() -> None:
    assert tuple(BY_NAME) == SPOKEN


# -- the tables


def test_every_rule_of_every_language_is_sound() -> None:
    for language in (ENGLISH, *OTHERS.values()):
        assert before(language)
        assert after(language)
        for group in language.groups:
            assert group.begins
            assert all(rule.intent in BY_NAME and words(rule) for rule in group.rules)
            assert all(any(hint in word for hint in HINTS) for word in group.needs or group.begins), group
