"""Memories on their way out of a vault, and into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.query import NO_FILTERS, Filters
from memvault.open_vault import OpenVault, local_zone
from memvault.system import files

if TYPE_CHECKING:
    from memvault.privacy.purge.purge import PurgeResult
    from memvault.privacy.purge.verify import VerifyResult
    from memvault.sync.setup import SyncSetupResult, SyncStatus
    from memvault.sync.sync import SyncResult
    from memvault.transfer.exporters.export import ExportResult
    from memvault.transfer.importers.import_memories import ImportResult


class TransferMethods(OpenVault):
    """What carries memories from vault to vault, and from program to program; and out of all of them."""

    def purge(
        self, ref: str, *, is_session: bool = False, verify: bool = False, dry_run: bool = False
    ) -> tuple[PurgeResult, VerifyResult | None]:
        """Take a memory out of everything that memvault keeps, for good; then, with `verify`, prove that it is so.

        With `is_session` a conversation is named, and all that came out of it goes with it.
        """
        from memvault.privacy.purge.purge import purge

        return self.run(purge, ref, is_session=is_session, verify=verify, dry_run=dry_run)

    def import_memories(
        self,
        source: str,
        path: str | Path | None = None,
        *,
        as_mine: bool = False,
        attachments: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportResult:
        """Bring in a bundle, or what another program remembers; what is there already stays as it is."""
        from memvault.transfer.importers.import_memories import ImportOptions, ignore_progress, import_memories

        wish = ImportOptions(dry_run=dry_run, as_mine=as_mine, attachments=attachments)
        place = None if path is None else Path(path).expanduser()
        act = partial(import_memories, options=wish, progress=progress or ignore_progress)
        return self.run(lambda context: act(context, source, place, self.environment))

    def export(
        self,
        path: str | Path | None = None,
        *,
        format: str = "bundle",  # noqa: A002 - what a person would call it
        filters: Filters = NO_FILTERS,
        with_private: bool = False,
        force: bool = False,
    ) -> ExportResult:
        """Memories as one file, as bytes where no path is given; one that is there is written over by force alone."""
        from dataclasses import replace  # deferred, as the others are: few commands need them

        from memvault.transfer.exporters.export import export_memories

        done = self.run(
            lambda context: export_memories(context, format=format, filters=filters, with_private=with_private)
        )
        if path is not None:
            (files.overwrite_file if force else files.create_file)(Path(path).absolute(), done.data)
            done = replace(done, inside=files.is_inside(self.root, Path(path).absolute()))
        return done


# One vault on several machines: over git, whose merges ask us.


class SyncMethods(OpenVault):
    """What keeps this machine's copy of the vault and the others' alike."""

    def sync_init(self, *, remote: str = "", dry_run: bool = False) -> SyncSetupResult:
        """Tell git how memories are merged and what stays here, and whom to sync with."""
        from memvault.sync.setup import init_sync

        return self.run(init_sync, remote=remote, dry_run=dry_run)

    def sync_run(self, *, push: bool = True, dry_run: bool = False) -> SyncResult:
        """Commit what changed here, merge what changed elsewhere, and hand ours on."""
        from memvault.sync.sync import run_sync

        return self.run(run_sync, push=push, dry_run=dry_run)

    def sync_status(self) -> SyncStatus:
        """Return how this machine's copy stands with the others', without asking them."""
        from memvault.sync.setup import sync_status

        return self.run(sync_status)

    @classmethod
    def merge_for_git(
        cls, base: Path, ours: Path, theirs: Path, path: str, *, environment: Mapping[str, str] | None = None
    ) -> bool:
        """Merge two versions of a file where git wants it; False where that is for a person to do."""
        from memvault.storage.vault import vault_file as charter
        from memvault.sync.merge_driver import MergeContext, run_driver

        at = Path(path).absolute()
        root = charter.enclosing_vault(at)
        if root is None:
            return False
        variables = os.environ if environment is None else environment
        with cls(root, environment=variables) as vault:
            inside = vault._vault
            known = MergeContext(
                charter.read_vault_file(root).id,
                local_zone(),
                vault.settings.kinds,
                inside.place_of,
                lambda: inside.ledger.decisions().ids_by_path,
            )
        return run_driver(base, ours, theirs, root, at.relative_to(root).as_posix(), known)
