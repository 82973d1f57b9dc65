"""Vaults that have been lived in, with something in them for each verb; laid once, and copied for each try."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Literal

from memvault import Memvault
from tests.stress.stage import BEGAN, SAID, Stage

Ground = Literal["alone", "synced", "busy"]

OLDER = b"an older bundle"
TALK = "11111111-2222-4333-8444-555555555555"
OTHER_MACHINE = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa"
_OWN_WORDS = "# Mine\n\nBe brief.\n"
_ODD = f"---\nid: 0dd0dd0d-0000-4000-8000-000000000001\ntitle: Odd\nsource: web\n---\n{SAID['odd']}\n"
_WEB = f"---\nid: 0dd0dd0d-0000-4000-8000-000000000002\ntitle: Ferry price\nsource: web\nsession: bad1\n---\n{SAID['web']}\n"


def lay(folder: Path, ground: Ground) -> Path:
    """Make a machine with a vault on it."""
    stage = Stage(folder)
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "bundle.zip").write_bytes(OLDER)
    stage.project.mkdir()
    Memvault.init(stage.root, clock=lambda: BEGAN)
    _remember(stage)
    _lay_outside(folder)
    _LAID[ground](stage)
    return folder


def _nothing(_stage: Stage) -> None:
    """For what is done in an ordinary vault."""


def _remember(stage: Stage) -> None:
    with stage.open(BEGAN) as vault:
        vault.remember(SAID["bicycle"], title="Bicycle", weight=0.3)
    with stage.open(BEGAN + timedelta(days=60)) as vault:
        for title in ("boat", "ferns"):
            vault.remember(SAID[title], title=title.title(), kind="semantic")
        for _ in range(2):
            vault.remember(SAID["twins"], title="Staging database", near="ignore")
        vault.remember(SAID["thrown"], title="Viola", kind="semantic")
        vault.remember(SAID["archived"], title="Gauge", kind="semantic")
        doubled = vault.remember(SAID["doubled"], title="Heron", kind="semantic").memory.path
    for day in range(61, 64):
        with stage.open(BEGAN + timedelta(days=day)) as vault:
            vault.show("Ferns")
    with stage.open(BEGAN + timedelta(days=64)) as vault:
        vault.forget("Viola")
        vault.move("Gauge", "archived")
        vault.pin("Ferns")
        ferns = vault.find("Ferns").path
    _damage(stage.root / doubled, stage.root / ferns)
    with stage.open() as vault:
        vault.refresh()


def _damage(heron: Path, ferns: Path) -> None:
    """Something for the doctor: copies that a syncing program left, one with other fields, one with another text."""
    for note, old, new in ((heron, "tags: []", "tags: [bird]"), (ferns, "every other morning", "every morning")):
        copy = note.with_name(f"{note.stem}.sync-conflict-20260130-093000-ABCDEF.md")
        copy.write_text(note.read_text().replace(old, new))


def _lay_outside(folder: Path) -> None:
    rows = (
        _turn("user", "I live in Hollin and my brother Aron repairs gauges for a living."),
        _turn("assistant", "Noted: Aron repairs gauges."),
        _turn("user", "Remember this: the spare modem lies in the green box."),
    )
    lines = [json.dumps({**row, "uuid": f"u{number}"}) + "\n" for number, row in enumerate(rows)]
    (folder / f"{TALK}.jsonl").write_text("".join(lines))
    (folder / "claude").mkdir()
    text = "---\nname: tabs\ndescription: Tabs\nmetadata:\n  type: feedback\n---\n\nNoor wants tabs in all code.\n"
    (folder / "claude" / "tabs.md").write_text(text)
    (folder / "claude" / "MEMORY.md").write_text("# Memory\n\n- [Tabs](tabs.md) - tabs\n")


def _turn(role: str, text: str) -> dict[str, object]:
    return {
        "type": role,
        "sessionId": TALK,
        "timestamp": "2026-04-13T10:00:00.000Z",
        "cwd": "/home/noor/boat",
        "message": {"role": role, "content": text},
    }


def _lay_over_git(stage: Stage) -> None:
    """A laptop that has handed something on, and a desk that has not fetched it and has changed the same note."""
    hub = lay_hub(stage)
    with stage.open() as vault:
        vault.sync_init(remote="../hub.git")
        vault.sync_run()
        boat = vault.find("Boat").path
    subprocess.run(["git", "clone", "--quiet", str(hub), str(stage.folder / "laptop")], check=True)
    with stage.open(root="laptop", home="laptop-home") as vault:
        vault.sync_init()
        vault.edit("Boat", append=SAID["elsewhere"])
        vault.remember(f"{SAID['elsewhere']} It is red.", title="Ferry", near="ignore")
        vault.move("Ferns", "hot")
        vault.sync_run()
    note = stage.root / boat
    note.write_text(note.read_text().replace("\nThe boat", "\nTyped by hand.\n\nThe boat"))
    with stage.open() as vault:
        vault.edit("Ferns", append="They like the shade.")


def lay_hub(stage: Stage) -> Path:
    """An empty repository to sync over."""
    hub = stage.folder / "hub.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(hub)], check=True)
    return hub


# -- a vault with something of everything


def _lay_everything(stage: Stage) -> None:
    _remember_more(stage)
    _lay_private(stage)
    (stage.root / "quarantine").mkdir(exist_ok=True)
    (stage.root / "quarantine" / "odd.md").write_text(_ODD)
    (stage.root / "2-memories" / "ferry-price.md").write_text(_WEB)
    _lay_machine(stage)
    lay_hub(stage)
    with stage.open() as vault:
        vault.refresh()


def _remember_more(stage: Stage) -> None:
    with stage.open(BEGAN + timedelta(days=70)) as vault:
        for title, name in (("Portal backup", "early"), ("Sara's dentist", "dentist")):
            vault.remember(SAID[name], title=title, kind="semantic", near="ignore")
        due = {"due": BEGAN + timedelta(days=80)}
        vault.remember(SAID["reminder"], title="Modem licence", kind="prospective", more=due, near="ignore")
        vault.remember(SAID["procedure"], title="Release", kind="procedural", near="ignore")
        vault.remember(SAID["sound"], title="Crackle", tags=("PipeWire",), kind="semantic", near="ignore")
        vault.remember(SAID["noise"], title="Quantum", tags=("pipe-wire",), kind="semantic", near="ignore")
    with stage.open(BEGAN + timedelta(days=71)) as vault:
        vault.remember(SAID["late"], title="Backup of the portal", kind="semantic", near="ignore")
        vault.remember(SAID["moss"], title="Dr. Moss", kind="semantic", near="ignore")
        vault.work_start("Move the gauges to UTC")


def _lay_private(stage: Stage) -> None:
    elsewhere = Stage(stage.folder / "carried")
    elsewhere.project.mkdir(parents=True)
    Memvault.init(elsewhere.root, clock=lambda: BEGAN)
    with stage.open() as vault:
        vault.private_init()
        vault.remember_privately(SAID["key"], title="Spare key")
        vault.remember_privately(SAID["surgery"], title="Surgery")
        recipients = stage.root / "private"
    with Memvault(elsewhere.root, clock=lambda: BEGAN, environment=stage.environment()) as vault:
        vault.private_init()
        vault.remember("The ferry of Hollin turns below the mill pond.", title="Ferry turn", kind="semantic")
        vault.export(stage.folder / "out" / "notes.zip")
        vault.remember_privately(SAID["carried"], title="Safe")
        vault.export(stage.folder / "out" / "private.zip", with_private=True)
    assert recipients.is_dir()


def _lay_machine(stage: Stage) -> None:
    """What other programs and the person have on this machine, which is not ours to spoil."""
    home = stage.folder / "home"
    program = stage.folder / "memvault"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    theirs: Mapping[str, str] = {
        ".claude/settings.json": '{\n  "model":   "opus",\n  "hooks": {}\n}\n',
        ".claude/CLAUDE.md": _OWN_WORDS,
        ".claude.json": '{"numStartups": 3}',
        "config/memvault/config.toml": "# mine\n[recall]\nlimit = 9\n",
    }
    for name, text in theirs.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    (stage.project / "CLAUDE.md").write_text(_OWN_WORDS)
    notes = stage.folder / "notes"
    notes.mkdir()
    (notes / "Ideas.md").write_text("Somebody's own idea.\n")


_LAID: Mapping[Ground, Callable[[Stage], None]] = {"alone": _nothing, "synced": _lay_over_git, "busy": _lay_everything}
