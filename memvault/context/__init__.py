"""The context that a model is given, and the log of it."""
