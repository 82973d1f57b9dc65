"""The purge: what is forgotten for good is nowhere any more."""
