"""The catalogue of conversations: derived from the archive, disposable, and searched by what was said."""
