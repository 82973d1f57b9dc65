"""What a prompt is read for, and what speaks against it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.agents.spoken.hints import FORMS, HINT_WORDS
from memvault.agents.spoken.intent import (
    INTENTS_BY_NAME,
    Dig,
    Maintain,
    Pause,
    Remember,
    Resume,
    SaveProgress,
    Significant,
    WhatAbout,
    parse_phrase,
)
from memvault.agents.spoken.lexicon import LANGUAGES, read_lexicon
from memvault.agents.spoken.listening import may_hold_command
from memvault.agents.spoken.prompt_text import LONGEST, PromptText
from memvault.core.settings.table import SPOKEN, check_spoken_phrases
from tests.agents.spoken import is_covered, parse_intent

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
    found = parse_intent(prompt)
    if isinstance(found, Remember | Significant):
        assert all(piece in prompt for piece in found.text.split())


@given(prompts)
def test_a_page_is_as_long_as_its_prompt_and_its_sentences_lie_in_it(prompt: str) -> None:
    page = PromptText.parse_prompt(prompt)
    assert len(page.own_words) == len(page.prompt)
    for sentence in page.find_sentences():
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
    assert [parse_intent(text) for text in shown] == [None] * len(shown)


@pytest.mark.parametrize("prompt", [prompt for prompt in LINES if '"' not in prompt and "“" not in prompt])
def test_nothing_in_quotes_is_obeyed(prompt: str) -> None:
    assert parse_intent(f'"{prompt}"') is None
    assert parse_intent(f"“{prompt}”") is None


@pytest.mark.parametrize("prompt", ["remember that we use tabs", "Remember: I like tabs.", "remember I prefer tabs"])
def test_after_a_request_for_work_it_is_a_word_on_that_work(prompt: str) -> None:
    assert isinstance(parse_intent(prompt), Remember)
    assert parse_intent(f"Write a test for the parser. {prompt}") is None
    assert isinstance(parse_intent(f"Nice, the tests pass. {prompt}"), Remember)


def test_the_first_command_of_a_prompt_is_the_one() -> None:
    assert parse_intent("Remember this: we ship on Mondays.\n\nSave progress.") == Remember("we ship on Mondays.")
    assert parse_intent("Save progress. Remember this: we ship on Mondays.") == SaveProgress()


def test_each_command_says_what_it_wants() -> None:
    assert parse_intent("remind me to call Anna tomorrow") == Remember("call Anna", to_do=True, when="tomorrow")
    assert parse_intent("This is significant: we signed.") == Significant("we signed.")
    assert parse_intent("dig deeper into the outage?") == Dig("the outage")
    assert parse_intent("what do you remember about ADR-016?") == WhatAbout("ADR-016")
    assert parse_intent("memory maintenance") == Maintain()
    assert parse_intent("pause memvault for 2 hours") == Pause(timedelta(hours=2))
    assert parse_intent("don't remember this session") == Pause(session=True)
    assert parse_intent("memvault on") == Resume()


def test_a_prompt_that_goes_on_with_work_is_cut_there() -> None:
    assert parse_intent("Remember this: the key is in the vault. Now run the tests.") == Remember(
        "the key is in the vault."
    )
    assert parse_intent("Remember this: the key is red. It opens the gate. Can you fix the lock?") == Remember(
        "the key is red. It opens the gate."
    )


def test_a_block_behind_a_colon_is_taken_whole() -> None:
    assert parse_intent("Remember this:\n\n- a\n- b\n\nThanks") == Remember("- a\n- b")


def test_signs_alone_are_nothing_to_remember() -> None:
    assert parse_intent("remember this: ...") is None
    assert parse_intent("remember this.....") == Remember()


def test_what_stands_far_behind_is_not_looked_at() -> None:
    assert parse_intent("word " * LONGEST + "\n\nremember this: tea") is None


# -- a person's own phrases


def test_own_phrases_are_obeyed_in_any_language() -> None:
    own = ("remember = skriv opp", "save = lagre nå", "dig = grav i", "about=hva vet du om")
    assert parse_intent("Skriv opp: nøkkelen er rød", phrases=own) == Remember("nøkkelen er rød")
    assert parse_intent("skriv opp at nøkkelen er rød", phrases=own) == Remember("at nøkkelen er rød")
    assert parse_intent("Lagre nå!", phrases=own) == SaveProgress()
    assert parse_intent("grav i strømbruddet", phrases=own) == Dig("strømbruddet")
    assert parse_intent("Hva vet du om Kari?", phrases=own) == WhatAbout("Kari")
    assert parse_intent("han sa skriv opp dette", phrases=own) is None
    assert parse_intent("skriv opp hva?", phrases=own) is None
    assert all(may_hold_command(text, phrases=own) for text in ("Skriv  opp: x", "lagre nå", "Hva vet du om x"))


def test_own_phrases_are_words_and_no_patterns() -> None:
    assert parse_intent("save it now", phrases=["save = save.*"]) is None
    assert parse_intent("(( x", phrases=["remember = (("]) == Remember("x")


def test_rows_that_name_no_command_are_refused_by_the_setting_and_say_nothing_here() -> None:
    assert check_spoken_phrases(("remember = merk dir", "TODO=denk dran")) == ""
    for bad in ("remember", "lose = tabt", "remember = "):
        assert check_spoken_phrases((bad,))
        assert parse_phrase(bad) is None
        assert parse_intent("tabt lose", phrases=[bad]) is None


def test_the_setting_knows_the_commands_that_there_are() -> None:
    assert tuple(INTENTS_BY_NAME) == SPOKEN


# -- word order, and what only looks like a command


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Kannst du dir merken, dass Oma am 4. Mai Geburtstag hat?", "Oma am 4. Mai Geburtstag hat"),
        ("Du kannst die alte Adresse aus deinem Gedächtnis streichen.", "die alte Adresse"),
        ("Kannst du mich nächste Woche an den Zahnarzt erinnern?", "den Zahnarzt"),
        ("Enregistre s'il te plaît que je suis gauchère.", "je suis gauchère."),
        ("Ho finito la relazione, spuntala.", "la relazione"),
        ("Wil je noteren dat onze kat Mies heet?", "onze kat Mies heet"),
        ("You can delete everything about my old landlord.", "my old landlord"),
        ("Actually, it's the 14th now, not the 12th.", "it's the 14th now, not the 12th."),
    ],
)
def test_a_command_is_read_in_the_word_order_of_its_language(prompt: str, said: str) -> None:
    found = parse_intent(prompt)
    assert getattr(found, "text", getattr(found, "topic", "")) == said


@pytest.mark.parametrize(
    "prompt",
    [
        "Forget the styling for now and get the parser to work.",
        "Vergiss die Tests, mach erst den Parser.",
        "Olvida el formato, corrige solo las tildes.",
        "Vergiss nicht, die Überschrift zu kürzen.",
        "I'm done with this song, it bores me.",
        "Rappelle-moi la formule de l'aire du cercle.",
        "最後の行を消して",
    ],
)
def test_a_word_on_the_work_at_hand_is_no_command(prompt: str) -> None:
    assert parse_intent(prompt) is None


# -- the tables


def test_every_class_of_every_language_is_sound_and_every_form_has_its_words_in_english() -> None:
    for language in LANGUAGES:
        lexicon = read_lexicon(language)
        assert all(lexicon.pattern(name) for name in lexicon.rows)
    english = set(read_lexicon("en").rows)
    assert [form for form in FORMS if not form.needs | form.may <= english | {"tickit"}] == []
    assert {form.command for form in FORMS} == set(INTENTS_BY_NAME)


def test_no_class_of_words_can_be_in_a_text_without_its_hints() -> None:
    for language in LANGUAGES:
        lexicon, hints = read_lexicon(language), HINT_WORDS[language]
        for name in {name for form in FORMS if form.needs <= lexicon.rows.keys() for name in form.needs}:
            row, edge = lexicon.spell_out(name), " " if lexicon.is_spaced else ""
            assert is_covered(row, hints[name], edge=edge), (language, name)


@pytest.mark.parametrize(
    "prompt",
    [
        "What time is it?",
        "What is the capital of France?",
        "Why does the build fail on the main branch?",
        "How many planets are there?",
        "Explain what this function does",
        "Wie spät ist es in Tokio?",
        "Quelle heure est-il ?",
    ],
)
def test_an_ordinary_question_is_not_read_further(prompt: str) -> None:
    assert not may_hold_command(prompt)
