"""Extract facts, topics and memories from conversations."""
