"""What says the same and what contradicts: found out once, and kept until anything that decides it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from memvault.core.memory import Memory
from memvault.core.similarity.contradiction import Difference
from memvault.core.similarity.verdict import ComparedPair, ComparisonResult
from memvault.maintenance.rules import VaultSnapshot
from memvault.maintenance.rules.merge_duplicates import RULE
from memvault.storage.index.derived import PairRow
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.text.sentence.terms import TermKind

_GROUP_VERDICT = "grouped"  # how a pair is kept that was to be merged, and was not
_COMPARED_FIELDS = ("title", "kind", "status", "pinned", "people", "problem")
_COMPARED_MORE = (
    *("scope", "project", "due", "state", "condition", "completed_at", "superseded_by", "merged_into"),
    *("contested", "contradicts", "supersedes"),
)


def comparison_mark(context: VaultContext, snapshot: VaultSnapshot) -> str:
    """Return a digest of everything by which memories are compared."""
    texts = {path: text for path, (_, text) in context.index.note_sizes().items()}
    decided = snapshot.decided
    vetoes = sorted(id_ for id_, rule in decided.vetoes if rule == RULE)
    whole = [repr(_compared_values(memory, texts.get(memory.path, ""))) for memory in snapshot.memories]
    return files.digest("\n".join([*whole, repr(sorted(decided.refused)), repr(vetoes)]).encode())


def _compared_values(memory: Memory, text: str) -> tuple[object, ...]:
    more = tuple(memory.more.get(name) for name in _COMPARED_MORE)
    return (memory.id, text, memory.place.value, *(getattr(memory, name) for name in _COMPARED_FIELDS), *more)


def load_as_pairs(context: VaultContext, mark: str) -> ComparisonResult | None:
    """Return the saved comparison with its groups as pairs; None if anything that decides it has changed."""
    found = load_comparison(context, mark)
    if found is None:
        return None
    same = (ComparedPair(*pair, "duplicate", 1.0) for pair, _ in _group_pairs(found))
    return replace(found, groups=(), proposals=(*same, *found.proposals))


def load_comparison(context: VaultContext, mark: str) -> ComparisonResult | None:
    """Return the saved comparison as it was saved."""
    rows = context.index.read_pairs(mark)
    if rows is None:
        return None
    groups: dict[str, list[str]] = {}
    for one, other, kept, data in rows:
        if kept == _GROUP_VERDICT:
            base = json.loads(data)["base"]
            groups.setdefault(base, [base]).append(other if one == base else one)
    pairs = [_parse_pair(one, other, kept, data) for one, other, kept, data in rows if kept != _GROUP_VERDICT]
    pairs.sort(key=lambda pair: (-pair.score, pair.left, pair.right))
    return ComparisonResult(
        groups=tuple(map(tuple, groups.values())),
        proposals=tuple(pair for pair in pairs if pair.verdict != "contradiction"),
        contradictions=tuple(pair for pair in pairs if pair.verdict == "contradiction"),
    )


def save_comparison(context: VaultContext, compared: ComparisonResult, mark: str) -> None:
    """Save what the comparison found."""
    context.index.write_pairs(mark, _pair_rows(compared))


def _pair_rows(compared: ComparisonResult) -> Iterator[PairRow]:
    for (one, other), base in _group_pairs(compared):
        yield one, other, _GROUP_VERDICT, json.dumps({"base": base})
    for pair in (*compared.proposals, *compared.contradictions):
        differing = [[one.sort.value, one.left, one.right] for one in pair.differences]
        yield pair.left, pair.right, pair.verdict, json.dumps({"score": pair.score, "differences": differing})


def _group_pairs(compared: ComparisonResult) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the groups in pairs, each with the base of its group."""
    for base, *others in compared.groups:
        yield from (((min(base, other), max(base, other)), base) for other in others)


def _parse_pair(one: str, other: str, kept: str, data: str) -> ComparedPair:
    parsed = json.loads(data)
    differing = tuple(Difference(TermKind(sort), left, right) for sort, left, right in parsed["differences"])
    return ComparedPair(one, other, kept, parsed["score"], differing)  # type: ignore[arg-type]  # the verdict as it was kept
