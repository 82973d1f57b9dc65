"""Every way in which a verb writes: what is done to a vault that has been lived in, and what that may take and bring."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from unittest.mock import patch

from memvault import Memvault
from memvault.agents.hooks import handler
from memvault.agents.setup import install, setup
from memvault.errors import BadInput
from memvault.privacy.audit import MemoryOrigin
from memvault.system import programs
from memvault.web.report import write_report
from tests.stress.grounds import OTHER_MACHINE, TALK, Ground
from tests.stress.stage import NOW, Stage

NEWS = "A wholly new sentence about the lighthouse keeper. " * 8
STAGING = ("2-memories/2026-03-30-staging-database.md", "2-memories/2026-03-30-staging-database-2.md")
SESSION = "22222222-2222-4333-8444-"  # and the moment: an event is served once

Act = Callable[[Memvault], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of writing: what is done on which ground, which sentences it may take away, and which it brings."""

    name: str
    act: Act
    ground: Ground = "alone"
    takes: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    over_git: bool = False
    makes_do: bool = False  # what becomes of one note depends on what could be read of the others
    may_be_repeated: bool = False  # doing it again brings it to its end, whatever became of the first time
    ends_alike: bool = False  # and then all files are there that would have been there at once
    shows: Callable[[Memvault], object] | None = None  # that it was done, where no file of a person's tells


def _edit(vault: Memvault) -> None:
    vault.edit("Boat", append="It was moved on Friday.", fields={"tags": ("boat", "quay")})


def _ingest(vault: Memvault) -> None:
    vault.ingest([Stage.of(vault).folder / f"{TALK}.jsonl"])


def _import(vault: Memvault) -> None:
    vault.import_memories("claude-memory", Stage.of(vault).folder / "claude")


def _import_bundle(vault: Memvault) -> None:
    vault.import_memories("bundle", Stage.of(vault).folder / "out" / "notes.zip")


def _export(vault: Memvault) -> None:
    vault.export(Stage.of(vault).folder / "out" / "bundle.zip", force=True)


def _save_progress(vault: Memvault) -> None:
    talk = Stage.of(vault).folder / f"{TALK}.jsonl"
    vault.save_progress("Noor mended the poller.", session=TALK, transcript=talk)


def _init(vault: Memvault) -> None:
    Memvault.init(Stage.of(vault).folder / "new", sample=True, clock=lambda: NOW)


def _adopt(vault: Memvault) -> None:
    Memvault.init(Stage.of(vault).folder / "notes", clock=lambda: NOW)


def _set_up(vault: Memvault) -> None:
    wanted = setup.SetupOptions(servers=("claude-code", "cursor"), check=False)
    done = setup.set_up(vault.root, wanted, environment=vault.environment, clock=lambda: NOW)
    assert done.steps


def _install(vault: Memvault, kind: type[install.HookSetup | install.ServerSetup]) -> None:
    found = kind.from_environment(vault.environment, NOW, folder=vault.folder)
    found.install(install.EntryOptions())


def _own_config(vault: Memvault) -> None:
    Memvault.set_own_config("recall.limit", "7", environment=vault.environment)


def _rename_keyword(vault: Memvault) -> None:
    try:
        vault.rename_keyword("PipeWire", "audio")
    except BadInput:  # half of it was done, and it is told what to do then
        vault.merge_keywords("audio", "PipeWire")


def _work(vault: Memvault) -> None:
    vault.work_note("Staging is done.")
    vault.work_done(keep=True)


def _private_import(vault: Memvault) -> None:
    vault.private_bring_in(Stage.of(vault).folder / "out" / "private.zip")


_EVENTS: tuple[dict[str, object], ...] = (
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "Remember this: the lighthouse keeper sleeps at noon."},
    {
        "hook_event_name": "PostToolUse",
        "tool_use_id": "t1",
        "tool_name": "Write",
        "tool_input": {"file_path": "/home/noor/x/a.py"},
        "tool_response": {"type": "create"},
    },
    {
        "hook_event_name": "PostToolUse",
        "tool_use_id": "t2",
        "tool_name": "TodoWrite",
        "tool_input": {"todos": [{"content": "Mend the poller", "status": "in_progress", "activeForm": "Mending"}]},
        "tool_response": {},
    },
    {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "The boat lies at the quay."},
    {"hook_event_name": "SessionEnd", "reason": "other"},
)


def _hooks(vault: Memvault) -> None:
    """A whole session; what would go on by itself in another process does not."""
    stage = Stage.of(vault)
    session = f"{SESSION}{vault.now().timestamp():012.0f}"
    common = {"session_id": session, "transcript_path": str(stage.folder / f"{TALK}.jsonl"), "cwd": str(stage.project)}
    with patch.object(programs, "start_memvault", lambda *_: None):
        for event in _EVENTS:
            handler.answer_event(
                json.dumps({**common, **event}).encode(),
                [],
                vault.environment,
                open_vault=lambda _named, at: stage.open(NOW, agent=at.agent, session=at.session),
            )


