"""What was forgotten for good elsewhere, or by a process that was killed, taken out here too: by its marks alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN, Erase
from memvault.core.secrets.screens import normal
from memvault.errors import MemvaultError
from memvault.memories.remember import read_at
from memvault.privacy.purge import blocks, kept, notes, quiet
from memvault.privacy.purge import records as lines
from memvault.privacy.purge import transcripts as talks
from memvault.storage.census import let_go_of_records
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench
from memvault.system import files
from memvault.transcripts.search import archive

_MOST_KNOWN = 20_000


def is_due(bench: Bench) -> bool:
    """Whether something was marked as purged since this machine last took out what is marked."""
    if bench.state is None:
        return False
    standing = tombstones.standing_purges(bench)
    is_new = bool(standing) and _obeyed(bench.state) != _fingerprint(standing)
    return is_new or tombstones.is_to_go(bench) is not None


def obey(bench: Bench) -> None:
    """Take what is marked out of all that this machine keeps.

    Notes are for people to change: only those go that a person named, and a purge that was killed left.
    """
    eraser = tombstones.eraser_of(bench.vault.ledger)  # what cannot be read now is obeyed when it can be
    if eraser is None:
        return
    is_purged = tombstones.is_purged(bench)
    erase = lru_cache(_MOST_KNOWN)(eraser)  # records say the same again and again
    with bench.vault.locked():
        quiet.about_known(bench.state, is_purged)
        kept.obeyed(bench, eraser)
        talks.obeyed(bench, archive(bench), eraser)
        for path in (*lines.records(bench), *lines.logs(bench.state)):
            lines.obeyed(path, erase, is_purged)
        let_go_of_records(bench)
        for thrown in _thrown(bench, eraser, is_purged):
            files.remove(bench.vault.root / thrown)
        notes.finish(bench)


def note(bench: Bench) -> None:
    """Put down that all that is marked by now is taken out here."""
    if bench.state is not None:
        files.make_folder(bench.state)
        files.overwrite(bench.state / tombstones.OBEYED, _fingerprint(tombstones.standing_purges(bench)))


def renew(bench: Bench) -> None:
    """Write every block anew, as by marks alone nobody knows which shows it; what they were is kept for undo no more.

    One that cannot be written stops nothing: `claude-md` says what is wrong with it.
    """
    blocks.all_renewed(bench)
    if eraser := tombstones.eraser_of(bench.vault.ledger):
        kept.obeyed(bench, eraser)


def _thrown(bench: Bench, eraser: Erase, is_purged: lines.IsPurged) -> Iterator[str]:
    """What lies in the trash of it; of notes without an id what says nothing else."""
    for path in bench.vault.trash():
        memory = read_at(bench, path)
        if memory and (is_purged(memory.id) if memory.id else _says_no_more(memory.body or "", eraser)):
            yield path


def _says_no_more(text: str, eraser: Erase) -> bool:
    return bool(text.strip()) and not normal(eraser(text).replace(FORGOTTEN, ""))


def _obeyed(state: Path) -> bytes:
    try:
        return files.read(state / tombstones.OBEYED)
    except (MemvaultError, FileNotFoundError):
        return b""


def _fingerprint(standing: Iterable[str]) -> bytes:
    return files.digest(json.dumps(sorted(standing)).encode()).encode()
