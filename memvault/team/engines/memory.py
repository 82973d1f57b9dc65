"""An engine in memory: slow, plain, and the oracle for every other engine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memvault.storage.index.search.bm25 import FIELDS, term_rarity
from memvault.team.engines import (
    MEMORY,
    MOST_FOLLOWED,
    NAMED_SPEAKER,
    TURN,
    Around,
    Batch,
    Counts,
    Cursor,
    Reader,
    Ref,
    Sought,
    Source,
    Statistics,
    Totals,
    Unit,
    digest_row,
    find_similar,
    followed_postings,
)


class _Vault:
    def __init__(self) -> None:
        self.cursor = ""
        self.sources: dict[tuple[int, str], Source] = {}
        self.speaker_terms: dict[str, tuple[str, ...]] = {}
        self.settings = "{}"

    def units(self, kind: int) -> Iterator[Unit]:
        for (own, _), source in sorted(self.sources.items()):
            if own == kind:
                yield from source.units


class MemoryEngine:
    """Keeps every source as it was taken, and counts anew for each question."""

    def __init__(self) -> None:
        self._vaults: defaultdict[int, _Vault] = defaultdict(_Vault)
        self._grants: set[tuple[int, str]] = set()

    def grant(self, vault: int, who: str) -> None:
        """Let a person or a group read a vault."""
        self._grants.add((vault, who))

    # -- writing

    def take(self, vault: int, batch: Batch) -> int:
        """Replace the sources of a batch."""
        held = self._vaults[vault]
        if batch.since != held.cursor:
            return 0
        before = _row_digests(held.sources.values())
        if batch.is_whole:
            held.sources.clear()
        for key in batch.gone:
            held.sources.pop(key, None)
        held.sources |= {(source.kind, source.id): source for source in batch.sources}
        held.speaker_terms |= batch.speaker_terms
        held.cursor = batch.cursor
        held.settings = held.settings if batch.settings is None else batch.settings
        after = _row_digests(held.sources.values())
        return sum(before.get(key) != digest for key, digest in after.items()) + len(before.keys() - after.keys())

    def cursor(self, vault: int, refs: Sequence[str] = ()) -> Cursor:
        """Compare every id and path."""
        held = self._vaults[vault]
        found = ((source.kind, source.id, source.path) for _, source in sorted(held.sources.items()))
        return Cursor(held.cursor, [row for row in found if not {row[1], row[2]}.isdisjoint(refs)])

    def digest(self, vault: int) -> str:
        """Return a digest of all rows of a vault."""
        return digest_row(sorted(_row_digests(self._vaults[vault].sources.values()).values()))

    # -- reading

    def candidates(self, who: Reader, vault: int, kind: int, sought: Sought, *, limit: int) -> list[Ref]:
        """Score every unit that holds one of the followed terms."""
        held = self._granted(who, vault)
        units = list(held.units(kind))
        counts = {term: _holding(units, term, kind).units for term in sought.terms}
        known = sorted((count, term) for term, count in counts.items() if count)
        followed, total = set[str](), 0
        for count, term in known:
            total += count
            if not followed or total <= followed_postings(limit):
                followed.add(term)
        is_cut = len(followed) < len(known) or (bool(known) and known[0][0] > MOST_FOLLOWED)
        weights = {term: sought.terms[term] * term_rarity(count, len(units)) for count, term in known}
        average = sum(sum(unit.lengths) for unit in units) / max(len(units), 1) or 1.0

        def score(unit: Unit) -> float:
            own = sum(weight for term, weight in weights.items() if term in unit.hits)
            own += NAMED_SPEAKER if unit.speaker in sought.speakers else 0.0
            return own / (1.3 + 0.9 * sum(unit.lengths) / average)

        matching = [unit for unit in units if not followed.isdisjoint(unit.hits)][:MOST_FOLLOWED]
        found = [unit.ref for unit in sorted(matching, key=lambda unit: (-score(unit), unit.ref))[:limit]]
        for first, last in zip(sought.days[::2], sought.days[1::2], strict=True):
            dated = [unit for unit in units if first <= unit.day <= last]
            found += [unit.ref for unit in sorted(dated, key=lambda unit: (-score(unit), unit.ref))[:limit]]
        return [ref._replace(is_cut=is_cut) for ref in dict.fromkeys(found)]

    def around(
        self,
        who: Reader,
        vault: int,
        kind: int,
        place: Sequence[Ref] | Sought,
        *,
        limit: int = 0,
        terms: Sequence[str] = (),
        steps: int = 0,
        texts: bool = False,
    ) -> Around:
        """Look at all units of the sources."""
        refs = self.candidates(who, vault, kind, place, limit=limit) if isinstance(place, Sought) else place
        held, asked = self._granted(who, vault), frozenset(terms)
        if texts:
            return _around_texts(held, kind, refs, steps)
        turns = {(ref.source, turn) for ref in refs for turn in range(ref.turn - steps, ref.turn + steps + 1)}
        names = {ref.source for ref in refs}
        sources = [source for (own, id_), source in sorted(held.sources.items()) if own == kind and id_ in names]
        units = [
            unit._replace(hits={term: fields for term, fields in unit.hits.items() if term in asked})
            for one in sources
            for unit in one.units
            if (unit.source, unit.turn) in turns
        ]
        counts = {(one.id, sitting): found for one in sources for sitting, found in one.count_sittings().items()}
        sittings = dict.fromkeys((unit.source, unit.sitting) for unit in units if kind == TURN and not unit.role)
        said = {key: {term: often for term, often in counts[key].items() if term in asked} for key in sittings}
        return Around(units, {key: found for key, found in said.items() if found}, any(ref.is_cut for ref in refs))

    def statistics(
        self,
        who: Reader,
        vault: int,
        terms: Sequence[str],
        groups: Sequence[tuple[str, ...]] = (),
        spelled: Sequence[str] = (),
    ) -> Statistics:
        """Count over all units."""
        held = self._granted(who, vault)
        units = {kind: list(held.units(kind)) for kind in (MEMORY, TURN)}
        counts = {(kind, term): _holding(units[kind], term, kind) for kind in units for term in terms}
        counted = {key: found for key, found in counts.items() if found.units}
        known = {kind: {term for unit in units[kind] for term in unit.hits} for kind in units}
        people = sorted({unit.speaker for unit in units[TURN] if not unit.role})
        named = {term: tuple(name for name in people if term in held.speaker_terms.get(name, ())) for term in terms}
        return Statistics(
            totals=_totals(held, units),
            terms=counted,
            groups={group: _holding_any(units[TURN], group) for group in groups},
            similar={
                (kind, term): alike
                for kind in units
                for term in spelled
                if term not in known[kind] and (alike := find_similar(term, known[kind]))
            },
            speakers={term: names for term, names in named.items() if names},
        )

    def _granted(self, who: Reader, vault: int) -> _Vault:
        is_granted = any((vault, name) in self._grants for name in who.names)
        return self._vaults[vault] if is_granted else _Vault()


def _around_texts(held: _Vault, kind: int, refs: Sequence[Ref], steps: int) -> Around:
    found, turns = [], []
    is_known = any((kind, ref.source) in held.sources for ref in refs)
    for (own, id_), source in sorted(held.sources.items()):
        if own != kind:
            continue
        names = (id_,) if is_known else (id_, source.path, source.short)
        asked = [
            ref for ref in refs if ref.source and (ref.source in names or (not is_known and id_.startswith(ref.source)))
        ]
        near = {turn for ref in asked for turn in range(ref.turn - steps, ref.turn + steps + 1)}
        turns += [turn for turn in source.turns if turn.turn in near]
        found += [source._replace(turns=(), units=())] if asked else []
    return Around(turns=turns, sources=found)


class _RowKey(NamedTuple):
    table: str
    kind: int
    source: str
    turn: int = 0
    part: int = 0


def _row_digests(sources: Iterable[Source]) -> dict[_RowKey, str]:
    found: dict[_RowKey, str] = {}
    for source in sources:
        found[_RowKey("source", source.kind, source.id)] = digest_row(source.path, source.short, source.data)
        for turn in source.turns:
            found[_RowKey("turn", source.kind, source.id, turn.turn)] = digest_row(turn.text, turn.data)
        for unit, digest in zip(source.units, source.unit_digests(), strict=True):
            found[_RowKey("unit", source.kind, source.id, unit.turn, unit.part)] = digest
    return found


def _holding(units: Sequence[Unit], term: str, kind: int) -> Counts:
    holding = [unit for unit in units if term in unit.hits]
    if kind == TURN:
        return Counts(len(holding), len({(unit.source, unit.sitting) for unit in holding}))
    fields = Counter(field for unit in holding for field in unit.hits[term])
    return Counts(max(fields.values(), default=0))


def _holding_any(units: Sequence[Unit], terms: Sequence[str]) -> Counts:
    holding = [unit for unit in units if any(term in unit.hits for term in terms)]
    return Counts(len(holding), len({(unit.source, unit.sitting) for unit in holding}))


def _totals(held: _Vault, units: Mapping[int, Sequence[Unit]]) -> Totals:
    kinds = Counter(kind for kind, _ in held.sources)
    days = [unit.day for unit in units[TURN] if unit.day]
    columns = zip(*(unit.lengths for unit in units[MEMORY]), strict=True)
    return Totals(
        memories=kinds[MEMORY],
        passages=len(units[MEMORY]),
        lengths=tuple(map(sum, columns)) or (0,) * len(FIELDS),
        conversations=kinds[TURN],
        turns=sum(len(source.turns) for (kind, _), source in held.sources.items() if kind == TURN),
        units=len(units[TURN]),
        terms=sum(unit.lengths[0] for unit in units[TURN]),
        sittings=len({(unit.source, unit.sitting) for unit in units[TURN]}),
        earliest=min(days, default=0),
        latest=max(days, default=0),
    )
