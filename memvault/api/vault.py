"""What is done to a whole vault, a method each: make it, set it, maintain it, take conversations in, sync it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.settings import IgnoredSetting, Settings, find_setting
from memvault.core.settings.table import VAULT, Value
from memvault.errors import BadInput, MemvaultError, NotOpened
from memvault.extensions import register as extending
from memvault.open_vault import (
    Clock,
    OpenVault,
    load_extensions,
    load_own_settings,
    load_personal_settings,
    own_config_file,
    system_clock,
)
from memvault.storage.index.index import delete_index
from memvault.storage.vault.layout import CONFIG
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import SpokenResult
    from memvault.context.claude_md import ClaudeMdResult
    from memvault.context.injection_log import InjectionDetails
    from memvault.maintenance.doctor import DoctorResult
    from memvault.maintenance.maintain import ReindexResult
    from memvault.maintenance.report.figures import Figures
    from memvault.maintenance.report.page import ReportResult
    from memvault.maintenance.retention import StoreInfo
    from memvault.maintenance.schedule.install import Schedule
    from memvault.maintenance.vault_status import VaultStatus
    from memvault.models.llm.model import ModelAccess
    from memvault.recall.semantic_model import EmbedResult, SemanticChoice, SemanticStatus
    from memvault.storage.journal.apply import Progress
    from memvault.storage.journal.runs import MaintainResult
    from memvault.storage.pauses import PausePeriod, PauseScope
    from memvault.storage.vault.configure import ConfigFile, IgnoredSettingInfo, SettingInfo
    from memvault.storage.vault.create import CreateResult
    from memvault.system.age import PrivateKeys


class VaultMethods(OpenVault):
    """The methods about a vault as a whole; each imports what it calls."""

    @staticmethod
    def init(
        path: str | Path,
        *,
        profile: str = "production",
        home: str = "",
        sample: bool = False,
        nested: bool = False,
        inject: Sequence[str] = (),
        dry_run: bool = False,
        clock: Clock = system_clock,
        environment: Mapping[str, str] | None = None,
    ) -> CreateResult:
        """Make a new vault, or adopt a folder of notes without changing one of them.

        Notes in the folders that `inject` names may be injected; that is written to the user's own config.
        """
        import uuid

        from memvault.storage.vault.create import CreateOptions, create_vault

        own = own_config_file(_variables(environment))
        options = CreateOptions(profile=profile, home=home, sample=sample, nested=nested, inject=tuple(inject))
        with files.system_errors(Path(path)):
            return create_vault(Path(path), options, own, vault_id=str(uuid.uuid4()), now=clock(), dry_run=dry_run)

    # -- settings

    def config(self, name: str = "") -> Sequence[SettingInfo]:
        """Return the settings in force."""
        from memvault.storage.vault.configure import list_settings

        return list_settings(self.settings, name)

    def ignored_config(self, name: str = "") -> Sequence[IgnoredSettingInfo]:
        """Return the settings in the vault's file that are ignored, because only a person may set them."""
        from memvault.storage.vault.configure import list_ignored

        return list_ignored(self.settings, name)

    def set_config(self, name: str, value: str | None, *, dry_run: bool = False) -> Value:
        """Set a setting for this vault, or take it back to its default; `config_path` says in which file."""
        extending.check_part(name, value, self.loaded_extensions)
        return _write_setting(self._config_file(name), name, value, dry_run=dry_run)

    def config_path(self, name: str) -> Path:
        """Return the file that a setting for this vault is written to: the vault's, or the person's own config."""
        return self._config_file(name).path

    def _config_file(self, name: str) -> ConfigFile:
        from memvault.storage.vault.configure import ConfigFile

        if find_setting(name).set_by == VAULT:
            return ConfigFile(path=self.root / CONFIG, hold=self._vault.displaced_folder)
        return own_config_file(self.environment, vault_id=self._vault.vault_file.id)

    def open_config_questions(self) -> tuple[IgnoredSetting, ...]:
        """Return what an older vault's file asks for that only the person may set, and has not decided on yet."""
        from memvault.storage.vault.configure import open_questions  # deferred: hardly any vault asks for anything

        return open_questions(self.settings) if self.settings.ignored else ()

    def answer_config_questions(self, *, accept: bool) -> Path:
        """Write the person's answer to their own config, under the vault's id, and return its path."""
        from memvault.storage.vault.configure import answer_questions

        file = own_config_file(self.environment, vault_id=self._vault.vault_file.id)
        with files.system_errors(file.path):
            answer_questions(file, self.open_config_questions(), accept=accept)
        return file.path

    @staticmethod
    def own_config(name: str = "", *, environment: Mapping[str, str] | None = None) -> Sequence[SettingInfo]:
        """Return the settings that the user's own config gives; it needs no vault."""
        from memvault.storage.vault.configure import list_settings

        return list_settings(Settings(load_own_settings(_variables(environment))), name)

    @staticmethod
    def set_own_config(
        name: str, value: str | None, *, environment: Mapping[str, str] | None = None, dry_run: bool = False
    ) -> Value:
        """Set a setting in the user's own config, for all vaults, or take it out of it."""
        variables = _variables(environment)
        if name in extending.EXTENSIBLE_SETTINGS:
            extending.check_part(name, value, load_extensions(variables))
        return _write_setting(own_config_file(variables), name, value, dry_run=dry_run)

    @staticmethod
    def own_model(*, environment: Mapping[str, str] | None = None, now: datetime | None = None) -> ModelAccess:
        """Return access to the language model for one who is in no vault: a model is the person's, not a vault's."""
        from memvault.models.llm.model import ModelAccess

        variables = _variables(environment)
        settings = load_personal_settings(variables)
        providers = extending.list_providers(settings.text("model.provider"), load_extensions(variables))
        return ModelAccess(
            settings, variables, state=paths.state_folder(variables), now=now or system_clock(), providers=providers
        )

    # -- finding by meaning

    @staticmethod
    def own_semantic(*, environment: Mapping[str, str] | None = None) -> SemanticChoice:
        """Return this person's choice of a model, to be looked at, made or taken back; it needs no vault."""
        from memvault.recall.semantic_model import SemanticChoice

        variables = _variables(environment)
        return SemanticChoice(
            load_personal_settings(variables),
            variables,
            cache=paths.cache_folder(variables),
            config=paths.config_folder(variables),
            state=paths.state_folder(variables),
        )

    def semantic_status(self) -> SemanticStatus:
        """Return which model finds by meaning, and how far its vectors are in this vault."""
        from dataclasses import replace  # deferred: it takes a start 10 ms to load

        from memvault.recall.semantic_model import count_vectors

        status = self.own_semantic(environment=self.environment).status()
        if not status.ready:
            return status
        self.refresh()
        held = self.run(count_vectors)
        return replace(status, vectors=held.vectors, bytes=held.bytes, behind=held.fresh)

    def embed(self, *, progress: Callable[[int, int], None] = lambda _done, _whole: None) -> EmbedResult:
        """Give every memory and every turn that has no vector yet one."""
        from memvault.recall.semantic_model import embed_all

        self.refresh()
        self.refresh_transcript_index()
        return self.run(embed_all, progress)

    def refresh_transcript_index(self) -> None:
        """Bring the index of conversations up to what the archive holds."""
        from memvault.transcripts.search import refresh_index

        self.run(refresh_index)

    # -- looking at it, and keeping it in order

    def status(self) -> VaultStatus:
        """Return the vault at a glance."""
        from dataclasses import replace

        from memvault.maintenance.vault_status import vault_status

        return replace(self.run(vault_status), extensions=self.list_extensions())

    def stats(self, *, days: int = 30) -> Figures:
        """Return the vault in figures: counts, weights, use, what is about to fade, and what happened in some days."""
        from memvault.maintenance.report.figures import compute_stats

        return self.run(compute_stats, days=days)

    def report(self, path: str | Path | None = None, *, days: int = 30, write: bool = True) -> ReportResult:
        """Return a page that shows the vault, written to a file; without a path, to one in the user's cache."""
        from memvault.maintenance.report.page import write_report
        from memvault.text.file_names import slugify

        if not write:
            return self.run(write_report, None, days=days)
        if path is None:  # a report can be made again at any time, and is nobody else's business
            folder = paths.cache_folder(self.environment) / "reports" / self._vault.vault_file.id[:8]
            files.make_folder(folder)
            path = folder / f"{slugify(self.root.name)}.html"
        return self.run(write_report, Path(path), days=days)

    def list_stores(self) -> Sequence[StoreInfo]:
        """Return what is kept beside the notes: how much of it, from when, until when, and by which settings."""
        from memvault.maintenance.retention import list_stores

        return self.run(list_stores)

    def maintain(
        self,
        *,
        only: Sequence[str] = (),
        prune: bool = False,
        dry_run: bool = False,
        scheduled: bool = False,
        progress: Progress | None = None,
    ) -> MaintainResult:
        """Keep the vault in order: let weights fade, archive, merge, promote, refresh Tier 1 and CLAUDE.md."""
        from memvault.maintenance.maintain import MaintainOptions, maintain
        from memvault.storage.journal.apply import no_progress

        options = MaintainOptions(only=tuple(only), prune=prune, dry_run=dry_run, scheduled=scheduled)
        return self.run(maintain, options, progress=progress or no_progress)

    def schedule(self) -> Schedule:
        """Return the daily maintenance of this vault on this machine, to be looked at, installed or removed."""
        from memvault.maintenance.schedule.install import Schedule

        return Schedule.of(self)

    def reindex(self) -> ReindexResult:
        """Throw the indexes away and build them again from the files."""
        from memvault.maintenance.maintain import rebuild_index

        with files.system_errors(self.index_folder):
            self.discard_index(delete_index)
            self.discard_transcript_index(delete_index)
        return self.run(rebuild_index)

    def doctor(
        self,
        *,
        fix: bool = False,
        dry_run: bool = False,
        verify: bool = False,
        accept: bool = False,
        progress: Progress | None = None,
    ) -> DoctorResult:
        """Return what is wrong with the vault and how to mend it; with `fix`, mend it.

        With `verify`, every file is compared with what was recorded of it; with `accept`, what is missing or looks
        damaged is meant to be so, or lost for good.
        """
        from memvault.agents.setup.install import check_hooks
        from memvault.maintenance.doctor import VerifyOptions, check_vault
        from memvault.privacy.private.check import check_private
        from memvault.privacy.purge.purge import apply_marked
        from memvault.storage.journal.apply import no_progress
        from memvault.sync.setup import check_sync
        from memvault.system.age import PrivateKeys
        from memvault.transcripts.check import check_conversations

        if fix and not dry_run:
            self.run(apply_marked)
        keys = PrivateKeys(paths.config_folder(self.environment))
        options = VerifyOptions(
            opens=lambda path, data: _try_unseal(keys, path, data), progress=progress or no_progress, accept=accept
        )
        features = (
            ("conversations", check_conversations),
            ("private", check_private),
            ("hooks", check_hooks),
            ("sync", check_sync),
        )
        return self.run(check_vault, features=features, fix=fix, dry_run=dry_run, verify=options if verify else None)

    def claude_md(
        self,
        target: str | Path | None = None,
        *,
        format: str = "claude",  # noqa: A002 - as the command's option
        project: str = "",
        check: bool = False,
        dry_run: bool = False,
    ) -> ClaudeMdResult:
        """Bring the block in CLAUDE.md, or in another agent's file, up to date; `check` only says whether it is."""
        from memvault.context.claude_md import write_claude_md

        path = None if target is None else Path(target)
        return self.run(write_claude_md, target=path, format=format, project=project, check=check, dry_run=dry_run)

    # -- commands as a person speaks them, and the switch

    def say(
        self,
        text: str,
        *,
        before: str = "",
        by_person: bool = False,
        secrets: str = "",
        dry_run: bool = False,
    ) -> SpokenResult:
        """Do what a text asks for.

        `before` is what "this" means, `by_person` says that it is the person's own word, whoever carries it here.
        What becomes of secrets in it, `secrets` says: refuse, redact or keep.
        """
        from memvault.agents.spoken.execute import SpokenContext, say

        return self.run(
            say, text, SpokenContext(previous_text=before, secrets=secrets, by_person=by_person, dry_run=dry_run)
        )

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

        scope = _pause_scope(project, here=here, session=session)
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

        scope = _pause_scope(project, here=here, session=session)
        with files.system_errors(self.state_folder):
            return end_pauses(self.state_folder, [scope], now=self._clock(), everything=everything, dry_run=dry_run)

    def list_pauses(self) -> tuple[PausePeriod, ...]:
        """Return every pause that holds now, whatever for."""
        from memvault.storage.pauses import active_pauses

        return active_pauses(self.state_folder, self._clock())

    def list_injections(self, *, session: str = "", limit: int = 1) -> tuple[InjectionDetails, ...]:
        """Return what was put before a model last, and why, the newest first."""
        from memvault.context.injection_log import last_injections

        return self.run(last_injections, session, limit=limit)


