"""What happened, what was decided, and how it is undone."""
