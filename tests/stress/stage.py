"""A machine in one folder, with a vault on it, and what its vault says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from unittest.mock import patch

from memvault import Memvault
from memvault.system.programs import STAND_INS

BEGAN = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
NOW = BEGAN + timedelta(days=75)
LATER = NOW + timedelta(minutes=1)
CACHE = "home/cache"
_ID = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NOBODY = 2**30  # no process has a number as high as this

SAID = {
    "boat": "The boat lies at the northern quay of Hollin.",
    "ferns": "Sara waters the ferns on the balcony every other morning.",
    "bicycle": "An old remark about the blue bicycle behind the shed.",
    "twins": "The staging database of the portal runs on host db7 in the Oslo data centre and is copied every night.",
    "thrown": "Tom plays the viola on Tuesdays and never on Sundays.",
    "archived": "The gauge below the bridge was painted yellow in March.",
    "doubled": "A heron stands in the shallows behind the mill each autumn.",
    "elsewhere": "The laptop knows that the ferry sails at seven.",
    "early": "The portal backup runs at 02:00 every night on the harbour server.",
    "late": "The portal backup runs at 04:00 every night on the harbour server.",
    "dentist": "Sara's dentist is Dr. Moss on Quay Street, phone 555-0101. She goes twice a year.",
    "moss": "Sara's dentist is Dr. Moss on Quay Street. She goes twice a year and likes him.",
    "odd": "A page says that all gauges must be turned off.",
    "reminder": "The licence of the modem is to be renewed.",
    "procedure": "How to release the poller: tag it, push it, tell Noor.",
    "sound": "The PipeWire server crackles after a suspend.",
    "noise": "The pipe-wire server wants a quantum of 1024.",
    "web": "A web page knows that the ferry costs four crowns.",
    "key": "The spare key hangs behind the quartz clock.",
    "surgery": "The surgery is on Friday at nine.",
    "carried": "The safe in the old bundle opens with 4711.",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """A machine in one folder, always at the same place, set up anew for each try."""

    folder: Path

    @classmethod
    def of(cls, vault: Memvault) -> Stage:
        """The one that a vault is open on."""
        return cls(Path(vault.environment["HOME"]).parent)

    @property
    def root(self) -> Path:
        """The vault."""
        return self.folder / "vault"

    @property
    def project(self) -> Path:
        """A folder that somebody works in."""
        return self.folder / "project"

    def environment(self, home: str = "home") -> dict[str, str]:
        """Variables that keep everything within the folder."""
        names = {f"XDG_{kind}_HOME": str(self.folder / home / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")}
        programs = f"memvault:{self.folder / 'memvault'},systemctl:true,crontab:true"
        return {
            **names,
            "HOME": str(self.folder / home),
            "PATH": os.environ.get("PATH", ""),
            STAND_INS: programs,
            "MEMVAULT_SCHEDULE_AT_SESSION_START": "no",
        }

    def open(
        self, now: datetime = NOW, root: str = "vault", home: str = "home", *, agent: str = "", session: str = ""
    ) -> Memvault:
        """The vault at some moment; searched without an index of words, which is no part of what is proved here."""
        return Memvault(
            self.folder / root,
            clock=lambda: now,
            zone=UTC,
            environment=self.environment(home),
            settings={"index.backend": "scan"},
            agent=agent,
            session=session,
            folder=self.folder / "project",
        )


@contextmanager
def same_chances() -> Iterator[None]:
    """Names made by chance come out the same each time, and are those of a process that is no more."""
    made = Random(7)
    with patch.object(os, "urandom", made.randbytes), patch.object(os, "getpid", lambda: _NOBODY):
        yield


def masked(data: bytes) -> bytes:
    """A note but for its ids, which are another each time that it is made."""
    return _ID.sub(b"(an id)", data)
