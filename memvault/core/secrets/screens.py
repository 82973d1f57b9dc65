"""Screens for captured text: each is a function that returns a reason or nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memvault.text.statements.chatter import CHATTER_WORDS, OUTPUT, STOCK_PHRASES, WORK_WORDS
from memvault.text.terms import STOPWORDS, split_tokens

_MANY_SIGNS = 3  # of programs, in a line without any word of a sentence
_LONGEST_LINE = 80
_LONGEST = 600  # characters: what is longer is not all chatter
_CONTRACTED = r"(?i)'(?:s|m|re|ve|ll|d|t)\b|\b[cjlnd]'"
_SHORT = 8  # words
_FEW = 7
# What a short text is about if it tells a fact: a number, a name, a person, something that is theirs, or that there is
# none of. "This", "that" and "it" are whatever was just spoken of.
_HAS_SUBJECT = re.compile(
    r"\d|(?<=[\w,;] )[A-ZÀ-ÖØ-Þ]\w|^[A-Z][a-z]+(?:'s)? (?:is|was|has|plays|lives|works|likes|hates"
    r"|runs|owns)\b|[A-Z]{2}"
    r"|(?i:\b(?:i|we|he|she|they|my|our|his|her|their|your|both|two|three|four|five|six|ten|no|never"
    r"|always|the|allergic"
    r"|ich|wir|er|sie|mein\w*|unser\w*|kein\w*|der|die|je|j|nous|il|elle|mon|ma|mes|notre|nos|le|la|les|yo|mi|mis|soy"
    r"|tengo|vivo|nuestr\w+|el|io|mio|mia|ho|sono|eu|meu|minha|sou|tenho|moro|ik|wij|mijn|onze|geen"
    r"|het)\b)|[我他她们私僕俺彼はがを]"
)
_QUOTES = '"“”«»'
_FEWEST_WORDS = 2  # of a sentence
_FEWEST_NAMED = 2  # words that say something in particular
_FEWEST_LETTERS = 2  # of a word that names something


@dataclass(frozen=True, slots=True)
class Captured:
    """A text that may become a memory, and the length below which an automatic one is too short."""

    text: str
    least: int = 0
    automatic: bool = True  # captured without being asked


TriviaScreen = Callable[[Captured], str]


def check_length(captured: Captured) -> str:
    """Return a reason if the text is too short to be worth a memory."""
    return f"it is shorter than {captured.least} characters" if len(captured.text.strip()) < captured.least else ""


def check_courtesies(captured: Captured) -> str:
    """Return a reason if the text is only thanks, agreement or greetings."""
    if len(captured.text) > _LONGEST:
        return ""
    rest = _drop_phrases(STOCK_PHRASES, plain_words(captured.text))
    return (
        ""
        if any(token not in CHATTER_WORDS for token in split_tokens(rest))
        else "there is nothing in it but courtesies"
    )


def is_courtesy(text: str) -> bool:
    """Return whether there is nothing in a text but thanks, agreement or greetings."""
    return bool(check_courtesies(Captured(text)))


def check_output(captured: Captured) -> str:
    """Return a reason if the text is only what programs say every day, or has no word in it."""
    rest = _drop_output(captured.text)
    has_signs = rest.lstrip().startswith("[") or len(re.findall(r"[\[\]{}()<>=/\\|%#$*_~^]", rest)) >= _MANY_SIGNS
    is_sentence = any(token in STOPWORDS for token in split_tokens(rest))
    is_output = not any(map(str.isalpha, rest)) or (has_signs and not is_sentence and len(rest) <= _LONGEST_LINE)
    return "there is only output of programs in it" if is_output else ""


def check_statements(captured: Captured) -> str:
    """Return a reason if no sentence of the text states something particular."""
    if len(captured.text) > _LONGEST:
        return ""
    from memvault.text.markdown import find_sentences  # deferred, with the judge: few texts are captured
    from memvault.text.statements.judge import ENOUGH, STATED, judge_sentence
    from memvault.text.statements.wording import QuoteMask

    bare = captured.text.strip()
    is_quote = bare[:1] in _QUOTES and bare[-1:] in _QUOTES
    text = _drop_output(bare.strip(_QUOTES) if is_quote else QuoteMask(bare).text)
    judged = [(text[start:end], judge_sentence(text[start:end])) for start, end in find_sentences(text)]
    stated = " ".join(sentence for sentence, found in judged if found.reason in STATED or found.sureness >= ENOUGH)
    best = max((found.sureness for _, found in judged), default=0.0)
    if not best and len(split_tokens(stated)) <= _FEW and not re.search(_HAS_SUBJECT, stated):
        return "it is a reaction or a status, and of nothing in particular"
    if stated and _names_something(stated, best):
        return ""
    reason = next((found.reason for _, found in judged if found.reason not in STATED), "")
    return f"it is {reason}" if reason else "it names no particular thing"


def _names_something(text: str, sureness: float) -> bool:
    """Return whether a text has words of its own: a short one a single one, a longer one several."""
    from memvault.text.statements.common_words import COMMON_WORDS
    from memvault.text.statements.judge import ENOUGH, RULED

    tokens = split_tokens(_drop_phrases(STOCK_PHRASES, plain_words(re.sub(_CONTRACTED, " ", text))))
    own = {token for token in tokens if token not in WORK_WORDS and len(token) >= _FEWEST_LETTERS}
    if len(tokens) <= _SHORT or sureness >= RULED:
        return bool(own) and len(tokens) >= _FEWEST_WORDS
    least = 1 if sureness >= ENOUGH and len(tokens) <= 2 * _SHORT else _FEWEST_NAMED
    return len(own - COMMON_WORDS) >= least


# Order is policy: the first reason is reported.
TRIVIA_SCREENS: Mapping[str, TriviaScreen] = MappingProxyType(
    {"short": check_length, "courtesies": check_courtesies, "output": check_output, "statements": check_statements}
)


def trivial_reason(captured: Captured, screens: Mapping[str, TriviaScreen] = TRIVIA_SCREENS) -> str:
    """Return why an automatically captured text is not worth a memory; empty if it is."""
    return next((reason for screen in screens.values() if (reason := screen(captured))), "")


def normalize_content(text: str) -> str:
    """Return a text in the form in which the same content is equal, as tombstones use it."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def plain_words(text: str) -> str:
    """Return the text with small letters, straight apostrophes and single spaces."""
    return " ".join(text.replace("’", "'").split()).casefold()


def _drop_phrases(phrases: tuple[str, ...], text: str) -> str:
    """Return the text without some phrases of whole words; `re` caches what it compiled."""
    return re.sub(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", " ", text)


def _drop_output(text: str) -> str:
    return re.sub("|".join(OUTPUT), " ", text, flags=re.IGNORECASE | re.MULTILINE)
