"""Conversations: taking them in, and digging in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.open_vault import OpenVault
from memvault.system import files
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.system.age import Keyring
    from memvault.transcripts.archive.originals import MakeKeyResult, SealStatus, UnsealResult
    from memvault.transcripts.dig import DigResult
    from memvault.transcripts.ingest import IngestResult, ReadProgress
    from memvault.transcripts.progress import ProgressResult


class TranscriptMethods(OpenVault):
    """What is done with whole conversations."""

    def ingest(
        self,
        paths: Sequence[str | Path] = (),
        *,
        format: str = "",  # noqa: A002 - the word that the command line has for it
        everything: bool = False,
        learn: bool = True,
        automatic: bool = False,
        dry_run: bool = False,
        progress: ReadProgress | None = None,
    ) -> IngestResult:
        """Take conversations into the archive, draw facts and topics out of them, and remember what is worth it.

        What was said during a pause is left out where nobody named the file: with `everything`, and if `automatic`.
        """
        from memvault.transcripts.ingest import IngestOptions, ingest

        options = IngestOptions(
            paths=tuple(map(Path, paths)),
            format=format,
            learn=learn,
            everything=everything,
            skip_paused=automatic,
            dry_run=dry_run,
        )
        return self.run(ingest, options, progress=progress)

    @staticmethod
    def seal_init(*, environment: Mapping[str, str] | None = None, dry_run: bool = False) -> MakeKeyResult:
        """Make this person's key for sealed originals, unless they have one; it needs no vault."""
        from memvault.transcripts.archive.originals import make_seal_key

        ring = _keyring(os.environ if environment is None else environment)
        with files.system_errors(ring.folder):
            return make_seal_key(ring, dry_run=dry_run)

    def seal_status(self) -> SealStatus:
        """Return whether the originals of lines with secrets are sealed, to which key, and how many there are."""
        from memvault.transcripts.archive.originals import seal_status

        return self.run(lambda context: seal_status(context, _keyring(self.environment)))

    def unseal(self, ref: str, *, key: str | Path | None = None) -> UnsealResult:
        """Return what was sealed of a conversation, opened with this person's key, or with one in another file."""
        from memvault.transcripts.archive.originals import unseal_originals

        named = None if key is None else Path(key)
        return self.run(lambda context: unseal_originals(context, _keyring(self.environment), ref, named))

    def dig(
        self,
        topic: str,
        *,
        limit: int = 0,
        budget: int = 0,
        map_only: bool = False,
        restore: bool = False,
        dry_run: bool = False,
    ) -> DigResult:
        """Search everything there is for a topic, and give the conversations about it whole."""
        from memvault.transcripts.dig import DigQuery, dig

        asked = DigQuery(topic=topic, limit=limit, budget=budget, map_only=map_only, restore=restore, dry_run=dry_run)
        return self.run(lambda context: dig(context, asked))

    def open_conversation(self, ref: str, *, budget: int = 0) -> DigResult:
        """Return the conversation on the topic that a turn belongs to."""
        from memvault.transcripts.dig import open_topic

        return self.run(lambda context: open_topic(context, ref, budget=budget))

    def around(self, ref: str, *, turns: int = 5, budget: int = 0) -> DigResult:
        """Some turns before and after one."""
        from memvault.transcripts.dig import open_around

        return self.run(lambda context: open_around(context, ref, turns=turns, budget=budget))

    def save_progress(
        self, text: str = "", *, session: str = "", transcript: str | Path = "", dry_run: bool = False
    ) -> ProgressResult:
        """Keep what came of a session as a milestone, or bring that up to date; a transcript is taken in first."""
        from memvault.transcripts.progress import save_progress

        return self.run(save_progress, text, session=session, transcript=transcript, dry_run=dry_run)


def _keyring(environment: Mapping[str, str]) -> Keyring:
    from memvault.system.age import Keyring  # deferred: few seal anything

    return Keyring(folders.config_folder(environment))
