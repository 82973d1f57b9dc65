"""The hall: opens a vault, wires the rooms, one method for each verb; the only clock.

Verbs are imported by the method that calls them, so that a recall does not pay for what it does not use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from memvault import files
from memvault.core.query import ANY, Filters
from memvault.core.settings import SETTINGS, Settings, Value
from memvault.errors import DamagedIndex
from memvault.host import folders
from memvault.index.catalogue import Catalogue, discard, set_aside
from memvault.vault import charter, config
from memvault.vault.charter import Whereabouts
from memvault.vault.layout import CONFIG
from memvault.vault.store import Vault
from memvault.verbs.bench import Actor, Bench

if TYPE_CHECKING:
    from memvault.core.memory import FieldValue, Memory
    from memvault.core.plan import Operation
    from memvault.verbs.change import Changed
    from memvault.verbs.configure import SettingShown
    from memvault.verbs.doctor import Diagnosis
    from memvault.verbs.forget import Moved
    from memvault.verbs.init import Made
    from memvault.verbs.look import Listed, Shown, Status
    from memvault.verbs.recall import Recalled
    from memvault.verbs.reindex import Reindexed
    from memvault.verbs.remember import Given, Remembered

Clock = Callable[[], datetime]
Result = TypeVar("Result")


def system_clock() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def local_zone() -> tzinfo:
    """This machine's time zone, which dates without an offset are in."""
    return datetime.now().astimezone().tzinfo or UTC


