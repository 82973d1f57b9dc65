"""The index of conversations: derived from the archive, disposable, and searched by turn."""
