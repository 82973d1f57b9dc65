"""Private memories: sealed before they are written, opened in memory alone, and only for the person whose they are."""
