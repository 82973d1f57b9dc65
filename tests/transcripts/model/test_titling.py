"""Titles that are cut from what was said: after all that may not be kept is taken out of it."""

from __future__ import annotations

import pytest

from memvault.core.conversation import Conversation
from memvault.core.secrets.erase import FORGOTTEN_MARK
from memvault.transcripts.model.redact import OPENING, Redactor, make_title

SAID = "Zyxomma keeps the spare vault codes beneath the turquoise flowerpot in Trondheim."
OTHER = "We moor the boat at the east quay in winter, and at the west quay in summer, as the wind has it."
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
LONG = "long " * 100

TITLES = [
    ("Which knot?\nQuick.", "Which knot?"),
    ("\n \n  Which knot?  ", "Which knot?"),
    ("x" * 80, "x" * 80),
    (LONG, f"{LONG[:79].rstrip()}…"),
    (OTHER, f"{OTHER[:79]}…"),
    ("<private>\nthe loft\n</private>\nWell?", "Well?"),
    (f"{'x' * 66} {TOKEN} and so on", f"{'x' * 66} [redacted: G…"),
    (f"<private>{'x' * 1_500}</private>Well?", ""),
    ("", ""),
]


def erase(text: str) -> str:
    return text.replace(SAID, FORGOTTEN_MARK)


def head(text: str, *, purged: bool = True) -> Conversation:
    talk = Conversation(id="c", source="chat", title=make_title(text), opening=text[:OPENING])
    return Redactor(erase if purged else None).redact_head(talk)


@pytest.mark.parametrize("purged", [True, False])
@pytest.mark.parametrize(("text", "title"), TITLES)
@pytest.mark.parametrize("after", ["", f"\n{SAID}", f"\n\n{OTHER * 20}\n{SAID}"])
def test_title_without_purged_text_is_unchanged(text: str, title: str, after: str, *, purged: bool) -> None:
    if title:
        assert head(text + after, purged=purged).title == title


@pytest.mark.parametrize(("text", "title"), TITLES)
def test_empty_text_gives_no_title(text: str, title: str) -> None:
    assert make_title(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (SAID, FORGOTTEN_MARK),
        (f"Remember that {SAID} Please do.", f"Remember that {FORGOTTEN_MARK} Please do."),
        (f"{OTHER[:60]} {SAID}", f"{OTHER[:60]} {FORGOTTEN_MARK}"),
        (f"{SAID} {OTHER}", f"{FORGOTTEN_MARK} {OTHER[:67]}…"),
        (f"{'x ' * 30}\n{SAID}", ("x " * 30).strip()),
        (f"<private>a</private> {SAID}", FORGOTTEN_MARK),
    ],
)
def test_purged_text_is_removed_before_the_title_is_cut(text: str, title: str) -> None:
    assert head(text).title == title


@pytest.mark.parametrize("purged", [True, False])
def test_redacted_head_has_no_title_source(*, purged: bool) -> None:
    made = head(f"Remember that {SAID} {TOKEN}", purged=purged)
    assert made.opening == ""
    assert Redactor(erase).redact_head(made) == made
