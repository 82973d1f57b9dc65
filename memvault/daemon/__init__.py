"""The daemon: server, watcher, handlers."""
