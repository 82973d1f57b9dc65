"""The workshop: one file for each thing memvault can do."""
