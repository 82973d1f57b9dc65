"""Read days and times of day as people write them, in four languages and in numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTHS = (
    "january jan januar janvier enero",
    "february feb februar février fevrier febrero",
    "march mar märz maerz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug août agosto",
    "september sept sep septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre decembre diciembre",
)
_WEEKDAYS = (
    "monday montag montags lundi lunes 月曜 一 월",
    "tuesday tues tue dienstag dienstags mardi martes 火曜 二 화",
    "wednesday weds wed mittwoch mittwochs mercredi miércoles 水曜 三 수",
    "thursday thurs thur thu donnerstag donnerstags jeudi jueves 木曜 四 목",
    "friday fri freitag freitags vendredi viernes 金曜 五 금",
    "saturday samstag samstags sonnabend samedi sábado 土曜 六 토",
    "sunday sonntag sonntags dimanche domingo 日曜 日 天 일",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_WEEKDAY = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
# A month by itself: not one that is also a verb or an abbreviation of something else, unless it has a capital.
_NEED_CAPITAL = frozenset(("may", "march", "mars", "mai", "august"))

_NAMED = "|".join(sorted(_MONTH, key=len, reverse=True))
_YEAR = r"(?:,?\s+(?:de\s+|of\s+)?(?P<year{0}>\d{{4}})(?!\d))"
_DAY_FORMS = (
    r"(?P<year1>\d{4})(?P<mark>[-/.])(?P<month1>\d{1,2})(?P=mark)(?P<day1>\d{1,2})(?!\d)",
    r"(?P<day2>\d{1,2})\.\s?(?P<month2>\d{1,2})\.\s?(?P<year2>\d{4})(?!\d)",
    r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year3>\d{4}|\d\d)(?![\d/])",
    rf"(?P<day4>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?(?P<month4>{_NAMED})\b\.?{_YEAR.format(4)}?",
    rf"(?P<month5>{_NAMED})\.?\s+(?P<day5>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]|\.\d|\s?[ap]m\b){_YEAR.format(5)}?",
    rf"(?P<month6>{_NAMED})\.?{_YEAR.format(6)}",
    r"(?P<year7>\d{4})-(?P<month7>0[1-9]|1[0-2])(?![\d-])",
    r"(?:(?P<year8>\d{4})年)?(?P<month8>\d{1,2})月(?:(?P<day8>\d{1,2})[日号])",
    r"(?P<year9>\d{4})年(?:(?P<month9>\d{1,2})月)?",
)
DAY = rf"(?:{'|'.join(re.sub(r'[(][?]P<(?!mark)[^>]+>', '(?:', form) for form in _DAY_FORMS)})"
"""A pattern for all forms of a date, for use inside another; it has one group, `mark`."""

DENSE_HALF = r"(?:午前|午後|上午|下午|오전\s?|오후\s?)"
"""A pattern for the half of the day in a script without spaces."""

TIME = (
    r"(?:\d{1,2}:\d{2}(?::\d{2})?(?!\d)(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.m\.|\d{1,2}\s?[ap]m\b|\d{1,2}\s?o'clock"
    r"|\d{1,2}(?:[:.]\d{2})?\s?Uhr\b|\d{1,2}\s?h\s?\d{2}\b"
    rf"|{DENSE_HALF}?\d{{1,2}}[点點時时](?!間|间)(?:\d{{1,2}}分|半)?)"
)
"""A pattern for a time of day, for use inside another; it has no groups, as the two before and behind it."""

WEEKDAY = r"[月火水木金土日]曜日?|(?:星期|周|週|礼拜)[一二三四五六日天]|[월화수목금토일]요일"
"""A pattern for a weekday in a script without spaces."""

_WEEKDAY_MARKS = re.compile(r"星期|周|週|礼拜|요일|(?<=曜)日")
_LONGEST_DENSE = 4
_READ_DAY = tuple(re.compile(form, re.IGNORECASE) for form in _DAY_FORMS)
_READ_TIME = re.compile(rf"{DENSE_HALF}?" r"(\d{1,2})(?:\D+(\d{1,2}))?(?:\D(\d{2}))?\D*")
_AFTERNOON = ("p", "午後", "下午", "오후")
_HALVES = (*_AFTERNOON, "a", "午前", "上午", "오전")


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A date as far as it is given; `swapped` where nobody can tell the day from the month."""

    year: int | None
    month: int | None
    day: int | None
    is_ambiguous: bool = False

    @property
    def key(self) -> str:
        """Return a key that is equal for dates that were given equally far."""
        return f"{self.year or ''}-{self.month or ''}-{self.day or ''}{'?' if self.is_ambiguous else ''}"

    def agrees_with(self, other: StatedDate) -> bool:
        """Return whether both may be the same date: a part that only one gives is no disagreement."""
        return any(
            _are_compatible(mine.year, theirs.year)
            and _are_compatible(mine.month, theirs.month)
            and _are_compatible(mine.day, theirs.day)
            for mine in self._possible_dates()
            for theirs in other._possible_dates()
        )

    def _possible_dates(self) -> tuple[StatedDate, ...]:
        return (self, StatedDate(self.year, self.day, self.month)) if self.is_ambiguous else (self,)


