"""Memories drawn from conversations."""
