"""Memories written into one file."""
