"""A session begins, goes on, or was made short: what it ought to know."""

from __future__ import annotations

from memvault.agents.hooks.event import Scene, answer


def serve(scene: Scene) -> dict[str, object] | None:
    """What is in hand, due, new or was done lately, and what the agent's instructions do not say of it already."""
    event = scene.event
    transcript, source = event.text("transcript_path"), event.text("source")
    scene.vault.begin_session(transcript, source=source, project=scene.project)
    if scene.vault.paused(project=scene.project, session=event.session):
        return None
    found = scene.vault.inject_at_start(
        event=event.name,
        session=event.session,
        project=scene.project,
        source=source,
        folder=event.folder,
        later=scene.rest.if_given,
    )
    scene.rest.later(scene.vault.start_overdue_upkeep)
    if not found.text:
        return None
    return answer(event, context=found.text, message=found.sentence)
