"""Match the cue phrases of kinds: a text as words with their classes, and the phrases that are looked for in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from memvault.core.kinds.words import WORD_CLASSES

_READ = 500  # characters, and
_MOST = 56  # words: the beginning shows the kind of a note
PREFIX = 3  # a phrase that cuts a word short by a `*` gives so many letters of it at least

_TOKEN = re.compile(
    r"^[ \t>]*(?:[-*+] \[[ xX]\]|\d{1,2}[.)] |[-*+] |#+ )|\d{1,4}[-./]\d{1,2}[-./](?:\d{1,4})?|\d{1,2}[:.]\d\d\b"
    r"|[^\W_]+(?:['-][^\W_]+)*|[.!?;:,`\n…]",
    re.MULTILINE,
)
_ENDS = frozenset(".!?;:\n…")
_NONE: tuple[str, ...] = ()
# Behind one of these a new clause begins.
_JOINS = frozenset((",", "then", "and", "dann", "und", "puis", "et", "luego", "y"))
_FINITE = frozenset(
    ("<is>", "<holds>", "<was>", "<be>", "<modal>", "<past>", "<we>", "<me>", "<haben>", "<sein>", "<finite>")
)
_DATES = frozenset(("<weekday>", "<month>", "<date>", "<time>", "<tomorrow>", "<next>"))
_NO_ACTS = (
    _FINITE
    | _DATES
    | {"<article>", "<avoir>", "<haber>", "<before>", "<function>", "<de>", "<number>", "<yesterday>", "<ing>"}
    | {"<participle>", "<habit>", "<last>", "<rule>"}
) - {"<finite>", "<date>", "<time>"}
_NO_PAST = frozenset(
    ("<article>", "<is>", "<holds>")
)  # behind one of these a word in -ed is no verb: "breaks nested calls"
_PARTICLES = frozenset(("up", "off", "out", "down", "back"))
_PREFIXES = ("ver", "be", "er", "ent")
_OF_TIME = ("st", "nd", "rd", "th", "am", "pm", "h", "uhr")
_BOX, _TICKED, _SECOND, _COLON = (frozenset((sign,)) for sign in ("#[ ]", "#[x]", "#2", ":"))

Keys = frozenset[str]


class TaggedWords(NamedTuple):
    """The words of a text: for each its form, its classes, and whether it begins or ends a sentence."""

    forms: list[str]
    keys: list[Keys]
    first: list[bool]
    last: list[bool]

    def end_sentence(self) -> None:
        """End the sentence."""
        if self.last:
            self.last[-1] = True

    def add_word(self, form: str, keys: Keys, *, first: bool) -> None:
        """Add one more word."""
        self.forms.append(form)
        self.keys.append(keys)
        self.first.append(first)
        self.last.append(False)


def tag_words(text: str) -> TaggedWords:
    """Return the words at the beginning of a text, with their classes."""
    found = TaggedWords([], [], [], [])
    first, before = True, ""
    for form in _TOKEN.findall(text[:_READ].replace("’", "'"))[: 2 * _MOST]:
        if form in _ENDS or form[-1] in " ]":
            if form == ":" and not first:
                found.add_word(form, _COLON, first=False)
            found.end_sentence()
            first, before = True, ""
            # What the marker of a list item says: a box to tick, or that there are several steps.
            mark = form.strip(" \t>")
            sign = (_BOX if "[ ]" in mark else _TICKED) if mark.endswith("]") else _SECOND if mark[:-1] == "2" else None
            if form not in _ENDS and sign is not None:
                found.add_word("", sign, first=True)
                found.end_sentence()
            continue
        found.add_word(form, _word_keys(form, _class_before(before), first), first=first)
        first, before = False, form
        if len(found.keys) >= _MOST:
            break
    found.end_sentence()
    return add_text_signs(found)


@lru_cache(maxsize=4096)
def _class_before(form: str) -> str:
    """Return the class that a word gives to the one behind it."""
    classes = WORD_CLASSES.get(form.casefold(), _NONE)
    if form == "," or not _NO_PAST.isdisjoint(classes):
        return "<article>"
    return "<be>" if "<be>" in classes else ""


@lru_cache(maxsize=4096)
def _word_keys(form: str, before: str, first: bool) -> Keys:  # noqa: FBT001 - the cache is quicker with plain arguments
    low = form.casefold()
    classes = WORD_CLASSES.get(low, _NONE)
    if before == "<be>":  # "are made by" tells no past act
        classes = tuple(name for name in classes if name != "<past>")
    endings = _classes_by_ending(low, before, classes, is_low=low == form, first=first)
    return frozenset((low, *classes, *endings))


def _classes_by_ending(low: str, before: str, classes: tuple[str, ...], *, is_low: bool, first: bool) -> Iterator[str]:
    """Yield the classes that a word's ending shows."""
    if low[:1].isdigit():
        yield (
            "<time>"
            if ":" in low or low.endswith(_OF_TIME)
            else "<date>"
            if len(low) > 5 and not low.isdigit()
            else "<number>"
        )
        return
    if len(low) < 4:
        return
    end = low[-2:]
    if end == "ed" and "<not past>" not in classes and (first or before != "<article>"):
        yield "<participle>" if before == "<be>" else "<past>"
    elif end == "ng" and low.endswith("ing"):
        yield "<ing>"
    elif end in ("en", "rn", "ln") and is_low and "<en>" not in classes:
        yield "<inf>"
    yield from _foreign_endings(low, end, is_low=is_low)


