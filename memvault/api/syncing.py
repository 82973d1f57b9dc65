"""One vault on several machines: over git, whose merges ask us."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.api.obeying import Obeying
from memvault.open_vault import local_zone
from memvault.system import files

if TYPE_CHECKING:
    from memvault.storage.vault.context import Bench
    from memvault.sync.repository import Tree
    from memvault.sync.run import Synced
    from memvault.sync.setup import SetUp
    from memvault.sync.status import Standing


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
        from memvault.sync.status import standing

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
