"""The terms of a sentence, as far as two sentences can be compared."""
