"""Split text into tokens and terms for the index, and estimate its cost in model tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from math import ceil
from typing import Generic, TypeVar

from memvault.text.characters import (
    DENSE,
    EMOJI,
    FLAG,
    GAP,
    HANGUL,
    MARK,
    class_string,
    compile_pattern,
    fold_text,
    fold_with_origins,
)
from memvault.text.compounds import PLAIN, Span, analyze_run, spell_units
from memvault.text.stem import stem

# Words that ask rather than tell: left out of a query unless nothing else is in it.

# German, French, Spanish, Italian, Portuguese and Dutch words that mean something elsewhere (die, war, man,
# son, pour, come, van, UN) are left to how rare they are in the vault at hand.
_ENGLISH = """
a about again all also am an and any anybody anyone anything are arent as at be been being but by can cant
could couldnt did didnt do does doesnt doing done dont each ever every for from get got had has hasnt have
havent having he her here hers him his how i if im in into is isnt it its ive just kind kinds know knows let
lets many me more most much my myself no not of off on only or our ours out over please really remember
remind same shall she should shouldnt so some somebody someone something such tell than that thats the their
theirs them then there theres these they theyre thing things this those to too up very was wasnt we were
weve what whats when where wheres which who whom whos whose why will with wont would wouldnt yes you your
youre yours youve
"""
_OTHERS = """
der das ein eine einen dem des und oder ist sind ich du wir ihr mein meine habe nicht wie wann wo wer welche
von im
auf les une et qui que quel quelle quand ou je tu nous vous dans avec cette
el los las una del cual cuando donde quien por
il gli di della nel che sono quando chi
uma os qual quem onde meu minha
de het een ik jij mijn niet wat wanneer waar wie
"""
_SINGLE_CHARACTERS = "的了是我你您他她它们在和也有不吗呢么吧这那什谁哪個个은는이가을를의에도로와과"

STOPWORDS = frozenset((*_ENGLISH.split(), *_OTHERS.split(), *_SINGLE_CHARACTERS))


# The one analyzer of every search: text to tokens, for indexing and for queries alike.

_Result = TypeVar("_Result")

_CACHE_LIMIT = 65_536
_LONGEST_CACHED = 64

_CHUNK = re.compile(r"\S+")
_QUOTATION = (
    r'(?<!\w)"(?=[^\s"])([^"]+)(?<!\s)"(?!\w)|[“„‟”]([^“”„‟]+)[“”‟]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』'
)


class _ChunkCache(dict[str, tuple[_Result, ...]], Generic[_Result]):
    """Results by the chunk between spaces: most of a text is the same few thousand of them."""

    def __init__(self, rule: Callable[[str], tuple[_Result, ...]]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, chunk: str) -> tuple[_Result, ...]:
        made = self._rule(chunk)
        if len(chunk) <= _LONGEST_CACHED:
            if len(self) >= _CACHE_LIMIT:
                self.clear()
            self[chunk] = made
        return made


def split_tokens(text: str) -> list[str]:
    """Return the tokens of a text in order: its words, the parts of its compounds, and each compound as one."""
    found: list[str] = []
    for chunk in text.split():
        found += _TOKENS[chunk]
    return found


def tokens_with_heads(text: str, heads: Collection[str]) -> set[str]:
    """Return the tokens of a text whose first two letters are among some, each once."""
    return {token for chunk in set(text.split()) for token in _TOKENS[chunk] if token[:2] in heads}


def token_spans(text: str) -> Iterator[Span]:
    """Yield the same tokens, each with its place; the place of a compound holds its parts'."""
    for found in _CHUNK.finditer(text):
        yield from _chunk_spans(found[0], found.start())


def _chunk_spans(chunk: str, base: int) -> Iterator[Span]:
    if chunk.isascii():
        for token, start, end in analyze_run(chunk):
            yield token, base + start, base + end
    else:
        flat, places = fold_with_origins(chunk)
        for token, start, end in analyze_run(flat):
            yield token, base + places[start][0], base + places[end - 1][1]


