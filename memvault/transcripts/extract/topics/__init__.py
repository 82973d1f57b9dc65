"""Topics: segments of a conversation, each with a line and some keywords."""
