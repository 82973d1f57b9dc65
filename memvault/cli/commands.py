"""Every command in one table: which file it is in, under which heading help lists it, what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from memvault.core.value import Record

BEGIN = "Begin"
FIND = "Remember and find"
DO = "Do"
CHANGE = "Change a memory"
HISTORY = "See what was done, and take it back"
ORDER = "Keep the vault in order"
TRAVEL = "Between machines and programs"

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
        "init": Command("agent.setup", "init", BEGIN, "Make a vault, or adopt a folder of notes."),
        "setup": Command("agent.setup", "setup", BEGIN, "Put everything in place: vault, hooks, server, upkeep."),
        "status": Command("vault.status", "status", BEGIN, "Show the vault at a glance."),
        "stats": Command("vault.status", "stats", BEGIN, "Show the vault in figures, and what is about to fade."),
        "config": Command("agent.config", "config", BEGIN, "Show the settings, or change one."),
        "model": Command("agent.model", "model", BEGIN, "Show or test the language model, if you configured one."),
        "semantic": Command("agent.semantic", "semantic", BEGIN, "Find by meaning too, with a model that you choose."),
        "seal": Command("private.seal", "seal", BEGIN, "Keep originals with secrets, sealed to your key; open them."),
        "hooks": Command("agent.hooks", "hooks", BEGIN, "Have Claude Code or Codex call memvault by itself."),
        "mcp": Command("agent.mcp", "mcp", BEGIN, "Let an agent use the vault by MCP, over stdio or HTTP."),
        "uninstall": Command("agent.setup", "uninstall", BEGIN, "Take back what was installed; your vault stays."),
        "remember": Command("memories.remember", "remember", FIND, "Make a memory."),
        "recall": Command("find.recall", "recall", FIND, "Find memories by what they say."),
        "dig": Command("find.dig", "dig", FIND, "Go deep: what faded, and whole conversations about a topic."),
        "ingest": Command("transfer.ingest", "ingest", FIND, "Take conversations in: transcripts and chat exports."),
        "save-progress": Command("memories.remember", "save_progress", FIND, "Keep what came of a session."),
        "say": Command("find.say", "say", FIND, "Do what a spoken command wants: “remember this: …”."),
        "last": Command("vault.log", "last", FIND, "Show what was put before a model last, and why."),
        "timeline": Command("find.show", "timeline", FIND, "Show what stands before and after memories in time."),
        "show": Command("find.show", "show", FIND, "Show one memory, with its text."),
        "list": Command("vault.list", "list_", FIND, "List the memories that meet some conditions."),
        "keywords": Command(
            "memories.keywords", "keywords", FIND, "List keywords and what goes with them; rename or merge."
        ),
        "open": Command("find.show", "open_", FIND, "Open a memory in Obsidian, or in what opens such files."),
        "todo": Command("memories.tasks", "todo", DO, "List what is still to be done, what is due first."),
        "done": Command("memories.tasks", "done", DO, "Say that something was done, or will not be."),
        "used": Command("memories.tasks", "used", DO, "Say that a way of doing was followed, and if it worked."),
        "work": Command("memories.tasks", "work", DO, "Keep in mind what one task needs, until it is over."),
        "edit": Command("memories.edit", "edit", CHANGE, "Change a memory's text or fields."),
        "pin": Command("memories.edit", "pin", CHANGE, "Keep a memory from ever decaying."),
        "unpin": Command("memories.edit", "unpin", CHANGE, "Let a pinned memory decay again."),
        "link": Command("memories.edit", "link", CHANGE, "Say how one memory stands to another."),
        "move": Command("memories.edit", "move", CHANGE, "Put a memory into another tier or folder."),
        "forget": Command(
            "memories.forget", "forget", CHANGE, "Move a memory to the trash, and do not learn it again."
        ),
        "restore": Command("memories.forget", "restore", CHANGE, "Bring a memory back from the trash or the archive."),
        "private": Command("private.command", "private", CHANGE, "Memories that are sealed to your own key."),
        "quarantine": Command(
            "memories.quarantine", "quarantine", CHANGE, "Look through what came from the web or from tools."
        ),
        "report": Command("vault.status", "report", HISTORY, "Write a page that shows the vault in pictures."),
        "log": Command("vault.log", "log", HISTORY, "List what was done to the vault."),
        "audit": Command("vault.log", "audit", HISTORY, "Show where memories come from, and how far that is trusted."),
        "undo": Command("vault.log", "undo", HISTORY, "Take an operation back, byte for byte."),
        "maintain": Command(
            "vault.maintain", "maintain", ORDER, "Let weights fade, archive, merge, refresh what is hot."
        ),
        "pause": Command("agent.pause", "pause", ORDER, "Remember and inject nothing by itself, for a while."),
        "resume": Command("agent.pause", "resume", ORDER, "End a pause."),
        "conflicts": Command(
            "vault.conflicts", "conflicts", ORDER, "List memories that contradict each other, side by side."
        ),
        "resolve": Command("vault.conflicts", "resolve", ORDER, "Say which of two memories holds, or that both do."),
        "duplicates": Command(
            "vault.duplicates", "duplicates", ORDER, "List what says the same, and merge it or keep it apart."
        ),
        "doctor": Command("vault.doctor", "doctor", ORDER, "Find what is wrong, and mend it."),
        "claude-md": Command(
            "agent.claude_md", "claude_md", ORDER, "Write what is remembered into CLAUDE.md and its kin."
        ),
        "schedule": Command("vault.schedule", "schedule", ORDER, "Have upkeep run every day by itself."),
        "reindex": Command("vault.maintain", "reindex", ORDER, "Build the index again from the files."),
        "watch": Command("vault.watch", "watch", ORDER, "Keep the index current while you work."),
        "sync": Command("transfer.sync", "sync", TRAVEL, "Keep one vault alike on several machines, over git."),
        "export": Command(
            "transfer.export", "export", TRAVEL, "Write memories into one file: bundle, JSON or markdown."
        ),
        "import": Command("transfer.import_", "import_", TRAVEL, "Bring in a bundle, or another program's memories."),
    }
)