def _foreign_endings(low: str, end: str, *, is_low: bool) -> Iterator[str]:
    """Yield the classes of German participles, Spanish past forms and infinitives, French participles."""
    # A German participle, such as `getroffen`, `angerufen` or `telefoniert`.
    has_ge = end[1] in "tn" and "ge" in (low[:2], low[2:4], low[3:5])
    if is_low and (has_ge or (end[1] == "t" and low.endswith("iert")) or (end[1] == "t" and low.startswith(_PREFIXES))):
        yield "<ge>"
    elif end[1] == "ó" or low.endswith(("aron", "ieron")):
        yield "<past>"
    elif end[1] in "és" and low.endswith(("é", "ée", "és", "ées")):
        yield "<part>"
    elif low.endswith(("ado", "ido")):
        yield "<ado>"
    elif end in ("ar", "er", "ir", "re"):
        yield "<infinitive>"


# -- what only the whole of a text shows


def add_text_signs(words: TaggedWords) -> TaggedWords:
    """Add what the words show together: how many acts follow one another, an appointment without a verb."""
    signs: set[str] = set()
    together = _without_false_infinitives(words)
    acts = sum([_is_act(words, place) for place in range(len(words.keys))])
    if "<romance>" in together:
        acts += sum(["<infinitive>" in keys and _begins_clause(words, place) for place, keys in enumerate(words.keys)])
    if acts > 1:
        signs.add("#acts")
    if acts > 2:
        signs.add("#many-acts")
    together |= frozenset().union(*words.keys)
    if (tense := _first_verb(words)) is not None:
        signs.add(tense)
    if any(
        form.endswith("s") and not form.endswith("ss") and form.islower() and not is_last
        for form, is_last, after in zip(words.forms[1:], words.last[1:-1], words.keys[2:], strict=False)
        if not after.isdisjoint(("<det>", "<article>"))
    ):
        signs.add("#holds")
    if together.isdisjoint(_FINITE) and "#holds" not in signs:
        signs.add("#verbless")
        if not together.isdisjoint(_DATES) and "<habit>" not in together and "every" not in together:
            signs.add("#appointment")
    if signs:
        words.add_word("", frozenset(signs), first=True)
        words.end_sentence()
    return words


def _without_false_infinitives(words: TaggedWords) -> Keys:
    """Drop the infinitive class from English words such as "timber"; return all classes of the text."""
    together = frozenset[str]().union(*words.keys)
    if "<infinitive>" not in together or "<romance>" in together or "<article>" not in together:
        return together
    for place, keys in enumerate(words.keys):
        words.keys[place] = keys - {"<infinitive>"}
    return together - {"<infinitive>"}


def _first_verb(words: TaggedWords) -> str | None:
    """Return whether the first verb of a text speaks of the present or the past."""
    for keys in words.keys:
        if not keys.isdisjoint(("<past>", "<was>")):
            return "#past-first"
        if not keys.isdisjoint(("<is>", "<holds>")):
            return "#present-first"
    return None


def _begins_clause(words: TaggedWords, place: int) -> bool:
    """Return whether a clause begins here."""
    return words.first[place] or words.forms[place - 1] in _JOINS


