"""Find the memories that answer a question."""
