"""Commands that set memvault up and connect it to agents."""
