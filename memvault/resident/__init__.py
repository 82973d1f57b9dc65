"""The porter: a process that stays, keeps catalogues open and watched, and answers commands over a local socket."""
