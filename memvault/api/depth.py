"""How the doctor looks deep: with the keys that are at hand, and telling how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError, NotOpened
from memvault.maintenance.doctor import Deeper
from memvault.privacy.private import age
from memvault.privacy.private.age import Keyring
from memvault.privacy.private.store import ENDING
from memvault.storage.journal.apply import Progress, unseen
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.maintenance.doctor.deep import Opens

_NO_LONGER = "it does not open with the key to which it was sealed"
_DAMAGED = "it is damaged"  # what is not sealed to a key of ours is another's, and may be whole


def deeper(environment: Mapping[str, str], progress: Progress | None, *, accept: bool) -> Deeper:
    """What a deep look needs of this machine."""
    return Deeper(opens=_opener(environment), progress=progress or unseen, accept=accept)


def _opener(environment: Mapping[str, str]) -> Opens:
    """Opens private memories and sealed originals, each with the keys for them; nothing of them is kept."""
    from memvault.api.change import keys_of

    def identities(path: str) -> tuple[str, ...]:
        if path.endswith(ENDING):
            return keys_of(environment).own
        ring = Keyring(paths.config(environment))
        return ring.identities() if ring.key.exists() else ()

    def trouble(path: str, data: bytes) -> str:
        try:
            own = identities(path) if age.is_installed() else ()
            if own:
                age.unseal(data, own, path=path, key="")
        except NotOpened as error:
            return _NO_LONGER if error.data["reason"] == _DAMAGED else ""
        except MemvaultError:
            return ""  # a key that cannot be read is told of by another look
        return ""

    return trouble
