"""Merge two versions of one file of a vault; contradictions are kept, and none is decided."""
