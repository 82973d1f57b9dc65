"""Rank memories and turns by how well they answer a question."""
