"""Maintain a vault: gather a snapshot, decide by rules, carry the plan out, and note when to look again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.context.claude_md import plan_claude_md
from memvault.core.links import links_by_path
from memvault.core.memory import Memory, Place
from memvault.core.plan import (
    ALL_RULES,
    CLAUDE_MD,
    RULES_ON_REQUEST,
    USUAL_RULES,
    ChangeSubject,
    CreateFile,
    Plan,
    PlanChange,
    RewriteNote,
    get_path,
    get_subject,
)
from memvault.core.query import NO_FILTERS
from memvault.errors import BadInput, CannotEdit, MemvaultError
from memvault.maintenance import pair_cache
from memvault.maintenance.rules import (
    EarlierDecisions,
    MaintenancePolicy,
    PlannedNote,
    RuleResult,
    VaultSnapshot,
    apply_rules,
)
from memvault.maintenance.rules.policy import RETENTION_SETTINGS
from memvault.storage.index.update import index_entry
from memvault.storage.journal import runs
from memvault.storage.journal.apply import Progress, apply, no_progress
from memvault.storage.journal.recover import is_cut_short, recover_vault
from memvault.storage.journal.runs import ExpiryResult, MaintainResult, MaintenanceChange
from memvault.storage.journal.tombstones import has_purges, is_marked
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import TRASH
from memvault.storage.web_taint import list_ends
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel


_LEFTOVER_NS = 3_600 * 10**9  # younger ones may belong to a writer that is only in another container


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainOptions:
    """What a run is to do; rules are named by their names, all but those that ask are usual."""

    only: tuple[str, ...] = ()
    prune: bool = False  # a person has said that what was archived long ago may go
    dry_run: bool = False
    scheduled: bool = False


def maintain(context: VaultContext, options: MaintainOptions, *, progress: Progress = no_progress) -> MaintainResult:
    """Keep the vault in order: what matters persists, what does not fades, nothing is lost.

    Where the person wants that, a language model words what is merged; a dry run asks nobody.
    """
    # The rules that are to be applied.
    unknown = [name for name in options.only if name not in ALL_RULES]
    if unknown:
        raise BadInput(what="the rule", value=unknown[0], reason=f"there are {', '.join(ALL_RULES)}")
    chosen = frozenset(options.only) if options.only else USUAL_RULES
    rules = chosen | RULES_ON_REQUEST if options.prune else chosen - RULES_ON_REQUEST
    if options.dry_run:
        context.refresh()
        found = plan_run(context, rules, prune=options.prune)[1]
        return replace(found, expired=_expire_stores(context, rules, dry_run=True).files)
    ask = context.ask_model("consolidate.wording")
    if has_purges(context):
        from memvault.privacy.purge.purge import apply_marked  # deferred: in most vaults nothing was ever purged

        context = apply_marked(context)
    if options.scheduled and context.settings.text("decay.control") == "manual":
        return _write_log(context, options, MaintainResult(skipped="decay.control is manual: only you start upkeep"))
    with runs.lock_run(context):
        if is_cut_short(
            context.vault.journal.last_own_entry("op")
        ):  # a killed process left it, though nothing else may be to do
            with context.vault.lock_vault():
                recover_vault(context.vault, context.now)
        _sweep_state(context)
        gone = _expire_stores(context, rules)
        context.refresh()
        last = runs.read_last_run(context)
        is_same = gone == ExpiryResult() and not _has_session_ended(context, last.at)
        if rules == USUAL_RULES and is_same and last.is_current(runs.state_digest(context), context.now):
            why = "nothing has changed or come due"
            return _write_log(
                context, options, MaintainResult(skipped=why, next=last.next, memories=context.index.count())
            )
        found = _run_rules(context, options, rules, ask, progress)
        return _write_log(context, options, replace(found, expired=gone.files, refused=(*found.refused, *gone.refused)))


def _has_session_ended(context: VaultContext, since: datetime | None) -> bool:
    """Return whether any session ended since, whose working memory expires."""
    ends = list_ends(context.state).values() if context.state else ()
    return since is not None and any(at >= since for at in ends)


def _sweep_state(context: VaultContext) -> None:
    """Remove the temporary files that killed writers left where this machine keeps its state."""
    now_ns = int(context.now.timestamp()) * 10**9
    for folder, _, _ in os.walk(paths.state_folder(context.environment)):
        files.remove_orphans(Path(folder), older_than_ns=_LEFTOVER_NS, now_ns=now_ns)


def _expire_stores(context: VaultContext, rules: frozenset[str], *, dry_run: bool = False) -> ExpiryResult:
    """Remove in a usual run what was kept for as long as the person set."""
    if not rules >= USUAL_RULES or not any(context.settings.integer(name) for name in RETENTION_SETTINGS):
        return ExpiryResult()
    from memvault.maintenance.retention import expire  # deferred: most people set nothing of the kind

    return expire(context, dry_run=dry_run)


def _run_rules(
    context: VaultContext, options: MaintainOptions, rules: frozenset[str], ask: AskModel | None, progress: Progress
) -> MaintainResult:
    from memvault.storage.file_digests import update_file_digests
    from memvault.storage.journal.merge_bases import keep_seen_versions

    plan, found = plan_run(context, rules, prune=options.prune, ask=ask)
    if plan:
        outcome = apply(plan, context, progress=progress)
        failed = {id(change) for change, _ in outcome.refused}
        found = replace(
            found,
            done=tuple(done for done, change in zip(found.done, plan.changes, strict=True) if id(change) not in failed),
            refused=tuple((get_path(change), str(error)) for change, error in outcome.refused),
            op=outcome.operation.op,
        )
        context.refresh()
    keep_seen_versions(context)
    update_file_digests(context)
    context.index.tidy()
    if rules >= USUAL_RULES:
        # After changes the next run looks once more, and finds nothing: only then is it sure that nothing is left.
        # Notes that refused a change for what stands in them are left alone until they are others.
        refused = [change for change, error in outcome.refused if isinstance(error, CannotEdit)] if plan else ()
        unfit = {get_path(change): str(getattr(change, "version", "")) for change in refused}
        standing = "" if plan else runs.state_digest(context)
        unfit = {**runs.read_last_run(context).unfit, **unfit}
        runs.write_run(context, runs.MaintenanceRun(context.now, standing, found.next, unfit=unfit))
    return found


# -- the log


def _write_log(context: VaultContext, options: MaintainOptions, found: MaintainResult) -> MaintainResult:
    """Write a line for a scheduled run, which talks to nobody; return the result."""
    if options.scheduled:
        counts = f"changes {len(found.done)}, refused {len(found.refused)}, contradictions {found.conflicts}"
        line = found.skipped or counts
        try:
            runs.log_run(context, f"{line} {found.op}".rstrip())
        except MemvaultError:
            return found  # no place for a log is no reason to fail
    return found


# -- the snapshot


def gather_snapshot(
    context: VaultContext, *, judged_until: datetime | None = None, unfit: Mapping[str, str] = MappingProxyType({})
) -> VaultSnapshot:
    """Return a snapshot of the whole vault, after its index was refreshed."""
    index, vault = context.index, context.vault
    decisions = vault.ledger.decisions()
    return VaultSnapshot(
        memories=sorted(index.memories(NO_FILTERS), key=lambda memory: memory.path),
        policy=MaintenancePolicy.from_settings(context.settings),
        now=context.now,
        vault_id=vault.vault_file.id,
        pasts=index.all_usage_histories(),
        practices=index.practice_records(),
        sizes={path: size for path, (size, _) in index.note_sizes().items()},
        confirmed=index.confirming_sessions(),
        ended=list_ends(context.state) if context.state else {},
        decided=EarlierDecisions(
            written=frozenset(decisions.program_values),
            settled=decisions.status_times,
            counted=frozenset(decisions.counted_ids),
            practised=frozenset(decisions.practice_ids),
            vetoes=decisions.vetoes,
            refused=frozenset(decisions.refused_pairs),
            moved=decisions.moves,
        ),
        folders={place: vault.layout.folder_of(place) for place in (Place.HOT, Place.MEMORIES, Place.ARCHIVED)},
        trash=f"{TRASH}/",
        judged_until=judged_until,
        unfit=unfit,
        body=context.read_text,
        is_taken=vault.exists,
        has_name=index.has_name,
        is_linked_by_path=lambda memory: _is_linked_by_path(context, memory),
        is_forgotten=lambda text: is_marked(vault.ledger, marks, text) if (marks := decisions.tombstones) else False,
    )


def _is_linked_by_path(context: VaultContext, memory: Memory) -> bool:
    """Return whether links would break if a note moved: its own to what lies beside it, or others' to its path."""
    if links_by_path(context.read_text(memory)):
        return True
    linking = (other for other in context.index.links_to(memory.name) if other.id != memory.id)
    return any(links_by_path(_read_whole(context, other), memory.name) for other in linking)


