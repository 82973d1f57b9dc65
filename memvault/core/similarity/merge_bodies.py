"""Merge texts: write pieces as markdown, and add to a text what others say in addition."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memvault.core.similarity.outline import ALSO_NOTED, TextPiece, heading_text, plain_text, read_pieces
from memvault.text.markdown import BlockKind, parse_blocks
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
                self._add_sentence(piece)
        self._last = piece

    def _add_chunk(self, sort: BlockKind, chunk: str) -> None:
        self._path = []
        self._chunks.append((sort, chunk))

    def _add_sentence(self, piece: TextPiece) -> None:
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
    """
    if not texts:
        return ""
    base = max(texts, key=lambda text: len(text_keys(text)))
    whole = base
    for text in texts:
        if text is not base:
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
