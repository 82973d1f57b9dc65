"""Tell what a sentence does, and whether what it states is worth keeping."""
