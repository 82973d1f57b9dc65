"""The five kinds of memory; each is a value, and nobody else asks which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.core.fields import COMMON, Field
from memvault.core.kinds.episodic import EPISODIC
from memvault.core.kinds.kind import Kind
from memvault.core.kinds.procedural import PROCEDURAL
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.kinds.working import WORKING

__all__ = ["FIELDS", "KINDS", "Kind", "guess", "implied"]

# Order is policy: where two kinds fit a text equally well, the earlier one is taken.
KINDS: Mapping[str, Kind] = MappingProxyType(
    {kind.name: kind for kind in (PROSPECTIVE, PROCEDURAL, EPISODIC, SEMANTIC, WORKING)}
)

FIELDS: Mapping[str, Field] = MappingProxyType(
    {row.name: row for row in (*COMMON, *(row for kind in KINDS.values() for row in kind.fields))}
)

DEFAULT = SEMANTIC.name


def implied(memory_type: str) -> str | None:
    """The kind that a type stands for by itself, if it does."""
    return next((kind.name for kind in KINDS.values() if memory_type in kind.implied_by), None)


def guess(text: str) -> str:
    """The kind a text most likely is, judged by its cues; semantic where nothing speaks for another."""
    best, most = DEFAULT, 0.0
    for kind in KINDS.values():
        score = kind.likeness(text)
        if score > most:
            best, most = kind.name, score
    return best
