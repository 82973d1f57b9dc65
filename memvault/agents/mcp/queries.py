"""What is asked of a vault, in the values of JSON: answered by the same lines here and in the daemon."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from memvault.agents.mcp import resources, results, schema
from memvault.agents.mcp.caller import McpCall, VaultAccess
from memvault.agents.mcp.tools import McpTool
from memvault.agents.mcp.tools.read import SHOW, STATUS, TIMELINE
from memvault.agents.mcp.tools.resolve import FORGET, LINK, MAINTAIN, PIN, RESOLVE, UNDO
from memvault.agents.mcp.tools.search import DIG, RECALL
from memvault.agents.mcp.tools.write import REMEMBER, SAVE_PROGRESS, UPDATE

# Every tool in one table, in the order in which an agent reads of them.

TOOLS: Mapping[str, McpTool] = MappingProxyType(
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


LIST_RESOURCES, READ_RESOURCE = "resources/list", "resources/read"
"""What is asked for where it is no tool; they take a `cursor` and a `uri`."""


@dataclass(frozen=True, slots=True)
class McpQuestion:
    """A tool by its name, or one of the resources' requests, and what it is given, which was checked before."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def is_read_only(self) -> bool:
        """Whether nothing is changed by it, so that any process may answer, and a second one after it."""
        return self.name in (LIST_RESOURCES, READ_RESOURCE) or TOOLS[self.name].is_read_only


def answer_question(call: McpCall, question: McpQuestion) -> Mapping[str, Any]:
    """Return what is found, or was done."""
    given = question.arguments
    if question.name == LIST_RESOURCES:
        rows, after = resources.list_resources(call, given.get("cursor"))
        return {"rows": schema.omit_defaults(rows), "after": after}
    if question.name == READ_RESOURCE:
        return {"text": resources.read_resource(call, given["uri"])}
    tool = TOOLS[question.name]
    if tool.is_storing:
        call.check_not_paused()
    asked = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    found = tool.handler(call, tool.arguments(**asked))
    return {"text": results.format_result(found), "data": schema.omit_defaults(found)}


def encode_question(visit: VaultAccess, question: McpQuestion) -> bytes:
    """Return a question, and for whom the vault is opened, as the bytes that `read` reads."""
    return json.dumps({"visit": asdict(visit), "what": question.name, "given": question.arguments}).encode()


def decode_question(data: bytes) -> tuple[VaultAccess, McpQuestion]:
    """For whom the vault is to be opened, and the question."""
    told = json.loads(data)
    return VaultAccess(**told["visit"]), McpQuestion(told["what"], told["given"])
