"""How alike two texts are, by statements and by words, and from which score on two are merged or offered."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memvault.core.similarity.outline import TextPiece, plain_text, read_pieces
from memvault.text.markdown import BlockKind
from memvault.text.sentence.opposites import DENIALS, dense_sides, opposite_sides, remove_denials
from memvault.text.sentence.reading import read_terms, significant_terms
from memvault.text.sentence.terms import Term, TermKind, is_german
from memvault.text.sentence.wording import GENERIC, REFERRING_WORDS, loose_stem

# Where it is asked what two sentences are about, it does not matter how many, when or whether.
_MASKS = {
    TermKind.NUMBER: "#number",
    TermKind.VERSION: "#number",
    TermKind.DATE: "#date",
    TermKind.TIME: "#time",
    TermKind.PATH: "#path",
    TermKind.NAME: "#name",
    TermKind.UNIT: "",
    TermKind.SIGN: "",
}
_GENERIC_WEIGHT, _MASK_WEIGHT, _DENSE_WEIGHT, _GRAMMAR_WEIGHT = 0.4, 0.7, 0.5, 0.2
_DENSE_MARK = "~"


def content_terms(terms: Iterable[Term]) -> frozenset[str]:
    """Return the words that carry what the terms say."""
    found: set[str] = set()
    for term in terms:
        if term.kind is TermKind.WORD and not term.dense:
            found.add(_content_form(term.key))
        else:
            found.update(_content_marks(term))
    return frozenset(found - {""})


def topic_terms(terms: Sequence[Term]) -> frozenset[str]:
    """Return what the terms speak of, leaving open amounts, dates, names and opposites."""
    german = is_german(terms)
    found: set[str] = set()
    for place, term in enumerate(terms):
        if place and term.capital and not german:
            found.add("#name")
        elif term.kind is TermKind.WORD and not term.dense:
            found.add(_topic_form(term.key))
        else:
            found.update(_dense_topics(term.key) if term.dense else (_MASKS[term.kind],))
    return frozenset(found - {""})


def weigh_words(words: Iterable[str]) -> float:
    """Return how much it tells that these words are shared."""
    return sum(map(word_weight, words))


@lru_cache(maxsize=16_384)
def word_weight(word: str) -> float:
    """Return how much it tells that this word is shared."""
    if word[0] == "#":
        return _MASK_WEIGHT
    if word[0] == _DENSE_MARK:
        # Japanese characters of this range are endings and particles rather than words.
        is_grammar = all("\u3041" <= character <= "\u309f" for character in word[1:])
        return _GRAMMAR_WEIGHT if is_grammar else _DENSE_WEIGHT
    return _GENERIC_WEIGHT if word in GENERIC else 1.0


@lru_cache(maxsize=16_384)
def _content_form(word: str) -> str:
    return "not" if word in DENIALS else loose_stem(word)


@lru_cache(maxsize=16_384)
def _topic_form(word: str) -> str:
    places = opposite_sides(word)
    if not places:
        return "" if word in DENIALS else loose_stem(word)
    is_open = all(place.kind is TermKind.QUANTIFIER for place in places)
    return "" if is_open or word in DENIALS or not loose_stem(word) else f"#{places[0].line}"


def _content_marks(term: Term) -> Iterable[str]:
    if term.dense:
        return _character_pairs(term.key)
    if term.kind is TermKind.NAME:
        return (loose_stem(word) if word.isalpha() else word for word in term.key.split())
    return () if term.kind is TermKind.SIGN else (term.key,)


def _dense_topics(run: str) -> Iterator[str]:
    for word, place in dense_sides(run).items():
        run = run.replace(word, " ")
        yield f"#{place.line}"
    for part in remove_denials(run).split():
        yield from _character_pairs(part)


def _character_pairs(run: str) -> Iterator[str]:
    for start in range(max(1, len(run) - 1)):
        yield _DENSE_MARK + run[start : start + 2]


# The statements of a text, each with what is needed to understand it.

_LEAST_WEIGHT = 0.5
_FEWEST_WORDS = 3  # what says less than that is understood from what stands before it

_CELL_END = re.compile(r"(?<!\\)\|")

Sense = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing a text says."""

    text: str
    sense: Sense  # equal for statements that say the same in other spellings
    under: Sense  # the headings, items and table heads it stands under
    before: Sense | None  # what it follows, where it cannot be understood alone
    terms: tuple[Term, ...]
    substance: frozenset[str]
    topic: frozenset[str]
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
        lines = (line.strip() for line in piece.text.split("\n"))
        words = frozenset(filter(None, lines)) if piece.sort is BlockKind.CODE else content_terms(found)
        yield Statement(
            text=piece.text,
            sense=sense,
            under=tuple(map(_plain_name, piece.context_lines)),
            before=before if is_prose and _points_back(found, significant) else None,
            terms=found,
            substance=words,
            topic=topic_terms(found) if found else words,
            weight=max(_LEAST_WEIGHT, weigh_words(words)),
            number=piece.number,
            is_step=piece.is_step,
            noted=piece.noted,
        )
        before = sense if is_prose else ()


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


