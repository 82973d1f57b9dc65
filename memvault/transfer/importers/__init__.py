"""Other programs' memories, read and made ours."""
