"""Codex's rollouts: what somebody said becomes turns, everything else is kept and says nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats import guess_format
from memvault.transcripts.formats.codex import read_codex
from memvault.transcripts.model.record import (
    ReadPosition,
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
)

SESSION = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"
FILE = f"rollout-2026-11-21T07-56-57-{SESSION}.jsonl"
STAMP = "2026-11-21T07:56:57.239Z"


def line(kind: str, stamp: str = STAMP, **payload: object) -> dict[str, object]:
    return {"timestamp": stamp, "type": kind, "payload": payload}


META = line("session_meta", id=SESSION, cwd="/home/ana/shed", originator="codex_cli", cli_version="0.65.0")


def item(**payload: object) -> dict[str, object]:
    return line("response_item", **payload)


def prompt(*texts: str) -> dict[str, object]:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text} for text in texts])


def answer(text: str) -> dict[str, object]:
    return item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])


def call(name: str, **given: object) -> dict[str, object]:
    return item(type="function_call", name=name, arguments=json.dumps(given), call_id="c1")


def data(*told: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in told)


def records(*told: object, start: ReadStart | None = None) -> list[TranscriptRecord]:
    return list(read_codex([data(*told)], start or ReadStart(name=FILE)))


def turns(*told: object, start: ReadStart | None = None) -> list[Turn]:
    return [one.turn for one in records(*told, start=start) if isinstance(one, TranscriptEntry) and one.turn]


def test_codex_prompt_and_answer_become_turns() -> None:
    asked, answered = turns(META, prompt("Which knot holds a wet rope?"), answer("A bowline."))
    assert (asked.role, asked.text, asked.session) == ("user", "Which knot holds a wet rope?", SESSION)
    assert asked.time == datetime(2026, 11, 21, 7, 56, 57, 239000, tzinfo=UTC)
    assert (answered.role, answered.text) == ("assistant", "A bowline.")


def test_codex_head_has_session_folder_and_title() -> None:
    head = [one for one in records(META, prompt("Which knot?\nQuick.")) if isinstance(one, Conversation)][-1]
    assert (head.id, head.source, head.project, head.title) == (SESSION, "codex", "/home/ana/shed", "Which knot?")


def test_codex_fork_keeps_its_own_id() -> None:
    parent = line("session_meta", id="019a0000-0000-7000-8000-000000000000", cwd="/elsewhere")
    head = [one for one in records(META, parent, prompt("Which knot?")) if isinstance(one, Conversation)][-1]
    assert (head.id, head.project) == (SESSION, "/home/ana/shed")


def test_codex_context_lines_make_no_turn() -> None:
    told = (
        META,
        prompt("<environment_context>\n  <cwd>/home</cwd>\n</environment_context>"),
        prompt("# AGENTS.md instructions for /home\n\nBe brief."),
        item(type="message", role="developer", content=[{"type": "input_text", "text": "Obey."}]),
        item(type="reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="x"),
        item(type="function_call_output", call_id="c1", output="secret output"),
        line("event_msg", type="user_message", message="Which knot?"),
        line("event_msg", type="agent_message", message="A bowline."),
        line("compacted", message="A summary."),
        line("turn_context", model="gpt-5-codex"),
    )
    assert turns(*told) == []
    # The client's own prompts to the model are nobody's words.
    kept = [META, *told[4:9]]
    assert [one.raw for one in records(*told) if isinstance(one, TranscriptEntry)] == kept


def test_codex_removes_injected_memories() -> None:
    recalled = '<memvault-recall token="k7">\nTea at four.\n</memvault-recall token="k7">'
    assert [turn.text for turn in turns(META, prompt(recalled, "Which knot?"))] == ["Which knot?"]


def test_codex_tool_calls_belong_to_the_answer() -> None:
    patch = "*** Begin Patch\n*** Update File: /home/ana/shed/knots.py\n+x\n*** End Patch"
    (_, answered) = turns(
        META,
        prompt("Mend it."),
        answer("I look."),
        call("shell", command=["bash", "-lc", "make test"]),
        item(type="custom_tool_call", name="apply_patch", input=patch, call_id="c2"),
        call("update_plan", plan=[]),
        answer("Done."),
    )
    assert answered.text == "I look.\n\nDone."
    assert answered.deeds == ("Bash make test", "Edit knots.py")


def test_codex_reports_unreadable_lines_and_continues() -> None:
    broken = data(META) + b"nonsense\n[1]\n" + data(prompt("Which knot?")) + b'{"timestamp": "20'
    found = list(read_codex([broken], ReadStart(name=FILE)))
    assert [one.where for one in found if isinstance(one, UnreadableEntry)] == ["line 2", "line 3", "line 5"]
    assert [one.turn.text for one in found if isinstance(one, TranscriptEntry) and one.turn] == ["Which knot?"]


def test_codex_reading_resumes_at_an_open_answer() -> None:
    first = data(META, prompt("Which knot?"), answer("A bowline."))
    found = list(read_codex([first], ReadStart(name=FILE, closed=False)))
    assert [one.turn.role for one in found if isinstance(one, TranscriptEntry) and one.turn] == ["user"]
    to = [one.to for one in found if isinstance(one, ReadPosition)][-1]
    head = [one for one in found if isinstance(one, Conversation)][-1]
    more = (first + data(answer("Or a sheet bend."), prompt("Thanks.")))[to:]
    again = [
        one.turn
        for one in read_codex([more], ReadStart(name=FILE, at=to, head=head))
        if isinstance(one, TranscriptEntry) and one.turn
    ]
    assert [turn.text for turn in again] == ["A bowline.\n\nOr a sheet bend.", "Thanks."]
    assert again[0].id == turns(META, prompt("Which knot?"), answer("A bowline."))[1].id


def test_codex_is_recognized_by_first_line_or_name() -> None:
    assert guess_format(data(META)) == "codex"
    assert guess_format(b"", FILE) == "codex"
    assert guess_format(b'{"type": "session_meta"}') != "codex"
