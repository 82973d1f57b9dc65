"""Read exports of ChatGPT and Claude.ai: conversations whose messages form a tree, of which one branch is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats.entries import JsonItem, ObjectEnd, ObjectMember, ObjectStart, parse_entries
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transcripts.formats.lines import MOST_CALLS, IdAssigner, content_id, decode_json, parse_message
from memvault.transcripts.model.record import (
    Raw,
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    get_text,
    make_unreadable,
    parse_moment,
)

CHATGPT, CLAUDE_AI = "chatgpt", "claude-ai"
SPEAKERS = ("user", "assistant")
MOST = 64 * 1024 * 1024  # bytes of a conversation, which must be whole before its order is known

_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_HINTS = re.compile(rb'"(?:current_node|conversation_template_id|moderation_results|default_model_slug)"\s*:')
_MESSAGES = re.compile(rb'"chat_messages"\s*:\s*\[')
_SPOKEN = ("text", "multimodal_text")
_PICTURE = "image_asset_pointer"
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
# Citations, between private-use characters or in hollow brackets.
_CITED = re.compile("[ \t]?(?:\ue200[^\ue200-\ue201]{0,400}\ue201|【\\d+(?::\\d+)?†[^】\n]{0,200}】)")


class _ExportedConversation:
    """The members and undecoded turns of a conversation; what does not fit is reported and dropped."""

    def __init__(self) -> None:
        self.members: dict[str, object] = {}
        self.items: list[JsonItem] = []
        self._room = MOST

    def add_item(self, item: JsonItem) -> Iterator[UnreadableEntry]:
        """Keep one turn while there is room; else report it."""
        self._room -= len(item.data)
        if self._room >= 0:
            self.items.append(item)
        else:
            why = f"its conversation is longer than {MOST // 1024 // 1024} MB"
            yield UnreadableEntry(where=f"byte {item.at:,}", why=why)


def _read_exported(chunks: Iterable[bytes], inner: str) -> Iterator[_ExportedConversation | UnreadableEntry]:
    """Yield every conversation of an export whose turns are in the member `inner`, and what is unreadable."""
    found = _ExportedConversation()
    for event in parse_entries(chunks, inner=frozenset({inner})):
        match event:
            case ObjectStart():
                found = _ExportedConversation()
            case ObjectMember():
                found.members[event.name] = event.value
            case JsonItem():
                yield from found.add_item(event)
            case ObjectEnd():
                yield found
                found = _ExportedConversation()
            case UnreadableEntry():
                yield event


def _read_parents(
    items: Iterable[JsonItem], member: str
) -> tuple[dict[str, str], dict[str, JsonItem], list[UnreadableEntry]]:
    """Return the parent and the item of each message by its name, and the messages that cannot be read."""
    parents: dict[str, str] = {}
    named: dict[str, JsonItem] = {}
    bad = []
    for item in items:
        try:
            message = _decode_message(item)
        except ValueError as error:
            bad.append(make_unreadable(f"byte {item.at:,}", str(error), item.data))
        else:
            name = item.key or get_text(message, "uuid") or f"t{item.at}"
            parents[name], named[name] = get_text(message, member), item
    return parents, named, bad


def _decode_message(item: JsonItem) -> Raw:
    message = decode_json(item.data)
    if not isinstance(message, Mapping):
        raise ValueError("it is not a message")  # noqa: TRY004 - like anything else that cannot be read
    return message


def _branch_to(leaf: str, parents: Mapping[str, str]) -> list[str]:
    """Return the messages from the root to a leaf."""
    branch: dict[str, None] = {}
    while leaf in parents and leaf not in branch:
        branch[leaf] = None
        leaf = parents[leaf]
    return list(reversed(branch))


# ChatGPT: a mapping of nodes.


def is_chatgpt(first: bytes) -> bool:
    """Return whether a file begins as an export of ChatGPT."""
    return (_MAPPING.search(first) or _HINTS.search(first)) is not None


def read_chatgpt(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield every conversation of an export: the shown branch as turns, the others as they are."""
    for found in _read_exported(chunks, "mapping"):
        if isinstance(found, UnreadableEntry):
            yield found
        elif found.items:
            yield Conversation(
                id=get_text(found.members, "conversation_id", "id") or content_id(item.key for item in found.items[:2]),
                source=CHATGPT,
                title=get_text(found.members, "title"),
                speakers=SPEAKERS,
            )
            yield TranscriptEntry(raw=found.members)
            parents, items, bad = _read_parents(found.items, "parent")
            yield from bad
            leaf = get_text(found.members, "current_node")
            if leaf not in parents:
                above = set(parents.values())
                leaf = next((key for key in reversed(parents) if key not in above), "")
            shown = _branch_to(leaf, parents)
            pending: list[str] = []  # tool calls before the words that follow
            for key in shown:
                yield _read_node(key, _decode_message(items[key]), start, pending)
            for key in items.keys() - set(shown) if len(shown) < len(items) else ():
                yield TranscriptEntry(raw=_decode_message(items[key]))
        elif found.members:
            yield TranscriptEntry(raw=found.members)


