"""Terms that are nearly spelled alike: for a word of a question that stands nowhere as it was typed."""

from __future__ import annotations

from collections.abc import Iterable

HEAD = 3  # so many letters at the beginning must be the same: what is looked through is what begins so
SHORTEST = 5
_LEAST_KNOWN, _LEAST_BEGINNING, _LEAST_CHANGED = 4, 5, 6


def near(term: str, known: Iterable[str]) -> list[str]:
    """Those of some known terms that begin as a term does, or that it begins as, or that are one letter apart."""
    if len(term) < SHORTEST or not term.isalpha():
        return []
    return [other for other in known if other != term and _is_near(term, other)]


def _is_near(term: str, known: str) -> bool:
    if len(known) < _LEAST_KNOWN:
        return False
    if known.startswith(term) or (term.startswith(known) and len(known) >= _LEAST_BEGINNING):
        return True
    return len(term) >= _LEAST_CHANGED and abs(len(term) - len(known)) <= 1 and _is_one_apart(term, known)


def _is_one_apart(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two that changed places, makes one of the other."""
    short, long = sorted((one, other), key=len)
    same = next((place for place, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = long[:same] + long[same + 1 : same + 2] + long[same : same + 1] + long[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or short == swapped
