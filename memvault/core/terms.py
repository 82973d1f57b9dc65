"""Terms: tokens in the form in which the index holds them."""

from __future__ import annotations

from memvault.core.query import Word
from memvault.core.words import query_tokens, stem, tokens


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeats kept."""
    return [stem(token) for token in tokens(text)]


def query_terms(text: str) -> list[str]:
    """The terms that a query looks for, each once."""
    return list(dict.fromkeys(stem(token) for token in query_tokens(text)))


def query_words(text: str) -> list[Word]:
    """The same as words for which nothing else may stand."""
    return [Word(term) for term in query_terms(text)]
