"""How something is done, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from memvault.core.fields import Field, number, read_count, read_date, read_texts, text
from memvault.core.kinds.kind import Kind
from memvault.core.memory import FieldValue, Memory
from memvault.core.value import Record

_CUES = """
3.0 ^ how to | how to <verb> | ^ how i/we/you | ^ wie man | so geht | so <verb> | ^ so wird/werden
3.0 ^ cómo <infinitive> | ^ comment <infinitive> | mode d'emploi | ^ comment on
3.0 ^ steps/procedure/recipe/runbook/workflow/playbook/instructions/checklist | steps to/for | ^ anleitung
3.0 ^ rezept/receta/recette/pasos/étapes/schritte/ablauf/procedimiento/procédure | recipe/runbook for
3.0 #2 | ^ the way i/we/you/to | <ing> * goes like/so | ^ <ing> * takes
2.0 you <verb>/<is> * with ` | ^ <imp> * by <ing> | with `
2.5 first * then/next/after/afterwards/finally | zuerst/zunächst/erst * dann/danach/anschließend
2.5 primero * luego/después/entonces | d'abord * puis/ensuite | ^ first * <verb> | ^ first <verb>
2.0 ^ then/next/finally/afterwards <verb> | <verb> * then/afterwards | ^ dann/danach/anschließend
2.0 ^ luego/después <infinitive> | ^ ensuite/puis | und dann/danach | y luego/después | puis/ensuite
1.5 then <verb> | and then | and finally
1.0 ^ <imp>
2.0 #acts
1.5 #many-acts
3.0 ^ <ing> * :
1.5 means/by/involves <ing> * , <ing> | is done/added/made/set by | with the * off/on/open/closed
2.0 ^ to <verb> * , | ^ to <verb> * you | ^ to * , <verb> | ^ in order to | ^ um * zu * ,
1.5 ^ to <verb> | ^ um * <inf> | ^ para <infinitive> | ^ pour <infinitive> | ^ zum <inf>
2.0 ^ para <infinitive> * , | ^ pour <infinitive> * , | ^ zum * ,
1.0 ^ when/whenever/if/before * , <imp> | ^ after/before/when <ing> * , <imp>
1.5 ^ when/whenever/before/if/after/so you | ^ si * , <infinitive> | ^ wenn * , <inf> | ^ wenn man
1.0 ^ when/whenever/before/after <ing> | ^ if/when the | ^ always <verb> * before/after
1.5 you <verb> * with/by/using | ^ before i/you | ^ i <verb> * then | using `
1.5 by <ing> | you do it/this/that/so by | indem | <verb> it/them by
1.5 step one/two/by | the trick is to | in order to | the process is | the fix is to
1.5 ` * then/and/, * ` | ^ run ` | run/use/execute/call ` * ` to | with ` * ` and
1.0 until it/they/the * <verb>/is/are | for <number>/ten/five/twenty <span> | you need to/can
"""

PROCEDURAL = Kind(
    name="procedural",
    heading="How to",
    meaning="how something is done, step by step",
    scope="project",
    personal=True,
    half_life_days=180,
    share=0.25,
    fill=lambda body, _now, _zone: {"steps": steps} if (steps := list_steps(body)) else {},
    fields=(
        Field("category", text, "what sort of procedure it is"),
        Field("steps", read_texts, "the steps, in order"),
        Field("prerequisites", read_texts, "what must be there first"),
        Field("success_conditions", read_texts, "how to tell that it worked"),
        Field("failure_patterns", read_texts, "how it tends to fail"),
        Field("usage_count", read_count, "how often it was followed"),
        Field("success_rate", number(0.0, 1.0), "how often it worked, 0 to 1"),
        Field("last_used_at", read_date, "when it was last followed"),
    ),
    cue_table=_CUES,
)


# The steps that a text lists.

_NUMBERED = re.compile(r" {0,3}(\d{1,3})[.)] +(.+)")
_BULLET = re.compile(r" {0,3}[-*+] +(?:\[[ xX]\] +)?(.+)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def list_steps(text: str) -> tuple[str, ...]:
    """Return the items of a text's first numbered list, else of its first bulleted one; at least two, or none."""
    lines = list(_outside_code(text.splitlines()))
    for pattern in (_NUMBERED, _BULLET):
        found = _first_list(lines, pattern)
        if len(found) > 1:
            return found
    return ()


def _outside_code(lines: Sequence[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            yield line


def _first_list(lines: Sequence[str], pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Return the items of the first list of that sort; what is indented below an item is left out."""
    items: list[str] = []
    for line in lines:
        found = pattern.match(line)
        if found:
            items.append(found[found.lastindex or 1].strip())
        elif items and line.strip() and not line.startswith((" ", "\t")):
            break
    return tuple(dict.fromkeys(items))


# How often a way of doing something was followed, and how often it worked.


class PracticeRecord(Record):
    """How often a procedure was followed, and the part of the cases in which it worked, if known."""

    count: int = 0
    rate: float | None = None


class PracticeHistory(Record):
    """Each time a procedure was followed and whether it worked, and what the file said before."""

    followed: tuple[tuple[datetime, bool], ...] = ()
    before: PracticeRecord | None = None


NO_PRACTICE = PracticeHistory()


def stored_practice(memory: Memory) -> PracticeRecord:
    """Return what a memory's file says of its practice."""
    count, rate = memory.more.get("usage_count", 0), memory.more.get("success_rate")
    return PracticeRecord(count if isinstance(count, int) else 0, rate if isinstance(rate, int | float) else None)


def current_practice(memory: Memory, practice: PracticeHistory) -> PracticeRecord:
    """Return how often a memory was followed and worked: the file's count, plus the journals since."""
    stored = stored_practice(memory)
    start = practice.before or stored
    if not practice.followed:
        return stored
    count = start.count + len(practice.followed)
    if count < stored.count:
        return stored  # a person knows of more
    rated = start.count if start.rate is not None else 0
    worked = (start.rate or 0.0) * rated + sum(ok for _, ok in practice.followed)
    return PracticeRecord(count, round(worked / (rated + len(practice.followed)), 4))


def outdated_fields(memory: Memory, practice: PracticeHistory) -> Mapping[str, FieldValue]:
    """Return the fields whose numbers in the file are behind, with their right values."""
    if not practice.followed:
        return {}
    now, last = current_practice(memory, practice), practice.followed[-1][0]
    wanted: dict[str, FieldValue] = {"usage_count": now.count, "last_used_at": last}
    if now.rate is not None:
        wanted["success_rate"] = now.rate
    stored = memory.more.get("last_used_at")
    if isinstance(stored, datetime) and stored > last:
        del wanted["last_used_at"]
    return {name: value for name, value in wanted.items() if memory.more.get(name) != value}
