"""What of a conversation is worth a memory by itself: decisions, preferences, gotchas, learnings, things to do."""

from memvault.transcripts.extract.candidates.candidate import (
    OTHER_WORDS,
    OWN_WORDS,
    SORTS,
    STRANGERS,
    Candidate,
    candidate,
)
from memvault.transcripts.extract.candidates.choose import candidates, most_of

__all__ = ["OTHER_WORDS", "OWN_WORDS", "SORTS", "STRANGERS", "Candidate", "candidate", "candidates", "most_of"]
