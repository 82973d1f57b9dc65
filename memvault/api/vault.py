"""What is done to a whole vault, a method each: make it, set it, maintain it, take conversations in, sync it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from memvault.api import lazy
from memvault.core.query import NO_FILTERS, Filters
from memvault.core.settings import Settings, find_setting
from memvault.core.settings.table import VAULT, Value
from memvault.errors import BadInput, MemvaultError, NotOpened
from memvault.extensions import register as extending
from memvault.open_vault import (
    Clock,
    OpenVault,
    load_extensions,
    load_own_settings,
    load_personal_settings,
    local_zone,
    own_config_file,
    system_clock,
)
from memvault.storage.index.index import delete_index
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.layout import CONFIG
from memvault.system import files, paths


class VaultMethods(OpenVault):
    """The methods about a vault as a whole."""

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
    ) -> lazy.vault_create.CreateResult:
        """Make a new vault, or adopt a folder of notes without changing one of them.

        Notes in the folders that `inject` names may be injected; that is written to the user's own config.
        """
        import uuid

        own = own_config_file(_variables(environment))
        options = lazy.vault_create.CreateOptions(
            profile=profile, home=home, sample=sample, nested=nested, inject=tuple(inject)
        )
        with files.system_errors(Path(path)):
            return lazy.vault_create.create_vault(
                Path(path), options, own, vault_id=str(uuid.uuid4()), now=clock(), dry_run=dry_run
            )

    # -- settings

    def config(self, name: str = "") -> Sequence[lazy.configure.SettingInfo]:
        """Return the settings in force."""
        return lazy.configure.list_settings(self.settings, name)

    def ignored_config(self, name: str = "") -> Sequence[lazy.configure.IgnoredSettingInfo]:
        """Return the settings in the vault's file that are ignored, because only a person may set them."""
        return lazy.configure.list_ignored(self.settings, name)

    def set_config(self, name: str, value: str | None, *, dry_run: bool = False) -> Value:
        """Set a setting for this vault, or take it back to its default; `config_path` says in which file."""
        extending.check_part(name, value, self.loaded_extensions)
        return _write_setting(self._config_file(name), name, value, dry_run=dry_run)

    def config_path(self, name: str) -> Path:
        """Return the file that a setting for this vault is written to: the vault's, or the person's own config."""
        return self._config_file(name).path

    def _config_file(self, name: str) -> lazy.configure.ConfigFile:
        if find_setting(name).set_by == VAULT:
            return lazy.configure.ConfigFile(path=self.root / CONFIG, hold=self._vault.displaced_folder)
        return own_config_file(self.environment, vault_id=self._vault.vault_file.id)

    @staticmethod
    def own_config(
        name: str = "", *, environment: Mapping[str, str] | None = None
    ) -> Sequence[lazy.configure.SettingInfo]:
        """Return the settings that the user's own config gives; it needs no vault."""
        return lazy.configure.list_settings(Settings(load_own_settings(_variables(environment))), name)

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
    def own_model(
        *, environment: Mapping[str, str] | None = None, now: datetime | None = None
    ) -> lazy.model.ModelAccess:
        """Return access to the language model for one who is in no vault: a model is the person's, not a vault's."""
        variables = _variables(environment)
        settings = load_personal_settings(variables)
        providers = extending.list_providers(settings.text("model.provider"), load_extensions(variables))
        return lazy.model.ModelAccess(
            settings, variables, state=paths.state_folder(variables), now=now or system_clock(), providers=providers
        )

    # -- finding by meaning

    def embed(
        self, *, progress: Callable[[int, int], None] = lambda _done, _whole: None
    ) -> lazy.semantic_model.EmbedResult:
        """Give every memory and every turn that has no vector yet one."""
        self.refresh()
        self.run(lazy.transcript_search.refresh_index)
        return self.run(lazy.semantic_model.embed_all, progress)

    # -- looking at it, and keeping it in order

    def status(self) -> lazy.vault_status.VaultStatus:
        """Return the vault at a glance."""
        from dataclasses import replace

        return replace(self.run(lazy.vault_status.vault_status), extensions=self.list_extensions())

    def stats(self, *, days: int = 30) -> lazy.report_figures.Figures:
        """Return the vault in figures: counts, weights, use, what is about to fade, and what happened in some days."""
        return self.run(lazy.report_figures.compute_stats, days=days)

    def list_stores(self) -> Sequence[lazy.retention.StoreInfo]:
        """Return what is kept beside the notes: how much of it, from when, until when, and by which settings."""
        return self.run(lazy.retention.list_stores)

    def maintain(
        self,
        *,
        only: Sequence[str] = (),
        prune: bool = False,
        dry_run: bool = False,
        scheduled: bool = False,
        progress: lazy.apply.Progress | None = None,
    ) -> lazy.runs.MaintainResult:
        """Keep the vault in order: let weights fade, archive, merge, promote, refresh Tier 1 and CLAUDE.md."""
        options = lazy.maintain.MaintainOptions(only=tuple(only), prune=prune, dry_run=dry_run, scheduled=scheduled)
        return self.run(lazy.maintain.maintain, options, progress=progress or lazy.apply.no_progress)

    def schedule(self) -> lazy.schedule_install.Schedule:
        """Return the daily maintenance of this vault on this machine, to be looked at, installed or removed."""
        return lazy.schedule_install.Schedule.of(self)

    def reindex(self) -> lazy.maintain.ReindexResult:
        """Throw the indexes away and build them again from the files."""
        with files.system_errors(self.index_folder):
            self.discard_index(delete_index)
            self.discard_transcript_index(delete_index)
        return self.run(lazy.maintain.rebuild_index)

    def doctor(
        self,
        *,
        fix: bool = False,
        dry_run: bool = False,
        verify: bool = False,
        accept: bool = False,
        progress: lazy.apply.Progress | None = None,
    ) -> lazy.doctor.DoctorResult:
        """Return what is wrong with the vault and how to mend it; with `fix`, mend it.

        With `verify`, every file is compared with what was recorded of it; with `accept`, what is missing or looks
        damaged is meant to be so, or lost for good.
        """
        if fix and not dry_run:
            self.run(lazy.purge.apply_marked)
        keys = lazy.age.PrivateKeys(paths.config_folder(self.environment))
        options = lazy.doctor.VerifyOptions(
            opens=lambda path, data: _try_unseal(keys, path, data),
            progress=progress or lazy.apply.no_progress,
            accept=accept,
        )
        features = (
            ("conversations", lazy.transcript_check.check_conversations),
            ("still-true", lazy.still_true.check_still_true),
            ("private", lazy.recipients.check_private),
            ("hooks", lazy.agent_install.check_hooks),
            ("sync", lazy.sync_setup.check_sync),
        )
        return self.run(
            lazy.doctor.check_vault, features=features, fix=fix, dry_run=dry_run, verify=options if verify else None
        )

    def claude_md(
        self,
        target: str | Path | None = None,
        *,
        format: str = "claude",  # noqa: A002 - as the command's option
        project: str = "",
        check: bool = False,
        dry_run: bool = False,
    ) -> lazy.claude_md.ClaudeMdResult:
        """Bring the block in CLAUDE.md, or in another agent's file, up to date; `check` only says whether it is."""
        path = None if target is None else Path(target)
        return self.run(
            lazy.claude_md.write_claude_md, target=path, format=format, project=project, check=check, dry_run=dry_run
        )

    # -- commands as a person speaks them, and the switch

    def say(
        self, text: str, *, before: str = "", by_person: bool = False, secrets: str = "", dry_run: bool = False
    ) -> lazy.execute_spoken.SpokenResult:
        """Do what a text asks for.

        `before` is what "this" means, `by_person` says that it is the person's own word, whoever carries it here.
        What becomes of secrets in it, `secrets` says: refuse, redact or keep.
        """
        return self.run(
            lazy.execute_spoken.say,
            text,
            lazy.execute_spoken.SpokenContext(
                previous_text=before, secrets=secrets, by_person=by_person, dry_run=dry_run
            ),
        )

    def pause(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        span: timedelta | None = None,
        dry_run: bool = False,
    ) -> lazy.pauses.PausePeriod:
        """Remember and inject nothing by itself: everywhere, in a project, in the one of this folder, in a session."""
        scope = _pause_scope(project, here=here, session=session)
        with files.system_errors(self.state_folder):
            return lazy.pauses.start_pause(self.state_folder, scope, now=self._clock(), span=span, dry_run=dry_run)

    def resume(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        everything: bool = False,
        dry_run: bool = False,
    ) -> tuple[lazy.pauses.PausePeriod, ...]:
        """End a pause, or with `everything` all of them; gives those that were ended."""
        scope = _pause_scope(project, here=here, session=session)
        with files.system_errors(self.state_folder):
            return lazy.pauses.end_pauses(
                self.state_folder, [scope], now=self._clock(), everything=everything, dry_run=dry_run
            )

    def list_injections(self, *, session: str = "", limit: int = 1) -> tuple[lazy.injection_log.InjectionDetails, ...]:
        """Return what was put before a model last, and why, the newest first."""
        return self.run(lazy.injection_log.last_injections, session, limit=limit)

    # -- conversations

    def ingest(
        self,
        paths: Sequence[str | Path] = (),
        *,
        format: str = "",  # noqa: A002 - the word that the command line has for it
        everything: bool = False,
        learn: bool = True,
        automatic: bool = False,
        dry_run: bool = False,
        progress: lazy.ingest.ReadProgress | None = None,
    ) -> lazy.ingest.IngestResult:
        """Take conversations into the archive, draw facts and topics out of them, and remember what is worth it.

        What was said during a pause is left out where nobody named the file: with `everything`, and if `automatic`.
        """
        options = lazy.ingest.IngestOptions(
            paths=tuple(map(Path, paths)),
            format=format,
            learn=learn,
            everything=everything,
            skip_paused=automatic,
            dry_run=dry_run,
            obey=lazy.obey_turn.obey_turn,
        )
        return self.run(lazy.ingest.ingest, options, progress=progress)

    def save_progress(
        self, text: str = "", *, session: str = "", transcript: str | Path = "", dry_run: bool = False
    ) -> lazy.progress.ProgressResult:
        """Keep what came of a session as a milestone, or bring that up to date; a transcript is taken in first."""
        return self.run(
            lazy.progress.save_progress,
            text,
            session=session,
            transcript=transcript,
            dry_run=dry_run,
            obey=lazy.obey_turn.obey_turn,
        )

    def dig(
        self,
        topic: str,
        *,
        limit: int = 0,
        budget: int = 0,
        map_only: bool = False,
        restore: bool = False,
        dry_run: bool = False,
    ) -> lazy.dig.DigResult:
        """Search everything there is for a topic, and give the conversations about it whole."""
        query = lazy.dig.DigQuery(
            topic=topic, limit=limit, budget=budget, map_only=map_only, restore=restore, dry_run=dry_run
        )
        return self.run(lazy.dig.dig, query)

    def open_conversation(self, ref: str, *, budget: int = 0) -> lazy.dig.DigResult:
        """Return the conversation on the topic that a turn belongs to."""
        return self.run(lazy.dig.open_topic, ref, budget=budget)

    def around(self, ref: str, *, turns: int = 5, budget: int = 0) -> lazy.dig.DigResult:
        """Return some turns before and after one."""
        return self.run(lazy.dig.open_around, ref, turns=turns, budget=budget)

    # -- to and from other programs and machines

    def import_memories(
        self,
        source: str,
        path: str | Path | None = None,
        *,
        as_mine: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> lazy.import_memories.ImportResult:
        """Bring in a bundle, or what another program remembers; what is there already stays as it is."""
        options = lazy.import_memories.ImportOptions(dry_run=dry_run, as_mine=as_mine)
        place = None if path is None else Path(path).expanduser()
        return self.run(
            lazy.import_memories.import_memories,
            source,
            place,
            self.environment,
            options=options,
            progress=progress or lazy.import_memories.ignore_progress,
        )

    def export(
        self,
        path: str | Path | None = None,
        *,
        format: str = "bundle",  # noqa: A002 - what a person would call it
        filters: Filters = NO_FILTERS,
        with_private: bool = False,
        force: bool = False,
    ) -> lazy.export.ExportResult:
        """Memories as one file, as bytes where no path is given; one that is there is written over by force alone."""
        from dataclasses import replace  # deferred: it takes a start 10 ms to load

        done = self.run(lazy.export.export_memories, format=format, filters=filters, with_private=with_private)
        if path is not None:
            (files.overwrite_file if force else files.create_file)(Path(path).absolute(), done.data)
            self.run(lazy.written_files.note_written, Path(path), done.data)
            done = replace(done, inside=files.is_inside(self.root, Path(path).absolute()))
        return done

    def sync_init(self, *, remote: str = "", dry_run: bool = False) -> lazy.sync_setup.SyncSetupResult:
        """Tell git how memories are merged and what stays here, and whom to sync with."""
        return self.run(lazy.sync_setup.init_sync, remote=remote, dry_run=dry_run)

    def sync_run(self, *, push: bool = True, dry_run: bool = False) -> lazy.sync.SyncResult:
        """Commit what changed here, merge what changed elsewhere, and hand ours on."""
        return self.run(lazy.sync.run_sync, push=push, dry_run=dry_run)

    def sync_status(self) -> lazy.sync_setup.SyncStatus:
        """Return how this machine's copy stands with the others', without asking them."""
        return self.run(lazy.sync_setup.sync_status)

    @classmethod
    def merge_for_git(
        cls, base: Path, ours: Path, theirs: Path, path: str, *, environment: Mapping[str, str] | None = None
    ) -> bool:
        """Merge two versions of a file where git wants it; False where that is for a person to do."""
        at = Path(path).absolute()
        root = charter.enclosing_vault(at)
        if root is None:
            return False
        with cls(root, environment=environment) as vault:
            inside = vault._vault
            known = lazy.merge_driver.MergeContext(
                inside.vault_file.id,
                local_zone(),
                vault.settings.kinds,
                inside.place_of,
                lambda: inside.ledger.decisions().ids_by_path,
            )
        return lazy.merge_driver.run_driver(base, ours, theirs, root, at.relative_to(root).as_posix(), known)


def _variables(environment: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if environment is None else environment


def _write_setting(file: lazy.configure.ConfigFile, name: str, value: str | None, *, dry_run: bool) -> Value:
    with files.system_errors(file.path):
        return lazy.configure.configure(file, name, value, dry_run=dry_run)


def _pause_scope(project: str, *, here: bool, session: str) -> lazy.pauses.PauseScope:
    from memvault.system.project import project_of

    if bool(project.strip()) + here + bool(session.strip()) > 1:
        raise BadInput(what="the scope", value=project or session, reason="name one project or one session, not both")
    if session.strip():
        return lazy.pauses.PauseScope("session", session.strip())
    name = project_of(Path.cwd()) if here else project.strip()
    return lazy.pauses.PauseScope("project", name) if name else lazy.pauses.EVERYTHING


def _try_unseal(keys: lazy.age.PrivateKeys, path: str, data: bytes) -> str:
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
