"""How the doctor verifies files: with the keys that are at hand, and telling how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError, NotOpened
from memvault.maintenance.doctor import VerifyOptions
from memvault.storage.journal.apply import Progress, no_progress
from memvault.system import age, paths
from memvault.system.age import PrivateKeys

if TYPE_CHECKING:
    from memvault.maintenance.doctor.verify import OpenSealed

_NO_LONGER = "it does not open with the key to which it was sealed"


def verify_options(environment: Mapping[str, str], progress: Progress | None, *, accept: bool) -> VerifyOptions:
    """Return what verifying needs of this machine."""
    return VerifyOptions(opens=_make_opener(environment), progress=progress or no_progress, accept=accept)


def _make_opener(environment: Mapping[str, str]) -> OpenSealed:
    """Opens private memories and sealed originals; nothing of them is kept."""
    keys = PrivateKeys(paths.config_folder(environment))

    def find_trouble(path: str, data: bytes) -> str:
        try:
            if age.is_installed() and keys.own_identities:
                keys.unseal_bytes(data, path=path)
        except NotOpened as error:
            # What is not sealed to a key of ours is another's, and may be whole.
            return _NO_LONGER if error.data["reason"] == age.DAMAGED else ""
        except MemvaultError:
            return ""  # a key that cannot be read is reported by another look
        return ""

    return find_trouble
