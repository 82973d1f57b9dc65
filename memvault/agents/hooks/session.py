"""A session begins, goes on, or was made short: what it ought to know."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import HookCall, build_reply, claim_hourly_start
from memvault.open_vault import OpenVault
from memvault.system.paths import claude_folder

if TYPE_CHECKING:
    from memvault.context.prompt import Injection, RunLater
    from memvault.storage.journal.exchanges import Interaction

_MAINTAIN_AFTER = timedelta(hours=24)
_STARTED = "upkeep.asked"


def serve_start(scene: HookCall) -> dict[str, object] | None:
    """What is in hand, due, new or was done lately, and what the agent's instructions do not say of it already."""
    event = scene.event
    transcript, source = event.get_text("transcript_path"), event.get_text("source")
    begin_session(scene.vault, transcript, source=source, project=scene.project)
    if event.folder is not None and scene.project:
        from memvault.storage.still_true import remember_root  # deferred: who reads hooks needs none of it

        remember_root(scene.vault.state_folder, scene.project, event.folder)
    if scene.vault.find_pause(project=scene.project, session=event.session):
        return None
    found = inject_session(
        scene.vault,
        event=event.name,
        session=event.session,
        project=scene.project,
        source=source,
        folder=event.folder,
        later=scene.after_reply.defer_if_delivered,
    )
    scene.after_reply.defer(lambda: start_missed_maintenance(scene.vault))
    if not found.text:
        return None
    return build_reply(event, context=found.text, message=found.sentence)


# A session ends, or is about to be compacted: another process takes its transcript in and saves its progress.


def serve_end(scene: HookCall) -> dict[str, object] | None:
    """Start what may take longer than a hook may; it outlives the session."""
    event = scene.event
    if event.name == "SessionEnd":
        end_session(scene.vault)
    if scene.vault.find_pause(project=scene.project, session=event.session):
        return None
    transcript = scene.event.get_text("transcript_path")
    if transcript:
        start_save(scene.vault, transcript, session=event.session)
    return None


# The agent has answered: what was asked and answered is recorded.


def serve_stop(scene: HookCall) -> dict[str, object] | None:
    """Record the exchange; an answer here would make the agent go on, so there never is one."""
    event = scene.event
    if event.payload.get("stop_hook_active") is not True:
        transcript, answer = event.get_text("transcript_path"), event.get_text("last_assistant_message")
        scene.after_reply.defer(
            lambda: record_exchange(scene.vault, transcript=transcript, answer=answer, project=scene.project)
        )
    return None


def inject_session(
    vault: OpenVault,
    *,
    event: str,
    session: str,
    project: str,
    source: str = "",
    folder: Path | None = None,
    later: RunLater | None = None,
) -> Injection:
    """Return what a session begins with, as text for the model with a line for the user; `source` is how it begins."""
    from memvault.agents.setup.recall_way import describe_recall
    from memvault.context.prompt import InjectionEvent, run_now
    from memvault.context.session_start import inject_session_start

    way = describe_recall(
        vault.environment,
        agent=vault.actor.agent,
        folder=folder or vault.root,
        vault=vault.root,
        configured=vault.settings.text("user.vault"),
    )
    occasion = InjectionEvent(
        event=event,
        session=session,
        project=project,
        state=vault.state_folder,
        source=source,
        folder=folder,
        home=claude_folder(vault.environment),
        later=later or run_now,
        way=way,
    )
    return vault.run(inject_session_start, occasion)


def record_exchange(vault: OpenVault, *, transcript: str, answer: str, project: str) -> Interaction | None:
    """Record what was asked and answered last in this session, and the uses of what was recalled for it."""
    from memvault.agents.hooks.exchanges import log_exchange

    return vault.run(log_exchange, transcript=transcript, answer=answer, project=project)


def begin_session(vault: OpenVault, transcript: str, *, source: str, project: str) -> None:
    """Have a session that goes on from one that read the web bear its mark; `source` says how it begins."""
    from memvault.storage.web_taint import carry_over_taint, mark_resumed

    state, session = vault.state_folder, vault.actor.session
    mark_resumed(state, session)
    carry_over_taint(state, transcript, session=session, source=source, project=project, now=vault.now())


def end_session(vault: OpenVault) -> None:
    """Remember that this session is over."""
    from memvault.storage.web_taint import mark_ended

    if vault.actor.session:
        mark_ended(vault.state_folder, vault.actor.session, now=vault.now())


def start_save(vault: OpenVault, transcript: str, *, session: str) -> None:
    """Start a process that ingests the transcript and saves the progress; it outlives this one."""
    from memvault.system.programs import start_memvault

    words = ["--vault", str(vault.root), "save-progress", "--session", session, "--transcript", transcript]
    # Whose session it is goes along: what is kept of one that read the web is marked.
    who = {"MEMVAULT_AGENT": vault.actor.agent, "MEMVAULT_SESSION": session}
    start_memvault(words, {**vault.environment, **who})


def start_missed_maintenance(vault: OpenVault) -> bool:
    """Start maintenance in a process of its own if none ran for a day; return whether one was started."""
    from memvault.storage.journal.runs import read_last_run
    from memvault.system.programs import start_memvault

    if not vault.settings.flag("schedule.at_session_start") or vault.settings.text("decay.control") == "manual":
        return False
    now, last = vault.now(), vault.run(read_last_run).at
    if last is not None and abs(now - last) < _MAINTAIN_AFTER:
        return False
    if not claim_hourly_start(vault.state_folder / _STARTED, now):
        return False
    # It is not the agent that looks after the vault.
    alone = {**vault.environment, "CLAUDECODE": "", "MEMVAULT_AGENT": "", "MEMVAULT_SESSION": ""}
    start_memvault(["--vault", str(vault.root), "maintain", "--scheduled"], alone)
    return True
