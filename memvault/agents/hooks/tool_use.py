"""A tool was used: what it did is noted in a few words, tasks are followed, reading the web is kept in mind."""

from __future__ import annotations

from collections.abc import Mapping

from memvault.agents.hooks.event import Scene
from memvault.api.transcripts import Call


def serve_success(scene: Scene) -> dict[str, object] | None:
    """Note the call; there is nothing to answer."""
    call = called(scene)
    # In a pause, too: what is remembered when it is over must bear the mark, and that says nothing of what was read.
    scene.vault.watch_for_web(call)
    if not scene.vault.paused(project=scene.project, session=scene.event.session):
        scene.vault.observe(call)
    return None


def called(scene: Scene) -> Call:
    """The call that an event tells of."""
    event = scene.event
    given = event.told.get("tool_input")
    return Call(
        tool=event.text("tool_name"),
        given=given if isinstance(given, Mapping) else {},
        answer=event.told.get("tool_response"),
        folder=event.text("cwd"),
        project=scene.project,
    )


# A tool failed: nothing was done, but the web may have been read.


def serve_failure(scene: Scene) -> dict[str, object] | None:
    """Keep in mind that the web was read; there is nothing to answer."""
    scene.vault.watch_for_web(called(scene))
    return None
