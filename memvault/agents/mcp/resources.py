"""Resources: every memory under its own address, and an index of what there is to know."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.agents.mcp import pages, quoting
from memvault.agents.mcp import results as texts
from memvault.agents.mcp.answers import QUOTED
from memvault.agents.mcp.caller import Call
from memvault.agents.mcp.tools.read import Show, show
from memvault.context.session_index import session_index
from memvault.core.query import Filters
from memvault.errors import NotFound

INDEX = "memvault://index"
TEMPLATE = "memvault://memory/{id}"
MIME = "text/markdown"
PAGE = 50
_MEMORY = "memvault://memory/"
_INDEX_TOKENS = 600
_WHOLE = 50_000  # tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One resource of the list."""

    uri: str
    name: str
    title: str
    description: str = ""


FIRST = Listed(
    uri=INDEX,
    name="index",
    title="Index of the memory",
    description="Preferences, recent activity, decisions and keywords: what there is to know, a line each.",
)


def listed(call: Call, given: str | None) -> tuple[tuple[Listed, ...], str]:
    """A page of the memories, those used last first, and the cursor of the next; the index stands before them."""
    start = pages.place(given)
    found = call.vault.list(Filters(), limit=start + PAGE)
    rows = tuple(
        Listed(
            uri=f"{_MEMORY}{row.memory.id}",
            name=quoting.name(row.memory.name),
            title=quoting.name(row.memory.title),
            description=", ".join(filter(None, (row.memory.kind, quoting.day(row.memory)))),
        )
        for row in found.rows[start:]
    )
    after = pages.cursor(start + PAGE) if found.total > start + PAGE else ""
    return ((FIRST, *rows) if not start else rows), after


def read(call: Call, uri: str) -> str:
    """The text of a resource."""
    if uri == INDEX:
        return index(call)
    if not uri.startswith(_MEMORY):
        raise NotFound(ref=uri)
    return texts.text(show(call, Show(memory=uri.removeprefix(_MEMORY), budget=_WHOLE)))


def index(call: Call) -> str:
    """What there is to know, a line each: nothing untrusted, and nothing of another project."""
    from memvault.context.eligible import sorted_out  # deferred: few ask for it

    settings = call.vault.settings
    material, _ = sorted_out(
        [row.memory for row in call.vault.list(Filters()).rows],
        lambda memory: memory.title,
        folders=settings.texts("inject.folders"),
        project=call.project,
        kinds=settings.kinds,
    )
    everything = (*material.identity, *material.hot, *material.index)
    return f"{QUOTED}\n\n{session_index(everything, _INDEX_TOKENS).text}".strip() + "\n"
