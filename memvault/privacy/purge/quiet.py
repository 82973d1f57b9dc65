"""Sessions that were forgotten for good and may go on all the same: nothing that is noted of them names them again."""

from __future__ import annotations

import re
from pathlib import Path

from memvault.privacy.purge.records import IsPurged, logs
from memvault.storage import incognito
from memvault.system import files

_NAMED = re.compile(rb'"session": ?"([^"\\]{1,200})"')


def about_known(state: Path | None, is_purged: IsPurged) -> None:
    """Let those have no name here any more that the logs of this machine name, and another forgot for good."""
    for path in logs(state) if state else ():
        for session in {found[1].decode(errors="replace") for found in _NAMED.finditer(files.read(path))}:
            if state and is_purged(session):
                incognito.keep(state, session, is_gone=True)
