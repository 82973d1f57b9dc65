"""The rules of consolidation: which memories say the same, which contradict each other, and how several become one."""

from __future__ import annotations

from memvault.core.similarity.clusters import clusters
from memvault.core.similarity.compare import Compared, Pair, compare
from memvault.core.similarity.differences import Difference, differences
from memvault.core.similarity.merge import eligible, merged, said, sessions_of, sources_of
from memvault.core.similarity.pairs import candidates
from memvault.core.similarity.score import AUTOMATIC, PROPOSED, likeness
from memvault.core.similarity.union import united
from memvault.core.similarity.verdict import Verdict, verdict
from memvault.text.sentence.terms import Sort

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