def locate_terms(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where the terms stand, in order and without overlap: a compound goes before its parts."""
    heads, reached = _word_heads(terms), 0
    for found in _CHUNK.finditer(text) if heads else ():
        if not any(token[:2] in heads and stem(token) in terms for token in _TOKENS[found[0]]):
            continue
        spans = _chunk_spans(found[0], found.start())
        for start, minus_end in sorted((start, -end) for token, start, end in spans if stem(token) in terms):
            if start >= reached:
                reached = -minus_end
                yield start, reached


def query_tokens(text: str) -> list[str]:
    """Return the tokens of a query without function words and emoji, unless it has no others."""
    found = split_tokens(text)
    return [token for token in found if token not in STOPWORDS and class_string(token[0]) not in (EMOJI, FLAG)] or found


def quoted_phrases(text: str) -> list[str]:
    """Return the phrases that stand in double quotes of any kind."""
    found = (next(filter(None, quoted.groups())).strip() for quoted in compile_pattern(_QUOTATION).finditer(text))
    return [phrase for phrase in found if spell_units(fold_text(phrase))]


def contains_phrase(text: str, phrase: str) -> bool:
    """Return whether the words of the phrase, unstemmed, stand in the text side by side."""
    wanted = [spellings[-1] for spellings in _split_units(phrase)]
    plain = fold_text(text).casefold().replace("'", "").replace(",", "")
    if not wanted or not all(word in plain for word in wanted):
        return False
    units = _split_units(text)
    return any(
        all(word in units[start + step] for step, word in enumerate(wanted))
        for start in range(len(units) - len(wanted) + 1)
    )


def _split_units(text: str) -> list[tuple[str, ...]]:
    return [spellings for chunk in text.split() for spellings in _UNITS[chunk]]


def _chunk_tokens(chunk: str) -> tuple[str, ...]:
    plain = PLAIN.fullmatch(chunk) if len(chunk) <= _LONGEST_CACHED else None  # most are a word and nothing else
    return (plain[1].lower(),) if plain else tuple(token for token, _, _ in analyze_run(fold_text(chunk)))


_TOKENS = _ChunkCache(_chunk_tokens)
_STEMS = _ChunkCache(lambda chunk: tuple(map(stem, _chunk_tokens(chunk))))
_UNITS = _ChunkCache(lambda chunk: tuple(spell_units(fold_text(chunk))))


_LONGEST_HEAD = 8
_SIGNS = dict.fromkeys(map(ord, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))  # "e-mail" holds the term "email"


def extract_terms(text: str) -> list[str]:
    """Return the terms of a text, in order, repeats kept."""
    return list(chain.from_iterable(map(_STEMS.__getitem__, text.split())))


def find_terms(text: str, wanted: frozenset[str]) -> frozenset[str]:
    """Return those of some terms that stand in a text."""
    likely = wanted
    if text.isascii():  # then a look for how they begin tells of most texts that they are not there
        said = text.lower().translate(_SIGNS)
        likely = frozenset([term for term, head in _term_heads(wanted) if head in said])
    if not likely:
        return likely
    return likely.intersection([stem(token) for token in tokens_with_heads(text, _word_heads(likely))])


def _word_heads(terms: Iterable[str]) -> set[str]:
    """Return the first two letters of words of some stems: "dying" is of "die", "aed" of "a"."""
    heads = {term[:2] for term in terms}
    changed = {f"{head[0]}y" for head in heads if head[1:] == "i"}
    longer = {head + letter for head in heads if len(head) == 1 for letter in "ei"}
    return heads | changed | longer


@lru_cache(maxsize=16)
def _term_heads(wanted: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return each term with letters that stand, signs left out, in every word of that stem."""
    return tuple((term, _term_head(term).lower().translate(_SIGNS)) for term in wanted)


def _term_head(term: str) -> str:
    head = term[: min(max(len(term) - 2, 2), _LONGEST_HEAD)]
    return head[:1] if head[1:] == "i" else head  # "dying" is of "die"


def query_terms(text: str) -> list[str]:
    """Return the terms that a query looks for, each once."""
    return list(dict.fromkeys(stem(token) for token in query_tokens(text)))


# What a text costs a language model, estimated: 1.3 tokens a word, 1 a character where words have no spaces.

ELLIPSIS = "…"
_ELLIPSIS_COST = 2  # as a word of its own

# Where no character is counted by itself: most texts, that have an accent or a curly quote here and there.
_SPARSE = "[\x00-\u0dff\u1e00-\u2fff\U0001f000-\U0001faff]*"
_DENSE = f"[{DENSE}][{DENSE}{MARK}]*"
_SENTENCE_END = r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？][」』）”]*|\n"


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, rounded up: a quarter of its characters at least."""
    return ceil(text_cost(text))


def text_cost(text: str) -> float:
    """Return what a text adds to the estimate of the whole: never less than its part, so that sums are safe."""
    words, dense = count_words(text)
    return max((13 * words + 10 * dense) / 10, len(text) / 4)


def count_words(text: str) -> tuple[int, int]:
    """Count the words of a text, and its characters of scripts that are counted by the character."""
    if text.isascii() or compile_pattern(_SPARSE).fullmatch(text):
        return len(text.split()), 0
    forms = class_string(text)
    spaced, runs = compile_pattern(_DENSE).subn(GAP, forms)
    return len(spaced.split()), len(forms) - len(spaced) + runs


def clip_to_budget(text: str, budget: int) -> str:
    """Cut a text to a budget of tokens: up to the end of a sentence or a word, and an ellipsis."""
    if len(text) <= 4 * budget and estimate_tokens(text) <= budget:
        return text
    if budget < _ELLIPSIS_COST:
        return ""
    kept = text[: _fitting_length(text, budget - _ELLIPSIS_COST)]
    ends = [found.end() for found in compile_pattern(_SENTENCE_END).finditer(kept, len(kept) * 2 // 3)]
    sentence = kept[: ends[-1]].rstrip() if ends else ""
    if sentence:
        return f"{sentence} {ELLIPSIS}"
    return _last_word(kept, text).rstrip() + ELLIPSIS


def _fitting_length(text: str, budget: int) -> int:
    """Return how many characters fit, by halving: a longer text never costs less."""
    fits, exceeds = 0, min(len(text), 4 * budget) + 1
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        if estimate_tokens(text[:middle]) <= budget:
            fits = middle
        else:
            exceeds = middle
    return fits


def _last_word(kept: str, text: str) -> str:
    following = class_string(text[len(kept) : len(kept) + 1])
    if following == MARK:
        return kept[:-1]
    if following == GAP or (following in DENSE and following != HANGUL):
        return kept
    words = kept.rsplit(None, 1)
    return words[0] if len(words) == 2 else kept


# Trigger phrases of memories in a prompt, as whole words in whatever case or width.


_FEWEST, _FEWEST_DENSE = 3, 2
_FEW = 2  # "who am I" is rare enough
LONGEST = 20_000  # characters of a prompt that are looked at
_PLAIN = r"[a-z0-9]+(?:'[a-z0-9]+)*(?:\+\+|#(?!\w))?"  # C, C++ and C# are three
_RUN = f"[Aa0][Aa0{MARK}]*(?:'[Aa0{MARK}]+)*(?:\\+\\+|#(?![Aa0]))?|{HANGUL}[{HANGUL}{MARK}]*|[{DENSE}][{MARK}]*"


def normalize_prompt(prompt: str) -> str:
    """Return the words of a prompt in the form in which the keys of phrases stand in it."""
    return f" {' '.join(_split_words(prompt[:LONGEST]))} "


def trigger_key(phrase: str) -> str:
    """Return the phrase as it would stand among the words of a prompt; empty where it has no word."""
    low = phrase.lower()
    if low.isascii() and low.replace(" ", "").isalnum():  # most are plain words, and there may be thousands
        return f" {' '.join(low.split())} "
    words = _split_words(phrase)
    if not words:
        return ""
    # A particle is written onto its noun.
    return f" {' '.join(words)}" if class_string(words[-1][-1]) == HANGUL else f" {' '.join(words)} "


def is_specific(phrase: str) -> bool:
    """Return whether a phrase is enough to load a memory by: not one that stands in every other prompt.

    It has three letters or digits at least, two where words have no spaces, and is not of one or two small words alone.
    """
    words = _split_words(phrase)
    fewest = _FEWEST_DENSE if any(class_string(word[0]) in DENSE for word in words) else _FEWEST
    return sum(map(len, words)) >= fewest and (
        len(words) > _FEW or any(word.replace("'", "") not in STOPWORDS for word in words)
    )


def key_ranges(words: str) -> Iterator[tuple[str, str]]:
    """Yield the ranges, from a text to below another, of all keys that may stand in a prompt."""
    for word in dict.fromkeys(words.split()):
        yield f" {word} ", f" {word}!"
        if class_string(word[0]) == HANGUL:
            yield from ((f" {word[:end]}", f" {word[:end]} ") for end in range(1, len(word) + 1))


def _split_words(text: str) -> list[str]:
    if text.isascii():
        return compile_pattern(_PLAIN).findall(text.lower())
    flat = fold_text(text).lower()
    return [flat[found.start() : found.end()] for found in compile_pattern(_RUN).finditer(class_string(flat))]
