"""A session begins, goes on, or was made short: what it ought to know."""

from __future__ import annotations

from memvault.surfaces.hooks.event import Scene, answer


def serve(scene: Scene) -> dict[str, object] | None:
    """What is in hand, due, new or was done lately, and what the agent's instructions do not say of it already."""
    event = scene.event
    found = scene.vault.inject_at_start(
        event=event.name,
        session=event.session,
        project=scene.project,
        source=event.text("source"),
        folder=event.folder,
    )
    scene.vault.start_overdue_upkeep()
    if not found.text:
        return None
    return answer(event, context=found.text, message=found.sentence)
