"""Claude Code's transcripts: what somebody said becomes turns, everything else is kept and says nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats import guess_format
from memvault.transcripts.formats.claude_code import is_transcript, read_claude_code
from memvault.transcripts.model.record import (
    LONGEST,
    ReadPosition,
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
)
from tests.transcripts.archive import real_folder

OURS = '<memvault-recall token="k7">'
SESSION = "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b"


def line(kind: str, uuid: str, content: object, **members: object) -> dict[str, Any]:
    told: dict[str, Any] = {"role": kind, "content": content}
    if name := members.pop("name", None):
        told["id"] = name
    base = {"type": kind, "uuid": uuid, "sessionId": SESSION, "cwd": "/home/ana/shed", "message": told}
    return {**base, "timestamp": "2026-11-21T07:56:57.239Z", **members}


def prompt(uuid: str, content: object, **members: object) -> dict[str, Any]:
    return line("user", uuid, content, **members)


def answer(uuid: str, name: str, *blocks: object, **members: object) -> dict[str, Any]:
    return line("assistant", uuid, list(blocks), name=name, **members)


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def use(tool: str, **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": "toolu_1", "name": tool, "input": given}


def records(*lines: object, start: ReadStart | None = None) -> list[TranscriptRecord]:
    data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)
    return list(read_claude_code([data], start or ReadStart(name=SESSION)))


def turns(*lines: object, start: ReadStart | None = None) -> list[Turn]:
    return [one.turn for one in records(*lines, start=start) if isinstance(one, TranscriptEntry) and one.turn]


def said(*lines: object) -> list[str]:
    return [turn.text for turn in turns(*lines)]


def head(*lines: object, name: str = SESSION) -> Conversation:
    return [one for one in records(*lines, start=ReadStart(name=name)) if isinstance(one, Conversation)][-1]


# -- turns


def test_prompt_becomes_a_turn_with_id_time_and_session() -> None:
    assert turns(prompt("u1", "Which knot holds a wet rope?")) == [
        Turn(
            id="u1",
            speaker="user",
            role="user",
            text="Which knot holds a wet rope?",
            time=datetime(2026, 11, 21, 7, 56, 57, 239000, tzinfo=UTC),
            session=SESSION,
        )
    ]


def test_lines_of_one_message_become_one_turn() -> None:
    result = prompt("r1", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}])
    found = turns(
        prompt("u1", "Mend the latch."),
        answer("a1", "m1", text("I look at it first.")),
        answer("a2", "m1", use("Edit", file_path="/home/ana/shed/src/latch.py")),
        result,
        answer("a3", "m1", text("Then I mend it."), use("Bash", command="git status --short && echo done")),
        {**result, "uuid": "r2"},
        answer("a4", "m2", use("Write", file_path="/etc/latch.conf", content="x")),
        answer("a5", "m3", text("It is mended.")),
    )
    assert [(turn.id, turn.text) for turn in found] == [
        ("u1", "Mend the latch."),
        ("a1", "I look at it first.\n\nThen I mend it."),
        ("a5", "It is mended."),
    ]
    assert found[1].deeds == ("Edit src/latch.py", "Bash git status --short && echo done", "Write /etc/latch.conf")


def test_tool_calls_before_the_first_words_join_the_turn() -> None:
    found = turns(answer("a1", "m1", use("Edit", file_path="a.py")), answer("a2", "m2", text("Done.")))
    assert [(turn.id, turn.text, turn.deeds) for turn in found] == [("a1", "Done.", ("Edit a.py",))]


def test_tool_calls_are_short_and_contain_no_secret() -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    tools = [
        use("Bash", command=f"curl -H 'Authorization: token {secret}' https://example.org\nrm -rf build"),
        use("mcp__memvault__remember", text="x"),
        use("Read", file_path="a.py"),
        use("Grep", pattern="x"),
        use("Agent", description="Compare paints", prompt="Compare all paints there are, in full"),
        use("Edit", file_path="/home/ana/shed-two/a.py"),
        {"type": "tool_use", "id": "t"},
    ]
    [turn] = turns(answer("a1", "m1", text("Hm."), *tools))
    assert turn.deeds[1:] == ("remember", "Agent Compare paints", "Edit /home/ana/shed-two/a.py", "a tool")
    assert secret[:12] not in turn.deeds[0]
    assert all(len(deed) <= 60 for deed in turn.deeds)


def test_images_are_named_and_thinking_is_omitted() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "iVBO"}}
    paper = {"type": "document", "source": {}}
    thought = {"type": "thinking", "thinking": "secretly", "signature": "x"}
    assert said(prompt("u1", [text("Look:"), picture, paper]), answer("a1", "m1", thought, text("I see."))) == [
        "Look:\n\n[image]\n\n[document]",
        "I see.",
    ]


NOT_SAID = [
    prompt("x", "x", isSidechain=True),
    prompt("x", "x", isCompactSummary=True),
    prompt("x", "x", isVisibleInTranscriptOnly=True),
    prompt("x", "x", origin={"kind": "task-notification"}),
    prompt("x", [{"type": "tool_result", "content": "x"}]),
    prompt("x", [{"type": "tool_result", "content": "x"}, text("and words beside it")]),
    prompt("x", "x", toolUseResult={"stdout": "x"}),
    prompt("x", "<command-name>/model</command-name>\n<command-args>opus</command-args>"),
    prompt("x", "<local-command-stdout>ok</local-command-stdout>"),
    prompt("x", "<local-command-caveat>Caveat</local-command-caveat>"),
    prompt("x", "<task-notification>\n<task-id>1</task-id>"),
    prompt("x", "<system-reminder>Do this.</system-reminder>"),
    prompt("x", "  <bash-stdout>x</bash-stdout>"),
    prompt("x", "Caveat: The messages below were generated by the user while running local commands. x"),
    prompt("x", "[Request interrupted by user]"),
    prompt("x", "   "),
    prompt("x", None),
    prompt("x", [3, None, {"type": 4}, {"text": "no type"}]),
    answer("x", "m", text("API Error: 529 Overloaded"), isApiErrorMessage=True),
    answer("x", "m", text("API Error: 401 {}")),
    answer("x", "m", {"type": "thinking", "thinking": "x"}),
    answer("x", "m", text("helper"), isSidechain=True),
    {"type": "assistant", "message": {"model": "<synthetic>", "content": [text("No response requested.")]}},
    {"type": "assistant", "message": "a string"},
    {"type": "user"},
    {"type": "system", "subtype": "stop_hook_summary", "content": "x"},
    {"type": "queue-operation", "operation": "enqueue", "content": "x"},
    {"type": "last-prompt", "lastPrompt": "x"},
    {"type": "holograms", "message": {"role": "user", "content": "from the future"}},
    {"type": ["odd"], "uuid": 7},
    {},
]


CLIENTS_OWN = [
    prompt("x", "Caveat: the messages below were generated by the user", isMeta=True),
    {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": ["recalled"]}},
    {"type": "api-request-shape", "body": {"messages": [{"role": "user", "content": "x"}]}},
    {"type": "prompt_snapshot", "text": "You are an agent."},
    {"type": "of-the-future", "blob": "x" * 5_000},
]


@pytest.mark.parametrize("one", CLIENTS_OWN, ids=lambda one: str(one)[:40])
def test_what_the_client_tells_the_model_by_itself_is_left_out(one: dict[str, Any]) -> None:
    assert [each for each in records(one) if isinstance(each, TranscriptEntry | UnreadableEntry)] == []


def test_results_of_tools_are_kept() -> None:
    result = {**prompt("x", [{"type": "tool_result", "content": "4 passed"}]), "toolUseResult": {"stdout": "4 passed"}}
    assert [each for each in records(result) if isinstance(each, TranscriptEntry)] == [TranscriptEntry(raw=result)]


@pytest.mark.parametrize("one", NOT_SAID, ids=lambda one: str(one)[-60:])
def test_generated_lines_are_kept_but_make_no_turn(one: dict[str, Any]) -> None:
    found = records(one)
    assert [each for each in found if isinstance(each, TranscriptEntry)] == [TranscriptEntry(raw=one)]
    assert not [each for each in found if isinstance(each, UnreadableEntry)]


def test_injected_text_is_removed_from_prompts() -> None:
    recalled = "<!-- memvault:begin v1 -->\n> the barometer\n<!-- memvault:end -->"
    for content, left in (
        (f"{recalled}\nWhere is the key?", "Where is the key?"),
        ("Where is\n<!-- memvault:begin v1 -->\n> cut short", "Where is"),
        ("Mend <system-reminder>not now</system-reminder>it.", "Mend it."),
        ('<ide_opened_file path="a">The user opened a</ide_opened_file>Mend it.', "Mend it."),
        ("<user-memory-input>Always use oak.</user-memory-input>", "Always use oak."),
        ("What does <system-reminder> mean?", "What does <system-reminder> mean?"),
        ("What is `<!-- memvault:begin` for?", "What is `<!-- memvault:begin` for?"),
        ("Mend <!-- memvault:begin --> oak <!-- memvault:end -->it.", "Mend it."),
        ("<system-reminder>\nAlways use oak", ""),
        ("Mend it.\n<System-Reminder>\nAlways use oak", "Mend it."),
        ("<SYSTEM-REMINDER>Always use oak.</system-reminder>Mend it.", "Mend it."),
        ("<user-prompt-submit-hook>\noak\n</user-prompt-submit-hook>\nMend it.", "Mend it."),
        ("<session-start-hook>Always use oak.</session-start-hook>", ""),
        ("<Teammate-Message>Always use oak.</teammate-message>", ""),
        ("<persisted-output>Always use oak.</persisted-output>", ""),
        ("<recalled-memories>\nAlways use oak.\n</recalled-memories>\nMend it.", "Mend it."),
        ("Set <memory>512</memory> for it.", "Set <memory>512</memory> for it."),
        ("<memvault-memory>oak</memvault-memory>Mend it.", "Mend it."),
        (f'{OURS}oak</memvault-recall>oak</memvault-recall token="k7">Mend it.', "Mend it."),
        (f"Mend it.\n{OURS}oak</memvault-recall>", "Mend it."),
        ("What is `<memvault-recall>` for?", "What is `<memvault-recall>` for?"),
    ):
        assert said(prompt("u1", content)) == ([left] if left else [])


@pytest.mark.points(only=True)
def test_many_unclosed_elements_are_read_fast() -> None:
    started = process_time()
    for opening in ("x <system-reminder> ", 'x <memvault-recall token="k"> ', "\n<memory>", "x <!-- memvault:begin "):
        assert said(prompt("u1", "x" + opening * 20_000))
    assert process_time() - started < 5


def test_additional_marks_are_removed() -> None:
    start = ReadStart(name=SESSION, marks=(("[[from memory]]", "[[end]]"),))
    lines = (prompt("u1", "[[from memory]] the barometer [[end]] So where?"), answer("a1", "m1", text("There.")))
    assert [turn.text for turn in turns(*lines, start=start)] == ["So where?", "There."]


def test_repeated_line_makes_one_turn() -> None:
    one, other = answer("a1", "m1", text("Yes.")), answer("a2", "m1", text("And no."))
    assert said(prompt("u1", "Is it?"), one, other, other, one) == ["Is it?", "Yes.\n\nAnd no."]


def test_interleaved_sessions_stay_apart() -> None:
    other = {"sessionId": "another"}
    found = turns(
        answer("a1", "m1", text("One,")),
        answer("b1", "n1", text("Eins,"), **other),
        answer("a2", "m1", text("two.")),
        answer("b2", "n1", text("zwei."), **other),
        prompt("u1", "Thanks."),
    )
    assert [(turn.session, turn.text) for turn in found] == [
        (SESSION, "One,\n\ntwo."),
        (SESSION, "Thanks."),
        ("another", "Eins,\n\nzwei."),
    ]


def test_turns_without_time_id_or_session_are_read() -> None:
    bare = {"type": "user", "message": {"content": "Hm?"}}
    late = {"type": "user", "timestamp": "half past nine", "message": {"content": "Well?"}}
    assert [(turn.text, turn.time, turn.session) for turn in turns(bare, late)] == [
        ("Hm?", None, ""),
        ("Well?", None, ""),
    ]
    assert len({turn.id for turn in turns(bare, late)}) == 2


def test_unordered_lines_are_sorted() -> None:
    def at(minute: int, uuid: str, parent: str | None = None) -> dict[str, Any]:
        return prompt(uuid, f"at {minute}", timestamp=f"2026-11-21T08:{minute:02}:00.000Z", parentUuid=parent)

    one, two, three = at(1, "u1"), at(2, "u2", "u1"), at(3, "u3", "u2")
    timeless = {"type": "mode", "mode": "plan"}
    for lines in ((one, two, three), (three, one, two), (two, timeless, one, three), (three, two, one)):
        assert said(*lines) == ["at 1", "at 2", "at 3"]
    slow = at(1, "u5", "u3")  # its clock was wrong, but it answers what stands before it
    assert said(one, three, slow) == ["at 1", "at 3", "at 1"]
    late = [at(2, f"v{number}") for number in range(70)]
    assert said(*late, one).index("at 1") > 0  # no further than a window reaches


def test_read_position_waits_for_earlier_lines() -> None:
    stamps = [3, 1, 2, 5, 4]
    lines = [prompt(f"u{at}", f"at {at}", timestamp=f"2026-11-21T08:0{at}:00.000Z") for at in stamps]
    ends = {at: sum(len(json.dumps(one)) + 1 for one in lines[: place + 1]) for place, at in enumerate(stamps)}
    given_turns: set[int] = set()
    for record in records(*lines):
        if isinstance(record, TranscriptEntry) and record.turn:
            given_turns.add(int(record.turn.text[-1]))
        elif isinstance(record, ReadPosition):
            assert {at for at in stamps if ends[at] <= record.to} <= given_turns
    assert given_turns == set(stamps)


def test_lines_without_ids_get_content_ids() -> None:
    bare = [
        {"type": "user", "timestamp": f"2026-11-21T08:0{at}:00.000Z", "message": {"content": "Hm?"}} for at in (1, 2)
    ]
    ids = [turn.id for turn in turns(*bare)]
    assert len({*ids}) == 2
    assert [turn.id for turn in turns(prompt("u0", "first", timestamp=None), *bare)][1:] == ids


@pytest.mark.points(only=True)
def test_message_of_many_lines_is_read_fast() -> None:
    lines = [answer(f"a{number}", "m1", text(f"Line {number} of the answer. " * 40)) for number in range(3_000)]
    started = process_time()
    [turn] = turns(*lines)
    assert turn.text.count("\n\n") == len(lines) - 1
    assert process_time() - started < 5  # joined anew for each line, it would be minutes


# -- the head


def test_title_uses_the_best_kind_and_its_last_line() -> None:
    first, summary = prompt("u1", "Which knot\nholds?"), {"type": "summary", "summary": "Knots"}
    by_model, by_person = (
        {"type": "ai-title", "aiTitle": "Wet knots"},
        {"type": "custom-title", "customTitle": "Bowline"},
    )
    assert head(first).title == "Which knot"
    assert head(summary, first).title == "Knots"
    assert head(first, summary, {**by_model, "aiTitle": "Old"}, by_model).title == "Wet knots"
    assert head(by_person, first, by_model, summary).title == "Bowline"
    assert len(head(prompt("u1", "long " * 100)).title) == 80


def test_session_id_comes_from_the_file_name_or_the_lines() -> None:
    mode = {"type": "mode", "sessionId": "s-1"}
    assert head(mode).id == SESSION
    assert head(mode, name="copy").id == "s-1"
    assert head({"type": "mode"}, name="copy").id == "copy"
    assert head({"type": "mode"}, prompt("u1", "x")).project == "/home/ana/shed"


def test_title_is_redacted_before_it_is_cut() -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    assert "ghp_" not in head(prompt("u1", f"{'x' * 66} {secret} and so on")).title
    assert head(prompt("u1", "<private>\nthe loft\n</private>\nWell?")).title == "Well?"


def test_lines_before_the_session_id_belong_to_it() -> None:
    lines = ({"type": "summary", "summary": "Knots", "leafUuid": "u1"}, prompt("u1", "Which knot?"))
    for data in ((*lines,), (b"half a li\n", *lines), (b'ge":{}}\n', b"\n", *lines)):
        found = records(*data, start=ReadStart(name="copy"))
        assert {one.id for one in found if isinstance(one, Conversation)} == {SESSION}
        assert isinstance(found[0], Conversation)
        assert sum(isinstance(one, UnreadableEntry) for one in found) == (len(data) > 2)
        assert sum(isinstance(one, TranscriptEntry) for one in found) == 2


# -- bad lines


def test_unreadable_lines_are_reported_by_number() -> None:
    found = records(
        prompt("u1", "one"),
        b"not json\n",
        b"[1, 2]\n",
        b"\n",
        b"\xff\xfe\n",
        prompt("u2", "two"),
        b'{"type":"user","uu',
    )
    bad = [(one.where, one.why, one.unfinished) for one in found if isinstance(one, UnreadableEntry)]
    assert bad == [
        ("line 2", "it is not JSON", False),
        ("line 3", "it is not an object", False),
        ("line 5", "it is not JSON", False),
        ("line 7", "it is cut short", True),
    ]
    assert [one.turn.text for one in found if isinstance(one, TranscriptEntry) and one.turn] == ["one", "two"]


def test_hostile_json_is_reported() -> None:
    deep = b"[" * 200_000 + b"\n"
    number = b'{"type": ' + b"9" * 10_000 + b"}\n"
    assert [one.why for one in records(deep, number) if isinstance(one, UnreadableEntry)] == [
        "it is nested too deeply",
        "it is not JSON",
    ]


def test_invalid_utf8_does_not_lose_a_line() -> None:
    data = json.dumps(prompt("u1", "tide XX table")).encode().replace(b"XX", b"\xe9\xff") + b"\n"
    assert said(b"\xef\xbb\xbf" + data) == ["tide \ufffd\ufffd table"]


def test_overlong_line_is_skipped_and_reported() -> None:
    chunks = iter(
        [
            json.dumps(prompt("u1", "a")).encode() + b"\n",
            *[b"x" * (1 << 20)] * 17,
            b"\n",
            json.dumps(prompt("u2", "b")).encode(),
        ]
    )
    found = list(read_claude_code(chunks, ReadStart(name=SESSION)))
    assert [(one.where, one.why) for one in found if isinstance(one, UnreadableEntry)] == [
        ("line 2", f"it is longer than {LONGEST // 1024 // 1024} MB")
    ]
    assert [one.turn.id for one in found if isinstance(one, TranscriptEntry) and one.turn] == ["u1", "u2"]


# -- growing


def test_reading_resumes_before_an_open_answer() -> None:
    lines = [prompt("u1", "Well?"), answer("a1", "m1", text("I think"))]
    ends = [len(json.dumps(lines[0])) + 1, sum(len(json.dumps(one)) + 1 for one in lines)]
    for closed, to, count in ((True, ends[1], 2), (False, ends[0], 1)):
        found = records(*lines, start=ReadStart(name=SESSION, closed=closed))
        assert found[-1] == ReadPosition(to)
        assert sum(isinstance(one, TranscriptEntry) and one.turn is not None for one in found) == count
    lines[1]["message"]["stop_reason"] = "end_turn"
    assert len(turns(*lines, start=ReadStart(name=SESSION, closed=False))) == 2


@given(size=st.integers(1, 5_000), which=st.integers(0, 2))
@pytest.mark.points(only=True)
def test_chunk_borders_do_not_matter(size: int, which: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    session = real_folder.build(tmp_path_factory.mktemp("p"))[which]
    data = session.path.read_bytes()
    whole = list(read_claude_code([data], ReadStart(name=session.id)))
    assert (
        list(read_claude_code((data[at : at + size] for at in range(0, len(data), size)), ReadStart(name=session.id)))
        == whole
    )


# -- which files


def test_transcripts_are_recognized_by_bytes_or_name(tmp_path: Path) -> None:
    for session in real_folder.build(tmp_path):
        assert guess_format(session.path.read_bytes()[:65_536], session.path.name) == "claude-code"
        data = session.path.read_bytes()
        for cut in (b"hello\n" + data, data[30:], b"{broken\n\n" + data):
            assert guess_format(cut[:65_536], "any.log") == "claude-code"
    assert guess_format(b'{"odd": 1}', f"{SESSION}.jsonl") == "claude-code"
    listed = [{"type": "said", "sessionId": "1", "speaker": "Ana", "text": "Hm?"}] * 3
    assert guess_format(json.dumps(listed, indent=None).replace("}, {", "},\n{").encode()) == "chat"
    assert guess_format(b"plain words", "notes.txt") == guess_format(b"", "") == ""


def test_subagent_transcripts_are_skipped(tmp_path: Path) -> None:
    sessions = real_folder.build(tmp_path)
    found = {
        path for path in tmp_path.rglob("*") if path.is_file() and is_transcript(path.relative_to(tmp_path).as_posix())
    }
    assert {session.path for session in sessions} <= found
    assert not [path for path in found if "subagents" in path.parts or path.suffix == ".md"]
    assert not is_transcript("-home-ana/agent-7f.jsonl")
