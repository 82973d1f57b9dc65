"""Markdown files are the truth: the vault, the journal, the index."""
