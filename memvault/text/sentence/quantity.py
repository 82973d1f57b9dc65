"""Read amounts, days and times of day as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST_SYMBOL = 3
_LONGEST_EXACT = 15  # digits that survive a multiplication

# Per dimension: the size of a unit in the dimension's smallest, and its spellings. A symbol of one or two letters
# is taken as it stands, as `m` and `M` differ; a word in capitals or not.
_UNITS: tuple[tuple[str, tuple[tuple[float, str], ...]], ...] = (
    (
        "time",
        (
            (0.001, "ms msec millisecond milliseconds Millisekunde Millisekunden"),
            (1, "s sec secs second seconds Sekunde Sekunden seconde secondes segundo segundos 秒 秒钟 초"),
            (60, "min mins minute minutes Minute Minuten minuto minutos 分 分钟 分鐘 分間 분"),
            (3_600, "h hr hrs hour hours Std Stunde Stunden heure heures hora horas 時間 小时 小時 시간"),
            (86_400, "d day days Tag Tage Tagen jour jours día días 天 日間 일"),
            (604_800, "wk wks week weeks Woche Wochen semaine semaines semana semanas 週間 周 星期 주"),
        ),
    ),
    (
        "months",
        (
            (1, "month months Monat Monate Monaten mois mes meses ヶ月 か月 个月 個月 개월"),
            (3, "quarter quarters Quartal Quartale trimestre trimestres"),
            (12, "year years yr yrs Jahr Jahre Jahren ans année années año años 년"),
        ),
    ),
    (
        "bytes",
        (
            (1, "B byte bytes"),
            (1_000, "KB kB kb kilobyte kilobytes"),
            (1_000_000, "MB mb megabyte megabytes"),
            (1_000_000_000, "GB gb gigabyte gigabytes"),
            (1_000_000_000_000, "TB tb terabyte terabytes"),
            (1_024, "KiB"),
            (1_048_576, "MiB"),
            (1_073_741_824, "GiB"),
        ),
    ),
    ("bits", ((1_000, "kbit kbps"), (1_000_000, "Mb Mbit Mbps"), (1_000_000_000, "Gb Gbit Gbps"))),
    (
        "metres",
        (
            (0.001, "mm millimetre millimetres millimeter"),
            (0.01, "cm centimetre centimetres centimeter"),
            (1, "m metre metres meter meters"),
            (1_000, "km kilometre kilometres"),
        ),
    ),
    (
        "inches",
        ((1, "inch inches Zoll"), (12, "ft foot feet"), (36, "yd yard yards"), (63_360, "mi mile miles Meile Meilen")),
    ),
    (
        "grams",
        (
            (0.001, "mg milligram milligrams Milligramm"),
            (1, "g gram grams Gramm gramme grammes"),
            (1_000, "kg kilo kilos Kilo kilogram kilograms"),
        ),
    ),
    ("ounces", ((1, "oz ounce ounces"), (16, "lb lbs"))),
    (
        "litres",
        (
            (0.001, "ml millilitre millilitres milliliter milliliters"),
            (0.01, "cl"),
            (1, "l L litre litres liter liters Liter litro litros"),
        ),
    ),
    ("gallons", ((1, "gal gallon gallons"), (0.125, "pint pints"))),
    ("hertz", ((1, "Hz"), (1_000, "kHz"), (1_000_000, "MHz"), (1_000_000_000, "GHz"))),
    ("watts", ((1, "W watt watts"), (1_000, "kW"), (1_000_000, "MW"))),
    ("watt hours", ((1, "Wh"), (1_000, "kWh"))),
    ("volts", ((0.001, "mV"), (1, "V volt volts"))),
    ("ampere hours", ((0.001, "mAh"), (1, "Ah"))),
    ("celsius", ((1, "°C celsius"),)),
    ("fahrenheit", ((1, "°F fahrenheit"),)),
    ("degrees", ((1, "° degree degrees Grad degrés grados"),)),
    ("newton metres", ((1, "Nm"),)),
    ("bar", ((0.001, "mbar"), (1, "bar"))),
    ("pascal", ((100, "hPa"), (1_000, "kPa"))),
    ("joules", ((1, "J joule joules"), (1_000, "kJ"))),
    ("calories", ((1, "kcal"),)),
    ("percent", ((1, "% percent pct Prozent pourcent 퍼센트"),)),
    ("dollars", ((1, "$ USD dollar dollars Dollar"), (0.01, "cent cents"))),
    ("euros", ((1, "€ EUR euro euros Euro"),)),
    ("pounds", ((1, "£ GBP pound pounds"),)),
    ("yen", ((1, "¥ JPY yen 円"),)),
    ("yuan", ((1, "CNY RMB yuan 元 人民币"),)),
    ("francs", ((1, "CHF Franken francs"),)),
    ("times", ((1, "x × times mal fois veces 倍 回 次"),)),
    *(
        (name, ((1, name),))
        for name in ("px", "em", "rem", "pt", "dpi", "fps", "rpm", "rps", "qps", "kmh", "mph", "psi", "mmHg", "kn")
    ),
)

_KNOWN = {
    spelling: (dimension, size)
    for dimension, units in _UNITS
    for size, spellings in units
    for spelling in spellings.split()
}
_WORDS = {spelling.casefold(): unit for spelling, unit in _KNOWN.items() if len(spelling) > 2}

_SCALES = {
    **dict.fromkeys(("k", "K", "thousand", "tausend", "Tsd", "mille", "mil", "千"), 1_000),
    **dict.fromkeys(("M", "mn", "million", "millions", "Million", "Millionen", "Mio", "millón", "millones"), 1_000_000),
    **dict.fromkeys(("bn", "billion", "billions", "Mrd", "Milliarde", "Milliarden"), 1_000_000_000),
    **dict.fromkeys(("万", "萬"), 10_000),
}

_UNDER_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
# From two on; words that mean something else in English (elf, once, cent, mil) are left out.
_GERMAN = "zwei drei vier fünf sechs sieben acht neun zehn"
_FRENCH = "deux trois quatre cinq - sept huit neuf dix onze douze"
_SPANISH = "dos tres cuatro cinco seis siete ocho nueve diez - doce"
_RANKS = "first second third fourth fifth sixth seventh eighth ninth tenth"
WORDS = {
    **{word: number for number, word in enumerate(_UNDER_TWENTY.split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), 2)},
    **{word: number for row in (_GERMAN, _FRENCH, _SPANISH) for number, word in enumerate(row.split(), 2)},
    "dozen": 12,
    "zwölf": 12,
    "zwanzig": 20,
    "dreißig": 30,
    "vingt": 20,
    "trente": 30,
    "veinte": 20,
    "treinta": 30,
    "cien": 100,
}
MULTIPLIERS = {"hundred": 100, "hundert": 100, "thousand": 1_000, "tausend": 1_000, "million": 1_000_000, "dozen": 12}
ORDINALS = {word: number for number, word in enumerate(_RANKS.split(), 1)}

RANK = "rank"
"""The dimension of first, second, third."""

_ENGLISH_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_GERMAN_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d{1,2}|\d+,\d{4,}")
_SPACED_GROUPS = re.compile(r"\d{1,3}(?:[ '\u202f\u00a0]\d{3})+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount: its number, what it may mean besides (1.000 is one or a thousand), and its unit if it has one."""

    number: str
    other: str = ""
    dimension: str = ""
    size: float = 1

    @property
    def key(self) -> str:
        """Return a key that is equal for equal amounts, in whatever unit of a dimension."""
        if self.other:
            return f"{self.number}|{self.other} {self.dimension}"
        if not self.dimension:
            return self.number
        return f"{_scale_number(self.number, self.size)} {self.dimension}"

    def agrees_with(self, other: Quantity) -> bool:
        """Return whether both may mean the same amount."""
        if self.key == other.key:
            return True
        if self.dimension and other.dimension:
            return False
        return bool({self.number, self.other or self.number} & {other.number, other.other or other.number})

    def with_unit(self, unit: str) -> Quantity | None:
        """Return the same number of a unit, or of thousands or the like, if the word names one."""
        if unit in _SCALES and not self.dimension:
            return Quantity(_scale_number(self.number, _SCALES[unit]))
        found = find_unit(unit)
        if not found or self.dimension:
            return None
        if _strip_zeros(self.number) == self.other:
            return Quantity(self.other, "", *found)
        return Quantity(self.number, self.other, *found)


