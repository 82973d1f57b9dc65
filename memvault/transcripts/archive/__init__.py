"""Whole conversations, compressed and only ever added to, with their facts and topics beside them."""
