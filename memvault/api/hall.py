"""The hall as a place: opens a vault, wires the rooms, reads the only clock."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Self, TypeVar

from memvault import files
from memvault.core.settings import SETTINGS, Given, Settings, Value
from memvault.errors import DamagedIndex
from memvault.host import folders
from memvault.index.catalogue import Catalogue, set_aside
from memvault.vault import charter, config
from memvault.vault.charter import Whereabouts
from memvault.vault.layout import CONFIG
from memvault.vault.store import Vault
from memvault.verbs.bench import Actor, Bench

Clock = Callable[[], datetime]
Result = TypeVar("Result")


def system_clock() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def local_zone() -> tzinfo:
    """This machine's time zone, which dates without an offset are in."""
    return datetime.now().astimezone().tzinfo or UTC


class Hall:
    """An open vault, with nothing to do in it yet."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        agent: str = "",
        session: str = "",
        settings: Mapping[str, Value] | None = None,
        clock: Clock = system_clock,
        zone: tzinfo | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self._clock = clock
        self._zone = zone or local_zone()
        personal = load_personal(self.environment)
        self.root = _find(path, self.environment, folder, Settings(personal))
        self.settings = _settings(self.root, personal, self.environment, settings or {})
        self._actor = _actor(agent, session, self.settings, self.environment)
        self._vault = Vault(self.root, self.settings, device=_device(self.environment))
        self._catalogue: Catalogue | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the catalogue; the vault needs no closing."""
        if self._catalogue is not None:
            self._catalogue.close()
            self._catalogue = None

    # -- wiring

    @property
    def state_folder(self) -> Path:
        """Where this machine keeps what it knows of its own runs on this vault."""
        return folders.state(self.environment) / "vaults" / _name_of(self._vault)

    def _at_bench(self, act: Callable[[Bench], Result]) -> Result:
        """Let a verb work; where the index turns out to be damaged, it is built again and the verb begins again.

        That is safe because verbs ask the catalogue first and write last.
        """
        try:
            return act(self._bench())
        except DamagedIndex:
            self.throw_catalogue_away(set_aside)
            bench = self._bench()
            bench.freshen()
            return act(bench)

    def throw_catalogue_away(self, how: Callable[[Path], None]) -> None:
        folder = _catalogue_folder(self._vault, self.environment)
        self.close()
        how(folder)

    def _bench(self) -> Bench:
        if self._catalogue is not None and not self._catalogue.is_there():
            self.close()  # somebody emptied the cache
        if self._catalogue is None:
            folder = _catalogue_folder(self._vault, self.environment)
            self._catalogue = Catalogue.open(folder, backend=self.settings.text("index.backend"))
        return Bench(self._vault, self._catalogue, self._clock(), self._zone, self._actor, self.state_folder)


def load_personal(environment: Mapping[str, str]) -> Given:
    """The settings in the user's own config."""
    return config.load(folders.config(environment) / "config.toml", personal=True)


def _find(path: str | Path | None, environment: Mapping[str, str], folder: Path | None, personal: Settings) -> Path:
    return charter.find(
        Whereabouts(
            named=None if path is None else str(path),
            environment=environment.get("MEMVAULT_DIR"),
            folder=folder or Path.cwd(),
            configured=personal.text("user.vault"),
        )
    )


def _settings(root: Path, personal: Given, environment: Mapping[str, str], given: Mapping[str, Value]) -> Settings:
    """Nearest last: the vault's file, the user's own, the environment, what the caller gave."""
    in_vault = config.load(root / CONFIG, personal=False)
    return Settings({**in_vault, **personal, **config.from_environment(environment), **given})


def _actor(agent: str, session: str, settings: Settings, environment: Mapping[str, str]) -> Actor:
    """Who is at work: as told, as the environment says, or the person themself."""
    inside_claude = "claude-code" if environment.get("CLAUDECODE") else ""
    named = agent or environment.get("MEMVAULT_AGENT", "") or settings.text("user.agent") or inside_claude
    return Actor(named, session or environment.get("MEMVAULT_SESSION", ""))


def _device(environment: Mapping[str, str]) -> str:
    from memvault.host.device import name

    return name(folders.state(environment))


def _catalogue_folder(vault: Vault, environment: Mapping[str, str]) -> Path:
    """Where the catalogue of this vault at this path lies; another backend gets one of its own."""
    backend = vault.settings.text("index.backend")
    usual = SETTINGS["index.backend"].default
    own = "" if backend == usual else f"-{backend}"
    if vault.settings.has_own_kinds:  # what was read without them, or with others, was read otherwise
        own += f"-{files.digest(vault.settings.kinds.mark.encode())[:8]}"
    return folders.cache(environment) / "vaults" / f"{_name_of(vault)}{own}"


def _name_of(vault: Vault) -> str:
    """What this vault at this path is called outside of it: a copied vault has the same id, and another path."""
    return f"{vault.charter.id}-{files.digest(os.path.realpath(vault.root).encode())[:12]}"
