"""The vault on disk: its layout, its settings, its notes."""
