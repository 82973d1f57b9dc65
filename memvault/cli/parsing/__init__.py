"""Command lines beyond the plainest: what typer reads of them, and how a shell may complete them."""
