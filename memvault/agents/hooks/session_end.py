"""A session ends, or is about to be compacted: another process takes its transcript in and saves its progress."""

from __future__ import annotations

from memvault.agents.hooks.event import Scene


def serve(scene: Scene) -> dict[str, object] | None:
    """Start what may take longer than a hook may; it outlives the session."""
    event = scene.event
    if event.name == "SessionEnd":
        scene.vault.end_session()
    if scene.vault.paused(project=scene.project, session=event.session):
        return None
    transcript = scene.event.text("transcript_path")
    if transcript:
        scene.vault.keep_session(transcript, session=scene.event.session)
    return None
