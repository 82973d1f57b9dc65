"""Every command in one table: which file it is in, under which heading help lists it, what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from memvault.core.value import Frozen

BEGIN = "Begin"
FIND = "Remember and find"
DO = "Do"
CHANGE = "Change a memory"
HISTORY = "See what was done, and take it back"
ORDER = "Keep the vault in order"
TRAVEL = "Between machines and programs"

GROUPS = (BEGIN, FIND, DO, CHANGE, HISTORY, ORDER, TRAVEL)


class Command(Frozen):
    """One row: the file and function, the heading, the line that help shows."""

    module: str
    group: str
    help: str

    def function(self) -> Callable[..., object]:
        """The function that carries the command out; its module is imported now, and no other."""
        module = import_module(f"memvault.surfaces.cli.{self.module}")
        found: Callable[..., object] = getattr(module, self.module)
        return found

    def examples(self) -> tuple[str, ...]:
        """Command lines that show how it is used."""
        found: tuple[str, ...] = import_module(f"memvault.surfaces.cli.{self.module}").EXAMPLES
        return found


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "init": Command("init", BEGIN, "Make a vault, or adopt a folder of notes."),
        "setup": Command("setup", BEGIN, "Put everything in place: vault, hooks, server, upkeep."),
        "status": Command("status", BEGIN, "Show the vault at a glance."),
        "stats": Command("stats", BEGIN, "Show the vault in figures, and what is about to fade."),
        "config": Command("config", BEGIN, "Show the settings, or change one."),
        "model": Command("model", BEGIN, "Show or test the language model, if you configured one."),
        "semantic": Command("semantic", BEGIN, "Find by meaning too, with a model that you choose."),
        "seal": Command("seal", BEGIN, "Keep originals with secrets, sealed to your key; open them."),
        "hooks": Command("hooks", BEGIN, "Have Claude Code or Codex call memvault by itself."),
        "mcp": Command("mcp", BEGIN, "Let an agent use the vault by MCP, over stdio or HTTP."),
        "uninstall": Command("uninstall", BEGIN, "Take back what was installed; your vault stays."),
        "remember": Command("remember", FIND, "Make a memory."),
        "recall": Command("recall", FIND, "Find memories by what they say."),
        "dig": Command("dig", FIND, "Go deep: what faded, and whole conversations about a topic."),
        "ingest": Command("ingest", FIND, "Take conversations in: transcripts and chat exports."),
        "save-progress": Command("save_progress", FIND, "Keep what came of a session."),
        "say": Command("say", FIND, "Do what a spoken command wants: “remember this: …”."),
        "last": Command("last", FIND, "Show what was put before a model last, and why."),
        "timeline": Command("timeline", FIND, "Show what stands before and after memories in time."),
        "show": Command("show", FIND, "Show one memory, with its text."),
        "list": Command("list_", FIND, "List the memories that meet some conditions."),
        "keywords": Command("keywords", FIND, "List keywords and what goes with them; rename or merge."),
        "open": Command("open_", FIND, "Open a memory in Obsidian, or in what opens such files."),
        "todo": Command("todo", DO, "List what is still to be done, what is due first."),
        "done": Command("done", DO, "Say that something was done, or will not be."),
        "used": Command("used", DO, "Say that a way of doing was followed, and if it worked."),
        "work": Command("work", DO, "Keep in mind what one task needs, until it is over."),
        "edit": Command("edit", CHANGE, "Change a memory's text or fields."),
        "pin": Command("pin", CHANGE, "Keep a memory from ever decaying."),
        "unpin": Command("unpin", CHANGE, "Let a pinned memory decay again."),
        "link": Command("link", CHANGE, "Say how one memory stands to another."),
        "move": Command("move", CHANGE, "Put a memory into another tier or folder."),
        "forget": Command("forget", CHANGE, "Move a memory to the trash, and do not learn it again."),
        "restore": Command("restore", CHANGE, "Bring a memory back from the trash or the archive."),
        "private": Command("private", CHANGE, "Memories that are sealed to your own key."),
        "quarantine": Command("quarantine", CHANGE, "Look through what came from the web or from tools."),
        "report": Command("report", HISTORY, "Write a page that shows the vault in pictures."),
        "log": Command("log", HISTORY, "List what was done to the vault."),
        "audit": Command("audit", HISTORY, "Show where memories come from, and how far that is trusted."),
        "undo": Command("undo", HISTORY, "Take an operation back, byte for byte."),
        "maintain": Command("maintain", ORDER, "Let weights fade, archive, merge, refresh what is hot."),
        "pause": Command("pause", ORDER, "Remember and inject nothing by itself, for a while."),
        "resume": Command("resume", ORDER, "End a pause."),
        "conflicts": Command("conflicts", ORDER, "List memories that contradict each other, side by side."),
        "resolve": Command("resolve", ORDER, "Say which of two memories holds, or that both do."),
        "duplicates": Command("duplicates", ORDER, "List what says the same, and merge it or keep it apart."),
        "doctor": Command("doctor", ORDER, "Find what is wrong, and mend it."),
        "claude-md": Command("claude_md", ORDER, "Write what is remembered into CLAUDE.md and its kin."),
        "schedule": Command("schedule", ORDER, "Have upkeep run every day by itself."),
        "reindex": Command("reindex", ORDER, "Build the index again from the files."),
        "watch": Command("watch", ORDER, "Keep the index current while you work."),
        "sync": Command("sync", TRAVEL, "Keep one vault alike on several machines, over git."),
        "export": Command("export", TRAVEL, "Write memories into one file: bundle, JSON or markdown."),
        "import": Command("import_", TRAVEL, "Bring in a bundle, or another program's memories."),
    }
)
