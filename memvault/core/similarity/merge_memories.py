"""Merge memories that say the same: which may be merged, and what the result is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from memvault.core.ids import derive_id
from memvault.core.memory import FieldValue, Memory, Place, least_trust
from memvault.core.similarity.contradiction import are_against, is_live
from memvault.core.similarity.same_words import holds_all
from memvault.text.markdown import BlockKind, parse_blocks
from memvault.text.sentence.outline import ALSO_NOTED, TextPiece, heading_text, plain_text, read_pieces
from memvault.text.sentence.wording import REFERRING_WORDS

_INDENT = "    "
_FENCE = re.compile(r"([`~])\1{2,}")
_LABEL = re.compile(r"[^\W\d_][^\n:.!?]{0,30}:\s")
_DEFINITION = re.compile(r"\[[^\]\n]+\]:\s")


def close_code(text: str) -> str:
    """Return the text with its last piece of code closed, so that an addition does not become code."""
    found = list(parse_blocks(text))
    if not found or found[-1].kind is not BlockKind.CODE:
        return text
    last = found[-1]
    first, *rest = text[last.start : last.end].split("\n")
    opened = _FENCE.match(first)
    ending = rest[-1].strip() if rest else ""
    if opened is None or (set(ending) == {opened[1]} and len(ending) >= len(opened[0])):
        return text
    return f"{text.rstrip()}\n{opened[0]}\n"


def write_pieces(pieces: Iterable[TextPiece], *, as_list: bool = False) -> str:
    """Return the pieces as markdown; with `as_list` each sentence is an item."""
    page = _MarkdownWriter(as_list=as_list)
    for piece in pieces:
        page.add_piece(piece)
    return page.get_text()


class _MarkdownWriter:
    """A writer that puts markdown together, chunk by chunk."""

    def __init__(self, *, as_list: bool) -> None:
        self._as_list = as_list
        self._chunks: list[tuple[BlockKind, str]] = []
        self._path: list[str] = []  # the item last written, behind those it is nested in
        self._last: TextPiece | None = None
        self._lead_written = ""

    def get_text(self) -> str:
        """Return the whole text."""
        found = ""
        before: BlockKind | None = None
        for sort, chunk in self._chunks:
            gap = "" if before is None else "\n" if before is sort is BlockKind.ITEM else "\n\n"
            found += gap + chunk
            before = sort
        return found

    def add_piece(self, piece: TextPiece) -> None:
        """Write one more piece."""
        match piece.sort:
            case BlockKind.ITEM:
                self._add_item(piece)
            case BlockKind.TABLE:
                self._add_row(piece)
            case BlockKind.CODE:
                self._add_chunk(BlockKind.CODE, close_code(piece.written).rstrip("\n"))
            case BlockKind.PROSE | BlockKind.HEADING:
                line = ("> " if piece.written.lstrip().startswith(">") else "") + " ".join(piece.text.split())
                if self._as_list and not _DEFINITION.match(line):
                    self._chunks.append((BlockKind.ITEM, f"- {line}"))
                    self._path = [plain_text(piece.text)]
                elif self._last is not None and self._last.block == piece.block and self._chunks:
                    sort, before = self._chunks[-1]
                    gap = "\n" if _LABEL.match(line) else " "
                    self._chunks[-1] = (sort, before + gap + line)
                else:
                    self._add_chunk(BlockKind.PROSE, line)
        self._last = piece

    def _add_chunk(self, sort: BlockKind, chunk: str) -> None:
        self._path = []
        self._chunks.append((sort, chunk))

    def _add_item(self, piece: TextPiece) -> None:
        parents = [*filter(None, (self._lead_sentence(piece),)), *piece.items]
        path = [plain_text(parent) for parent in parents]
        line = " ".join(piece.text.split())
        if not piece.bullet and path and path == self._path:
            sort, before = self._chunks[-1]
            self._chunks[-1] = (sort, f"{before} {line}")
            return
        shared = 0
        while shared < min(len(path), len(self._path)) and path[shared] == self._path[shared]:
            shared += 1
        for depth in range(shared, len(parents)):
            self._chunks.append((BlockKind.ITEM, f"{_INDENT * depth}- {' '.join(parents[depth].split())}"))
        bullet = piece.bullet if piece.is_step else "-"
        self._chunks.append((BlockKind.ITEM, f"{_INDENT * len(parents)}{bullet} {line}"))
        self._path = [*path, plain_text(piece.text)]

    def _lead_sentence(self, piece: TextPiece) -> str:
        """Return the sentence above the list, unless it is there already."""
        plain = plain_text(piece.lead)
        stands = any(sort is BlockKind.PROSE and plain_text(chunk).endswith(plain) for sort, chunk in self._chunks[-1:])
        if not self._as_list and plain and (stands or self._lead_written == plain):
            self._lead_written = plain
            return ""
        return piece.lead

    def _add_row(self, piece: TextPiece) -> None:
        head = piece.header.split("\n")
        last = self._last
        follows = (
            last is not None and last.sort is BlockKind.TABLE and (last.header or last.written).startswith(head[0])
        )
        if not piece.header:
            self._add_chunk(BlockKind.TABLE, piece.written)
        elif follows and last is not None:
            rule = head[1:] if not last.header else []
            self._chunks[-1] = (BlockKind.TABLE, "\n".join((self._chunks[-1][1], *rule, piece.written)))
        else:
            self._add_chunk(BlockKind.TABLE, "\n".join((*head, piece.written)))


# The places in a text where something can be added to what it says.

NOTED_HEADING = plain_text(ALSO_NOTED)


@dataclass(frozen=True, slots=True)
class TextFrame:
    """The ends of each section and table of a text; sections are known by their plain heading."""

    title: str
    sections: Mapping[str, int]
    tables: Mapping[tuple[str, str], int]
    lists: frozenset[int]  # the ends that are ends of list items
    noted: frozenset[str]  # the sections that a merge has added
    noted_end: int

    def place_of(self, piece: TextPiece) -> str:
        """Return the section that a piece belongs to; empty if there is none of its heading."""
        if piece.headings:
            name = plain_text(piece.headings[-1])
            return name if name in self.sections and name not in (self.title, NOTED_HEADING) else ""
        return self.title if piece.title and plain_text(piece.title) == self.title else ""


def read_frame(text: str) -> TextFrame:
    """Read the frame of a text."""
    sections: dict[str, int] = {}
    noted: dict[str, int] = {}
    name, noted_level, is_open = "", 0, True
    found = list(parse_blocks(text))
    for block in found:
        if block.kind is BlockKind.HEADING:
            name = plain_text(heading_text(text[block.start : block.end]))
            noted_level = block.level if name == NOTED_HEADING else noted_level if block.level > noted_level else 0
            is_open = name not in sections
        if is_open:
            sections[name] = block.end
        if noted_level:
            noted[name] = block.end
    pieces = read_pieces(text)
    return TextFrame(
        title=next((plain_text(piece.text) for piece in pieces if piece.is_title), ""),
        sections=sections,
        tables={table_of(piece): piece.end for piece in pieces if piece.sort is BlockKind.TABLE},
        lists=frozenset(block.end for block in found if block.kind is BlockKind.ITEM),
        noted=frozenset(noted),
        noted_end=max(noted.values(), default=0),
    )


def table_of(piece: TextPiece) -> tuple[str, str]:
    """Return the table that a row belongs to: its section, and its first row."""
    return plain_text("".join(piece.headings[-1:])), plain_text(piece.header.partition("\n")[0] or piece.text)


# Merge texts that say nearly the same without losing a sentence, item, row, heading or piece of code.

_FEWEST_WORDS = 4  # what is shorter is the same only under the same heading
_FEWEST_DENSE = 8

Key = tuple[str, ...]


def unite_texts(texts: Sequence[str]) -> str:
    """Return the fullest text (of equals the first) as it is, with what the others say in addition.

    An addition goes to the end of the section of the same heading, else into a section `Also noted`.
    What a text says in equal words, as the comparison of statements proves, is not added.
    """
    if not texts:
        return ""
    base = max(
        texts, key=lambda text: (sum(holds_all(text, other) for other in texts if other != text), len(text_keys(text)))
    )
    whole = base
    for text in texts:
        if text is not base and not holds_all(whole, text):
            whole = _add_missing(whole, text)
    return whole


def text_keys(text: str) -> frozenset[Key]:
    """Return what a text says, each thing in a form that ignores case, spacing and final punctuation."""
    return frozenset(map(_piece_key, read_pieces(text)))


def _piece_key(piece: TextPiece) -> Key:
    plain = plain_text(piece.text)
    heading = piece.headings[-1:]
    match piece.sort:
        case BlockKind.CODE:
            return ("```", piece.text)
        case BlockKind.HEADING:
            return (plain,)
        case BlockKind.TABLE:
            above = (*heading, piece.header.partition("\n")[0])
        case BlockKind.ITEM:
            above = (*heading, piece.lead, *piece.items)
        case BlockKind.PROSE:
            above = heading
    needed = piece.sort is BlockKind.TABLE or _is_short(plain) or plain.split()[0].rstrip(",") in REFERRING_WORDS
    return (*(plain_text(name) for name in above if name and needed), plain)


def _is_short(plain: str) -> bool:
    return len(plain.split()) < _FEWEST_WORDS and (plain.isascii() or len(plain) < _FEWEST_DENSE)


def _add_missing(base: str, other: str) -> str:
    """Return the base with what the other text says in addition."""
    known = set(text_keys(base))
    fresh: list[TextPiece] = []
    for piece in read_pieces(other):
        if _piece_key(piece) not in known:
            known.add(_piece_key(piece))
            fresh.append(piece)
    # A text that would change its meaning elsewhere stays whole, below a rule.
    apart = f"---\n\n{close_code(other).strip()}\n"
    if not fresh or apart in base:
        return base
    joined = _insert_pieces(close_code(base), fresh)
    complete = text_keys(base) | text_keys(other) <= text_keys(joined)
    return joined if complete else f"{close_code(base).rstrip()}\n\n{apart}"


def _insert_pieces(text: str, fresh: Sequence[TextPiece]) -> str:
    """Return the text with the pieces, each where it belongs."""
    places = read_frame(text)
    rows: defaultdict[int, str] = defaultdict(str)
    sections: defaultdict[str, list[TextPiece]] = defaultdict(list)
    noted: defaultdict[str, list[TextPiece]] = defaultdict(list)
    for piece in fresh:
        place = places.place_of(piece)
        if piece.sort is BlockKind.HEADING and not piece.is_title:
            noted[piece.text] += []
        elif piece.sort is BlockKind.TABLE and table_of(piece) in places.tables:
            rows[places.tables[table_of(piece)]] += f"\n{piece.written}"
        elif place and not piece.is_title:
            sections[place].append(piece)
        else:
            noted["".join(piece.headings[-1:])].append(piece)
    direct = noted.pop("", [])
    if direct and NOTED_HEADING in places.sections:
        sections[NOTED_HEADING] = direct
        direct = []
    inserted = dict(rows)
    for name, pieces in sections.items():
        end = places.sections[name]
        follows_item = end in places.lists and (pieces[0].sort is BlockKind.ITEM or name in places.noted)
        gap = "\n" if follows_item else "\n\n"
        inserted[end] = inserted.get(end, "") + gap + write_pieces(pieces, as_list=name in places.noted)
    return _insert_notes(text, inserted, direct, noted, places.noted_end)


def _insert_notes(
    text: str,
    inserted: dict[int, str],
    direct: Sequence[TextPiece],
    noted: Mapping[str, Sequence[TextPiece]],
    noted_end: int,
) -> str:
    """Return the text with the insertions, and with a section for what has no place of its own."""
    chunks = [write_pieces(direct, as_list=True)] if direct else []
    for heading, pieces in noted.items():
        chunks += [f"### {heading}", *([write_pieces(pieces, as_list=True)] if pieces else [])]
    if noted_end and chunks:
        inserted[noted_end] = inserted.get(noted_end, "") + "\n\n" + "\n\n".join(chunks)
        chunks = []
    for place in sorted(inserted, reverse=True):
        text = text[:place] + inserted[place] + text[place:]
    if not chunks:
        return text
    gap = "\n" * (2 - min(2, len(text) - len(text.rstrip("\n"))))
    return f"{text}{gap}## {ALSO_NOTED}\n\n" + "\n\n".join(chunks) + "\n"


_ELIGIBLE_PLACES = (Place.HOT, Place.MEMORIES)

# Two that differ in one of these are two things to do, whatever their words.
_SETTLING = ("due", "state", "condition", "completed_at")

_COUNTS = ("usage_count", "evidence_count")
_EARLIEST = ("due",)
_LARGEST = ("confidence", "priority")
_OWN = ("source", "session", "source_sessions", "merged_from", "merged_into", "success_rate")


# -- which may be merged


def can_merge(a: Memory, b: Memory) -> bool:
    """Return whether two memories may be merged: alike in kind, scope and project, neither pinned nor settled."""
    if a.id == b.id or not (_is_free(a) and _is_free(b)):
        return False
    if a.kind != b.kind or any(a.more.get(name) != b.more.get(name) for name in ("scope", "project")):
        return False
    if a.people and b.people and not {*map(str.casefold, a.people)} & {*map(str.casefold, b.people)}:
        return False
    settled = (name for name in _SETTLING if name in a.more and name in b.more)
    return all(a.more[name] == b.more[name] for name in settled) and not are_against(a, b)


def _is_free(memory: Memory) -> bool:
    return is_live(memory) and memory.place in _ELIGIBLE_PLACES and not (memory.problem or memory.pinned)


# -- the merged memory


def merge_memories(memories: Sequence[Memory], *, vault_id: str) -> Memory:
    """Return the memory that replaces all of these, equal for any order of them, at the path of one of them."""
    ranked = sorted(memories, key=lambda memory: (memory.weight, memory.created, memory.id), reverse=True)
    newest = sorted(memories, key=lambda memory: (memory.created, memory.id), reverse=True)
    lead = ranked[0]
    sources = source_ids(memories)
    # The hot tier if one of them is in it, unless another must not rise there by itself.
    is_trusted = all(memory.is_trusted for memory in ranked)
    place = Place.HOT if is_trusted and any(memory.place is Place.HOT for memory in ranked) else Place.MEMORIES
    refs = {
        name: tuple(dict.fromkeys(ref for memory in ranked for ref in memory.refs.get(name, ())))
        for name in dict.fromkeys(name for memory in ranked for name in memory.refs)
    }
    bases = [memory.base for memory in ranked]
    return lead.with_changes(
        id=derive_id(vault_id, "merged:" + ",".join(sources)),
        path=next((memory.path for memory in ranked if memory.place is place), lead.path),
        place=place,
        created=min(memory.created for memory in ranked),
        last_accessed=max(memory.last_accessed for memory in ranked),
        access_count=sum(memory.access_count for memory in ranked),
        weight=max(memory.weight for memory in ranked),
        base_weight=None if all(memory.base_weight is None for memory in ranked) else max(bases),
        emotional_flag=any(memory.emotional_flag for memory in ranked),
        pinned=any(memory.pinned for memory in ranked),
        decay_eligible=all(memory.decay_eligible for memory in ranked),
        status="active" if any(memory.status == "active" for memory in ranked) else lead.status,
        tags=_union_texts(memory.tags for memory in ranked),
        topics=_union_texts(memory.topics for memory in ranked),
        people=_union_texts(memory.people for memory in ranked),
        triggers=_union_texts(memory.triggers for memory in ranked),
        aliases=_union_texts((memory.title, *memory.aliases) for memory in ranked),
        refs=MappingProxyType(refs),
        more=MappingProxyType(_merge_fields(ranked, sources)),
        version="",
        body=unite_texts([memory.body or "" for memory in newest]),
    )


def source_ids(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the ids of the memories that these were made of: their own, or those they were merged from."""
    found = (source for memory in memories for source in _as_texts(memory.more.get("merged_from")) or (memory.id,))
    return tuple(sorted({source.casefold() for source in found}))


