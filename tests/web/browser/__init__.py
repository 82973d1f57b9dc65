"""The page in a real browser; only `.ci/run browser` runs these."""
