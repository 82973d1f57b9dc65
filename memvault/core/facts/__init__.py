"""What a conversation says, in single statements that can be read on their own."""

from memvault.core.facts.drawing import facts

__all__ = ["facts"]
