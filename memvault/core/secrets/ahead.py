"""Passwords, keys and secret numbers that are told first and called so behind: "hunter2 is the password"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.core.secrets.password_phrases import (
    HOST,
    Span,
    is_key_like,
    is_ordinary,
    is_quoted_password,
    is_strong,
    names,
)
from memvault.core.secrets.words import UNTRUE

_REACH = 160  # characters before the name
_FEWEST, _MOST = 4, 100
_DIGITS = range(4, 9)

_VALUE = (
    r"(?:(?<!\w)(?P<open>[\"'`“„«])(?P<quoted>[^\n\"'`“”„«»]{3,100})[\"'`“”»]"
    r"|(?<![^\s(:,])(?P<bare>[^\s\"'`“”«»<>|，。]{4,100}))"
)
_WHOSE = (
    r"(?:the|my|our|your|their|his|her|its|das|die|der|mein|meine|unser|unsere|dein|euer|la|el|mi|tu|su|nuestra|le|mon|"
    r"ma|ton|votre|notre|il|lo|a|o)"
)
_GAP = r"[ \t]{1,3}"
# Up to three words may stand between: the new wifi password.
_OF_SORT = rf"(?P<sort>(?:[\w'-]{{2,20}}{_GAP}){{0,3}})\Z"
_IS = re.compile(
    rf"{_VALUE}{_GAP}(?:is|was|ist|war|es|era|est|è){_GAP}(?:now |still |jetzt |ahora )?{_WHOSE}{_GAP}{_OF_SORT}", re.I
)
_AS = re.compile(rf"{_VALUE}{_GAP}(?:as|als|como|comme){_GAP}(?:{_WHOSE}{_GAP}|an?{_GAP})?{_OF_SORT}", re.I)
_JOINED = (" is ", " was ", " ist ", " war ", " es ", " era ", " est ", " è ", " as ", " als ", " como ", " comme ")
# Behind the name the thing is done with; what else follows makes it the password of something: policy, hash, manager.
_ENDS = re.compile(
    r"s?[ \t]*(?:[.,;:!?)\]\"'`。]|$|\r?\n|[-–—] |(?:for|of|to|on|in|at|from|and|but|until|since|now|here|there|when|"
    r"if|today|yesterday|again|everywhere|instead|von|für|fürs|zum|zur|im|auf|und|aber|seit|del|de|para|en|y|desde|du|des|"
    r"pour|dans|et|depuis|sur)\b)",
    re.I,
)
_PIN = re.compile(
    rf"(?<![\w.:/-])(\d{{3,8}}){_GAP}(?i:is|ist|est|es|è){_GAP}{_WHOSE}{_GAP}(?:[\w'-]{{2,20}}{_GAP}){{0,2}}(?:PIN|Pin|CVV2?|CVC2?)\b"
)


def told_ahead(text: str, lowered: str) -> Iterator[Span]:
    """Each value that is followed by the name of a password, a key or a token."""
    for start, end, is_key in names(lowered):
        ahead = lowered[max(0, start - _REACH) : start]
        if any(word in ahead for word in _JOINED) and _ENDS.match(text, end):
            span = _value(text, max(0, start - _REACH), start, is_key=is_key)
            if span:
                yield ("key or token" if is_key else "password"), *span


def pins_ahead(text: str, lowered: str) -> Iterator[Span]:
    """Secret numbers that are told first."""
    if "pin" in lowered or "cv" in lowered:
        yield from (("PIN", *match.span(1)) for match in _PIN.finditer(text))


def _value(text: str, begin: int, end: int, *, is_key: bool) -> tuple[int, int] | None:
    for pattern in (_IS, _AS):
        found = _nearest(pattern, text, begin, end)
        if found is None or not UNTRUE.isdisjoint(found["sort"].lower().split()):
            continue
        group = "quoted" if found["quoted"] is not None else "bare"
        if _is_told(found[group], is_quoted=group == "quoted", is_key=is_key, is_said=pattern is _IS):
            return found.span(group)
    return None


def _nearest(pattern: re.Pattern[str], text: str, begin: int, end: int) -> re.Match[str] | None:
    """What fits up to a name; the value begins a word that is cut off nowhere."""
    found = pattern.search(text, begin, end)
    is_cut = found is not None and found.start() == begin > 0 and not text[begin - 1].isspace()
    return None if is_cut else found


def _is_told(told: str, *, is_quoted: bool, is_key: bool, is_said: bool) -> bool:
    if is_key:
        return is_key_like(told)
    if is_quoted:
        return is_quoted_password(told)
    if not _FEWEST <= len(told) <= _MOST or is_ordinary(told) or HOST.match(told):
        return False
    return is_said and len(told) in _DIGITS if told.isdecimal() else is_strong(told)
