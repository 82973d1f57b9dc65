"""Label segments: a central sentence, and a few keywords that set it apart and are no small talk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log, log2
from types import MappingProxyType

from memvault.core.conversation import Fact, Trajectory, Turn
from memvault.text.characters import DENSE, class_string
from memvault.text.keyword_spelling import Spellings, normalize_keyword, same_keyword
from memvault.text.statements.common_words import COMMON_WORDS
from memvault.text.terms import STOPWORDS
from memvault.transcripts.extract.segments import central_sentence
from memvault.transcripts.extract.speakers import is_user
from memvault.transcripts.extract.topic_terms import (
    TermStatistics,
    TopicSentence,
    iter_sentences,
    normalize_term,
    text_terms,
)

SMALL_TALK = frozenset(normalize_term(word) for word in (*COMMON_WORDS, *STOPWORDS))


# Words and phrases that set a segment apart from the rest of the conversation.

FEWEST, MOST = 2, 5

_LONGEST_PHRASE = 3  # words
_LONGEST_WORD = 32
_LONGEST_PIECE = 5  # characters of a script without spaces
_ENOUGH = 0.4  # of the best score
_KNOWN, _PER_DOUBLING = 1.8, 0.1
_NAMED = 1.5
_WORDS_MORE = 0.35  # bonus for each further word of a phrase
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


NONE_KNOWN: Mapping[str, int] = MappingProxyType({})

_LEAST_TALK = 60  # turns; in a shorter conversation a word of every turn may still be its topic
_MOST_SAYINGS, _FEWEST_OF_A_TURN = 240, 6


@dataclass(frozen=True, slots=True)
class _KeywordCandidate:
    """A word or phrase, its terms, and its score."""

    text: str
    terms: frozenset[str]
    score: float


def label_segments(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    trajectories: Iterable[Trajectory],
    *,
    known: Mapping[str, int] = NONE_KNOWN,
) -> tuple[Trajectory, ...]:
    """Label several segments of one conversation, with one spelling for all; `known` counts the uses of keywords."""
    labeller = _Labeller(turns, facts, known)
    return tuple(labeller.label_segment(one) for one in trajectories)


class _Labeller:
    """What labels need of the whole conversation: term rarity, speakers, known keywords."""

    def __init__(self, turns: Sequence[Turn], facts: Sequence[Fact], known: Mapping[str, int]) -> None:
        self._turns = turns
        self._spread = TermStatistics(turns).spread
        self._total = max(len(turns), _LEAST_TALK)
        self._known, self._spellings = known, Spellings(known)
        self._user = next((turn.speaker for turn in turns if is_user(turn)), "")  # whose words set the topic
        speakers = {turn.speaker.casefold() for turn in turns}
        self._speakers = {part for speaker in speakers for part in (speaker, *speaker.split())}
        # Group facts by their first turn.
        places = {turn.id: place for place, turn in enumerate(turns)} if facts else {}
        found: dict[int, list[Fact]] = {}
        for fact in facts:
            own = [places[id_] for id_ in fact.turns if id_ in places]
            if own:
                found.setdefault(min(own), []).append(fact)
        self._facts = found

    def label_segment(self, trajectory: Trajectory) -> Trajectory:
        """Return the segment with its label."""
        places = range(trajectory.first, trajectory.last + 1)
        most = max(_FEWEST_OF_A_TURN, _MOST_SAYINGS // len(places))
        sentences = [saying for place in places for saying in iter_sentences(self._turns[place], place, most=most)]
        names = [name for place in places for fact in self._facts.get(place, ()) for name in fact.about]
        summary = central_sentence(sentences, self._term_rarity, user=self._user)
        return replace(trajectory, summary=summary, keywords=self._find_keywords(sentences, names))

    def _find_keywords(self, sayings: Sequence[TopicSentence], names: Iterable[str]) -> tuple[str, ...]:
        """Return two to five keywords, known ones first; fewer where there are no more words."""
        candidates = list(self._score_candidates(self._count_phrases(sayings), self._count_names(names)))
        candidates.sort(key=lambda one: (-one.score, -len(one.text), one.text))
        chosen: list[str] = []
        covered: set[str] = set()
        for one in candidates:
            if len(chosen) >= MOST or (len(chosen) >= FEWEST and one.score < _ENOUGH * candidates[0].score):
                break
            word = self._spellings.settle(one.text)
            if word:
                self._spellings.add(word)
            if word and not one.terms & covered and not any(same_keyword(word, other) for other in chosen):
                chosen.append(word)
                covered |= one.terms
        return tuple(chosen)

    def _count_phrases(self, sayings: Sequence[TopicSentence]) -> dict[str, float]:
        """Count in how many turns each phrase stands; a user's turns weigh more."""
        places: dict[str, dict[int, float]] = {}
        for saying in sayings:
            worth = _USERS if self._user and saying.speaker == self._user else 1.0
            for phrase in set(_split_phrases(saying.text)):
                places.setdefault(phrase, {})[saying.place] = worth
        return {phrase: sum(weights.values()) for phrase, weights in places.items() if not self._is_speaker(phrase)}

    def _count_names(self, names: Iterable[str]) -> Counter[str]:
        """Count the entities of facts as keywords."""
        words = (normalize_keyword(name) for name in names if len(name) <= _LONGEST_NAME and not _NO_NAME.search(name))
        return Counter(word for word in words if word and not _NO_WORD.fullmatch(word) and not self._is_speaker(word))

    def _is_speaker(self, word: str) -> bool:
        """Return whether a word is a speaker's name, a part of one, or a short form: these are no keywords."""
        is_short = len(word) >= _NICKNAME and any(part.startswith(word) for part in self._speakers)
        return is_short or word in self._speakers

    def _score_candidates(self, phrases: Mapping[str, float], named: Counter[str]) -> Iterator[_KeywordCandidate]:
        for phrase in {**phrases, **dict.fromkeys(named, 0.0)}:
            count = phrases.get(phrase, 0.0) + named[normalize_keyword(phrase)]
            uses = self._known.get(self._spellings.find_exact(phrase), -1)
            words = len(_JOINED.findall(phrase)) + 1
            # Two neighboring words are chance once; repeated they are a phrase.
            if words > 1 and count < FEWEST and uses < 0 and not named[normalize_keyword(phrase)]:
                continue
            terms = frozenset(text_terms(phrase)) or frozenset((phrase,))
            score = sum(map(self._term_rarity, terms)) / len(terms) * (1 + _WORDS_MORE * (words - 1)) * count**_OFTEN
            score *= _NAMED if named[normalize_keyword(phrase)] else 1
            score *= _SMALL if terms <= SMALL_TALK else 1
            score *= _KNOWN + _PER_DOUBLING * log2(1 + uses) if uses >= 0 else 1
            yield _KeywordCandidate(phrase, terms, score)

    def _term_rarity(self, term: str) -> float:
        return log(1 + self._total / (1 + self._spread[term]))


