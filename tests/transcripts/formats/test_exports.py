"""Plain chats and the exports of ChatGPT and Claude.ai: what was said, by whom, when, and nothing a program said."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats import FORMATS, guess_format
from memvault.transcripts.model.record import ReadStart, TranscriptEntry, TranscriptRecord, UnreadableEntry

Json = dict[str, object]
WHEN = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


def records(name: str, told: object, start: ReadStart | None = None) -> list[TranscriptRecord]:
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    return list(FORMATS[name].read([data], start or ReadStart(name="export")))


def turns(name: str, told: object, start: ReadStart | None = None) -> list[Turn]:
    return [one.turn for one in records(name, told, start) if isinstance(one, TranscriptEntry) and one.turn]


def heads(name: str, told: object) -> list[Conversation]:
    return [one for one in records(name, told) if isinstance(one, Conversation)]


# -- plain chats

CHAT: Json = {
    "id": "conv-26",
    "speakers": ["Ana", "Ben"],
    "turns": [
        {
            "id": "D1:1",
            "session": "session_1",
            "time": "2026-01-29T09:30:00Z",
            "speaker": "Ana",
            "text": "Where is the key?",
        },
        {
            "id": "D1:2",
            "session": "session_1",
            "time": "2026-01-29T09:31:00Z",
            "speaker": "Ben",
            "text": "Behind the barometer.",
        },
    ],
}


def test_chat_is_read_unchanged() -> None:
    assert heads("chat", CHAT) == [Conversation(id="conv-26", source="chat", speakers=("Ana", "Ben"))]
    assert turns("chat", CHAT)[0] == Turn(
        id="D1:1", speaker="Ana", text="Where is the key?", time=WHEN, session="session_1"
    )
    assert [one.raw for one in records("chat", CHAT) if isinstance(one, TranscriptEntry)] == [None, None]


def test_chats_are_read_as_object_list_or_lines() -> None:
    other = {**CHAT, "id": "conv-27"}
    lines = b"\n".join(json.dumps(one).encode() for one in (CHAT, other))
    for told in ([CHAT, other], lines, {"conversations": [CHAT, other]}):
        assert [head.id for head in heads("chat", told)] == ["conv-26", "conv-27"]
        assert len(turns("chat", told)) == 4


def test_chat_members_may_come_in_any_order() -> None:
    backwards = {name: CHAT[name] for name in ("turns", "speakers", "id")}
    assert turns("chat", backwards) == turns("chat", CHAT)
    assert heads("chat", backwards) == heads("chat", CHAT)


def test_loose_turns_are_a_chat_titled_after_the_file() -> None:
    assert isinstance(CHAT["turns"], list)
    lines = b"\n".join(json.dumps(one).encode() for one in CHAT["turns"])
    assert [turn.text for turn in turns("chat", lines)] == ["Where is the key?", "Behind the barometer."]
    head = heads("chat", lines)[-1]
    assert (head.source, head.title, head.speakers) == ("chat", "export", ("Ana", "Ben"))


def said_by(*texts: str, **more: object) -> list[Json]:
    return [{"speaker": "Ana", "text": text, **more} for text in texts]


LONG = [f"Sentence number {number} about the boat and the barometer." for number in range(12)]


def test_chat_without_an_id_gets_one_from_its_beginning() -> None:
    def id_of(told: object, name: str = "talk") -> str:
        return next(one.id for one in records("chat", told, ReadStart(name=name)) if isinstance(one, Conversation))

    first = {"turns": said_by(*LONG[:2])}
    assert id_of(first) == id_of(first, "copy") == id_of({"turns": said_by(*LONG)})
    assert id_of(first) != id_of({"turns": said_by("My dog Rex is ill since Monday.", "Which vet?")})
    assert id_of(first) != id_of({"turns": said_by(*LONG[:2], time="2026-01-29")})
    assert id_of({"turns": said_by("Hi", "Hello", *LONG)}) != id_of({"turns": said_by("Hi", "Hello", *LONG[5:])})
    system = {"speaker": "system", "text": "You are a helper. " * 20}
    assert id_of({"turns": [system, *said_by(*LONG)]}) != id_of({"turns": [system, *said_by(*LONG[5:])]})
    lines = [json.dumps(one).encode() for one in said_by(*LONG)]
    assert id_of(b"\n".join(lines[:2])) == id_of(b"\n".join(lines))


def test_turn_ids_do_not_depend_on_their_place() -> None:
    told = [*said_by("Yes.", "No.", "Yes."), *said_by("Yes.", time="2026-01-29T10:00:00Z")]
    before = [turn.id for turn in turns("chat", {"id": "x", "turns": told})]
    after = [turn.id for turn in turns("chat", {"id": "x", "turns": [*said_by("A new line."), *told]})]
    assert len({*after}) == 5
    assert after[1:] == before


def test_exports_without_ids_stay_apart() -> None:
    for name, told in (
        ("claude-ai", [{"chat_messages": [{"sender": "human", "text": text}]} for text in LONG[:2]]),
        ("chatgpt", [{"mapping": {text: node(text, None, "user", text)}} for text in LONG[:2]]),
    ):
        assert len({head.id for head in heads(name, told)}) == 2


def test_readers_replace_surrogates() -> None:
    told = {"id": "c\ud83d", "\ud800": 1, "turns": said_by("half \ud83d", "whole \U0001f600", id="\udc00")}
    found = records("chat", told)
    assert [one.turn.text for one in found if isinstance(one, TranscriptEntry) and one.turn] == [
        "half \ufffd",
        "whole \U0001f600",
    ]
    assert all(str(one).encode() for one in found)


def test_messages_with_roles_are_read_as_chat() -> None:
    told = {
        "messages": [
            {"role": "human", "content": [{"type": "text", "text": "Well?"}]},
            {"role": "assistant", "content": "So."},
        ]
    }
    assert [(turn.speaker, turn.role, turn.text) for turn in turns("chat", told)] == [
        ("human", "user", "Well?"),
        ("assistant", "assistant", "So."),
    ]


def test_chat_times_are_read_in_every_form() -> None:
    forms = [
        "2026-01-29T10:30:00+01:00",
        "2026-01-29 09:30",
        WHEN.timestamp(),
        int(WHEN.timestamp() * 1000),
        None,
        "soon",
        True,
        1e300,
    ]
    told = {"id": "x", "turns": [{"text": "x", "time": form} for form in forms]}
    assert [turn.time for turn in turns("chat", told)] == [*[WHEN] * 4, *[None] * 4]
    local = ReadStart(zone=timezone(timedelta(hours=2)))
    assert turns("chat", told, local)[1].time == WHEN - timedelta(hours=2)


def test_extra_members_of_a_turn_are_kept() -> None:
    entry = {"id": 7, "text": "x ", "time": "soon", "mood": "calm", "session": 2}
    [_, kept, *_] = records("chat", {"id": "x", "topic": "keys", "turns": [entry, {"id": "8", "mood": "odd"}]})
    assert isinstance(kept, TranscriptEntry)
    assert kept.turn
    assert (kept.turn.id, kept.turn.session, kept.raw) == ("7", "2", entry)
    found = [
        one.raw
        for one in records("chat", {"id": "x", "topic": "keys", "turns": [{"id": "8", "mood": "odd"}]})
        if isinstance(one, TranscriptEntry)
    ]
    assert found == [{"id": "8", "mood": "odd"}, {"topic": "keys"}]


def test_invalid_turns_are_reported_and_skipped() -> None:
    told = b'{"id": "x", "turns": [{"text": "a"}, 7, {"text": nonsense}, {"text": "b"}]}'
    assert [turn.text for turn in turns("chat", told)] == ["a", "b"]
    assert [one.why for one in records("chat", told) if isinstance(one, UnreadableEntry)] == [
        "it is not a turn",
        "it is not JSON",
    ]


@pytest.mark.points(only=True)
def test_many_turns_before_the_id_get_a_content_id() -> None:
    told = {"turns": [{"text": "x" * 1_000_000}] * 5, "id": "late"}
    assert [(head.id == "late", head.title) for head in heads("chat", told)] == [(False, "export")]
    assert len(turns("chat", told)) == 5


# -- ChatGPT


def node(name: str, parent: str | None, role: str = "user", *parts: object, **message: object) -> Json:
    content = message.pop("content", {"content_type": "text", "parts": list(parts)})
    told = {"id": name, "author": {"role": role}, "create_time": WHEN.timestamp(), "content": content, **message}
    return {"id": name, "parent": parent, "children": [], "message": told}


def tree(*nodes: Json, current: str | None = "last", **members: object) -> Json:
    root: Json = {"id": "root", "parent": None, "children": [], "message": None}
    mapping = {str(one["id"]): one for one in (root, *nodes)}
    return {
        "title": "Knots",
        "create_time": 1.0,
        "mapping": mapping,
        "current_node": current,
        "conversation_id": "c-1",
        **members,
    }


def test_chatgpt_shown_branch_becomes_turns() -> None:
    told = tree(
        node("u1", "root", "user", "Which knot?"),
        node("a0", "u1", "assistant", "A granny."),
        node("last", "u1", "assistant", "A bowline 【4†source】."),
    )
    assert guess_format(json.dumps([told]).encode()) == "chatgpt"
    assert heads("chatgpt", [told]) == [
        Conversation(id="c-1", source="chatgpt", title="Knots", speakers=("user", "assistant"))
    ]
    assert turns("chatgpt", [told]) == [
        Turn(id="u1", speaker="user", role="user", text="Which knot?", time=WHEN),
        Turn(id="last", speaker="assistant", role="assistant", text="A bowline.", time=WHEN),
    ]
    kept = [one.raw for one in records("chatgpt", [told]) if isinstance(one, TranscriptEntry) and one.raw]
    assert {one["id"] for one in kept if "id" in one} == {"root", "u1", "a0", "last"}
    assert kept[0] == {"title": "Knots", "create_time": 1.0, "current_node": "last", "conversation_id": "c-1"}


def test_chatgpt_messages_without_names_are_read() -> None:
    told = tree(current=None) | {"mapping": [node("u1", None, "user", "Which knot?")]}
    assert [turn.text for turn in turns("chatgpt", [told])] == ["Which knot?"]


SILENT = [
    node("x", "root", "system", "You are a helper."),
    node("x", "root", "tool", "a page of the web"),
    node("x", "root", "assistant", "search('knots')", recipient="web.search"),
    node("x", "root", "assistant", content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]}),
    node("x", "root", "assistant", content={"content_type": "reasoning_recap", "content": "Thought for 3s"}),
    node("x", "root", "user", "About me: …", metadata={"is_visually_hidden_from_conversation": True}),
    node("x", "root", "user", content={"content_type": "user_editable_context", "user_profile": "x"}),
    node("x", "root", "assistant", ""),
    node("x", "root", "user", content=None),
    {"id": "x", "parent": "root", "message": "odd"},
    {"id": "x", "parent": "root"},
]


@pytest.mark.parametrize("one", SILENT, ids=lambda one: str(one["message"])[-50:] if "message" in one else "none")
def test_chatgpt_hidden_messages_make_no_turn(one: Json) -> None:
    told = tree(one, node("last", "x", "user", "Well?"))
    assert [turn.id for turn in turns("chatgpt", [told])] == ["last"]
    assert one in [each.raw for each in records("chatgpt", [told]) if isinstance(each, TranscriptEntry)]


def test_chatgpt_images_audio_and_tool_calls_are_read() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    voice = {"content_type": "audio_transcription", "text": "as I said"}
    told = tree(
        node(
            "u1",
            "root",
            content={"content_type": "multimodal_text", "parts": [picture, "Is it dry?", voice, {"odd": 1}]},
        ),
        node("t1", "u1", "assistant", "print(1)", recipient="python"),
        node("last", "t1", "assistant", "No \ue200cite\ue202turn0search1\ue201."),
    )
    assert [(turn.text, turn.deeds) for turn in turns("chatgpt", [told])] == [
        ("[image]\n\nIs it dry?\n\nas I said", ()),
        ("No.", ("Use python",)),
    ]


def test_chatgpt_odd_trees_are_read() -> None:
    nodes = (node("u1", "root", "user", "a"), node("last", "u1", "assistant", "b"))
    circle = (node("u1", "last", "user", "a"), node("last", "u1", "assistant", "b"))
    for told in (tree(*nodes), tree(*nodes, current=None), tree(*nodes, current="gone"), tree(*circle)):
        assert [turn.text for turn in turns("chatgpt", [told])] == ["a", "b"]
    broken = json.dumps([tree(*nodes)]).replace('"content_type"', "content_type", 1).encode()
    assert [one.why for one in records("chatgpt", broken) if isinstance(one, UnreadableEntry)] == ["it is not JSON"]
    assert [turn.text for turn in turns("chatgpt", broken)] == ["b"]
    assert turns("chatgpt", [{"title": "empty", "mapping": {}}]) == []


# -- Claude.ai


def message(uuid: str, sender: str, said: str, **members: object) -> Json:
    return {"uuid": uuid, "sender": sender, "text": said, "created_at": "2026-01-29T09:30:00.000000Z", **members}


def export(*messages: Json, **members: object) -> list[Json]:
    return [
        {
            "uuid": "c-1",
            "name": "Knots",
            "created_at": "2026-01-29T09:30:00Z",
            **members,
            "chat_messages": list(messages),
        }
    ]


def test_claude_ai_export_is_read() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "A bowline."},
        {"type": "tool_use", "name": "web_search", "input": {"query": "knots"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "a page"}]},
        {"type": "text", "text": "Or two."},
    ]
    told = export(message("m1", "human", "Which knot?"), message("m2", "assistant", "garbled", content=blocks))
    assert guess_format(json.dumps(told).encode()) == "claude-ai"
    assert heads("claude-ai", told) == [
        Conversation(id="c-1", source="claude-ai", title="Knots", speakers=("user", "assistant"))
    ]
    assert turns("claude-ai", told) == [
        Turn(id="m1", speaker="user", role="user", text="Which knot?", time=WHEN),
        Turn(
            id="m2",
            speaker="assistant",
            role="assistant",
            text="A bowline.\n\nOr two.",
            time=WHEN,
            deeds=("web_search knots",),
        ),
    ]


def test_claude_ai_attachments_are_read() -> None:
    enclosed = {
        "attachments": [
            {"file_name": "", "extracted_content": "the pasted page"},
            {"file_name": "a.pdf", "extracted_content": "long"},
        ],
        "files": [{"file_name": "b.png"}, "odd"],
    }
    assert [turn.text for turn in turns("claude-ai", export(message("m1", "human", "", **enclosed)))] == [
        "the pasted page\n\n[file: a.pdf]\n\n[file: b.png]"
    ]


def test_claude_ai_shown_branch_becomes_turns() -> None:
    above = "00000000-0000-4000-8000-000000000000"
    told = [
        message("m1", "human", "a", parent_message_uuid=above),
        message("m2", "assistant", "old", parent_message_uuid="m1"),
        message("m3", "assistant", "new", parent_message_uuid="m1"),
    ]
    assert [turn.text for turn in turns("claude-ai", export(*told))] == ["a", "new"]
    assert [turn.text for turn in turns("claude-ai", export(*told, current_leaf_message_uuid="m2"))] == ["a", "old"]
    kept = [one.raw for one in records("claude-ai", export(*told)) if isinstance(one, TranscriptEntry)]
    assert all(one in kept for one in told)


def test_claude_ai_messages_without_text_are_kept() -> None:
    told = export(message("m1", "system", "x"), message("m2", "human", "  "), message("", "human", "no id"))
    assert [turn.text for turn in turns("claude-ai", told)] == ["no id"]
    broken = json.dumps(export(message("m1", "human", "a"))).replace('"sender"', "sender").encode()
    assert [one.why for one in records("claude-ai", broken) if isinstance(one, UnreadableEntry)] == ["it is not JSON"]
