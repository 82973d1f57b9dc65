"""What comes into a vault and goes out of it, a method each: conversations, other programs, other machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memvault.api import lazy
from memvault.core.query import NO_FILTERS, Filters
from memvault.open_vault import OpenVault, local_zone
from memvault.storage.vault import vault_file as charter
from memvault.system import files


class TransferMethods(OpenVault):
    """The methods about what lies outside a vault."""

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
        )
        return self.run(lazy.ingest.ingest, options, progress=progress)

    def save_progress(
        self, text: str = "", *, session: str = "", transcript: str | Path = "", dry_run: bool = False
    ) -> lazy.progress.ProgressResult:
        """Keep what came of a session as a milestone, or bring that up to date; a transcript is taken in first."""
        return self.run(lazy.progress.save_progress, text, session=session, transcript=transcript, dry_run=dry_run)

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
        attachments: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> lazy.import_memories.ImportResult:
        """Bring in a bundle, or what another program remembers; what is there already stays as it is."""
        options = lazy.import_memories.ImportOptions(dry_run=dry_run, as_mine=as_mine, attachments=attachments)
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
