"""Have the model word what upkeep merged: taken where it says the same and no more, else the rules' text stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.scan import found as leaks
from memvault.maintenance.llm_wording import objection
from memvault.maintenance.rules import Made, Survey, Swept
from memvault.maintenance.rules.merge import RULE
from memvault.models.llm.ask import Ask, Failure, Reason
from memvault.models.llm.fence import fenced
from memvault.models.llm.prompts import prompt

_LONGEST = 12_000  # characters; of a longer text no model gives all back
_FORM = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 2 * _LONGEST}},
    "required": ["text"],
}
_ABOUT_THE_TEXT: frozenset[Reason] = frozenset({"malformed", "oversized"})
"""After any other failure the next text would fare no better, and its time would be lost too."""


@dataclass(frozen=True, slots=True)
class Worded:
    """The text that stands, and what came of asking; the latter is empty where nobody was asked."""

    text: str
    note: str = ""
    failure: Failure | None = None


def worded(swept: Swept, survey: Survey, ask: Ask, *, seconds: float) -> Swept:
    """What the rules decided, with the merged texts as the model words them, as long as it answers."""
    texts: dict[str, Worded] = {}
    for made in _joined(swept, survey):
        found = wording(made.memory.body or "", ask, seconds=seconds)
        texts[made.memory.id] = found
        if found.failure is not None and found.failure.reason not in _ABOUT_THE_TEXT:
            break
    memories = (
        memory.changed(body=texts[memory.id].text) if memory.id in texts else memory for memory in swept.memories
    )
    changes = (_with(change, texts) if isinstance(change, Made) else change for change in swept.changes)
    return replace(swept, changes=tuple(changes), memories=tuple(memories))


def wording(text: str, ask: Ask | None, *, seconds: float = 60.0) -> Worded:
    """A text as the model words it where it says the same and no more; else, and without a model, as it is."""
    if ask is None or not 0 < len(text) <= _LONGEST or without_private(text) != text or leaks(text):
        return Worded(text)  # what would be taken out on the way would be missing from the answer
    found = ask(prompt("wording"), fenced([("The text", text)]), _FORM, seconds, purpose="wording of a merge")
    if isinstance(found, Failure):
        return Worded(text, f"the model gave no wording ({found.reason})", found)
    proposal = found.get("text") if isinstance(found, Mapping) else None
    if not isinstance(proposal, str):
        return Worded(text, "the model gave no wording (malformed)", Failure("malformed", "there is no text in it"))
    proposal = proposal.strip() + text[len(text.rstrip()) :]
    against = objection(text, proposal)
    return Worded(text, f"the model's wording was not taken: {against}") if against else _taken(text, proposal)


def _taken(text: str, proposal: str) -> Worded:
    return Worded(proposal, "worded by the model") if proposal != text else Worded(text)


def _joined(swept: Swept, survey: Survey) -> Iterator[Made]:
    """The merged memories whose text is nobody's own: what a source said whole already stays in its words."""
    bodies: dict[str, set[str]] = {}
    first = {memory.id: memory for memory in survey.memories}
    for memory in swept.memories:
        into = memory.more.get("merged_into")
        if isinstance(into, str) and memory.id in first:
            bodies.setdefault(into, set()).add(survey.body(first[memory.id]).strip())
    for made in (change for change in swept.changes if isinstance(change, Made)):
        own = bodies.get(made.memory.id, set())
        if RULE in made.about.rules and (made.memory.body or "").strip() not in own:
            yield made


def _with(made: Made, texts: Mapping[str, Worded]) -> Made:
    found = texts.get(made.memory.id)
    if found is None or not found.note:
        return made
    return replace(made, memory=made.memory.changed(body=found.text), why=f"{made.why}; {found.note}")
