"""Memory candidates in a conversation: decisions, preferences, gotchas, learnings, things to do."""
