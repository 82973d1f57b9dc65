"""Find secrets in texts, and take them out."""
