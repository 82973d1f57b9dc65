"""Originals under lock and key: sealed with age to a person's own key, beside the archive of conversations."""
