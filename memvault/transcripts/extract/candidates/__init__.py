"""What of a conversation is worth a memory by itself: decisions, preferences, gotchas, learnings, things to do."""

from memvault.transcripts.extract.candidates.candidate import (
    IMPORTED_WORDS,
    OTHER_WORDS,
    OWN_WORDS,
    SORTS,
    MemoryCandidate,
    make_candidate,
)
from memvault.transcripts.extract.candidates.choose import find_candidates, most_candidates

__all__ = [
    "IMPORTED_WORDS",
    "OTHER_WORDS",
    "OWN_WORDS",
    "SORTS",
    "MemoryCandidate",
    "find_candidates",
    "make_candidate",
    "most_candidates",
]
