"""Read exports of Claude.ai: lists of messages, in newer ones with branches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats.entries import JsonItem
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transcripts.formats.lines import MOST_CALLS, decode_json, parse_message
from memvault.transcripts.formats.ordering import ExportedConversation, IdAssigner, content_id, read_exported
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

NAME = "claude-ai"
SPEAKERS = ("user", "assistant")
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_KNOWN = re.compile(rb'"chat_messages"\s*:\s*\[')


def is_claude_ai(first: bytes) -> bool:
    """Return whether a file begins as an export of Claude.ai."""
    return _KNOWN.search(first) is not None


def read_claude_ai(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield every conversation of an export: the shown branch as turns, the others as they are."""
    for found in read_exported(chunks, "chat_messages"):
        if isinstance(found, UnreadableEntry):
            yield found
        elif found.items:
            yield from _read_conversation(found, start)


def _read_conversation(gathered: ExportedConversation, start: ReadStart) -> Iterator[TranscriptRecord]:
    yield Conversation(
        id=get_text(gathered.members, "uuid", "id")
        or content_id([get_text(gathered.members, "created_at"), gathered.items[0].data.decode("utf-8", "replace")]),
        source=NAME,
        title=get_text(gathered.members, "name", "title"),
        speakers=SPEAKERS,
    )
    yield TranscriptEntry(raw=gathered.members)
    above: dict[str, str] = {}
    for item in gathered.items:
        try:
            entry = _decode_entry(item)
        except ValueError as error:
            yield make_unreadable(f"byte {item.at:,}", str(error), item.data)
        else:
            above[get_text(entry, "uuid") or f"t{item.at}"] = get_text(entry, "parent_message_uuid")
    shown = _shown_branch(above, get_text(gathered.members, "current_leaf_message_uuid"))
    naming = IdAssigner()
    for item in gathered.items:
        try:
            yield _read_entry(_decode_entry(item), naming, shown, start)
        except ValueError:
            continue  # reported above


def _shown_branch(above: dict[str, str], leaf: str) -> frozenset[str]:
    """Return the messages of the shown branch: all, where no message names a parent."""
    if not any(parent in above for parent in above.values()):
        return frozenset(above)
    at = leaf if leaf in above else next(reversed(above))  # the newest is the last
    branch: set[str] = set()
    while at in above and at not in branch:
        branch.add(at)
        at = above[at]
    return frozenset(branch)


def _decode_entry(item: JsonItem) -> Raw:
    entry = decode_json(item.data)
    if not isinstance(entry, Mapping):
        raise ValueError("it is not a message")  # noqa: TRY004 - like anything else that cannot be read
    return entry


def _read_entry(entry: Raw, naming: IdAssigner, shown: frozenset[str], start: ReadStart) -> TranscriptEntry:
    name = get_text(entry, "uuid")
    role = _ROLES.get(get_text(entry, "sender", "role"), "")
    message = parse_message(entry.get("content"))
    text = without_our_blocks(
        "\n\n".join(filter(None, (message.text or get_text(entry, "text"), *_attachment_texts(entry)))), start.marks
    )
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
