"""A shared vault as recall and dig see any other: its indexes answer out of what an engine supplies.

One context serves one question. Whatever ranks, folds and packs is what ranks, folds and packs at home.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast
from zlib import crc32

from memvault.core.memory import Memory
from memvault.core.query import NO_FILTERS, Filters, Word
from memvault.core.settings import Settings
from memvault.core.value import replace
from memvault.core.weight import NO_USAGE, UsageHistory
from memvault.errors import BadInput
from memvault.recall.ranking.question import read_note_question, read_question
from memvault.storage.index.index import Index
from memvault.storage.index.postings.store import ByteCache
from memvault.storage.index.query import Enough, GuardedBackend, IndexHit
from memvault.storage.index.rows import WHOLE, decode_memory
from memvault.storage.index.search import TermHits
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, term_rarity
from memvault.storage.index.search.scan import field_score
from memvault.storage.index.search.score import join_matches, word_value
from memvault.storage.journal.journal import JsonRecord
from memvault.storage.vault.context import Actor, VaultContext
from memvault.storage.vault.layout import Layout
from memvault.storage.vault.vault import Vault
from memvault.team.engines import MEMORY, Engine, Reader, Ref, Sought, Unit
from memvault.team.shared_turns import SharedTranscripts, VaultCounts
from memvault.text.terms import count_words

SETTINGS = ("recall.", "dig.", "people.", "decay.", "index.max_kilobytes")  # what of a vault's settings travels
_NOWHERE = Path("/dev/null/shared")
_TEXTS = 8 << 20
_BODY = len(CONTEXT)
_READ = 20  # memories whose texts are read together: those that are shown, and a few more


class SharedVault(NamedTuple):
    """A vault that a reader may read: its name, the number of its units in the engine, and its settings."""

    id: int
    name: str
    number: int
    is_private: bool = False
    settings: str = "{}"


class _SharedFiles(Vault):
    """A vault without files: what was indexed is what there is."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.root = settings, _NOWHERE
        self.layout = Layout.from_settings(settings, adopted=False)

    def is_unchanged(self, path: str, key: object) -> bool:  # noqa: ARG002 - nothing lies there
        return True

    def try_journal(self, entries: Sequence[JsonRecord], now: datetime) -> bool:  # noqa: ARG002 - reading never writes
        return False


class _SharedBackend:
    """What recall asks the search backend for: counts of the whole vault."""

    def __init__(self, asked: VaultCounts) -> None:
        self._asked = asked

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        self._asked.look_up(terms)
        total = self._asked.counts.totals.passages
        return {term: term_rarity(self._asked.holding(MEMORY, term).units, total) for term in dict.fromkeys(terms)}

    def near(self, terms: Sequence[str]) -> dict[str, list[str]]:
        self._asked.look_up((), (), terms)
        found = ((term, self._asked.similar(MEMORY, term)) for term in terms)
        return {term: list(others) for term, others in found if others}


class _ReadMemory(NamedTuple):
    memory: Memory
    size: int
    spans: Sequence[tuple[int, int, str]]


