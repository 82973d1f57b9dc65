"""An edit or a command is about to be made: give the one rule of the person that bears on it, or have them asked."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import HookCall
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.storage.vault.context import VaultContext

if TYPE_CHECKING:
    from memvault.context.prompt import RunLater
    from memvault.text.statements.action_match import ActionRule, PlannedAction

EVENT = "PreToolUse"
_MOST_RULES = 2_000  # the latest
_MOST_RATED = 20  # of those that bear on an action, until one may be given
_RULES = "rules of actions"


def serve(scene: HookCall) -> dict[str, object] | None:
    """Return the rule that bears on what is about to be done; with `guard: true` the person is asked first."""
    from memvault.text.statements.action_match import read_action  # deferred: a pause loads none of it

    event = scene.event
    given = event.payload.get("tool_input")
    folder = str(event.folder or "")
    action = read_action(event.get_text("tool_name"), given if isinstance(given, dict) else {}, folder)
    if action is None:
        return None
    session = scene.vault.check_session_name(event.session)
    found = scene.vault.run(
        find_rule, action, session, scene.project, scene.vault.state_folder, scene.after_reply.defer_if_delivered
    )
    if found is None:
        return None
    memory, text = found
    line = f"The user's own rule ({short_id(memory.id)}), for what you are about to do: {text}"
    reply: dict[str, object] = {"hookEventName": event.name, "additionalContext": line}
    if memory.more.get("guard"):
        reply |= {"permissionDecision": "ask", "permissionDecisionReason": f"memvault: {text}"}
    return {"hookSpecificOutput": reply}


def find_rule(
    context: VaultContext, action: PlannedAction, session: str, project: str, state: Path, later: RunLater
) -> tuple[Memory, str] | None:
    """Return the rule that bears most surely on an action, once in a session, with its text on one line."""
    from memvault.context.briefing import quote_label
    from memvault.context.eligible import can_be_injected
    from memvault.context.injection_log import InjectionRecord, append_record, last_records
    from memvault.text.statements.action_match import BEARS, rate_bearing
    from memvault.text.terms import estimate_tokens

    context.refresh()
    rated = [(rate_bearing(rule, action), number, text) for number, text, rule in _load_rules(context)]
    bearing = sorted(((score, number, text) for score, number, text in rated if score >= BEARS), reverse=True)
    if not bearing:
        return None
    given = {id_ for row in last_records(state, session, limit=0) if row.event == EVENT for id_ in row.ids}
    folders, kinds = context.settings.texts("inject.folders"), context.settings.kinds
    for _, number, text in bearing[:_MOST_RATED]:
        memory = context.index.memory_by_number(number)
        if memory is None or memory.id in given or memory.status != "active":
            continue
        if not can_be_injected(memory, folders=folders, project=project, kinds=kinds, now=context.here):
            continue
        shown = quote_label(text, longest=len(text) + 1)
        row = InjectionRecord(
            at=context.now,
            session=session,
            agent=context.actor.agent,
            event=EVENT,
            project=project,
            ids=(memory.id,),
            why={memory.id: "it bears on an action"},
            tokens=estimate_tokens(shown),
        )
        later(partial(append_record, state, row))
        return memory, shown
    return None


def _load_rules(context: VaultContext) -> list[tuple[int, str, ActionRule]]:
    """Return the rules as they are compared, parsed once for each state of the vault."""
    from memvault.text.statements.action_match import parse_rule

    cache = context.index.derived.current()
    if _RULES not in cache:
        cache[_RULES] = [(number, text, parse_rule(text)) for number, text in context.index.action_rules(_MOST_RULES)]
    found: list[tuple[int, str, ActionRule]] = cache[_RULES]
    return found
