"""How well memvault judges texts, on both halves of the labelled sets."""
