"""Commands spoken in a prompt: what is asked for, and its execution."""
