"""The recent exchanges with agents, in a short log on this machine: what a new session picks up from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from memvault.core.secrets.private_spans import strip_private
from memvault.errors import MemvaultError
from memvault.storage.pauses import read_pauses
from memvault.system import files

# One exchange between a person and an agent, in short: what was asked, what was answered, which files it was about.


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What was asked and answered at a time; both are cut, without secrets and without private spans."""

    at: datetime
    session: str = ""
    project: str = ""
    asked: str = ""
    answered: str = ""
    files: tuple[str, ...] = ()  # those that the agent wrote to meanwhile, as seen from the project's folder
    did: tuple[str, ...] = ()  # what else it did, in our own few words: "ran tests: failed"


_FILE, _BEFORE, _LOCK = "interactions.jsonl", "interactions.old.jsonl", "interactions.lock"
_FULL = 200_000  # bytes: then the log is put aside, and the one put aside before goes
_ASKED, _ANSWERED, _PATH, _FILES = 300, 500, 200, 20  # characters, and files, of one exchange
_LOOKED_AT = 8_000  # so much is searched for secrets before it is cut, which may hide what it was
_SAID = ("asked", "answered", "files", "did")
_WAIT_SECONDS = 2.0
_FEWEST_LETTERS = 12  # of a text to be looked for in others: a shorter one would take half the log along


def record_exchange(state: Path, interaction: Interaction) -> bool:
    """Put an exchange into the log, cut, and without secrets and private spans; whether it said anything new."""
    told = _as_record(interaction)
    if not any(told[name] for name in _SAID):
        return False
    path = state / _FILE
    with suppress(MemvaultError, OSError), files.lock(_ready_folder(state) / _LOCK, wait=_WAIT_SECONDS):
        before = next((_as_record(one) for one in _read_log(path) if one.session == interaction.session), {})
        if all(before.get(name) == told[name] for name in _SAID):
            return False
        files.append_line(path, _encode_line(told))
        if path.stat().st_size > _FULL:
            path.replace(state / _BEFORE)
        return True
    return False


def latest_exchanges(
    state: Path, *, project: str = "", since: datetime | None = None, limit: int = 5
) -> tuple[Interaction, ...]:
    """The last exchanges of a project, or of all where none is named, the newest first; all where `limit` is 0."""
    # "Do not remember this conversation" is meant of all of it, whenever it is said.
    off = {
        quiet.scope.name.casefold() for quiet in read_pauses(state) if quiet.scope.of == "session" and not quiet.until
    }
    found: list[Interaction] = []
    for one in (one for name in (_FILE, _BEFORE) for one in _read_log(state / name)):
        is_meant = not project or one.project.casefold() == project.casefold()
        is_late = since is None or one.at >= since
        if is_meant and is_late and one.session.casefold() not in off:
            found.append(one)
            if len(found) == limit:
                break
    return tuple(found)


def purge_exchanges(state: Path, *, texts: Iterable[str] = (), session: str = "") -> int:
    """Take out every exchange of a session, and every one that says one of some texts; gives how many there were."""
    wanted = [folded for text in texts for folded in _text_forms(text) if len(folded) >= _FEWEST_LETTERS]
    gone = 0
    if not (wanted or session) or not state.is_dir():
        return gone
    with files.lock(state / _LOCK, wait=_WAIT_SECONDS):
        for name in (_FILE, _BEFORE):
            if (state / name).exists():
                gone += _purge_log(state / name, wanted, session)
    return gone


def _purge_log(path: Path, wanted: list[str], session: str) -> int:
    kept, gone = [], 0
    for one in reversed(list(_read_log(path))):
        if (session and one.session == session) or _says_any(one, wanted):
            gone += 1
        else:
            kept.append(_encode_line(_as_record(one)))
    if gone:
        files.overwrite_file(path, b"".join(kept))
    return gone


def _says_any(one: Interaction, wanted: list[str]) -> bool:
    """Whether an exchange says a text, or what is left of the exchange is a part of it."""
    said = [_fold_text(text.removesuffix("…")) for text in (one.asked, one.answered)]
    whole = " ".join(said)
    return any(text in whole or any(len(part) >= _FEWEST_LETTERS and part in text for part in said) for text in wanted)


def _text_forms(text: str) -> tuple[str, ...]:
    """A text as it may have been said, and as it would stand in the log."""
    from memvault.core.secrets.scan import redact_secrets  # deferred: whoever only reads the log has no use for it

    return tuple(dict.fromkeys((_fold_text(text), _fold_text(redact_secrets(strip_private(text))))))


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold()


# -- lines


def _ready_folder(state: Path) -> Path:
    files.make_folder(state)
    return state


def _as_record(one: Interaction) -> dict[str, Any]:
    return {
        "t": one.at.isoformat(),
        "session": one.session,
        "project": one.project,
        "asked": _shorten(one.asked, _ASKED),
        "answered": _shorten(one.answered, _ANSWERED),
        "files": [_shorten(name, _PATH) for name in one.files[:_FILES]],
        "did": [_shorten(deed, _PATH) for deed in one.did[:_FILES]],
    }


def _shorten(text: str, most: int) -> str:
    """A text on one line, fit to be kept."""
    from memvault.core.secrets.scan import redact_secrets  # deferred: whoever only reads the log has no use for it

    line = " ".join(redact_secrets(strip_private(text)[:_LOOKED_AT]).split())
    fit = line.encode(errors="replace").decode()  # halves of letters are in no file
    return fit if len(fit) <= most else f"{fit[: most - 1].rstrip()}…"


def _encode_line(told: dict[str, Any]) -> bytes:
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


def _read_log(path: Path) -> Iterator[Interaction]:
    """The exchanges in a log, the newest first; a line that cannot be read is passed over."""
    if not path.exists():
        return
    with suppress(MemvaultError):
        for line in reversed(files.read_file(path).splitlines()):
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                yield _parse_line(line)


@lru_cache(maxsize=1_024)  # who stays reads the same rows at every event
def _parse_line(line: bytes) -> Interaction:
    told = json.loads(line)
    return Interaction(
        at=datetime.fromisoformat(str(told["t"])),
        session=str(told["session"]),
        project=str(told["project"]),
        asked=str(told["asked"]),
        answered=str(told["answered"]),
        files=tuple(map(str, told["files"])),
        did=tuple(map(str, told["did"])),
    )
