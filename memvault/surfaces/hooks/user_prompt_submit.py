"""A prompt was typed: obey a command in it, or give the model the few memories that it calls for."""

from __future__ import annotations

from memvault.errors import MemvaultError
from memvault.surfaces.hooks.event import Event, Scene, answer


def serve(scene: Scene) -> dict[str, object] | None:
    """The answer to a prompt; nothing where nothing is to be said."""
    event, vault = scene.event, scene.vault
    prompt = event.text("prompt")
    if not prompt.strip() or event.is_machine:
        return None
    if vault.intent(prompt) is not None:
        return answer(event, message=_obeyed(scene, prompt))
    if vault.paused(project=scene.project, session=event.session):
        return None
    return _recalled(event, scene, prompt)


def _obeyed(scene: Scene, prompt: str) -> str:
    """Do what the person asks for, and tell them in one line."""
    try:
        before = scene.vault.exchange_before(scene.event.text("transcript_path"))
        said = scene.vault.say(prompt, before=before, project=scene.project, by_person=True)
    except MemvaultError as error:
        return f"memvault: {error}"
    return f"memvault: {said.sentence}"


def _recalled(event: Event, scene: Scene, prompt: str) -> dict[str, object] | None:
    found = scene.vault.inject(prompt, event=event.name, session=event.session, project=scene.project)
    if not found.text:
        return None
    return answer(event, context=found.text, message=found.sentence)
