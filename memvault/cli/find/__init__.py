"""Commands that find and show memories, conversations and operations."""
