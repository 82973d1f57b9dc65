"""Parse a question, find candidates in the index, and match them word by word."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import exp, log1p
from typing import NamedTuple

from memvault.core.memory import Memory
from memvault.core.query import Filters, Word
from memvault.core.value import Record, field, replace
from memvault.recall.ranking import question as notes
from memvault.storage.index.query import Enough, IndexHit
from memvault.storage.index.rows import WHOLE
from memvault.storage.index.search import TermHits
from memvault.storage.vault.context import VaultContext
from memvault.text.terms import find_terms

REST_LABEL = "rest"  # the text around the passage
DAY_LABEL = "day"  # the day on which the memory was made

_IN_THE_REST = 0.3
_SATURATION = 1.2

# Fitted over labelled notes as the chance that a hit is right if half of what is asked has no answer: by the share of
# the question that is matched, by how much that is, and by how near the hit comes to the best one.
_COVERAGE, _MASS, _STANDING, _DOUBT = 4.6, 1.0, 4.75, 9.75
# Beside turns, which are short and many, a memory that says a third of a question is no match for one that says half.
_COVERAGE_BESIDE_TALK, _MASS_BESIDE_TALK, _DOUBT_BESIDE_TALK = 7.0, 0.15, 4.2


class TermMatch(Record):
    """How far a memory matches one word of a question."""

    term: str
    rarity: float  # how rare the word is
    places: tuple[str, ...] = ()  # the parts of the memory that match it
    said: str = ""  # the term that matches it, if that is another one
    share: float = 0.0  # how far it is matched, from 0 to 1


def match_terms(
    words: Iterable[Word], rarity: Mapping[str, float], parts: Mapping[str, str], *, on_day: bool
) -> list[TermMatch]:
    """Return, for each word of a question, which parts of a memory (title, tags, triggers, text …) match it."""
    wanted = list(words)
    terms = frozenset(term for word in wanted for term in word.terms)
    labels: dict[str, tuple[str, ...]] = {}
    for label, text in parts.items():
        for term in find_terms(text, terms) if text and label != REST_LABEL else ():
            labels[term] = (*labels.get(term, ()), label)
    found = match_indexed_terms(wanted, rarity, labels, (), on_day=on_day)
    if all(one.share for one in found) or not parts.get(REST_LABEL):
        return found
    return match_indexed_terms(wanted, rarity, labels, find_terms(parts[REST_LABEL], terms), on_day=on_day)


def match_indexed_terms(
    words: Sequence[Word],
    rarity: Mapping[str, float],
    labels: Mapping[str, tuple[str, ...]],
    rest: Collection[str],
    *,
    on_day: bool,
) -> list[TermMatch]:
    """Match words where it is known which parts have which terms, and which terms stand around the passage."""
    around = dict.fromkeys(rest, (REST_LABEL,))
    found = []
    for word in words:
        rare = rarity.get(word.term, 0.0) * word.weight
        match = _match_word(word, rare, labels, on_day=on_day)
        found.append(match if match.share else _match_word(word, rare, around, on_day=on_day))
    return found


def _match_word(word: Word, rarity: float, labels: Mapping[str, tuple[str, ...]], *, on_day: bool) -> TermMatch:
    if on_day and word.is_date:
        return TermMatch(word.term, rarity, (DAY_LABEL,), share=1.0)
    if places := labels.get(word.term):
        return _make_match(word.term, rarity, places, "", 1.0)
    term, share, best, places = "", 0.0, 0.0, ()
    for other, part in word.others:
        found = labels.get(other)
        if found and (counted := _saturated_share(part, found)) > best:
            term, share, best, places = other, part, counted, found
    return _make_match(word.term, rarity, places, term, share)


@lru_cache(maxsize=1_024)
def _make_match(term: str, rarity: float, places: tuple[str, ...], said: str, share: float) -> TermMatch:
    """Return a match; memories mostly match a word in the same few ways, so each is made once."""
    return TermMatch(term, rarity, places, said, _saturated_share(share, places) if places else 0.0)


def _saturated_share(share: float, places: tuple[str, ...]) -> float:
    saturated = share * (_SATURATION + 1) / (share + _SATURATION)
    return saturated * _IN_THE_REST if places == (REST_LABEL,) else saturated


def similarity(matches: Sequence[TermMatch], standing: float = 1.0) -> float:
    """Return the chance that a memory answers, by the words it matches and its share of the best one's score."""
    return _chance(*_coverage(matches), standing)


def _chance(share: float, covered: float, standing: float) -> float:
    if not covered:
        return 0.0
    return 1 / (1 + exp(_DOUBT - _COVERAGE * share - _MASS * log1p(covered) - _STANDING * standing))


def conversation_similarity(matches: Sequence[TermMatch]) -> float:
    """Return the similarity on the scale of conversations, to sort both in one order."""
    share, covered = _coverage(matches)
    if not covered:
        return 0.0
    return 1 / (1 + exp(_DOUBT_BESIDE_TALK - _COVERAGE_BESIDE_TALK * share - _MASS_BESIDE_TALK * covered))


def _coverage(matches: Sequence[TermMatch]) -> tuple[float, float]:
    """Return the share of a question that is matched, and how much that is."""
    whole = covered = 0.0
    for one in matches:
        whole += one.rarity
        covered += one.rarity * one.share
    return (covered / whole if covered else 0.0), covered


