"""A term index: which documents hold which terms how often, kept in Whoosh's segments and read without Whoosh."""

from memvault.storage.index.postings.store import GONE, IndexSnapshot, PostingStore, SegmentView
