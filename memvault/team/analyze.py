"""Turn memories and conversations into the sources and units that an engine holds: the same terms as in the index."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.core.memory import IndexEntry
from memvault.core.secrets.private_spans import strip_private
from memvault.storage.index.rows import encode_memory, search_document
from memvault.storage.index.search.bm25 import BODY, CONTEXT
from memvault.storage.transcript_index.units import FACTS, TEXT, CutUnit, UnitCutter
from memvault.team.engines import MEMORY, TURN, Source, SourceTurn, Unit
from memvault.text.terms import extract_terms
from memvault.transcripts.archive.archive import short_id

_MEMORY_FIELDS, _TURN_FIELDS = (*CONTEXT, BODY), (TEXT, FACTS)


def memory_source(entry: IndexEntry, body: str, *, size: int) -> Source:
    """Return a memory as an engine holds it: its fields, its text without private parts, and a unit per passage."""
    memory, document = entry.memory, search_document(0, entry)
    kept = {"memory": encode_memory(memory)[0], "spans": entry.spans, "size": size}
    units = []
    for part, passage in enumerate(document.passages or ("",)):
        fields = {BODY: extract_terms(passage)}
        if part == 0:
            fields |= {name: extract_terms(getattr(document, name)) for name in CONTEXT}
        lengths, hits = _count_terms(fields, _MEMORY_FIELDS)
        units.append(Unit(memory.id, 0, part, 0, "", 0, 0, 0, lengths, 0, (), hits))
    text = SourceTurn(memory.id, 0, strip_private(body), _as_json(kept))
    return Source(MEMORY, memory.id, memory.path, "", "{}", (text,), units)


def conversation_source(
    path: str, head: Conversation, turns: Iterable[Turn], facts: Iterable[Fact], topics: Iterable[Trajectory]
) -> Source:
    """Return a conversation as an engine holds it: who speaks, its topics, its turns, and their units."""
    told = [replace(turn, text=strip_private(turn.text)) for turn in turns]
    by_turn: dict[str, list[str]] = {}
    for fact in facts:
        if fact.turns:
            by_turn.setdefault(fact.turns[-1], []).append(strip_private(fact.text))
    cutter = UnitCutter()
    cutter.add_speakers(head.speakers)
    cut = list(cutter.cut_turns(told, by_turn, start=0))
    units = list(_number_units(head.id, cut, list(cutter.speakers)))
    times = [turn.time.timestamp() for turn in told if turn.time]
    kept = {
        "source": head.source,
        "title": strip_private(head.title),
        "project": head.project,
        "speakers": list(cutter.speakers),
        "turns": len(told),
        "units": len(units),
        "first": min(times, default=None),
        "last": max(times, default=None),
        "topics": [(one.first, one.last, strip_private(one.summary), one.keywords) for one in topics],
    }
    spans: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for unit in cut:
        spans[unit.place].append((unit.start, unit.stop))
    texts = [SourceTurn(head.id, place, turn.text, _turn_data(turn, spans[place])) for place, turn in enumerate(told)]
    return Source(TURN, head.id, path, short_id(head.id), _as_json(kept), texts, units)


def speaker_terms(sources: Iterable[Source]) -> dict[str, tuple[str, ...]]:
    """Return the terms of the names of all who speak as people."""
    names = {unit.speaker for source in sources for unit in source.units if source.kind == TURN and not unit.role}
    return {name: tuple(dict.fromkeys(extract_terms(name))) for name in sorted(names)}


def _number_units(source: str, cut: Sequence[CutUnit], speakers: Sequence[str]) -> Iterator[Unit]:
    sums: Counter[int] = Counter()
    for unit in cut:
        _, sitting, _, role, _, _, length = unit.numbers
        sums[sitting] += 0 if role else length
    part, before = 0, -1
    for unit in cut:
        place, sitting, speaker, role, day, signs, length = unit.numbers
        part, before = (part + 1 if place == before else 0), place
        lengths, hits = _count_terms(unit.fields, _TURN_FIELDS)
        named = tuple(number for pair in unit.named_days for number in pair)
        about = (sitting, speakers[speaker], role, day, signs)
        yield Unit(source, place, part, *about, (length, *lengths[1:]), 0 if role else sums[sitting], named, hits)


def _count_terms(
    fields: Mapping[str, Sequence[str]], names: Sequence[str]
) -> tuple[tuple[int, ...], dict[str, dict[int, int]]]:
    """Return how many terms each field has, and how often each has each term."""
    hits: dict[str, dict[int, int]] = {}
    for number, name in enumerate(names):
        for term, often in Counter(fields.get(name, ())).items():
            hits.setdefault(term, {})[number] = often
    return tuple(len(fields.get(name, ())) for name in names), hits


def _turn_data(turn: Turn, spans: Sequence[tuple[int, int]]) -> str:
    """Return what is known of a turn besides its text, and where its units stand in that."""
    at = turn.time.timestamp() if turn.time else None
    deeds = [strip_private(deed) for deed in turn.deeds]
    return _as_json([turn.id, turn.session, at, turn.speaker, turn.role, deeds, spans])


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
