"""The gate that every text passes on its way into the vault: fit to be written, no secret in it, not forgotten."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from memvault.core.memory import Memory, Place
from memvault.core.query import NO_FILTERS, Word
from memvault.core.secrets import scan as leaks
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import Secret
from memvault.core.secrets.screens import normalize_content
from memvault.core.similarity.compare import compare_texts
from memvault.core.similarity.contradiction import is_live, may_contradict
from memvault.core.similarity.merge_memories import full_text
from memvault.core.similarity.score import says_all
from memvault.core.similarity.sentences import cached_statements
from memvault.errors import BadInput, Forgotten, MemvaultError, SecretFound
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.text.chatter import CHATTER_WORDS
from memvault.text.terms import extract_terms, split_tokens

_UNFIT_CHARACTERS = "[\x00\ud800-\udfff]"  # what no file in UTF-8 can hold, and what ends a text for other programs
_LABELS = {"tags": "tag", "topics": "topic", "people": "person", "triggers": "trigger", "aliases": "alias"}
_WHOLES = _LABELS | {"refs": "reference"}  # what is of no use with a mark in the place of a part of it
_FEWEST_WORDS = 2  # of a field's text to be held against what was forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPolicy:
    """Who brings a text, and what is to become of secrets in it."""

    by_person: bool
    automatic: bool = False
    secrets: str = ""  # refuse, redact or keep; as the settings say, unless told


@dataclass(frozen=True, slots=True, kw_only=True)
class Redactions:
    """What was left out of a text on its way."""

    sorts: tuple[str, ...] = ()  # of secrets
    dropped: tuple[str, ...] = ()  # tags, names and the like that were one
    unclosed: bool = False  # a private span that was never closed took the rest with it


NO_REDACTIONS = Redactions()


# -- fit to be written


def validate_value(name: str, value: Any) -> Any:
    """Return a value that can be written into a note, lists as tuples; refuse any other."""
    match value:
        case str():
            return validate_text(name, value)
        case float() if not math.isfinite(value):
            raise BadInput(what=name, value=value, reason="it is no number that can be written")
        case datetime() if value.tzinfo is None:
            raise BadInput(what=name, value=value.isoformat(), reason="it does not say in which time zone it is")
        case None | bool() | int() | float() | datetime():
            return value
        case list() | tuple():
            return tuple(validate_text(f"an item of {name}", part) for part in value)
        case Mapping():
            return MappingProxyType(
                {validate_text(f"a name in {name}", key): validate_value(name, part) for key, part in value.items()}
            )
        case _:
            raise _not_text(name, value)


def validate_text(name: str, value: Any) -> str:
    """Return a text that can be written into a note."""
    if not isinstance(value, str):
        raise _not_text(name, value)
    if found := re.search(_UNFIT_CHARACTERS, value):
        where = f"the character {found.start() + 1:,} of {name}"
        raise BadInput(what=where, value=found[0], reason="no note can hold it")
    return value


def validate_texts(name: str, value: Any) -> tuple[str, ...]:
    """Return a list of texts that can be written into a note."""
    if not isinstance(value, list | tuple):
        raise BadInput(what=name, value=_kind_of(value), reason="it must be a list of texts")
    return tuple(validate_text(f"an item of {name}", part) for part in value)


def _not_text(name: str, value: Any) -> BadInput:
    return BadInput(what=name, value=_kind_of(value), reason="it must be text")


def _kind_of(value: Any) -> str:
    """Return the type of a value, without a word of it."""
    return "None" if value is None else type(value).__name__


# -- secrets


def remove_secrets(
    context: VaultContext, values: Mapping[str, Any], policy: ScreenPolicy, *, there: Iterable[str] = ()
) -> tuple[Mapping[str, Any], Redactions]:
    """Return the values without secrets, as the policy says; those that are `there` already do not count."""
    # Only a person vouches for a secret.
    wanted = policy.secrets if policy.by_person or policy.secrets != "keep" else ""
    handling = wanted or context.settings.text("screen.secrets")
    if handling in ("keep", "off"):
        return values, NO_REDACTIONS
    known = frozenset(secret for text in there for secret in find_secrets(text))
    sorts = tuple(dict.fromkeys(secret.sort for text in texts_in(values) for secret in _new_secrets(text, known)))
    if not sorts:
        return values, NO_REDACTIONS
    if handling != "redact" and not policy.automatic:
        raise SecretFound(sorts=", ".join(sorts))
    kept = {name: _redact_value(name, value, known) for name, value in values.items()}
    dropped = tuple(
        _WHOLES[name] for name in values if name in _WHOLES and _count_texts(kept[name]) < _count_texts(values[name])
    )
    return kept, Redactions(sorts=sorts, dropped=dropped)


def find_secrets(text: str) -> Iterator[str]:
    """Return the secrets that stand in a text."""
    return (text[secret.start : secret.end] for secret in leaks.find_secrets(text))


def redact_text(text: str, known: frozenset[str] = frozenset()) -> str:
    """Return a text with a mark in the place of each secret but the known ones."""
    parts, after = [], 0
    for secret in _new_secrets(text, known):
        parts += [text[after : secret.start], f"[redacted: {secret.sort}]"]
        after = secret.end
    return "".join((*parts, text[after:]))


def _new_secrets(text: str, known: frozenset[str]) -> list[Secret]:
    return [secret for secret in leaks.find_secrets(text) if text[secret.start : secret.end] not in known]


def _redact_value(name: str, value: Any, known: frozenset[str]) -> Any:
    match value:
        case str():
            return redact_text(value, known)
        case tuple() if name.partition(".")[0] in _WHOLES:
            return tuple(part for part in value if not _new_secrets(part, known))
        case tuple():
            return tuple(redact_text(part, known) for part in value)
        case Mapping():
            kept = {
                key: _redact_value(name, part, known) for key, part in value.items() if not _new_secrets(key, known)
            }
            return MappingProxyType(kept)
        case _:
            return value


def _count_texts(value: Any) -> int:
    return sum(1 for _ in texts_in(value))


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a value of any shape, names of fields too."""
    match value:
        case str():
            yield value
        case tuple():
            yield from (text for part in value for text in texts_in(part))
        case Mapping():
            yield from (text for key, part in value.items() for text in (key, *texts_in(part)))


