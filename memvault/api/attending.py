"""At an agent's side: what is put before it at each moment, and what is kept of a session."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.open_vault import Hall

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import Said
    from memvault.context.prompt import Later, Put

_TAIL = 200_000  # bytes of a transcript in which the last exchange is looked for


class Attending(Hall):
    """What is done without being asked for, in the moments that an agent's hooks tell of."""

    def now(self) -> datetime:
        """The time by this hall's clock."""
        return self._clock()

    def ask_before_writing(self, gate: Callable[[], object] | None) -> None:
        """Have something called, under the vault's lock, before anything is written; where it raises, nothing is."""
        self._vault.before_writing = gate

    def obeyed_before(self) -> str:
        """What another process did for this session a moment ago, in one sentence; empty where that was nothing."""
        from memvault.agents.spoken.execute import obeyed  # deferred: seldom are there two

        return self._at_bench(lambda bench: obeyed(bench, self._clock()))

    def inject(
        self,
        prompt: str,
        *,
        event: str,
        session: str,
        project: str,
        obeyed: Said | None = None,
        later: Later | None = None,
    ) -> Put:
        """The few memories that a prompt calls for, as text for the model, with a line for the user.

        What a command in it was `obeyed` by goes along where the model is to tell of it, and is not given again.
        The account of it is kept at once, or by whoever is given it for `later`.
        """
        from memvault.context.prompt import Occasion, at_once, at_prompt

        own, state = self._sayable(session), self.state_folder
        occasion = Occasion(event=event, session=own, project=project, state=state, later=later or at_once)
        if obeyed is None:
            return self._at_bench(lambda bench: at_prompt(bench, prompt, occasion))
        from memvault.agents.spoken.execute import answer, made  # deferred: most prompts hold no command

        asked, without = answer(obeyed), made(obeyed)
        return self._at_bench(lambda bench: at_prompt(bench, prompt, occasion, asked=asked, without=without))

    def inject_at_start(
        self,
        *,
        event: str,
        session: str,
        project: str,
        source: str = "",
        folder: Path | None = None,
        later: Later | None = None,
    ) -> Put:
        """What a session begins with, as `inject` gives it; `source` says how it begins."""
        from memvault.agents.setup.clients import home
        from memvault.context.prompt import Occasion, at_once
        from memvault.context.session_start import at_start

        occasion = Occasion(
            event=event,
            session=session,
            project=project,
            state=self.state_folder,
            source=source,
            folder=folder,
            home=home(self.environment),
            later=later or at_once,
        )
        return self._at_bench(lambda bench: at_start(bench, occasion))

    def exchange_before(self, transcript: str) -> str:
        """What was said last in a transcript, which is what "this" means; empty where it cannot be read."""
        from memvault.errors import MemvaultError
        from memvault.transcripts.archive.source_file import Origin
        from memvault.transcripts.formats import Kept, Start, of_agent

        try:
            origin = Origin.of(Path(transcript))
        except MemvaultError:
            return ""
        source = of_agent(origin.first, origin.path.name)
        records = source.read(origin.chunks(max(0, origin.size - _TAIL)), Start())
        turns = [record.turn for record in records if isinstance(record, Kept) and record.turn]
        said = [turn for turn in turns if turn.text]
        return "\n\n".join(turn.text for turn in islice(said, max(0, len(said) - 2), None))

    def keep_session(self, transcript: str, *, session: str) -> None:
        """Have the transcript taken in and the progress saved, by a process that outlives this one."""
        from memvault.system.detached import start

        words = ["--vault", str(self.root), "save-progress", "--session", session, "--transcript", transcript]
        # Whose session it is goes along: what is kept of one that read the web is marked.
        who = {"MEMVAULT_AGENT": self._actor.agent, "MEMVAULT_SESSION": session}
        start(words, {**self.environment, **who})
