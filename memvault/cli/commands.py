"""Every command in one table, the groups they stand in, and the other spellings by which they are understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from memvault.core.value import Record

BEGIN = "Get started"
FIND = "Remember and find"
DAY = "Every day"
MORE = "More commands"
GROUPED = "Groups"

HEADINGS = (BEGIN, FIND, DAY, MORE, GROUPED)
"""The headings of help; what stands under MORE is shown by `--help --all` only."""

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "task": "Reminders and working notes",
        "session": "Conversations",
        "vault": "Memories as files, and their history",
        "agent": "Assistants",
        "model": "Language models",
        "config": "Settings",
        "team": "Shared vaults, over PostgreSQL",
    }
)
"""The first word of commands that belong together, and what help says of them."""


class Command(Record):
    """One row: the file and function, the heading or group, the line that help shows."""

    module: str
    name: str
    group: str
    help: str

    def load_function(self) -> Callable[..., object]:
        """The function that carries the command out; its module is imported now, and no other."""
        module = import_module(f"memvault.cli.{self.module}")
        found: Callable[..., object] = getattr(module, self.name)
        return found

    def load_examples(self) -> tuple[str, ...]:
        """Command lines that show how it is used."""
        module = import_module(f"memvault.cli.{self.module}")
        found: tuple[str, ...] = getattr(module, f"{self.name.strip('_').upper()}_EXAMPLES")
        return found


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "init": Command("agent.setup", "init", BEGIN, "Create a vault, or adopt a folder of notes."),
        "setup": Command("agent.setup", "setup", BEGIN, "Set up everything: vault, hooks, server, maintenance."),
        "status": Command("vault.status", "status", BEGIN, "Show the vault at a glance."),
        "web": Command("vault.web", "web", BEGIN, "Open the vault as pages in your browser."),
        "remember": Command("memories.remember", "remember", FIND, "Create a memory."),
        "recall": Command("find.recall", "recall", FIND, "Find memories by what they say."),
        "dig": Command("find.dig", "dig", FIND, "Search deeply: faded memories, and whole conversations."),
        "show": Command("find.show", "show", FIND, "Show one memory, with its text."),
        "edit": Command("memories.edit", "edit", FIND, "Change a memory's text or fields."),
        "forget": Command("memories.forget", "forget", FIND, "Move memories to the trash, and never relearn them."),
        "undo": Command("vault.log", "undo", FIND, "Undo an operation, byte for byte."),
        "today": Command("memories.today", "today", DAY, "Show what is due, new and fading, and what waits for you."),
        "review": Command(
            "memories.review", "review", DAY, "Go through all that waits for you, a key for each answer."
        ),
        "maintain": Command("vault.maintain", "maintain", DAY, "Update weights, archive, merge, refresh the hot tier."),
        "history": Command("vault.history", "history", MORE, "Show what was done to one memory, by whom and why."),
        "uninstall": Command("agent.setup", "uninstall", MORE, "Remove what setup installed; your vault stays."),
        "worker": Command("team.serve", "worker", MORE, "Index shared vaults from their repositories."),
        "serve": Command("team.serve", "serve", MORE, "Serve shared vaults over HTTP: JSON, and MCP."),
        "sync": Command("transfer.sync", "sync", GROUPED, "Sync a vault between machines, over git."),
        "import": Command("transfer.import_", "import_", GROUPED, "Import a bundle, or another program's memories."),
        "export": Command(
            "transfer.import_", "export", GROUPED, "Export memories to one file: bundle, JSON or markdown."
        ),
        "private": Command("private.command", "private", GROUPED, "Manage memories that are sealed to your own key."),
        "task list": Command("memories.tasks", "task_list", "task", "List reminders, due ones first, and open tasks."),
        "task done": Command("memories.tasks", "task_done", "task", "Mark reminders or a task as done."),
        "task cancel": Command("memories.tasks", "task_cancel", "task", "Say that reminders will not be done."),
        "task used": Command(
            "memories.tasks", "task_used", "task", "Record that a procedure was used, and if it worked."
        ),
        "task start": Command("memories.tasks", "task_start", "task", "Start a task whose notes stay at hand."),
        "task note": Command("memories.tasks", "task_note", "task", "Add a note to the current task."),
        "task clear": Command("memories.tasks", "task_clear", "task", "End open tasks without keeping anything."),
        "session ingest": Command(
            "transfer.ingest", "ingest", "session", "Import conversations: transcripts and chat exports."
        ),
        "session save": Command("memories.remember", "save_progress", "session", "Save what came of a session."),
        "session list": Command("find.dig", "session_list", "session", "List the conversations of the archive."),
        "session show": Command("find.dig", "session_show", "session", "Read a conversation, or a part of it."),
        "session timeline": Command(
            "find.show", "timeline", "session", "Show what was made just before and after memories."
        ),
        "session given": Command("vault.log", "last", "session", "Show what was last injected for a model, and why."),
        "vault list": Command("find.show", "list_", "vault", "List memories that match conditions."),
        "vault open": Command("find.show", "open_", "vault", "Open a memory in Obsidian or your markdown program."),
        "vault pin": Command("memories.edit", "pin", "vault", "Keep memories from decaying."),
        "vault unpin": Command("memories.edit", "unpin", "vault", "Let pinned memories decay again."),
        "vault move": Command("memories.edit", "move", "vault", "Move a memory to another tier or folder."),
        "vault link": Command("memories.edit", "link", "vault", "Link one memory to another."),
        "vault restore": Command(
            "memories.forget", "restore", "vault", "Restore a memory from the trash or the archive."
        ),
        "vault purge": Command("memories.forget", "purge", "vault", "Take a memory or a session out of everything."),
        "vault keywords": Command(
            "memories.keywords", "keywords", "vault", "List keywords and related ones; rename or merge them."
        ),
        "vault log": Command("vault.log", "log", "vault", "List the operations on the vault."),
        "vault stats": Command("vault.status", "stats", "vault", "Show figures of the vault, and what fades soon."),
        "vault report": Command("vault.status", "report", "vault", "Write an HTML page with charts of the vault."),
        "vault audit": Command(
            "vault.log", "audit", "vault", "Show where memories come from, and how far to trust it."
        ),
        "vault tidy": Command("vault.doctor", "tidy", "vault", "Take properties that say nothing out of memories."),
        "vault doctor": Command("vault.doctor", "doctor", "vault", "Find problems, and fix them."),
        "vault reindex": Command("vault.maintain", "reindex", "vault", "Rebuild the index from the files."),
        "vault watch": Command("vault.watch", "watch", "vault", "Keep the index current while you work."),
        "vault schedule": Command("vault.maintain", "schedule", "vault", "Run maintenance every day."),
        "agent hooks": Command(
            "agent.hooks", "hooks", "agent", "Install hooks that let Claude Code or Codex call memvault."
        ),
        "agent mcp": Command("agent.mcp", "mcp", "agent", "Serve the vault to agents by MCP, over stdio or HTTP."),
        "agent claude-md": Command(
            "agent.claude_md", "claude_md", "agent", "Write memories into CLAUDE.md and similar files."
        ),
        "agent pause": Command(
            "agent.pause", "pause", "agent", "Stop remembering and injecting automatically, for a while."
        ),
        "agent resume": Command("agent.pause", "resume", "agent", "End a pause."),
        "agent say": Command("find.say", "say", "agent", "Run a spoken command: “remember this: …”."),
        "model status": Command(
            "agent.model", "model_status", "model", "Show the language model, if you configured one."
        ),
        "model test": Command("agent.model", "model_test", "model", "Ask the language model one small question."),
        "model review": Command("agent.model", "model_review", "model", "Have a text reviewed, and store nothing."),
        "model semantic": Command(
            "agent.model", "semantic", "model", "Search by meaning too, with a model of your choice."
        ),
        "config list": Command("agent.config", "config_list", "config", "List the settings, or show one."),
        "config set": Command("agent.config", "config_set", "config", "Change a setting."),
        "config unset": Command("agent.config", "config_unset", "config", "Take a setting back to its default."),
        "team init": Command("team.control", "team_init", "team", "Make or update the database of shared vaults."),
        "team vault": Command("team.control", "team_vault", "team", "Add a shared vault, or remove one."),
        "team grant": Command("team.control", "team_grant", "team", "Say who may read or write a shared vault."),
        "team revoke": Command("team.control", "team_revoke", "team", "Take those rights away again."),
        "team status": Command("team.control", "team_status", "team", "List the shared vaults, and how far each is."),
        "team rebuild": Command("team.control", "team_rebuild", "team", "Index a shared vault anew."),
        "team audit": Command("team.control", "team_audit", "team", "Show who read what, or check that record."),
    }
)

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "add": "remember",
        "ask": "recall",
        "cat": "show",
        "config": "config list",
        "delete": "forget",
        "find": "recall",
        "list": "vault list",
        "ls": "vault list",
        **{f"{group} ls": f"{group} list" for group in ("config", "session", "task", "vault")},
        "new": "remember",
        "rm": "forget",
        "search": "recall",
        "model": "model status",
    }
)
"""What other programs call it: understood without a word."""

WRITTEN: Mapping[str, str] = MappingProxyType(
    {
        "doctor": "vault doctor",
        "mcp": "agent mcp",
        "watch --serve": "vault watch serve",
    }
)
"""Spellings that memvault wrote into other programs' files, where they stay: understood for ever."""

