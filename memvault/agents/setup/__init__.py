"""Entries in the settings of agents: hooks, servers and instructions, put in and taken out."""
