"""What a model is given, and the log of what it was given."""
