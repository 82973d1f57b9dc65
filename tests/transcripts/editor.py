"""An editor for tests: replaces one word by another in the file it is given, or does what the first word says."""

from __future__ import annotations

import sys
from pathlib import Path


def main(*words: str) -> int:
    *wanted, file = words
    path = Path(file)
    text = path.read_text(encoding="utf-8")
    match wanted:
        case ["quit"]:
            return 1
        case ["leave"]:
            pass
        case ["prepend", addition]:
            path.write_text(f"{addition}\n{text}", encoding="utf-8")
        case ["also", other, addition]:  # somebody else saves the note meanwhile
            Path(other).write_text(Path(other).read_text(encoding="utf-8") + addition, encoding="utf-8")
            path.write_text(text.replace("tea", "coffee"), encoding="utf-8")
        case [before, after]:
            path.write_text(text.replace(before, after), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
