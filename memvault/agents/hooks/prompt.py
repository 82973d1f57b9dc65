"""A prompt was typed: obey a command in it, and give the model the few memories that the rest calls for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import AlreadyDone, HookCall, TimedOut, build_reply
from memvault.agents.spoken.listening import find_obeyed_command
from memvault.errors import MemvaultError
from memvault.open_vault import OpenVault

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import SpokenResult
    from memvault.context.prompt import Injection, RunLater

_TAIL_BYTES = 200_000  # of a transcript, in which the last exchange is looked for


def serve(scene: HookCall) -> dict[str, object] | None:
    """Return the answer to a prompt; nothing where nothing is to be said."""
    event, vault = scene.event, scene.vault
    prompt = event.get_text("prompt")
    if not prompt.strip() or event.is_machine:
        return None
    heard = find_obeyed_command(prompt, vault.settings)
    if heard is None:
        context, message = _inject_memories(scene, prompt)
        return build_reply(event, context=context, message=message)
    said, did = _obey_command(scene, prompt)
    stored = _describe_stored(said) if said else ""
    try:
        context, message = _inject_memories(scene, heard.rest, said)
    except (Exception, TimedOut):  # what was done is told, whatever becomes of the rest
        scene.after_reply.cancel_if_delivered()
        context, message = "", ""
    lines = ("\n".join(filter(None, some)) for some in ((stored, context), (did, message)))
    context, message = lines
    return build_reply(event, context=context, message=message)


def _describe_stored(said: SpokenResult) -> str:
    """Return a line that tells the model what a command stored; empty where it stored nothing."""
    from memvault.agents.spoken.execute import created_ids  # deferred: most prompts hold no command
    from memvault.core.ids import short_id

    return "".join(f"memvault has kept this as {short_id(id_)}." for id_ in created_ids(said))


def _obey_command(scene: HookCall, prompt: str) -> tuple[SpokenResult | None, str]:
    """Do what the person asks for; what came of it, and the same in one line for them."""
    from memvault.agents.spoken.execute import SpokenContext, describe_last_command, say

    try:
        before = read_last_exchange(scene.event.get_text("transcript_path"))
        said = scene.vault.run(say, prompt, SpokenContext(previous_text=before, project=scene.project, by_person=True))
    except AlreadyDone as written:
        return None, f"memvault: {written.description}"
    except TimedOut:
        if scene.write_claim.has_begun and (
            did := scene.vault.run(describe_last_command)
        ):  # the time was up when it was done
            return None, f"memvault: {did}"
        raise
    except MemvaultError as error:
        # Who waited too long for its turn here may still have the time for it at home.
        scene.write_claim.check_awaited()
        return None, f"memvault: {error}"
    return said, f"memvault: {said.sentence}"


def _inject_memories(scene: HookCall, prompt: str, said: SpokenResult | None = None) -> tuple[str, str]:
    """What is put before the model, and the line that tells the user; nothing in a pause but what was asked for."""
    event, vault = scene.event, scene.vault
    if vault.find_pause(project=scene.project, session=event.session) and not (said and said.is_question):
        return "", ""
    found = inject_prompt(
        vault,
        prompt,
        event=event.name,
        session=event.session,
        project=scene.project,
        obeyed=said,
        later=scene.after_reply.defer_if_delivered,
    )
    return found.text, found.sentence if found.text else ""


def inject_prompt(
    vault: OpenVault,
    prompt: str,
    *,
    event: str,
    session: str,
    project: str,
    obeyed: SpokenResult | None = None,
    later: RunLater | None = None,
) -> Injection:
    """Return the few memories that a prompt calls for, as text for the model, with a line for the user.

    The result of an `obeyed` command goes along where the model is to report it, and is not given again.
    """
    from memvault.context.prompt import InjectionEvent, inject_for_prompt, run_now

    own = vault.check_session_name(session)
    occasion = InjectionEvent(
        event=event, session=own, project=project, state=vault.state_folder, later=later or run_now, prompt=prompt
    )
    if obeyed is None:
        return vault.run(inject_for_prompt, prompt, occasion)
    from memvault.agents.spoken.execute import created_ids, question_answer  # deferred: most prompts hold no command

    asked, without = question_answer(obeyed), created_ids(obeyed)
    return vault.run(inject_for_prompt, prompt, occasion, asked=asked, without=without)


def read_last_exchange(transcript: str) -> str:
    """Return what was said last in a transcript, which is what "this" means; empty where it cannot be read."""
    from memvault.transcripts.archive.source_file import SourceFile
    from memvault.transcripts.formats import agent_format
    from memvault.transcripts.model.record import ReadStart, TranscriptEntry

    try:
        source = SourceFile.open_file(Path(transcript))
    except MemvaultError:
        return ""
    records = agent_format(source.first, source.path.name).read(
        source.read_chunks(max(0, source.size - _TAIL_BYTES)), ReadStart()
    )
    turns = [record.turn for record in records if isinstance(record, TranscriptEntry) and record.turn]
    return "\n\n".join([turn.text for turn in turns if turn.text][-2:])
