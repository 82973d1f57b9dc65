"""BM25F: how much one field of a text contributes for a term, the same for every backend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log
from types import MappingProxyType

from memvault.core.value import Record

K1 = 0.5  # a word that a note repeats says little more about what the note is for
# Three notes say nothing about how rare a word is: count as if there were more without it.
FEWEST = 100

BODY = "body"


class FieldWeight(Record):
    """How much a hit in a field counts, and how much long fields are penalized."""

    boost: float
    b: float


# The context of a memory is short and chosen, so a hit there counts more than one in its text.
FIELDS: Mapping[str, FieldWeight] = MappingProxyType(
    {
        "title": FieldWeight(1.6, 0.4),
        "triggers": FieldWeight(2.0, 0.3),
        "names": FieldWeight(1.2, 0.3),
        "headings": FieldWeight(0.8, 0.5),
        BODY: FieldWeight(1.0, 0.6),
    }
)
CONTEXT = tuple(name for name in FIELDS if name != BODY)


def term_rarity(holding: int, total: int) -> float:
    """Return the weight of a term that so many of all texts hold."""
    of_all = max(total, holding, FEWEST)
    return log(1 + (of_all - holding + 0.5) / (holding + 0.5))


def saturated_share(frequency: float, length: float, average: float, weight: FieldWeight) -> float:
    """Return the share of a term's rarity that a field earns: more hits earn more, longer fields less, at most K1+1."""
    norm = 1 - weight.b + weight.b * length / average if average else 1.0
    return weight.boost * frequency * (K1 + 1) / (frequency + K1 * norm)


# Similarly spelled terms, for a query word that stands nowhere as typed.

HEAD = 3  # the first letters must be the same, which limits what is searched
SHORTEST = 5
_LEAST_KNOWN, _LEAST_BEGINNING, _LEAST_CHANGED = 4, 5, 6


def similar_terms(term: str, known: Iterable[str]) -> list[str]:
    """Return the known terms that share a beginning with a term or are one letter apart."""
    if len(term) < SHORTEST or not term.isalpha():
        return []
    return [other for other in known if other != term and _is_similar(term, other)]


def _is_similar(term: str, known: str) -> bool:
    if len(known) < _LEAST_KNOWN:
        return False
    if known.startswith(term) or (term.startswith(known) and len(known) >= _LEAST_BEGINNING):
        return True
    return len(term) >= _LEAST_CHANGED and abs(len(term) - len(known)) <= 1 and _is_one_apart(term, known)


def _is_one_apart(one: str, other: str) -> bool:
    """Return whether one letter more, less or other, or two swapped letters, turns one into the other."""
    short, long = sorted((one, other), key=len)
    same = next((place for place, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = long[:same] + long[same + 1 : same + 2] + long[same : same + 1] + long[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or short == swapped