ALONE = (
    Way(name="remember", act=lambda vault: vault.remember(NEWS, title="Lighthouse"), brings=(NEWS.strip(),)),
    Way(name="edit", act=_edit, brings=("It was moved on Friday.",)),
    Way(name="move", act=lambda vault: vault.move("Boat", "archived")),
    Way(name="forget", act=lambda vault: vault.forget("Boat")),
    Way(name="restore", act=lambda vault: vault.restore("Viola")),
    Way(name="restore-archived", act=lambda vault: vault.restore("Gauge")),
    Way(name="merge", act=lambda vault: vault.merge(*STAGING)),
    Way(name="link", act=lambda vault: vault.link("Boat", "Ferns", relation="supersedes")),
    Way(name="undo", act=lambda vault: vault.undo()),
    Way(name="maintain", act=lambda vault: vault.maintain(), makes_do=True, may_be_repeated=True),
    Way(name="ingest", act=_ingest, brings=("my brother Aron repairs gauges",), may_be_repeated=True),
    Way(name="doctor-fix", act=lambda vault: vault.doctor(fix=True), may_be_repeated=True),
    Way(name="export", act=_export, may_be_repeated=True),
    Way(name="import", act=_import, brings=("tabs in all code",), makes_do=True, may_be_repeated=True),
    Way(name="purge", act=lambda vault: vault.purge("Boat"), takes=("boat",)),
    Way(name="sync", act=lambda vault: vault.sync_run(), ground="synced", over_git=True, may_be_repeated=True),
)


def _busy(name: str, act: Act, **more: object) -> Way:
    return Way(name=name, act=act, ground="busy", **more)  # type: ignore[arg-type]


BUSY = (
    _busy(
        "significant", lambda vault: vault.remember(NEWS * 2, title="Light", significant=True), brings=(NEWS.strip(),)
    ),
    _busy("capture", lambda vault: vault.capture(NEWS), brings=(NEWS.strip(),)),
    _busy("say", lambda vault: vault.say("remember that the lamp is red", by_person=True), brings=("lamp is red",)),
    _busy("pin", lambda vault: vault.pin("Boat")),
    _busy("unpin", lambda vault: vault.unpin("Ferns")),
    _busy("resolve", lambda vault: vault.resolve("Backup of the portal", "Portal backup")),
    _busy("keep-both", lambda vault: vault.keep_both("Sara's dentist", "Dr. Moss")),
    _busy("accept", lambda vault: vault.accept("Odd")),
    _busy("refuse", lambda vault: vault.refuse("Odd")),
    _busy("done", lambda vault: vault.mark_done("Modem licence")),
    _busy("used", lambda vault: vault.record_use("Release", ok=True, note="It went well.")),
    _busy("work-start", lambda vault: vault.work_start("Count the buckets"), brings=("Count the buckets",)),
    _busy("work-done", _work),
    _busy("keyword-rename", _rename_keyword, brings=("[audio]",), may_be_repeated=True),
    _busy(
        "keyword-merge",
        lambda vault: vault.merge_keywords("audio", "PipeWire", "pipe-wire"),
        brings=("[audio]",),
        may_be_repeated=True,
    ),
    _busy(
        "forget-source",
        lambda vault: vault.forget_origin(MemoryOrigin(source="web")),
        may_be_repeated=True,
        ends_alike=True,
    ),
    _busy("purge-verified", lambda vault: vault.purge("Dr. Moss", verify=True), takes=("moss",)),
    _busy("save-progress", _save_progress, brings=("Noor mended the poller.",), makes_do=True, may_be_repeated=True),
    _busy(
        "dig-restore",
        lambda vault: vault.dig("gauge painted yellow", restore=True),
        may_be_repeated=True,
        ends_alike=True,
    ),
    _busy("import-bundle", _import_bundle, brings=("below the mill pond",), may_be_repeated=True),
    _busy("hooks", _hooks, brings=("lighthouse keeper sleeps",), may_be_repeated=True),
    _busy("claude-md", lambda vault: vault.claude_md(Stage.of(vault).project / "CLAUDE.md"), may_be_repeated=True),
    _busy("config", lambda vault: vault.set_config("recall.limit", "7")),
    _busy("own-config", _own_config, may_be_repeated=True, ends_alike=True),
    _busy("pause", lambda vault: vault.pause(), shows=lambda vault: vault.pauses()),
    _busy("schedule", lambda vault: vault.schedule().install(), may_be_repeated=True, ends_alike=True),
    _busy("hooks-install", lambda vault: _install(vault, install.HookSetup)),
    _busy("mcp-install", lambda vault: _install(vault, install.ServerSetup)),
    _busy("setup", _set_up, may_be_repeated=True, ends_alike=True),
    _busy("init", _init, may_be_repeated=True, ends_alike=True),
    _busy("adopt", _adopt, may_be_repeated=True, ends_alike=True),
    _busy("reindex", lambda vault: vault.reindex(), may_be_repeated=True),
    _busy(
        "report",
        lambda vault: write_report(vault, Stage.of(vault).folder / "out" / "report.html"),
        may_be_repeated=True,
    ),
    _busy("sync-init", lambda vault: vault.sync_init(remote="../hub.git"), may_be_repeated=True, over_git=True),
)
PRIVATE = (
    _busy("private-remember", lambda vault: vault.remember_privately(NEWS, title="Light"), brings=(NEWS.strip(),)),
    _busy(
        "private-edit", lambda vault: vault.private_edit("Spare key", append="And it is red."), brings=("it is red",)
    ),
    _busy("private-forget", lambda vault: vault.private_forget("Spare key"), takes=("key",)),
    _busy("private-purge", lambda vault: vault.private_forget("Spare key", for_good=True), takes=("key",)),
    _busy("private-rekey", lambda vault: vault.private_rekey(), may_be_repeated=True, ends_alike=True),
    _busy("private-admit", lambda vault: vault.private_admit(OTHER_MACHINE), may_be_repeated=True, ends_alike=True),
    _busy("private-import", _private_import, brings=("opens with 4711",), may_be_repeated=True),
)
WAYS = (*ALONE, *BUSY, *(PRIVATE if find_spec("pyrage") else ()))
BY_NAME = {way.name: way for way in WAYS}
