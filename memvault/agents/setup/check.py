"""Prove that hooks work: write a memory as a person would, ask for it as an agent would, take it away again."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.agents.setup.clients import CommandWords
from memvault.system import files

_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupCheck:
    """Whether a memory that was written by hand reached the model by way of the hook; if not, why."""

    ok: bool
    complaint: str = ""
    is_harmful: bool = False  # a hook that fails gets in the agent's way: it must not stay


def check_hook(folder: Path, words: CommandWords, environment: Mapping[str, str], *, home: Path) -> SetupCheck:
    """Have the hook find a note that was not there a moment ago; the note is gone again afterwards."""
    trigger, answer = f"memvault setup check {os.urandom(4).hex()}", f"lantern-{os.urandom(4).hex()}"
    note = folder / f"{trigger.replace(' ', '-')}.md"
    is_new = not folder.exists()
    files.make_folder(folder)
    files.create_file(note, _build_note(trigger, answer).encode())
    payload = {
        "session_id": trigger.replace(" ", "-"),
        "transcript_path": "",
        "cwd": str(home),
        "hook_event_name": "UserPromptSubmit",
        "prompt": f"What is the password of the {trigger}?",
    }
    try:
        context, complaint, has_failed = _call_hook(words, payload, environment=environment, folder=home)
    finally:
        files.remove_file(note)
        if is_new:
            with suppress(OSError):  # the hook may have put something there meanwhile
                folder.rmdir()
    if answer in context:
        return SetupCheck(ok=True)
    if has_failed:
        complaint = f"{complaint.rstrip('.')}; so the hooks were taken out again, as they would disturb the agent"
    return SetupCheck(
        ok=False, complaint=complaint or "it spoke of other memories, and not of this one", is_harmful=has_failed
    )


def _build_note(trigger: str, answer: str) -> str:
    return (
        "---\n"
        f"title: The password of the {trigger}\n"
        "kind: semantic\n"
        "scope: global\n"
        f"triggers: [{trigger}]\n"
        "---\n"
        f"The password of the {trigger} is {answer}.\n"
    )


def _call_hook(
    words: CommandWords, payload: Mapping[str, object], *, environment: Mapping[str, str], folder: Path
) -> tuple[str, str, bool]:
    """Return a hook's text for the model; where there is none, why, and whether the program itself failed."""
    try:
        done = subprocess.run(
            list(words),
            input=json.dumps(payload).encode(),
            env=dict(environment),
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "", f"it did not answer within {_SECONDS:g} seconds", True
    except OSError as error:
        return "", f"{words[0]} cannot be started ({error.strerror or error})", True
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        return "", f"it ended with {done.returncode}{f': {said}' if said else ''}", True
    if not done.stdout.strip():
        return "", "it had nothing to say", False
    try:
        reply = json.loads(done.stdout.decode("utf-8", "replace"))
        return str(reply["hookSpecificOutput"]["additionalContext"]), "", False
    except (ValueError, KeyError, TypeError):
        return "", "its answer holds nothing for the model", False
