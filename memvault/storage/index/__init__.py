"""The index: derived from the files, outside the vault, safe to delete."""
