"""A program that stands in for a model: it keeps what it is asked, and gives the answer it was started with."""

from __future__ import annotations

import sys
import time

LATE = "(no answer in time)"


def main(record: str, answer: str) -> None:
    asked = sys.stdin.read()
    with open(record, "a", encoding="utf-8") as file:  # noqa: PTH123 - a path takes longer to import than all the rest
        file.write(asked + "\n")
    if answer == LATE:
        time.sleep(60)
    sys.stdout.write(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
