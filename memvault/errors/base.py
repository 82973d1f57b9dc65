"""What all errors have in common: data in, one sentence out, an exit code and a hint."""

from __future__ import annotations

FAILED, USAGE, NOT_FOUND, NO_VAULT, REFUSED, BUSY = 1, 2, 3, 4, 5, 6


class MemvaultError(Exception):
    """The parent of all errors raised on purpose; `sentence` and `hint` are filled in from the data given."""

    exit_code = FAILED
    sentence = "Something went wrong."
    hint = ""

    def __init__(self, **data: object) -> None:
        self.data = data
        super().__init__(self.sentence.format(**data))

    @property
    def advice(self) -> str:
        """What to do next, in one sentence; empty where the sentence says it all."""
        return self.hint.format(**self.data)

    @property
    def code(self) -> str:
        """The stable name of this error, as `--json` gives it."""
        return type(self).__name__
