"""Colours and weights of text on a terminal; without colour, the bare text."""

from __future__ import annotations

from memvault.core.value import Frozen

_CODES = {"title": "1", "match": "1;33", "faint": "2", "good": "32", "warning": "33", "bad": "31"}


class Styles(Frozen):
    """How text is set off; every method gives the bare text back where there is no colour."""

    colour: bool = False

    def title(self, text: str) -> str:
        """What a thing is called."""
        return self._set("title", text)

    def match(self, text: str) -> str:
        """A word that was looked for."""
        return self._set("match", text)

    def faint(self, text: str) -> str:
        """What may be passed over."""
        return self._set("faint", text)

    def good(self, text: str) -> str:
        """All is well."""
        return self._set("good", text)

    def warning(self, text: str) -> str:
        """Worth a second look."""
        return self._set("warning", text)

    def bad(self, text: str) -> str:
        """Something is wrong."""
        return self._set("bad", text)

    def _set(self, style: str, text: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Styles()
