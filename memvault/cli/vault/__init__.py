"""Commands that keep a vault in order."""
