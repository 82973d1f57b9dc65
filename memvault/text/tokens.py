"""What a text costs a language model, estimated: 1.3 tokens a word, 1 a character where words have no spaces."""

from __future__ import annotations

from memvault.text.characters import DENSE, GAP, HANGUL, MARK, shape
from memvault.text.patterns import pattern

ELLIPSIS = "…"
_ELLIPSIS_COST = 2  # as a word of its own

# Where no character is counted by itself: most texts, that have an accent or a curly quote here and there.
_SPARSE = "[\x00-\u0dff\u1e00-\u2fff\U0001f000-\U0001faff]*"
_DENSE = f"[{DENSE}][{DENSE}{MARK}]*"
_SENTENCE_END = r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？][」』）”]*|\n"


def estimate(text: str) -> int:
    """Tokens, rounded up; never less than a quarter of the characters, as long words cost more than one."""
    words, dense = measure(text)
    return max(-(-(13 * words + 10 * dense) // 10), -(-len(text) // 4))


def measure(text: str) -> tuple[int, int]:
    """How many words a text has, and how many characters of scripts that are counted by the character."""
    if text.isascii() or pattern(_SPARSE).fullmatch(text):
        return len(text.split()), 0
    forms = shape(text)
    spaced, runs = pattern(_DENSE).subn(GAP, forms)
    return len(spaced.split()), len(forms) - len(spaced) + runs


def clip(text: str, budget: int) -> str:
    """The text, or as much of it as the budget holds: up to the end of a sentence or a word, and an ellipsis."""
    if len(text) <= 4 * budget and estimate(text) <= budget:
        return text
    if budget < _ELLIPSIS_COST:
        return ""
    kept = text[: _fitting(text, budget - _ELLIPSIS_COST)]
    sentence = _last_sentence(kept)
    if sentence:
        return f"{sentence} {ELLIPSIS}"
    return _last_word(kept, text).rstrip() + ELLIPSIS


def _fitting(text: str, budget: int) -> int:
    """How many characters fit, by halving: a longer text never costs less."""
    fits, exceeds = 0, min(len(text), 4 * budget) + 1
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        if estimate(text[:middle]) <= budget:
            fits = middle
        else:
            exceeds = middle
    return fits


def _last_sentence(kept: str) -> str:
    # Losing more than a third for a clean end would waste the budget.
    ends = [found.end() for found in pattern(_SENTENCE_END).finditer(kept, len(kept) * 2 // 3)]
    return kept[: ends[-1]].rstrip() if ends else ""


def _last_word(kept: str, text: str) -> str:
    following = shape(text[len(kept) : len(kept) + 1])
    if following == MARK:
        return kept[:-1]
    if following == GAP or (following in DENSE and following != HANGUL):
        return kept
    words = kept.rsplit(None, 1)
    return words[0] if len(words) == 2 else kept