def _read_whole(context: VaultContext, memory: Memory) -> str:
    """Return a note with its frontmatter, where links stand too."""
    try:
        return context.vault.read_note(memory.path).raw.decode("utf-8", "replace")
    except MemvaultError:
        return ""


# -- the plan


def plan_run(
    context: VaultContext, rules: frozenset[str], *, prune: bool, ask: AskModel | None = None
) -> tuple[Plan, MaintainResult]:
    """Plan a run: the plan, and the result to report. With `ask`, a model may word the merged texts."""
    last = runs.read_last_run(context)
    runs.check_tier_folders(context, last)
    snapshot = gather_snapshot(context, judged_until=last.at, unfit=last.unfit)
    mark = pair_cache.comparison_mark(context, snapshot)
    snapshot = replace(snapshot, compared=pair_cache.load_as_pairs(context, mark))
    result = apply_rules(snapshot, rules)
    if result.compared is not None and snapshot.compared is None and not _has_merges(result):
        pair_cache.save_comparison(context, result.compared, mark)
    if ask is not None and _has_merges(result):
        from memvault.maintenance.llm_wording import reword_merges  # deferred: most runs ask nobody

        result = reword_merges(result, snapshot, ask, seconds=context.settings.number("model.max_seconds"))
    changes = tuple(_list_changes(context, snapshot, result, rules))
    titles = {memory.id: memory.title for memory in result.memories}
    found = MaintainResult(
        done=tuple(_describe_change(change, titles) for change in changes),
        conflicts=len(result.compared.contradictions) if result.compared else 0,
        proposals=len(result.compared.proposals) if result.compared else 0,
        prunable=() if prune else _list_prunable(snapshot, titles),
        memories=len(snapshot.memories),
        next=result.next,
    )
    return Plan("maintain", changes), found


