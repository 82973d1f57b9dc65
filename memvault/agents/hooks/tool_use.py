"""A tool was used: what it did is noted in a few words, tasks are followed, reading the web is kept in mind."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.agents.hooks.event import HookCall
from memvault.api.transcripts import ToolUse


def serve_success(scene: HookCall) -> dict[str, object] | None:
    """Note the call; there is nothing to answer."""
    call = parse_tool_use(scene)
    # In a pause, too: what is remembered when it is over must bear the mark, and that says nothing of what was read.
    scene.vault.watch_for_web(call)
    if not scene.vault.find_pause(project=scene.project, session=scene.event.session):
        scene.vault.log_tool_use(call)
    return None


def parse_tool_use(scene: HookCall) -> ToolUse:
    """The call that an event tells of."""
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
    scene.vault.watch_for_web(parse_tool_use(scene))
    return None
