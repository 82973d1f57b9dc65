"""How the doctor verifies files: with the keys that are at hand, and telling how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError, NotOpened
from memvault.maintenance.doctor import VerifyOptions
from memvault.privacy.private.store import ENDING
from memvault.storage.journal.apply import Progress, no_progress
from memvault.system import age, paths
from memvault.system.age import Keyring

if TYPE_CHECKING:
    from memvault.maintenance.doctor.verify import OpenSealed

_NO_LONGER = "it does not open with the key to which it was sealed"
_DAMAGED = "it is damaged"  # what is not sealed to a key of ours is another's, and may be whole


def verify_options(environment: Mapping[str, str], progress: Progress | None, *, accept: bool) -> VerifyOptions:
    """Return what verifying needs of this machine."""
    return VerifyOptions(opens=_make_opener(environment), progress=progress or no_progress, accept=accept)


def _make_opener(environment: Mapping[str, str]) -> OpenSealed:
    """Opens private memories and sealed originals, each with the keys for them; nothing of them is kept."""
    from memvault.api.change import load_private_keys

    def find_keys(path: str) -> tuple[str, ...]:
        if path.endswith(ENDING):
            return load_private_keys(environment).own_identities
        ring = Keyring(paths.config_folder(environment))
        return ring.read_identities() if ring.key_path.exists() else ()

    def find_trouble(path: str, data: bytes) -> str:
        try:
            own = find_keys(path) if age.is_installed() else ()
            if own:
                age.unseal_bytes(data, own, path=path, key="")
        except NotOpened as error:
            return _NO_LONGER if error.data["reason"] == _DAMAGED else ""
        except MemvaultError:
            return ""  # a key that cannot be read is reported by another look
        return ""

    return find_trouble
