"""The hall as a place: opens a vault, wires the rooms, reads the only clock."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from memvault.core.settings import SETTINGS, Given, PersonSettings, Settings, Value
from memvault.core.value import replace
from memvault.errors import DamagedIndex, MemvaultError
from memvault.extensions import register as extending
from memvault.storage.index.index import Catalogue, set_aside
from memvault.storage.vault import config
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import Actor, Bench
from memvault.storage.vault.layout import CONFIG, STATE
from memvault.storage.vault.vault import Vault
from memvault.storage.vault.vault_file import Whereabouts
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.extensions.guards import Extension
    from memvault.models.llm.ask import Ask as AskModel
    from memvault.models.llm.model import Adviser
    from memvault.storage.index.semantic import Meaning
    from memvault.transcripts.index.index import TalkCatalogue


# Where the hall takes what it opens from, and puts it back: opened anew each time, or kept by who stays longer.


class Kept(Protocol):
    """Something that takes a while to open, and holds files."""

    def is_there(self) -> bool:
        """Whether what it was opened on is still the same."""

    def close(self) -> None:
        """Let go of the files."""


Thing = TypeVar("Thing", bound=Kept)


class Shelf(Protocol):
    """Lends each thing to one borrower at a time."""

    def take(self, key: Hashable, open_: Callable[[], Thing]) -> Thing:
        """The thing under a key, opened if need be."""

    def put_back(self, key: Hashable, thing: Kept) -> None:
        """Give it back."""

    def drop(self, key: Hashable) -> None:
        """Close what is there under a key: what it was opened on is about to go."""


class NoShelf:
    """Keeps nothing: what is put back is closed."""

    def take(self, key: Hashable, open_: Callable[[], Thing]) -> Thing:  # noqa: ARG002 - there is nothing under any key
        """A new one."""
        return open_()

    def put_back(self, key: Hashable, thing: Kept) -> None:  # noqa: ARG002 - as above
        """Close it."""
        thing.close()

    def drop(self, key: Hashable) -> None:
        """Nothing is there."""


Clock = Callable[[], datetime]
Result = TypeVar("Result")

# What decides which memory a note is taken for, and how much of it is read.
_READING = (
    "layout.home",
    "layout.identity",
    "layout.hot",
    "layout.memories",
    "layout.raw",
    "layout.quarantine",
    "layout.private",
    "layout.templates",
    "index.max_kilobytes",
)


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
        hurried: bool = False,
        vouched: Callable[[Path], bool] | None = None,
        shelf: Shelf | None = None,
        unattended: bool = False,
    ) -> None:
        """Open a vault; in a hurry, a model that finds by meaning is used only where it is loaded already.

        Where `vouched` says of the catalogue's folder that it is up to date, no file is looked at to find that out.
        What takes a while to open comes from the `shelf` and goes back there, where there is one. `unattended` says
        that a program chose the folder, and no person: then their own vault goes before whatever vault lies there.
        """
        self.environment = os.environ if environment is None else environment
        self._clock = clock
        self._zone = zone or local_zone()
        self.folder = folder or Path.cwd()
        with files.plainly(self.folder):
            person = load_person_settings(self.environment)
            self.root = _find(path, self.environment, self.folder, Settings(person.given), unattended=unattended)
            self._enclose(person.given)
            self.additions = load_additions(self.environment, vault=self.root)
            own = charter.read(self.root)
            below = {**self.additions.as_given(), **person.for_vault(own.id)}
            above = {**config.from_environment(self.environment), **(settings or {})}
            self.settings = _settings(self.root, own.id, person, below, above)
            self._actor = _actor(agent, session, self.settings, self.environment)
            self._vault = Vault(self.root, self.settings, device=_device(self.environment), own=own)
            self._work_in(self._actor.session)
        self._catalogue: Catalogue | None = None
        self._talks: TalkCatalogue | None = None
        self._meaning: Meaning | None = None
        self._hurried = hurried
        self._folder = folder
        self._vouched = vouched
        self._shelf = NoShelf() if shelf is None else shelf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the catalogues; the vault needs no closing."""
        if self._catalogue is not None:
            self._shelf.put_back(self._catalogue.folder, self._catalogue)
            self._catalogue = None
        if self._talks is not None:
            self._shelf.put_back(self._talks.folder, self._talks)
            self._talks = None
        if self._meaning is not None:
            self._shelf.put_back(self._meaning_mark, self._meaning)
            self._meaning = None

    @property
    def device(self) -> str:
        """How this machine and user are called in the vault."""
        return self._vault.device

    def model(self) -> Adviser:
        """The language model that this person configured, to be looked at, tested or asked; nobody is, until then."""
        from memvault.models.llm.model import Adviser

        state = paths.state(self.environment)
        providers = extending.providers(self.settings.text("model.provider"), self.additions)
        return Adviser(self.settings, self.environment, state=state, now=self._clock(), providers=providers)

    def extensions(self) -> tuple[Extension, ...]:
        """A person's own additions: what each adds, or why it was left out."""
        return (*self.additions.extensions, *extending.prompt_files(paths.config(self.environment), self.additions))

    def reviewers(self) -> Mapping[str, str]:
        """What each reviewer is told: ours, and those that extensions and files of instructions add."""
        return extending.reviewers(paths.config(self.environment), self.additions)[0]

    # -- wiring

    def _ask_for(self, use: str) -> AskModel | None:
        """The way to ask the model for one run, where this person wants it for that use."""
        # Looked up in the settings alone, so that whoever has no model never loads what asks one.
        is_wanted = self.settings.text(use) == "model" and self.settings.text("model.provider") != "none"
        return self.model().ask if is_wanted else None

    @cached_property
    def state_folder(self) -> Path:
        """Where this machine keeps what it knows of its own runs on this vault."""
        return paths.state(self.environment) / "vaults" / _name_of(self._vault)

    @cached_property
    def catalogue_folder(self) -> Path:
        """Where this machine keeps the catalogue of this vault, read by these settings."""
        return _catalogue_folder(self._vault, self.environment)

    def _enclose(self, personal: Given) -> None:
        """Guard the vault before anything in it is read: its own settings may lie behind a link."""
        own = Settings({**personal, **config.from_environment(self.environment)})
        files.enclose(self.root, own.texts("vault.links"))

    def _work_in(self, session: str) -> None:
        own = self._sayable(session)
        self._actor = replace(self._actor, session=own, is_nameless=own != session)

    def _sayable(self, session: str) -> str:
        """A session as it may be noted: one that was forgotten for good has no name any more."""
        if not session:
            return ""
        from memvault.storage.pauses import is_gone  # deferred: in a person's own shell there is none

        return "" if is_gone(self.state_folder, session) else session

    def _at_bench(self, act: Callable[[Bench], Result]) -> Result:
        """Let a verb work; where the index turns out to be damaged, it is built again and the verb begins again.

        That is safe because verbs ask the catalogue first and write last. No error repeats a secret that it was given.
        """
        with files.plainly(self.root):
            try:
                return act(self._bench())
            except DamagedIndex as error:
                if self._talks_folder in Path(str(error.data["path"])).parents:
                    self.throw_talks_away(set_aside)
                else:
                    self.throw_catalogue_away(set_aside)
                bench = self._bench()
                bench.freshen()
                return act(bench)
            except MemvaultError as error:
                from memvault.core.secrets.erase import veiled  # deferred: most calls go well

                if (told := veiled(error)) is error:
                    raise
                raise told from None

    def throw_catalogue_away(self, how: Callable[[Path], None]) -> None:
        folder = self.catalogue_folder
        self.close()
        self._shelf.drop(folder)
        how(folder)

    def throw_talks_away(self, how: Callable[[Path], None]) -> None:
        self.close()
        self._shelf.drop(self._talks_folder)
        how(self._talks_folder)

    def _bench(self) -> Bench:
        if self._catalogue is not None and not self._catalogue.is_there():
            self.close()  # somebody emptied the cache
        if self._catalogue is None:
            folder = self.catalogue_folder
            backend = self.settings.text("index.backend")
            extending.check_part("index.backend", backend, self.additions)
            added = self.additions.backends
            self._catalogue = self._shelf.take(folder, lambda: Catalogue.open(folder, backend=backend, added=added))
        return Bench(
            self._vault,
            self._catalogue,
            self._clock(),
            self._zone,
            self._actor,
            self.state_folder,
            self.additions.screens,
            self._open_talks,
            self._open_meaning if self._finds_by_meaning else None,
            self._vouched,
            self._folder,
        )

    def _open_talks(self) -> TalkCatalogue:
        from memvault.transcripts.index.index import TalkCatalogue  # deferred: most calls ask for no conversation

        if self._talks is not None and not self._talks.is_there():
            self._talks.close()
            self._talks = None
        if self._talks is None:
            folder = self._talks_folder
            self._talks = self._shelf.take(folder, lambda: TalkCatalogue.open(folder))
        return self._talks

    @property
    def _finds_by_meaning(self) -> bool:
        return bool(self.settings.text("semantic.model") or self.settings.text("semantic.url"))

    def _open_meaning(self) -> Meaning | None:
        if self._meaning is None and self._finds_by_meaning:
            self._meaning = self._shelf.take(self._meaning_mark, self._chosen_meaning)
            self._meaning.hurried = self._hurried
        return self._meaning

    def _chosen_meaning(self) -> Meaning:
        from memvault.storage.index.semantic import chosen  # deferred: few have chosen a model

        found = chosen(self.settings, self.environment, paths.cache(self.environment), hurried=self._hurried)
        assert found is not None
        return found

    @property
    def _meaning_mark(self) -> tuple[object, ...]:
        """All that decides which model is chosen, and how it is asked."""
        names = ("model", "url", "name", "key_env", "seconds", "weight")
        key = self.environment.get(self.settings.text("semantic.key_env"))
        return (*(self.settings[f"semantic.{name}"] for name in names), key, paths.cache(self.environment))

    @property
    def _talks_folder(self) -> Path:
        return paths.cache(self.environment) / "talks" / _name_of(self._vault)


