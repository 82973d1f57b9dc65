"""Exports of Claude.ai: conversations as lists of messages, in newer ones with branches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memvault.transcripts.formats.entries import Item
from memvault.transcripts.formats.injected import spoken
from memvault.transcripts.formats.lines import MOST_DEEDS, decoded, message
from memvault.transcripts.formats.ordering import Gathered, Naming, content_id, conversations
from memvault.transcripts.model.record import Bad, Kept, Raw, Record, Start, bad_bytes, moment, text_of
from memvault.transcripts.model.turn import Talk, Turn

NAME = "claude-ai"
SPEAKERS = ("user", "assistant")
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_KNOWN = re.compile(rb'"chat_messages"\s*:\s*\[')


def knows(first: bytes) -> bool:
    """Whether a file begins as such an export does."""
    return _KNOWN.search(first) is not None


def read(chunks: Iterable[bytes], start: Start) -> Iterator[Record]:
    """Every conversation of an export: the branch that is shown as turns, the others kept as they are."""
    for found in conversations(chunks, "chat_messages"):
        if isinstance(found, Bad):
            yield found
        elif found.items:
            yield from _conversation(found, start)


def _conversation(gathered: Gathered, start: Start) -> Iterator[Record]:
    yield Talk(
        id=text_of(gathered.members, "uuid", "id") or _content_of(gathered),
        source=NAME,
        title=text_of(gathered.members, "name", "title"),
        speakers=SPEAKERS,
    )
    yield Kept(raw=gathered.members)
    above: dict[str, str] = {}
    for item in gathered.items:
        try:
            entry = _entry(item)
        except ValueError as error:
            yield bad_bytes(f"byte {item.at:,}", str(error), item.data)
        else:
            above[text_of(entry, "uuid") or f"t{item.at}"] = text_of(entry, "parent_message_uuid")
    shown = _branch(above, text_of(gathered.members, "current_leaf_message_uuid"))
    naming = Naming()
    for item in gathered.items:
        try:
            yield _kept(_entry(item), naming, shown, start)
        except ValueError:
            continue  # told above


def _branch(above: dict[str, str], leaf: str) -> frozenset[str]:
    """The messages of the branch that is shown: all, where no message names another as the one above it."""
    if not any(parent in above for parent in above.values()):
        return frozenset(above)
    at = leaf if leaf in above else next(reversed(above))  # the newest is the last
    branch: set[str] = set()
    while at in above and at not in branch:
        branch.add(at)
        at = above[at]
    return frozenset(branch)


def _entry(item: Item) -> Raw:
    entry = decoded(item.data)
    if not isinstance(entry, Mapping):
        raise ValueError("it is no message")  # noqa: TRY004 - like anything else that cannot be read
    return entry


def _content_of(gathered: Gathered) -> str:
    """The id of a conversation that has none: by when it began, and its first message."""
    return content_id([text_of(gathered.members, "created_at"), gathered.items[0].data.decode("utf-8", "replace")])


def _kept(entry: Raw, naming: Naming, shown: frozenset[str], start: Start) -> Kept:
    name = text_of(entry, "uuid")
    role = _ROLES.get(text_of(entry, "sender", "role"), "")
    said = message(entry.get("content"))
    text = spoken("\n\n".join(filter(None, (said.text or text_of(entry, "text"), *_enclosed(entry)))), start.marks)
    if not role or not (text or said.deeds) or (name and name not in shown):
        return Kept(raw=entry)
    turn = Turn(
        id=name or naming.name(role, text_of(entry, "created_at"), text),
        speaker=role,
        role=role,
        text=text,
        time=moment(entry.get("created_at"), start.zone),
        deeds=said.deeds[:MOST_DEEDS],
    )
    return Kept(turn=turn, raw=entry)


def _enclosed(entry: Raw) -> Iterator[str]:
    """What came with a message: pasted text, which has no name, in full, and files by their names."""
    for member in ("attachments", "files"):
        enclosed = entry.get(member)
        for one in enclosed if isinstance(enclosed, list) else ():
            if isinstance(one, Mapping):
                name = text_of(one, "file_name", "name")
                yield f"[file: {name}]" if name else text_of(one, "extracted_content")
