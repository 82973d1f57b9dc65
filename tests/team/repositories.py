"""A vault in a git repository that others fetch from: what somebody synced."""

from __future__ import annotations

import os
import subprocess

from memvault.api import Memvault
from memvault.core.conversation import Conversation
from memvault.transcripts.archive.archive import Archive
from memvault.transcripts.model.record import TranscriptEntry
from tests.team import invented

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


class Repository:
    """A vault, its working copy, and the commits that were made of it."""

    def __init__(self, vault: Memvault) -> None:
        self.vault, self.root = vault, vault.root
        self._git("init", "--quiet", "--initial-branch=main")

    @property
    def url(self) -> str:
        """Where it is fetched from."""
        return str(self.root)

    def write(self, path: str, text: str) -> None:
        """Write a file as a person's editor does."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def archive_talk(self, seed: int, count: int) -> None:
        """Put a conversation into the archive."""
        archive = Archive(self.root, self.vault.run(lambda context: context.vault.layout))
        head = Conversation(id=f"{seed:08x}-talk", source="chat", title=f"Talk {seed}")
        entries = [TranscriptEntry(turn=turn) for turn in invented.turns(seed, count)]
        archive.append_conversation(head, entries, now=invented.START)

    def commit(self) -> str:
        """Commit everything that is there."""
        self._git("add", "--all", "--force", ".")
        self._git("commit", "--quiet", "--message", "sync")
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *words: str) -> str:
        ran = subprocess.run(
            ("git", *words), cwd=self.root, env=ENVIRONMENT, check=True, capture_output=True, text=True
        )
        return ran.stdout
