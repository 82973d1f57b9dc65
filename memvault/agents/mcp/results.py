"""Answers as text, for agents that read no structured ones: every word of a memory stands behind a `>`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from memvault.agents.mcp.answers import (
    Answer,
    Change,
    Course,
    Depths,
    Done,
    Found,
    Glance,
    Hit,
    Kept,
    Moment,
    Talk,
    Topic,
    Undone,
    Whole,
)
from memvault.context.quotation import quotation


def text(answer: Answer) -> str:
    """The answer in words."""
    match answer:
        case Found():
            return _page(answer.note, *map(_hit, answer.hits), answer.advice)
        case Course():
            more = f"{answer.left_out} neighbours did not fit." if answer.left_out else ""
            return _page(answer.note, "\n".join(map(_moment, answer.moments)), more)
        case Whole():
            return _whole(answer)
        case Depths():
            return _depths(answer)
        case Done():
            return _done(answer)
        case Undone():
            return _page(f"{answer.did} ({answer.operation})", "\n".join(f"- {step}" for step in answer.steps))
        case Kept():
            return _kept(answer)
        case Glance():
            return _glance(answer)
        case _:
            assert_never(answer)


def _page(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _facts(*facts: str) -> str:
    return ", ".join(filter(None, facts))


def _from(source: str) -> str:
    return f"from {source}" if source != "user" else ""


def _hit(hit: Hit) -> str:
    against = f"contradicts {', '.join(hit.contradicts)}" if hit.contradicts else ""
    head = f"{hit.title} ({_facts(hit.id, hit.day, hit.kind, _from(hit.source), *hit.marks, against, hit.via)})"
    return f"{head}\n{quotation(hit.text)}" if hit.text else head


def _moment(moment: Moment) -> str:
    mark = "*" if moment.chosen else "-"
    head = f"{mark} {moment.when} {moment.title} ({_facts(moment.id, moment.kind, *moment.marks)})"
    return f"{head}\n{quotation(moment.begins)}" if moment.begins else head


def _whole(whole: Whole) -> str:
    facts = _facts(whole.id, whole.kind, whole.type, whole.day, _from(whole.source), f"weight {whole.weight:.2f}")
    rows = {
        "status": whole.status if whole.status != "active" else "",
        "pinned": "yes" if whole.pinned else "",
        "tags": ", ".join(whole.tags),
        "people": ", ".join(whole.people),
        "triggers": ", ".join(whole.triggers),
        **whole.fields,
        "links to": ", ".join(whole.links),
        "linked from": ", ".join(whole.linked_from),
        "in detail": ", ".join(whole.deep_context),
        "superseded by": ", ".join(whole.superseded_by),
        "contradicts": ", ".join(whole.contradicts),
        "file": whole.path,
        "version": whole.version,
    }
    more = f"It goes on: call show with start={whole.next}." if whole.next else ""
    return _page(whole.note, f"{whole.title} ({facts})\n{_rows(rows)}", quotation(whole.text), more)


def _rows(rows: Mapping[str, object]) -> str:
    return "\n".join(f"{label}: {value}" for label, value in rows.items() if value)


def _depths(depths: Depths) -> str:
    return _page(
        depths.note,
        depths.advice,
        _part("Memories", map(_hit, depths.memories)),
        _part("Topics", map(_topic, depths.topics)),
        *map(_talk, depths.conversations),
        f"{depths.left_out} more did not fit." if depths.left_out else "",
    )


def _part(heading: str, lines: Iterable[str]) -> str:
    told = list(lines)
    return "\n\n".join([f"{heading}:", *told]) if told else ""


def _topic(topic: Topic) -> str:
    facts = _facts(topic.ref, topic.day, topic.conversation, f"{topic.turns} turns", ", ".join(topic.keywords))
    return f"- ({facts})\n{quotation(topic.summary)}"


def _talk(talk: Talk) -> str:
    lines = []
    for line in talk.lines:
        did = f"did: {'; '.join(line.did)}" if line.did else ""
        facts = _facts(line.ref, line.speaker, line.time, "found" if line.found else "")
        lines.append(f"{facts}\n{quotation(_page(line.text, did))}")
    clipped = "The budget cut what surrounds this; dig with `open` reads it whole." if talk.clipped else ""
    return "\n".join(filter(None, [f"Conversation: {talk.title} ({talk.ref})", *lines, clipped]))


def _done(done: Done) -> str:
    back = f'Take it back with undo(operation="{done.operation}").' if done.operation else ""
    return "\n".join(filter(None, [f"{done.did}: {done.title} ({done.id}), {done.path}", *done.remarks, back]))


def _kept(kept: Kept) -> str:
    changes = "\n".join(map(_change, kept.changes))
    more = f"{kept.left_out} more changes." if kept.left_out else ""
    refused = "\n".join(f"not done: {reason}" for reason in kept.refused)
    waiting = [f"{kept.conflicts} contradictions wait for the user" if kept.conflicts else ""]
    waiting += [f"{kept.duplicates} pairs may say the same, and wait for the user" if kept.duplicates else ""]
    back = f'Take it back with undo(operation="{kept.operation}").' if kept.operation else ""
    return _page(kept.did, changes, more, refused, _facts(*waiting), back)


def _change(change: Change) -> str:
    return f"- {change.title} ({_facts(change.id, change.to)}): {change.why}"


def _glance(glance: Glance) -> str:
    rows = {
        "memories": glance.memories,
        "tiers": _counted(glance.tiers),
        "kinds": _counted(glance.kinds),
        "statuses": _counted(glance.statuses),
        "pinned": glance.pinned,
        "conversations": glance.conversations,
        "files with problems": glance.problems,
        "last upkeep": glance.upkeep,
        "paused": glance.paused,
    }
    due = "\n".join(["Due:", *(f"- {each.title} ({_facts(each.id, each.due)})" for each in glance.due)])
    return _page(f"Vault {glance.vault}\n{_rows(rows)}", due if glance.due else "")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
