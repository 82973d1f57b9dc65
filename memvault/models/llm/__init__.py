"""The language model: one seam, its providers, its prompts."""