def load_person_settings(environment: Mapping[str, str]) -> PersonSettings:
    """Read the user's own config: what it sets for all vaults, and for single ones."""
    return config.load_person_settings(own_config_path(environment))


def load_personal(environment: Mapping[str, str]) -> Given:
    """The settings in the user's own config, for whoever works in no vault."""
    return load_person_settings(environment).given


def own_config_path(environment: Mapping[str, str]) -> Path:
    """Return where the user's own config lies."""
    return paths.config(environment) / "config.toml"


def load_additions(environment: Mapping[str, str], *, vault: Path | None = None) -> extending.Additions:
    """What the extensions of this person add; nothing of a vault is ever run."""
    return extending.gather(paths.config(environment), paths.cache(environment), vault=vault)


def _find(
    path: str | Path | None, environment: Mapping[str, str], folder: Path, personal: Settings, *, unattended: bool
) -> Path:
    return charter.find(
        Whereabouts(
            named=None if path is None else str(path),
            environment=environment.get("MEMVAULT_DIR"),
            folder=folder,
            configured=personal.text("user.vault"),
            knows=(lambda root: _is_known(root, _device(environment))) if unattended else None,
        )
    )


def _is_known(root: Path, device: str) -> bool:
    """Whether this machine has written in a vault before, which nobody who only hands one out can have feigned."""
    state = root / STATE
    return (state / "journal" / device).is_dir() or (state / "ledger" / f"{device}.jsonl").is_file()


