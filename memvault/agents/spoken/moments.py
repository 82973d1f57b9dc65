"""Split when something is to be done from what is to be done, as the words of a language have it."""

from __future__ import annotations

import re

from memvault.agents.spoken.lexicon import Lexicon
from memvault.text.dates.due import split_moment

_SHORTEST = 4  # letters of a word that says when by itself: "monthly", but not "in"


def is_linked(lexicon: Lexicon, about: str) -> bool:
    """Return whether a reminder goes on with what it is for, or when: "an alarm for six", but no "alarm sound"."""
    return any(lexicon.pattern(name).match(about) for name in ("to", "moment", "when")) or bool(
        not about[:1].isalnum() or split_spoken_moment(lexicon, about)[1]
    )


def split_task(lexicon: Lexicon, about: str) -> tuple[str, str]:
    """Split what is to be done from the moment or the condition before it: "when I'm back, to sign the form"."""
    low = about.lower()
    signs = [(found.start(), found.end()) for found in lexicon.pattern("to").finditer(low)]
    signs += [(found.start(), found.end()) for found in re.finditer(r"[,:?，：、？]\s*|\s[–—-]\s", low)]
    for whole in (True, False):
        for start, end in signs:
            if about[end:].strip() and is_moment(lexicon, about[:start], whole=whole):
                return about[end:], about[:start]
    return strip_start(lexicon, "to", about), ""


def split_spoken_moment(lexicon: Lexicon, text: str) -> tuple[str, str]:
    """Return a text without the moment that it begins or ends with, and that moment, as a language says it."""
    thing, moment = split_moment(text)
    low = text.lower().rstrip(" .!。！")
    for found in () if moment else lexicon.pattern("moment").finditer(low):
        if found.end() > found.start() and found.start() == 0 and len(low) > found.end():
            return text[found.end() :].strip(" ,、，"), text[: found.end()]
        if found.end() == len(low) and found.start():
            return text[: found.start()].strip(" ,、，"), text[found.start() : found.end()]
    return thing, moment


def is_moment(lexicon: Lexicon, text: str, *, whole: bool = False) -> bool:
    """Return whether a text says when, and nothing else; unless `whole`, a condition may do so in words of its own."""
    bare = text.strip(" ,.:?，、")
    parts = [part for part in re.split(r"[,，、]\s*", bare) if part]
    if len(parts) > 1:
        return all(is_moment(lexicon, part, whole=whole) for part in parts)
    is_long = " " in bare or not lexicon.is_spaced or len(bare) > _SHORTEST
    if not whole and is_long and lexicon.pattern("when").match(bare.lower()) and not re.search(r"[;–—]", bare):
        return True
    return bool(bare) and split_spoken_moment(lexicon, f"{bare} x")[0] == "x"


def strip_start(lexicon: Lexicon, name: str, text: str) -> str:
    """Return a text without a word of a class that it begins with."""
    found = lexicon.pattern(name).match(text.lower())
    return text[found.end() :].strip(" ,:") if found else text


def strip_particles(lexicon: Lexicon, text: str) -> str:
    """Return a text without the particles that its language puts behind a thing."""
    found = re.search(rf"(?:{lexicon.rows['final']})+$", text) if "final" in lexicon.rows else None
    return text[: found.start()] if found else text