AUTOMATIC = 0.9
"""From here on two texts may be merged: the one says all that the other says, and not much more."""

PROPOSED = 0.47
"""From here on two texts are offered for review."""

_HELD, _PART = 0.8, 0.2  # what it counts that one text holds the other, and how large a part it is
_OTHERWISE = 0.79  # what two texts reach at most that differ in anything but spelling
_FULLER = 0.7  # of the share of each that stands in the other, how much the larger one counts
_ALIGNED = 0.5

Statements = Sequence[Statement]


@dataclass(frozen=True, slots=True)
class NearStatements:
    """Two statements about the same thing, and how alike they are without amounts, dates and opposites."""

    left: Statement
    right: Statement
    closeness: float


@dataclass(frozen=True, slots=True)
class StatementAlignment:
    """The statements of two texts that belong together, and those that stand alone."""

    same: tuple[tuple[Statement, Statement], ...]
    near: tuple[NearStatements, ...]
    left: tuple[Statement, ...]
    right: tuple[Statement, ...]


def text_similarity(a: str, b: str) -> float:
    """Return how alike two texts are, from 0 to 1; `AUTOMATIC` or more only if one says all of the other."""
    if a.strip() == b.strip():
        return 1.0 if a.strip() else 0.0
    return statement_similarity(cached_statements(a), cached_statements(b))


def statement_similarity(left: Statements, right: Statements) -> float:
    """Return how alike two texts are by their statements."""
    if not left or not right:
        return 0.0
    part, whole = sorted((left, right), key=_total_weight)
    if says_all(whole, part) or (_total_weight(part) == _total_weight(whole) and says_all(part, whole)):
        return _HELD + _PART * _total_weight(part) / _total_weight(whole)
    return _OTHERWISE * closeness(left, right)


def closeness(left: Statements, right: Statements, *, masked: bool = False) -> float:
    """Return the share of what two texts say, or with `masked` only speak of, that is common to both."""
    shares = (_covered_share(left, right, masked=masked), _covered_share(right, left, masked=masked))
    by_statement = _FULLER * max(shares) + (1 - _FULLER) * min(shares)
    mine, others = _count_words(left, masked=masked), _count_words(right, masked=masked)
    total = weigh_words(mine.elements()) + weigh_words(others.elements())
    by_word = 2 * weigh_words((mine & others).elements()) / total if total else 0.0
    return min(1.0, max(by_statement, by_word))


def _total_weight(statements: Statements) -> float:
    return sum(statement.weight for statement in statements)


def _count_words(statements: Statements, *, masked: bool) -> Counter[str]:
    return Counter(word for statement in statements for word in (statement.topic if masked else statement.substance))


def _covered_share(mine: Statements, others: Statements, *, masked: bool) -> float:
    """Return how much of the one text any statement of the other covers."""
    pool, senses = _StatementPool(others, masked=masked), {statement.sense for statement in others}
    covered = sum(
        statement.weight
        * (1.0 if statement.sense in senses else max((alike for _, alike in pool.similar_to(statement)), default=0.0))
        for statement in mine
    )
    return covered / (_total_weight(mine) or 1.0)


class _StatementPool:
    """The statements of a text by their words, so that a long one is not compared each with each."""

    def __init__(self, statements: Statements, *, masked: bool) -> None:
        self._said = statements
        self._masked = masked
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        self._weights = [weigh_words(self._words_of(statement)) for statement in statements]
        for number, statement in enumerate(statements):
            for word in self._words_of(statement):
                self._holders[word].append(number)

    def _words_of(self, statement: Statement) -> frozenset[str]:
        return statement.topic if self._masked else statement.substance

    def similar_to(self, statement: Statement) -> Iterator[tuple[int, float]]:
        """Yield the numbers of the statements that share words with one, and how alike they are."""
        mine = self._words_of(statement)
        shared: defaultdict[int, float] = defaultdict(float)
        for word in mine:
            for number in self._holders.get(word, ()):
                shared[number] += word_weight(word)
        total = weigh_words(mine)
        for number, common in shared.items():
            yield number, 2 * common / (total + self._weights[number])


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


def align_statements(left: Statements, right: Statements) -> StatementAlignment:
    """Pair the statements that say the same, then those that speak of the same, the nearest first."""
    same, mine, others = _identical_statements(left, right)
    pool = _StatementPool(others, masked=True)
    pairs = [
        (-alike, number, other)
        for number, statement in enumerate(mine)
        for other, alike in pool.similar_to(statement)
        if alike >= _ALIGNED
    ]
    near: list[NearStatements] = []
    taken: set[int] = set()
    given: set[int] = set()
    for distance, number, other in sorted(pairs):
        if number not in taken and other not in given:
            taken.add(number)
            given.add(other)
            near.append(NearStatements(mine[number], others[other], -distance))
    return StatementAlignment(
        tuple(same),
        tuple(near),
        tuple(statement for number, statement in enumerate(mine) if number not in taken),
        tuple(statement for number, statement in enumerate(others) if number not in given),
    )


def _identical_statements(
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
