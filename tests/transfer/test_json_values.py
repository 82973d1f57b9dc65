"""Values as JSON: stable names, dates in UTC, nothing that JSON does not know."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation, OperationStep
from memvault.errors import NotFound
from memvault.transfer import json_values as jsonable

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
TEA = Memory(
    id="5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b",
    path="1-hot/2026-01-29-tea.md",
    place=Place.HOT,
    title="Tea",
    created=datetime(2026, 1, 29, 10, 30, tzinfo=timezone(timedelta(hours=1))),
    last_accessed=NOW,
    tags=("drinks",),
    refs={"session": ("s1",)},
    more={"due": NOW, "priority": 2, "id": "never over the memory's own"},
    body="Sara prefers tea.",
)


def test_a_memory_goes_by_its_frontmatter_names_and_says_where_it_lies() -> None:
    told = jsonable.memory_to_json(TEA)
    assert told["created"] == told["last_accessed"] == "2026-01-29T09:30:00Z"
    assert (told["tier"], told["place"], told["name"], told["path"]) == (1, "hot", "2026-01-29-tea", TEA.path)
    assert (told["tags"], told["refs"]) == (["drinks"], {"session": ["s1"]})


def test_fields_of_its_kind_are_on_the_same_level_and_replace_nothing() -> None:
    told = jsonable.memory_to_json(TEA)
    assert (told["due"], told["priority"]) == ("2026-01-29T09:30:00Z", 2)
    assert told["id"] == TEA.id
    assert "more" not in told


def test_the_text_is_there_only_where_it_was_asked_for() -> None:
    assert "body" not in jsonable.memory_to_json(TEA)
    assert jsonable.memory_to_json(TEA, body=True)["body"] == "Sara prefers tea."


def test_values_within_values_become_plain() -> None:
    step = OperationStep("create", "a.md", entry={"e": "lift", "when": NOW})
    told = jsonable.to_json(Operation(op="x", verb="remember", at="2026", steps=(step,)))
    assert isinstance(told, dict)
    assert told["steps"][0]["entry"] == {"e": "lift", "when": "2026-01-29T09:30:00Z"}
    assert json.loads(jsonable.to_json_line(told, ascii_only=False)) == told


def test_the_envelopes() -> None:
    assert jsonable.success_envelope("list", {"total": 0}, ["careful"]) == {
        "memvault": 1,
        "command": "list",
        "ok": True,
        "result": {"total": 0},
        "warnings": ["careful"],
    }
    assert jsonable.error_envelope("show", NotFound(ref="x"))["error"] == {
        "code": "NotFound",
        "message": "No memory matches 'x'.",
        "hint": NotFound(ref="x").advice,
        "exit_code": 3,
    }


def test_ascii_json_escapes_other_characters() -> None:
    assert jsonable.to_json_line("日", ascii_only=True) == '"\\u65e5"'
    assert jsonable.to_json_line("日", ascii_only=False) == '"日"'


def test_characters_that_turn_text_around_are_spelled_out() -> None:
    shown = jsonable.to_json_page({"title": "a\u202eb\u2066c"}, ascii_only=False)
    assert json.loads(shown) == {"title": "a\u202eb\u2066c"}
    assert "\u202e" not in shown
    assert "\\u202e" in shown
