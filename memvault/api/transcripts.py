"""Conversations: taking them in, and digging in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.value import Record
from memvault.open_vault import OpenVault
from memvault.system import files
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.storage.journal.exchanges import Interaction
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
        """Whether the originals of lines with secrets are sealed, to which key, and how many there are."""
        from memvault.transcripts.archive.originals import seal_status

        return self.run(lambda context: seal_status(context, _keyring(self.environment)))

    def unseal(self, ref: str, *, key: str | Path | None = None) -> UnsealResult:
        """What was sealed of a conversation, opened with this person's key, or with one in another file."""
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
        """The conversation on the topic that a turn belongs to."""
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


# What an agent does while it is at work: noted, followed, and recorded when an exchange is over.

_MAINTAIN_AFTER = timedelta(hours=24)
_ASKED = "upkeep.asked"


class ToolUse(Record, kw_only=True):
    """One call of a tool, as an agent's hook tells of it."""

    tool: str
    arguments: Mapping[str, object]
    answer: object
    folder: str = ""
    project: str = ""


class ToolUseMethods(OpenVault):
    """What is noted of an agent's work without being asked for."""

    def watch_for_web(self, call: ToolUse) -> None:
        """Keep in mind that a session read the web, where a call of a tool did."""
        from memvault.transcripts.model.web import reads_web

        if self._actor.is_nameless:
            return  # it is taken for one that did
        if reads_web(call.tool, call.arguments, more=self.settings.texts("screen.web_tools")):
            from memvault.memories.web_taint import mark_tainted  # deferred: few calls do

            mark_tainted(self.state_folder, session=self._actor.session, project=call.project, now=self._clock())

    def begin_session(self, transcript: str, *, source: str, project: str) -> None:
        """Have a session that goes on from one that read the web bear its mark; `source` says how it begins."""
        from memvault.memories.web_taint import carry_over_taint, mark_resumed

        state, session = self.state_folder, self._actor.session
        mark_resumed(state, session)
        carry_over_taint(state, transcript, session=session, source=source, project=project, now=self._clock())

    def end_session(self) -> None:
        """Keep in mind that this session is over."""
        from memvault.memories.web_taint import mark_ended

        if self._actor.session:
            mark_ended(self.state_folder, self._actor.session)

    def work_in(self, session: str, *, else_in: str) -> str:
        """Work in a session, or in another where that one is over; gives in which."""
        from memvault.memories.web_taint import is_ended

        chosen = else_in if is_ended(self.state_folder, session) else session
        self._set_session(chosen)
        return chosen

    def mark_incognito(self, session: str) -> None:
        """Keep in mind, by a hash, that a session is incognito, so that it stays so when it is over."""
        from memvault.storage.pauses import is_incognito

        if is_incognito(self.environment):
            from memvault.storage.pauses import hide_session  # deferred: few sessions are

            hide_session(self.state_folder, session)

    def log_tool_use(self, call: ToolUse) -> None:
        """Note what a call of a tool did: deeds in a few words, tasks begun and ended."""
        from memvault.agents.hooks.todo_list import parse_todo_steps
        from memvault.transcripts.model.tool_calls import tool_actions

        session = self._actor.session
        if done := tool_actions(call.tool, call.arguments, call.answer, folder=call.folder):
            from memvault.agents.hooks.tool_log import log_tool_calls

            log_tool_calls(self.state_folder, done, session=session, now=self._clock())
        if session and (moved := parse_todo_steps(call.tool, call.arguments, call.answer)):
            from memvault.agents.hooks.todo_list import follow_todos

            self.run(lambda context: follow_todos(context, moved))

    def record_exchange(self, *, transcript: str, answer: str, project: str) -> Interaction | None:
        """Record what was asked and answered last in this session, and the uses of what was recalled for it."""
        from memvault.agents.hooks.exchanges import Exchange, log_exchange

        exchange = Exchange(transcript=transcript, answer=answer, project=project)
        return self.run(lambda context: log_exchange(context, exchange))

    def interactions(
        self, *, project: str = "", since: datetime | None = None, limit: int = 5
    ) -> tuple[Interaction, ...]:
        """The last exchanges with agents, the newest first."""
        from memvault.storage.journal.exchanges import latest_exchanges

        return latest_exchanges(self.state_folder, project=project, since=since, limit=limit)

    def start_overdue_upkeep(self) -> bool:
        """Have upkeep run in a process of its own, if none ran for a day; whether one was started."""
        from memvault.agents.hooks.claim import claim_hourly_start
        from memvault.storage.journal.runs import read_last_run
        from memvault.system.programs import start_memvault

        if not self.settings.flag("schedule.at_session_start") or self.settings.text("decay.control") == "manual":
            return False
        now = self._clock()
        last = self.run(read_last_run).at
        if last is not None and abs(now - last) < _MAINTAIN_AFTER:
            return False
        if not claim_hourly_start(self.state_folder / _ASKED, now):
            return False
        # It is not the agent that looks after the vault.
        alone = {**self.environment, "CLAUDECODE": "", "MEMVAULT_AGENT": "", "MEMVAULT_SESSION": ""}
        start_memvault(["--vault", str(self.root), "maintain", "--scheduled"], alone)
        return True
