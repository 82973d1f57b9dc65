"""Our entry among an agent's MCP servers: put in, taken out, read."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.agents.setup import json_edit as merge
from memvault.agents.setup.agent import Entry, ServerAgent
from memvault.agents.setup.calls import Call, read_call
from memvault.agents.setup.jsonc import parse, plain

NAME = "memvault"


def entries(text: str, agent: ServerAgent) -> Mapping[str, Call]:
    """The servers that run `memvault mcp`, under whatever name."""
    found = _servers(text, agent)
    calls = {name: read_call(entry) for name, entry in found.items()}
    return {name: call for name, call in calls.items() if call is not None and call.does == "mcp"}


def is_taken(text: str, agent: ServerAgent) -> bool:
    """Whether our name stands for a server of somebody else's."""
    return NAME in _servers(text, agent) and NAME not in entries(text, agent)


def stands(text: str, agent: ServerAgent, entry: Entry) -> bool:
    """Whether our entry is this one; what a person added to it, such as variables, may stand there too."""
    there = _servers(text, agent).get(NAME)
    found = dict(there) if isinstance(there, Mapping) else {}
    return len(entries(text, agent)) == 1 and all(found.get(name) == value for name, value in entry.items())


def with_entry(text: str, agent: ServerAgent, entry: Entry) -> str:
    """The text with our entry behind the other servers."""
    return merge.set_member(text, (agent.under,), NAME, entry, lenient=agent.lenient)


def without_entry(text: str, agent: ServerAgent, before: str) -> str:
    """The text without any entry of ours."""
    kept = merge.empty_ones(before, lenient=agent.lenient)
    while names := list(entries(text, agent)):
        text = merge.cut(text, (agent.under, names[-1]), kept=kept, lenient=agent.lenient)
    return text


def _servers(text: str, agent: ServerAgent) -> dict[str, object]:
    settings = plain(parse(text, lenient=agent.lenient))
    found = settings.get(agent.under) if isinstance(settings, Mapping) else None
    return {str(name): entry for name, entry in found.items()} if isinstance(found, Mapping) else {}
