"""Trajectories: a conversation cut into stretches on one topic, each with a line and some keywords."""

from memvault.transcripts.extract.topics.segments import resegment, segment
from memvault.transcripts.extract.topics.summary import label, labelled

__all__ = ["label", "labelled", "resegment", "segment"]
