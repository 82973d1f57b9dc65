"""Secrets that stand in a text by mistake: found, and put out of sight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memvault.core.secrets.password_phrases import named, pins_ahead, told_ahead
from memvault.core.secrets.patterns import SHAPES, Shape, cards, flags, pins, seeds

FINDERS = (
    named,
    told_ahead,
    pins_ahead,
    cards,
    pins,
    seeds,
    flags,
)  # what stands behind a name, or adds up; the rest is known by its shape

# What no reader sees: it must not keep a key from being one, nor a word from being read.
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret in a text: of what sort it is, and where it stands. It never holds the secret itself."""

    sort: str
    start: int
    end: int


def found(text: str) -> tuple[Leak, ...]:
    """The secrets in a text, in order and apart from each other; the time grows with the text's length alone."""
    if not _UNSEEN.search(text):
        return tuple(_apart(_leaks(text)))
    places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
    leaks = _leaks("".join(text[place] for place in places))
    return tuple(_apart([Leak(leak.sort, places[leak.start], places[leak.end - 1] + 1) for leak in leaks]))


def _leaks(text: str) -> list[Leak]:
    lowered = _lowered(text)
    leaks = [leak for shape in SHAPES if any(hint in lowered for hint in shape.hints) for leak in _of(shape, text)]
    return leaks + [Leak(sort, start, end) for find in FINDERS for sort, start, end in find(text, lowered)]


def redacted(text: str) -> str:
    """The text with a mark such as `[redacted: GitHub token]` in the place of each secret."""
    parts, after = [], 0
    for leak in found(text):
        parts += [text[after : leak.start], f"[redacted: {leak.sort}]"]
        after = leak.end
    return "".join((*parts, text[after:]))


def _lowered(text: str) -> str:
    """The text in small letters, each where it stood: some letters become two."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _of(shape: Shape, text: str) -> Iterator[Leak]:
    for match in _compiled(shape.pattern).finditer(text):
        group = 1 if match.re.groups else 0
        if shape.is_real(match[group]):
            yield Leak(shape.sort, *match.span(group))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a text first hints at it: most texts hint at none."""
    return re.compile(pattern)


def _apart(leaks: list[Leak]) -> list[Leak]:
    """Of leaks that overlap one that covers them all, of the sort that was told first."""
    order = {id(leak): number for number, leak in enumerate(leaks)}
    apart: list[tuple[int, Leak]] = []
    for leak in sorted(leaks, key=lambda leak: (leak.start, -leak.end)):
        rank = order[id(leak)]
        if apart and leak.start < apart[-1][1].end:
            before, last = apart[-1]
            sort = last.sort if before < rank else leak.sort
            apart[-1] = (min(before, rank), Leak(sort, last.start, max(last.end, leak.end)))
        else:
            apart.append((rank, leak))
    return [leak for _, leak in apart]
