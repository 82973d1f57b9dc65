"""What says the same and what contradicts: found out once, and kept until anything that decides it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memvault import files
from memvault.core.likeness import Compared, Difference, Pair, Sort
from memvault.core.memory import Memory
from memvault.core.sweep import Survey
from memvault.core.sweep.consolidation import RULE
from memvault.index.pairs import PairRow
from memvault.verbs.bench import Bench

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
    """What was found out before, if nothing that decides it has changed."""
    rows = bench.catalogue.pairs(mark)
    if rows is None:
        return None
    pairs = [(kept, _pair(one, other, kept, data)) for one, other, kept, data in rows]
    return Compared(
        groups=(),  # they were merged, or are offered one by one
        proposals=tuple(pair for kept, pair in pairs if kept != "contradiction"),
        contradictions=tuple(pair for kept, pair in pairs if kept == "contradiction"),
    )


def keep(bench: Bench, compared: Compared, mark: str) -> None:
    """Keep what was found out."""
    bench.catalogue.keep_pairs(mark, _rows(compared))


def _rows(compared: Compared) -> Iterator[PairRow]:
    for base, *others in compared.groups:
        yield from ((*sorted((base, other)), _GROUPED, "{}") for other in others)  # type: ignore[misc]
    for pair in (*compared.proposals, *compared.contradictions):
        differing = [[one.sort.value, one.left, one.right] for one in pair.differences]
        yield pair.left, pair.right, pair.verdict, json.dumps({"score": pair.score, "differences": differing})


def _pair(one: str, other: str, kept: str, data: str) -> Pair:
    said = json.loads(data)
    differing = tuple(Difference(Sort(sort), left, right) for sort, left, right in said.get("differences", ()))
    verdict = "duplicate" if kept == _GROUPED else kept
    return Pair(one, other, verdict, said.get("score", 1.0), differing)  # type: ignore[arg-type]  # as it was kept
