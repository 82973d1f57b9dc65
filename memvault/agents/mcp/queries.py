"""What is asked of a vault, in the values of JSON: answered by the same lines here and in the warm process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from memvault.agents.mcp import resources, results, schema
from memvault.agents.mcp.caller import Call, Visit
from memvault.agents.mcp.tools import Tool
from memvault.agents.mcp.tools.read import SHOW, STATUS, TIMELINE
from memvault.agents.mcp.tools.resolve import FORGET, LINK, MAINTAIN, PIN, RESOLVE, UNDO
from memvault.agents.mcp.tools.search import DIG, RECALL
from memvault.agents.mcp.tools.write import REMEMBER, SAVE_PROGRESS, UPDATE

# Every tool in one table, in the order in which an agent reads of them.

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            REMEMBER,
            RECALL,
            TIMELINE,
            SHOW,
            DIG,
            UPDATE,
            PIN,
            FORGET,
            LINK,
            RESOLVE,
            UNDO,
            SAVE_PROGRESS,
            MAINTAIN,
            STATUS,
        )
    }
)


LIST, READ = "resources/list", "resources/read"
"""What is asked for where it is no tool; they take a `cursor` and a `uri`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A tool by its name, or one of the resources' requests, and what it is given, which was checked before."""

    what: str
    given: Mapping[str, Any]

    @property
    def only_looks(self) -> bool:
        """Whether nothing is changed by it, so that any process may answer, and a second one after it."""
        return self.what in (LIST, READ) or TOOLS[self.what].reads


def answer(call: Call, question: Question) -> Mapping[str, Any]:
    """What is found, or was done."""
    given = question.given
    if question.what == LIST:
        rows, after = resources.listed(call, given.get("cursor"))
        return {"rows": schema.lean(rows), "after": after}
    if question.what == READ:
        return {"text": resources.read(call, given["uri"])}
    tool = TOOLS[question.what]
    if tool.stores:
        call.check_not_paused()
    asked = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    found = tool.act(call, tool.asked(**asked))
    return {"text": results.text(found), "data": schema.lean(found)}


def written(visit: Visit, question: Question) -> bytes:
    """A question, and for whom the vault is opened, as the bytes that `read` reads."""
    return json.dumps({"visit": asdict(visit), "what": question.what, "given": question.given}).encode()


def read(data: bytes) -> tuple[Visit, Question]:
    """For whom the vault is to be opened, and the question."""
    told = json.loads(data)
    return Visit(**told["visit"]), Question(told["what"], told["given"])
