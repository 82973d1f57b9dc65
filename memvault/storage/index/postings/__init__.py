"""A term index: which documents hold which terms how often, kept in Whoosh's segments and read without Whoosh."""

from memvault.storage.index.postings.read import GONE, IndexSnapshot, SegmentView
from memvault.storage.index.postings.store import PostingStore

__all__ = ["GONE", "IndexSnapshot", "PostingStore", "SegmentView"]
