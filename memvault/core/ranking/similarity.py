"""How alike a memory is to a query, as a number from 0 to 1 that means the same for every query."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.core.words import stem, tokens

Places = Mapping[str, tuple[str, ...]]

NOWHERE: Places = MappingProxyType({})


def found_in(wanted: Mapping[str, float], parts: Mapping[str, str]) -> Places:
    """For each wanted term, the parts of a memory (title, tags, text …) that hold it."""
    # A stem begins as its word does, so most words need not be stemmed to be told apart.
    initials = {term[:1] for term in wanted}
    held = {
        label: {stem(token) for token in tokens(text) if token[:1] in initials} for label, text in parts.items() if text
    }
    return {term: tuple(label for label, words in held.items() if term in words) for term in wanted}


def coverage(wanted: Mapping[str, float], places: Places) -> float:
    """The share of what the query says, each term counted by its rarity, that the memory says too."""
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if places.get(term)) / total if total else 0.0


def similarity(wanted: Mapping[str, float], places: Places) -> float:
    """Coverage, damped where only few of several terms were found: one rare word alone is a weak sign."""
    if not wanted:
        return 0.0
    found = sum(1 for term in wanted if places.get(term))
    breadth = min(1.0, found / min(len(wanted), 3))
    return coverage(wanted, places) * (0.5 + 0.5 * breadth)
