"""Speaking to it, and the person's switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.spoken.listening import find_obeyed_command, may_hold_command
from memvault.core.settings import Settings
from memvault.errors import BadInput
from memvault.open_vault import OpenVault, load_own_settings
from memvault.storage.vault import config
from memvault.system import files

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import SpokenResult
    from memvault.agents.spoken.intent import Intent
    from memvault.agents.spoken.parse import SpokenCommand
    from memvault.context.injection_log import InjectionDetails
    from memvault.context.prompt import Injection, RunLater
    from memvault.storage.pauses import PausePeriod, PauseScope


class SpokenMethods(OpenVault):
    """What is done by a word."""

    def intent(self, text: str) -> Intent | None:
        """The command that an assistant is to obey in a prompt, if it holds one and `intents.obey` is set."""
        found = self.parse_command(text)
        return None if found is None else found.intent

    def parse_command(self, text: str) -> SpokenCommand | None:
        """The same with what else the prompt says, which is for the assistant."""
        return find_obeyed_command(text, self.settings)

    def say(
        self,
        text: str,
        *,
        before: str = "",
        project: str = "",
        by_person: bool = False,
        secrets: str = "",
        dry_run: bool = False,
    ) -> SpokenResult:
        """Do what a text asks for.

        `before` is what "this" means, `by_person` says that it is the person's own word, whoever carries it here.
        What becomes of secrets in it, `secrets` says: refuse, redact or keep.
        """
        from memvault.agents.spoken.execute import SpokenContext, say

        spoken = SpokenContext(
            previous_text=before, project=project, secrets=secrets, by_person=by_person, dry_run=dry_run
        )
        return self.run(say, text, spoken)

    # -- the switch

    def pause(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        span: timedelta | None = None,
        dry_run: bool = False,
    ) -> PausePeriod:
        """Remember and inject nothing by itself: everywhere, in a project, in the one of this folder, in a session."""
        from memvault.storage.pauses import start_pause

        scope = _scope(project, here=here, session=session)
        with files.system_errors(self.state_folder):
            return start_pause(self.state_folder, scope, now=self._clock(), span=span, dry_run=dry_run)

    def resume(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        everything: bool = False,
        dry_run: bool = False,
    ) -> tuple[PausePeriod, ...]:
        """End a pause, or with `everything` all of them; gives those that were ended."""
        from memvault.storage.pauses import end_pauses

        scope = _scope(project, here=here, session=session)
        with files.system_errors(self.state_folder):
            return end_pauses(self.state_folder, [scope], now=self._clock(), everything=everything, dry_run=dry_run)

    def find_pause(self, *, project: str = "", session: str = "") -> PausePeriod | None:
        """The pause that holds for a project and a session now, if there is one."""
        from memvault.storage.pauses import PausePeriod, PauseScope, active_pause

        if self._actor.is_nameless or (session and not self._check_session_name(session)):
            return PausePeriod(PauseScope("session"), self._clock(), incognito=True)
        session = session or self._actor.session
        return active_pause(self.state_folder, project, session, self._clock(), self.environment)

    def list_pauses(self) -> tuple[PausePeriod, ...]:
        """Every pause that holds now, whatever for."""
        from memvault.storage.pauses import active_pauses

        return active_pauses(self.state_folder, self._clock())

    def list_injections(self, *, session: str = "", limit: int = 1) -> tuple[InjectionDetails, ...]:
        """What was put before a model last, and why, the newest first."""
        from memvault.context.injection_log import last_injections

        return self.run(lambda context: last_injections(context, session, limit=limit))


def find_spoken_command(prompt: str, environment: Mapping[str, str]) -> Intent | None:
    """The command in a prompt where no vault could be opened, as far as this person's own settings can be read."""
    settings = Settings({})
    with suppress(Exception):  # in settings that cannot be read there are no phrases
        settings = Settings({**load_own_settings(environment), **config.from_environment(environment)})
    phrases = settings.texts("intents.phrases")
    if not settings.flag("intents.obey") or not may_hold_command(prompt, phrases=phrases):
        return None
    from memvault.agents.spoken.parse import parse_intent  # deferred: most prompts need no reading

    return parse_intent(prompt, phrases=phrases)


def _scope(project: str, *, here: bool, session: str) -> PauseScope:
    from memvault.storage.pauses import EVERYTHING, PauseScope
    from memvault.system import project as projects

    if bool(project.strip()) + here + bool(session.strip()) > 1:
        raise BadInput(what="the scope", value=project or session, reason="name one project or one session, not both")
    if session.strip():
        return PauseScope("session", session.strip())
    name = projects.project_of(Path.cwd()) if here else project.strip()
    return PauseScope("project", name) if name else EVERYTHING


