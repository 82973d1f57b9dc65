"""Find the secrets in a text, and redact them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memvault.core.secrets.password_phrases import find_ahead, find_named, find_pins_ahead
from memvault.core.secrets.patterns import (
    SECRET_SHAPES,
    SecretShape,
    find_cards,
    find_option_passwords,
    find_pins,
    find_seed_phrases,
)

SECRET_FINDERS = (
    find_named,
    find_ahead,
    find_pins_ahead,
    find_cards,
    find_pins,
    find_seed_phrases,
    find_option_passwords,
)  # what stands behind a name, or adds up; the rest is known by its shape

# Invisible characters: they must not hide a key.
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class Secret:
    """The sort of a secret in a text, and where it stands; never the secret itself."""

    sort: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets in a text, in order and apart; the time grows with the text's length alone."""
    if not _UNSEEN.search(text):
        return tuple(_merge_overlaps(_find_all(text)))
    places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
    leaks = _find_all("".join(text[place] for place in places))
    return tuple(_merge_overlaps([Secret(leak.sort, places[leak.start], places[leak.end - 1] + 1) for leak in leaks]))


def _find_all(text: str) -> list[Secret]:
    lowered = _lower_in_place(text)
    leaks = [
        leak
        for shape in SECRET_SHAPES
        if any(hint in lowered for hint in shape.hints)
        for leak in _find_by_shape(shape, text)
    ]
    return leaks + [Secret(sort, start, end) for find in SECRET_FINDERS for sort, start, end in find(text, lowered)]


def redact_secrets(text: str) -> str:
    """Return the text with a mark such as `[redacted: GitHub token]` in place of each secret."""
    parts, after = [], 0
    for leak in find_secrets(text):
        parts += [text[after : leak.start], f"[redacted: {leak.sort}]"]
        after = leak.end
    return "".join((*parts, text[after:]))


def _lower_in_place(text: str) -> str:
    """Return the text in lower case with every letter in its place: some letters would become two."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _find_by_shape(shape: SecretShape, text: str) -> Iterator[Secret]:
    for match in _compile_pattern(shape.pattern).finditer(text):
        group = 1 if match.re.groups else 0
        if shape.is_real(match[group]):
            yield Secret(shape.sort, *match.span(group))


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text first hints at it: most texts hint at none."""
    return re.compile(pattern)


def _merge_overlaps(leaks: list[Secret]) -> list[Secret]:
    """Merge overlapping secrets into one of the sort that was found first."""
    order = {id(leak): number for number, leak in enumerate(leaks)}
    apart: list[tuple[int, Secret]] = []
    for leak in sorted(leaks, key=lambda leak: (leak.start, -leak.end)):
        rank = order[id(leak)]
        if apart and leak.start < apart[-1][1].end:
            before, last = apart[-1]
            sort = last.sort if before < rank else leak.sort
            apart[-1] = (min(before, rank), Secret(sort, last.start, max(last.end, leak.end)))
        else:
            apart.append((rank, leak))
    return [leak for _, leak in apart]
