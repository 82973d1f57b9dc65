"""The rules of consolidation: which memories say the same, which contradict each other, and how several become one."""

from __future__ import annotations

from memvault.core.likeness.alike import AUTOMATIC, PROPOSED, likeness
from memvault.core.likeness.candidates import candidates
from memvault.core.likeness.clusters import clusters
from memvault.core.likeness.compare import Compared, Pair, compare
from memvault.core.likeness.differences import Difference, differences
from memvault.core.likeness.merge import eligible, merged, said, sessions_of, sources_of
from memvault.core.likeness.sentence.terms import Sort
from memvault.core.likeness.union import united
from memvault.core.likeness.verdict import Verdict, verdict

__all__ = [
    "AUTOMATIC",
    "PROPOSED",
    "Compared",
    "Difference",
    "Pair",
    "Sort",
    "Verdict",
    "candidates",
    "clusters",
    "compare",
    "differences",
    "eligible",
    "likeness",
    "merged",
    "said",
    "sessions_of",
    "sources_of",
    "united",
    "verdict",
]
