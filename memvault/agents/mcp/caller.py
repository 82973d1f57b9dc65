"""Who calls, and the vault opened for them: anew for every call, so that no two calls share anything."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from memvault.core.ids import INVENTED_SESSION
from memvault.system import daemon_client as client
from memvault.system import daemon_protocol as protocol

if TYPE_CHECKING:
    from memvault.open_vault import Clock, OpenVault


UNKNOWN_AGENT = "mcp"
_LONGEST_NAME = 40
_SESSION = "CLAUDE_CODE_SESSION_ID"  # Claude Code starts servers with it, and with the folder of the project
_FOLDER = "CLAUDE_PROJECT_DIR"


@dataclass(frozen=True, slots=True)
class McpCaller:
    """An agent, by the name that its client gives, and the session it is in, where that is told."""

    agent: str = UNKNOWN_AGENT
    session: str = ""

    @classmethod
    def from_client_name(cls, name: str, session: str = "") -> McpCaller:
        """Return the caller that a client's own name means; never nobody, for that would be the person themself."""
        plain = re.sub(r"[^a-z0-9.]+", "-", name.casefold()).strip("-.")
        return cls(plain[:_LONGEST_NAME] or UNKNOWN_AGENT, " ".join(session.split())[:200])


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultAccess:
    """How the vault is opened for one call, by whichever process: which, from where, as whose and in which session."""

    vault: str | None  # as the command line names it
    folder: str
    project: str
    agent: str
    session: str
    own_session: str  # to work in where that one is over


@dataclass(frozen=True, slots=True, kw_only=True)
class McpCall:
    """One call: the vault, who calls, from which project, and when."""

    vault: OpenVault
    caller: McpCaller
    project: str
    now: datetime
    zone: tzinfo

    @classmethod
    def open_call(cls, visit: VaultAccess, vault: OpenVault, zone: tzinfo) -> McpCall:
        """Return the call of a visit, in the vault that was opened for it."""
        # A server lives on where a session ends, and goes on saying its name.
        known = McpCaller(visit.agent, work_in(vault, visit.session, else_in=visit.own_session))
        return cls(vault=vault, caller=known, project=visit.project, now=vault.now(), zone=zone)

    def check_not_paused(self) -> None:
        """Refuse to store while the user has memvault keep quiet: what an agent does is not the user's own word."""
        if found := self.vault.find_pause(project=self.project, session=self.caller.session):
            raise found.refusal()


def work_in(vault: OpenVault, session: str, *, else_in: str) -> str:
    """Work in a session, or in another where that one is over; return the one chosen."""
    from memvault.storage.web_taint import is_ended  # deferred: the first answer of all needs no vault

    chosen = else_in if is_ended(vault.state_folder, session) else session
    vault.set_session(chosen)
    return chosen


class VaultOpener:
    """Opens the vault for one call after the other, or for several at once."""

    def __init__(
        self,
        vault_name: str | None,
        *,
        environment: Mapping[str, str],
        clock: Clock | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self.environment = environment
        self._vault_name = vault_name
        self._clock = clock
        self._zone = zone
        # So that what one connection does belongs together, even where nobody says to which session.
        self._own_session = f"{INVENTED_SESSION}{uuid.uuid4().hex[:12]}"

    def now(self) -> datetime:
        """Return the time now."""
        return self._clock() if self._clock else datetime.now(UTC)

    @property
    def is_of_this_machine(self) -> bool:
        """Whether the time is the machine's own, so that another process of it may answer as well."""
        return self._clock is None

    @cached_property
    def _project(self) -> str:
        from memvault.system.project import project_of  # deferred: it may have to ask git

        return project_of(self._folder)

    @property
    def _folder(self) -> Path:
        return Path(self.environment.get(_FOLDER) or Path.cwd())

    def describe_access(self, caller: McpCaller) -> VaultAccess:
        """Return how the vault is opened for a caller."""
        session = self.environment.get("MEMVAULT_SESSION") or self.environment.get(_SESSION) or self._own_session
        return VaultAccess(
            vault=self._vault_name,
            folder=str(self._folder),
            project=self._project,
            agent=caller.agent,
            session=caller.session or session,
            own_session=self._own_session,
        )

    @contextmanager
    def open_vault(self, visit: VaultAccess) -> Iterator[McpCall]:
        """Open the vault for a visit."""
        from memvault.open_vault import OpenVault, local_zone  # deferred: the first answer of all needs no vault

        zone = self._zone or local_zone()
        with OpenVault(
            visit.vault,
            agent=visit.agent,
            session=visit.session,
            clock=self.now,
            zone=zone,
            environment=self.environment,
            folder=Path(visit.folder),
            unattended=True,
        ) as vault:
            yield McpCall.open_call(visit, vault, zone)


# The daemon as a server sees it, which outlives some of them: asked first, and never waited for long.

_TIMEOUT = 3.0
_RETRY_FACTOR = 10.0  # times as long as it was waited for in vain


class DaemonClient:
    """Has the daemon answer; each question is a connection of its own, so that any of them finds a new one."""

    def __init__(self, environment: Mapping[str, str], *, clock: Callable[[], float] = monotonic) -> None:
        self._environment = environment
        self._clock = clock
        self._code = client.package_stamp()  # now: what lies there later may be other code than ours
        self._retry_at = 0.0

    @property
    def _is_off(self) -> bool:
        return bool(self._environment.get(client.OFF))

    def ask_daemon(self, question: bytes) -> Mapping[str, Any] | None:
        """Its answer; None where it is not there, of another version, or not quick, and the caller has to see to it.

        One that hangs takes no more than a tenth of the time.
        """
        began = self._clock()
        if self._is_off or began < self._retry_at:
            return None
        told = None
        with suppress(client.NoReply):
            told = client.send_request(
                protocol.TOOL, (), question, within=_TIMEOUT, environment=self._environment, code=self._code
            )
        if told is None or len(told) != 1:
            now = self._clock()
            self._retry_at = now + _RETRY_FACTOR * (now - began)
            return None
        found: Mapping[str, Any] = json.loads(told[0])
        return found

    def start_daemon(self) -> None:
        """Where there is none, and the user wants one, have the next question find it."""
        if self._is_off:
            return
        from memvault.open_vault import load_personal_settings  # deferred, both: most find one
        from memvault.system.daemon import start_if_wanted

        start_if_wanted(self._environment, lambda: load_personal_settings(self._environment).flag("live.autostart"))
