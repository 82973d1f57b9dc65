"""The purge: remove something from everything that memvault keeps."""
