"""Several texts that say nearly the same made one, without losing a sentence, item, row, heading or piece of code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memvault.core.similarity.frame import NOTED, frame, table_of
from memvault.core.similarity.merge_text import closed, written
from memvault.core.similarity.outline import ALSO_NOTED, Piece, outline, plain
from memvault.text.markdown import Sort
from memvault.text.sentence.wording import POINTERS

_FEWEST_WORDS = 4  # what is shorter is the same only under the same heading
_FEWEST_DENSE = 8

Key = tuple[str, ...]


def united(texts: Sequence[str]) -> str:
    """The fullest text (of equals the first) as it stands, with what the others say in addition.

    An addition goes to the end of the section of the same heading, else into a section `Also noted`.
    """
    if not texts:
        return ""
    base = max(texts, key=lambda text: len(keys(text)))
    whole = base
    for text in texts:
        if text is not base:
            whole = _joined(whole, text)
    return whole


def keys(text: str) -> frozenset[Key]:
    """What a text says, each thing in a form that is equal up to case, spacing and final punctuation."""
    return frozenset(map(_key, outline(text)))


def _key(piece: Piece) -> Key:
    said = plain(piece.text)
    heading = piece.headings[-1:]
    match piece.sort:
        case Sort.CODE:
            return ("```", piece.text)
        case Sort.HEADING:
            return (said,)
        case Sort.TABLE:
            above = (*heading, piece.header.partition("\n")[0])
        case Sort.ITEM:
            above = (*heading, piece.lead, *piece.items)
        case Sort.PROSE:
            above = heading
    needed = piece.sort is Sort.TABLE or _is_short(said) or said.split()[0].rstrip(",") in POINTERS
    return (*(plain(name) for name in above if name and needed), said)


def _is_short(said: str) -> bool:
    return len(said.split()) < _FEWEST_WORDS and (said.isascii() or len(said) < _FEWEST_DENSE)


def _joined(base: str, other: str) -> str:
    """The base with what the other text says in addition."""
    known = set(keys(base))
    fresh: list[Piece] = []
    for piece in outline(other):
        if _key(piece) not in known:
            known.add(_key(piece))
            fresh.append(piece)
    # What would read otherwise in another place stays in its own, below a rule.
    apart = f"---\n\n{closed(other).strip()}\n"
    if not fresh or apart in base:
        return base
    joined = _with(closed(base), fresh)
    complete = keys(base) | keys(other) <= keys(joined)
    return joined if complete else f"{closed(base).rstrip()}\n\n{apart}"


def _with(text: str, fresh: Sequence[Piece]) -> str:
    """The text with the pieces, each where it belongs."""
    places = frame(text)
    rows: defaultdict[int, str] = defaultdict(str)
    sections: defaultdict[str, list[Piece]] = defaultdict(list)
    noted: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in fresh:
        place = places.place_of(piece)
        if piece.sort is Sort.HEADING and not piece.is_title:
            noted[piece.text] += []
        elif piece.sort is Sort.TABLE and table_of(piece) in places.tables:
            rows[places.tables[table_of(piece)]] += f"\n{piece.written}"
        elif place and not piece.is_title:
            sections[place].append(piece)
        else:
            noted["".join(piece.headings[-1:])].append(piece)
    direct = noted.pop("", [])
    if direct and NOTED in places.sections:
        sections[NOTED] = direct
        direct = []
    inserted = dict(rows)
    for name, pieces in sections.items():
        end = places.sections[name]
        follows_item = end in places.lists and (pieces[0].sort is Sort.ITEM or name in places.noted)
        gap = "\n" if follows_item else "\n\n"
        inserted[end] = inserted.get(end, "") + gap + written(pieces, as_list=name in places.noted)
    return _with_notes(text, inserted, direct, noted, places.noted_end)


def _with_notes(
    text: str, inserted: dict[int, str], direct: Sequence[Piece], noted: Mapping[str, Sequence[Piece]], noted_end: int
) -> str:
    """The text with what is inserted, and with the section for what has no place of its own."""
    chunks = [written(direct, as_list=True)] if direct else []
    for heading, pieces in noted.items():
        chunks += [f"### {heading}", *([written(pieces, as_list=True)] if pieces else [])]
    if noted_end and chunks:
        inserted[noted_end] = inserted.get(noted_end, "") + "\n\n" + "\n\n".join(chunks)
        chunks = []
    for place in sorted(inserted, reverse=True):
        text = text[:place] + inserted[place] + text[place:]
    if not chunks:
        return text
    gap = "\n" * (2 - min(2, len(text) - len(text.rstrip("\n"))))
    return f"{text}{gap}## {ALSO_NOTED}\n\n" + "\n\n".join(chunks) + "\n"
