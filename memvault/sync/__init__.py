"""One vault on several machines, over ordinary git: set up, kept alike, and looked at."""
