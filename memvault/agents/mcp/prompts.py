"""Prompts: what a user can choose from an agent's menu."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from memvault.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt: what it is called, what it wants to know, and the text that it becomes."""

    name: str
    title: str
    description: str
    text: str
    wants: Mapping[str, str] = field(default_factory=dict)

    def filled(self, given: Mapping[str, str]) -> str:
        """The text with what was given in its places."""
        for name in self.wants:
            if not given.get(name, "").strip():
                raise BadInput(what=f"`{name}`", value="", reason="it has to be given")
        text = self.text
        for name in self.wants:
            text = text.replace(f"[{name}]", given[name].strip())
        return text


_ALL = (
    Prompt(
        name="recall-first",
        title="Look into memory first",
        description="Has the agent look up what is remembered before it begins.",
        wants=MappingProxyType({"task": "What you are about to do or ask."}),
        text=(
            "Before you begin, look into my memory: call memvault's `recall` with the words that matter in the task "
            "below, and again for the people, projects and tools that it names. Read what answers with `show`. Tell me "
            "in three lines what you found, with its dates, or that there is nothing. Then go on with the task."
            "\n\n[task]"
        ),
    ),
    Prompt(
        name="save-session",
        title="Save this session",
        description="Has the agent keep what came of this session, and what is worth remembering by itself.",
        text=(
            "Save what came of this session. Call memvault's `save_progress` with what was asked, what we decided and "
            "why, what changed, and what is still open. Then call `remember` for each decision, preference or lesson "
            "that later sessions should have by itself, unless `recall` shows that it is known. Tell me what you kept, "
            "a line each."
        ),
    ),
    Prompt(
        name="dig-deeper",
        title="Dig deeper",
        description="Has a subagent search all that was ever kept about a topic.",
        wants=MappingProxyType({"topic": "What to dig for."}),
        text=(
            "Find out all that my memory holds about this topic: [topic]\n\n"
            "Have a subagent call memvault's `dig`, first with map_only, then for what matters, as its answers are "
            "walls of text. It is to report in 200 words or less: what is known and since when, what changed, what is "
            "still open, with the id or the day for each statement, and what it looked for and did not find."
        ),
    ),
    Prompt(
        name="look-after-memory",
        title="Look after my memory",
        description="Has the agent carry out upkeep, and ask what only you can decide.",
        text=(
            "Look after my memory. Call memvault's `status`, then `maintain` with dry_run, and tell me in a few lines "
            "what it would do and why. Unless I object, call `maintain`. Where memories contradict each other, show me "
            "both with their dates and let me say which holds, then call `resolve`. Never decide that for me."
        ),
    ),
)

PROMPTS: Mapping[str, Prompt] = MappingProxyType({prompt.name: prompt for prompt in _ALL})