# At an agent's side: what is put before it at each moment, and what is kept of a session.

_TAIL = 200_000  # bytes of a transcript in which the last exchange is looked for


class InjectionMethods(OpenVault):
    """What is done without being asked for, in the moments that an agent's hooks tell of."""

    def now(self) -> datetime:
        """The time by this hall's clock."""
        return self._clock()

    def ask_before_writing(self, gate: Callable[[], object] | None) -> None:
        """Have something called, under the vault's lock, before anything is written; where it raises, nothing is."""
        self._vault.before_writing = gate

    def describe_last_command(self) -> str:
        """What another process did for this session a moment ago, in one sentence; empty where that was nothing."""
        from memvault.agents.spoken.execute import describe_last_command  # deferred: seldom are there two

        return self.run(lambda context: describe_last_command(context, self._clock()))

    def inject_for_prompt(
        self,
        prompt: str,
        *,
        event: str,
        session: str,
        project: str,
        obeyed: SpokenResult | None = None,
        later: RunLater | None = None,
    ) -> Injection:
        """The few memories that a prompt calls for, as text for the model, with a line for the user.

        What a command in it was `obeyed` by goes along where the model is to tell of it, and is not given again.
        The account of it is kept at once, or by whoever is given it for `later`.
        """
        from memvault.context.prompt import InjectionEvent, inject_for_prompt, run_now

        own, state = self._check_session_name(session), self.state_folder
        occasion = InjectionEvent(event=event, session=own, project=project, state=state, later=later or run_now)
        if obeyed is None:
            return self.run(lambda context: inject_for_prompt(context, prompt, occasion))
        from memvault.agents.spoken.execute import (  # deferred: most prompts hold no command
            created_ids,
            question_answer,
        )

        asked, without = question_answer(obeyed), created_ids(obeyed)
        return self.run(lambda context: inject_for_prompt(context, prompt, occasion, asked=asked, without=without))

    def inject_for_session(
        self,
        *,
        event: str,
        session: str,
        project: str,
        source: str = "",
        folder: Path | None = None,
        later: RunLater | None = None,
    ) -> Injection:
        """What a session begins with, as `inject` gives it; `source` says how it begins."""
        from memvault.context.prompt import InjectionEvent, run_now
        from memvault.context.session_start import inject_for_session
        from memvault.system.paths import claude_folder

        occasion = InjectionEvent(
            event=event,
            session=session,
            project=project,
            state=self.state_folder,
            source=source,
            folder=folder,
            home=claude_folder(self.environment),
            later=later or run_now,
        )
        return self.run(lambda context: inject_for_session(context, occasion))

    def exchange_before(self, transcript: str) -> str:
        """What was said last in a transcript, which is what "this" means; empty where it cannot be read."""
        from memvault.errors import MemvaultError
        from memvault.transcripts.archive.source_file import SourceFile
        from memvault.transcripts.formats import agent_format
        from memvault.transcripts.model.record import ReadStart, TranscriptEntry

        try:
            origin = SourceFile.open_file(Path(transcript))
        except MemvaultError:
            return ""
        source = agent_format(origin.first, origin.path.name)
        records = source.read(origin.read_chunks(max(0, origin.size - _TAIL)), ReadStart())
        turns = [record.turn for record in records if isinstance(record, TranscriptEntry) and record.turn]
        said = [turn for turn in turns if turn.text]
        return "\n\n".join(turn.text for turn in islice(said, max(0, len(said) - 2), None))

    def keep_session(self, transcript: str, *, session: str) -> None:
        """Have the transcript taken in and the progress saved, by a process that outlives this one."""
        from memvault.system.programs import start_memvault

        words = ["--vault", str(self.root), "save-progress", "--session", session, "--transcript", transcript]
        # Whose session it is goes along: what is kept of one that read the web is marked.
        who = {"MEMVAULT_AGENT": self._actor.agent, "MEMVAULT_SESSION": session}
        start_memvault(words, {**self.environment, **who})


# What was forgotten for good on another machine, forgotten on this one, too.


class PurgeMethods(OpenVault):
    """What every call asks for that meets what other machines did."""

    def _apply_purges(self) -> None:
        """Take out of all that this machine keeps what is marked as purged; nothing where that was done."""
        from memvault.privacy.purge.purge import apply_marked  # deferred: in most vaults nothing was ever purged

        self.run(apply_marked)
