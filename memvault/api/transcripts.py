"""Conversations: taking them in, and digging in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.value import Frozen
from memvault.errors import NothingToDo
from memvault.open_vault import Hall
from memvault.system import files
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.privacy.private.age import Keyring
    from memvault.privacy.private.originals import Made, SealStatus, Unsealed
    from memvault.storage.journal.exchanges import Interaction
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
        from memvault.privacy.private.originals import make_key

        ring = _keyring(os.environ if environment is None else environment)
        with files.plainly(ring.folder):
            return make_key(ring, dry_run=dry_run)

    def seal_status(self) -> SealStatus:
        """Whether the originals of lines with secrets are sealed, to which key, and how many there are."""
        from memvault.privacy.private.originals import status

        return self._at_bench(lambda bench: status(bench, _keyring(self.environment)))

    def unseal(self, ref: str, *, key: str | Path | None = None) -> Unsealed:
        """What was sealed of a conversation, opened with this person's key, or with one in another file."""
        from memvault.privacy.private.originals import unsealed

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
    from memvault.privacy.private.age import Keyring  # deferred: few seal anything

    return Keyring(folders.config(environment))


# What an agent does while it is at work: noted, followed, and recorded when an exchange is over.

_OVERDUE = timedelta(hours=24)
_ASKED = "upkeep.asked"


class Call(Frozen, kw_only=True):
    """One call of a tool, as an agent's hook tells of it."""

    tool: str
    given: Mapping[str, object]
    answer: object
    folder: str = ""
    project: str = ""


class Observing(Hall):
    """What is noted of an agent's work without being asked for."""

    def watch_for_web(self, call: Call) -> None:
        """Keep in mind that a session read the web, where a call of a tool did."""
        from memvault.transcripts.model.web import reads_web

        if self._actor.is_nameless:
            return  # it is taken for one that did
        if reads_web(call.tool, call.given, more=self.settings.texts("screen.web_tools")):
            from memvault.memories.web_taint import taint  # deferred: few calls do

            taint(self.state_folder, session=self._actor.session, project=call.project, now=self._clock())

    def begin_session(self, transcript: str, *, source: str, project: str) -> None:
        """Have a session that goes on from one that read the web bear its mark; `source` says how it begins."""
        from memvault.memories.web_taint import begin, carry_over

        state, session = self.state_folder, self._actor.session
        begin(state, session)
        carry_over(state, transcript, session=session, source=source, project=project, now=self._clock())

    def end_session(self) -> None:
        """Keep in mind that this session is over."""
        from memvault.memories.web_taint import end

        if self._actor.session:
            end(self.state_folder, self._actor.session)

    def work_in(self, session: str, *, else_in: str) -> str:
        """Work in a session, or in another where that one is over; gives in which."""
        from memvault.memories.web_taint import is_over

        chosen = else_in if is_over(self.state_folder, session) else session
        self._work_in(chosen)
        return chosen

    def keep_incognito(self, session: str) -> None:
        """Keep in mind, by a hash, that a session is incognito, so that it stays so when it is over."""
        from memvault.storage.pauses import is_incognito

        if is_incognito(self.environment):
            from memvault.storage.pauses import keep  # deferred: few sessions are

            keep(self.state_folder, session)

    def observe(self, call: Call) -> None:
        """Note what a call of a tool did: deeds in a few words, tasks begun and ended."""
        from memvault.agents.hooks.todo_list import steps
        from memvault.transcripts.model.tool_calls import deeds

        session = self._actor.session
        if done := deeds(call.tool, call.given, call.answer, folder=call.folder):
            from memvault.agents.hooks.tool_log import note

            note(self.state_folder, done, session=session, now=self._clock())
        if session and (moved := steps(call.tool, call.given, call.answer)):
            from memvault.agents.hooks.todo_list import follow

            self._at_bench(lambda bench: follow(bench, moved))

    def keep_exchange(self, *, transcript: str, answer: str, project: str) -> Interaction | None:
        """Record what was asked and answered last in this session, and the uses of what was recalled for it."""
        from memvault.agents.hooks.exchanges import Exchange, keep_exchange

        exchange = Exchange(transcript=transcript, answer=answer, project=project)
        return self._at_bench(lambda bench: keep_exchange(bench, exchange))

    def interactions(
        self, *, project: str = "", since: datetime | None = None, limit: int = 5
    ) -> tuple[Interaction, ...]:
        """The last exchanges with agents, the newest first."""
        from memvault.storage.journal.exchanges import latest

        return latest(self.state_folder, project=project, since=since, limit=limit)

    def start_overdue_upkeep(self) -> bool:
        """Have upkeep run in a process of its own, if none ran for a day; whether one was started."""
        from memvault.agents.hooks.claim import may_begin
        from memvault.storage.journal.runs import last_run
        from memvault.system.programs import start

        if not self.settings.flag("schedule.at_session_start") or self.settings.text("decay.control") == "manual":
            return False
        now = self._clock()
        last = self._at_bench(last_run).at
        if last is not None and abs(now - last) < _OVERDUE:
            return False
        if not may_begin(self.state_folder / _ASKED, now):
            return False
        # It is not the agent that looks after the vault.
        alone = {**self.environment, "CLAUDECODE": "", "MEMVAULT_AGENT": "", "MEMVAULT_SESSION": ""}
        start(["--vault", str(self.root), "maintain", "--scheduled"], alone)
        return True
