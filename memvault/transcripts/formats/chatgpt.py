"""Read exports of ChatGPT: trees of messages, of which one branch is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats.entries import JsonItem
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transcripts.formats.lines import MOST_CALLS, decode_json
from memvault.transcripts.formats.ordering import ExportedConversation, content_id, read_exported
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

NAME = "chatgpt"
SPEAKERS = ("user", "assistant")

_KNOWN = re.compile(rb'"mapping"\s*:\s*\{')
_HINTS = re.compile(rb'"(?:current_node|conversation_template_id|moderation_results|default_model_slug)"\s*:')
_SPOKEN = ("text", "multimodal_text")
_PICTURE = "image_asset_pointer"
# Citations, between private-use characters or in hollow brackets.
_CITED = re.compile("[ \t]?(?:\ue200[^\ue200-\ue201]{0,400}\ue201|【\\d+(?::\\d+)?†[^】\n]{0,200}】)")


def is_chatgpt(first: bytes) -> bool:
    """Return whether a file begins as an export of ChatGPT."""
    return (_KNOWN.search(first) or _HINTS.search(first)) is not None


def read_chatgpt(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield every conversation of an export: the shown branch as turns, the others as they are."""
    for found in read_exported(chunks, "mapping"):
        if isinstance(found, UnreadableEntry):
            yield found
        elif found.items:
            yield from _read_conversation(found, start)
        elif found.members:
            yield TranscriptEntry(raw=found.members)


def _read_conversation(gathered: ExportedConversation, start: ReadStart) -> Iterator[TranscriptRecord]:
    yield Conversation(
        id=get_text(gathered.members, "conversation_id", "id") or content_id(item.key for item in gathered.items[:2]),
        source=NAME,
        title=get_text(gathered.members, "title"),
        speakers=SPEAKERS,
    )
    yield TranscriptEntry(raw=gathered.members)
    parents, bad = _node_parents(gathered.items)
    yield from bad
    items = {item.key: item for item in gathered.items if item.key in parents}
    shown = _shown_branch(parents, get_text(gathered.members, "current_node"))
    pending: list[str] = []  # tool calls before the words that follow
    for key in shown:
        yield _read_node(key, items[key], start, pending)
    for key in items.keys() - set(shown) if len(shown) < len(items) else ():
        yield TranscriptEntry(raw=_decode_node(items[key]))


def _node_parents(items: list[JsonItem]) -> tuple[dict[str, str], list[UnreadableEntry]]:
    """Return the parent of each node, and the nodes that cannot be read."""
    parents: dict[str, str] = {}
    bad = []
    for item in items:
        try:
            node = decode_json(item.data)
        except ValueError as error:
            bad.append(make_unreadable(f"byte {item.at:,}", str(error), item.data))
            continue
        if isinstance(node, Mapping):
            parents[item.key] = get_text(node, "parent")
        else:
            bad.append(make_unreadable(f"byte {item.at:,}", "it is not a message", item.data))
    return parents, bad


def _shown_branch(parents: dict[str, str], leaf: str) -> list[str]:
    """Return the nodes from the root to a leaf; by default to the last one without children."""
    if leaf not in parents:
        above = set(parents.values())
        leaf = next((key for key in reversed(parents) if key not in above), "")
    branch: dict[str, None] = {}
    while leaf in parents and leaf not in branch:
        branch[leaf] = None
        leaf = parents[leaf]
    return list(reversed(branch))


def _decode_node(item: JsonItem) -> Raw:
    try:
        node = decode_json(item.data)
    except ValueError:  # reported already: another of the same name could be read
        return {}
    return node if isinstance(node, Mapping) else {}


def _read_node(key: str, item: JsonItem, start: ReadStart, pending: list[str]) -> TranscriptEntry:
    node = _decode_node(item)
    message = node.get("message")
    if not isinstance(message, Mapping):
        return TranscriptEntry(raw=node)
    author = message.get("author")
    role = get_text(author, "role") if isinstance(author, Mapping) else ""
    recipient = get_text(message, "recipient") or "all"
    if role == "assistant" and recipient != "all":
        pending.append(f"Use {recipient}"[:60])
    text = without_our_blocks(_message_text(message), start.marks) if role in SPEAKERS and recipient == "all" else ""
    if not text:
        return TranscriptEntry(raw=node)
    deeds = tuple(dict.fromkeys(pending))[:MOST_CALLS] if role == "assistant" else ()
    pending.clear()
    when = parse_moment(message.get("create_time"), start.zone)
    name = get_text(message, "id") or key
    return TranscriptEntry(turn=Turn(id=name, speaker=role, role=role, text=text, time=when, deeds=deeds), raw=node)


def _message_text(message: Raw) -> str:
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