def highest_similarity(
    words: Iterable[Word], rarity: Mapping[str, float], labels: Collection[str], *, on_day: bool
) -> float:
    """Return the highest similarity of a memory that has some terms, wherever they stand."""
    whole = covered = 0.0
    for word in words:
        worth = rarity.get(word.term, 0.0) * word.weight
        whole += worth
        if word.term in labels or (on_day and word.is_date):
            covered += worth
        else:
            shares = (_saturated_share(share, ()) for term, share in word.others if term in labels)
            covered += worth * max(shares, default=0.0)
    return _chance(covered / whole if covered else 0.0, covered, 1.0)


_ROUNDED = 1e-4  # similarities have so many digits


class ParsedQuestion(Record):
    """A question as it is looked for in this vault."""

    words: tuple[Word, ...]
    rarity: Mapping[str, float]
    days: tuple[tuple[int, int], ...]
    terms: frozenset[str] = frozenset()  # all that are looked for
    # The matches of memories that have the same terms in the same places.
    matched: dict[Hashable, tuple[TermMatch, ...]] = field(default_factory=dict)


class RecallCandidate(NamedTuple):
    """A possible hit, with what speaks for it besides its words."""

    found: IndexHit
    dated: bool = False  # made on the days that the question names
    meaning: float = 0.0  # the part of the score for meaning
    graph: float = 0.0  # the part of the score for links to the best hits
    is_neighbor: bool = False  # one of the few that only links brought, whose words need not match


EMPTY_QUESTION = ParsedQuestion((), {}, ())


def parse_question(context: VaultContext, query: str) -> ParsedQuestion:
    """Return what to look for, with people under all the names that the settings give them."""
    aliases = context.settings.texts("people.aliases")
    now = context.now.astimezone(context.zone)
    question = notes.read_note_question(query, now=now, people=aliases, near=context.index.backend.near)
    rarity = context.index.backend.rarity([word.term for word in question.words])
    terms = frozenset([term for word in question.words for term in word.terms])
    return ParsedQuestion(question.words, rarity, tuple(notes.day_ranges(question.days)), terms)


def find_candidates(
    context: VaultContext, question: ParsedQuestion, filters: Filters, *, limit: int, least: float = 0.0
) -> Iterator[RecallCandidate]:
    """Yield what may be as alike as `least`, best first, with memories of the days that the question names ahead."""
    enough = _enough_test(question, least, on_day=False)
    found = context.index.search(question.words, filters=filters, limit=limit, enough=enough)
    if not question.days:
        yield from map(RecallCandidate, found)
        return
    stamps = notes.to_timestamps(question.days, context.now.astimezone(context.zone))
    enough = _enough_test(question, least, on_day=True)
    dated = context.index.search(question.words, filters=replace(filters, made=stamps), limit=limit, enough=enough)
    bonus = notes.day_bonus(question.days)
    rows = [
        RecallCandidate(each._replace(score=each.score + bonus, best=each.best + bonus), dated=True) for each in dated
    ]
    known = {row.found.memory.path for row in rows}
    rows += [RecallCandidate(each) for each in found if each.memory.path not in known]
    best = max((row.found.best for row in rows), default=0.0)
    for row in sorted(rows, key=lambda row: -round(row.found.score, 9)):
        yield row._replace(found=row.found._replace(best=best))


def _enough_test(question: ParsedQuestion, least: float, *, on_day: bool) -> Enough | None:
    """Return a test whether a memory with some of the terms can be that similar."""
    if least <= 0:
        return None

    known: dict[frozenset[str], bool] = {}  # many memories hold the same few of the terms

    def is_enough(held: frozenset[str]) -> bool:
        if held not in known:
            known[held] = highest_similarity(question.words, question.rarity, held, on_day=on_day) >= least - _ROUNDED
        return known[held]

    return is_enough


# Matches from the index alone: no text is read.

_KILO = 1024
_LABELS = ("title", "tags", "triggers", "heading", "text")
_NONE: frozenset[str] = frozenset()


def matched_terms(
    context: VaultContext, match: RecallCandidate, question: ParsedQuestion
) -> tuple[TermMatch, ...] | None:
    """Return how a memory matches each word, from the index alone; None if the index cannot say."""
    found = match.found
    if found.terms is None or found.span is WHOLE or found.key is None:
        return None
    if found.key[0] > _KILO * context.settings.integer("index.max_kilobytes"):
        return None  # the index has only the beginning of the text
    held = _terms_by_label(found.memory, found.terms, found.span[2], question.terms)
    key = (*held, found.terms.passages, match.dated)
    known = question.matched.get(key)
    if known is None:  # most hits hold the same few of the words in the same places
        labels: dict[str, tuple[str, ...]] = {}
        for label, some in zip(_LABELS, held, strict=True):
            for term in some:
                labels[term] = (*labels.get(term, ()), label)
        matches = match_indexed_terms(question.words, question.rarity, labels, found.terms.passages, on_day=match.dated)
        known = question.matched[key] = tuple(matches)
    return known


def memory_labels(memory: Memory) -> Mapping[str, str]:
    """Return what is written over a memory's text, by the name of each part."""
    return {"title": memory.title, "tags": memory_names(memory), "triggers": "\n".join(memory.triggers)}


def memory_names(memory: Memory) -> str:
    """Return a memory's tags, topics, people, aliases and folders, a line each."""
    aliases = (alias for alias in memory.aliases if alias != memory.title)
    return "\n".join((*memory.tags, *memory.topics, *memory.people, *aliases, *memory.folders))


def _terms_by_label(memory: Memory, hits: TermHits, heading: str, terms: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return which terms the parts of a memory contain, in the order of their labels."""
    context = hits.context
    # Among its names the index has that of the file, and leaves out what the title says.
    named = find_terms(memory_names(memory), terms) if context["names"] or context["title"] else _NONE
    above = find_terms(heading, terms) if heading else _NONE
    return context["title"], named, context["triggers"], above, hits.passage