class SharedIndex(Index):
    """The index of a shared vault's memories: candidates of the engine, scored as at home."""

    def __init__(self, asked: VaultCounts, now: datetime) -> None:
        self.folder = _NOWHERE
        self.backend = cast("GuardedBackend", _SharedBackend(asked))  # recall asks it for nothing else
        self.texts = ByteCache(_TEXTS)
        self._asked, self._now = asked, now

    def search(
        self, words: Sequence[Word], *, filters: Filters, limit: int, enough: Enough | None = None
    ) -> Iterator[IndexHit]:
        """Yield the memories that hold any of the words, best first."""
        terms = list(dict.fromkeys(term for word in words for term in word.terms))
        units = self._find_units(words, terms) if self._asked.counts.totals.passages else {}
        sources, is_open = list(units), filters == NO_FILTERS
        matches = self._score(list(units.values()), words, limit if is_open else len(units))
        tells = not any(count_words(term)[1] for term in terms)
        best = matches[0].score if matches and is_open else 0.0

        def is_enough(match: Any) -> bool:
            held = frozenset(term for unit in units[sources[match.number]] for term in unit.hits)
            return not tells or enough is None or enough(held)

        waiting = (match for match in matches if not is_open or is_enough(match))
        while some := list(islice(waiting, _READ)):
            read = self._read_memories([sources[match.number] for match in some])
            for match in some:
                found = read.get(sources[match.number])
                if found is None or not _passes(found.memory, filters):
                    continue
                best = best or match.score  # of those that meet the conditions
                if is_open or is_enough(match):
                    hits = _term_hits(units[sources[match.number]], match.part) if tells else None
                    span = found.spans[match.part] if match.part < len(found.spans) else WHOLE
                    yield IndexHit(found.memory, match.score, span, (found.size, 0, 0, 0), 0, hits, NO_USAGE, best)

    def _find_units(self, words: Sequence[Word], terms: Sequence[str]) -> dict[str, list[Unit]]:
        """Return the units of the memories that are candidates."""
        asked = self._asked
        shares: dict[str, float] = {}
        for word in words:
            for term, share in ((word.term, 1.0), *word.others):
                shares[term] = max(shares.get(term, 0.0), share * word.weight)
        units: dict[str, list[Unit]] = {}
        for unit in asked.find_around(MEMORY, Sought(shares), terms).units:
            units.setdefault(unit.source, []).append(unit)
        return units

    def _read_memories(self, sources: Sequence[str]) -> dict[str, _ReadMemory]:
        """Read some memories with their texts."""
        found = {}
        refs = [Ref(source, 0) for source in sources]
        for turn in self._asked.engine.around(self._asked.who, self._asked.vault, MEMORY, refs, texts=True).turns:
            kept = json.loads(turn.data)
            memory = decode_memory(kept["memory"], crc32(kept["memory"].encode()), turn.source)
            if memory is not None:
                self.texts.put((memory.path, (kept["size"], 0, 0, 0)), turn.text, size=len(turn.text))
                found[turn.source] = _ReadMemory(memory, kept["size"], [tuple(span) for span in kept["spans"]])
        return found

    def _score(self, found: Sequence[Sequence[Unit]], words: Sequence[Word], limit: int) -> list[Any]:
        totals = self._asked.counts.totals
        values = {
            word: word_value(word, lambda term: self._asked.holding(MEMORY, term).units, totals.passages)
            for word in dict.fromkeys(words)
        }
        averages = {
            name: total / max(totals.passages if name == BODY else totals.memories, 1)
            for name, total in zip(FIELDS, totals.lengths, strict=True)
        }
        context: dict[int, float] = {}
        passages = []
        for number, units in enumerate(found):
            for unit in units:
                for field, name in enumerate(FIELDS):
                    counts = {term: fields[field] for term, fields in unit.hits.items() if field in fields}
                    score = field_score(counts, unit.lengths[field], name, values, averages) if counts else 0.0
                    if score and name == BODY:
                        passages.append(((number, unit.part), score))
                    elif score:
                        context[number] = context.get(number, 0.0) + score
        return join_matches(context, passages, keep=None, limit=limit)

    def count(self) -> int:
        """Return how many memories the vault holds."""
        return self._asked.counts.totals.memories

    def contradicted_among(self, ids: Iterable[str]) -> frozenset[str]:  # noqa: ARG002 - verdicts stay with each machine
        """Return none: what contradicts what is decided by each person."""
        return frozenset()

    def contradicting_ids(self, id_: str) -> list[str]:  # noqa: ARG002 - as above
        """Return none, as above."""
        return []

    def usage_histories(self, ids: Iterable[str]) -> dict[str, UsageHistory]:  # noqa: ARG002 - reading never writes
        """Return none: a shared vault keeps no record of who used what."""
        return {}

    def memories(self, filters: Filters, *, limit: int = 0) -> list[Memory]:
        """Refuse: without words an engine has nothing to look for."""
        raise BadInput(what="the query", value=f"{filters} {limit}", reason="a shared vault is searched by words")


def open_context(
    engine: Engine, who: Reader, vault: SharedVault, query: str, *, now: datetime, zone: tzinfo = UTC
) -> VaultContext:
    """Return the context in which one question is put to a shared vault."""
    given = ((name, value) for name, value in json.loads(vault.settings).items() if name.startswith(SETTINGS))
    settings = Settings({name: tuple(value) if isinstance(value, list) else value for name, value in given})
    asked = VaultCounts(engine, who, vault.number)
    index = SharedIndex(asked, now)
    people = settings.texts("people.aliases")
    here = now.astimezone(zone)
    noted = read_note_question(query, now=here, people=people, near=lambda _terms: {})
    transcripts = SharedTranscripts(asked, read_question(query, now=here, people=people), noted.words)
    return VaultContext(
        _SharedFiles(settings), index, now, zone, Actor(who.agent), open_transcripts=lambda: transcripts, is_fresh=True
    )


def _passes(memory: Memory, filters: Filters) -> bool:
    """Return whether a memory was made when the question says; other conditions are not known here."""
    if replace(filters, made=(), since=None) != NO_FILTERS:
        raise BadInput(what="the conditions", value=str(filters), reason="a shared vault is searched by words")
    created = memory.created.timestamp()
    is_made = not filters.made or any(first <= created <= last for first, last in filters.made)
    return is_made and (filters.since is None or max(memory.created, memory.last_accessed) >= filters.since)


def _term_hits(units: Sequence[Unit], part: int) -> TermHits:
    def holding(field: int, some: Iterable[Unit]) -> frozenset[str]:
        return frozenset(term for unit in some for term, fields in unit.hits.items() if field in fields)

    context = {name: holding(field, units) for field, name in enumerate(CONTEXT)}
    return TermHits(context, holding(_BODY, (u for u in units if u.part == part)), holding(_BODY, units))
