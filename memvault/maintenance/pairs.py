"""What says the same and what contradicts: found out once, and kept until anything that decides it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from memvault.core.memory import Memory
from memvault.core.similarity.compare import Compared, Pair
from memvault.core.similarity.differences import Difference
from memvault.maintenance.rules import Survey
from memvault.maintenance.rules.merge import RULE
from memvault.storage.index.derived import PairRow
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.text.sentence.terms import Sort

_GROUPED = "grouped"  # how a pair is kept that was to be merged, and was not
_DECIDING = ("title", "kind", "status", "pinned", "people", "problem")
_DECIDING_MORE = (
    *("scope", "project", "due", "state", "condition", "completed_at", "superseded_by", "merged_into"),
    *("contested", "contradicts", "supersedes"),
)


def mark_of(bench: Bench, survey: Survey) -> str:
    """A word that stands for everything by which memories are compared."""
    texts = {path: text for path, (_, text) in bench.catalogue.files().items()}
    decided = survey.decided
    vetoes = sorted(id_ for id_, rule in decided.vetoes if rule == RULE)
    whole = [repr(_deciding(memory, texts.get(memory.path, ""))) for memory in survey.memories]
    return files.digest("\n".join([*whole, repr(sorted(decided.refused)), repr(vetoes)]).encode())


def _deciding(memory: Memory, text: str) -> tuple[object, ...]:
    more = tuple(memory.more.get(name) for name in _DECIDING_MORE)
    return (memory.id, text, memory.place.value, *(getattr(memory, name) for name in _DECIDING), *more)


def remembered(bench: Bench, mark: str) -> Compared | None:
    """What was found out before, if nothing that decides it has changed; what says the same is there in pairs."""
    found = found_before(bench, mark)
    if found is None:
        return None
    same = (Pair(*pair, "duplicate", 1.0) for pair, _ in _grouped(found))
    return replace(found, groups=(), proposals=(*same, *found.proposals))


def found_before(bench: Bench, mark: str) -> Compared | None:
    """What was found out before, as it was found."""
    rows = bench.catalogue.pairs(mark)
    if rows is None:
        return None
    groups: dict[str, list[str]] = {}
    for one, other, kept, data in rows:
        if kept == _GROUPED:
            base = json.loads(data)["base"]
            groups.setdefault(base, [base]).append(other if one == base else one)
    pairs = [_pair(one, other, kept, data) for one, other, kept, data in rows if kept != _GROUPED]
    pairs.sort(key=lambda pair: (-pair.score, pair.left, pair.right))
    return Compared(
        groups=tuple(map(tuple, groups.values())),
        proposals=tuple(pair for pair in pairs if pair.verdict != "contradiction"),
        contradictions=tuple(pair for pair in pairs if pair.verdict == "contradiction"),
    )


def keep(bench: Bench, compared: Compared, mark: str) -> None:
    """Keep what was found out."""
    bench.catalogue.keep_pairs(mark, _rows(compared))


def _rows(compared: Compared) -> Iterator[PairRow]:
    for (one, other), base in _grouped(compared):
        yield one, other, _GROUPED, json.dumps({"base": base})
    for pair in (*compared.proposals, *compared.contradictions):
        differing = [[one.sort.value, one.left, one.right] for one in pair.differences]
        yield pair.left, pair.right, pair.verdict, json.dumps({"score": pair.score, "differences": differing})


def _grouped(compared: Compared) -> Iterator[tuple[tuple[str, str], str]]:
    """The groups in pairs, each with the base of its group."""
    for base, *others in compared.groups:
        yield from (((min(base, other), max(base, other)), base) for other in others)


def _pair(one: str, other: str, kept: str, data: str) -> Pair:
    said = json.loads(data)
    differing = tuple(Difference(Sort(sort), left, right) for sort, left, right in said["differences"])
    return Pair(one, other, kept, said["score"], differing)  # type: ignore[arg-type]  # the verdict as it was kept
