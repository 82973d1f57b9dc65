"""Everything that upkeep decides by, gathered from files, catalogue, journals and ledgers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType

from memvault.core.ids import goes_by_path
from memvault.core.memory import Memory, Place
from memvault.core.query import ANY
from memvault.errors import MemvaultError
from memvault.maintenance.rules import Decided, Policy, Survey
from memvault.storage.journal.ledger import Decisions
from memvault.storage.journal.tombstones import is_dead
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH


def gather(
    bench: Bench, *, judged_until: datetime | None = None, unfit: Mapping[str, str] = MappingProxyType({})
) -> Survey:
    """One look at the whole vault, after it was freshened."""
    catalogue, vault = bench.catalogue, bench.vault
    decisions = vault.ledger.decisions()
    return Survey(
        memories=sorted(catalogue.memories(ANY), key=lambda memory: memory.path),
        policy=Policy.of(bench.settings),
        now=bench.now,
        vault_id=vault.charter.id,
        pasts=catalogue.all_pasts(),
        practices=catalogue.practices(),
        sizes={path: size for path, (size, _) in catalogue.files().items()},
        confirmed=catalogue.confirmed(),
        decided=_decided(decisions),
        folders={place: vault.layout.folder(place) for place in (Place.HOT, Place.MEMORIES, Place.ARCHIVED)},
        trash=f"{TRASH}/",
        judged_until=judged_until,
        unfit=unfit,
        body=bench.text,
        is_taken=vault.exists,
        has_name=catalogue.has_name,
        is_tied=lambda memory: is_tied(bench, memory),
        is_forgotten=_forgotten(bench, decisions),
    )


def _decided(decisions: Decisions) -> Decided:
    return Decided(
        written=frozenset(decisions.written),
        settled=decisions.settled,
        counted=frozenset(decisions.counted),
        practised=frozenset(decisions.practised),
        vetoes=decisions.vetoes,
        refused=frozenset(decisions.refused),
        moved=decisions.moved,
    )


def _forgotten(bench: Bench, decisions: Decisions) -> Callable[[str], bool]:
    """Whether a text is one that a person let go for good."""
    if not decisions.tombstones:
        return lambda _text: False
    return lambda text: is_dead(bench.vault.ledger, decisions.tombstones, text)


def is_tied(bench: Bench, memory: Memory) -> bool:
    """Whether links would break if a note moved: its own to what lies beside it, or others' to its path."""
    if goes_by_path(bench.text(memory)):
        return True
    linking = (other for other in bench.catalogue.links_to(memory.name) if other.id != memory.id)
    return any(goes_by_path(_whole(bench, other), memory.name) for other in linking)


def _whole(bench: Bench, memory: Memory) -> str:
    """A note with its frontmatter, where links stand too."""
    try:
        return bench.vault.note(memory.path).raw.decode("utf-8", "replace")
    except MemvaultError:
        return ""
