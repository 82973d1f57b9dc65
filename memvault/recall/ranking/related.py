"""Other words in which the answer to a question may stand: forms, near synonyms, things of the kind asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from memvault.recall.ranking import synonyms as wordbook
from memvault.recall.ranking.weights import Weights
from memvault.text.stem import stem

_HEAD = 2  # letters of a word that its stem surely begins with
_Rows = Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]


@lru_cache(maxsize=1_024)
def related(term: str, weights: Weights) -> tuple[tuple[str, float], ...]:
    """The terms that may stand for a term of a question, with the share of it that each counts for."""
    if not term.isascii() or len(term) < 2:
        return ()
    forms = _found(_forms(), (term,)) if weights.irregular else ()
    shares = dict.fromkeys(forms, weights.irregular)
    for rows, share in ((_alike(), weights.kin), (_kinds(), weights.member)):
        for other in _found(rows, (term, *forms)) if share else ():
            shares.setdefault(other, share)
    shares.pop(term, None)
    return tuple(shares.items())


def _found(rows: _Rows, asked: Iterable[str]) -> tuple[str, ...]:
    """The terms that stand in a row with one of those asked for."""
    hits = (others for term in asked for word, others in rows.get(term[:_HEAD], ()) if stem(word) == term)
    return tuple(dict.fromkeys(stem(other) for others in hits for other in others))


@cache
def _forms() -> _Rows:
    return _by_head(wordbook.IRREGULAR)


@cache
def _alike() -> _Rows:
    return _by_head(wordbook.ALIKE)


@cache
def _kinds() -> _Rows:
    rows: defaultdict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for row in wordbook.KINDS.replace("\n  ", " ").strip().splitlines():
        names, _, members = row.partition(":")
        for name in names.split():
            rows[name[:_HEAD]].append((name, tuple(members.split())))
    return {head: tuple(found) for head, found in rows.items()}


def _by_head(table: str) -> _Rows:
    # Stemming a thousand words at every start would take longer than the search.
    rows: defaultdict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for row in table.replace("\n", ";").split(";"):
        words = tuple(row.split())
        for word in words:
            rows[word[:_HEAD]].append((word, words))
    return {head: tuple(found) for head, found in rows.items()}
