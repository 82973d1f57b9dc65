"""Trajectories: a conversation cut into stretches on one topic, each with a line and some keywords."""

from memvault.core.trajectories.labels import label, labelled
from memvault.core.trajectories.segmenting import resegment, segment

__all__ = ["label", "labelled", "resegment", "segment"]
