"""What a text is held against before it is kept: what is known already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memvault.core.memory import Memory, Place
from memvault.core.query import ANY, Word
from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.screens import normal
from memvault.core.similarity.compare import verdict
from memvault.core.similarity.contradiction import is_live, may_contradict
from memvault.core.similarity.merge import said
from memvault.core.similarity.score import says_all
from memvault.core.similarity.sentences import statements
from memvault.errors import MemvaultError
from memvault.memories.recent import LAST, Kept, keep_recent, recent
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.text.chatter import EMPTY
from memvault.text.terms import terms
from memvault.text.words import tokens

_LONGEST = 8_000  # characters: longer texts are compared as a whole only
_LEAST_FOUND = 0.3  # of the words of a text in a file that is not in the index yet
_LONGEST_KNOWN = 40_000
_LOOKED_UP, _SEARCHED = 8, 4  # words of a text whose rarity is asked, and those that are then searched for
_CANDIDATES, _JUDGED = 8, 3
_NOWHERE = "\x00"  # no memory holds that
_LEAST_SHARED = 0.5  # of the words of the shorter of two texts


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that says a text already, or nearly."""

    memory: Memory
    says_all: bool  # nothing in the text goes beyond it


def digest_of(text: str) -> str:
    """What is equal for the same content."""
    return files.digest(normal(text).encode())


def known(bench: Bench, memory: Memory) -> Known | None:
    """The memory that says the same as a new one, or nearly; None where there is none."""
    return _repeated(bench, memory) or (None if memory.place is Place.QUARANTINE else _alike(bench, memory))


def keep_in_mind(bench: Bench, text: str, memory: Memory) -> None:
    """Have the same content recognised at once when it comes again soon."""
    keep_recent(bench, digest_of(text), Kept(memory.id, memory.path))


def _repeated(bench: Bench, memory: Memory) -> Known | None:
    """One of the last hundred with the same content, if it still has it; the waiting ones count among themselves."""
    kept = recent(bench).get(digest_of(memory.body or ""))
    found = _as_it_stands(bench, kept, memory) if kept else None
    if found is None or (found.place is Place.QUARANTINE) != (memory.place is Place.QUARANTINE):
        return None
    same = normal(found.body or "") == normal(memory.body or "") and _comparable(found, memory)
    return Known(found, says_all=True) if same else None


def _as_it_stands(bench: Bench, kept: Kept, like: Memory) -> Memory | None:
    place = bench.vault.place(kept.path)
    if place is None or not bench.vault.exists(kept.path):
        return None
    try:
        return bench.read(like.changed(id=kept.id, path=kept.path, place=place))[0]
    except MemvaultError:
        return None


def _alike(bench: Bench, memory: Memory) -> Known | None:
    mine = said(memory)
    if len(mine) > _LONGEST:
        return None
    near: Known | None = None
    for other, text in _nearest(bench, memory, mine):
        judged = verdict(mine, text)
        if judged not in ("duplicate", "propose"):
            continue
        if says_all(statements(text), statements(mine)) or _stands_in_order(mine, text):
            return Known(other, says_all=True)
        if near is None:
            near = Known(other, says_all=False)
    return near


def _nearest(bench: Bench, memory: Memory, mine: str) -> list[tuple[Memory, str]]:
    """The few memories that share most words with a text, with what they say."""
    scored = []
    for other in _candidates(bench, memory, mine):
        # As its file stands now: it may be gone since the last look.
        body = without_private(bench.text(other) if other.body is None else other.body)
        if not body.strip() or len(body) > _LONGEST_KNOWN or not _comparable(other, memory):
            continue
        text = said(other.changed(body=body))
        if (share := _shared(mine, text)) >= _LEAST_SHARED:
            scored.append((-share, other.path, other, text))
    scored.sort(key=lambda row: row[:2])
    return [(other, text) for _, _, other, text in scored[:_JUDGED]]


def _stands_in_order(mine: str, text: str) -> bool:
    """Whether all words that say something stand in another text too, in the same order."""
    others = iter(terms(text))
    return all(term in others for term in terms(mine) if term not in EMPTY)


def _comparable(other: Memory, memory: Memory) -> bool:
    is_apart = other.place in (Place.QUARANTINE, Place.DEEP) and memory.place is not other.place
    return not is_apart and (memory.place is Place.QUARANTINE or is_live(other)) and may_contradict(other, memory)


def _shared(one: str, other: str) -> float:
    """How many words of the shorter of two texts stand in the longer."""
    short, long = sorted((one, other), key=len)
    words = {token for token in tokens(short) if token not in EMPTY}
    low = long.casefold()
    return sum(word in low for word in words) / len(words) if words else float(normal(one) == normal(other))


def _candidates(bench: Bench, memory: Memory, mine: str) -> Iterator[Memory]:
    """What the catalogue knows, and what was remembered since it was brought up to date last."""
    if not bench.catalogue.count():
        bench.freshen()
    unread = {kept.path: kept for kept in recent(bench).values() if bench.catalogue.known(kept.id) is None}
    if len(unread) >= LAST:  # the list is full of them, and what is older is in neither
        bench.freshen()
        unread = {}
    words = {token for token in tokens(mine) if token not in EMPTY}
    for kept in unread.values():
        if _may_be_near(bench, kept, words) and (found := _as_it_stands(bench, kept, memory)):
            yield found
    rarest = _rarest(mine, bench.catalogue.rarity)
    words_of = [Word(term) for term in rarest]
    yield from (found.memory for found in bench.catalogue.search(words_of, filters=ANY, limit=_CANDIDATES))


def _may_be_near(bench: Bench, kept: Kept, words: set[str]) -> bool:
    """Whether a file holds enough of some words to be worth the reading; a look at its bytes is cheap."""
    try:
        raw = files.read(bench.vault.absolute(kept.path)).decode(errors="replace").casefold()
    except MemvaultError:
        return False
    return sum(word in raw for word in words) >= _LEAST_FOUND * len(words)


def _rarest(text: str, rarity: Callable[[list[str]], Mapping[str, float]]) -> list[str]:
    """The words to search for. Common words are mostly short, and asking how common one is takes time itself."""
    words = dict.fromkeys(term for term in terms(text) if term not in EMPTY)
    asked = sorted(words, key=lambda word: (-len(word), word))[:_LOOKED_UP]
    worth = rarity([*asked, _NOWHERE])
    found = [word for word in asked if worth[word] < worth[_NOWHERE]]
    return sorted(found, key=lambda word: (-worth[word], word))[:_SEARCHED]
