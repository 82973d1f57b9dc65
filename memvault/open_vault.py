"""Open a vault: read its settings, open its indexes when they are needed, and run actions on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, Self, TypeVar

from memvault.core.settings import SETTINGS, PersonSettings, Settings, SettingValues
from memvault.core.settings.table import Value
from memvault.core.value import replace
from memvault.errors import DamagedIndex, MemvaultError
from memvault.extensions import register as extending
from memvault.extensions.register import Extension
from memvault.storage.index.index import Index, delete_index, rebuild_lock, set_aside
from memvault.storage.index.refresh import WorkReport
from memvault.storage.vault import config
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import Actor, VaultContext
from memvault.storage.vault.layout import CONFIG, STATE
from memvault.storage.vault.listing import VaultPart
from memvault.storage.vault.vault import Vault
from memvault.storage.vault.vault_file import VaultPlaces
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.models.llm.model import ModelAccess
    from memvault.storage.index.semantic import SemanticIndex
    from memvault.storage.pauses import PausePeriod
    from memvault.storage.transcript_index.index import TranscriptIndex
    from memvault.storage.vault.configure import ConfigFile


# Where an open vault takes its indexes from, and puts them back.


class CachedResource(Protocol):
    """A resource that takes long to open, and holds files."""

    def is_current(self) -> bool:
        """Return whether what it was opened on is still the same."""

    def close(self) -> None:
        """Close the files."""


Resource = TypeVar("Resource", bound=CachedResource)


class ResourceCache:
    """A cache that lends each resource to one borrower at a time; this one keeps none for the next."""

    def take(self, key: Hashable, open_: Callable[[], Resource]) -> Resource:  # noqa: ARG002 - there is nothing under any key
        """Return the resource under a key, opened where there is none."""
        return open_()

    def put_back(self, key: Hashable, thing: CachedResource) -> None:  # noqa: ARG002 - as above
        """Give a resource back."""
        thing.close()

    def drop(self, key: Hashable) -> None:
        """Close the resources under a key: what they were opened on is about to be deleted."""


Clock = Callable[[], datetime]
Options = ParamSpec("Options")
Result = TypeVar("Result")

# What decides which memory a note is taken for, and how much of it is read.
_LAYOUT = ("home", "identity", "hot", "memories", "raw", "quarantine", "private", "templates")
_LATEST = datetime(9990, 1, 1, tzinfo=UTC)  # behind it there is not room for what is reckoned from now
_READ_SETTINGS = (*(f"layout.{name}" for name in _LAYOUT), "index.max_kilobytes")


def system_clock() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


def local_zone() -> tzinfo:
    """Return this machine's time zone, in which dates without an offset are."""
    return datetime.now().astimezone().tzinfo or UTC


