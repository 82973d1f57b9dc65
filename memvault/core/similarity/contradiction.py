"""Contradictions between two sentences: denials, opposites, states and amounts taken together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.core.ids import id_matches, is_prefix
from memvault.core.kinds.working import WORKING
from memvault.core.links import NAMED_DAY, is_named, linked_names
from memvault.core.memory import Memory
from memvault.core.memory import Place as MemoryPlace
from memvault.core.similarity.statements import Statement
from memvault.text.sentence.opposites import (
    DENIALS,
    OppositeSide,
    dense_denials,
    dense_sides,
    opposite_sides,
)
from memvault.text.sentence.quantity import weekday_number
from memvault.text.sentence.retractions import DENSE_DOUBTS, DOUBTS, find_retraction_words
from memvault.text.sentence.terms import Term, TermKind
from memvault.text.sentence.wording import loose_stem, word_set

_REACH = 2  # words behind a denial that it concerns

# Behind one of these a denial concerns what follows; elsewhere ("pnpm, not npm") only the next word.
_AUXILIARIES = word_set(
    "is are am was were be been do does did have has had can could will would shall should may might must need to",
    "ist sind war wird werden kann darf soll muss hat est sont était peut doit ne n es son está puede debe",
)
_DOUBLING = word_set("unless without ohne sans sin nothing nobody none")
_EXCEPTIONS = word_set("except excepting excluding außer ausser sauf excepté salvo excepto tranne exceto behalve кроме")
_DENSE_EXCEPTIONS = ("除了", "除外", "を除", "제외")
_CONTRASTING = ("not", "insteadof", "nicht", "pas")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that two texts say differently."""

    sort: TermKind
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class _Denial:
    text: str
    is_implied: bool = False  # by a word such as "forbidden"


def find_opposed_terms(left: Sequence[Term], right: Sequence[Term]) -> list[Difference]:
    """Return the terms by which two sentences exclude each other; a denial and an opposite cancel out."""
    found = list(_opposite_terms(left, right))
    excepted = _find_exception(left), _find_exception(right)
    if bool(excepted[0]) != bool(excepted[1]):  # only one of them has an exception
        found.append(Difference(TermKind.QUANTIFIER, *excepted))
    mine, others = list(_find_denials(left, right, found)), list(_find_denials(right, left, found))
    are_guesses = mine and others and all(denial.is_implied for denial in (*mine, *others))
    is_even = len(mine) % 2 == len(others) % 2 and not (_are_plain(mine, others) or _are_plain(others, mine))
    if is_even or are_guesses:
        return found
    cancelled = next((turn for turn in found if turn.sort is not TermKind.QUANTIFIER), None)
    if cancelled:
        return [turn for turn in found if turn is not cancelled]
    texts = (" ".join(denial.text for denial in denials) for denials in (mine, others))
    return [*found, Difference(TermKind.NEGATION, *texts)]


def _are_plain(mine: Sequence[_Denial], others: Sequence[_Denial]) -> bool:
    """Return whether several denials face none, and are no double denial such as "not unless"."""
    return (
        len(mine) > 1
        and not others
        and not any(denial.is_implied or denial.text.casefold() in _DOUBLING for denial in mine)
    )


# -- opposites


def _opposite_terms(left: Sequence[Term], right: Sequence[Term]) -> Iterator[Difference]:
    mine, others = _opposite_places(left), _opposite_places(right)
    for line in dict.fromkeys(place.line for place in mine):
        only = _places_only_in(line, mine, others)
        against = _places_only_in(line, others, mine)
        if only and against:
            yield Difference(only[0].kind, mine[only[0]], others[against[0]])


def _opposite_places(terms: Sequence[Term]) -> dict[OppositeSide, str]:
    """Return the opposites in a sentence, with the text of the first of each."""
    found: dict[OppositeSide, str] = {}
    for before, term, after in zip((None, *terms), terms, (*terms[1:], None), strict=False):
        if term.capital and any(beside and beside.capital for beside in (before, after)):
            continue  # a part of a name: Hot Springs
        if term.dense:
            known = [(place, word) for word, place in dense_sides(term.key).items()]
        else:
            known = [(place, term.text) for place in opposite_sides(term.key)]
        for place, text in known:
            found.setdefault(place, text)
    return found


def _places_only_in(
    line: str, mine: Mapping[OppositeSide, str], others: Mapping[OppositeSide, str]
) -> list[OppositeSide]:
    return [place for place in mine if place.line == line and place not in others]


def _find_exception(terms: Iterable[Term]) -> str:
    for term in terms:
        if term.key in _EXCEPTIONS or (term.dense and any(word in term.key for word in _DENSE_EXCEPTIONS)):
            return term.text
    return ""


# -- denials