def find_unit(word: str) -> tuple[str, float] | None:
    """Return the dimension and size of a unit, by its symbol or name."""
    return _KNOWN.get(word) or _WORDS.get(word.casefold())


def is_scale(word: str) -> bool:
    """Return whether a word after a number stands for thousands or the like."""
    return word in _SCALES


def is_unit_name(word: str) -> bool:
    """Return whether a word names a unit where no number stands before it: per second, a week."""
    found = _WORDS.get(word.casefold()) if len(word) > _LONGEST_SYMBOL else None
    return found is not None and found[0] in ("time", "months", "bytes")


def read_amount(text: str) -> Quantity:
    """Read the amount that digits with separators stand for."""
    sign = "-" if text[0] in "-−" else ""
    digits = text.lstrip("+-−")
    if _ENGLISH_GROUPS.fullmatch(digits):
        return Quantity(sign + _strip_zeros(digits.replace(",", "")))
    if _SPACED_GROUPS.fullmatch(digits):
        return Quantity(sign + _strip_zeros(re.sub(r"[^\d.,]", "", digits).replace(",", ".")))
    if _GERMAN_GROUPS.fullmatch(digits):
        german = _strip_zeros(digits.replace(".", "").replace(",", "."))
        is_clear = "," in digits or digits.count(".") > 1
        return Quantity(sign + german) if is_clear else Quantity(sign + _strip_zeros(digits), sign + german)
    plain = _strip_zeros(digits)
    # 1.20 is no 1.2 where it numbers something; a unit settles it.
    return Quantity(sign + digits, sign + plain) if digits.endswith("0") and "." in plain else Quantity(sign + plain)


