"""Find the entities of a statement: people, places, things, and identifiers of programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memvault.text.sentence.terms import OPENINGS
from memvault.text.sentence.wording import word_set
from memvault.text.terms import STOPWORDS
from memvault.transcripts.extract.facts.speakers import short_names

_MOST, _LONGEST = 12, 80
_FEWEST_OF_A_TITLE, _CAPITAL_SHARE = 6, 0.5
_CALLS, _CALL_ENDS = (", ", "Hey ", "Hi ", "Hello ", "Thanks "), (",", "!", ".", "?")

_CODE = (
    r"`(?P<code>[^`\n]{2,60})`",
    r"(?P<address>https?://[^\s<>\"')\]]{4,200})",
    r"(?P<path>(?<![\w/])(?:~|\.{0,2}|[A-Za-z]:)?[/\\](?:[\w.@+-]{1,60}[/\\]){0,20}[\w.@+-]{1,60}"
    r"|\b\w[\w.@+-]{0,60}/(?:[\w.@+-]{1,60}/){0,20}[\w@+-]{1,60}\.\w{1,8}\b|\b[\w-]{1,60}\.(?:py|js|ts|tsx|jsx|json"
    r"|toml|ya?ml|md|txt|rs|go|java|kt|rb|php|c|h|cpp|cs|sh|sql|css|html?|ipynb|lock|cfg|ini|env|csv|pdf|docx|xlsx)\b)",
    r"(?P<handle>(?<![\w.])@\w[\w.-]{1,40}\b)",
    r"(?P<ticket>(?<![\w&])#\d{1,7}\b|\b[A-Z]{2,8}-\d{1,6}\b)",
    r"(?P<version>\bv?\d{1,4}\.\d{1,4}\.\d{1,4}(?:[-+][\w.]{1,20})?\b|\bv\d{1,3}(?:\.\d{1,3})?\b)",
    r"(?P<identifier>\b[A-Za-z]\w{0,40}\(\)|\b[a-z]\w{0,30}_\w{1,40}\b|\b[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40}\b"
    r"|\b[a-z]{1,20}[A-Z]\w{1,40}\b|\b[A-Z][a-z]{1,20}[A-Z]\w{0,40}\b)",
)
_QUOTED = (
    r"[\"“«](?P<title>[A-ZÀ-ÖØ-ÞА-Я][^\"“”»\n]{1,58}?)[,.!?]?[\"”»]",
    r"[《「『](?P<dense>[^》」』\n]{1,40})[》」』]",
    r"(?P<honoured>(?:[\u3400-\u9fff]{1,4}|[\u30a1-\u30ff]{2,8})(?=さん|様|氏)|[\u3400-\u9fff](?:先生|女士|老师|老師)"
    r"|[\uac00-\ud7a3]{2,4}(?= ?씨\b| ?님\b))",
    r"(?P<foreign>[\u30a1-\u30ff][\u30a1-\u30ff・ー]{2,20})",
)
_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĪŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽΑ-ΩА-ЯЁІЇЄ"
_WORD = rf"[{_UPPER}][^\W_]*(?:['’-][{_UPPER}][^\W_]+)*"
_CAPITALS = rf"(?P<name>(?<![\w'’]){_WORD}(?: (?:(?:of|de|del|la|le|van|von|der|the|&) ){{0,2}}{_WORD}){{0,5}})"
_FOUND = re.compile("|".join((*_CODE, *_QUOTED, _CAPITALS)))
_TITLES = ("Mr. ", "Mrs. ", "Ms. ", "Dr. ", "St. ", "Prof. ")
_SENTENCE_OPENS = re.compile(r"(?:^|[.!?:…;。！？]['\"”’)]* |[\"“(«\[] ?|^\W+)$")

_GERMAN = re.compile(r"\b(?:der|die|das|und|ist|nicht|ein|eine|einen|mit|für|auf|wird|im|am|zu|dem|den|ich|wir|habe)\b")
_GERMAN_ENOUGH = 2
_BEFORE_GERMAN_NAMES = word_set(
    "in nach aus von mit bei für und herr frau an dr",
)

_NO_NAMES = word_set(
    "i i'm i've i'll i'd monday tuesday wednesday thursday friday saturday sunday january february march april "
    "may june "
    "july august september october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept "
    "oct nov dec montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober "
    "dezember ok okay am pm mr mrs ms dr q a todo note yes no hi hello hey thanks wow oh yeah haha lol omg btw fyi god "
    "sie ihnen ihr ihre ihren",
)


class EntityFinder:
    """Finds entities; the conversation tells names from words that only open a sentence."""

    def __init__(self, texts: Iterable[str], people: tuple[str, ...] = ()) -> None:
        self._people = people
        self._lowercase: set[str] = set()
        self._known_names: set[str] = set()
        for text in texts:
            self._lowercase.update(_LOW.findall(text))
            self._known_names.update(_INSIDE.findall(text))

    def find_entities(self, text: str) -> tuple[str, ...]:
        """Return the entities of a statement in its order; people of the conversation first."""
        called = [name for name in self._people if is_named(name, text)]
        titled = _is_title_case(text)
        found = (
            name
            for match in _FOUND.finditer(text)
            if not (titled and match.lastgroup == "name")
            for name in self._match_names(match, text)
        )
        people = {word for name in called for word in short_names(name)}
        unique: dict[str, str] = {}
        for name in found:
            if name not in people:
                unique.setdefault(name.casefold(), name)
        return tuple(dict.fromkeys((*called, *unique.values())))[:_MOST]

    def _match_names(self, match: re.Match[str], text: str) -> Iterator[str]:
        sort = match.lastgroup or ""
        text_part = match[sort].strip()[:_LONGEST]
        if sort != "name":
            yield text_part.rstrip(".,;") if sort in ("address", "path") else text_part
            return
        before = text[max(0, match.start() - 6) : match.start()]
        opens = _SENTENCE_OPENS.search(before) is not None and not before.endswith(_TITLES)
        name = self._trim_name(text_part, opens=opens)
        if name and self._is_name(name, text, match.start()):
            yield name

    def _trim_name(self, name: str, *, opens: bool) -> str:
        """Return a name without what is no part of it: an opening word, a weekday, "I"."""
        parts = name.split()
        while parts and (
            _is_common(parts[0]) or (opens and self._only_opens_sentence(parts[0], alone=len(parts) == 1))
        ):
            parts, opens = parts[1:], False
        while parts and (_is_common(parts[-1]) or parts[-1].islower()):
            parts = parts[:-1]
        return " ".join(parts)

    def _only_opens_sentence(self, word: str, *, alone: bool) -> bool:
        low = word.casefold()
        if low in OPENINGS or low in self._lowercase:
            return True
        if len(word) > 1 and word.isupper():
            return False
        return alone and word not in self._known_names

    def _is_name(self, name: str, text: str, start: int) -> bool:
        if name.isupper() and len(name) > 1:
            return not text.isupper()
        if len(_GERMAN.findall(text)) < _GERMAN_ENOUGH:
            return len(name) > 1
        before = text[max(0, start - 20) : start].split()
        return " " in name or name in self._people or bool(before and before[-1].lower() in _BEFORE_GERMAN_NAMES)


_LOW = re.compile(r"(?<![\w'’])[^\W\d_A-Z]{2,30}(?![\w'’])")
_INSIDE = re.compile(rf"(?<=[a-zà-ÿа-я,] )({_WORD})")


def _is_common(word: str) -> bool:
    low = word.casefold().replace("’", "'")
    return low in _NO_NAMES or low in STOPWORDS or low.replace("'", "") in STOPWORDS


def _is_title_case(text: str) -> bool:
    """Return whether capitals mean nothing, as in "Create and Activate the Virtual Environment"."""
    text_part = text.partition(": ")[2] or text
    terms = [word for word in text_part.split()[1:] if word[0].isalpha() and word != "I"]
    return len(terms) >= _FEWEST_OF_A_TITLE and sum(word[0].isupper() for word in terms) > _CAPITAL_SHARE * len(terms)


def is_named(person: str, text: str) -> bool:
    """Return whether a text names a speaker, by the whole first name or a short form that is called out."""
    if not person.split():
        return False
    first, *short = short_names(person)[0 if " " not in person else 1 :]
    if re.search(rf"(?<!\w){re.escape(first)}(?!\w)", text):
        return True
    return any(f"{sign}{name}{end}" in text for name in short for sign in _CALLS for end in _CALL_ENDS)
