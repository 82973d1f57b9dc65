"""What a conversation says, in single statements that can be read on their own."""

from memvault.transcripts.extract.facts.extract import extract_facts

__all__ = ["extract_facts"]
