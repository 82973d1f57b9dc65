"""Terms: tokens in the form in which the index holds them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from memvault.core.query import Word
from memvault.text.words import query_tokens, stem, stems, tokens_headed

_LONGEST_HEAD = 8
_SIGNS = dict.fromkeys(map(ord, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))  # "e-mail" holds the term "email"


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeats kept."""
    return stems(text)


def terms_in(text: str, wanted: frozenset[str]) -> frozenset[str]:
    """Those of some terms that stand in a text."""
    likely = wanted
    if text.isascii():  # then a look for how they begin tells of most texts that they are not there
        said = text.lower().translate(_SIGNS)
        likely = frozenset([term for term, head in _headed(wanted) if head in said])
    if not likely:
        return likely
    return likely.intersection([stem(token) for token in tokens_headed(text, _beginnings(likely))])


@lru_cache(maxsize=16)
def _headed(wanted: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Each term with letters that stand, signs left out, in every word of that stem."""
    return tuple((term, _head(term).lower().translate(_SIGNS)) for term in wanted)


def _head(term: str) -> str:
    head = term[: min(max(len(term) - 2, 2), _LONGEST_HEAD)]
    return head[:1] if head[1:] == "i" else head  # "dying" is of "die"


def _beginnings(wanted: Iterable[str]) -> set[str]:
    """The two letters with which words of these stems begin: the same, but that "dying" is of "die", "aed" of "a"."""
    heads = {term[:2] for term in wanted}
    changed = {f"{head[0]}y" for head in heads if head[1:] == "i"}
    longer = {head + letter for head in heads if len(head) == 1 for letter in "ei"}
    return heads | changed | longer


def query_terms(text: str) -> list[str]:
    """The terms that a query looks for, each once."""
    return list(dict.fromkeys(stem(token) for token in query_tokens(text)))


def query_words(text: str) -> list[Word]:
    """The same as words for which nothing else may stand."""
    return [Word(term) for term in query_terms(text)]
