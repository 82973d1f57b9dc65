"""Private memories, purges, and where memories come from."""
