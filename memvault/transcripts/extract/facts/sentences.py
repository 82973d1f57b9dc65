"""Split a turn into sentences and list items, without code, tables and markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memvault.text.markdown import BlockKind, find_sentences, parse_blocks
from memvault.text.terms import count_words

LONGEST = 320  # characters of a statement; a longer sentence is cut between its clauses
_LONGEST_LIST, _LONGEST_INTRO = 240, 80
_FEWEST_WORDS = 4  # below, a sentence is joined to the one before it
_SHORTEST_LINE = 60  # a line that ends earlier was ended on purpose
_LETTERS_PER_SIGN = 0.55  # below, a text is no sentence but a log, a table or a formula

_CUTS = (("; ", ": ", " — ", " - ", "；", "："), (", ", "，", "、", ") "), (" ",))
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|~~)(?=[^\s*])(.{1,200}?)(?<=[^\s*])\1(?![\w*])")
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_ASKS = re.compile(r"[?？][\"'”’»)\]*_]*$")
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_TELLS_FIRST = re.compile(
    r"(?:(?:so|and|but|well|ok|okay|hi|hello|hey|also|yeah|yes|no|hm+|actually),? )*"
    r"(?:i|i'm|i've|i'd|we|we're|we've|my|our|ich|wir|mein|meine|unser|unsere|je|j'ai|nous|on|mon|ma|mi|mis|yo|estoy"
    r"|tengo|nosotros) [^?]{25,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TurnSentence:
    """One sentence of a turn, or one list; `under` is the heading of a list item."""

    text: str
    asks: bool = False
    quoted: bool = False
    item: bool = False
    heading: bool = False
    under: str = ""

    @property
    def full_text(self) -> str:
        """Return the text after its heading."""
        return f"{self.under}: {self.text}" if self.under else self.text

    @property
    def is_short(self) -> bool:
        """Return whether it is too short to stand alone."""
        return text_length(self.text) < _FEWEST_WORDS and not self.under


def text_length(text: str) -> float:
    """Return the length of a text in words; where words have no spaces, two characters are one."""
    words, dense = count_words(text)
    return words + dense / 2


def split_sentences(text: str) -> tuple[TurnSentence, ...]:
    """Split a turn into its sentences, in order."""
    found: list[TurnSentence] = []
    items: list[TurnSentence] = []
    under = ""
    for block in parse_blocks(text):
        if block.kind is BlockKind.ITEM:
            items.append(
                TurnSentence(_strip_markdown(_MARKER.sub("", text[block.start : block.end], count=1)), item=True)
            )
            continue
        found += _list_sentences(items, _list_intro(found, under))
        items = []
        if block.kind is BlockKind.HEADING:
            under = _strip_markdown(block.title)
            found.append(TurnSentence(under, heading=True))
        elif block.kind is BlockKind.PROSE:
            found += _prose_sentences(text[block.start : block.end])
    found += _list_sentences(items, _list_intro(found, under))
    return tuple(piece for one in found for piece in _cut_long(one) if _is_wording(piece.text))


def join_short(sentence: tuple[TurnSentence, ...]) -> tuple[TurnSentence, ...]:
    """Join each short sentence to the one before it: "I paint. Since 2016!"."""
    found: list[TurnSentence] = []
    for one in sentence:
        before = found[-1] if found else None
        if before is not None and one.is_short and _can_join(before, one):
            found[-1] = replace(before, text=f"{before.text} {one.text}")
        else:
            found.append(one)
    return tuple(found)


def _can_join(before: TurnSentence, after: TurnSentence) -> bool:
    plain = not (before.asks or after.asks or before.item or after.item or before.heading or after.heading)
    return plain and before.quoted == after.quoted and len(before.text) + len(after.text) < LONGEST


def _prose_sentences(block: str) -> Iterator[TurnSentence]:
    quoted = block.lstrip().startswith(">")
    for line in _join_lines(_QUOTED.sub("", block) if quoted else block):
        for start, end in find_sentences(line):
            sentence = _strip_markdown(line[start:end])
            asks = _ASKS.search(sentence) is not None and not _TELLS_FIRST.match(sentence)
            yield TurnSentence(sentence, asks=asks, quoted=quoted)


def _join_lines(block: str) -> Iterator[str]:
    """Yield the lines that were ended on purpose; join those that an editor wrapped."""
    wrapped: list[str] = []
    for line in block.split("\n"):
        if wrapped and len(wrapped[-1]) < _SHORTEST_LINE and not line.strip()[:1].islower():
            yield " ".join(wrapped)
            wrapped = []
        wrapped.append(line.strip())
    yield " ".join(wrapped)


def _list_intro(found: list[TurnSentence], under: str) -> str:
    """Return the heading of a list: the sentence before it that ends in a colon, or the last heading."""
    last = found[-1].text if found else ""
    named = last if last.endswith((":", "：")) else under
    return named.rstrip(":： ")[-_LONGEST_INTRO:]


def _list_sentences(items: list[TurnSentence], intro: str) -> Iterator[TurnSentence]:
    """Yield a short list as one sentence, a longer one item by item."""
    if not items:
        return
    whole = "; ".join(item.text.rstrip(".;") for item in items)
    if len(items) > 1 and len(whole) <= _LONGEST_LIST:
        yield TurnSentence(whole, item=True, under=intro)
    else:
        yield from (replace(item, under=intro) for item in items)


def _cut_long(sentence: TurnSentence) -> Iterator[TurnSentence]:
    start, text = 0, sentence.text
    while len(text) - start > LONGEST:
        end = _find_cut(text, start)
        yield replace(sentence, text=text[start:end].strip())
        start = end
    yield replace(sentence, text=text[start:].strip())


def _find_cut(text: str, start: int) -> int:
    for marks in _CUTS:
        ends = (text.rfind(mark, start + LONGEST // 2, start + LONGEST) + len(mark.rstrip()) for mark in marks)
        best = max(ends)
        if best > start + LONGEST // 2:
            return best
    return start + LONGEST


def _strip_markdown(text: str) -> str:
    """Return a text in one line without markdown."""
    line = " ".join(text.split())
    return _LINK.sub(r"\1", _EMPHASIS.sub(r"\2", line)) if "*" in line or "](" in line or "~" in line else line


def _is_wording(text: str) -> bool:
    signs = sum(not (char.isalpha() or char.isspace()) for char in text)
    return bool(text) and signs <= (1 - _LETTERS_PER_SIGN) * len(text) and any(map(str.isalnum, text))
