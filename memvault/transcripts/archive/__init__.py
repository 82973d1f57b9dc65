"""Archived conversations: compressed, append-only, with their facts and topics beside them."""
