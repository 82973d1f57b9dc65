"""The machine: files, git, folders, editor, the daemon's client."""
