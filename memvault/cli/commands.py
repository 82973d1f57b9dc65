"""Every command in one table: which file it is in, under which heading help lists it, what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from memvault.core.value import Record

BEGIN = "Get started"
FIND = "Remember and find"
DO = "Tasks and reminders"
CHANGE = "Change a memory"
HISTORY = "History and undo"
ORDER = "Maintain the vault"
TRAVEL = "Sync and transfer"

GROUPS = (BEGIN, FIND, DO, CHANGE, HISTORY, ORDER, TRAVEL)


class Command(Record):
    """One row: the file and function, the heading, the line that help shows."""

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
        "stats": Command("vault.status", "stats", BEGIN, "Show figures of the vault, and what fades soon."),
        "config": Command("agent.config", "config", BEGIN, "Show the settings, or change one."),
        "model": Command("agent.model", "model", BEGIN, "Show or test the language model, if you configured one."),
        "semantic": Command("agent.model", "semantic", BEGIN, "Search by meaning too, with a model of your choice."),
        "hooks": Command("agent.hooks", "hooks", BEGIN, "Install hooks that let Claude Code or Codex call memvault."),
        "mcp": Command("agent.mcp", "mcp", BEGIN, "Serve the vault to agents by MCP, over stdio or HTTP."),
        "uninstall": Command("agent.setup", "uninstall", BEGIN, "Remove what setup installed; your vault stays."),
        "remember": Command("memories.remember", "remember", FIND, "Create a memory."),
        "recall": Command("find.recall", "recall", FIND, "Find memories by what they say."),
        "dig": Command("find.dig", "dig", FIND, "Search deeply: faded memories, and whole conversations."),
        "ingest": Command("transfer.ingest", "ingest", FIND, "Import conversations: transcripts and chat exports."),
        "save-progress": Command("memories.remember", "save_progress", FIND, "Save what came of a session."),
        "say": Command("find.say", "say", FIND, "Run a spoken command: “remember this: …”."),
        "last": Command("vault.log", "last", FIND, "Show what was last injected for a model, and why."),
        "timeline": Command("find.show", "timeline", FIND, "Show what was made just before and after memories."),
        "show": Command("find.show", "show", FIND, "Show one memory, with its text."),
        "list": Command("find.show", "list_", FIND, "List memories that match conditions."),
        "keywords": Command(
            "memories.keywords", "keywords", FIND, "List keywords and related ones; rename or merge them."
        ),
        "open": Command("find.show", "open_", FIND, "Open a memory in Obsidian or your markdown program."),
        "todo": Command("memories.tasks", "todo", DO, "List reminders, those that are due first."),
        "done": Command("memories.tasks", "done", DO, "Mark a reminder as done, or cancel it."),
        "used": Command("memories.tasks", "used", DO, "Record that a procedure was used, and if it worked."),
        "work": Command("memories.tasks", "work", DO, "Track working notes for the current task."),
        "edit": Command("memories.edit", "edit", CHANGE, "Change a memory's text or fields."),
        "pin": Command("memories.edit", "pin", CHANGE, "Keep a memory from decaying."),
        "unpin": Command("memories.edit", "unpin", CHANGE, "Let a pinned memory decay again."),
        "link": Command("memories.edit", "link", CHANGE, "Link one memory to another."),
        "move": Command("memories.edit", "move", CHANGE, "Move a memory to another tier or folder."),
        "forget": Command("memories.forget", "forget", CHANGE, "Move a memory to the trash, and never relearn it."),
        "restore": Command("memories.forget", "restore", CHANGE, "Restore a memory from the trash or the archive."),
        "private": Command("private.command", "private", CHANGE, "Manage memories that are sealed to your own key."),
        "quarantine": Command(
            "memories.quarantine", "quarantine", CHANGE, "Review memories that came from the web or from tools."
        ),
        "report": Command("vault.status", "report", HISTORY, "Write an HTML page with charts of the vault."),
        "log": Command("vault.log", "log", HISTORY, "List the operations on the vault."),
        "audit": Command("vault.log", "audit", HISTORY, "Show where memories come from, and how far to trust it."),
        "undo": Command("vault.log", "undo", HISTORY, "Undo an operation, byte for byte."),
        "maintain": Command(
            "vault.maintain", "maintain", ORDER, "Update weights, archive, merge, refresh the hot tier."
        ),
        "pause": Command("agent.pause", "pause", ORDER, "Stop remembering and injecting automatically, for a while."),
        "resume": Command("agent.pause", "resume", ORDER, "End a pause."),
        "conflicts": Command("vault.conflicts", "conflicts", ORDER, "List contradicting memories, side by side."),
        "resolve": Command("vault.conflicts", "resolve", ORDER, "Decide which of two memories is right, or both."),
        "duplicates": Command(
            "vault.duplicates", "duplicates", ORDER, "List duplicates; merge them or keep them apart."
        ),
        "doctor": Command("vault.doctor", "doctor", ORDER, "Find problems, and fix them."),
        "claude-md": Command("agent.claude_md", "claude_md", ORDER, "Write memories into CLAUDE.md and similar files."),
        "schedule": Command("vault.maintain", "schedule", ORDER, "Run maintenance every day."),
        "reindex": Command("vault.maintain", "reindex", ORDER, "Rebuild the index from the files."),
        "watch": Command("vault.watch", "watch", ORDER, "Keep the index current while you work."),
        "sync": Command("transfer.sync", "sync", TRAVEL, "Sync a vault between machines, over git."),
        "export": Command(
            "transfer.import_", "export", TRAVEL, "Export memories to one file: bundle, JSON or markdown."
        ),
        "import": Command("transfer.import_", "import_", TRAVEL, "Import a bundle, or another program's memories."),
    }
)
