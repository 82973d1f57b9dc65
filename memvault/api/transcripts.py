"""Conversations: taking them in, and digging in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.errors import NothingToDo
from memvault.open_vault import Hall
from memvault.system import files
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.privacy.private.keyring import Keyring
    from memvault.privacy.private.sealed import Made, SealStatus, Unsealed
    from memvault.transcripts.dig import Dug
    from memvault.transcripts.ingest import Ingested, Reading
    from memvault.transcripts.progress import Progress


class Conversing(Hall):
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
        progress: Reading | None = None,
    ) -> Ingested:
        """Take conversations into the archive, draw facts and topics out of them, and remember what is worth it.

        What was said during a pause is left out where nobody named the file: with `everything`, and if `automatic`.
        """
        from memvault.agents.setup.clients import projects
        from memvault.transcripts.ingest import Wanted, ingest

        ask, sessions = self.model().ask, projects(self.environment)
        wanted = Wanted(
            paths=(*map(Path, paths), *([sessions] if everything and sessions.is_dir() else [])),
            format=format,
            learn=learn,
            own=sessions,
            on_record=automatic or everything,
            keyring=_keyring(self.environment) if self.settings.text("transcripts.secrets") == "seal" else None,
            dry_run=dry_run,
            ask=ask,
            reviewers={} if ask is None else self.reviewers(),
        )
        return self._at_bench(lambda bench: ingest(bench, wanted, progress=progress))

    @staticmethod
    def seal_init(*, environment: Mapping[str, str] | None = None, dry_run: bool = False) -> Made:
        """Make this person's key for sealed originals, unless they have one; it needs no vault."""
        from memvault.privacy.private.sealed import make_key

        ring = _keyring(os.environ if environment is None else environment)
        with files.plainly(ring.folder):
            return make_key(ring, dry_run=dry_run)

    def seal_status(self) -> SealStatus:
        """Whether the originals of lines with secrets are sealed, to which key, and how many there are."""
        from memvault.privacy.private.sealed import status

        return self._at_bench(lambda bench: status(bench, _keyring(self.environment)))

    def unseal(self, ref: str, *, key: str | Path | None = None) -> Unsealed:
        """What was sealed of a conversation, opened with this person's key, or with one in another file."""
        from memvault.privacy.private.sealed import unsealed

        named = None if key is None else Path(key)
        return self._at_bench(lambda bench: unsealed(bench, _keyring(self.environment), ref, named))

    def dig(
        self,
        topic: str,
        *,
        limit: int = 0,
        budget: int = 0,
        map_only: bool = False,
        restore: bool = False,
        dry_run: bool = False,
    ) -> Dug:
        """Search everything there is for a topic, and give the conversations about it whole."""
        from memvault.transcripts.dig import Dig, dig

        asked = Dig(topic=topic, limit=limit, budget=budget, map_only=map_only, restore=restore, dry_run=dry_run)
        return self._at_bench(lambda bench: dig(bench, asked))

    def open_talk(self, ref: str, *, budget: int = 0) -> Dug:
        """The conversation on the topic that a turn belongs to."""
        from memvault.transcripts.dig import open_topic

        return self._at_bench(lambda bench: open_topic(bench, ref, budget=budget))

    def around(self, ref: str, *, turns: int = 5, budget: int = 0) -> Dug:
        """Some turns before and after one."""
        from memvault.transcripts.dig import around

        return self._at_bench(lambda bench: around(bench, ref, turns=turns, budget=budget))

    def save_progress(
        self, text: str = "", *, session: str = "", transcript: str | Path = "", dry_run: bool = False
    ) -> Progress:
        """Keep what came of a session as a milestone, or bring that up to date; a transcript is taken in first."""
        from memvault.transcripts.progress import save_progress

        if session and not self._sayable(session):
            raise NothingToDo(reason="That session was forgotten for good.")
        if transcript and not dry_run:
            self.ingest([transcript], automatic=True)  # hooks call this: what was said during a pause stays out
        ask = self.model().ask
        return self._at_bench(lambda bench: save_progress(bench, text, session, ask, dry_run=dry_run))


def _keyring(environment: Mapping[str, str]) -> Keyring:
    from memvault.privacy.private.keyring import Keyring  # deferred: few seal anything

    return Keyring(folders.config(environment))
