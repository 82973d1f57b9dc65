"""Commands that bring memories in and out, and keep machines alike."""