def session_ids(memory: Memory) -> tuple[str, ...]:
    """Return the conversations that a memory came up in."""
    named = (memory.more.get("source_sessions"), memory.more.get("session"), memory.refs.get("session"))
    return _union_texts(map(_as_texts, named))


def _as_texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, tuple | list) else ()


def _union_texts(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return each text once, in the spelling that comes first."""
    found: dict[str, str] = {}
    for texts in lists:
        for text in texts:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())


def _merge_fields(memories: Sequence[Memory], sources: tuple[str, ...]) -> dict[str, FieldValue]:
    names = dict.fromkeys(name for memory in memories for name in memory.more if name not in _OWN)
    found: dict[str, FieldValue] = {
        name: _merge_values(name, [memory.more[name] for memory in memories if name in memory.more]) for name in names
    }
    sessions = _union_texts(map(session_ids, memories))
    if any("source" in memory.more or memory.more.get("tainted") for memory in memories):
        found |= least_trust(memories)
    if len(sessions) == 1 and any("session" in memory.more for memory in memories):
        found["session"] = sessions[0]
    if sessions:
        found["source_sessions"] = tuple(sorted(sessions))
    if (rate := _merge_success_rates(memories)) is not None:
        found["success_rate"] = rate
    return {**found, "merged_from": sources}


def _merge_values(name: str, values: list[FieldValue]) -> FieldValue:
    """Return one value for several, the first of which counts most."""
    first = values[0]
    if name in _COUNTS:
        return sum(value for value in values if isinstance(value, int))
    if isinstance(first, tuple):
        return tuple(dict.fromkeys(text for value in values for text in _as_texts(value)))
    if isinstance(first, bool):
        return any(values)
    if name in _LARGEST or isinstance(first, datetime):
        choose: Callable[..., FieldValue] = min if name in _EARLIEST else max
        return choose(value for value in values if isinstance(value, type(first)))
    return first


def _merge_success_rates(memories: Sequence[Memory]) -> float | None:
    """Return the success rate over all uses, each memory's by how often it was followed."""
    rates = [
        (rate, max(1, count))
        for memory in memories
        if isinstance(rate := memory.more.get("success_rate"), int | float)
        and isinstance(count := memory.more.get("usage_count", 1), int)
    ]
    total = sum(count for _, count in rates)
    return round(sum(rate * count for rate, count in rates) / total, 4) if total else None