def _find_denials(mine: Sequence[Term], others: Sequence[Term], turned: Sequence[Difference]) -> Iterator[_Denial]:
    """Yield the denials in a sentence that concern what the other speaks of too."""
    roots = {_term_root(term) for term in others} - {""}
    lines = {place.line for term in others for place in opposite_sides(term.key)}
    settled = {text for turn in turned for text in (turn.left, turn.right)}
    for number, term in enumerate(mine):
        if term.dense:
            yield from map(_Denial, dense_denials(term.key))
        elif term.key in DENIALS:
            scope = _denial_scope(mine, number)
            # Of red, not blue, the red is what the other may speak against.
            own = {place.line for other in mine if other not in scope for place in opposite_sides(other.key)}
            known = (
                _term_root(other) in roots or any(place.line in lines - own for place in opposite_sides(other.key))
                for other in scope
            )
            if not scope or any(known):
                yield _Denial(term.text)
        elif term.text not in settled and any(
            place.denies and place.line not in lines for place in opposite_sides(term.key)
        ):  # a denial in itself, as the other sentence has no opposite of it
            beside = (*_content_terms(mine[number + 1 :])[:_REACH], *_content_terms(mine[:number])[-1:])
            if any(_term_root(other) in roots for other in beside):
                yield _Denial(term.text, is_implied=True)


def _denial_scope(mine: Sequence[Term], number: int) -> list[Term]:
    """Return the words that a denial concerns: the next in its clause or, if none follow, those before it."""
    clause = mine[number].clause
    following = _content_terms([term for term in mine[number + 1 :] if term.clause == clause])
    if not following:
        return _content_terms([term for term in mine[:number] if term.clause == clause])[-_REACH:]
    is_contrast = mine[number].key in _CONTRASTING and number > 0 and mine[number - 1].key not in _AUXILIARIES
    return following[: 1 if is_contrast else _REACH]


def _content_terms(terms: Sequence[Term]) -> list[Term]:
    return [term for term in terms if _term_root(term)]


def _term_root(term: Term) -> str:
    return loose_stem(term.key) or ("" if term.kind in (TermKind.WORD, TermKind.SIGN) else term.key)


# Which memories can speak against each other, and which somebody has linked as doing so.

_DAY_WORDS = word_set("daily day note notes journal log diary tagebuch journal diario")
_PASSED_OVER = (MemoryPlace.ARCHIVED, MemoryPlace.QUARANTINE)
_AGAINST = ("contested", "contradicts")


def is_live(memory: Memory) -> bool:
    """Return whether a memory still counts, so that another can contradict it."""
    if memory.place in _PASSED_OVER or memory.status == "archived" or memory.kind == WORKING.name:
        return False
    return not (memory.more.get("superseded_by") or memory.more.get("merged_into"))


def may_contradict(a: Memory, b: Memory) -> bool:
    """Return whether a difference between two memories matters: not between projects or days, nor once settled."""
    mine, other = a.more.get("project"), b.more.get("project")
    if (mine and other and mine != other) or (_is_of_a_day(a) and _is_of_a_day(b)):
        return False
    return not _are_linked(a, b, "supersedes")


def _is_of_a_day(memory: Memory) -> bool:
    """Return whether a memory is the note of a day: its name is a date, and maybe a weekday."""
    found = NAMED_DAY.search(memory.name)
    rest = memory.name.replace(found[0], "") if found else ""
    return found is not None and all(
        word.casefold() in _DAY_WORDS or weekday_number(word) is not None for word in re.findall(r"[^\W\d_]+", rest)
    )


def are_against(a: Memory, b: Memory) -> bool:
    """Return whether somebody has linked two memories as contradicting, or one as replacing the other."""
    return _are_linked(a, b, *_AGAINST, "supersedes")


def _are_linked(a: Memory, b: Memory, *fields: str) -> bool:
    return is_named(b, linked_names(a, *fields)) or is_named(a, linked_names(b, *fields))


def contested_pairs(memories: Mapping[str, Memory]) -> set[tuple[str, str]]:
    """Return the pairs of ids, sorted within, of memories of which one says that it contradicts the other."""
    found: set[tuple[str, str]] = set()
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    speaking = [memory for memory in memories.values() if any(memory.more.get(field) for field in _AGAINST)]
    for memory in memories.values() if speaking else ():
        by_name[memory.name.casefold()].add(memory.id)
        by_name[memory.title.casefold()].add(memory.id)
    for memory in speaking:
        for name in linked_names(memory, *_AGAINST):
            by_id = (id_ for id_ in memories if id_matches(id_, name)) if is_prefix(name) else ()
            for id_ in {*by_name[name.casefold()], *by_id} - {memory.id}:
                if not _are_linked(memory, memories[id_], "supersedes"):
                    found.add((min(id_, memory.id), max(id_, memory.id)))
    return found


def find_retraction(added: Iterable[Statement]) -> str:
    """Return the words by which one of some statements retracts something; empty if none does."""
    return next(filter(None, (find_retraction_words(statement.text) for statement in added)), "")


def is_harmless(statement: Statement) -> bool:
    """Return whether a statement, added to a text, leaves everything before it beyond doubt."""
    return "~~" not in statement.text and not any(
        dense_denials(term.key) or any(word in term.key for word in DENSE_DOUBTS)
        if term.dense
        else term.key in DENIALS or term.key in DOUBTS or term.text.casefold() in DOUBTS
        for term in statement.terms
    )
