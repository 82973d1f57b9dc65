"""Conversations as values, and the readers of other people's formats."""