class OpenVault:
    """An open vault: its settings, its clock, who works in it, and a context for each action."""

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
        is_index_current: Callable[[Path], bool] | None = None,
        cache: ResourceCache | None = None,
        unattended: bool = False,
    ) -> None:
        """Open a vault. A `hurried` caller uses a semantic model only where it is loaded already.

        Where `is_index_current` says that the index in a folder is current, no file is looked at to find that out.
        What takes long to open comes from the `cache`, and goes back there. `unattended` says that a program chose
        the folder, and no person: then the person's own vault goes before whatever vault lies there.
        """
        self.environment = os.environ if environment is None else environment
        self._clock = clock
        self._zone = zone or local_zone()
        self.folder = folder or Path.cwd()
        with files.system_errors(self.folder):
            person = load_person_settings(self.environment)
            self.root = charter.find_vault(
                VaultPlaces(
                    named=None if path is None else str(path),
                    environment=self.environment.get("MEMVAULT_DIR"),
                    folder=self.folder,
                    configured=Settings(person.given).text("user.vault"),
                    knows=self._has_written if unattended else None,
                )
            )
            # Guarded before anything in it is read: its own settings may lie behind a link.
            own_settings = Settings({**person.given, **config.from_environment(self.environment)})
            files.guard_vault(self.root, own_settings.texts("vault.links"))
            self.loaded_extensions = load_extensions(self.environment, vault=self.root)
            own = charter.read_vault_file(self.root)
            kinds = {f"kinds.{name}": kind for name, kind in self.loaded_extensions.kinds.items()}
            nearer = {**kinds, **person.for_vault(own.id), **config.from_environment(self.environment)}
            in_vault = config.load_vault_settings(self.root / CONFIG)
            given = {**in_vault.given, **nearer, **(settings or {})}  # the nearest last
            self.settings = Settings(given, ignored=person.mark_answered(own.id, in_vault.ignored))
            self._actor = _identify_actor(agent, session, self.settings, self.environment)
            device = paths.device_name(paths.state_folder(self.environment))
            self._vault = Vault(self.root, self.settings, device=device, own=own)
            self.set_session(self._actor.session)
        self.report_work: WorkReport | None = None  # told how far long work is
        self._index: Index | None = None
        self._transcript_index: TranscriptIndex | None = None
        self._semantic_index: SemanticIndex | None = None
        self._is_hurried = hurried
        self._folder = folder
        self._is_index_current = is_index_current
        self._cache = ResourceCache() if cache is None else cache

    def _has_written(self, root: Path) -> bool:
        """Return whether this machine has written in a vault before, which whoever hands one out cannot fake."""
        device, state = paths.device_name(paths.state_folder(self.environment)), root / STATE
        return (state / "journal" / device).is_dir() or (state / "ledger" / f"{device}.jsonl").is_file()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the open indexes back; the vault needs no closing."""
        if self._index is not None:
            self._cache.put_back(self._index.folder, self._index)
        if self._transcript_index is not None:
            self._cache.put_back(self._transcript_index.folder, self._transcript_index)
        if self._semantic_index is not None:
            self._cache.put_back(self._semantic_key, self._semantic_index)
        self._index = self._transcript_index = self._semantic_index = None

    @property
    def actor(self) -> Actor:
        """Who works in the vault: a person, or an agent in a session."""
        return self._actor

    def now(self) -> datetime:
        """Return the time by this vault's clock."""
        return self._clock()

    def ask_before_writing(self, gate: Callable[[], object] | None) -> None:
        """Have a function called under the vault's lock before anything is written; where it raises, nothing is."""
        self._vault.before_writing = gate

    def find_pause(self, *, project: str = "", session: str = "") -> PausePeriod | None:
        """Return the pause that is active now for a project and a session, or None."""
        from memvault.storage.pauses import PausePeriod, PauseScope, active_pause

        if self._actor.is_nameless or (session and not self.check_session_name(session)):
            return PausePeriod(PauseScope("session"), self._clock(), incognito=True)
        session = session or self._actor.session
        return active_pause(self.state_folder, project, session, self._clock(), self.environment)

    @property
    def device(self) -> str:
        """How this machine and user are called in the vault."""
        return self._vault.device

    def open_model(self) -> ModelAccess:
        """Return access to the language model that the person configured; nothing is asked of it yet."""
        from memvault.models.llm.model import ModelAccess

        state = paths.state_folder(self.environment)
        providers = extending.list_providers(self.settings.text("model.provider"), self.loaded_extensions)
        return ModelAccess(self.settings, self.environment, state=state, now=self._clock(), providers=providers)

    def list_extensions(self) -> tuple[Extension, ...]:
        """Return the person's extensions: what each adds, or why it was left out."""
        loaded, folder = self.loaded_extensions, paths.config_folder(self.environment)
        return (*loaded.extensions, *extending.list_prompt_files(folder, loaded))

    def list_reviewers(self) -> Mapping[str, str]:
        """Return the instructions of each reviewer: ours, and those that extensions and files add."""
        return extending.list_reviewers(paths.config_folder(self.environment), self.loaded_extensions)[0]

    def refresh(self, *, only: VaultPart | None = None) -> int:
        """Refresh the index, and return how many notes were added, changed, moved or removed.

        With `only`, nothing outside that part of the vault has changed: its watcher knows that.
        """
        diff = self.run(VaultContext.refresh if only is None else lambda context: context.refresh_part(only))
        return len(diff.added) + len(diff.changed) + len(diff.gone) - len(diff.moved)

    def tidy_index(self) -> bool:
        """Merge what many small changes left in the indexes, if it is worth it; return whether it was."""
        from memvault.storage.transcript_index.index import TranscriptIndex  # deferred: few calls tidy

        def tidy(context: VaultContext) -> bool:
            talks = self._transcript_index_folder.exists() and TranscriptIndex.of(context).merge_postings()
            return context.index.tidy() or talks

        return self.run(tidy)

    def list_folders(self, folder: str = "") -> Iterator[str]:
        """Yield every folder below one in which notes are looked for, each before it is looked into."""
        from memvault.storage.vault.listing import PartWalk

        return PartWalk(self._vault.root, self._vault.layout, self._vault.hides).walked_folders(folder)

    @property
    def linked_notes(self) -> frozenset[str]:
        """The notes that also have another name, through which they can change unseen."""
        return frozenset(self._vault.linked_notes)

    # -- wiring

    @cached_property
    def state_folder(self) -> Path:
        """The folder in which this machine keeps what it knows of its own runs on this vault."""
        return paths.state_folder(self.environment) / "vaults" / _vault_key(self._vault)

    @cached_property
    def index_folder(self) -> Path:
        """The folder of this vault's index; another backend, or way of reading, gets one of its own.

        So one who reads otherwise, by a variable of theirs or an older file, changes nothing for anybody else.
        """
        backend = self._vault.settings.text("index.backend")
        usual = SETTINGS["index.backend"].default
        own = "" if backend == usual else f"-{backend}"
        if self._vault.settings.own_kinds:  # what was read without them, or with others, was read otherwise
            own += f"-{files.digest(self._vault.settings.kinds.fingerprint.encode())[:8]}"
        if reading := [
            (name, value) for name in _READ_SETTINGS if (value := self._vault.settings[name]) != SETTINGS[name].default
        ]:
            own += f"-{files.digest(repr(reading).encode())[:8]}"
        return paths.cache_folder(self.environment) / "vaults" / f"{_vault_key(self._vault)}{own}"

    def set_session(self, session: str) -> None:
        """Work in another session from now on."""
        own = self.check_session_name(session)
        self._actor = replace(self._actor, session=own, is_nameless=own != session)

    def check_session_name(self, session: str) -> str:
        """Return a session as it may be recorded: one that was purged has no name any more."""
        if not session:
            return ""
        from memvault.storage.pauses import is_purged_session  # deferred: in a person's own shell there is none

        return "" if is_purged_session(self.state_folder, session) else session

    def run(
        self,
        action: Callable[Concatenate[VaultContext, Options], Result],
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Result:
        """Call an action with this vault's context; where the index is damaged, rebuild it and call the action again.

        That is safe because actions ask the index first and write last. No error repeats a secret from its input.
        """
        with files.system_errors(self.root):
            try:
                return action(self._make_context(), *args, **options)
            except DamagedIndex as error:
                self._set_damaged_aside(Path(str(error.data["path"])))
                context = self._make_context()
                context.refresh()
                return action(context, *args, **options)
            except MemvaultError as error:
                from memvault.core.secrets.erase import redact_error  # deferred: most calls go well

                if (redacted := redact_error(error)) is error:
                    raise
                raise redacted from None

    def discard_index(self, how: Callable[[Path], None]) -> None:
        """Close the index and remove its folder."""
        folder = self.index_folder
        self.close()
        self._cache.drop(folder)
        how(folder)

    def _set_damaged_aside(self, damaged: Path) -> None:
        """Set an index aside, unless another process has done so since this one was opened."""
        talks = self._transcript_index_folder
        is_talks = talks == damaged or talks in damaged.parents
        folder, opened = (talks, self._transcript_index) if is_talks else (self.index_folder, self._index)
        with rebuild_lock(folder):
            is_there = opened is not None and opened.is_current()
            self.close()
            self._cache.drop(folder)
            if is_there:
                set_aside(folder)

    def discard_transcript_index(self, how: Callable[[Path], None]) -> None:
        """Close the index of transcripts and remove its folder."""
        self.close()
        self._cache.drop(self._transcript_index_folder)
        how(self._transcript_index_folder)

    def _make_context(self) -> VaultContext:
        if self._index is not None and not self._index.is_current():
            self.close()  # somebody emptied the cache
        if self._index is None:
            folder = self.index_folder
            backend = self.settings.text("index.backend")
            extending.check_part("index.backend", backend, self.loaded_extensions)
            added = self.loaded_extensions.backends
            self._index = self._cache.take(folder, lambda: Index.open(folder, backend=backend, added=added))
        extending.check_part("recall.ranking", self.settings.text("recall.ranking"), self.loaded_extensions)
        return VaultContext(
            self._vault,
            self._index,
            min(self._clock(), _LATEST),
            self._zone,
            self._actor,
            self.state_folder,
            self.loaded_extensions.screens,
            self._open_transcript_index,
            self._open_semantic_index if self._has_semantic_index else None,
            self._is_index_current,
            self._folder,
            environment=self.environment,
            open_model=self.open_model,
            list_reviewers=self.list_reviewers,
            discard_indexes=self._discard_indexes,
            report_work=self.report_work,
            rankings=self.loaded_extensions.rankings,
        )

    def _discard_indexes(self, others: Iterable[Path] = ()) -> VaultContext:
        """Discard the indexes and other derived files, and return a context with new indexes."""
        with files.system_errors(self.root):
            self.discard_index(delete_index)
            self.discard_transcript_index(delete_index)
            for path in others:
                delete_index(path)
        return self._make_context()

    def _open_transcript_index(self) -> TranscriptIndex:
        from memvault.storage.transcript_index.index import TranscriptIndex  # deferred: few calls need it

        if self._transcript_index is not None and not self._transcript_index.is_current():
            self._transcript_index.close()
            self._transcript_index = None
        if self._transcript_index is None:
            folder = self._transcript_index_folder
            self._transcript_index = self._cache.take(folder, lambda: TranscriptIndex.open(folder))
        return self._transcript_index

    @property
    def _has_semantic_index(self) -> bool:
        return bool(self.settings.text("semantic.model") or self.settings.text("semantic.url"))

    def _open_semantic_index(self) -> SemanticIndex | None:
        if self._semantic_index is None and self._has_semantic_index:
            from memvault.storage.index.semantic import open_semantic  # deferred: few have chosen a model

            cache, hurried = paths.cache_folder(self.environment), self._is_hurried

            def load() -> SemanticIndex:
                found = open_semantic(self.settings, self.environment, cache, only_if_loaded=hurried)
                assert found is not None
                return found

            self._semantic_index = self._cache.take(self._semantic_key, load)
            self._semantic_index.only_if_loaded = hurried
        return self._semantic_index

    @property
    def _semantic_key(self) -> tuple[object, ...]:
        """All that decides which semantic model is chosen, and how it is asked."""
        names = ("model", "url", "name", "key_env", "seconds", "weight")
        key = self.environment.get(self.settings.text("semantic.key_env"))
        return (*(self.settings[f"semantic.{name}"] for name in names), key, paths.cache_folder(self.environment))

    @property
    def _transcript_index_folder(self) -> Path:
        return paths.cache_folder(self.environment) / "talks" / _vault_key(self._vault)


def load_person_settings(environment: Mapping[str, str]) -> PersonSettings:
    """Read the user's own config: what it sets for all vaults, and for single ones."""
    return config.load_person_settings(own_config_path(environment))


def load_own_settings(environment: Mapping[str, str]) -> SettingValues:
    """Read the settings in the user's own config, for a caller without a vault."""
    return load_person_settings(environment).given


def load_personal_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings of one who is in no vault: those of the user's own config, and of the environment."""
    return Settings({**load_own_settings(environment), **config.from_environment(environment)})


def own_config_path(environment: Mapping[str, str]) -> Path:
    """Return where the user's own config lies."""
    return paths.config_folder(environment) / "config.toml"


def own_config_file(environment: Mapping[str, str], *, vault_id: str = "") -> ConfigFile:
    """Return the user's own config as a file to be written: for all vaults, or for the one of an id."""
    from memvault.storage.vault.configure import ConfigFile  # deferred: most commands change no setting

    hold = paths.state_folder(environment) / "held"
    return ConfigFile(path=own_config_path(environment), hold=hold, is_persons=True, vault_id=vault_id)


def load_extensions(environment: Mapping[str, str], *, vault: Path | None = None) -> extending.Extensions:
    """Load the extensions of this person; no code in a vault is ever run."""
    return extending.load_extensions(paths.config_folder(environment), paths.cache_folder(environment), vault=vault)


def _identify_actor(agent: str, session: str, settings: Settings, environment: Mapping[str, str]) -> Actor:
    """Return who works: as given, as the environment says, or the person."""
    inside_claude = "claude-code" if environment.get("CLAUDECODE") else ""
    named = agent or environment.get("MEMVAULT_AGENT", "") or settings.text("user.agent") or inside_claude
    of_claude = environment.get("CLAUDE_CODE_SESSION_ID", "") if inside_claude else ""
    return Actor(named, session or environment.get("MEMVAULT_SESSION", "") or of_claude)


def _vault_key(vault: Vault) -> str:
    """Return what this vault at this path is called outside of it: a copied vault has the same id, and another path."""
    return f"{vault.vault_file.id}-{files.digest(os.path.realpath(vault.root).encode())[:12]}"
