"""Split a turn into sentences and list items, without code, tables and markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


# The sentences of a long answer to take: headlines, first and last, decisions and results.

WORDS_TAKEN_WHOLE = 60
_FEWEST_TAKEN, _MOST_TAKEN, _WORDS_FOR_ONE_MORE = 2, 10, 150
_LONGEST_HEADLINES = 300
_LONGEST_HEADLINE = 60

# How answers begin and end that say nothing yet, or nothing any more.
_OFFERS = re.compile(
    r"(?:certainly|sure|of course|absolutely|great|let's|let us|let me|here(?:'s| is| are)|below is|i'll|i will|i'd be"
    r"|i can|to help you|if you (?:have|need|want|would|'d)|would you|do you|feel free|hope|happy to"
    r"|please (?:let|share"
    r"|provide)|by following|this (?:should|will|approach|way)|with (?:this|these)|natürlich|gerne?|klar"
    r"|hier (?:ist|sind)"
    r"|wenn du|falls du|por supuesto|claro|aquí (?:está|tienes)|si (?:necesitas|tu|vous)|bien sûr|voici|n'hésite)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:because|caused? by|root cause|turn(?:s|ed) out|fixed|resolved|decided|recommend|suggest|instead of|so that"
    r"|result(?:s|ed)? (?:in|is|are|show)|pass(?:es|ed)?|fail(?:s|ed)?|now (?:works?|uses?|passes|has|runs)"
    r"|changed|added"
    r"|removed|created|renamed|moved|updated|replaced|in short|in summary|summary|conclusion|answer is|means that|must"
    r"|never|important|important:|note that|warning|beware|default|costs?|requires?|deadline|due|weil|deshalb|behoben"
    r"|geändert|empfehle|wichtig|ergebnis|porque|resultado|recomiendo|cambiado|parce que|résultat|recommande|corrigé)\b"
    r"|\d",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"(?:task|step|phase|option|part|schritt|paso|étape) \d+\.?", re.IGNORECASE)


def assistant_summary(sentences: Sequence[TurnSentence]) -> tuple[TurnSentence, ...]:
    """Return the sentences of an answer that are worth a fact; all of them where it is short."""
    words = sum(text_length(one.full_text) for one in sentences)
    if words <= WORDS_TAKEN_WHOLE:
        return tuple(one for one in sentences if not one.heading)
    prose = [one for one in sentences if not (one.item or one.heading or one.asks or _is_offer(one.text))]
    most = min(_MOST_TAKEN, _FEWEST_TAKEN + int(words) // _WORDS_FOR_ONE_MORE)
    telling = [one for one in prose if _TELLING.search(one.text)]
    chosen = [*prose[:1], *telling[: most - 1], *prose[-1:]][: most + 1]
    taken = tuple(one for one in prose if any(one is other for other in chosen))
    # The headings and list item leads as one statement.
    names = (one.text if one.heading else _item_lead(one.text) for one in sentences if one.heading or one.item)
    found: list[str] = []
    size = 0
    for name in dict.fromkeys(name[:_LONGEST_HEADLINE].strip(" :.") for name in names if name):
        if size + len(name) > _LONGEST_HEADLINES:
            break
        found.append(name)
        size += len(name) + 2
    headlines = (TurnSentence("; ".join(found), item=True),) if len(found) > 1 else ()
    return (*taken[:1], *headlines, *taken[1:])


def _item_lead(item: str) -> str:
    """Return what a list item is about, before a colon or a dash, or as a whole."""
    lead, _, rest = item.partition(": ") if ": " in item else item.partition(" - ")
    if _NUMBERED.fullmatch(lead.strip(" :")):
        lead = rest
    return lead if len(lead) <= _LONGEST_HEADLINE else ""


def _is_offer(text: str) -> bool:
    return _OFFERS.match(text) is not None or text.endswith(":")
