"""What was forgotten for good on another machine, forgotten on this one, too."""

from __future__ import annotations

from pathlib import Path

from memvault.open_vault import Hall
from memvault.system import files
from memvault.system import paths as folders


class Obeying(Hall):
    """What every call asks for that meets what other machines did."""

    def _obey(self) -> None:
        """Take out of all that this machine keeps what is marked as purged; nothing where that was done."""
        from memvault.privacy.purge import obeying  # deferred: in most vaults nothing was ever purged

        if self._at_bench(obeying.is_due):
            self._at_bench(obeying.obey)
            self._throw_derived_away()
            self._at_bench(obeying.renew)
            self._at_bench(obeying.note)

    def _throw_derived_away(self) -> None:
        """What is derived is made again of what is left: a database that lets go of a row may keep its bytes."""
        from memvault.storage.index.index import discard

        with files.plainly(self.root):
            self.throw_catalogue_away(discard)
            self.throw_talks_away(discard)
            for folder in self._derived():
                discard(folder)

    def _derived(self) -> tuple[Path, ...]:
        """Whatever this machine has made of the vault: catalogues, also those set aside, and reports."""
        cache, own = folders.cache(self.environment), self._vault.charter.id
        names = (("vaults", f"{own}-*"), ("talks", f"{own}-*"), ("reports", own[:8]))
        return tuple(path for kind, name in names for path in sorted((cache / kind).glob(name)))