def _has_merges(result: RuleResult) -> bool:
    return any(isinstance(change, PlannedNote) for change in result.changes)


def _list_prunable(snapshot: VaultSnapshot, titles: dict[str, str]) -> tuple[MaintenanceChange, ...]:
    """Return the changes that a person may be asked about."""
    if not snapshot.policy.prune_months:
        return ()
    return tuple(
        _describe_change(change, titles)
        for change in apply_rules(snapshot, RULES_ON_REQUEST).changes
        if not isinstance(change, PlannedNote)
    )


def _list_changes(
    context: VaultContext, snapshot: VaultSnapshot, result: RuleResult, rules: frozenset[str]
) -> Iterator[PlanChange]:
    for change in result.changes:
        yield write_note(context, change) if isinstance(change, PlannedNote) else change
    if CLAUDE_MD in rules:
        yield from _claude_md_changes(context, snapshot, result)


def write_note(context: VaultContext, made: PlannedNote) -> PlanChange:
    """Return the change that writes a planned note, with the unknown fields of its sources."""
    kinds = context.settings.kinds
    notes = (context.vault.read_note(source.path) for source in made.sources)
    data = codec.encode_new(made.memory, codec.merge_fields(codec.unknown_fields(note.block, kinds) for note in notes))
    if made.replaces is None:
        return CreateFile(made.memory.path, data, made.why, made.about)
    return RewriteNote(made.replaces.path, data, made.replaces.version, made.why, made.about)


def _claude_md_changes(context: VaultContext, snapshot: VaultSnapshot, result: RuleResult) -> Iterator[PlanChange]:
    """Yield the changes to the generated page, by the memories as they will stand then."""
    before = {memory.id: memory for memory in snapshot.memories}

    def read_body(memory: Memory) -> str:
        return memory.body if memory.body is not None else context.read_text(before.get(memory.id, memory))

    def as_indexed(memory: Memory) -> Memory:
        """Return a memory as the index will have it; of one that comes to another tier the text is new there."""
        has_moved = memory.id in before and before[memory.id].place is not memory.place
        if memory.body is None and not has_moved:
            return memory
        body = read_body(memory)
        return index_entry(memory.with_changes(body=body)).memory.with_changes(body=body)

    for change in plan_claude_md(context, [as_indexed(memory) for memory in result.memories], read_body):
        assert isinstance(change, CreateFile | RewriteNote), "the page is a file of the vault"
        yield replace(change, about=ChangeSubject(rules=(CLAUDE_MD,)))


def _describe_change(change: PlanChange, titles: dict[str, str]) -> MaintenanceChange:
    more = get_subject(change)
    return MaintenanceChange(
        more.id, titles.get(more.id, ""), get_path(change), getattr(change, "to", ""), more.rules, change.why
    )


# Build the index again from the files.


@dataclass(frozen=True, slots=True)
class ReindexResult:
    """What the new index holds."""

    memories: int
    turns: int
    problems: tuple[str, ...]


def rebuild_index(context: VaultContext) -> ReindexResult:
    """Fill a new index from the files alone; nothing in the vault changes."""
    from memvault.transcripts.search import refresh_index  # deferred: a run of maintenance needs no conversations

    context.refresh()
    passed_over = (f"{path}: {reason}" for path, reason in context.vault.unreadable.items())
    turns = refresh_index(context).count_turns()[1]
    return ReindexResult(context.index.count(), turns, (*context.index.unreadable_notes(), *passed_over))
