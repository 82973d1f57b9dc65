"""What breaks off within a sentence of the forgotten: a title that was cut to a line, or the name of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memvault.core.secrets.erase import is_long, sentences, wording
from memvault.text.file_names import slug

CUT = "…"
_KEY = 4  # words: a sentence of which no more is left is everybody's
_LOOKED_AT = 200  # characters before a cut, which no title is longer than
_SHORTEST = 30  # letters: no name is cut to fewer
_SHOWN = 9  # letters: as many as five words have at the least
_NAME = re.compile(rf"[\w-]{{{_SHORTEST},}}")
_DRESSED = re.compile(r"(?:\d{4}-\d\d-\d\d-)?((.*?)(?:-[0-9a-f]{8})?(?:-\d{1,4})?)")

_Index = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Longer sentences, known by how they begin."""

    texts: _Index  # by their first words
    names: _Index  # the same as the names of files spell them
    shown: tuple[str, ...]  # how a name begins that tells one

    @classmethod
    def of(cls, texts: Iterable[str]) -> Beginnings:
        """The beginnings of each sentence of some texts."""
        said = [part for part in dict.fromkeys(part for text in texts for part in sentences(text)) if is_long(part)]
        slugs = [slug(part) for part in said]
        return cls(_indexed(said), _indexed(slugs), tuple({name[:_SHOWN] for name in slugs}))

    def are_broken_off_in(self, text: str) -> bool:
        """Whether a text breaks off within one anywhere."""
        places = (found.start() for found in re.finditer(CUT, text))
        return any(_is_end(text[max(0, at - _LOOKED_AT) : at], self.texts) for at in places)

    def are_named_in(self, text: str) -> bool:
        """Whether a text holds the name of a file that tells one and was cut, as all long names are."""
        if not any(name in text for name in self.shown):
            return False
        return any(_is_end(name, self.names) for found in _NAME.finditer(text) for name in _bare(found[0]))


def _indexed(texts: Iterable[str]) -> _Index:
    found: dict[str, tuple[str, ...]] = {}
    for words in map(_words, texts):
        key = " ".join(words[:_KEY])
        found[key] = (*found.get(key, ()), " ".join(words))
    return found


def _is_end(text: str, index: _Index) -> bool:
    """Whether a text ends with the beginning of one, the last word cut or not."""
    words = _words(text)
    for start in range(len(words) - _KEY):
        tail = " ".join(words[start:])
        known = index.get(" ".join(words[start : start + _KEY]), ())
        if any(one.startswith(tail) for one in known) and len(tail) - tail.count(" ") >= _SHOWN:
            return True
    return False


def _words(text: str) -> list[str]:
    return wording(text.replace("-", " ").replace("_", " "))


def _bare(name: str) -> Iterator[str]:
    """What of a name is a title: without its date, as it stands, and without what tells it from others."""
    found = _DRESSED.fullmatch(name)
    return (title for title in found.groups() if len(title) >= _SHORTEST) if found else iter(())
