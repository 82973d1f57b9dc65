"""Strip small talk from a turn, so that more of it fits into a budget."""

from __future__ import annotations

import re
from collections.abc import Collection

from memvault.text.chatter import CHATTER_WORDS
from memvault.text.terms import extract_terms

# Rough on purpose: a sentence that is cut in two at an abbreviation is put together again as it was.
_SENTENCE = re.compile(r"[^.!?…。？！]+(?:[.!?…。？！]+[\"'”’»)\]]*\s*)?|[.!?…。？！\s]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ADDRESS = re.compile(r",\s*[^\W\d_]+\s*[.!?…]*\s*$")  # "Thanks, Mel!"
_ASKS = re.compile(r"[?？][\"'”’»)\s]*$")
_CODE = ("```", "\n    ", "\t", "|")

_KEPT = 0.6  # of the different words of some length at least, or it would be another text
_SHORTEST = 4
_LONGEST_CHAT = 60  # characters: nobody thanks at such length without saying something


def strip_small_talk(text: str, wanted: Collection[str] = ()) -> str:
    """Return the text without sentences that only greet, thank or ask back; those with a wanted term stay."""
    if any(sign in text for sign in _CODE):
        return text
    sentences = _SENTENCE.findall(text)
    chat = [place for place, sentence in enumerate(sentences) if _is_small_talk(sentence, wanted)]
    if not chat or len(chat) == len(sentences):
        return text
    words_in = [{word for word in _split_words(sentence) if len(word) >= _SHORTEST} for sentence in sentences]
    least = _KEPT * len(set().union(*words_in))
    remaining = set(range(len(sentences)))
    for place in sorted(chat, key=lambda place: (not _ASKS.search(sentences[place]), len(words_in[place]))):
        rest = set().union(*(words_in[other] for other in remaining if other != place))
        if rest and len(rest) >= least:
            remaining.remove(place)
    return "".join(sentences[place] for place in sorted(remaining)).strip() if len(remaining) < len(sentences) else text


def _is_small_talk(sentence: str, wanted: Collection[str]) -> bool:
    if len(sentence) > _LONGEST_CHAT and not _ASKS.search(sentence):
        return False
    is_empty = _ASKS.search(sentence) or all(word in CHATTER_WORDS for word in _split_words(_ADDRESS.sub("", sentence)))
    return bool(is_empty) and not any(term in wanted for term in extract_terms(sentence))


def _split_words(sentence: str) -> list[str]:
    return [word.replace("’", "").replace("'", "") for word in _WORD.findall(sentence.casefold())]
