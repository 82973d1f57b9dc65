"""The whole table of what is neutralized, through every way out that there is: none of it comes out as it stands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks import handler
from memvault.cli.commands import COMMANDS
from memvault.web.report import write_report
from tests.command_line import Line
from tests.conftest import Clock, LaidDown, Once, Opener
from tests.hostile import DECEIVING
from tests.transcripts.talking import chat

END = DECEIVING["block"]  # our own mark, too
SESSION = "00000000-0000-4000-8000-000000000001"
ALL = " ".join(f"{name}: {raw}." for name, raw in DECEIVING.items())


def came_out(text: str) -> list[str]:
    """The names of what stands in a text as it is."""
    return [name for name, raw in DECEIVING.items() if raw in text]


def write(root: Path, path: str, title: str, body: str, *more: str) -> None:
    lines = [f"title: {json.dumps(title, ensure_ascii=True)}", "created: 2026-01-20T09:00:00Z", "scope: global", *more]
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("\n".join(["---", *lines, "---", body, ""]), encoding="utf-8", newline="")


@pytest.fixture
def poisoned(tmp_path: Path, laid_down: LaidDown, once: Once, clock: Clock) -> Path:
    """A vault that holds the table in titles, fields, texts, tasks, conversations and logs, everywhere."""

    def make(root: Path) -> None:
        shutil.copytree(laid_down(False), root)
        listed = json.dumps([f"gauge {raw}" for raw in DECEIVING.values()], ensure_ascii=True)
        for number, (name, raw) in enumerate(DECEIVING.items()):
            more = (f"people: {json.dumps([f'Sara {raw}'])}", f"topics: {json.dumps([f'weir {raw}'])}")
            write(
                root,
                f"2-memories/g{number:02}.md",
                f"Gauge {name} {raw}",
                f"The gauge {name} reads {raw} at noon.",
                *more,
            )
        write(root, "0-identity/me.md", f"Me {ALL}", ALL)
        write(root, "1-hot/hot.md", f"Hot {ALL}", ALL, f"triggers: {listed}", f"tags: {listed}")
        write(root, "2-memories/green.md", f"Green box {ALL}", f"In the green box: {ALL}", "triggers: [green box]")
        write(root, "2-memories/due.md", f"Due {ALL}", ALL, "kind: prospective", "due: 2026-01-28T09:00:00Z")
        write(root, "2-memories/way.md", f"Way {ALL}", ALL, "kind: procedural")
        for name in ("twin", "twin-again"):
            write(root, f"2-memories/{name}.md", f"Twin {ALL}", f"The weir opens two hours after high water. {ALL}")
        write(root, "2-memories/a.md", f"Port {ALL}", f"The port of the modem is 80. {ALL}")
        write(root, "2-memories/b.md", f"Port {ALL}", f"The port of the modem is not 80. {ALL}")
        write(root, "quarantine/page.md", f"Page {ALL}", ALL, "source: web")
        write(root, "2-memories/broken.md", "x", ALL, f"broken: [{DECEIVING['inst']}, {{ {DECEIVING['reminder']}")
        talk = chat(
            root.parent / "talk.json", [(f"Sara {DECEIVING['inst']}", f"What of the gauge? {ALL}"), ("Noor", ALL)]
        )
        machine = {"HOME": str(root.parent / "home"), "XDG_STATE_HOME": str(root.parent / "state")}
        with Memvault(
            root, clock=clock, environment={**machine, "XDG_CACHE_HOME": str(root.parent / "cache")}
        ) as vault:
            vault.ingest([talk])

    return Path(shutil.copytree(once("ways-out", make), tmp_path / "vault"))


# Every command with words that have it tell what stands in notes; further lines must fail, and tell it in an error.
TOLD: dict[str, tuple[tuple[str, ...], ...]] = {
    "recall": (("gauge", "--limit", "60"), ("the green box",), ("nothing of the sort " + ALL,)),
    "dig": (("gauge",), ("gauge", "--map")),
    "session show": (("talk-1",), ("talk-1:1", "--around"), (ALL,)),
    "session timeline": (("green",), (ALL,)),
    "show": (("green",), ("hot",), ("me",), (ALL,)),
    "vault list": ((), ("--tag", ALL)),
    "vault keywords": ((), (ALL,)),
    "vault open": (("green", "--print"), (ALL, "--print")),
    "task list": ((),),
    "task done": (("due",), (ALL,)),
    "task cancel": (("due",), (ALL,)),
    "task used": (("way",), (ALL,)),
    "task start": ((f"Mend the gauge {ALL}",),),
    "task note": ((f"Noted {ALL}",),),
    "task clear": ((),),
    "remember": ((f"Sara likes tea. {ALL}", "--title", f"Tea {ALL}"), ("x" + ALL, "--kind", ALL)),
    "session save": ((f"Done today: {ALL}",),),
    "agent say": ((f"remember this: {ALL}",), (f"what do you know about the gauge {ALL}?",)),
    "edit": (("green", "--add-tag", "box"), ("green", "--set", f"{ALL}=1"), ("green", "--set", f"due={ALL}")),
    "vault pin": (("green",), (ALL,)),
    "vault unpin": (("green",), (ALL,)),
    "vault link": (("green", "due"), ("green", ALL)),
    "vault move": (("green", "1"), ("green", ALL)),
    "forget": (("a",), (ALL,)),
    "vault restore": (("a",), (ALL,)),
    "status": ((),),
    "vault stats": ((),),
    "vault report": (("--output", "-"),),
    "history": (("green",), ("a", "--diff"), (ALL,)),
    "session list": ((),),
    "vault log": ((), ("--diff",), (ALL,)),
    "vault audit": ((), ("--source", "user"), ("--by", "session")),
    "undo": ((), (ALL,)),
    "session given": ((),),
    "maintain": (("--dry-run", "--only", "decay"),),
    "today": ((),),
    "review": (
        (),
        ("list", "--text"),
        ("list", "--only", ALL),
        ("accept", ALL),
        ("refuse", "page"),
        ("hold", "a", ALL),
        ("hold", "twin", "twin-again"),
        ("merge", ALL, "green"),
    ),
    "vault tidy": ((), ("a",), (ALL,)),
    "vault doctor": ((),),
    "vault purge": (("green", "--dry-run"), (ALL,)),
    "agent claude-md": (("--dry-run",),),
    "config list": ((ALL,),),
    "config set": (("inject.folders", ALL),),
    "config unset": ((ALL,),),
    "session ingest": ((ALL,),),
    "import": (("folder", ALL),),
    "export": (("--format", "markdown"), ("--format", "jsonl"), (ALL,)),
    "vault reindex": ((),),
    "sync": (("status",),),
    "private": (("list",), ("show", ALL)),
    "agent pause": (("--project", ALL),),
    "agent resume": (("--project", ALL),),
    "model semantic": (("status",),),
    "model status": ((),),
    "model review": ((ALL,),),
    "init": ((f"/proc/{ALL[-40:]}",),),
}
SILENT = {
    "model test": "it asks a model, of nothing that stands in a note",
    "web": "it serves pages for a person's eyes; tests/web",
    "setup": "it asks a person, and writes settings of agents",
    "agent hooks": "settings of agents; what hooks give is below",
    "agent mcp": "it serves; what it gives is below",
    "uninstall": "settings of agents",
    "vault schedule": "the system's scheduler",
    "vault watch": "it runs on, and names batches",
    **dict.fromkeys(
        ("team init", "team vault", "team grant", "team revoke", "team status", "team rebuild", "team audit"),
        "names of vaults and people, never a text of a note",
    ),
    "worker": "it indexes, and tells counts",
    "serve": "its answers are JSON lines as `--json` prints them; tests/team",
}


def test_every_command_is_tried() -> None:
    assert {*TOLD, *SILENT} == set(COMMANDS)


@pytest.mark.parametrize("command", TOLD)
@pytest.mark.points(quick=4)
def test_no_command_tells_any_of_the_table_as_it_stands(poisoned: Path, line: Line, command: str) -> None:
    for words in TOLD[command]:
        for more in ((), ("--json",)):
            for said in ({}, {"MEMVAULT_AGENT": "claude-code"}):
                ran = line(*command.split(), *words, *more, MEMVAULT_DIR=str(poisoned), **said)
                out = ran.out.rpartition(END)[0] if command == "agent claude-md" and not more else ran.out
                assert came_out(out) == [], (words, more)
                assert came_out(ran.err) == [], (words, more)
                if more and ran.out:
                    json.loads(ran.out)


@pytest.mark.parametrize(
    "words",
    [
        ("show", "green"),
        ("recall", "gauge"),
        ("dig", "gauge"),
        (
            "vault",
            "list",
        ),
    ],
)
def test_a_program_reads_in_json_what_stands_in_the_note(poisoned: Path, line: Line, words: tuple[str, ...]) -> None:
    told = json.dumps(line(*words, "--json", MEMVAULT_DIR=str(poisoned)).json, ensure_ascii=False)
    assert {"reminder", "inst", "soft hyphen", "turned"} <= set(came_out(told))


def test_the_bytes_of_a_note_are_given_where_bytes_are_promised(poisoned: Path, line: Line) -> None:
    raw = (poisoned / "2-memories/green.md").read_bytes()
    assert line("show", "--raw", "green", MEMVAULT_DIR=str(poisoned)).out.encode() == raw


# -- hooks


def events(work: Path) -> Iterator[dict[str, object]]:
    at = {"cwd": str(work), "session_id": SESSION}
    for source in ("startup", "resume", "clear", "compact"):
        yield {**at, "hook_event_name": "SessionStart", "source": source}
    for prompt in (
        "Where is the green box?",
        f"remember this: {ALL}",
        "What do you know about the gauge?",
        "forget green",
    ):
        yield {**at, "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    call = {"tool_name": "Bash", "tool_input": {"command": f"touch {ALL}"}, "tool_response": {"stdout": ALL}}
    for name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        yield {**at, "hook_event_name": name, **call}
    yield {**at, "hook_event_name": "Stop", "last_assistant_message": ALL}
    for name in ("PreCompact", "SessionEnd"):
        yield {**at, "hook_event_name": name, "reason": "exit", "trigger": "auto"}
    yield {**at, "session_id": SESSION.replace("1", "2"), "hook_event_name": "SessionStart", "source": "startup"}


def test_no_hook_of_any_event_gives_any_of_the_table_as_it_stands(
    poisoned: Path, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memvault.agents.hooks.session.start_save", lambda *_, **__: None)
    work = tmp_path / "work"
    work.mkdir()
    around = {**environment, "MEMVAULT_DIR": str(poisoned), "MEMVAULT_SCHEDULE_AT_SESSION_START": "no"}
    tried, given = set(), 0
    for event in events(work):
        tried.add(event["hook_event_name"])
        answer = handler.answer_event(json.dumps(event).encode(), [], around).decode()
        told = json.loads(answer) if answer else {}
        inside = str(told.get("hookSpecificOutput", {}).get("additionalContext", ""))
        given += "reads" in inside or "green box" in inside
        assert came_out(inside) == [], event
        assert came_out(str(told.get("systemMessage", ""))) == [], event
    assert tried == set(handler.EVENTS)
    assert given > 1


# -- the server, and the texts that are made for models


def texts_in(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from (text for part in value.items() for text in texts_in(list(part)))
        case list() | tuple():
            yield from (text for part in value for text in texts_in(part))


@pytest.mark.points(only=True)
def test_no_tool_and_no_resource_of_the_server_gives_any_of_the_table_as_it_stands(
    poisoned: Path, environment: dict[str, str], clock: Clock, open_vault: Opener
) -> None:
    pytest.importorskip("mcp")
    from memvault.agents.mcp.caller import VaultOpener
    from memvault.agents.mcp.queries import TOOLS
    from tests.agents.mcp.conftest import run_client

    green = open_vault(poisoned).find("green").id
    asked: dict[str, list[dict[str, object]]] = {
        "remember": [{"text": f"Noor said so. {ALL}", "title": ALL}, {"text": "x", "kind": ALL}],
        "recall": [{"query": "gauge", "limit": 20}, {"query": "green box"}, {"query": "gauge", "detail": "titles"}],
        "timeline": [{"memories": ["green"]}, {"memories": [ALL]}],
        "show": [{"memory": "green"}, {"memory": "hot"}, {"memory": ALL}],
        "dig": [{"topic": "gauge"}, {"open": "talk-1"}, {"open": ALL}],
        "update": [{"memory": "green", "append": ALL}, {"memory": ALL, "append": "x"}],
        "pin": [{"memory": "green"}, {"memory": ALL}],
        "forget": [{"memory": "way"}, {"memory": ALL}],
        "link": [{"memory": "green", "to": "due"}, {"memory": "green", "to": ALL}],
        "resolve": [{"keep": "a", "other": "b"}, {"keep": "a", "other": ALL}],
        "undo": [{"operation": ALL}],
        "save_progress": [{"text": ALL}],
        "maintain": [{"dry_run": True}],
        "status": [{}],
    }
    assert set(asked) == set(TOOLS)

    async def act(client):  # type: ignore[no-untyped-def]
        found = []
        for name, calls in asked.items():
            for given in calls:
                answer = await client.call_tool(name, given)
                found += [(name, part.text) for part in answer.content]
                found += [(name, text) for text in texts_in(answer.structured_content or {})]
        for uri in ("memvault://index", f"memvault://memory/{green}"):
            found.append((uri, (await client.read_resource(uri)).contents[0].text))
        rows = (await client.list_resources()).resources
        return [*found, *(("resources", f"{row.title} {row.name} {row.description}") for row in rows)]

    told = run_client(VaultOpener(str(poisoned), environment=environment, clock=clock), act)
    assert [(name, came_out(text)) for name, text in told if came_out(text)] == []
    assert sum("noon" in text for _, text in told) > 5


MADE: dict[str, Callable[[Memvault], str]] = {
    "context": lambda vault: vault.context("green box gauge", min_similarity=0.0).text,
    "agent claude-md": lambda vault: vault.claude_md(dry_run=True).text,
    "cursor": lambda vault: vault.claude_md(vault.root / "rules.mdc", dry_run=True, format="cursor").text,
    "vault report": lambda vault: (vault.show("green"), write_report(vault, write=False).page)[1],
}


@pytest.mark.parametrize("made", MADE)
def test_no_text_that_is_made_for_a_model_holds_any_of_the_table_as_it_stands(
    poisoned: Path, open_vault: Opener, made: str
) -> None:
    text = MADE[made](open_vault(poisoned))
    inside = text if made == "report" else "\n".join(text.split("\n")[1:-1])  # without our own marks
    assert "escape: " in inside
    assert came_out(inside) == []
