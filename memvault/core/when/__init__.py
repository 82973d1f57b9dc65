"""Days and times as people write them: when a thing is due, and of which days a text speaks."""

from memvault.core.when.calendar import Tense
from memvault.core.when.reading import Reading, due_in, read_due, read_when
from memvault.core.when.spans import Span, absolute, spans

__all__ = ["Reading", "Span", "Tense", "absolute", "due_in", "read_due", "read_when", "spans"]
