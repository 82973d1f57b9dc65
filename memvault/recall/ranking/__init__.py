"""How well memories and turns answer a question."""
