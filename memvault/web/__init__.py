"""The vault as pages in the browser: served on the loopback, by a process of its own, to one person."""