# -- phrases


def _split_phrases(text: str) -> Iterator[str]:
    """Yield the words of a sentence, and runs of up to three of them."""
    for part in _APART.split(text):
        words = [word.casefold().replace("’", "'").removesuffix("'s") for word in _WORD.findall(part)]
        for at, word in enumerate(words):
            if not _is_word(word):
                continue
            yield from _word_pieces(word)
            for size in range(2, _LONGEST_PHRASE + 1):
                run = words[at : at + size]
                if len(run) < size or not _is_word(run[-1]):
                    break
                yield " ".join(run)


@lru_cache(maxsize=_CACHED)
def _is_word(word: str) -> bool:
    if not word or word in STOPWORDS or "'" in word or len(word) > _LONGEST_WORD or _NO_WORD.fullmatch(word):
        return False
    return len(word) > 1 and not set(text_terms(word)) <= SMALL_TALK


def _word_pieces(word: str) -> Iterator[str]:
    """Yield a word; in a script without spaces its possible parts."""
    run = _DENSE_RUN.fullmatch(class_string(word))
    if run is None or len(word) <= FEWEST:
        yield word
        return
    for size in range(FEWEST, min(len(word), _LONGEST_PIECE) + 1):
        yield from (word[at : at + size] for at in range(len(word) - size + 1))
