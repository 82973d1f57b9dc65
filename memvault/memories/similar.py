"""Find the memories that a new one may repeat: the last ones that were remembered here, and the nearest by words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from memvault.core.memory import Memory, Place
from memvault.core.query import NO_FILTERS, Word
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import normalize_content
from memvault.core.similarity.contradiction import is_live, may_contradict
from memvault.core.similarity.statements import cached_statements, full_text, says_all
from memvault.core.similarity.verdict import compare_texts
from memvault.errors import MemvaultError
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.text.statements.chatter import CHATTER_WORDS
from memvault.text.terms import extract_terms, split_tokens

_LONGEST_KNOWN = 40_000  # characters
_MOST_COMPARED = 3
_LEAST_SHARED = 0.5  # of the words of the shorter of two texts


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that says a text already, or nearly."""

    memory: Memory
    says_all: bool  # nothing in the text goes beyond it


def find_known(memory: Memory, text: str, others: Iterable[Memory]) -> KnownMemory | None:
    """Return the first of some memories that says all of a text, else one that nearly does; None where none does."""
    near: KnownMemory | None = None
    scored = []  # the few memories that share most words with the text
    for other in others:
        body = strip_private(other.body or "")
        if not body.strip() or len(body) > _LONGEST_KNOWN or not is_comparable(other, memory):
            continue
        known_text = full_text(other.with_changes(body=body))
        if (share := _shared_words(text, known_text)) >= _LEAST_SHARED:
            scored.append((-share, other.path, other, known_text))
    scored.sort(key=lambda row: row[:2])
    for _, _, other, known_text in scored[:_MOST_COMPARED]:
        if compare_texts(text, known_text) not in ("duplicate", "propose"):
            continue
        terms = iter(extract_terms(known_text))  # all telling words of the text may stand there, in the same order
        in_order = all(term in terms for term in extract_terms(text) if term not in CHATTER_WORDS)
        if in_order or says_all(cached_statements(known_text), cached_statements(text)):
            return KnownMemory(other, says_all=True)
        near = near or KnownMemory(other, says_all=False)
    return near


def is_comparable(other: Memory, memory: Memory) -> bool:
    """Return whether a memory may stand for a new one at all: live, and about the same."""
    is_apart = other.place in (Place.QUARANTINE, Place.DEEP) and memory.place is not other.place
    return not is_apart and (memory.place is Place.QUARANTINE or is_live(other)) and may_contradict(other, memory)


def _shared_words(one: str, other: str) -> float:
    """Return how many words of the shorter text stand in the longer, as a share."""
    short, long = sorted((one, other), key=len)
    words = {token for token in split_tokens(short) if token not in CHATTER_WORDS}
    if not words:
        return float(normalize_content(one) == normalize_content(other))
    low = long.casefold()
    return sum(word in low for word in words) / len(words)


# What compares texts is only loaded where there is something to compare with: most new memories are like no other.

_LONGEST = 8_000  # characters: longer texts are compared as a whole only
_LEAST_FOUND = 0.3  # of the words of a text in a file that is not in the index yet
_RATED, _SEARCHED = 8, 4  # words of a text whose rarity is asked, and those that are then searched for
_CANDIDATES = 8
_NOWHERE = "\x00"  # no memory holds that


def find_similar(context: VaultContext, memory: Memory) -> KnownMemory | None:
    """Return a memory that says the same as a new one, or nearly; None where there is none."""
    if repeated := _find_repeated(context, memory):
        return repeated
    text = full_text(memory)
    if memory.place is Place.QUARANTINE or len(text) > _LONGEST:
        return None
    candidates = list(_find_candidates(context, memory, text))
    if not candidates:
        return None
    from memvault.memories.similar import find_known

    return find_known(memory, text, candidates)


def _find_repeated(context: VaultContext, memory: Memory) -> KnownMemory | None:
    """Return a recent memory with the same content, if it still has it; waiting ones count among themselves."""
    content = normalize_content(memory.body or "")
    recent = read_recent(context).get(files.digest(content.encode()))
    found = _read_current(context, recent, memory) if recent else None
    if found is None or (found.place is Place.QUARANTINE) != (memory.place is Place.QUARANTINE):
        return None
    from memvault.memories.similar import KnownMemory, is_comparable

    is_same = normalize_content(found.body or "") == content and is_comparable(found, memory)
    return KnownMemory(found, says_all=True) if is_same else None


