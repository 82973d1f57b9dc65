"""Exports of ChatGPT: conversations as trees of messages, of which one branch is what the person sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memvault.transcripts.formats.entries import Item
from memvault.transcripts.formats.injected import spoken
from memvault.transcripts.formats.lines import MOST_DEEDS, decoded
from memvault.transcripts.formats.ordering import Gathered, content_id, conversations
from memvault.transcripts.model.record import Bad, Kept, Raw, Record, Start, bad_bytes, moment, text_of
from memvault.transcripts.model.turn import Talk, Turn

NAME = "chatgpt"
SPEAKERS = ("user", "assistant")

_KNOWN = re.compile(rb'"mapping"\s*:\s*\{')
_HINTS = re.compile(rb'"(?:current_node|conversation_template_id|moderation_results|default_model_slug)"\s*:')
_SPOKEN = ("text", "multimodal_text")
_PICTURE = "image_asset_pointer"
# Where a source is cited, between private letters or in hollow brackets.
_CITED = re.compile("[ \t]?(?:\ue200[^\ue200-\ue201]{0,400}\ue201|【\\d+(?::\\d+)?†[^】\n]{0,200}】)")


def knows(first: bytes) -> bool:
    """Whether a file begins as such an export does."""
    return (_KNOWN.search(first) or _HINTS.search(first)) is not None


def read(chunks: Iterable[bytes], start: Start) -> Iterator[Record]:
    """Every conversation of an export: the branch that is shown as turns, the others kept as they are."""
    for found in conversations(chunks, "mapping"):
        if isinstance(found, Bad):
            yield found
        elif found.items:
            yield from _conversation(found, start)
        elif found.members:
            yield Kept(raw=found.members)


def _conversation(gathered: Gathered, start: Start) -> Iterator[Record]:
    yield Talk(
        id=text_of(gathered.members, "conversation_id", "id") or content_id(item.key for item in gathered.items[:2]),
        source=NAME,
        title=text_of(gathered.members, "title"),
        speakers=SPEAKERS,
    )
    yield Kept(raw=gathered.members)
    parents, bad = _parents(gathered.items)
    yield from bad
    items = {item.key: item for item in gathered.items if item.key in parents}
    shown = _branch(parents, text_of(gathered.members, "current_node"))
    pending: list[str] = []  # what was done before the words that follow
    for key in shown:
        yield _shown(key, items[key], start, pending)
    for key in items.keys() - set(shown) if len(shown) < len(items) else ():
        yield Kept(raw=_node(items[key]))


def _parents(items: list[Item]) -> tuple[dict[str, str], list[Bad]]:
    """The node above each node; those that cannot be read are told."""
    parents: dict[str, str] = {}
    bad = []
    for item in items:
        try:
            node = decoded(item.data)
        except ValueError as error:
            bad.append(bad_bytes(f"byte {item.at:,}", str(error), item.data))
            continue
        if isinstance(node, Mapping):
            parents[item.key] = text_of(node, "parent")
        else:
            bad.append(bad_bytes(f"byte {item.at:,}", "it is no message", item.data))
    return parents, bad


def _branch(parents: dict[str, str], leaf: str) -> list[str]:
    """The nodes from the root to a leaf; without one, to the last that has nothing below it."""
    if leaf not in parents:
        above = set(parents.values())
        leaf = next((key for key in reversed(parents) if key not in above), "")
    branch: dict[str, None] = {}
    while leaf in parents and leaf not in branch:
        branch[leaf] = None
        leaf = parents[leaf]
    return list(reversed(branch))


def _node(item: Item) -> Raw:
    try:
        node = decoded(item.data)
    except ValueError:  # told already: another of the same name could be read
        return {}
    return node if isinstance(node, Mapping) else {}


def _shown(key: str, item: Item, start: Start, pending: list[str]) -> Kept:
    node = _node(item)
    message = node.get("message")
    if not isinstance(message, Mapping):
        return Kept(raw=node)
    author = message.get("author")
    role = text_of(author, "role") if isinstance(author, Mapping) else ""
    recipient = text_of(message, "recipient") or "all"
    if role == "assistant" and recipient != "all":
        pending.append(f"Use {recipient}"[:60])
    text = spoken(_said(message), start.marks) if role in SPEAKERS and recipient == "all" else ""
    if not text:
        return Kept(raw=node)
    deeds = tuple(dict.fromkeys(pending))[:MOST_DEEDS] if role == "assistant" else ()
    pending.clear()
    when = moment(message.get("create_time"), start.zone)
    name = text_of(message, "id") or key
    return Kept(turn=Turn(id=name, speaker=role, role=role, text=text, time=when, deeds=deeds), raw=node)


def _said(message: Raw) -> str:
    """What a message says, if it is shown to the person."""
    content, about = message.get("content"), message.get("metadata")
    if isinstance(about, Mapping) and about.get("is_visually_hidden_from_conversation"):
        return ""
    if not isinstance(content, Mapping) or content.get("content_type", "text") not in _SPOKEN:
        return ""
    parts = content.get("parts")
    told = [_part(part) for part in parts] if isinstance(parts, list) else [text_of(content, "text")]
    return _CITED.sub("", "\n\n".join(filter(None, told)))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part.strip()
    if not isinstance(part, Mapping):
        return ""
    return "[image]" if part.get("content_type") == _PICTURE else text_of(part, "text")
