"""Shared vaults for many people: the same answers, ranked over candidates that a database supplies."""
