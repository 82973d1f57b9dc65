"""Memories on their way out of a vault, and into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.api.context import Obeying
from memvault.core.query import ANY, Filters
from memvault.open_vault import local_zone
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.privacy.purge.purge import Purged
    from memvault.privacy.purge.verify import Verified
    from memvault.storage.vault.context import Bench
    from memvault.sync.repository import Tree
    from memvault.sync.run import Synced
    from memvault.sync.setup import SetUp, Standing
    from memvault.system.git import Git
    from memvault.transfer.exporters.run import Exported
    from memvault.transfer.importers.run import Imported


class Moving(Obeying):
    """What carries memories from vault to vault, and from program to program; and out of all of them."""

    def purge(
        self, ref: str, *, is_session: bool = False, verify: bool = False, dry_run: bool = False
    ) -> tuple[Purged, Verified | None]:
        """Take a memory out of everything that memvault keeps, for good; then, with `verify`, prove that it is so.

        With `is_session` a conversation is named, and all that came out of it goes with it.
        """
        from dataclasses import replace  # deferred: it takes a start 10 ms to load

        from memvault.privacy.purge.purge import finish, purge
        from memvault.privacy.purge.verify import verify as look
        from memvault.system import files

        state = self.state_folder
        act = partial(purge, ref=ref, state=state, is_session=is_session, dry_run=dry_run)
        done, subject = self._at_bench(act)
        if dry_run:
            return done, None
        self._throw_derived_away()
        done = replace(done, blocks=self._at_bench(lambda bench: finish(bench, subject)))
        if not verify:
            return done, None
        # What could not be saved from an editor is no vault's: it lies beside what is known of them all.
        unsaved = paths.state(self.environment) / "unsaved"
        with files.plainly(self.root):
            places, git = (state, unsaved, *self._derived()), self._git()
        return done, self._at_bench(lambda bench: look(bench, subject, places=places, git=git, left=done.left))

    def _git(self) -> Git | None:
        from memvault.system import files
        from memvault.system.git import Git, is_work_tree

        is_ours = is_work_tree(self.root) and not files.exit_on(self.root / ".git")
        return Git(self.root, self.environment) if is_ours else None

    def bring_in(
        self,
        source: str,
        path: str | Path | None = None,
        *,
        as_mine: bool = False,
        attachments: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Bring in a bundle, or what another program remembers; what is there already stays as it is."""
        from memvault.transfer.importers.run import Wish, bring_in, unseen

        wish = Wish(dry_run=dry_run, as_mine=as_mine, attachments=attachments)
        place = None if path is None else Path(path).expanduser()
        act = partial(bring_in, wish=wish, progress=progress or unseen)
        return self._at_bench(lambda bench: act(bench, source, place, self.environment))

    def export(
        self,
        path: str | Path | None = None,
        *,
        format: str = "bundle",  # noqa: A002 - what a person would call it
        filters: Filters = ANY,
        with_private: bool = False,
        force: bool = False,
    ) -> Exported:
        """Memories as one file, as bytes where no path is given; one that is there is written over by force alone."""
        from dataclasses import replace  # deferred, as the others are: few commands need them

        from memvault.system import files
        from memvault.transfer.exporters.run import export

        done = self._at_bench(lambda bench: export(bench, format=format, filters=filters, with_private=with_private))
        if path is not None:
            (files.overwrite if force else files.create)(Path(path).absolute(), done.data)
            done = replace(done, inside=files.inside(self.root, Path(path).absolute()))
        return done


# One vault on several machines: over git, whose merges ask us.


class Syncing(Obeying):
    """What keeps this machine's copy of the vault and the others' alike."""

    def sync_init(self, *, remote: str = "", dry_run: bool = False) -> SetUp:
        """Tell git how memories are merged and what stays here, and whom to sync with."""
        from memvault.agents.setup.ground import own_command
        from memvault.sync.setup import init
        from memvault.system.git import Git

        with files.plainly(self.root):
            files.check_write(self.root / ".git")  # git itself follows a link there
            git, program = Git(self.root, self.environment), own_command(self.environment)
        return self._at_bench(lambda bench: init(bench, git, program, remote=remote, dry_run=dry_run))

    def sync_run(self, *, push: bool = True, dry_run: bool = False) -> Synced:
        """Commit what changed here, merge what changed elsewhere, and hand ours on."""
        from memvault.sync.run import run

        done = self._at_bench(lambda bench: run(self._tree(bench), push=push, dry_run=dry_run))
        if not dry_run:
            self._obey()
        return done

    def sync_status(self) -> Standing:
        """How this machine's copy stands with the others', without asking them."""
        from memvault.sync.setup import standing

        return self._at_bench(lambda bench: standing(self._tree(bench)))

    @classmethod
    def merge_for_git(
        cls, base: Path, ours: Path, theirs: Path, path: str, *, environment: Mapping[str, str] | None = None
    ) -> bool:
        """Merge two versions of a file where git wants it; False where that is for a person to do."""
        from memvault.storage.vault import vault_file as charter
        from memvault.sync.merge_driver import Known, merge_files

        at = Path(path).absolute()
        root = charter.enclosing(at)
        if root is None:
            return False
        variables = os.environ if environment is None else environment
        with cls(root, environment=variables) as vault:
            inside = vault._vault
            known = Known(
                charter.read(root).id,
                local_zone(),
                vault.settings.kinds,
                inside.place,
                lambda: inside.ledger.decisions().ids_by_path,
            )
        return merge_files(base, ours, theirs, root, at.relative_to(root).as_posix(), known)

    def _tree(self, bench: Bench) -> Tree:
        from memvault.sync.repository import Tree
        from memvault.system.git import Git

        files.check_write(self.root / ".git")  # git itself follows a link there
        return Tree.of(bench, Git(self.root, self.environment))