def _is_act(words: TaggedWords, place: int) -> bool:
    """Return whether a clause begins here that orders something; an unlisted verb is recognized by its object."""
    keys = words.keys[place]
    ends = words.last[place] or words.forms[place + 1] == ","
    if ends:
        return "<inf>" in keys
    if not _begins_clause(words, place):
        return False
    if not keys.isdisjoint(_NO_ACTS) or words.forms[place][-1] in "sS,":
        return False
    after = 2 if words.forms[place + 1] in _PARTICLES and not words.last[place + 1] else 1
    if "<verb>" in keys or "<det>" in words.keys[place + after]:
        words.keys[place] |= {"<imp>"}
        return True
    return False


# Cues as phrases, all of them found in one pass over a text.

GAP = 8  # words that a `*` may stand for, within one sentence


PhraseElement = tuple[Keys, bool]  # the words and classes that fit one place of a phrase, and whether after a gap


class CompiledPhrase(NamedTuple):
    """The rest of a phrase behind its first word, its number, and whether it ends a sentence."""

    number: int
    rest: tuple[PhraseElement, ...]
    closes: bool


PhraseTable = dict[str, list[CompiledPhrase]]


class PhraseIndex:
    """Many phrases, found by their first word.

    A phrase is made of words; `a/b` stands for one of several, `word*` for a word's beginning, `*` for a gap, `^` and
    `$` for the ends of a sentence. No phrase takes more than a few steps for each word of a text, whatever it says.
    """

    def __init__(self, phrases: Iterable[tuple[int, str]]) -> None:
        opening: PhraseTable = defaultdict(list)
        anywhere: PhraseTable = defaultdict(list)
        beginnings: defaultdict[str, set[str]] = defaultdict(set)
        for number, text in phrases:
            parts = text.casefold().split()
            index = opening if parts[0] == "^" else anywhere
            first, *rest = _parse_elements(part for part in parts if part not in ("^", "$"))
            for key in first[0]:
                index[key].append(CompiledPhrase(number, tuple(rest), parts[-1] == "$"))
            for key in (key for keys, _ in (first, *rest) for key in keys if key.endswith("*")):
                beginnings[key[:PREFIX]].add(key[:-1])
        self._opening, self._anywhere = dict(opening), dict(anywhere)
        self._beginnings = {start: tuple(sorted(found)) for start, found in beginnings.items()}

    def find_in(self, words: TaggedWords) -> set[int]:
        """Return the numbers of the phrases that a text contains."""
        for place, form in enumerate(map(str.casefold, words.forms)):
            for beginning in self._beginnings.get(form[:PREFIX], ()):
                if form.startswith(beginning):
                    words.keys[place] |= {f"{beginning}*"}
        found: set[int] = set()
        for place, keys in enumerate(words.keys):
            _match_at(self._anywhere, keys, words, place, found)
            if words.first[place]:
                _match_at(self._opening, keys, words, place, found)
        return found


def _match_at(index: PhraseTable, keys: Keys, words: TaggedWords, place: int, found: set[int]) -> None:
    for key in keys:
        if key in index:
            for phrase in index[key]:
                if phrase.number not in found and _rest_follows(phrase, words, place):
                    found.add(phrase.number)


def _parse_elements(parts: Iterable[str]) -> Iterator[PhraseElement]:
    gap = False
    for part in parts:
        if part == "*":
            gap = True
            continue
        yield frozenset(part.split("/")), gap
        gap = False


def _rest_follows(phrase: CompiledPhrase, words: TaggedWords, place: int, step: int = 0) -> bool:
    """Return whether the rest of a phrase follows a place, within the same sentence."""
    rest, last = phrase.rest, words.last
    while step < len(rest):
        if last[place]:
            return False
        keys, after_gap = rest[step]
        step += 1
        if after_gap:
            return any(_rest_follows(phrase, words, at, step) for at in _places_after_gap(keys, words, place))
        place += 1
        if keys.isdisjoint(words.keys[place]):
            return False
    return not phrase.closes or last[place]


def _places_after_gap(keys: Keys, words: TaggedWords, place: int) -> Iterator[int]:
    """Yield the places behind a gap where one of the keys stands, as far as the sentence goes."""
    for at in range(place + 1, place + 2 + GAP):
        if not keys.isdisjoint(words.keys[at]):
            yield at
        if words.last[at]:
            return
