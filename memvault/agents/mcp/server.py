"""The server: the tables of tools, resources and prompts, put into the words of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from memvault import __version__
from memvault.agents.mcp import queries, results, schema
from memvault.agents.mcp.caller import DaemonClient, McpCaller, VaultOpener
from memvault.agents.mcp.queries import INSTRUCTIONS, PROMPTS, TOOLS, McpPrompt, McpQuestion
from memvault.agents.mcp.schema import McpTool
from memvault.core.ids import INVENTED_SESSION
from memvault.core.secrets.erase import redact_error
from memvault.errors import MemvaultError
from memvault.text.display import neutralize_text

# What an agent is told when something fails: a sentence, and what it can do about it with the tools it has.

# The changes of errors name commands and options of a shell; an agent has tools and their arguments.
_ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "Ambiguous": "Give more characters of the id.",
        "AlreadyThere": "Give another title.",
        "Bug": "Tell the user; `memvault vault doctor` may know more. The other tools go on working.",
        "Busy": "Try again in a moment.",
        "ChangedMeanwhile": "Read it again with `show`, and repeat your change with the version that it gives.",
        "EmptyClone": "The user checks out the branch first (`git switch`). Tell them.",
        "Forgotten": "The user had it forgotten. Leave it so; they alone bring it back (`memvault remember --again`).",
        "Incognito": "The user wants it so, to the end of this session. Do not try again.",
        "MaintenanceUnderWay": "Let it finish, and try again in a few minutes.",
        "Misused": "",
        "NoConversation": "`dig` with a topic and map_only lists what there is, each with its `ref`.",
        "NoOperation": "Every tool that writes gives its `operation`; `memvault vault log` shows the user all.",
        "NoVault": "The user makes one with `memvault setup`, or names one with MEMVAULT_DIR. Tell them.",
        "NotAVault": "The user makes one with `memvault setup`, or names one with MEMVAULT_DIR. Tell them.",
        "NotFound": "Find it with `recall`, and use the id that it gives.",
        "OnlyAPerson": "Tell the user; they alone do that, with `memvault` in a terminal of their own.",
        "Paused": "The user wants it so. Do not try again; they end it with `memvault agent resume`.",
        "SecretFound": 'Leave the secret out, or call again with secrets="redact". Tell the user.',
        "Trivial": "Say more, so that it can be read alone in a year; or leave it.",
        "UndoRefused": "Tell the user: somebody has changed it since, and their work was not touched.",
    }
)


def describe_error(error: MemvaultError) -> str:
    """Return what went wrong and what to do next; no secret is repeated."""
    error = redact_error(error)
    return neutralize_text("\n".join(filter(None, (str(error), _ADVICE.get(error.code, error.advice)))))


SESSION = "memvault/session"
"""The name under which a client may say, in `_meta`, in which session it calls."""

_MAX_THREADS = 4  # calls; more would only take turns
_MAX_SIZE_KEY = "anthropic/maxResultSizeChars"  # without it Claude Code cuts long answers
Result = TypeVar("Result")


class McpHandlers:
    """What the protocol asks for, answered from the vault; each call in a thread of its own."""

    def __init__(self, opener: VaultOpener) -> None:
        self._opener = opener
        self._daemon = DaemonClient(opener.environment)
        self._limiter: Any = None

    # -- tools

    async def list_tools(self, _context: Any, params: Any) -> Any:
        """Return every tool with its schemas."""
        _check_no_cursor(params)
        return types.ListToolsResult(tools=[_describe_tool(tool) for tool in TOOLS.values()])

    async def call_tool(self, context: Any, params: Any) -> Any:
        """Carry out one call; whatever fails is told to the model, and never thrown at it."""
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no tool {params.name!r}.")
        caller = _identify_caller(context)
        try:
            given = schema.omit_defaults(schema.parse_arguments(tool.arguments, params.arguments or {}))
            found = await self._answer_in_thread(caller, McpQuestion(tool.name, given))
        except MemvaultError as error:
            return _error_result(describe_error(error))
        except Exception as error:  # the last line of defence, as on the command line
            now = self._opener.now()
            from memvault.system.crash import record_bug  # deferred: nobody should ever need it

            return _error_result(
                describe_error(record_bug(error, ("mcp", tool.name), ("mcp", tool.name), self._opener.environment, now))
            )
        content: list[Any] = [types.TextContent(type="text", text=found["text"])]
        return types.CallToolResult(content=content, structured_content=found["data"])

    # -- resources

    async def list_resources(self, context: Any, params: Any) -> Any:
        """Return a page of the memories, after the index."""
        given = getattr(params, "cursor", None)
        found = await self._answer_or_raise(context, McpQuestion(queries.LIST_RESOURCES, {"cursor": given}))
        rows = [
            types.Resource(
                uri=row["uri"],
                name=row["name"],
                title=row["title"],
                description=row.get("description"),
                mime_type=queries.MIME,
            )
            for row in found["rows"]
        ]
        return types.ListResourcesResult(resources=rows, next_cursor=found["after"] or None)

    async def list_templates(self, _context: Any, params: Any) -> Any:
        """Return the address that every memory has."""
        _check_no_cursor(params)
        memory = types.ResourceTemplate(
            uri_template=queries.TEMPLATE,
            name="memory",
            title="A memory",
            description="One memory with its text, by its id; the beginning of the id is enough.",
            mime_type=queries.MIME,
        )
        return types.ListResourceTemplatesResult(resource_templates=[memory])

    async def read_resource(self, context: Any, params: Any) -> Any:
        """Return the text of the index or of a memory."""
        uri = str(params.uri)
        found = await self._answer_or_raise(context, McpQuestion(queries.READ_RESOURCE, {"uri": uri}))
        content: list[Any] = [types.TextResourceContents(uri=uri, text=found["text"], mime_type=queries.MIME)]
        return types.ReadResourceResult(contents=content)

    # -- prompts

    async def list_prompts(self, _context: Any, params: Any) -> Any:
        """Return every prompt with what it wants to know."""
        _check_no_cursor(params)
        return types.ListPromptsResult(prompts=[_describe_prompt(prompt) for prompt in PROMPTS.values()])

    async def get_prompt(self, _context: Any, params: Any) -> Any:
        """Return a prompt, filled in."""
        found = PROMPTS.get(params.name)
        if found is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {params.name!r}.")
        text = _raise_protocol_errors(lambda: found.fill_text(params.arguments or {}))
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=found.description, messages=[said])

    # -- carrying out

    async def _answer_or_raise(self, context: Any, question: McpQuestion) -> Mapping[str, Any]:
        """Return what has no result to put an error into answers with an error of the protocol."""
        try:
            return await self._answer_in_thread(_identify_caller(context), question)
        except MemvaultError as error:
            raise _protocol_error(error) from None

    async def _answer_in_thread(self, caller: McpCaller, question: McpQuestion) -> Mapping[str, Any]:
        """Files are slow, and the loop has other callers: the vault is opened where its work is done."""
        if self._limiter is None:  # it belongs to a loop that is running by now
            self._limiter = anyio.CapacityLimiter(_MAX_THREADS)
        found: Mapping[str, Any] = await anyio.to_thread.run_sync(
            self._answer_question, caller, question, limiter=self._limiter
        )
        return found

    def _answer_question(self, caller: McpCaller, question: McpQuestion) -> Mapping[str, Any]:
        """Return what only looks is asked of the daemon first; what it does not answer is done here."""
        visit = self._opener.describe_access(caller)
        is_for_both = question.is_read_only and self._opener.is_of_this_machine
        if is_for_both and (told := self._daemon.ask_daemon(queries.encode_question(visit, question))) is not None:
            return told
        with self._opener.open_vault(visit) as call:
            found = queries.answer_question(call, question)
        if is_for_both:
            self._daemon.start_daemon()
        return found


def build_server(opener: VaultOpener) -> Any:
    """Return the server over a vault, not yet listening to anybody."""
    handlers = McpHandlers(opener)
    return Server(
        "memvault",
        title="memvault: the user's memory",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def _describe_tool(tool: McpTool) -> Any:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.is_read_only,
        destructive_hint=tool.is_destructive,
        idempotent_hint=tool.is_read_only or tool.idempotent,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema.argument_schema(tool.arguments),
        output_schema=schema.result_schema(tool.result),
        annotations=hints,
        _meta={_MAX_SIZE_KEY: tool.max_characters} if tool.max_characters else None,
    )


def _describe_prompt(prompt: McpPrompt) -> Any:
    wants = [types.PromptArgument(name=name, description=told, required=True) for name, told in prompt.wants.items()]
    return types.Prompt(name=prompt.name, title=prompt.title, description=prompt.description, arguments=wants or None)


def _error_result(sentence: str) -> Any:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)


def _identify_caller(context: Any) -> McpCaller:
    """Return who calls, by the name that the client gave of itself, and in which session, where it says so."""
    params = context.session.client_params
    name = params.client_info.name if params is not None else ""
    meta: Mapping[str, object] = context.meta or {}
    headers: Mapping[str, str] = getattr(context.request, "headers", None) or {}
    connection = headers.get("mcp-session-id", "")
    return McpCaller.from_client_name(
        name, str(meta.get(SESSION) or (f"{INVENTED_SESSION}{connection}" if connection else ""))
    )


def _check_no_cursor(params: Any) -> None:
    """Refuse a cursor where everything fits on one page."""
    given = getattr(params, "cursor", None)
    if _raise_protocol_errors(lambda: results.parse_cursor(given)):
        raise MCPError(code=types.INVALID_PARAMS, message="There is no further page.")


def _raise_protocol_errors(act: Callable[[], Result]) -> Result:
    try:
        return act()
    except MemvaultError as error:
        raise _protocol_error(error) from None


def _protocol_error(error: MemvaultError) -> Exception:
    found: Exception = MCPError(code=types.INVALID_PARAMS, message=describe_error(error))
    return found
