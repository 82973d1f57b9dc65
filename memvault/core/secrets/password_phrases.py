"""Passwords, keys and tokens that a text names: in code, in settings, and in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memvault.core.secrets.words import (
    ABOUT_WORDS,
    FILLER_WORDS,
    KEYS,
    ORDINARY_WORDS,
    PASSWORDS,
    SAID_LINKS,
    UNITS,
    UNTRUE_WORDS,
    WRITTEN_LINKS,
    is_dense,
    is_placeholder,
    is_random,
)

Span = tuple[str, int, int]  # the sort of a secret, and where it stands

_REACH = 80  # characters from the name of a password to the word behind which it stands
_LONGEST = 100
_MOST_LINKS = 4
_LEAST_KEY = 12
_SURE = 5  # a name so long may stand behind other letters: wifipassword
_LEAST_PASSWORD = 4
_LEAST_BEHIND = 7

_LINK = re.compile(rf"(?P<written>{WRITTEN_LINKS})|(?P<said>{SAID_LINKS})|(?P<to>\bto\b)", re.IGNORECASE)
_VALUE = re.compile(
    rf"[ \t]{{0,4}}(?:{FILLER_WORDS}[ \t]{{1,3}}){{0,2}}(?:\r?\n[ \t]{{0,8}})?"
    r"(?:(?P<open>[\"'`“”«»„‘’「]|\*\*|__)(?P<quoted>[^\n]{3,100}?)(?:[\"'`“”«»‘’」]|\*\*|__)"
    rf"|(?P<bare>[^\s\"'`“”«»<>|，。、「」]{{3,{_LONGEST}}}))",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[ \t]*(?:[.,;!?)\]。，]|$|\r?\n|(?:and|but|for|und|aber|et|y|e|en|или|и)\b|\()", re.IGNORECASE)
_MARK = re.compile(r"\[redacted: [^\]\n]{1,60}\]")  # our own mark
_NEXT_SETTING = re.compile(r"[;&,](?=[\w.%-]{1,40}=)")
_CLAUSE_END = re.compile(r"[\n;!?。]|\.(?=\s|$)")
_QUALITY = re.compile(r"(?:ed|ing|able|ible|ory|ary|ful|less|ive|ous|ant|ent|ly)\Z", re.IGNORECASE)
HOST = re.compile(r"(?:[\w.+-]+@)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,10}(?:/\S*)?\Z", re.IGNORECASE)
_WORDS = re.compile(r"[ \t]{0,3}((?:[a-z]{3,12}[ -]){3,7}[a-z]{3,12})[ \t]*(?=[.,;!?)]?\s*(?:\n|$))")


def find_named(text: str, lowered: str) -> Iterator[Span]:
    """Yield each value that follows the name of a password, a key or a token."""
    text, lowered = _MARK.sub(_blank_out, text), _MARK.sub(_blank_out, lowered)
    places = [*find_names(lowered), (len(text), len(text), False)]
    for (_, after, is_key), (following, _, _) in pairwise(places):
        span = _find_value(text, after, min(following, after + _REACH), is_key=is_key)
        if span:
            yield ("key or token" if is_key else "password"), *span


def _blank_out(mark: re.Match[str]) -> str:
    return " " * len(mark[0])


def find_names(lowered: str) -> list[tuple[int, int, bool]]:
    """Return where names of secrets stand; of overlapping names the longest."""
    found = [
        (start, -len(word), is_key)
        for words, is_key in ((PASSWORDS, False), (KEYS, True))
        for word in words
        if word in lowered  # hardly ever, and asked of every text
        for start in _find_all(lowered, word)
    ]
    apart: list[tuple[int, int, bool]] = []
    for start, length, is_key in sorted(found):
        if (not apart or start >= apart[-1][1]) and not _is_part(lowered, start, start - length):
            apart.append((start, start - length, is_key))
    return apart


def _find_all(lowered: str, word: str) -> Iterator[int]:
    at = lowered.find(word)
    while at >= 0:
        yield at
        at = lowered.find(word, at + len(word))


def _is_part(lowered: str, start: int, end: int) -> bool:
    """Return whether the name is only part of a longer word, such as `tokenizer`, or the example in an address."""
    rest = lowered[end : end + 2].removeprefix("s")
    before = lowered[start - 1 : start]
    is_inside = end - start < _SURE and before.isalpha() and before.isascii()
    return is_inside or lowered[end : end + 1] == "@" or (rest[:1].isascii() and rest[:1].isalpha())


def _find_value(text: str, after: int, until: int, *, is_key: bool) -> tuple[int, int] | None:
    """Return where the value of a name stands, if it comes before the clause ends or the next name begins."""
    reach = text[after:until]
    end = _CLAUSE_END.search(reach)
    reach = reach[: end.start()] if end else reach
    about = re.match(r"s?[ _-]?([a-z]+)", reach, re.IGNORECASE)
    if about and about[1].lower() in ABOUT_WORDS:
        return None
    for number, link in enumerate(_LINK.finditer(reach)):
        value = _VALUE.match(text, after + link.end())
        if number >= _MOST_LINKS:
            break
        if value and (span := _secret_span(text, value, str(link.lastgroup), is_key=is_key)):
            return span
        if link.lastgroup == "written" and not reach[: link.start()].strip(" \"'`*_"):
            return None  # a written value stands right there, whatever comes later
    return _value_right_behind(text, after, is_key=is_key)


def _value_right_behind(text: str, after: int, *, is_key: bool) -> tuple[int, int] | None:
    """Return a value right behind its name, where it can be nothing else."""
    value = _VALUE.match(text, after)
    candidate = value["bare"].rstrip(".,;:)]}") if value and value["bare"] else ""
    if value is None or not text[after : after + 1].isspace() or is_ordinary(candidate) or HOST.match(candidate):
        return None
    fits = (
        is_key_like(candidate) and is_dense(candidate)
        if is_key
        else len(candidate) >= _LEAST_BEHIND and _count_classes(candidate) > 2
    )
    return (value.start("bare"), value.start("bare") + len(candidate)) if fits else None


def _secret_span(text: str, value: re.Match[str], link: str, *, is_key: bool) -> tuple[int, int] | None:
    if value["quoted"] is not None:
        candidate = value["quoted"]
        return value.span("quoted") if (is_key_like(candidate) if is_key else is_quoted_password(candidate)) else None
    candidate, start = value["bare"], value.start("bare")
    if link == "written":  # settings written one behind the other: a=1;b=2 or a=1&b=2
        candidate = _NEXT_SETTING.split(candidate, maxsplit=1)[0]
    candidate = candidate.rstrip(".,;:)]}。")
    end = start + len(candidate)
    if is_key:
        return (start, end) if is_key_like(candidate) and link != "to" else None
    phrase = _WORDS.match(text, start) if link == "written" else None
    if phrase and sum(word in ORDINARY_WORDS for word in re.split("[ -]", phrase[1])) <= 1:
        return phrase.span(1)
    return (start, end) if _is_password(candidate, text[end : end + 24], link) else None


def is_key_like(candidate: str) -> bool:
    """Return whether a value is built as keys and tokens are."""
    if "/" in candidate and not is_dense(candidate):
        return False  # the name of a file or of a repository
    return len(candidate) >= _LEAST_KEY and " " not in candidate and is_random(candidate) and not is_ordinary(candidate)


def is_quoted_password(candidate: str) -> bool:
    """Return whether a quoted text may be a password."""
    return len(candidate.split()) <= 8 and not is_ordinary(candidate) and any(map(str.isalnum, candidate))


def _is_password(candidate: str, follows: str, link: str) -> bool:
    if len(candidate) < _LEAST_PASSWORD or is_ordinary(candidate):
        return False
    if candidate.isdecimal():
        unit = re.match(r"[ -]?([^\W\d]+)", follows)
        return link != "to" and not (unit and unit[1].lower() in UNITS)
    if link != "written" and HOST.match(candidate):
        return False
    ends = _ENDS.match(follows) is not None
    if link == "to":
        return ends and _count_classes(candidate) > 2
    if is_strong(candidate):
        return True
    # A word like any other: only where nothing else is said, and it is no quality of the password.
    return (
        ends and candidate.isalpha() and candidate.isascii() and (link == "written" or not _QUALITY.search(candidate))
    )


def is_strong(candidate: str) -> bool:
    """Return whether a value is built as no word of a language is."""
    return _count_classes(candidate) > 1 and re.fullmatch(r"[A-Z]?[a-zà-ÿ]+(?:[-/'’][A-Za-zà-ÿ]+)*", candidate) is None


def _count_classes(candidate: str) -> int:
    """Count the sorts of characters in a value: lower case, upper case, digits, signs."""
    sorts = (str.islower, str.isupper, str.isdigit, lambda char: char in "!@#$%^&*+=?~_-")
    return sum(any(map(is_one, candidate)) for is_one in sorts)


def is_ordinary(candidate: str) -> bool:
    """Return whether a value is a word said of passwords, or only a placeholder."""
    return (
        candidate.lower() in ORDINARY_WORDS
        or is_placeholder(candidate)
        or re.match(r"\d{4}-\d\d-\d\d", candidate) is not None
    )


# Passwords, keys and secret numbers that come before their name: "hunter2 is the password".

_AHEAD_REACH = 160  # characters before the name
_FEWEST, _MOST = 4, 100
_DIGITS = range(4, 9)

_AHEAD_VALUE = (
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
    rf"{_AHEAD_VALUE}{_GAP}(?:is|was|ist|war|es|era|est|è){_GAP}(?:now |still |jetzt |ahora )?{_WHOSE}{_GAP}{_OF_SORT}",
    re.I,
)
_AS = re.compile(rf"{_AHEAD_VALUE}{_GAP}(?:as|als|como|comme){_GAP}(?:{_WHOSE}{_GAP}|an?{_GAP})?{_OF_SORT}", re.I)
_JOINED = (" is ", " was ", " ist ", " war ", " es ", " era ", " est ", " è ", " as ", " als ", " como ", " comme ")
# The sentence may end behind the name; other words make it another thing: password policy, hash, manager.
_AHEAD_ENDS = re.compile(
    r"s?[ \t]*(?:[.,;:!?)\]\"'`。]|$|\r?\n|[-–—] |(?:for|of|to|on|in|at|from|and|but|until|since|now|here|there|when|"
    r"if|today|yesterday|again|everywhere|instead|von|für|fürs|zum|zur|im|auf|und|aber|seit|del|de|para|en|y|desde|du|des|"
    r"pour|dans|et|depuis|sur)\b)",
    re.I,
)
_PIN = re.compile(
    rf"(?<![\w.:/-])(\d{{3,8}}){_GAP}(?i:is|ist|est|es|è){_GAP}{_WHOSE}{_GAP}(?:[\w'-]{{2,20}}{_GAP}){{0,2}}(?:PIN|Pin|CVV2?|CVC2?)\b"
)


def find_ahead(text: str, lowered: str) -> Iterator[Span]:
    """Yield each value that is followed by the name of a password, a key or a token."""
    for start, end, is_key in find_names(lowered):
        ahead = lowered[max(0, start - _AHEAD_REACH) : start]
        if any(word in ahead for word in _JOINED) and _AHEAD_ENDS.match(text, end):
            span = _find_value_ahead(text, max(0, start - _AHEAD_REACH), start, is_key=is_key)
            if span:
                yield ("key or token" if is_key else "password"), *span


def find_pins_ahead(text: str, lowered: str) -> Iterator[Span]:
    """Yield secret numbers that come before their name."""
    if "pin" in lowered or "cv" in lowered:
        yield from (("PIN", *match.span(1)) for match in _PIN.finditer(text))


def _find_value_ahead(text: str, begin: int, end: int, *, is_key: bool) -> tuple[int, int] | None:
    for pattern in (_IS, _AS):
        found = _match_up_to(pattern, text, begin, end)
        if found is None or not UNTRUE_WORDS.isdisjoint(found["sort"].lower().split()):
            continue
        group = "quoted" if found["quoted"] is not None else "bare"
        if _is_secret_value(found[group], is_quoted=group == "quoted", is_key=is_key, is_said=pattern is _IS):
            return found.span(group)
    return None


def _match_up_to(pattern: re.Pattern[str], text: str, begin: int, end: int) -> re.Match[str] | None:
    """Return what fits up to a name; the value must begin at a whole word."""
    found = pattern.search(text, begin, end)
    is_cut = found is not None and found.start() == begin > 0 and not text[begin - 1].isspace()
    return None if is_cut else found


def _is_secret_value(candidate: str, *, is_quoted: bool, is_key: bool, is_said: bool) -> bool:
    if is_key:
        return is_key_like(candidate)
    if is_quoted:
        return is_quoted_password(candidate)
    if not _FEWEST <= len(candidate) <= _MOST or is_ordinary(candidate) or HOST.match(candidate):
        return False
    return is_said and len(candidate) in _DIGITS if candidate.isdecimal() else is_strong(candidate)