def _are_compatible(left: int | None, right: int | None) -> bool:
    return left is None or right is None or left == right


def read_day(text: str) -> StatedDate | None:
    """Return the date that a text in one of the forms of `DAY` names; None if there is no such day."""
    for form in _READ_DAY:
        found = form.fullmatch(text)
        if found:
            parts = found.groupdict()
            given = {name.rstrip("0123456789"): value for name, value in parts.items() if value is not None}
            year = int(given["year"]) if "year" in given else None
            if "first" in given:
                return _read_slashed(int(given["first"]), int(given["second"]), year)
            month = _month_number(given["month"]) if "month" in given else None
            day = int(given["day"]) if "day" in given else None
            is_day = (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)
            return StatedDate(year, month, day) if is_day else None
    return None


def _read_slashed(first: int, second: int, year: int | None) -> StatedDate | None:
    full = year + 2000 if year is not None and year < 100 else year
    if not 1 <= min(first, second) <= max(first, second) <= 31 or min(first, second) > 12:
        return None
    if first > 12:
        return StatedDate(full, second, first)
    return StatedDate(full, first, second, is_ambiguous=second <= 12 and first != second)


def _month_number(text: str) -> int:
    return int(text) if text.isdecimal() else _MONTH[text.casefold()]


def month_alone(word: str, *, opens: bool) -> StatedDate | None:
    """Return the month that a lone word names, unless its capital is that of a sentence's first word."""
    name = word.casefold()
    if name not in _MONTH or len(name) < 3 or (len(name) == 3 and name not in _NEED_CAPITAL):
        return None
    return None if name in _NEED_CAPITAL and (opens or not word[0].isupper()) else StatedDate(None, _MONTH[name], None)


def weekday_number(word: str) -> int | None:
    """Return the weekday that a word names, in the plural too, counted from Monday."""
    name = word.casefold()
    if name.isascii() or len(name) > _LONGEST_DENSE:
        return _WEEKDAY[name] if name in _WEEKDAY else _WEEKDAY.get(name.removesuffix("s"))
    return _WEEKDAY.get(_WEEKDAY_MARKS.sub("", name), _WEEKDAY.get(name)) if _WEEKDAY_MARKS.search(name) else None


def read_time(text: str) -> str:
    """Return a time of day in a form that is equal for equal times."""
    found = _READ_TIME.fullmatch(text.replace("半", "30"))
    if not found:
        return text.casefold()
    hour, minute, second = (int(part or 0) for part in found.groups())
    lower = text.casefold()
    if hour < 12 and any(mark in lower for mark in _AFTERNOON):
        hour += 12
    elif "a" in lower and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")


def same_on_dial(left: str, right: str) -> bool:
    """Return whether two times are one where the earlier may be meant in the afternoon: 2:30 and 14:30."""
    (mine, early), (others, _) = sorted(((read_time(left), left), (read_time(right), right)))
    is_open = early[:1] in "123456789" and not any(mark in early.casefold() for mark in _HALVES)
    hours = mine[:2], others[:2]
    return is_open and mine[2:] == others[2:] and all(map(str.isdecimal, hours)) and int(hours[1]) - int(hours[0]) == 12
