"""Shared vaults for many people: their database, the worker, and the server."""
