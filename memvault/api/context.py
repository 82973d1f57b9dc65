"""Speaking to it, and the person's switch."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.spoken.listening import may_hold_command
from memvault.core.settings import Settings
from memvault.core.value import replace
from memvault.errors import BadInput, NoIntent
from memvault.open_vault import Hall, load_personal
from memvault.storage.vault import config
from memvault.system import files

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import Said
    from memvault.agents.spoken.intent import Intent
    from memvault.agents.spoken.parse import Heard
    from memvault.context.injection_log import Shown
    from memvault.storage.pauses import Quiet, Scope
    from memvault.storage.vault.context import Bench


class Speaking(Hall):
    """What is done by a word."""

    def intent(self, text: str) -> Intent | None:
        """The command that an assistant is to obey in a prompt, if it holds one and `intents.obey` is set."""
        found = self.hear(text)
        return None if found is None else found.intent

    def hear(self, text: str) -> Heard | None:
        """The same with what else the prompt says, which is for the assistant."""
        return self._hear(text) if self.settings.flag("intents.obey") else None

    def say(
        self,
        text: str,
        *,
        before: str = "",
        project: str = "",
        by_person: bool = False,
        secrets: str = "",
        dry_run: bool = False,
    ) -> Said:
        """Do what a text asks for.

        `before` is what "this" means, `by_person` says that it is the person's own word, whoever carries it here.
        What becomes of secrets in it, `secrets` says: refuse, redact or keep.
        """
        from memvault.agents.spoken.execute import Spoken, instead, say

        found = self._read(text)
        if found is None:
            raise NoIntent(text=_short(text), way_out=instead(text))
        spoken = Spoken(
            before=before,
            project=project,
            secrets=secrets,
            ask=self.model().ask,
            ask_wording=self._ask_for("consolidate.wording"),
            dry_run=dry_run,
        )
        return self._at_bench(lambda bench: say(_as_persons(bench, found) if by_person else bench, found, spoken))

    def _read(self, text: str) -> Intent | None:
        found = self._hear(text)
        return None if found is None else found.intent

    def _hear(self, text: str) -> Heard | None:
        phrases = self.settings.texts("intents.phrases")
        if not may_hold_command(text, phrases=phrases):
            return None
        from memvault.agents.spoken.parse import hear  # deferred: most prompts need no reading

        return hear(text, phrases=phrases)

    # -- the switch

    def pause(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        span: timedelta | None = None,
        dry_run: bool = False,
    ) -> Quiet:
        """Remember and inject nothing by itself: everywhere, in a project, in the one of this folder, in a session."""
        from memvault.storage.pauses import pause

        scope = _scope(project, here=here, session=session)
        with files.plainly(self.state_folder):
            return pause(self.state_folder, scope, now=self._clock(), span=span, dry_run=dry_run)

    def resume(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        everything: bool = False,
        dry_run: bool = False,
    ) -> tuple[Quiet, ...]:
        """End a pause, or with `everything` all of them; gives those that were ended."""
        from memvault.storage.pauses import resume

        scope = _scope(project, here=here, session=session)
        with files.plainly(self.state_folder):
            return resume(self.state_folder, [scope], now=self._clock(), everything=everything, dry_run=dry_run)

    def paused(self, *, project: str = "", session: str = "") -> Quiet | None:
        """The pause that holds for a project and a session now, if there is one."""
        from memvault.storage.pauses import Quiet, Scope, quiet_now

        if self._actor.is_nameless or (session and not self._sayable(session)):
            return Quiet(Scope("session"), self._clock(), incognito=True)
        session = session or self._actor.session
        return quiet_now(self.state_folder, project, session, self._clock(), self.environment)

    def pauses(self) -> tuple[Quiet, ...]:
        """Every pause that holds now, whatever for."""
        from memvault.storage.pauses import standing

        return standing(self.state_folder, self._clock())

    def last(self, *, session: str = "", limit: int = 1) -> tuple[Shown, ...]:
        """What was put before a model last, and why, the newest first."""
        from memvault.context.injection_log import last_shown

        return self._at_bench(lambda bench: last_shown(bench, session, limit=limit))


def _as_persons(bench: Bench, intent: Intent) -> Bench:
    """The bench of a person who speaks; what they only point to stays the agent's where it had read the web."""
    from memvault.agents.spoken.intent import Remember, SaveProgress, Significant
    from memvault.memories.web_taint import in_doubt

    is_pointed_to = isinstance(intent, SaveProgress) or (isinstance(intent, Remember | Significant) and not intent.text)
    if is_pointed_to and in_doubt(bench):
        return bench
    return replace(bench, actor=replace(bench.actor, agent=""))


def command_of(prompt: str, environment: Mapping[str, str]) -> Intent | None:
    """The command in a prompt where no vault could be opened, as far as this person's own settings can be read."""
    settings = Settings({})
    with suppress(Exception):  # in settings that cannot be read there are no phrases
        settings = Settings({**load_personal(environment), **config.from_environment(environment)})
    phrases = settings.texts("intents.phrases")
    if not settings.flag("intents.obey") or not may_hold_command(prompt, phrases=phrases):
        return None
    from memvault.agents.spoken.parse import read  # deferred: most prompts need no reading

    return read(prompt, phrases=phrases)


def _scope(project: str, *, here: bool, session: str) -> Scope:
    from memvault.storage.pauses import EVERYTHING, Scope
    from memvault.system import project as projects

    if bool(project.strip()) + here + bool(session.strip()) > 1:
        raise BadInput(what="the scope", value=project or session, reason="name one project or one session, not both")
    if session.strip():
        return Scope("session", session.strip())
    name = projects.of(Path.cwd()) if here else project.strip()
    return Scope("project", name) if name else EVERYTHING


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
