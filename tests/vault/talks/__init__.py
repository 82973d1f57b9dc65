"""The archive of conversations."""
