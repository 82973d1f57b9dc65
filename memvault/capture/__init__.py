"""Capture: what is remembered without being asked for."""
