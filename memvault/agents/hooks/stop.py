"""The agent has answered: what was asked and answered is recorded."""

from __future__ import annotations

from memvault.agents.hooks.event import Scene


def serve(scene: Scene) -> dict[str, object] | None:
    """Record the exchange; an answer here would make the agent go on, so there never is one."""
    event = scene.event
    if event.told.get("stop_hook_active") is not True:
        exchange = {"transcript": event.text("transcript_path"), "answer": event.text("last_assistant_message")}
        scene.rest.later(lambda: scene.vault.keep_exchange(**exchange, project=scene.project))
    return None
