"""Conversations: read, archived, indexed, and learned from."""
