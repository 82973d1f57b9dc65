"""What a sentence consists of, as far as two sentences can be compared."""
