"""Prove that it works: write a memory as a person would, ask for it as an agent would, take it away again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.agents.setup.agent import Words
from memvault.agents.setup.trial import call_hook
from memvault.system import files

_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Whether a memory that was written by hand reached the model by way of the hook; if not, why."""

    ok: bool
    complaint: str = ""
    is_harmful: bool = False  # a hook that fails gets in the agent's way: it must not stay


def prove(folder: Path, words: Words, environment: Mapping[str, str], *, home: Path) -> Proof:
    """Have the hook find a note that was not there a moment ago; the note is gone again afterwards."""
    trigger, answer = f"memvault setup check {os.urandom(4).hex()}", f"lantern-{os.urandom(4).hex()}"
    note = folder / f"{trigger.replace(' ', '-')}.md"
    is_new = not folder.exists()
    files.make_folder(folder)
    files.create(note, _note(trigger, answer).encode())
    try:
        payload = {
            "session_id": trigger.replace(" ", "-"),
            "transcript_path": "",
            "cwd": str(home),
            "hook_event_name": "UserPromptSubmit",
            "prompt": f"What is the password of the {trigger}?",
        }
        heard = call_hook(words, payload, environment=environment, folder=home, seconds=_SECONDS)
    finally:
        files.remove(note)
        if is_new:
            with suppress(OSError):  # the hook may have put something there meanwhile
                folder.rmdir()
    if answer in heard.context:
        return Proof(ok=True)
    if heard.failed:
        complaint = f"{heard.complaint.rstrip('.')}; so the hooks were taken out again, as they would disturb the agent"
        return Proof(ok=False, complaint=complaint, is_harmful=True)
    return Proof(ok=False, complaint=heard.complaint or "it spoke of other memories, and not of this one")


def _note(trigger: str, answer: str) -> str:
    return (
        "---\n"
        f"title: The password of the {trigger}\n"
        "kind: semantic\n"
        "scope: global\n"
        f"triggers: [{trigger}]\n"
        "---\n"
        f"The password of the {trigger} is {answer}.\n"
    )
