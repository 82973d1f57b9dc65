"""What may not be kept is in nothing that comes out: no text, no name, no id, nothing that could not be read."""

from __future__ import annotations

import json
from random import Random

import pytest

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.model.record import SeenSet, UnreadableEntry
from memvault.transcripts.model.redact import Redactor

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
PICTURE = "iVBORw0KGgo" + "A1b2" * 1_000


def keys(count: int) -> str:
    chance = Random(7)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    return "\n".join("AKIA" + "".join(chance.choice(letters) for _ in range(16)) for _ in range(count))


def clean(record: dict[str, object]) -> str:
    return json.dumps(Redactor().redact_record(record))


def test_redaction_does_not_take_key_lists_for_images() -> None:
    assert "AKIA" not in Redactor().redact_text(keys(120))
    assert "AKIA" not in clean({"data": keys(120), "content": [{"text": keys(120)}]})


def test_redaction_keeps_images() -> None:
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    record: dict[str, object] = {"content": [block], "file": {"base64": PICTURE}}
    assert Redactor().redact_record(record) is record


RECORDS: list[dict[str, object]] = [
    {"content": [{"text": "I keep <private>the loft"}, {"text": "and the loft too</private> bees"}]},
    {"content": [{"text": "<private>a"}, {"text": "the loft"}, {"text": "b</private> bees"}, {"text": "more"}]},
    {"text": "the loft</private> bees"},
    {"env": {"<private>the loft</private>": "bees", TOKEN: "x"}},
    {"env": {TOKEN: 1, TOKEN.replace("ghp", "gho"): "bees"}},
    {"deep": [[{"<PRIVATE>the loft": "bees"}]]},
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: json.dumps(record)[:50])
def test_redaction_covers_every_part_of_a_record(record: dict[str, object]) -> None:
    told = clean(record)
    assert "loft" not in told
    assert TOKEN[4:] not in told
    assert "bees" in told


def test_redaction_keeps_colliding_names_apart() -> None:
    record = {"env": {TOKEN: 1, TOKEN[:-1] + "b": 2, "plain": 3}}
    [env] = Redactor().redact_record(record).values()
    assert isinstance(env, dict)
    assert list(env.values()) == [1, 2, 3]


def test_redaction_handles_spans_across_texts() -> None:
    for text, left in (
        ("the loft</private> yes", "yes"),
        ("a <private>b</private> the loft</PRIVATE> yes", "yes"),
        ("a <private>the loft</private> yes", "a  yes"),
        ("yes <private>the loft", "yes"),
        ("a <private note> b", "a <private note> b"),
    ):
        assert Redactor().redact_turn(Turn(id="1", speaker="Ana", text=text)).text.strip() == left


def test_redaction_keeps_plain_ids() -> None:
    cleaning = Redactor()
    turn = cleaning.redact_turn(
        Turn(id="<private>a</private>", speaker="", text="x", session=f"s-{TOKEN}", role=f"<private>{TOKEN}")
    )
    assert (turn.id, turn.role) == ("private", "")
    assert TOKEN not in turn.session
    for plain in ("5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b", "D1:1", "4556737586899855", "conv-26", "b0f3c9a2e4d61577"):
        assert cleaning.redact_id(plain) == plain
    head = cleaning.redact_head(Conversation(id=f"chat-{TOKEN}", source="chat", title="<private>x", speakers=(TOKEN,)))
    assert TOKEN not in str(head)
    assert "<private>" not in str(head)


def test_redaction_covers_unreadable_lines_with_escapes() -> None:
    text = r'{"a": "\u003cprivate\u003ethe loft<\/private> ' + TOKEN + r" \u0067hp_16C7e42F292c6912E7710c838347Ae178B4a"
    told = Redactor().redact_unreadable(
        UnreadableEntry(where=f"{TOKEN!r} at byte 7", why="it is not JSON", text=text + " bees" + "x" * 1_000)
    )
    assert TOKEN not in str(told)
    assert "loft" not in told.text
    assert "bees" in told.text
    assert len(told.text) <= 200
    assert (
        "loft"
        not in Redactor().redact_unreadable(UnreadableEntry(where="1", why="w", text="the loft</private> x")).text
    )


# What came by is remembered in bounded room.


def test_seen_set_knows_recent_items() -> None:
    seen = SeenSet(most=10)
    assert [seen.add(number) for number in range(15)] == [False] * 15
    assert all(seen.add(number) for number in range(15))
    assert 14 in seen
    assert 15 not in seen


def test_seen_set_forgets_the_oldest_items() -> None:
    seen = SeenSet(most=10)
    for number in range(1_000):
        seen.add(str(number))
    known = [number for number in range(1_000) if str(number) in seen]
    assert 10 <= len(known) <= 20
    assert known == list(range(1_000 - len(known), 1_000))