def _strip_zeros(digits: str) -> str:
    """Remove zeros that mean nothing; a whole number that begins with one is no amount, and kept."""
    if "." in digits:
        whole, _, part = digits.partition(".")
        part = part.rstrip("0")
        return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"
    return digits


def _scale_number(number: str, size: float) -> str:
    if size == 1 or len(number) > _LONGEST_EXACT:
        return number if size == 1 else f"{number}*{size:g}"
    try:
        return _strip_zeros(f"{float(number) * size:.6f}")
    except ValueError:
        return f"{number}*{size:g}"


# Days and times of day, in four languages and in numbers.

_MONTHS = (
    *("january jan januar janvier enero", "february feb februar février fevrier febrero"),
    *("march mar märz maerz mars marzo", "april apr avril abril", "may mai mayo", "june jun juni juin junio"),
    *("july jul juli juillet julio", "august aug août agosto", "september sept sep septembre septiembre"),
    *("october oct oktober okt octobre octubre", "november nov novembre noviembre"),
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
                first = int(given["first"])
                second = int(given["second"])
                full = year + 2000 if year is not None and year < 100 else year
                if not 1 <= min(first, second) <= max(first, second) <= 31 or min(first, second) > 12:
                    return None
                if first > 12:
                    return StatedDate(full, second, first)
                return StatedDate(full, first, second, is_ambiguous=second <= 12 and first != second)
            month = _month_number(given["month"]) if "month" in given else None
            day = int(given["day"]) if "day" in given else None
            is_day = (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)
            return StatedDate(year, month, day) if is_day else None
    return None


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