MOVED: Mapping[str, str] = MappingProxyType(
    {
        "agent claude-md --check": "agent claude-md check",
        "agent pause --list": "agent pause list",
        "audit": "vault audit",
        "claude-md": "agent claude-md",
        "config --unset": "config unset",
        "conflicts": "review list --only contradiction",
        "dig --around": "session show --around",
        "dig --open": "session show",
        "done": "task done",
        "duplicates": "review list --only duplicate",
        "duplicates --keep": "review both",
        "duplicates --merge": "review merge",
        "duplicates --review": "review --only duplicate",
        "forget --purge": "vault purge",
        "hooks": "agent hooks",
        "ingest": "session ingest",
        "keywords": "vault keywords",
        "last": "session given",
        "link": "vault link",
        "log": "vault log",
        "move": "vault move",
        "open": "vault open",
        "pause": "agent pause",
        "pin": "vault pin",
        "private forget --purge": "private purge",
        "quarantine": "review list --only quarantine",
        "quarantine accept": "review accept --only quarantine",
        "quarantine list": "review list --only quarantine",
        "quarantine refuse": "review refuse --only quarantine",
        "reindex": "vault reindex",
        "report": "vault report",
        "resolve": "review hold",
        "restore": "vault restore",
        "resume": "agent resume",
        "save-progress": "session save",
        "say": "agent say",
        "schedule": "vault schedule",
        "seal": "private",
        "semantic": "model semantic",
        "stats": "vault stats",
        "task done --cancel": "task cancel",
        "team audit --verify": "team audit verify",
        "team grant --revoke": "team revoke",
        "timeline": "session timeline",
        "todo": "task list",
        "unpin": "vault unpin",
        "used": "task used",
        "vault audit --kept": "vault audit kept",
        "vault audit --verify": "vault audit verify",
        "vault doctor --accept": "vault doctor accept",
        "vault doctor --fix": "vault doctor fix",
        "vault doctor --verify": "vault doctor verify",
        "watch": "vault watch",
        **{f"watch --{action}": f"vault watch {action}" for action in ("stop", "status", "install", "uninstall")},
        "watch --daemon": "vault watch start",
        **{f"work {action}": f"task {action}" for action in ("list", "start", "note", "done", "clear")},
        "work": "task list",
    }
)
"""Spellings of earlier versions: understood for a release, with a hint."""
