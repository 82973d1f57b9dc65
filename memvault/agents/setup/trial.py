"""One call of a hook, as an agent would make it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memvault.agents.setup.agent import Words


@dataclass(frozen=True, slots=True)
class Heard:
    """What a hook answered: the text for the model, and where there is none, why."""

    context: str
    complaint: str = ""
    failed: bool = False  # whether the program itself failed, which an agent shows or stops at


def call_hook(
    words: Words, payload: Mapping[str, object], *, environment: Mapping[str, str], folder: Path, seconds: float
) -> Heard:
    """Give a hook an event and read its answer."""
    try:
        done = subprocess.run(
            list(words),
            input=json.dumps(payload).encode(),
            env=dict(environment),
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return Heard("", f"it did not answer within {seconds:g} seconds", failed=True)
    except OSError as error:
        return Heard("", f"{words[0]} cannot be started ({error.strerror or error})", failed=True)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        return Heard("", f"it ended with {done.returncode}{f': {said}' if said else ''}", failed=True)
    return _heard(done.stdout.decode("utf-8", "replace"))


def _heard(answer: str) -> Heard:
    if not answer.strip():
        return Heard("", "it had nothing to say")
    try:
        told = json.loads(answer)
        context = told["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return Heard("", "its answer holds nothing for the model")
    return Heard(str(context))
