"""A prompt was typed: obey a command in it, and give the model the few memories that the rest calls for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.agents.hooks.event import Late, Scene, Written, answer
from memvault.errors import MemvaultError

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import Said


def serve(scene: Scene) -> dict[str, object] | None:
    """The answer to a prompt; nothing where nothing is to be said."""
    event, vault = scene.event, scene.vault
    prompt = event.text("prompt")
    if not prompt.strip() or event.is_machine:
        return None
    heard = vault.hear(prompt)
    if heard is None:
        context, message = _recalled(scene, prompt)
        return answer(event, context=context, message=message)
    said, did = _obeyed(scene, prompt)
    try:
        context, message = _recalled(scene, heard.rest, said)
    except (Exception, Late):  # what was done is told, whatever becomes of the rest
        scene.rest.forget_given()
        context, message = "", ""
    return answer(event, context=context, message="\n".join(filter(None, (did, message))))


def _obeyed(scene: Scene, prompt: str) -> tuple[Said | None, str]:
    """Do what the person asks for; what came of it, and the same in one line for them."""
    try:
        before = scene.vault.exchange_before(scene.event.text("transcript_path"))
        said = scene.vault.say(prompt, before=before, project=scene.project, by_person=True)
    except Written as written:
        return None, f"memvault: {written.did}"
    except Late:
        if scene.hand.has_begun and (did := scene.vault.obeyed_before()):  # the time was up when it was done
            return None, f"memvault: {did}"
        raise
    except MemvaultError as error:
        scene.hand.check()  # who waited too long for its turn here may still have the time for it at home
        return None, f"memvault: {error}"
    return said, f"memvault: {said.sentence}"


def _recalled(scene: Scene, prompt: str, said: Said | None = None) -> tuple[str, str]:
    """What is put before the model, and the line that tells the user; nothing in a pause but what was asked for."""
    event, vault = scene.event, scene.vault
    if vault.paused(project=scene.project, session=event.session) and not (said and said.is_question):
        return "", ""
    found = vault.inject(
        prompt, event=event.name, session=event.session, project=scene.project, obeyed=said, later=scene.rest.if_given
    )
    return found.text, found.sentence if found.text else ""
