"""The words and phrases by which a stretch of talk is told from the rest of the conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from memvault.text.characters import DENSE, shape
from memvault.text.spelling import Spellings, normal, same_keyword
from memvault.text.terms import STOPWORDS
from memvault.transcripts.extract.topics.central import Rarity
from memvault.transcripts.extract.topics.keywords import SMALL_TALK
from memvault.transcripts.extract.topics.sayings import Saying
from memvault.transcripts.extract.topics.terms import terms_in

FEWEST, MOST = 2, 5

_LONGEST_PHRASE = 3  # words
_LONGEST_WORD = 32
_LONGEST_PIECE = 5  # characters of a script without spaces
_ENOUGH = 0.4  # of the score of the best
_KNOWN, _PER_DOUBLING = 1.8, 0.1
_NAMED = 1.5
_WORDS_MORE = 0.35  # what each further word of a phrase adds
_SMALL = 0.05
_NICKNAME = 3
_CACHED = 65_536
_LONGEST_NAME = 40
_OFTEN, _USERS = 0.75, 1.5

_WORD = re.compile(r"[^\W_](?:[\w'’]|[-./+&@](?=\w))*(?:\+\+|#(?!\w)|\+(?!\w))?")
_APART = re.compile(r"[^\w\s'’./+&@#-]|(?<=\w)[.](?=\s|$)|\s[-–—]\s")
_NO_NAME = re.compile(r"://|[/\\:]|^[\W\d]+$|\[redacted", re.IGNORECASE)
_NO_WORD = re.compile(r"v?[\d.,:/-]+|\d+\w{0,2}|(?=.*\d)(?=.*[^\W\d])\w{16,}")
_JOINED = re.compile(r"(?<=\w)[ -](?=\w)")
_DENSE_RUN = re.compile(f"[{DENSE}][{DENSE}c]*")


class Known:
    """The keywords there are with how often each is used; those made on the way have a spelling, and no more."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._spellings = Spellings(counts)

    def known_spelling(self, phrase: str) -> str:
        """The keyword that a phrase is but for case, hyphens and plural, if there was one before."""
        found = self._spellings.exact(phrase)
        return found if found in self._counts else ""

    def count(self, keyword: str) -> int:
        """How often a keyword is used."""
        return self._counts.get(keyword, 0)

    def settled(self, phrase: str) -> str:
        """The spelling that a phrase becomes, which is known from now on."""
        word = self._spellings.settled(phrase)
        if word:
            self._spellings.add(word)
        return word


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks: whose names are no keywords, and whose words set the topic."""

    speakers: frozenset[str]
    user: str

    def has(self, word: str) -> bool:
        """Whether a word is a speaker's name, one of its parts, or what it is shortened to."""
        parts = {part for speaker in self.speakers for part in (speaker, *speaker.split())}
        return word in parts or (len(word) >= _NICKNAME and any(part.startswith(word) for part in parts))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A word or phrase, its terms, and how much it tells."""

    text: str
    terms: frozenset[str]
    score: float


def telling(
    sayings: Sequence[Saying], names: Iterable[str], rarity: Rarity, known: Known, cast: Cast
) -> tuple[str, ...]:
    """Two to five keywords, those that are known before those that are not; fewer where there are no more words."""
    candidates = list(_candidates(_told(sayings, cast), _named(names, cast), rarity, known))
    candidates.sort(key=lambda one: (-one.score, -len(one.text), one.text))
    chosen: list[str] = []
    covered: set[str] = set()
    for one in candidates:
        if len(chosen) >= MOST or (len(chosen) >= FEWEST and one.score < _ENOUGH * candidates[0].score):
            break
        word = known.settled(one.text)
        if word and not one.terms & covered and not any(same_keyword(word, other) for other in chosen):
            chosen.append(word)
            covered |= one.terms
    return tuple(chosen)


def _told(sayings: Sequence[Saying], cast: Cast) -> dict[str, float]:
    """In how many turns each phrase stands; those of a user, who sets the topic, say more."""
    places: dict[str, dict[int, float]] = {}
    for saying in sayings:
        for phrase in set(_phrases(saying.text)):
            places.setdefault(phrase, {})[saying.place] = _USERS if cast.user and saying.speaker == cast.user else 1.0
    return {phrase: sum(weights.values()) for phrase, weights in places.items() if not cast.has(phrase)}


def _named(names: Iterable[str], cast: Cast) -> Counter[str]:
    """The things that statements name, as keywords."""
    words = (normal(name) for name in names if len(name) <= _LONGEST_NAME and not _NO_NAME.search(name))
    return Counter(word for word in words if word and not _NO_WORD.fullmatch(word) and not cast.has(word))


def _candidates(told: Mapping[str, float], named: Counter[str], rarity: Rarity, known: Known) -> Iterator[_Candidate]:
    for phrase in {**told, **dict.fromkeys(named, 0.0)}:
        count = told.get(phrase, 0.0) + named[normal(phrase)]
        spelling = known.known_spelling(phrase)
        words = len(_JOINED.findall(phrase)) + 1
        # Two words side by side once are an accident; said again they are a phrase.
        if words > 1 and count < FEWEST and not spelling and not named[normal(phrase)]:
            continue
        terms = frozenset(terms_in(phrase)) or frozenset((phrase,))
        score = sum(map(rarity, terms)) / len(terms) * (1 + _WORDS_MORE * (words - 1)) * count**_OFTEN
        score *= _NAMED if named[normal(phrase)] else 1
        score *= _SMALL if terms <= SMALL_TALK else 1
        score *= _KNOWN + _PER_DOUBLING * log2(1 + known.count(spelling)) if spelling else 1
        yield _Candidate(phrase, terms, score)


# -- pieces of text


def _phrases(text: str) -> Iterator[str]:
    """The words of a sentence, and what up to three of them side by side say together."""
    for part in _APART.split(text):
        words = [_bare(word) for word in _WORD.findall(part)]
        for at, word in enumerate(words):
            if not _is_word(word):
                continue
            yield from _pieces(word)
            for size in range(2, _LONGEST_PHRASE + 1):
                run = words[at : at + size]
                if len(run) < size or not _is_word(run[-1]):
                    break
                yield " ".join(run)


def _bare(word: str) -> str:
    lower = word.casefold().replace("’", "'")
    return lower.removesuffix("'s")


@lru_cache(maxsize=_CACHED)
def _is_word(word: str) -> bool:
    if not word or word in STOPWORDS or "'" in word or len(word) > _LONGEST_WORD or _NO_WORD.fullmatch(word):
        return False
    return len(word) > 1 and not set(terms_in(word)) <= SMALL_TALK


def _pieces(word: str) -> Iterator[str]:
    """A word itself; of a run of a script without spaces what may be words in it."""
    run = _DENSE_RUN.fullmatch(shape(word))
    if run is None or len(word) <= FEWEST:
        yield word
        return
    for size in range(FEWEST, min(len(word), _LONGEST_PIECE) + 1):
        yield from (word[at : at + size] for at in range(len(word) - size + 1))
