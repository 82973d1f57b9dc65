"""Secrets in texts: found, and taken out."""
