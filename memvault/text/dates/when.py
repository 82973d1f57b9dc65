"""Days and times as people write them: when a thing is due, and of which days a text speaks."""

from memvault.text.dates.calendar import Tense
from memvault.text.dates.due import Reading, due_in, read_due, read_when
from memvault.text.dates.spans import Span, absolute, spans

__all__ = ["Reading", "Span", "Tense", "absolute", "due_in", "read_due", "read_when", "spans"]
