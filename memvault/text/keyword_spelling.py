"""Compare keywords by their spelling, and choose the spelling that stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memvault.text.characters import fold_text
from memvault.text.stem import edit_distance, to_singular

ALIKE = 0.9
"""Two keywords are spellings of one from this similarity on: the share of letters that need no correction."""

_LONGEST = 80  # characters

_JOINTS = re.compile(r"[\s_\-‐‑‒–—]+")
_DIGITS = re.compile(r"\d+")
_EDGES = " \t\n\r\"'“”„«»‘’()[]{}<>,;:!?*`|\\-_"
_INNER_DOT = re.compile(r"(?<=[^\W\d])\.(?=[^\W\d])")
_SPACES = re.compile(r"[\s_]+")


def normalize_keyword(keyword: str) -> str:
    """Write a keyword where no other spelling is known: lower case, hyphens for spaces."""
    line = _SPACES.sub("-", unicodedata.normalize("NFC", keyword.casefold()))
    return line.lstrip(f"#{_EDGES}")[:_LONGEST].rstrip(f".{_EDGES}")


def same_keyword(one: str, other: str) -> bool:
    """Return whether two keywords are spellings of one; differing digits and signs keep them apart."""
    first, second = _parse_keyword(one), _parse_keyword(other)
    return first.key == second.key or _are_near(first, second)


def keyword_key(keyword: str) -> str:
    """Return what all spellings share that differ in case, hyphens, spaces, accents or the plural alone."""
    return _parse_keyword(keyword).key


def lookup_keys(keyword: str) -> tuple[str, ...]:
    """Return what a keyword is looked up by: its key, and the same with its plural kept, to find near ones."""
    form = _parse_keyword(keyword)
    return tuple(dict.fromkeys((form.key, _make_key(form.letters, form.digits))))


def nearest_keys(keyword: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return those of some keys that are a keyword's own, or nearly so."""
    form = _parse_keyword(keyword)
    own = lookup_keys(keyword)
    return tuple(other for other in known if other in own or _are_near(form, _parse_key(other)))


def compose_renames(renames: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the keyword that stands now, by the key of each renamed one; the earliest rename comes first."""
    stands: dict[str, str] = {}
    for old, new in renames:
        for before, after in list(stands.items()):
            if keyword_key(after) == keyword_key(old):
                stands[before] = new
        stands.pop(keyword_key(new), None)
        stands[keyword_key(old)] = new
    return stands


class Spellings:
    """Known keywords, most used first, among which the spelling that stands for a new one is found at once."""

    def __init__(self, known: Iterable[str] | Mapping[str, int] = ()) -> None:
        self._by_key: dict[str, str] = {}
        self._blocks: dict[tuple[str, int], list[tuple[_KeywordForm, str]]] = {}  # by first letter and length
        counts = known if isinstance(known, Mapping) else dict.fromkeys(known, 0)
        for word in sorted(counts, key=lambda word: (-counts[word], word)):
            self.add(word)

    def add(self, keyword: str) -> None:
        """Know one more keyword; where it is a spelling of another, that one goes on standing for it."""
        form = _parse_keyword(keyword)
        if form.letters and form.key not in self._by_key:
            self._by_key[form.key] = keyword
            self._blocks.setdefault((form.letters[0], len(form.letters)), []).append((form, keyword))

    def settle(self, keyword: str) -> str:
        """Return the known spelling of a keyword, else its normal form."""
        return self.find_exact(keyword) or self._find_nearest(_parse_keyword(keyword)) or normalize_keyword(keyword)

    def find_exact(self, keyword: str) -> str:
        """Return the known spelling, with only case, hyphens, spaces, accents and plurals folded; or nothing."""
        return self._by_key.get(_parse_keyword(keyword).key, "")

    def _find_nearest(self, form: _KeywordForm) -> str:
        """Return, of those of like beginning and length, the one that needs the fewest corrections."""
        length = len(form.letters)
        found: list[tuple[int, int, str]] = []
        for size in range(int(length * ALIKE), int(length / ALIKE) + 1):
            for other, word in self._blocks.get((form.letters[:1], size), ()):
                if _are_near(form, other):
                    needed = edit_distance(form.letters, other.letters, most=_allowed_edits(length, size))
                    found.append((needed, abs(size - length), word))
        return min(found)[2] if found else ""


@dataclass(frozen=True, slots=True)
class _KeywordForm:
    """A keyword as it is compared: its letters run together; each word in singular; its numbers; signs such as ++."""

    letters: str
    singular: str
    digits: str
    signs: str

    @property
    def key(self) -> str:
        return _make_key(self.singular, self.digits)


def _parse_keyword(keyword: str) -> _KeywordForm:
    plain = fold_text(normalize_keyword(keyword)).casefold().replace("'", "")
    words = _JOINTS.split(_INNER_DOT.sub("", plain))
    letters = "".join(words)
    return _KeywordForm(
        letters, "".join(map(to_singular, words)), ",".join(_DIGITS.findall(plain)), _extract_signs(letters)
    )


def _make_key(letters: str, digits: str) -> str:
    return f"{letters} {digits}" if digits else letters


def _parse_key(known: str) -> _KeywordForm:
    letters, _, digits = known.partition(" ")
    return _KeywordForm(letters, letters, digits, _extract_signs(letters))


def _extract_signs(letters: str) -> str:
    if letters.isalnum():
        return ""
    return "".join(char for char in letters if not char.isalnum() and unicodedata.category(char)[0] != "M")


def _are_near(one: _KeywordForm, other: _KeywordForm) -> bool:
    if one.digits != other.digits or one.signs != other.signs or one.letters[:1] != other.letters[:1]:
        return False  # a beginning seldom is a slip: asynchronous, unsupervised
    allowed = _allowed_edits(len(one.letters), len(other.letters))
    return allowed > 0 and edit_distance(one.letters, other.letters, most=allowed) <= allowed


def _allowed_edits(one: int, other: int) -> int:
    return int(max(one, other) * (1 - ALIKE) + 1e-9)
