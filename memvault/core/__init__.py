"""Values and rules of memories: no input, no output, no clock."""
