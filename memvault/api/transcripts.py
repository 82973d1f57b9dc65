"""Conversations: taking them in, and digging in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.open_vault import OpenVault

if TYPE_CHECKING:
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
