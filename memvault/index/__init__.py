"""The catalogue: derived from the files, disposable, right before every read."""
