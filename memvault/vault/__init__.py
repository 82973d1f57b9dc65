"""The library: markdown files, which are the truth, and the journals that travel with them."""
