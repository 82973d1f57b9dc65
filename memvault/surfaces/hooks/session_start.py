"""A session begins: what is due, and what is in hand."""

from __future__ import annotations

from memvault.surfaces.hooks.event import Scene, answer


def serve(scene: Scene) -> dict[str, object] | None:
    """Reminders that are due and tasks in hand; who the user is stands in CLAUDE.md already."""
    found = scene.vault.inject_at_start(event=scene.event.name, session=scene.event.session, project=scene.project)
    if not found.text:
        return None
    return answer(scene.event, context=found.text, message=found.sentence)
