"""A tool was used: what it did is noted in a few words, tasks are followed, reading the web is kept in mind."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.agents.hooks.event import HookCall
from memvault.core.value import Record
from memvault.open_vault import OpenVault


class ToolUse(Record, kw_only=True):
    """One call of a tool, as an agent's hook reports it."""

    tool: str
    arguments: Mapping[str, object]
    answer: object
    folder: str = ""
    project: str = ""


def serve_success(scene: HookCall) -> dict[str, object] | None:
    """Note the call; there is nothing to answer."""
    call = parse_tool_use(scene)
    # In a pause, too: what is remembered when it is over must bear the mark, and that says nothing of what was read.
    watch_for_web(scene.vault, call)
    if not scene.vault.find_pause(project=scene.project, session=scene.event.session):
        log_tool_use(scene.vault, call)
    return None


def parse_tool_use(scene: HookCall) -> ToolUse:
    """Return the call that an event tells of."""
    event = scene.event
    given = event.payload.get("tool_input")
    return ToolUse(
        tool=event.get_text("tool_name"),
        arguments=given if isinstance(given, Mapping) else {},
        answer=event.payload.get("tool_response"),
        folder=event.get_text("cwd"),
        project=scene.project,
    )


# A tool failed: nothing was done, but the web may have been read.


def serve_failure(scene: HookCall) -> dict[str, object] | None:
    """Keep in mind that the web was read; there is nothing to answer."""
    watch_for_web(scene.vault, parse_tool_use(scene))
    return None


def watch_for_web(vault: OpenVault, call: ToolUse) -> None:
    """Mark a session as tainted where a call of a tool read the web."""
    from memvault.transcripts.model.web import reads_web

    if vault.actor.is_nameless:
        return  # it is taken for one that did
    if reads_web(call.tool, call.arguments, more=vault.settings.texts("screen.web_tools")):
        from memvault.memories.web_taint import mark_tainted  # deferred: few calls do

        mark_tainted(vault.state_folder, session=vault.actor.session, project=call.project, now=vault.now())


def log_tool_use(vault: OpenVault, call: ToolUse) -> None:
    """Log what a call of a tool did in a few words, and follow the agent's list of tasks."""
    from memvault.agents.hooks.todo_list import parse_todo_steps
    from memvault.transcripts.model.tool_calls import tool_actions

    session = vault.actor.session
    if done := tool_actions(call.tool, call.arguments, call.answer, folder=call.folder):
        from memvault.agents.hooks.tool_log import log_tool_calls

        log_tool_calls(vault.state_folder, done, session=session, now=vault.now())
    if session and (steps := parse_todo_steps(call.tool, call.arguments, call.answer)):
        from memvault.agents.hooks.todo_list import follow_todos

        vault.run(follow_todos, steps)
