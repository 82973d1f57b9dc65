"""Whether reminders come up when they should, and only then: told in a prompt or in a transcript that is read later."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.agents.hooks.session import inject_session
from memvault.agents.spoken.execute import SpokenContext, say
from memvault.agents.spoken.obey_turn import obey_turn
from memvault.errors import NoIntent
from memvault.memories.open_items import list_reminders
from memvault.open_vault import OpenVault
from memvault.transcripts.ingest import IngestOptions, ingest

Row = Mapping[str, Any]
_PROJECT = "folder:elsewhere"


class _Day:
    """A clock that shows what it is set to."""

    now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def measure(half: Path) -> dict[str, str]:
    """Return how many reminders of each sort come up rightly: at every moment at which they should, and at no other."""
    right, known, checks = Counter[str](), Counter[str](), Counter[bool]()
    moments = Counter[tuple[bool, bool]]()
    for row in (json.loads(line) for line in (half / "reminders.jsonl").read_text(encoding="utf-8").splitlines()):
        found = check_reminder(row)
        moments.update(zip((each["shown"] for each in row["checks"]), found, strict=True))
        known[row["sort"]] += 1
        right[row["sort"]] += all(found)
        checks.update(found)
    whole = sum(right[sort] == known[sort] for sort in known)
    return {
        "reminders: sorts that come up rightly (12)": f"{whole} of {len(known)}",
        "reminders: come up rightly": f"{sum(right.values())} of {sum(known.values())}",
        "reminders: moments judged rightly": f"{checks[True]} of {checks.total()}",
        "reminders: missing where they should be": f"{moments[True, False]} of {moments[True, True] + moments[True, False]}",
        "reminders: there where they should not be": f"{moments[False, False]} of {moments[False, True] + moments[False, False]}",
        **{f"reminders: {sort}": f"{right[sort]} of {known[sort]}" for sort in sorted(known)},
    }


def check_reminder(row: Row) -> list[bool]:
    """Return for each moment of a row whether the reminder was given, or not given, as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        clock = _Day()
        home = Path(folder)
        environment = {"HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "XDG_CACHE_HOME": f"{folder}/cache"}
        clock.now = _moment(row["said_at"])
        Memvault.init(home / "vault")
        with OpenVault(home / "vault", clock=clock, zone=UTC, environment=environment, agent="claude-code") as vault:
            _tell(vault, row, home, clock)
            return [_is_shown(vault, each, clock) == each["shown"] for each in row["checks"]]


def _tell(vault: OpenVault, row: Row, home: Path, clock: _Day) -> None:
    """Say it in a prompt as the hook hears it; what is no command there, or is read late, is read in a transcript."""
    if "read_at" not in row:
        try:
            vault.run(say, row["said"], SpokenContext(by_person=True))
        except NoIntent:
            pass
        else:
            return
    told = {"type": "user", "uuid": "u1", "sessionId": "s0", "timestamp": f"{row['said_at']}:00Z", "cwd": str(home)}
    path = home / ".claude" / "projects" / "-home" / "s0.jsonl"
    path.parent.mkdir(parents=True)
    answer = {**told, "type": "assistant", "uuid": "u2", "parentUuid": "u1"}
    lines = (
        {**told, "message": {"role": "user", "content": row["said"]}},
        {**answer, "message": {"role": "assistant", "content": [{"type": "text", "text": "All right."}]}},
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    clock.now = _moment(row.get("read_at", row["said_at"]))
    vault.run(ingest, IngestOptions(paths=(path,), obey=obey_turn))


def _is_shown(vault: OpenVault, check: Row, clock: _Day) -> bool:
    """Return whether the reminder is in what a session, begun anew for each moment, is given."""
    clock.now = _moment(check["at"])
    session = f"s{check['at']}"
    if check["event"] == "session_start":
        found = inject_session(vault, event="SessionStart", session=session, project=_PROJECT, source="startup")
    else:
        found = inject_prompt(vault, check["prompt"], event="UserPromptSubmit", session=session, project=_PROJECT)
    return any(reminder.key in found.text for reminder in vault.run(list_reminders))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
