"""How hits are scored, ordered, folded and packed into a budget."""
