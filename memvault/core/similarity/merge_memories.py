"""Merge memories that say the same: which may be merged, and what the result is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from types import MappingProxyType

from memvault.core.fields import SOURCES
from memvault.core.ids import derive_id
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.similarity.contradiction import are_against, is_live
from memvault.core.similarity.merge_bodies import unite_texts

_ELIGIBLE_PLACES = (Place.HOT, Place.MEMORIES)
_TRUSTED = SOURCES[: SOURCES.index("import")]

# Two that differ in one of these are two things to do, whatever their words.
_SETTLING = ("due", "state", "condition", "completed_at")

_COUNTS = ("usage_count", "evidence_count")
_EARLIEST = ("due",)
_LARGEST = ("confidence", "priority")
_OWN = ("source", "session", "source_sessions", "merged_from", "merged_into", "success_rate")


# -- which may be merged


def can_merge(a: Memory, b: Memory) -> bool:
    """Return whether two memories may be merged: alike in kind, scope and project, neither pinned nor settled."""
    if a.id == b.id or not (_is_free(a) and _is_free(b)):
        return False
    if a.kind != b.kind or any(a.more.get(name) != b.more.get(name) for name in ("scope", "project")):
        return False
    if a.people and b.people and not {*map(str.casefold, a.people)} & {*map(str.casefold, b.people)}:
        return False
    settled = (name for name in _SETTLING if name in a.more and name in b.more)
    return all(a.more[name] == b.more[name] for name in settled) and not are_against(a, b)


def _is_free(memory: Memory) -> bool:
    return is_live(memory) and memory.place in _ELIGIBLE_PLACES and not (memory.problem or memory.pinned)


# -- the merged memory


def merge_memories(memories: Sequence[Memory], *, vault_id: str) -> Memory:
    """Return the memory that replaces all of these, equal for any order of them and on every device.

    Its path is that of one of them, for the caller to replace.
    """
    ranked = sorted(memories, key=lambda memory: (memory.weight, memory.created, memory.id), reverse=True)
    newest = sorted(memories, key=lambda memory: (memory.created, memory.id), reverse=True)
    lead = ranked[0]
    sources = source_ids(memories)
    # The least trusted one; a note that names none is the user's own.
    source = max((str(memory.more.get("source", SOURCES[0])) for memory in ranked), key=SOURCES.index)
    place = _choose_place(ranked, source)
    bases = [memory.base for memory in ranked]
    return lead.with_changes(
        id=derive_id(vault_id, "merged:" + ",".join(sources)),
        path=next((memory.path for memory in ranked if memory.place is place), lead.path),
        place=place,
        created=min(memory.created for memory in ranked),
        last_accessed=max(memory.last_accessed for memory in ranked),
        access_count=sum(memory.access_count for memory in ranked),
        weight=max(memory.weight for memory in ranked),
        base_weight=None if all(memory.base_weight is None for memory in ranked) else max(bases),
        emotional_flag=any(memory.emotional_flag for memory in ranked),
        pinned=any(memory.pinned for memory in ranked),
        decay_eligible=all(memory.decay_eligible for memory in ranked),
        status="active" if any(memory.status == "active" for memory in ranked) else lead.status,
        tags=_union_texts(memory.tags for memory in ranked),
        topics=_union_texts(memory.topics for memory in ranked),
        people=_union_texts(memory.people for memory in ranked),
        triggers=_union_texts(memory.triggers for memory in ranked),
        aliases=_union_texts((memory.title, *memory.aliases) for memory in ranked),
        refs=MappingProxyType(_merge_refs(ranked)),
        more=MappingProxyType(_merge_fields(ranked, sources, source)),
        version="",
        body=unite_texts([memory.body or "" for memory in newest]),
    )


def source_ids(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the ids of the memories that these were made of: their own, or those they were merged from."""
    found = (source for memory in memories for source in _as_texts(memory.more.get("merged_from")) or (memory.id,))
    return tuple(sorted({source.casefold() for source in found}))


def session_ids(memory: Memory) -> tuple[str, ...]:
    """Return the conversations that a memory came up in."""
    named = (memory.more.get("source_sessions"), memory.more.get("session"), memory.refs.get("session"))
    return _union_texts(map(_as_texts, named))


def _choose_place(memories: Sequence[Memory], source: str) -> Place:
    """Return the hot tier if one of the memories is in it, unless another must not rise there by itself."""
    is_trusted = source in _TRUSTED and not any(memory.more.get("tainted") for memory in memories)
    is_hot = any(memory.place is Place.HOT for memory in memories)
    return Place.HOT if is_hot and is_trusted else Place.MEMORIES


def _as_texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, tuple | list) else ()


def _union_texts(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return each text once, in the spelling that comes first."""
    found: dict[str, str] = {}
    for texts in lists:
        for text in texts:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())


def _merge_refs(memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(name for memory in memories for name in memory.refs)
    return {
        name: tuple(dict.fromkeys(ref for memory in memories for ref in memory.refs.get(name, ()))) for name in names
    }


def _merge_fields(memories: Sequence[Memory], sources: tuple[str, ...], source: str) -> dict[str, FieldValue]:
    names = dict.fromkeys(name for memory in memories for name in memory.more if name not in _OWN)
    found: dict[str, FieldValue] = {
        name: _merge_values(name, [memory.more[name] for memory in memories if name in memory.more]) for name in names
    }
    sessions = _union_texts(map(session_ids, memories))
    if any("source" in memory.more for memory in memories):
        found["source"] = source
    if len(sessions) == 1 and any("session" in memory.more for memory in memories):
        found["session"] = sessions[0]
    if sessions:
        found["source_sessions"] = tuple(sorted(sessions))
    if (rate := _merge_success_rates(memories)) is not None:
        found["success_rate"] = rate
    return {**found, "merged_from": sources}


def _merge_values(name: str, values: list[FieldValue]) -> FieldValue:
    """Return one value for several, the first of which counts most."""
    first = values[0]
    if name in _COUNTS:
        return sum(value for value in values if isinstance(value, int))
    if isinstance(first, tuple):
        return tuple(dict.fromkeys(text for value in values for text in _as_texts(value)))
    if isinstance(first, bool):
        return any(values)
    if name in _LARGEST or isinstance(first, datetime):
        choose: Callable[..., FieldValue] = min if name in _EARLIEST else max
        return choose(value for value in values if isinstance(value, type(first)))
    return first


def _merge_success_rates(memories: Sequence[Memory]) -> float | None:
    """Return the success rate over all uses, each memory's by how often it was followed."""
    rates = [
        (rate, max(1, count))
        for memory in memories
        if isinstance(rate := memory.more.get("success_rate"), int | float)
        and isinstance(count := memory.more.get("usage_count", 1), int)
    ]
    total = sum(count for _, count in rates)
    return round(sum(rate * count for rate, count in rates) / total, 4) if total else None
