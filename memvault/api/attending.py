"""At an agent's side: what is put before it at each moment, and what is kept of a session."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.api.hall import Hall
from memvault.host import folders

if TYPE_CHECKING:
    from memvault.verbs.attend import Occasion, Put

_TAIL = 200_000  # bytes of a transcript in which the last exchange is looked for
_FULL = 200_000  # bytes of the log of hooks


class Attending(Hall):
    """What is done without being asked for, in the moments that an agent's hooks tell of."""

    def now(self) -> datetime:
        """The time by this hall's clock."""
        return self._clock()

    def inject(self, prompt: str, *, event: str, session: str, project: str, limit: int, budget: int) -> Put:
        """The few memories that a prompt calls for, as text for the model, with a line for the user."""
        from memvault.verbs.attend import at_prompt

        occasion = self._occasion(event, session, project)
        return self._at_bench(lambda bench: at_prompt(bench, prompt, occasion, limit=limit, budget=budget))

    def inject_at_start(self, *, event: str, session: str, project: str) -> Put:
        """What is due and what is in hand, as text for the model, with a line for the user."""
        from memvault.verbs.attend import at_start

        occasion = self._occasion(event, session, project)
        return self._at_bench(lambda bench: at_start(bench, occasion))

    def exchange_before(self, transcript: str) -> str:
        """What was said last in a transcript, which is what "this" means; empty where it cannot be read."""
        from memvault.core.talk.sources import SOURCES, Kept, Start
        from memvault.errors import MemvaultError
        from memvault.vault.talks.origin import Origin

        try:
            origin = Origin.of(Path(transcript))
        except MemvaultError:
            return ""
        records = SOURCES["claude-code"].read(origin.chunks(max(0, origin.size - _TAIL)), Start())
        turns = [record.turn for record in records if isinstance(record, Kept) and record.turn]
        said = [turn for turn in turns if turn.text]
        return "\n\n".join(turn.text for turn in islice(said, max(0, len(said) - 2), None))

    def keep_session(self, transcript: str, *, session: str) -> None:
        """Have the transcript taken in and the progress saved, by a process that outlives this one."""
        from memvault.host.detached import start

        words = ["--vault", str(self.root), "save-progress", "--session", session, "--transcript", transcript]
        start(words, self.environment)

    def note_trouble(self, line: str) -> None:
        """A line in the log of hooks; one that cannot be written stops nobody."""
        from contextlib import suppress

        from memvault import files
        from memvault.errors import MemvaultError

        path = folders.state(self.environment) / "hooks.log"
        with suppress(MemvaultError, OSError):
            files.append(path, f"{self._clock():%Y-%m-%dT%H:%M:%SZ} {' '.join(line.split())[:400]}\n".encode())
            if path.stat().st_size > _FULL:
                path.replace(path.with_name("hooks.old.log"))

    def _occasion(self, event: str, session: str, project: str) -> Occasion:
        from memvault.verbs.attend import Occasion

        return Occasion(event=event, session=session, project=project, state=self.state_folder)