class Memvault:
    """An open vault. Use it as a context manager, or call `close` when done."""

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
        self._environment = os.environ if environment is None else environment
        self._clock = clock
        self._zone = zone or local_zone()
        personal = load_personal(self._environment)
        self.root = _find(path, self._environment, folder, Settings(personal))
        self.settings = _settings(self.root, personal, self._environment, settings or {})
        self._actor = _actor(agent, session, self.settings, self._environment)
        self._vault = Vault(self.root, self.settings, device=_device(self._environment))
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

    @staticmethod
    def init(
        path: str | Path,
        *,
        profile: str = "production",
        home: str = "",
        sample: bool = False,
        nested: bool = False,
        dry_run: bool = False,
        clock: Clock = system_clock,
    ) -> Made:
        """Make a new vault, or adopt a folder of notes without changing one of them."""
        import uuid

        from memvault.verbs.init import Wanted, init

        wanted = Wanted(profile=profile, home=home, sample=sample, nested=nested)
        return init(Path(path), wanted, vault_id=str(uuid.uuid4()), now=clock(), dry_run=dry_run)

    # -- making and finding

    def remember(self, text: str, *, dry_run: bool = False, **given: Unpack[Given]) -> Remembered:
        """Make a memory; takes title, type, kind, tags, topics, people, triggers, weight, pin, significant, refs."""
        from memvault.verbs.remember import Draft, remember

        return self._at_bench(lambda bench: remember(bench, Draft(text=text, **given), dry_run=dry_run))

    def recall(
        self,
        query: str,
        *,
        limit: int = 0,
        budget: int = 0,
        min_similarity: float | None = None,
        filters: Filters = ANY,
        whole_texts: bool = False,
        fresh: bool = False,
    ) -> Recalled:
        """The memories that answer a question, best first; `fresh` says that `freshen` was called just now."""
        from memvault.verbs.recall import Ask, recall, recall_fresh

        ask = Ask(
            query=query,
            filters=filters,
            limit=limit,
            budget=budget,
            min_similarity=min_similarity,
            whole_texts=whole_texts,
        )
        return self._at_bench(lambda bench: (recall_fresh if fresh else recall)(bench, ask))

    def recall_many(self, queries: Iterable[str], *, limit: int = 0, filters: Filters = ANY) -> Iterator[Recalled]:
        """Many recalls one after the other, with no threshold; the files are looked over once, at the start."""
        from memvault.verbs.recall import Ask, recall_fresh

        self._at_bench(Bench.freshen)
        for query in queries:
            ask = Ask(query=query, filters=filters, limit=limit, budget=1_000_000, min_similarity=0.0)
            yield self._at_bench(lambda bench, ask=ask: recall_fresh(bench, ask))  # type: ignore[misc]

    # -- looking

    def show(self, ref: str, *, budget: int = 0) -> Shown:
        """One memory whole, by id, file name or title; that counts as a use."""
        from memvault.verbs.look import show

        return self._at_bench(lambda bench: show(bench, ref, budget=budget))

    def list(self, filters: Filters = ANY, *, order: str = "recent", limit: int = 0) -> Listed:
        """The memories that meet some conditions."""
        from memvault.verbs.look import list_

        return self._at_bench(lambda bench: list_(bench, filters, order=order, limit=limit))

    def status(self) -> Status:
        """The vault at a glance."""
        from memvault.verbs.look import status

        return self._at_bench(status)

    def find(self, ref: str) -> Memory:
        """The memory that an id, a file name or a title means, without its text; that counts as nothing."""
        return self._at_bench(lambda bench: bench.find(ref))

    def path_of(self, ref: str) -> Path:
        """The file of a memory."""
        return self._vault.absolute(self.find(ref).path)

    def source(self, ref: str) -> tuple[Memory, bytes]:
        """A memory with its text, and the exact bytes of its file; that counts as nothing."""
        memory, note = self._at_bench(lambda bench: bench.read(bench.find(ref)))
        return memory, note.raw

    # -- changing

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        append: str | None = None,
        whole: bytes | None = None,
        fields: Mapping[str, FieldValue | None] | None = None,
        version: str = "",
        dry_run: bool = False,
    ) -> Changed:
        """Change a memory's text or fields; give the version you read, and a change in between is an error."""
        from memvault.verbs.change import Edit, edit

        wanted = Edit(body=body, append=append, whole=whole, fields=fields, version=version)
        return self._at_bench(lambda bench: edit(bench, ref, wanted, dry_run=dry_run))

    def pin(self, ref: str, *, dry_run: bool = False) -> Changed:
        """Keep a memory from ever decaying."""
        from memvault.verbs.change import pin

        return self._at_bench(lambda bench: pin(bench, ref, dry_run=dry_run))

    def unpin(self, ref: str, *, dry_run: bool = False) -> Changed:
        """Let a memory decay like any other."""
        from memvault.verbs.change import pin

        return self._at_bench(lambda bench: pin(bench, ref, pinned=False, dry_run=dry_run))

    def link(self, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False) -> Changed:
        """Say how one memory stands to another."""
        from memvault.verbs.change import link

        return self._at_bench(lambda bench: link(bench, ref, to, relation=relation, dry_run=dry_run))

    def move(self, ref: str, to: str, *, dry_run: bool = False) -> Changed:
        """Put a memory into another tier or folder."""
        from memvault.verbs.change import move

        return self._at_bench(lambda bench: move(bench, ref, to, dry_run=dry_run))

    def forget(self, ref: str, *, dry_run: bool = False) -> Moved:
        """Move a memory to the trash, and do not learn it again."""
        from memvault.verbs.forget import forget

        return self._at_bench(lambda bench: forget(bench, ref, dry_run=dry_run))

    def restore(self, ref: str, *, dry_run: bool = False) -> Moved:
        """Bring a memory back from the trash or the archive."""
        from memvault.verbs.forget import restore

        return self._at_bench(lambda bench: restore(bench, ref, dry_run=dry_run))

    # -- history

    def log(self, *, limit: int = 0) -> Sequence[Operation]:
        """What was done to the vault, the newest first."""
        from memvault.verbs.history import log

        return self._at_bench(lambda bench: log(bench, limit=limit))

    def operation(self, ref: str = "") -> Operation:
        """One operation by its name; without one, the last that can be undone."""
        from memvault.verbs.history import operation

        return self._at_bench(lambda bench: operation(bench, ref))

    def undo(self, ref: str = "", *, dry_run: bool = False) -> Operation:
        """Take an operation back, byte for byte."""
        from memvault.verbs.history import undo

        return self._at_bench(lambda bench: undo(bench, ref, dry_run=dry_run))

    # -- upkeep

    def config(self, name: str = "") -> Sequence[SettingShown]:
        """The settings in force."""
        from memvault.verbs.configure import settings_shown

        return settings_shown(self.settings, name)

    def set_config(self, name: str, value: str | None, *, dry_run: bool = False) -> Value:
        """Set one of this vault's settings, or take it back to its default."""
        from memvault.verbs.configure import configure

        path, hold = self.root / CONFIG, self._vault.held
        return configure(path, name, value, hold=hold, personal=False, dry_run=dry_run)

    @staticmethod
    def own_config(name: str = "", *, environment: Mapping[str, str] | None = None) -> Sequence[SettingShown]:
        """The settings that the user's own config gives; it needs no vault."""
        from memvault.verbs.configure import settings_shown

        return settings_shown(Settings(load_personal(os.environ if environment is None else environment)), name)

    @staticmethod
    def set_own_config(
        name: str, value: str | None, *, environment: Mapping[str, str] | None = None, dry_run: bool = False
    ) -> Value:
        """Set a setting in the user's own config, for all vaults, or take it out of it."""
        from memvault.verbs.configure import configure

        path = folders.config(os.environ if environment is None else environment) / "config.toml"
        hold = folders.state(os.environ if environment is None else environment) / "held"
        return configure(path, name, value, hold=hold, personal=True, dry_run=dry_run)

    def reindex(self) -> Reindexed:
        """Throw the catalogue away and build it again from the files."""
        from memvault.verbs.reindex import reindex

        self._throw_catalogue_away(discard)
        return self._at_bench(reindex)

    def freshen(self) -> int:
        """Bring the catalogue up to date; says how many notes had come, changed, moved or gone."""
        diff = self._at_bench(Bench.freshen)
        return len(diff.added) + len(diff.changed) + len(diff.gone) - len(diff.moved)

    def doctor(self, *, fix: bool = False, dry_run: bool = False) -> Diagnosis:
        """What is wrong with the vault and how to mend it; with `fix`, mend it."""
        from memvault.verbs.doctor import doctor

        return self._at_bench(lambda bench: doctor(bench, fix=fix, dry_run=dry_run))

    # -- wiring

    def _at_bench(self, act: Callable[[Bench], Result]) -> Result:
        """Let a verb work; where the index turns out to be damaged, it is built again and the verb begins again.

        That is safe because verbs ask the catalogue first and write last.
        """
        try:
            return act(self._bench())
        except DamagedIndex:
            self._throw_catalogue_away(set_aside)
            bench = self._bench()
            bench.freshen()
            return act(bench)

    def _throw_catalogue_away(self, how: Callable[[Path], None]) -> None:
        folder = _catalogue_folder(self._vault, self._environment)
        self.close()
        how(folder)

    def _bench(self) -> Bench:
        if self._catalogue is not None and not self._catalogue.is_there():
            self.close()  # somebody emptied the cache
        if self._catalogue is None:
            folder = _catalogue_folder(self._vault, self._environment)
            self._catalogue = Catalogue.open(folder, backend=self.settings.text("index.backend"))
        return Bench(self._vault, self._catalogue, self._clock(), self._zone, self._actor)


def load_personal(environment: Mapping[str, str]) -> dict[str, Value]:
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


def _settings(
    root: Path, personal: Mapping[str, Value], environment: Mapping[str, str], given: Mapping[str, Value]
) -> Settings:
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
    """Where the catalogue of this vault at this path lies: a copied vault, or another backend, gets one of its own."""
    at = files.digest(os.path.realpath(vault.root).encode())[:12]
    backend = vault.settings.text("index.backend")
    usual = SETTINGS["index.backend"].default
    return folders.cache(environment) / "vaults" / f"{vault.charter.id}-{at}{'' if backend == usual else f'-{backend}'}"
