"""Sync one vault on several machines over git: set up, run, status."""
