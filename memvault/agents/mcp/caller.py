"""Who calls, and the vault opened for them: anew for every call, so that no two calls share anything."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.ids import INVENTED

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.cli.context import Desk

NOBODY = "mcp"
_LONGEST_NAME = 40
_SESSION = "CLAUDE_CODE_SESSION_ID"  # Claude Code starts servers with it, and with the folder of the project
_FOLDER = "CLAUDE_PROJECT_DIR"


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent, by the name that its client gives, and the session it is in, where that is told."""

    agent: str = NOBODY
    session: str = ""

    @classmethod
    def named(cls, name: str, session: str = "") -> Caller:
        """The caller that a client's own name means; never nobody, for that would be the person themself."""
        plain = re.sub(r"[^a-z0-9.]+", "-", name.casefold()).strip("-.")
        return cls(plain[:_LONGEST_NAME] or NOBODY, " ".join(session.split())[:200])


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """How the vault is opened for one call, by whichever process: which, from where, as whose and in which session."""

    vault: str | None  # as the command line names it
    folder: str
    project: str
    agent: str
    session: str
    own_session: str  # to work in where that one is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: the vault, who calls, from which project, and when."""

    vault: Memvault
    caller: Caller
    project: str
    now: datetime
    zone: tzinfo

    @classmethod
    def of(cls, visit: Visit, vault: Memvault, zone: tzinfo) -> Call:
        """The call of a visit, in the vault that was opened for it."""
        # A server lives on where a session ends, and goes on saying its name.
        known = Caller(visit.agent, vault.work_in(visit.session, else_in=visit.own_session))
        return cls(vault=vault, caller=known, project=visit.project, now=vault.now(), zone=zone)

    def check_not_paused(self) -> None:
        """Refuse to store while the user has memvault keep quiet: what an agent does is not the user's own word."""
        if found := self.vault.paused(project=self.project, session=self.caller.session):
            raise found.refusal()


class House:
    """Opens the vault for one call after the other, or for several at once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        # So that what one connection does belongs together, even where nobody says to which session.
        self._own_session = f"{INVENTED}{uuid.uuid4().hex[:12]}"

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of this process."""
        return self._desk.environment

    def now(self) -> datetime:
        """The time now."""
        return self._desk.now()

    @cached_property
    def project(self) -> str:
        """The project that the agent is at work in."""
        from memvault.system import project as projects  # deferred: it may have to ask git

        return projects.of(self._folder)

    @property
    def _folder(self) -> Path:
        return Path(self.environment.get(_FOLDER) or Path.cwd())

    @property
    def is_of_this_machine(self) -> bool:
        """Whether the time is the machine's own, so that another process of it may answer as well."""
        return self._desk.clock is None

    def visit(self, caller: Caller) -> Visit:
        """How the vault is opened for a caller."""
        return Visit(
            vault=self._desk.vault_named,
            folder=str(self._folder),
            project=self.project,
            agent=caller.agent,
            session=caller.session or self._session,
            own_session=self._own_session,
        )

    @contextmanager
    def open(self, visit: Visit) -> Iterator[Call]:
        """The vault, opened for a visit."""
        from memvault.api import Memvault, system_clock  # deferred: the first answer of all needs no vault

        with Memvault(
            visit.vault,
            agent=visit.agent,
            session=visit.session,
            clock=self._desk.clock or system_clock,
            zone=self._desk.zone,
            environment=self.environment,
            folder=Path(visit.folder),
            unattended=True,
        ) as vault:
            yield Call.of(visit, vault, self._desk.zone)

    @property
    def _session(self) -> str:
        return self.environment.get("MEMVAULT_SESSION") or self.environment.get(_SESSION) or self._own_session
