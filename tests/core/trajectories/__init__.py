"""Conversations cut into topics, and what the topics are called."""
