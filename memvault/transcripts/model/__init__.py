"""A conversation and its turns, as values."""
