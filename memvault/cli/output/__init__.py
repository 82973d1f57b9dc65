"""The voice: pure functions from values to text."""
