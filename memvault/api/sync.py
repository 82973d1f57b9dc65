"""Memories on their way out of a vault, and into it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.api.obeying import Obeying
from memvault.core.query import ANY, Filters
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.privacy.purge.purge import Purged
    from memvault.privacy.purge.verify import Verified
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
        unsaved = folders.state(self.environment) / "unsaved"
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
