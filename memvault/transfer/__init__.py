"""Other programs' files: memories brought in and taken out."""
