"""Beginning a vault, setting it up, and keeping it in order."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.settings import VAULT, IgnoredSetting, Settings, Value, find_setting
from memvault.extensions import register as extending
from memvault.open_vault import Clock, OpenVault, load_extensions, load_own_settings, own_config_path, system_clock
from memvault.storage.index.index import delete_index
from memvault.storage.vault.config import from_environment
from memvault.storage.vault.layout import CONFIG
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.context.claude_md import ClaudeMdResult
    from memvault.maintenance.doctor import DoctorResult
    from memvault.maintenance.maintain import ReindexResult
    from memvault.maintenance.schedule.install import Schedule
    from memvault.models.llm.model import ModelAccess
    from memvault.storage.journal.apply import Progress
    from memvault.storage.journal.runs import MaintainResult
    from memvault.storage.vault.configure import ConfigFile, IgnoredSettingInfo, SettingInfo
    from memvault.storage.vault.create import CreateResult


def _own_config_file(environment: Mapping[str, str], *, vault_id: str = "") -> ConfigFile:
    from memvault.storage.vault.configure import ConfigFile  # deferred: most commands change no setting

    path, hold = own_config_path(environment), paths.state_folder(environment) / "held"
    return ConfigFile(path=path, hold=hold, is_persons=True, vault_id=vault_id)


class MaintenanceMethods(OpenVault):
    """What is done to a vault as a whole."""

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

        own = _own_config_file(os.environ if environment is None else environment)
        wanted = CreateOptions(profile=profile, home=home, sample=sample, nested=nested, inject=tuple(inject))
        with files.system_errors(Path(path)):
            return create_vault(Path(path), wanted, own, vault_id=str(uuid.uuid4()), now=clock(), dry_run=dry_run)

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
        from memvault.storage.vault.configure import configure

        extending.check_part(name, value, self.loaded_extensions)
        file = self._config_file(name)
        with files.system_errors(file.path):
            return configure(file, name, value, dry_run=dry_run)

    def config_path(self, name: str) -> Path:
        """Return the file that a setting for this vault is written to: the vault's, or the person's own config."""
        return self._config_file(name).path

    def _config_file(self, name: str) -> ConfigFile:
        from memvault.storage.vault.configure import ConfigFile

        if find_setting(name).set_by == VAULT:
            return ConfigFile(path=self.root / CONFIG, hold=self._vault.displaced_folder)
        return _own_config_file(self.environment, vault_id=self._vault.vault_file.id)

    def open_config_questions(self) -> tuple[IgnoredSetting, ...]:
        """Return what an older vault's file asks for that only the person may set, and has not decided on yet."""
        from memvault.storage.vault.configure import open_questions  # deferred: hardly any vault asks for anything

        return open_questions(self.settings) if self.settings.ignored else ()

    def answer_config_questions(self, *, accept: bool) -> Path:
        """Write the person's answer to their own config, under the vault's id, and return its path."""
        from memvault.storage.vault.configure import answer_questions

        file = _own_config_file(self.environment, vault_id=self._vault.vault_file.id)
        with files.system_errors(file.path):
            answer_questions(file, self.open_config_questions(), accept=accept)
        return file.path

    @staticmethod
    def own_config(name: str = "", *, environment: Mapping[str, str] | None = None) -> Sequence[SettingInfo]:
        """Return the settings that the user's own config gives; it needs no vault."""
        from memvault.storage.vault.configure import list_settings

        return list_settings(Settings(load_own_settings(os.environ if environment is None else environment)), name)

    @staticmethod
    def set_own_config(
        name: str, value: str | None, *, environment: Mapping[str, str] | None = None, dry_run: bool = False
    ) -> Value:
        """Set a setting in the user's own config, for all vaults, or take it out of it."""
        from memvault.storage.vault.configure import configure

        variables = os.environ if environment is None else environment
        file = _own_config_file(variables)
        if name in extending.EXTENSIBLE_SETTINGS:
            extending.check_part(name, value, load_extensions(variables))
        with files.system_errors(file.path):
            return configure(file, name, value, dry_run=dry_run)

    @staticmethod
    def own_model(*, environment: Mapping[str, str] | None = None, now: datetime | None = None) -> ModelAccess:
        """Return the same for one who is in no vault: a model is the person's, not a vault's."""
        from memvault.models.llm.model import ModelAccess

        variables = os.environ if environment is None else environment
        settings = Settings({**load_own_settings(variables), **from_environment(variables)})
        providers = extending.list_providers(settings.text("model.provider"), load_extensions(variables))
        return ModelAccess(
            settings, variables, state=paths.state_folder(variables), now=now or system_clock(), providers=providers
        )

    def schedule(self) -> Schedule:
        """Return the daily maintenance of this vault on this machine, to be looked at, installed or removed."""
        from memvault.maintenance.schedule.install import Schedule
        from memvault.system.programs import Machine

        return Schedule(self.root, self._vault.vault_file.id, self.settings, Machine(self.environment))

    @property
    def memories_folder(self) -> Path:
        """Where memories lie that are neither hot nor archived."""
        return self.root / self._vault.layout.memories

    def reindex(self) -> ReindexResult:
        """Throw the indexes away and build them again from the files."""
        from memvault.maintenance.maintain import rebuild_index

        with files.system_errors(self.index_folder):
            self.discard_index(delete_index)
            self.discard_transcript_index(delete_index)
        return self.run(rebuild_index)

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

        wanted = MaintainOptions(only=tuple(only), prune=prune, dry_run=dry_run, scheduled=scheduled)
        return self.run(maintain, wanted, progress=progress or no_progress)

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
        from memvault.agents.setup.ground import find_hook_problems, locate_agents
        from memvault.agents.setup.hooks import HookSetup
        from memvault.api.verify import verify_options
        from memvault.maintenance.doctor import check_vault
        from memvault.privacy.private.recipients import key_status
        from memvault.sync.setup import sync_problems
        from memvault.system.age import PrivateKeys

        if fix and not dry_run:
            from memvault.privacy.purge.purge import apply_marked

            self.run(apply_marked)
        with files.system_errors(self.root):
            hooks = HookSetup(*locate_agents(self.environment, None, self._clock()))
        return self.run(
            lambda context: check_vault(
                context,
                hooks=lambda: find_hook_problems(hooks.status()),
                syncing=lambda: sync_problems(context),
                keys=lambda: key_status(context, PrivateKeys(paths.config_folder(self.environment))),
                fix=fix,
                dry_run=dry_run,
                verify=verify_options(self.environment, progress, accept=accept) if verify else None,
            )
        )

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
        return self.run(
            lambda context: write_claude_md(
                context, target=path, format=format, project=project, check=check, dry_run=dry_run
            )
        )
