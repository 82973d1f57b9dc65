"""A prompt was typed: obey a command in it, and give the model the few memories that the rest calls for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.agents.hooks.event import AlreadyDone, HookCall, TimedOut, build_reply
from memvault.errors import MemvaultError

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import SpokenResult


def serve(scene: HookCall) -> dict[str, object] | None:
    """The answer to a prompt; nothing where nothing is to be said."""
    event, vault = scene.event, scene.vault
    prompt = event.get_text("prompt")
    if not prompt.strip() or event.is_machine:
        return None
    heard = vault.parse_command(prompt)
    if heard is None:
        context, message = _inject_memories(scene, prompt)
        return build_reply(event, context=context, message=message)
    said, did = _obey_command(scene, prompt)
    try:
        context, message = _inject_memories(scene, heard.rest, said)
    except (Exception, TimedOut):  # what was done is told, whatever becomes of the rest
        scene.after_reply.cancel_if_delivered()
        context, message = "", ""
    return build_reply(event, context=context, message="\n".join(filter(None, (did, message))))


def _obey_command(scene: HookCall, prompt: str) -> tuple[SpokenResult | None, str]:
    """Do what the person asks for; what came of it, and the same in one line for them."""
    try:
        before = scene.vault.exchange_before(scene.event.get_text("transcript_path"))
        said = scene.vault.say(prompt, before=before, project=scene.project, by_person=True)
    except AlreadyDone as written:
        return None, f"memvault: {written.description}"
    except TimedOut:
        if scene.write_claim.has_begun and (
            did := scene.vault.describe_last_command()
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
    found = vault.inject_for_prompt(
        prompt,
        event=event.name,
        session=event.session,
        project=scene.project,
        obeyed=said,
        later=scene.after_reply.defer_if_delivered,
    )
    return found.text, found.sentence if found.text else ""