def _settings(root: Path, vault_id: str, person: PersonSettings, own: Given, nearest: Given) -> Settings:
    """Nearest last: the vault's file, the user's own, the environment and what the caller gave."""
    in_vault = config.load_vault_settings(root / CONFIG)
    ignored = person.mark_answered(vault_id, in_vault.ignored)
    return Settings({**in_vault.given, **own, **nearest}, ignored=ignored)


def _actor(agent: str, session: str, settings: Settings, environment: Mapping[str, str]) -> Actor:
    """Who is at work: as told, as the environment says, or the person themself."""
    inside_claude = "claude-code" if environment.get("CLAUDECODE") else ""
    named = agent or environment.get("MEMVAULT_AGENT", "") or settings.text("user.agent") or inside_claude
    of_claude = environment.get("CLAUDE_CODE_SESSION_ID", "") if inside_claude else ""
    return Actor(named, session or environment.get("MEMVAULT_SESSION", "") or of_claude)


def _device(environment: Mapping[str, str]) -> str:
    from memvault.system.paths import name

    return name(paths.state(environment))


def _catalogue_folder(vault: Vault, environment: Mapping[str, str]) -> Path:
    """Where the catalogue of this vault at this path lies; another backend, or way of reading, gets one of its own.

    So one who reads otherwise, by a variable of theirs or an older file, changes nothing for anybody else.
    """
    backend = vault.settings.text("index.backend")
    usual = SETTINGS["index.backend"].default
    own = "" if backend == usual else f"-{backend}"
    if vault.settings.has_own_kinds:  # what was read without them, or with others, was read otherwise
        own += f"-{files.digest(vault.settings.kinds.mark.encode())[:8]}"
    if reading := [(name, value) for name in _READING if (value := vault.settings[name]) != SETTINGS[name].default]:
        own += f"-{files.digest(repr(reading).encode())[:8]}"
    return paths.cache(environment) / "vaults" / f"{_name_of(vault)}{own}"


def _name_of(vault: Vault) -> str:
    """What this vault at this path is called outside of it: a copied vault has the same id, and another path."""
    return f"{vault.charter.id}-{files.digest(os.path.realpath(vault.root).encode())[:12]}"
