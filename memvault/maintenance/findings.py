"""What the vault says twice, and what in it contradicts: laid out for a person to decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import without_private
from memvault.core.similarity.compare import Compared, Pair
from memvault.core.similarity.differences import Difference, between, differences
from memvault.core.similarity.merge import said
from memvault.core.similarity.score import align
from memvault.core.similarity.sentences import Statement, statements
from memvault.maintenance import pairs as alike
from memvault.maintenance.rules import Survey
from memvault.maintenance.rules.merge import look
from memvault.maintenance.rules.world import World
from memvault.maintenance.survey import gather
from memvault.recall.superseded import said_at
from memvault.storage.journal.apply import Progress, unseen
from memvault.storage.vault.context import Bench


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two memories, when it came to say what it says, and the statements in which it differs."""

    memory: Memory
    at: datetime
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Differing:
    """One thing that two memories say otherwise: what sort of thing, and each one's word for it."""

    sort: str
    newer: str
    older: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two live memories that cannot both be right, as far as anyone can see."""

    newer: Side
    older: Side
    score: float
    differences: tuple[Differing, ...]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The contradictions in a vault, the newest first, and how many there are in all."""

    conflicts: tuple[Conflict, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two memories that may say the same; the newer first."""

    newer: Memory
    older: Memory
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """What says the same, in groups, what may, in pairs, and how many there are of both."""

    groups: tuple[tuple[Memory, ...], ...]
    proposals: tuple[Proposal, ...]
    total: int
    merging: bool  # whether upkeep merges the groups by itself


# -- finding out


def findings(bench: Bench, *, progress: Progress = unseen) -> tuple[Survey, Compared]:
    """What is alike in the vault as it is now: as found out before, if nothing has changed since."""
    bench.freshen()
    survey = gather(bench)
    mark = alike.mark_of(bench, survey)
    found = found_before(bench, mark)
    if found is None:
        found = look(World(_watched(survey, progress), frozenset()))
        keep(bench, survey, found, mark)
    return survey, found


def found_before(bench: Bench, mark: str) -> Compared | None:
    """What was found out before, by upkeep or by whoever asked."""
    return alike.found_before(bench, mark) or alike.found_before(bench, _unmerged(mark))


def keep(bench: Bench, survey: Survey, found: Compared, mark: str) -> None:
    """Keep what was found out, for whoever asks next."""
    # Upkeep merges what it finds out, and nothing where that is known: what waits for it is none of its findings yet.
    waits = survey.policy.merge and found.groups
    alike.keep(bench, found, _unmerged(mark) if waits else mark)


def _unmerged(mark: str) -> str:
    return f"{mark} unmerged"


def _watched(survey: Survey, progress: Progress) -> Survey:
    """The same survey, which tells how many texts were read; to compare them takes about as long again."""
    whole, done = 2 * len(survey.memories), 0

    def body(memory: Memory) -> str:
        nonlocal done
        done += 1
        progress(done, whole)
        return survey.body(memory)

    return replace(survey, body=body)


# -- contradictions


def conflicts(bench: Bench, *, limit: int = 0, progress: Progress = unseen) -> Conflicts:
    """The live memories that contradict each other, the newest first."""
    survey, found = findings(bench, progress=progress)
    memories = {memory.id: memory for memory in survey.memories}
    dated = [_dated(bench, memories, pair) for pair in found.contradictions]
    dated.sort(key=lambda row: (-row[0][1].timestamp(), -row[1][1].timestamp(), row[0][0].path, row[1][0].path))
    shown = dated[:limit] if limit else dated
    return Conflicts(tuple(_conflict(bench, *row) for row in shown), len(dated))


Dated = tuple[Memory, datetime]


def _dated(bench: Bench, memories: Mapping[str, Memory], pair: Pair) -> tuple[Dated, Dated, Pair]:
    """The newer and the older of a pair, each with its moment."""
    sides = [(memories[id_], said_at(bench, memories[id_])) for id_ in (pair.left, pair.right)]
    newer, older = sorted(sides, key=lambda side: (side[1], side[0].id), reverse=True)
    return newer, older, pair


def _conflict(bench: Bench, newer: Dated, older: Dated, pair: Pair) -> Conflict:
    whole = [said(memory.changed(body=bench.text(memory))) for memory, _ in (newer, older)]
    texts = [without_private(text) for text in whole]
    found = pair.differences if newer[0].id == pair.left else tuple(_turned(one) for one in pair.differences)
    if texts != whole:
        found = differences(*texts)  # what is private counts, but is not told
    says = list(_opposed(statements(texts[0]), statements(texts[1]), found))
    return Conflict(
        newer=Side(memory=newer[0], at=newer[1], says=tuple(dict.fromkeys(mine for mine, _ in says))),
        older=Side(memory=older[0], at=older[1], says=tuple(dict.fromkeys(other for _, other in says))),
        score=round(pair.score, 4),
        differences=tuple(Differing(one.sort.value, one.left, one.right) for one in found),
    )


def _turned(one: Difference) -> Difference:
    return Difference(one.sort, one.right, one.left)


def _opposed(
    mine: Sequence[Statement], others: Sequence[Statement], found: Sequence[Difference]
) -> Iterator[tuple[str, str]]:
    """The statements in which two texts differ; where they are not told by pairs, all that each of them says."""
    near = [pair for pair in align(mine, others).near if set(between(pair.left, pair.right)) & set(found)]
    if near:
        yield from ((pair.left.text, pair.right.text) for pair in near)
        return
    yield "\n".join(one.text for one in mine), "\n".join(one.text for one in others)


# -- duplicates


def duplicates(bench: Bench, *, limit: int = 0, progress: Progress = unseen) -> Duplicates:
    """What says the same and what may: the groups first, then the pairs, the most alike first."""
    survey, found = findings(bench, progress=progress)
    memories = {memory.id: memory for memory in survey.memories}
    groups = [tuple(memories[id_] for id_ in group) for group in found.groups]
    pairs = [_proposal(bench, memories, pair) for pair in found.proposals]
    left = max(0, limit - len(groups)) if limit else len(pairs)
    return Duplicates(
        groups=tuple(groups[:limit] if limit else groups),
        proposals=tuple(pairs[:left]),
        total=len(groups) + len(pairs),
        merging=survey.policy.merge,
    )


def _proposal(bench: Bench, memories: Mapping[str, Memory], pair: Pair) -> Proposal:
    (newer, _), (older, _), _ = _dated(bench, memories, pair)
    return Proposal(newer, older, round(pair.score, 4))
