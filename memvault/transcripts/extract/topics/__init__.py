"""Trajectories: a conversation cut into stretches on one topic, each with a line and some keywords."""

from memvault.transcripts.extract.topics.segments import resegment_turns, segment_turns
from memvault.transcripts.extract.topics.summary import label_segment, label_segments

__all__ = ["label_segment", "label_segments", "resegment_turns", "segment_turns"]
