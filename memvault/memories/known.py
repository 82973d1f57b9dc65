"""Compare a new memory with those most like it: which of them says the same already, or nearly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memvault.core.memory import Memory, Place
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import normalize_content
from memvault.core.similarity.contradiction import is_live, may_contradict
from memvault.core.similarity.outline import full_text
from memvault.core.similarity.statements import cached_statements, says_all
from memvault.core.similarity.verdict import compare_texts
from memvault.text.statements.chatter import CHATTER_WORDS
from memvault.text.terms import extract_terms, split_tokens

_LONGEST_KNOWN = 40_000  # characters
_MOST_COMPARED = 3
_LEAST_SHARED = 0.5  # of the words of the shorter of two texts


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that says a text already, or nearly."""

    memory: Memory
    says_all: bool  # nothing in the text goes beyond it


def find_known(memory: Memory, text: str, others: Iterable[Memory]) -> KnownMemory | None:
    """Return the first of some memories that says all of a text, else one that nearly does; None where none does."""
    near: KnownMemory | None = None
    scored = []  # the few memories that share most words with the text
    for other in others:
        body = strip_private(other.body or "")
        if not body.strip() or len(body) > _LONGEST_KNOWN or not is_comparable(other, memory):
            continue
        known_text = full_text(other.with_changes(body=body))
        if (share := _shared_words(text, known_text)) >= _LEAST_SHARED:
            scored.append((-share, other.path, other, known_text))
    scored.sort(key=lambda row: row[:2])
    for _, _, other, known_text in scored[:_MOST_COMPARED]:
        if compare_texts(text, known_text) not in ("duplicate", "propose"):
            continue
        terms = iter(extract_terms(known_text))  # all telling words of the text may stand there, in the same order
        in_order = all(term in terms for term in extract_terms(text) if term not in CHATTER_WORDS)
        if in_order or says_all(cached_statements(known_text), cached_statements(text)):
            return KnownMemory(other, says_all=True)
        near = near or KnownMemory(other, says_all=False)
    return near


def is_comparable(other: Memory, memory: Memory) -> bool:
    """Return whether a memory may stand for a new one at all: live, and about the same."""
    is_apart = other.place in (Place.QUARANTINE, Place.DEEP) and memory.place is not other.place
    return not is_apart and (memory.place is Place.QUARANTINE or is_live(other)) and may_contradict(other, memory)


def _shared_words(one: str, other: str) -> float:
    """Return how many words of the shorter text stand in the longer, as a share."""
    short, long = sorted((one, other), key=len)
    words = {token for token in split_tokens(short) if token not in CHATTER_WORDS}
    if not words:
        return float(normalize_content(one) == normalize_content(other))
    low = long.casefold()
    return sum(word in low for word in words) / len(words)