# -- what was forgotten


def find_forgotten(context: VaultContext, text: str, others: Iterable[Any] = ()) -> tuple[str, ...]:
    """Return the tombstones of a text, and of other values that say more than a word."""
    told = [
        said for value in others for said in texts_in(value) if len(said.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS
    ]
    # Each look reads every mark that there is, so values of a line go together: each is a part of one text then.
    lines = "\n\n".join(dict.fromkeys(said for said in told if "\n" not in said))
    every = dict.fromkeys((text, *filter(None, (lines, *(said for said in told if "\n" in said)))))
    return tuple(dict.fromkeys(mac for said in every for mac in tombstones.find_tombstones(context, said)))


def check_not_forgotten(context: VaultContext, values: Iterable[Any], policy: ScreenPolicy) -> None:
    """Refuse what was forgotten, unless it is a person who writes it."""
    if not policy.by_person and find_forgotten(context, "", values):
        raise Forgotten()


# The last contents that were remembered on this machine: a short list beside the upkeep's, quickly read.

MOST_RECENT = 100
_FILE = "recent"
_FULL = 60_000  # bytes: then the list is written anew


class RecentMemory(NamedTuple):
    """Which memory holds a content."""

    id: str
    path: str


def read_recent(context: VaultContext) -> Mapping[str, RecentMemory]:
    """Return the digests of the last contents, the latest last, each with the memory that holds it."""
    path = _recent_path(context)
    if path is None or not path.exists():
        return {}
    with suppress(MemvaultError):  # what cannot be read is no reason to remember nothing
        return _parse_recent(files.read_file(path))
    return {}


def add_recent(context: VaultContext, digest: str, kept: RecentMemory) -> None:
    """Put a content at the end of the list."""
    path = _recent_path(context)
    if path is None:
        return
    with suppress(MemvaultError, OSError):
        files.append_line(path, f"{digest} {kept.id} {kept.path}\n".encode())
        if path.stat().st_size > _FULL:
            rows = (f"{digest} {kept.id} {kept.path}\n" for digest, kept in read_recent(context).items())
            files.overwrite_file(path, "".join(rows).encode())


def _parse_recent(data: bytes) -> Mapping[str, RecentMemory]:
    found: dict[str, RecentMemory] = {}
    for line in data.decode(errors="replace").splitlines()[-MOST_RECENT:]:
        parts = line.split(" ", 2)
        if len(parts) == 3:
            found.pop(parts[0], None)
            found[parts[0]] = RecentMemory(parts[1], parts[2])
    return found


def _recent_path(context: VaultContext) -> Path | None:
    return None if context.state is None else context.state / _FILE


# What a text is held against before it is kept: what is known already.

_LONGEST = 8_000  # characters: longer texts are compared as a whole only
_LEAST_FOUND = 0.3  # of the words of a text in a file that is not in the index yet
_LONGEST_KNOWN = 40_000
_LOOKED_UP, _SEARCHED = 8, 4  # words of a text whose rarity is asked, and those that are then searched for
_CANDIDATES, _JUDGED = 8, 3
_NOWHERE = "\x00"  # no memory holds that
_LEAST_SHARED = 0.5  # of the words of the shorter of two texts


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that says a text already, or nearly."""

    memory: Memory
    says_all: bool  # nothing in the text goes beyond it


def content_digest(text: str) -> str:
    """Return a digest that is equal for the same content."""
    return files.digest(normalize_content(text).encode())


def find_known(context: VaultContext, memory: Memory) -> KnownMemory | None:
    """Return a memory that says the same as a new one, or nearly; None where there is none."""
    return _find_repeated(context, memory) or (
        None if memory.place is Place.QUARANTINE else _find_alike(context, memory)
    )


def remember_recent(context: VaultContext, text: str, memory: Memory) -> None:
    """Recognize the same content at once when it comes again soon."""
    add_recent(context, content_digest(text), RecentMemory(memory.id, memory.path))


def _find_repeated(context: VaultContext, memory: Memory) -> KnownMemory | None:
    """Return a recent memory with the same content, if it still has it; waiting ones count among themselves."""
    kept = read_recent(context).get(content_digest(memory.body or ""))
    found = _read_current(context, kept, memory) if kept else None
    if found is None or (found.place is Place.QUARANTINE) != (memory.place is Place.QUARANTINE):
        return None
    same = normalize_content(found.body or "") == normalize_content(memory.body or "") and _comparable(found, memory)
    return KnownMemory(found, says_all=True) if same else None


def _read_current(context: VaultContext, kept: RecentMemory, like: Memory) -> Memory | None:
    place = context.vault.place_of(kept.path)
    if place is None or not context.vault.exists(kept.path):
        return None
    try:
        return context.read_memory(like.with_changes(id=kept.id, path=kept.path, place=place))[0]
    except MemvaultError:
        return None


def _find_alike(context: VaultContext, memory: Memory) -> KnownMemory | None:
    mine = full_text(memory)
    if len(mine) > _LONGEST:
        return None
    near: KnownMemory | None = None
    for other, text in _nearest_memories(context, memory, mine):
        judged = compare_texts(mine, text)
        if judged not in ("duplicate", "propose"):
            continue
        if says_all(cached_statements(text), cached_statements(mine)) or _stands_in_order(mine, text):
            return KnownMemory(other, says_all=True)
        if near is None:
            near = KnownMemory(other, says_all=False)
    return near


def _nearest_memories(context: VaultContext, memory: Memory, mine: str) -> list[tuple[Memory, str]]:
    """Return the few memories that share most words with a text, with their texts."""
    scored = []
    for other in _similar_candidates(context, memory, mine):
        # As its file stands now: it may be gone since the last look.
        body = strip_private(context.read_text(other) if other.body is None else other.body)
        if not body.strip() or len(body) > _LONGEST_KNOWN or not _comparable(other, memory):
            continue
        text = full_text(other.with_changes(body=body))
        if (share := _shared_words(mine, text)) >= _LEAST_SHARED:
            scored.append((-share, other.path, other, text))
    scored.sort(key=lambda row: row[:2])
    return [(other, text) for _, _, other, text in scored[:_JUDGED]]


def _stands_in_order(mine: str, text: str) -> bool:
    """Return whether all words that say something stand in another text too, in the same order."""
    others = iter(extract_terms(text))
    return all(term in others for term in extract_terms(mine) if term not in CHATTER_WORDS)


def _comparable(other: Memory, memory: Memory) -> bool:
    is_apart = other.place in (Place.QUARANTINE, Place.DEEP) and memory.place is not other.place
    return not is_apart and (memory.place is Place.QUARANTINE or is_live(other)) and may_contradict(other, memory)


def _shared_words(one: str, other: str) -> float:
    """Return how many words of the shorter text stand in the longer, as a share."""
    short, long = sorted((one, other), key=len)
    words = {token for token in split_tokens(short) if token not in CHATTER_WORDS}
    low = long.casefold()
    return (
        sum(word in low for word in words) / len(words)
        if words
        else float(normalize_content(one) == normalize_content(other))
    )


def _similar_candidates(context: VaultContext, memory: Memory, mine: str) -> Iterator[Memory]:
    """Yield what the index knows, and what was remembered since its last refresh."""
    if not context.index.count():
        context.refresh()
    unread = {kept.path: kept for kept in read_recent(context).values() if context.index.memory_by_id(kept.id) is None}
    if len(unread) >= MOST_RECENT:  # the list is full of them, and what is older is in neither
        context.refresh()
        unread = {}
    words = {token for token in split_tokens(mine) if token not in CHATTER_WORDS}
    for kept in unread.values():
        if _may_be_near(context, kept, words) and (found := _read_current(context, kept, memory)):
            yield found
    rarest = _rarest_words(mine, context.index.backend.rarity)
    words_of = [Word(term) for term in rarest]
    yield from (found.memory for found in context.index.search(words_of, filters=NO_FILTERS, limit=_CANDIDATES))


def _may_be_near(context: VaultContext, kept: RecentMemory, words: set[str]) -> bool:
    """Return whether a file holds enough of some words to be worth reading; a look at its bytes is cheap."""
    try:
        raw = files.read_file(context.vault.absolute_path(kept.path)).decode(errors="replace").casefold()
    except MemvaultError:
        return False
    return sum(word in raw for word in words) >= _LEAST_FOUND * len(words)


def _rarest_words(text: str, rarity: Callable[[list[str]], Mapping[str, float]]) -> list[str]:
    """Return the words to search for. Asking how common a word is takes time, and common words are mostly short."""
    words = dict.fromkeys(term for term in extract_terms(text) if term not in CHATTER_WORDS)
    asked = sorted(words, key=lambda word: (-len(word), word))[:_LOOKED_UP]
    worth = rarity([*asked, _NOWHERE])
    found = [word for word in asked if worth[word] < worth[_NOWHERE]]
    return sorted(found, key=lambda word: (-worth[word], word))[:_SEARCHED]
