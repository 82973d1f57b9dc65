"""A memory shows in an answer that says what it says, and not in one that has only its subject in common."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memvault.agents.hooks.exchanges import is_memory_used

COMMON = {"station", "gauge", "river", "use", "test", "run", "file"}
MODEM = "The spare modem of the Hollin gauge lies in the green box."
LONG = (
    "# The Hollin gauge\n\nIt was put up in 2014. The river floods the cable duct every spring.\n\n"
    "- Bring rubber boots and the long ladder.\n- The battery is swapped in October.\n"
)


def rarity(words: Sequence[str]) -> dict[str, float]:
    return {word: 1.0 if word in COMMON else 6.0 for word in words}


@pytest.mark.parametrize(
    ("memory", "asked", "answer"),
    [
        (MODEM, "Where is the spare modem of the Hollin gauge?", "It is in the green box."),
        (MODEM, "Where is the spare modem?", "For the Hollin gauge: look into the green box by the door."),
        ("The staging port is 8443.", "Which port does staging use?", "Staging listens on 8443."),
        (
            "Noor prefers tabs over spaces.",
            "Format this file.",
            "Formatted with tabs instead of spaces, as Noor prefers.",
        ),
        (LONG, "What do I take to the station?", "Take rubber boots and a ladder, the long one."),
        (LONG, "When is the battery due?", "It gets swapped each October."),
        ("Deploy with `make ship` after the smoke run.", "How do I deploy?", "Do the smoke run, then `make ship`."),
        ("Der Schlüssel liegt unter der Fußmatte.", "Wo ist der Schlüssel?", "Er liegt unter der Fußmatte am Eingang."),
        ("Wir nutzen Postgres 16 mit pgvector.", "Welche Datenbank?", "Postgres 16, mit der Erweiterung pgvector."),
        ("合言葉は海鳥です。", "合言葉は何ですか", "合言葉は「海鳥」です。"),
    ],
)
def test_what_the_answer_says_was_used(memory: str, asked: str, answer: str) -> None:
    assert is_memory_used(memory, answer, asked=asked, rarity=rarity)


@pytest.mark.parametrize(
    ("memory", "asked", "answer"),
    [
        (MODEM, "Where is the spare modem of the Hollin gauge?", "I do not know where the spare modem is."),
        (
            MODEM,
            "Where is the spare modem of the Hollin gauge?",
            "The spare modem of the Hollin gauge may be anywhere.",
        ),
        (MODEM, "Rename this function.", "I renamed the function and ran the tests; all of them pass."),
        (MODEM, "Paint the door.", "The door is green now."),
        ("The staging port is 8443.", "Which port does staging use?", "I would look at the settings of staging."),
        ("Noor prefers tabs over spaces.", "Format this file.", "Done: the file is formatted."),
        (LONG, "Tell me about the river.", "The river rises in the hills and ends in the sea."),
        (LONG, "What is a gauge?", "A gauge is a station that measures the level of a river."),
        ("Der Schlüssel liegt unter der Fußmatte.", "Wo ist der Schlüssel?", "Das weiß ich leider nicht."),
        (MODEM, "Where is it?", ""),
        ("", "Where is it?", "In the green box."),
    ],
)
def test_what_it_does_not_say_was_not(memory: str, asked: str, answer: str) -> None:
    assert not is_memory_used(memory, answer, asked=asked, rarity=rarity)
