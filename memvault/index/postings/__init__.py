"""A term index: which documents hold which terms how often, kept in Whoosh's segments and read without Whoosh."""

from memvault.index.postings.reading import GONE, Reading, Section
from memvault.index.postings.store import Postings

__all__ = ["GONE", "Postings", "Reading", "Section"]
