"""Speaking to it, and the person's switch."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.errors import BadInput
from memvault.open_vault import OpenVault
from memvault.system import files

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import SpokenResult
    from memvault.context.injection_log import InjectionDetails
    from memvault.storage.pauses import PausePeriod, PauseScope


class SpokenMethods(OpenVault):
    """What is done by a word."""

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

    def list_pauses(self) -> tuple[PausePeriod, ...]:
        """Return every pause that holds now, whatever for."""
        from memvault.storage.pauses import active_pauses

        return active_pauses(self.state_folder, self._clock())

    def list_injections(self, *, session: str = "", limit: int = 1) -> tuple[InjectionDetails, ...]:
        """Return what was put before a model last, and why, the newest first."""
        from memvault.context.injection_log import last_injections

        return self.run(lambda context: last_injections(context, session, limit=limit))


def _scope(project: str, *, here: bool, session: str) -> PauseScope:
    from memvault.storage.pauses import EVERYTHING, PauseScope
    from memvault.system import project as projects

    if bool(project.strip()) + here + bool(session.strip()) > 1:
        raise BadInput(what="the scope", value=project or session, reason="name one project or one session, not both")
    if session.strip():
        return PauseScope("session", session.strip())
    name = projects.project_of(Path.cwd()) if here else project.strip()
    return PauseScope("project", name) if name else EVERYTHING
