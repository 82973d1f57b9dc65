"""Private memories: sealed before they are written, and opened in memory for their owner only."""
