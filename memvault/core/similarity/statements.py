"""The statements of a text with what they speak of, and which statements of two texts belong together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memvault.core.memory import Memory
from memvault.text.markdown import BlockKind
from memvault.text.sentence.outline import TextPiece, plain_text, read_pieces
from memvault.text.sentence.reading import read_terms, significant_terms
from memvault.text.sentence.terms import Term, TermKind
from memvault.text.sentence.wording import GENERIC, REFERRING_WORDS, loose_stem

_DENSE_WEIGHT, _GRAMMAR_WEIGHT, _GENERIC_WEIGHT = 0.5, 0.2, 0.4


def character_pairs(run: str) -> Iterator[str]:
    """Yield what stands for words in a script without spaces."""
    for start in range(max(1, len(run) - 1)):
        yield run[start : start + 2]


def pair_weight(pair: str) -> float:
    """Return how much it tells that these characters are shared."""
    # Japanese characters of this range are endings and particles rather than words.
    is_grammar = all("\u3041" <= character <= "\u309f" for character in pair)
    return _GRAMMAR_WEIGHT if is_grammar else _DENSE_WEIGHT


# The statements of a text, each with what is needed to understand it.

_LEAST_WEIGHT = 0.5
_FEWEST_WORDS = 3  # what says less than that is understood from what stands before it

_CELL_END = re.compile(r"(?<!\\)\|")

Sense = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing a text says."""

    text: str
    block_kind: BlockKind
    sense: Sense  # equal for statements that say the same in other spellings
    under: Sense  # the headings, items and table heads it stands under
    before: Sense | None  # what it follows, where it cannot be understood alone
    terms: tuple[Term, ...]
    weight: float
    number: int
    is_step: bool
    noted: bool


@lru_cache(maxsize=128)
def cached_statements(text: str) -> tuple[Statement, ...]:
    """Return all statements of a text, in order."""
    return read_statements(text)


def read_statements(text: str) -> tuple[Statement, ...]:
    """Return all statements of a text, in order, without the cache: for a caller that has its own."""
    return tuple(_build_statements(read_pieces(text)))


def _build_statements(pieces: tuple[TextPiece, ...]) -> Iterator[Statement]:
    before: Sense = ()
    for piece in pieces:
        found = () if piece.sort is BlockKind.CODE else read_terms(" ".join(piece.text.split()))
        significant = significant_terms(found)
        sense = _sense_key(piece, significant)
        is_prose = piece.sort is BlockKind.PROSE
        yield Statement(
            text=piece.text,
            block_kind=piece.sort,
            sense=sense,
            under=tuple(map(_plain_name, piece.context_lines)),
            before=before if is_prose and _points_back(found, significant) else None,
            terms=found,
            weight=max(_LEAST_WEIGHT, _weigh_terms(found) if found else float(piece.text.count("\n") + 1)),
            number=piece.number,
            is_step=piece.is_step,
            noted=piece.noted,
        )
        before = sense if is_prose else ()


def _weigh_terms(terms: Iterable[Term]) -> float:
    plain = {loose_stem(term.key) for term in terms if term.kind is TermKind.WORD and not term.dense}
    facts = {term.key for term in terms if term.kind not in (TermKind.WORD, TermKind.SIGN)}
    dense = {pair for term in terms if term.dense for pair in character_pairs(term.key)}
    return (
        sum(_GENERIC_WEIGHT if word in GENERIC else 1.0 for word in plain - {""})
        + len(facts)
        + sum(map(pair_weight, dense))
    )


def _sense_key(piece: TextPiece, significant: tuple[Term, ...]) -> Sense:
    match piece.sort:
        case BlockKind.CODE:
            return ("```", piece.text)
        case BlockKind.TABLE:
            return ("|", *(_plain_name(cell) for cell in _CELL_END.split(piece.text.strip().strip("|"))))
        case BlockKind.HEADING:
            return ("#", _plain_name(piece.text))
        case BlockKind.PROSE | BlockKind.ITEM:
            return tuple(term.key for term in significant) or (plain_text(piece.text),)


@lru_cache(maxsize=1_024)
def _plain_name(text: str) -> str:
    """Return a heading or the like in a form that is equal for other spellings."""
    return " ".join(term.key for term in significant_terms(read_terms(" ".join(text.split())))) or plain_text(text)


def _points_back(found: tuple[Term, ...], significant: tuple[Term, ...]) -> bool:
    words = sum(term.kind is not TermKind.SIGN for term in significant)
    return words < _FEWEST_WORDS or found[0].text.casefold() in REFERRING_WORDS


def full_text(memory: Memory) -> str:
    """Return all that a memory says: its text, below its title unless the text begins with it."""
    body = memory.body or ""
    title = plain_text(memory.title).rstrip("…").rstrip()
    opening = plain_text(body.lstrip().lstrip("#")[: 2 * len(memory.title) + 40])
    return body if not title or opening.startswith(title) else f"# {memory.title}\n\n{body}"


Statements = Sequence[Statement]


def contained_share(left: Statements, right: Statements) -> float:
    """Return how much of the larger of two texts the smaller is if it stands in it whole, else zero."""
    part, whole = sorted((left, right), key=_total_weight)
    if part and (says_all(whole, part) or (_total_weight(part) == _total_weight(whole) and says_all(part, whole))):
        return _total_weight(part) / _total_weight(whole)
    return 0.0


def _total_weight(statements: Statements) -> float:
    return sum(statement.weight for statement in statements)


def says_all(whole: Statements, part: Statements) -> bool:
    """Return whether the whole has each statement of a part under the same heading, numbered steps in order."""
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, statement in enumerate(whole):
        places[statement.sense].append(number)
    reached = -1
    for statement in part:
        after = reached if statement.is_step else -1
        found = [
            number
            for number in places[statement.sense]
            if number > after and statements_agree(statement, whole[number])
        ]
        if not found:
            return False
        reached = found[0] if statement.is_step else reached
    return True


def statements_agree(one: Statement, other: Statement) -> bool:
    """Return whether two statements say the same, each where it stands."""
    if one.sense != other.sense or one.under != other.under:
        return False
    return one.before == other.before or one.noted or other.noted


def identical_statements(
    left: Statements, right: Statements
) -> tuple[list[tuple[Statement, Statement]], list[Statement], list[Statement]]:
    """Return the statements that say the same, and the rest of each text."""
    places: defaultdict[tuple[str, ...], list[Statement]] = defaultdict(list)
    for statement in right:
        places[statement.sense].append(statement)
    same: list[tuple[Statement, Statement]] = []
    rest: list[Statement] = []
    for statement in left:
        found = next((other for other in places[statement.sense] if statements_agree(statement, other)), None)
        if found is None:
            rest.append(statement)
        else:
            same.append((statement, found))
    matched = {id(other) for _, other in same}
    return same, rest, [statement for statement in right if id(statement) not in matched]
