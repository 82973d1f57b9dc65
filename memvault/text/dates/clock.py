"""The time of day that stands beside a day: "at 9", "half past nine", "um halb zehn"."""

from __future__ import annotations

import re
from datetime import time
from functools import cache

_TWELVE = 12
_EARLIEST = 7  # "at 3" may be either half of the day, "at 9" is the morning
_BEFORE = 40  # characters

_HOURS = (
    "one ein eins una une",
    "two zwei dos deux",
    "three drei tres trois",
    "four vier cuatro quatre",
    "five fünf cinco cinq",
    "six sechs seis",
    "seven sieben siete sept",
    "eight acht ocho huit",
    "nine neun nueve neuf",
    "ten zehn diez dix",
    "eleven elf once onze",
    "twelve zwölf doce douze",
)
_HOUR_OF = {word: hour for hour, words in enumerate(_HOURS, 1) for word in words.split()}
# Minutes past the hour that is named, in front of it or behind it.
_PAST = {
    **dict.fromkeys(("half past", "y media", "et demie"), 30),
    **dict.fromkeys(("quarter past", "a quarter past", "viertel nach", "y cuarto", "et quart"), 15),
    **dict.fromkeys(("quarter to", "a quarter to", "viertel vor", "menos cuarto", "moins le quart"), -15),
    "halb": -30,
}
_AHEAD = "half past|a quarter past|quarter past|a quarter to|quarter to|viertel nach|viertel vor|halb"
_BEHIND = "y media|y cuarto|menos cuarto|et demie|et quart|moins le quart"
_CLOCK = (
    rf"(?P<at>at|um|gegen|a las|a la|à|by)?,? ?(?:(?P<ahead>{_AHEAD}) )?"
    rf"(?P<hour>\d{{1,2}}|(?:{'|'.join(sorted(_HOUR_OF))})\b)(?:[:.h](?P<minute>\d\d))?"
    rf"(?: ?(?P<half>[ap]\.?m\b|uhr\b|heures?\b|h\b|o'clock\b))?(?: (?P<behind>{_BEHIND})\b)?"
)
_NOON = r"(?:at |um |am |à )?(?P<noon>noon|midday|mittags?|mediodía|midi)\b"
_PART = r"(?:(?P<part>morning|afternoon|evening|night|früh|vormittag|nachmittag|abend|matin|après-midi|soir)\b ?)?"
_LATE = ("night", "evening", "abend", "soir", "noche", "afternoon", "nachmittag", "tarde")


def clock_beside(low: str, start: int, end: int) -> time | None:
    """The time of day that stands right behind a day, or right before it."""
    behind, before = _patterns()
    for clock in (behind.match(low, end), before.search(low, max(0, start - _BEFORE), start)):
        if clock is not None and clock["noon"]:
            return time(_TWELVE)
        if clock is not None and _is_said(clock):
            return _hour(clock, low[start:end])
    return None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    # Compiled when a text first names a day.
    return (
        re.compile(rf",? ?{_PART}(?:{_NOON}|{_CLOCK})(?!\d|[.:/-]\d| ?[%€$])"),
        re.compile(rf"\b(?:{_CLOCK}|{_NOON}) (?:on |am |el |le )?\Z"),
    )


def _is_said(clock: re.Match[str]) -> bool:
    """Whether a number is a time at all, and not so many of something."""
    return any(clock[part] for part in ("at", "minute", "half", "ahead", "behind"))


def _hour(clock: re.Match[str], said: str) -> time | None:
    hour = int(clock["hour"]) if clock["hour"].isdigit() else _HOUR_OF[clock["hour"]]
    half, minutes = (clock["half"] or "")[:1], _PAST.get(clock["ahead"] or clock["behind"] or "", 0)
    part = f"{said} {clock.groupdict().get('part') or ''}"
    is_late = half == "p" or any(word in part for word in _LATE)
    is_certain = clock["minute"] or (half in ("u", "h") and clock["hour"].isdigit())
    if half == "a":
        hour %= _TWELVE
    elif is_late and hour < _TWELVE:
        hour += _TWELVE
    elif not is_certain and hour < _EARLIEST:
        return None
    hour, minute = divmod(60 * hour + int(clock["minute"] or minutes), 60)
    return time(hour, minute)
