"""`memvault review`: all that waits for a person, one card at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.memories.review_session import ReviewSession
from memvault.cli.options import (
    Argument,
    DryRun,
    Limit,
    Option,
    Several,
    action_argument,
    check_action,
    number_option,
    split_values,
)
from memvault.cli.output import memory as layers
from memvault.cli.output.cards import format_card, format_card_table, format_counts
from memvault.cli.output.changes import undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.errors import Misused, NotFound
from memvault.maintenance.conflicts import MergeResult, merge_memories, resolve_conflict
from memvault.maintenance.inbox import CardList, act_on_card, find_cards, list_cards
from memvault.maintenance.inbox.card import Card
from memvault.text.display import format_count, to_one_line

if TYPE_CHECKING:
    from memvault.api import Memvault


REVIEW_EXAMPLES = (
    "memvault review",
    "memvault review list --only quarantine --text",
    "memvault review accept 5f0c 0d1c",
    "memvault review refuse --all --only quarantine",
    "memvault review hold 5f0c 0d1c   # the first holds, and supersedes the other",
    "memvault review merge 5f0c 0d1c",
    "memvault review snooze 5f0c --days 14",
)

_CARD_ACTIONS = ("accept", "refuse", "pin", "forget", "snooze")
_PAIR_ACTIONS = ("hold", "both", "merge")
ACTIONS = ("cards", "list", *_CARD_ACTIONS, *_PAIR_ACTIONS)
_COMMAND = "memvault review"

Action = Annotated[
    str,
    action_argument(ACTIONS, f"What to do: {', '.join(ACTIONS[1:])}. Without it, you are shown one card at a time."),
]
Refs = Annotated[
    Several, Argument(metavar="MEMORY", help="Memories on the cards: ids (4 characters or more), file names or titles.")
]
Only = Annotated[
    Several,
    Option(
        "--only",
        metavar="KIND",
        help="Only cards of this kind: due, task, contradiction, quarantine, rule, unsure, outdated, duplicate, fading,"
        " adoption.",
    ),
]
All = Annotated[bool, Option("--all", help="All cards that allow it.")]
Text = Annotated[bool, Option("--text", help="List the cards with their texts.")]
Newest = Annotated[bool, Option("--newest", help="With hold: the newer of the two, in whatever order you name them.")]
Both = Annotated[bool, Option("--both", help="With hold: both of them.")]
Days = Annotated[int, number_option("--days", metavar="N", help_="With snooze: so many days; 7, or 1 for a reminder.")]


def review(
    cli: CliContext,
    action: Action = "cards",
    refs: Refs = None,
    *,
    only: Only = None,
    all_: All = False,
    text: Text = False,
    limit: Limit = 0,
    newest: Newest = False,
    both: Both = False,
    days: Days = 0,
    dry_run: DryRun = False,
) -> CommandResult:
    """Go through all that waits for you, one card at a time, and answer each with a key.

    What waits: reminders that are due, memories that contradict each other or may say the same, what came from the web
    or from tools, what was picked up with little sureness, rules that an agent wrote, and what fades soon. In a pipe
    and with --json the cards are listed. Every answer is one operation, which undo takes back.
    """
    check_action(action, ACTIONS, _COMMAND)
    chosen = refs or []
    _check_options(action, chosen, all_=all_, text=text, is_hold=newest or both, days=days)
    if newest and both:
        raise Misused(reason="--both and --newest exclude each other.", command=_COMMAND)
    with cli.open_vault() as vault:
        if action in _PAIR_ACTIONS and not all_ and len(chosen) > 1:
            return _settle_memories(vault, "both" if both else action, chosen, newest=newest, dry_run=dry_run)
        with cli.progress_bar("Comparing") as bar:
            found = vault.run(list_cards, frozenset(split_values(only)), progress=bar)
        if action == "cards" and cli.has_person and cli.terminal_format().width and not cli.as_json:
            return ReviewSession(cli, vault, frozenset(split_values(only)), found.cards).run_session()
        if action in ("cards", "list"):
            return _list_result(found, limit, text=text or action == "cards")
        name = {"hold": "accept"}.get(action, action)
        return _settle_cards(vault, found, name, chosen, all_=all_, days=days, dry_run=dry_run)


def _check_options(action: str, refs: Sequence[str], *, all_: bool, text: bool, is_hold: bool, days: int) -> None:
    is_listing = action in ("cards", "list")
    if is_listing and (refs or all_):
        reason = "A list shows all that waits: nothing needs to be named."
    elif not is_listing and bool(refs) == all_:
        reason = f"Name what to {action}, or say --all."
    elif text and not is_listing:
        reason = "--text goes with list."
    elif is_hold and (action != "hold" or len(refs) != 2):
        reason = "--newest and --both go with hold, and two memories."
    elif days and action != "snooze":
        reason = "--days goes with snooze."
    elif action in ("hold", "both") and len(refs) > 2:
        reason = f"{action} takes two memories."
    else:
        return
    raise Misused(reason=reason, command=_COMMAND)


# -- the list

_NOTHING = "Nothing waits for you."


def _list_result(found: CardList, limit: int, *, text: bool) -> CommandResult:
    cards = found.cards[:limit] if limit else found.cards
    left = len(found.cards) - len(cards)
    more = f" {format_count(left, 'more is', 'more are')} not shown; --limit shows as many as you like." if left else ""
    waiting = f"{format_count(len(found.cards), 'card waits', 'cards wait')}: {format_counts(found.counts)}.{more}"
    return CommandResult(
        result={"cards": [_card_json(card) for card in cards], "counts": found.counts, "total": len(found.cards)},
        text=lambda paper: _format_list(cards, paper, text=text) if cards else "",
        messages=(waiting if found.cards else _NOTHING,),
    )


def _card_json(card: Card) -> dict[str, object]:
    from memvault.transfer.json_values import memory_to_json  # deferred: for programs only

    memories = [memory_to_json(memory, body=True) for memory in card.memories]
    return {**take_fields(card, "key", "kind", "question", "why", "acts", "version"), "memories": memories}


def _format_list(cards: Sequence[Card], paper: TerminalFormat, *, text: bool) -> str:
    if not text:
        return format_card_table(cards, paper)
    return "\n\n".join(format_card(card, paper, with_acts=False) for card in cards)


# -- acts without keys


def _settle_cards(
    vault: Memvault, found: CardList, act: str, refs: Sequence[str], *, all_: bool, days: int, dry_run: bool
) -> CommandResult:
    """Carry an act out on the cards that are named, or on all that allow it."""
    able = [card for card in found.cards if act in (each.name for each in card.acts)]
    chosen = able if all_ else _unique([_find_card(ref, found.cards, able) for ref in refs])
    done = []
    for card in chosen:
        op = vault.run(act_on_card, card.key, act, days=days, version=card.version, dry_run=dry_run)
        done.append((card, next(each.label for each in card.acts if each.name == act), op))
    last = next((op for _, _, op in reversed(done) if op), "")
    return CommandResult(
        result={
            "cards": [{**take_fields(card, "key", "kind"), "act": act, "op": op} for card, _, op in done],
            "dry_run": dry_run,
        },
        text=lambda paper: "\n".join(_format_answer(card, label, paper) for card, label, _ in done),
        messages=(undo_message(last, dry_run=dry_run) if done else _NOTHING,),
    )


def _unique(cards: Sequence[Card]) -> list[Card]:
    return list({card.key: card for card in cards}.values())


def _find_card(ref: str, cards: Sequence[Card], able: Sequence[Card]) -> Card:
    """The one card that is meant, among those that allow the act."""
    meant = find_cards(cards, ref)
    usable = [card for card in meant if card in able]
    if len(usable) == 1:
        return usable[0]
    if not meant:
        raise NotFound(ref=ref)
    kinds = ", ".join(card.kind for card in usable or meant)
    several = f"{ref} is on several cards ({kinds}): name one with --only."
    raise Misused(reason=several if usable else f"There is no such act on this card ({kinds}).", command=_COMMAND)


def _format_answer(card: Card, label: str, paper: TerminalFormat) -> str:
    titles = " and ".join(f"“{to_one_line(memory.title)}”" for memory in card.memories)
    return f"{paper.styles.title(titles)}: {label}"


# -- memories that are named, whether a card asks about them or not


def _settle_memories(
    vault: Memvault, action: str, refs: Sequence[str], *, newest: bool, dry_run: bool
) -> CommandResult:
    if action == "merge":
        return _merge_result(vault.run(merge_memories, refs, dry_run=dry_run), dry_run=dry_run)
    both = action == "both"
    settled = vault.run(resolve_conflict, *refs, both=both, newest=newest, dry_run=dry_run)
    would = "would hold" if dry_run else "holds"
    other = would if settled.both else "would be superseded" if dry_run else "superseded"
    return CommandResult(
        result={**take_fields(settled, "kept", "other", "both", "op"), "dry_run": dry_run},
        text=lambda paper: "\n".join(
            (layers.format_outcome(settled.kept, would, paper), layers.format_outcome(settled.other, other, paper))
        ),
        messages=(undo_message(settled.op, dry_run=dry_run),),
    )


def _merge_result(merged: MergeResult, *, dry_run: bool) -> CommandResult:
    did = f"{'would be ' if dry_run else ''}merged from {len(merged.sources)}"
    return CommandResult(
        result={**take_fields(merged, "memory", "sources", "op"), "text": merged.memory.body or "", "dry_run": dry_run},
        text=lambda paper: "\n".join(
            (
                layers.format_outcome(merged.memory, did, paper),
                paper.wrap_block((merged.memory.body or "").strip(), "  "),
            )
        ),
        messages=(undo_message(merged.op, dry_run=dry_run),),
    )
