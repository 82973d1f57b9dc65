"""Programs that stand in for a model: each word of behaviour is one way in which a real one may go right or wrong."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

GOOD = {"word": "yes", "score": 7}
ENVELOPE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": json.dumps(GOOD),
    "structured_output": GOOD,
    "session_id": "5f0c",
    "total_cost_usd": 0.0042,
    "usage": {"output_tokens": 12},
    "num_turns": 2,
}


def good() -> None:
    sys.stdin.read()
    deaf()


def deaf() -> None:
    """An answer from one who never reads what it is asked."""
    sys.stdout.write(json.dumps(GOOD))


def echo(target: str, *words: str) -> None:
    """Shows what reached it."""
    here = Path.cwd()
    seen = {
        "argv": words,
        "stdin": sys.stdin.read(),
        "environment": dict(os.environ),
        "folder": str(here),
        "files": sorted(path.name for path in here.iterdir()),
        "group": os.getpgid(0) if sys.platform != "win32" else 0,
    }
    Path(target).write_text(json.dumps(seen), encoding="utf-8")
    deaf()


def say(text: str, *_words: str) -> None:
    sys.stdin.read()
    sys.stdout.write(text)


def fail(code: str) -> int:
    """Says that all went well, and ends as if it had not."""
    sys.stderr.write("secret trouble")
    deaf()
    return int(code)


def die() -> None:
    """Gone in the middle of its answer."""
    sys.stdout.write('{"word": "yes"')
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGTERM)


def flood() -> None:
    for _ in range(160):
        sys.stdout.write("x" * 65_536)


def claude(how: str, *words: str) -> int:
    """The envelope of Claude Code in print mode, in one of the ways it may come."""
    if words[:2] == ("auth", "status"):
        print(json.dumps({"loggedIn": how != "signed-out"}))
        return int(how == "signed-out")
    sys.stdin.read()
    plain = {name: value for name, value in ENVELOPE.items() if name != "structured_output"}
    unsaid = {name: value for name, value in ENVELOPE.items() if name != "is_error"}
    signed_out = {**plain, "is_error": True, "result": "Not logged in · Please run /login"}
    said = {
        "good": ENVELOPE,
        "verbose": [{"type": "system"}, {"type": "assistant"}, ENVELOPE],
        "plain": plain,
        "signed-out": signed_out,
        "error": {**plain, "is_error": True, "result": "API Error: your key is hunter2"},
        "exit": ENVELOPE,
        "unsaid": unsaid,
        "prose": {**plain, "result": "I would rather talk about the weather."},
        "other": {"type": "system"},
        "empty": [],
    }
    print(json.dumps(said[how]) if how in said else "Segmentation fault")
    return int(how in ("signed-out", "exit"))


WAYS = (good, deaf, echo, say, fail, die, flood, claude)


def main(how: str, *rest: str) -> int:
    act: Callable[..., int | None] = next(way for way in WAYS if way.__name__ == how)
    return act(*rest) or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