def _variables(environment: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if environment is None else environment


def _write_setting(file: ConfigFile, name: str, value: str | None, *, dry_run: bool) -> Value:
    from memvault.storage.vault.configure import configure

    with files.system_errors(file.path):
        return configure(file, name, value, dry_run=dry_run)


def _pause_scope(project: str, *, here: bool, session: str) -> PauseScope:
    from memvault.storage.pauses import EVERYTHING, PauseScope
    from memvault.system.project import project_of

    if bool(project.strip()) + here + bool(session.strip()) > 1:
        raise BadInput(what="the scope", value=project or session, reason="name one project or one session, not both")
    if session.strip():
        return PauseScope("session", session.strip())
    name = project_of(Path.cwd()) if here else project.strip()
    return PauseScope("project", name) if name else EVERYTHING


def _try_unseal(keys: PrivateKeys, path: str, data: bytes) -> str:
    """Return what is wrong with a sealed file, as far as the keys at hand can tell; nothing of it is kept."""
    from memvault.system import age

    try:
        if age.is_installed() and keys.own_identities:
            keys.unseal_bytes(data, path=path)
    except NotOpened as error:
        # What is not sealed to a key of ours is another's, and may be whole.
        return "it does not open with the key to which it was sealed" if error.data["reason"] == age.DAMAGED else ""
    except MemvaultError:
        return ""  # a key that cannot be read is reported by another look
    return ""
