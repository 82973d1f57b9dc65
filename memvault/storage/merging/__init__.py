"""Two versions of one memory made one again, from what both began with; where they contradict, nobody picks."""
