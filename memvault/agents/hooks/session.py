"""A session begins, goes on, or was made short: what it ought to know."""

from __future__ import annotations

from memvault.agents.hooks.event import HookCall, build_reply


def serve_start(scene: HookCall) -> dict[str, object] | None:
    """What is in hand, due, new or was done lately, and what the agent's instructions do not say of it already."""
    event = scene.event
    transcript, source = event.get_text("transcript_path"), event.get_text("source")
    scene.vault.begin_session(transcript, source=source, project=scene.project)
    if scene.vault.find_pause(project=scene.project, session=event.session):
        return None
    found = scene.vault.inject_for_session(
        event=event.name,
        session=event.session,
        project=scene.project,
        source=source,
        folder=event.folder,
        later=scene.after_reply.defer_if_delivered,
    )
    scene.after_reply.defer(scene.vault.start_overdue_upkeep)
    if not found.text:
        return None
    return build_reply(event, context=found.text, message=found.sentence)


# A session ends, or is about to be compacted: another process takes its transcript in and saves its progress.


def serve_end(scene: HookCall) -> dict[str, object] | None:
    """Start what may take longer than a hook may; it outlives the session."""
    event = scene.event
    if event.name == "SessionEnd":
        scene.vault.end_session()
    if scene.vault.find_pause(project=scene.project, session=event.session):
        return None
    transcript = scene.event.get_text("transcript_path")
    if transcript:
        scene.vault.keep_session(transcript, session=scene.event.session)
    return None


# The agent has answered: what was asked and answered is recorded.


def serve_stop(scene: HookCall) -> dict[str, object] | None:
    """Record the exchange; an answer here would make the agent go on, so there never is one."""
    event = scene.event
    if event.payload.get("stop_hook_active") is not True:
        exchange = {"transcript": event.get_text("transcript_path"), "answer": event.get_text("last_assistant_message")}
        scene.after_reply.defer(lambda: scene.vault.record_exchange(**exchange, project=scene.project))
    return None
