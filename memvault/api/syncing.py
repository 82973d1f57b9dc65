"""One vault on several machines: over git, whose merges ask us."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memvault import files
from memvault.api.hall import local_zone
from memvault.api.obeying import Obeying

if TYPE_CHECKING:
    from memvault.verbs.bench import Bench
    from memvault.verbs.sync.ground import Tree
    from memvault.verbs.sync.running import Synced
    from memvault.verbs.sync.setting_up import SetUp
    from memvault.verbs.sync.status import Standing


class Syncing(Obeying):
    """What keeps this machine's copy of the vault and the others' alike."""

    def sync_init(self, *, remote: str = "", dry_run: bool = False) -> SetUp:
        """Tell git how memories are merged and what stays here, and whom to sync with."""
        from memvault.api.ground import own_command
        from memvault.host.git import Git
        from memvault.verbs.sync.setting_up import init

        with files.plainly(self.root):
            files.check_write(self.root / ".git")  # git itself follows a link there
            git, program = Git(self.root, self.environment), own_command(self.environment)
        return self._at_bench(lambda bench: init(bench, git, program, remote=remote, dry_run=dry_run))

    def sync_run(self, *, push: bool = True, dry_run: bool = False) -> Synced:
        """Commit what changed here, merge what changed elsewhere, and hand ours on."""
        from memvault.verbs.sync.running import run

        done = self._at_bench(lambda bench: run(self._tree(bench), push=push, dry_run=dry_run))
        if not dry_run:
            self._obey()
        return done

    def sync_status(self) -> Standing:
        """How this machine's copy stands with the others', without asking them."""
        from memvault.verbs.sync.status import standing

        return self._at_bench(lambda bench: standing(self._tree(bench)))

    @classmethod
    def merge_for_git(
        cls, base: Path, ours: Path, theirs: Path, path: str, *, environment: Mapping[str, str] | None = None
    ) -> bool:
        """Merge two versions of a file where git wants it; False where that is for a person to do."""
        from memvault.vault import charter
        from memvault.verbs.sync.driver import Known, merge_files

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
        from memvault.host.git import Git
        from memvault.verbs.sync.ground import Tree

        files.check_write(self.root / ".git")  # git itself follows a link there
        return Tree.of(bench, Git(self.root, self.environment))