def _read_node(key: str, node: Raw, start: ReadStart, pending: list[str]) -> TranscriptEntry:
    message = node.get("message")
    if not isinstance(message, Mapping):
        return TranscriptEntry(raw=node)
    author = message.get("author")
    role = get_text(author, "role") if isinstance(author, Mapping) else ""
    recipient = get_text(message, "recipient") or "all"
    if role == "assistant" and recipient != "all":
        pending.append(f"Use {recipient}"[:60])
    text = without_our_blocks(_node_text(message), start.marks) if role in SPEAKERS and recipient == "all" else ""
    if not text:
        return TranscriptEntry(raw=node)
    deeds = tuple(dict.fromkeys(pending))[:MOST_CALLS] if role == "assistant" else ()
    pending.clear()
    when = parse_moment(message.get("create_time"), start.zone)
    name = get_text(message, "id") or key
    return TranscriptEntry(turn=Turn(id=name, speaker=role, role=role, text=text, time=when, deeds=deeds), raw=node)


def _node_text(message: Raw) -> str:
    """Return the text of a message, if it is shown to the person."""
    content, about = message.get("content"), message.get("metadata")
    if isinstance(about, Mapping) and about.get("is_visually_hidden_from_conversation"):
        return ""
    if not isinstance(content, Mapping) or content.get("content_type", "text") not in _SPOKEN:
        return ""
    parts = content.get("parts")
    texts = [_part_text(part) for part in parts] if isinstance(parts, list) else [get_text(content, "text")]
    return _CITED.sub("", "\n\n".join(filter(None, texts)))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part.strip()
    if not isinstance(part, Mapping):
        return ""
    return "[image]" if part.get("content_type") == _PICTURE else get_text(part, "text")


# Claude.ai: a list of messages, in newer exports with branches.


def is_claude_ai(first: bytes) -> bool:
    """Return whether a file begins as an export of Claude.ai."""
    return _MESSAGES.search(first) is not None


def read_claude_ai(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield every conversation of an export: the shown branch as turns, the others as they are."""
    for found in _read_exported(chunks, "chat_messages"):
        if isinstance(found, UnreadableEntry):
            yield found
        elif found.items:
            yield from _read_messages(found, start)


def _read_messages(exported: _ExportedConversation, start: ReadStart) -> Iterator[TranscriptRecord]:
    # Without an id it is known by when it began, and by its first message.
    opening = [get_text(exported.members, "created_at"), exported.items[0].data.decode("utf-8", "replace")]
    yield Conversation(
        id=get_text(exported.members, "uuid", "id") or content_id(opening),
        source=CLAUDE_AI,
        title=get_text(exported.members, "name", "title"),
        speakers=SPEAKERS,
    )
    yield TranscriptEntry(raw=exported.members)
    parents, _, bad = _read_parents(exported.items, "parent_message_uuid")
    yield from bad
    shown = frozenset(parents)  # all, where no message names a parent
    if any(parent in parents for parent in parents.values()):
        leaf = get_text(exported.members, "current_leaf_message_uuid")
        shown = frozenset(_branch_to(leaf if leaf in parents else next(reversed(parents)), parents))
    naming = IdAssigner()
    for item in exported.items:
        try:
            yield _read_message(_decode_message(item), naming, shown, start)
        except ValueError:
            continue  # reported above


def _read_message(entry: Raw, naming: IdAssigner, shown: frozenset[str], start: ReadStart) -> TranscriptEntry:
    name = get_text(entry, "uuid")
    role = _ROLES.get(get_text(entry, "sender", "role"), "")
    message = parse_message(entry.get("content"))
    texts = filter(None, (message.text or get_text(entry, "text"), *_attachment_texts(entry)))
    text = without_our_blocks("\n\n".join(texts), start.marks)
    if not role or not (text or message.deeds) or (name and name not in shown):
        return TranscriptEntry(raw=entry)
    turn = Turn(
        id=name or naming.assign_id(role, get_text(entry, "created_at"), text),
        speaker=role,
        role=role,
        text=text,
        time=parse_moment(entry.get("created_at"), start.zone),
        deeds=message.deeds[:MOST_CALLS],
    )
    return TranscriptEntry(turn=turn, raw=entry)


def _attachment_texts(entry: Raw) -> Iterator[str]:
    """Yield the attachments of a message: pasted text in full, files by name."""
    for member in ("attachments", "files"):
        enclosed = entry.get(member)
        for one in enclosed if isinstance(enclosed, list) else ():
            if isinstance(one, Mapping):
                name = get_text(one, "file_name", "name")
                yield f"[file: {name}]" if name else get_text(one, "extracted_content")
