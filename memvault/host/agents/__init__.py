"""The agents on this machine: where each keeps what concerns us."""
