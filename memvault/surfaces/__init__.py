"""The doors: each speaks to the hall, and to nobody else."""