def _read_current(context: VaultContext, recent: RecentMemory, like: Memory) -> Memory | None:
    place = context.vault.place_of(recent.path)
    if place is None or not context.vault.exists(recent.path):
        return None
    try:
        return context.read_memory(like.with_changes(id=recent.id, path=recent.path, place=place))[0]
    except MemvaultError:
        return None


def _find_candidates(context: VaultContext, memory: Memory, text: str) -> Iterator[Memory]:
    """Yield what was remembered since the index was refreshed, then what the index finds, with their texts."""
    if not context.index.count():
        context.refresh()
    unread = {
        recent.path: recent for recent in read_recent(context).values() if context.index.memory_by_id(recent.id) is None
    }
    if len(unread) >= MOST_RECENT:  # the list is full of them, and what is older is in neither
        context.refresh()
        unread = {}
    words = {token for token in split_tokens(text) if token not in CHATTER_WORDS}
    for recent in unread.values():
        try:  # a file that holds enough of the words is worth reading; a look at its bytes is cheap
            raw = files.read_file(context.vault.absolute_path(recent.path)).decode(errors="replace").casefold()
        except MemvaultError:
            continue
        is_near = sum(word in raw for word in words) >= _LEAST_FOUND * len(words)
        if is_near and (found := _read_current(context, recent, memory)):
            yield found
    terms = [Word(term) for term in _rarest_words(context, text)]
    for hit in context.index.search(terms, filters=NO_FILTERS, limit=_CANDIDATES):
        # As its file stands now: it may be gone since the last look.
        yield hit.memory if hit.memory.body is not None else hit.memory.with_changes(body=context.read_text(hit.memory))


def _rarest_words(context: VaultContext, text: str) -> list[str]:
    """Return the words to search for. Asking how common a word is takes time, and common words are mostly short."""
    words = dict.fromkeys(term for term in extract_terms(text) if term not in CHATTER_WORDS)
    rated = sorted(words, key=lambda word: (-len(word), word))[:_RATED]
    rarity = context.index.backend.rarity([*rated, _NOWHERE])
    found = [word for word in rated if rarity[word] < rarity[_NOWHERE]]
    return sorted(found, key=lambda word: (-rarity[word], word))[:_SEARCHED]


# -- the last contents that were remembered on this machine: a short list in its state folder

MOST_RECENT = 100
_FILE = "recent"
_FULL = 60_000  # bytes: then the list is written anew


class RecentMemory(NamedTuple):
    """Which memory holds a content."""

    id: str
    path: str


def read_recent(context: VaultContext) -> Mapping[str, RecentMemory]:
    """Return the digests of the last contents, the latest last, each with the memory that holds it."""
    found: dict[str, RecentMemory] = {}
    path = context.state / _FILE if context.state else None
    if path is None or not path.exists():
        return found
    with suppress(MemvaultError):  # a list that cannot be read is no reason to remember nothing
        for line in files.read_file(path).decode(errors="replace").splitlines()[-MOST_RECENT:]:
            parts = line.split(" ", 2)
            if len(parts) == 3:
                found.pop(parts[0], None)
                found[parts[0]] = RecentMemory(parts[1], parts[2])
    return found


def remember_recent(context: VaultContext, text: str, memory: Memory) -> None:
    """Note a content at the end of the list, to recognize it at once when it comes again soon."""
    if context.state is None:
        return
    path, digest = context.state / _FILE, files.digest(normalize_content(text).encode())
    with suppress(MemvaultError, OSError):
        files.append_line(path, f"{digest} {memory.id} {memory.path}\n".encode())
        if path.stat().st_size > _FULL:
            rows = (f"{digest} {recent.id} {recent.path}\n" for digest, recent in read_recent(context).items())
            files.overwrite_file(path, "".join(rows).encode())
