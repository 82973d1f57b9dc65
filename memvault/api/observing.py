"""What an agent does while it is at work: noted, followed, and recorded when an exchange is over."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memvault.core.value import Frozen
from memvault.open_vault import Hall

if TYPE_CHECKING:
    from memvault.storage.journal.interaction import Interaction

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
            from memvault.storage.incognito import keep  # deferred: few sessions are

            keep(self.state_folder, session)

    def observe(self, call: Call) -> None:
        """Note what a call of a tool did: deeds in a few words, tasks begun and ended."""
        from memvault.agents.hooks.todo_list import steps
        from memvault.transcripts.model.deeds import deeds

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
        from memvault.system.detached import start

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
