"""How well a vault was kept in a made-up year: what is at hand, what faded, what was merged and what was not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from memvault.api import Memvault
from memvault.core.memory import Memory, Place
from memvault.core.similarity.compare import ComparisonResult
from tests.benchmarks.person import Known, Person, sentences

LATELY = timedelta(days=30)
LONG_AGO = timedelta(days=200)
SOON = 7  # days within which a way back counts as flapping
MOST_USED = 20
TWINS = ("copied", "restated")


@dataclass(frozen=True, slots=True)
class Tier:
    """What one run moved into Tier 1 and out of it."""

    day: int
    up: tuple[str, ...]
    down: tuple[str, ...]


@dataclass(slots=True)
class Heard:
    """The pairs that were ever offered for review or listed as contradictions."""

    proposals: set[tuple[str, str]] = field(default_factory=set)
    contradictions: dict[tuple[str, str], str] = field(default_factory=dict)

    def note(self, found: ComparisonResult) -> None:
        """Add what one comparison found."""
        self.proposals.update((pair.left, pair.right) for pair in found.proposals)
        for pair in found.contradictions:
            shown = "; ".join(f"{one.sort.value} {one.left!r} {one.right!r}" for one in pair.differences)
            self.contradictions[pair.left, pair.right] = shown


# -- nothing is lost


def lost_sentences(person: Person, root: Path) -> list[str]:
    """The sentences that were written once and stand in no note any more."""
    texts = [path.read_text("utf-8") for path in root.rglob("*.md") if ".memvault" not in path.relative_to(root).parts]
    there = {sentence for text in texts for sentence in sentences(text)}
    whole = "\n".join(texts)
    missing = sorted(sentence for sentence in person.sentences - there if sentence not in whole)
    print(f"{len(person.sentences):,} different sentences were written, {len(missing)} are lost")
    return missing


# -- Tier 1


def judge_tier(person: Person, vault: Memvault, now: datetime, moves: Iterable[Tier]) -> None:
    """Say whether Tier 1 holds what is used, and whether anything went to and fro."""
    hot = {row.memory.id: row.memory for row in vault.list().rows if row.memory.place is Place.HOT}
    uses: defaultdict[str, int] = defaultdict(int)
    for known in person.known.values():
        uses[known.id] += sum(now - at <= LATELY for at in known.used)
    most = sorted(uses, key=lambda id_: (-uses[id_], id_))[:MOST_USED]
    counts = sorted(uses[id_] for id_ in hot)
    by_hand = {known.id for known in person.known.values() if known.by_hand}
    idle = [id_ for id_ in hot if not uses[id_] and id_ not in by_hand]
    imported = {known.id for known in person.known.values() if known.saying.source == "import"}
    print(f"Tier 1 holds {len(hot)} notes; their uses in the last 30 days: {counts}")
    print(
        f"  of the {MOST_USED} most used memories {sum(id_ in hot for id_ in most)} are there; not used in 30 days and not"
        f" put there by hand: {len(idle)}; imported, not by hand: {len((imported & set(hot)) - by_hand)}"
    )
    back_up, back_down = flapping(moves)
    print(f"  down and up again within {SOON} days: {back_up}; up and down again within {SOON} days: {back_down}")


def flapping(moves: Iterable[Tier]) -> tuple[int, int]:
    """How often something came back soon after it went, and went soon after it came."""
    went: dict[str, int] = {}
    came: dict[str, int] = {}
    back_up = back_down = 0
    for tier in moves:
        back_up += sum(tier.day - went.get(id_, -SOON) < SOON for id_ in tier.up)
        back_down += sum(tier.day - came.get(id_, -SOON) < SOON for id_ in tier.down)
        came |= dict.fromkeys(tier.up, tier.day)
        went |= dict.fromkeys(tier.down, tier.day)
    return back_up, back_down


# -- what stayed and what faded


def judge_fading(person: Person, vault: Memvault, now: datetime) -> None:
    """Say whether what was used is at hand, and whether what never was has gone."""
    rows = {row.memory.id: row for row in vault.list().rows}
    lately = [known for known in person.known.values() if any(now - at <= LATELY for at in known.used)]
    active = sum(rows[known.id].memory.status == "active" for known in lately)
    print(f"used in the last 30 days: {len(lately)}, of which {active} ({active / max(1, len(lately)):.1%}) are active")
    idle = [
        known
        for known in person.known.values()
        if not known.used and now - known.saying.at > LONG_AGO and now - rows[known.id].last_used > LONG_AGO
    ]
    still = [known for known in idle if rows[known.id].memory.status == "active"]
    exempt = [known for known in still if is_exempt(known, rows[known.id].memory)]
    print(
        f"never used for more than 200 days: {len(idle)}, of which {len(still)} are active: {len(exempt)} exempt, "
        f"{len(still) - len(exempt)} others ({sum(rows[known.id].memory.status == 'stale' for known in idle)} stale)"
    )


def is_exempt(known: Known, memory: Memory) -> bool:
    """Whether it is right that a memory does not fade: a preference, pinned, or in the hands of the person."""
    return known.by_hand or memory.pinned or not memory.decay_eligible


# -- what says the same


class _Truths:
    """Which facts each memory holds, also those that were merged or promoted."""

    def __init__(self, person: Person, memories: Iterable[Memory]) -> None:
        self._known = person.known
        self.memories = list(memories)
        self._sources: Mapping[str, tuple[str, ...]] = {memory.id: merged_from(memory) for memory in self.memories}
        self._ids = {memory.name: memory.id for memory in self.memories}

    def of(self, id_: str) -> set[tuple[str, str]]:
        """The facts and what is said of each."""
        found = [self._known[source].saying for source in self._sources.get(id_) or (id_,) if source in self._known]
        return {(saying.fact, saying.truth) for saying in found}

    def named(self, names: Iterable[str]) -> set[tuple[str, str]]:
        """The same for memories that are linked to."""
        return {truth for name in names for truth in self.of(self._ids.get(name.strip("[]"), ""))}


def merged_from(memory: Memory) -> tuple[str, ...]:
    sources = memory.more.get("merged_from", ())
    return sources if isinstance(sources, tuple) else (str(sources),)


def judge_facts(person: Person, vault: Memvault, heard: Heard) -> list[str]:
    """Say what became of what was said twice, contradicted, or came up again; what should not have been merged."""
    truths = _Truths(person, (row.memory for row in vault.list().rows))
    show_twins(person, truths, heard)
    show_contradictions(person, truths, heard)
    show_promoted(person, truths)
    return list(wrongly_merged(truths))


def show_twins(person: Person, truths: _Truths, heard: Heard) -> None:
    originals = {known.saying.truth: known for known in person.known.values() if known.saying.how == "new"}
    proposed = {truth for pair in heard.proposals for truth in truths.of(pair[0]) & truths.of(pair[1])}
    for how in TWINS:
        twins = [known for known in person.known.values() if known.saying.how == how]
        merged = [known for known in twins if known.id == originals[known.saying.truth].id]
        offered = [
            known for known in twins if known not in merged and (known.saying.fact, known.saying.truth) in proposed
        ]
        share = (len(merged) + len(offered)) / max(1, len(twins))
        print(f"{how}: {len(twins)}, of which {len(merged)} merged and {len(offered)} proposed ({share:.1%})")
    strange = sum(not truths.of(left) & truths.of(right) for left, right in heard.proposals)
    print(f"  proposed although different: {strange} of {len(heard.proposals)} pairs in the whole time")


def show_contradictions(person: Person, truths: _Truths, heard: Heard) -> None:
    planted = {known.saying.fact for known in person.known.values() if known.saying.how == "contradicted"}
    listed, strange = set(), []
    for (left, right), shown in heard.contradictions.items():
        shared = {fact for fact, _ in truths.of(left)} & {fact for fact, _ in truths.of(right)}
        listed |= shared
        if not shared and truths.of(left) and truths.of(right):
            strange.append(shown)
    share = len(planted & listed) / max(1, len(planted))
    print(f"contradicted: {len(planted)}, of which {len(planted & listed)} listed ({share:.1%})")
    print(f"  listed although not planted: {len(strange)} of {len(heard.contradictions)} pairs; such as {strange[:3]}")


def show_promoted(person: Person, truths: _Truths) -> None:
    recurring = {known.saying.truth for known in person.known.values() if known.saying.how == "again"}
    made = [memory for memory in truths.memories if memory.more.get("promoted_from")]
    found = {truth for memory in made for _, truth in truths.named(links(memory))}
    print(
        f"episodes that came up in three or more conversations: {len(recurring)}, of which {len(recurring & found)} became"
        f" knowledge; of {len(made)} promoted memories {len(found - recurring)} were of others"
    )


def links(memory: Memory) -> tuple[str, ...]:
    found = memory.more.get("extends", ())
    return found if isinstance(found, tuple) else (str(found),)


def wrongly_merged(truths: _Truths) -> Iterator[str]:
    """What was merged although it differs."""
    for memory in truths.memories:
        found = truths.of(memory.id)
        if len(found) > 1:
            what = "different things" if len({fact for fact, _ in found}) > 1 else "a contradiction"
            yield f"{what} merged in {memory.path}: {sorted(found)}"
