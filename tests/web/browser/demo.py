"""A vault as one person might have it after some months: for pictures, and for tests that want a bit of everything."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memvault.api import Memvault
from memvault.context.injection_log import InjectionRecord, append_record

NOW = datetime(2026, 5, 12, 8, 40, tzinfo=UTC)
SESSION = "5f0c1234-8a1b-4c7e-9d20-6a7b8c9d0e1f"

MEMORIES: tuple[tuple[int, str, Mapping[str, object]], ...] = (
    (96, "Releases of the portal need two reviewers: Ilse and one from operations.", {"tags": ["portal", "release"]}),
    (90, "Ilse Brandt leads operations; she is in the office on Tuesdays and Thursdays.", {"people": ["Ilse Brandt"]}),
    (
        82,
        "We decided to keep the events table in PostgreSQL and not to move it to ClickHouse: the nightly report takes four minutes, and nobody waits for it.",
        {"tags": ["decision", "database"]},
    ),
    (75, "I am allergic to walnuts.", {"tags": ["health"], "pin": True, "significant": True}),
    (61, "The staging server is harbour-2; harbour-1 was switched off in March.", {"tags": ["servers"]}),
    (
        55,
        "How we deploy the portal:\n\n1. Merge into `release`.\n2. Wait for the two reviews.\n3. `make ship` on harbour-2.\n4. Watch the error rate for ten minutes.\n\nIf it rises above 2 %, `make back` and tell Ilse.",
        {"title": "Deploy the portal", "kind": "procedural", "tags": ["portal", "deploy"]},
    ),
    (44, "Sara prefers tea over coffee in the morning.", {"people": ["Sara Uy"]}),
    (
        31,
        "The invoice export breaks on names with an apostrophe; the test `test_export_names` shows it.",
        {"tags": ["gotcha", "invoices"]},
    ),
    (24, "From now on, all new services log in JSON, one line an event.", {"tags": ["decision", "logging"]}),
    (17, "My sister Maren lives in Lisbon since 2023.", {"people": ["Maren"]}),
    (9, "The contract with the hosting company ends on 2026-09-30.", {"tags": ["hosting"]}),
    (
        6,
        "Ask operations whether harbour-2 can be upgraded to Debian 13.",
        {"kind": "prospective", "more": {"due": "2026-05-11T09:00:00Z"}},
    ),
    (
        5,
        "Renew the certificate of the portal.",
        {"kind": "prospective", "more": {"due": "2026-05-29T09:00:00Z"}, "tags": ["portal"]},
    ),
    (2, "Dark roast from the roastery in Elm Street is the coffee for guests.", {"tags": ["kitchen"]}),
)


def make_demo(root: Path, environment: Mapping[str, str]) -> Memvault:
    """Make the vault, and open it at its moment: with conversations, injections, an edit and a day's maintenance."""
    moment = [NOW]
    Memvault.init(root, environment=environment, clock=lambda: moment[0])

    def open_(agent: str = "") -> Memvault:
        return Memvault(root, environment=environment, clock=lambda: moment[0], zone=UTC, agent=agent)

    ids = _remember_all(open_, moment)
    moment[0] = NOW - timedelta(days=1)
    with open_() as vault:
        text = vault.source(ids[4])[0].body or ""
        vault.edit(ids[4], body=text.replace("March", "April"))
        vault.link(ids[5], ids[0])
    _ingest(root, open_)
    with open_() as vault:
        rows = (
            ("SessionStart", 50, (ids[3], ids[2]), {ids[3]: "always true of you", ids[2]: "of this project"}, 210),
            ("UserPromptSubmit", 30, (ids[0], ids[5]), {ids[0]: "similarity 0.71", ids[5]: "its trigger was said"}, 96),
            ("UserPromptSubmit", 12, (ids[6],), {ids[6]: "similarity 0.52"}, 40),
        )
        for event, minutes, given, why, tokens in rows:
            at = NOW - timedelta(minutes=minutes)
            append_record(
                vault.state_folder,
                InjectionRecord(
                    at=at,
                    session=SESSION,
                    agent="claude-code",
                    event=event,
                    project="portal",
                    ids=given,
                    why=why,
                    tokens=tokens,
                ),
            )
        vault.maintain()
    return Memvault(root, environment=environment, clock=lambda: NOW, zone=UTC)


def _remember_all(open_: Callable[..., Memvault], moment: list[datetime]) -> list[str]:
    ids = []
    for days, text, given in MEMORIES:
        moment[0] = NOW - timedelta(days=days)
        with open_() as vault:
            ids.append(vault.remember(text, near="ignore", **given).memory.id)  # type: ignore[arg-type]
            for other in ids[:: max(1, days // 9)]:
                vault.show(other)
    moment[0] = NOW - timedelta(days=1)
    with open_("claude-code") as vault:
        page = "The portal's new reviewers are listed on the wiki page about releases."
        vault.remember(page, source="web", near="ignore")
    return ids


def _ingest(root: Path, open_: Callable[..., Memvault]) -> None:
    said = (
        ("user", "Can you look at why the invoice export fails for O'Brien?"),
        ("assistant", "The export quotes names with apostrophes twice. `write_row` escapes, and so does the driver."),
        ("user", "Good. From now on we only escape in the driver."),
        ("assistant", "Done: `write_row` no longer escapes, and `test_export_names` passes."),
        ("user", "Now the servers. Which one is staging at the moment?"),
        ("assistant", "harbour-2. harbour-1 was switched off."),
        ("user", "Right. Remind me to ask operations about Debian 13."),
        ("assistant", "I will: ask operations whether harbour-2 can be upgraded to Debian 13."),
    )
    rows = [
        {
            "type": speaker,
            "uuid": f"turn-{number}",
            "sessionId": SESSION,
            "cwd": "/home/me/portal",
            "timestamp": (NOW - timedelta(hours=20, minutes=-number)).isoformat(),
            "message": {"role": speaker, "content": text},
        }
        for number, (speaker, text) in enumerate(said)
    ]
    place = root.parent / f"{SESSION}.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with open_() as vault:
        vault.ingest([place], learn=True)
    place.unlink()
