"""The five kinds of memory; each is a value, and no other code asks which one it is."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.core.fields import Field
from memvault.core.kinds.episodic import EPISODIC
from memvault.core.kinds.kind import Kind, Kinds
from memvault.core.kinds.procedural import PROCEDURAL
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.kinds.working import WORKING

__all__ = ["FIELDS", "KINDS", "Kind", "Kinds", "implied_kind"]

# Order is policy: where two kinds fit a text equally well, the earlier one is taken.
_BUILT_IN = (PROSPECTIVE, PROCEDURAL, EPISODIC, SEMANTIC, WORKING)

KINDS = Kinds(_BUILT_IN, default=SEMANTIC.name)  # a vault's own kinds come on top: see Settings.kinds

FIELDS: Mapping[str, Field] = KINDS.fields

implied_kind = KINDS.implied_by_type
