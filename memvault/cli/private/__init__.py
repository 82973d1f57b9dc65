"""Commands for private memories and sealed originals."""
