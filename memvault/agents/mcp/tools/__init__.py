"""The tools, a few to a file: what each takes, and what it does."""
