"""The warm process: server, watcher, handlers."""
