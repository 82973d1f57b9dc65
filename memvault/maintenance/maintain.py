"""Upkeep: look over the whole vault, decide by rules, carry the plan out, and remember when to look again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.context.claude_md import plan_claude_md
from memvault.core.ids import links_by_path
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
from memvault.maintenance import pair_cache as alike
from memvault.maintenance.rules import (
    EarlierDecisions,
    MaintenancePolicy,
    PlannedNote,
    RuleResult,
    VaultSnapshot,
    apply_rules,
)
from memvault.storage.journal import runs
from memvault.storage.journal.apply import ApplyResult, Progress, apply, no_progress
from memvault.storage.journal.ledger import LedgerDecisions
from memvault.storage.journal.recover import is_cut_short, recover_vault
from memvault.storage.journal.runs import ExpiryResult, MaintainResult, MaintenanceChange
from memvault.storage.journal.tombstones import is_marked
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import TRASH
from memvault.transcripts.search import refresh_index

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainOptions:
    """What a run is to do; rules are named by their names, all but those that ask are usual."""

    only: tuple[str, ...] = ()
    prune: bool = False  # a person has said that what was archived long ago may go
    dry_run: bool = False
    scheduled: bool = False

    def chosen_rules(self) -> frozenset[str]:
        """The rules that are to be applied."""
        unknown = [name for name in self.only if name not in ALL_RULES]
        if unknown:
            raise BadInput(what="the rule", value=unknown[0], reason=f"there are {', '.join(ALL_RULES)}")
        chosen = frozenset(self.only) if self.only else USUAL_RULES
        return chosen | RULES_ON_REQUEST if self.prune else chosen - RULES_ON_REQUEST


def maintain(
    context: VaultContext, options: MaintainOptions, *, ask: AskModel | None = None, progress: Progress = no_progress
) -> MaintainResult:
    """Keep the vault in order: what matters persists, what does not fades, nothing is lost.

    With `ask`, a language model may word what is merged; a dry run asks nobody.
    """
    rules = options.chosen_rules()
    if options.dry_run:
        context.refresh()
        found = plan_run(context, rules, prune=options.prune)[1]
        return replace(found, expired=_expire_stores(context, rules, dry_run=True).files)
    if options.scheduled and context.settings.text("decay.control") == "manual":
        return _write_log(context, options, MaintainResult(skipped="decay.control is manual: only you start upkeep"))
    with runs.lock_run(context):
        _finish_interrupted(context)
        gone = _expire_stores(context, rules)
        context.refresh()
        last = runs.read_last_run(context)
        if rules == USUAL_RULES and gone == ExpiryResult() and last.is_current(runs.state_digest(context), context.now):
            why = "nothing has changed or come due"
            return _write_log(
                context, options, MaintainResult(skipped=why, next=last.next, memories=context.index.count())
            )
        found = _run_rules(context, options, rules, ask, progress)
        return _write_log(context, options, replace(found, expired=gone.files, refused=(*found.refused, *gone.refused)))


def _expire_stores(context: VaultContext, rules: frozenset[str], *, dry_run: bool = False) -> ExpiryResult:
    """What a usual run lets go of, as the person set it."""
    if not rules >= USUAL_RULES:
        return ExpiryResult()
    from memvault.maintenance.retention import expire  # deferred: most people set nothing of the kind

    return expire(context, dry_run=dry_run)


def _finish_interrupted(context: VaultContext) -> None:
    """What a killed process left is finished, even where there is nothing else to do."""
    if is_cut_short(context.vault.log.last_line()):
        with context.vault.lock_vault():
            recover_vault(context.vault, context.now)


def _run_rules(
    context: VaultContext, options: MaintainOptions, rules: frozenset[str], ask: AskModel | None, progress: Progress
) -> MaintainResult:
    from memvault.storage.file_digests import update_file_digests
    from memvault.storage.journal.merge_bases import keep_seen_versions

    plan, found = plan_run(context, rules, prune=options.prune, ask=ask)
    if plan:
        outcome = apply(plan, context, progress=progress)
        found = _keep_carried_out(plan, found, outcome)
        context.refresh()
    keep_seen_versions(context)
    update_file_digests(context)
    context.index.tidy()
    if rules >= USUAL_RULES:
        # After changes the next run looks once more, and finds nothing: only then is it sure that nothing is left.
        unfit = {**runs.read_last_run(context).unfit, **(_unchangeable_notes(outcome) if plan else {})}
        standing = "" if plan else runs.state_digest(context)
        runs.write_run(context, runs.MaintenanceRun(context.now, standing, found.next, unfit=unfit))
    return found


def _keep_carried_out(plan: Plan, found: MaintainResult, outcome: ApplyResult) -> MaintainResult:
    """What was done of what was planned."""
    failed = {id(change) for change, _ in outcome.refused}
    return replace(
        found,
        done=tuple(done for done, change in zip(found.done, plan.changes, strict=True) if id(change) not in failed),
        refused=tuple((get_path(change), str(error)) for change, error in outcome.refused),
        op=outcome.operation.op,
    )


def _unchangeable_notes(outcome: ApplyResult) -> dict[str, str]:
    """The notes that cannot be changed for what stands in them; until they are others, they are left alone."""
    refused = ((change, error) for change, error in outcome.refused if isinstance(error, CannotEdit))
    return {get_path(change): str(getattr(change, "version", "")) for change, _ in refused}


# -- the log


def _write_log(context: VaultContext, options: MaintainOptions, found: MaintainResult) -> MaintainResult:
    """A scheduled run talks to nobody, so it leaves a line."""
    if options.scheduled:
        counts = f"changes {len(found.done)}, refused {len(found.refused)}, contradictions {found.conflicts}"
        told = found.skipped or counts
        try:
            runs.log_run(context, f"{told} {found.op}".rstrip())
        except MemvaultError:
            return found  # no place for a log is no reason to fail
    return found


# Everything that upkeep decides by, gathered from files, catalogue, journals and ledgers.


def gather_snapshot(
    context: VaultContext, *, judged_until: datetime | None = None, unfit: Mapping[str, str] = MappingProxyType({})
) -> VaultSnapshot:
    """One look at the whole vault, after it was freshened."""
    catalogue, vault = context.index, context.vault
    decisions = vault.ledger.decisions()
    return VaultSnapshot(
        memories=sorted(catalogue.memories(NO_FILTERS), key=lambda memory: memory.path),
        policy=MaintenancePolicy.from_settings(context.settings),
        now=context.now,
        vault_id=vault.vault_file.id,
        pasts=catalogue.all_usage_histories(),
        practices=catalogue.practice_records(),
        sizes={path: size for path, (size, _) in catalogue.note_sizes().items()},
        confirmed=catalogue.confirming_sessions(),
        decided=_earlier_decisions(decisions),
        folders={place: vault.layout.folder_of(place) for place in (Place.HOT, Place.MEMORIES, Place.ARCHIVED)},
        trash=f"{TRASH}/",
        judged_until=judged_until,
        unfit=unfit,
        body=context.read_text,
        is_taken=vault.exists,
        has_name=catalogue.has_name,
        is_linked_by_path=lambda memory: is_linked_by_path(context, memory),
        is_forgotten=_forgotten_test(context, decisions),
    )


def _earlier_decisions(decisions: LedgerDecisions) -> EarlierDecisions:
    return EarlierDecisions(
        written=frozenset(decisions.program_values),
        settled=decisions.status_times,
        counted=frozenset(decisions.counted_ids),
        practised=frozenset(decisions.practice_ids),
        vetoes=decisions.vetoes,
        refused=frozenset(decisions.refused_pairs),
        moved=decisions.moves,
    )


def _forgotten_test(context: VaultContext, decisions: LedgerDecisions) -> Callable[[str], bool]:
    """Whether a text is one that a person let go for good."""
    if not decisions.tombstones:
        return lambda _text: False
    return lambda text: is_marked(context.vault.ledger, decisions.tombstones, text)


def is_linked_by_path(context: VaultContext, memory: Memory) -> bool:
    """Whether links would break if a note moved: its own to what lies beside it, or others' to its path."""
    if links_by_path(context.read_text(memory)):
        return True
    linking = (other for other in context.index.links_to(memory.name) if other.id != memory.id)
    return any(links_by_path(_read_whole(context, other), memory.name) for other in linking)


def _read_whole(context: VaultContext, memory: Memory) -> str:
    """A note with its frontmatter, where links stand too."""
    try:
        return context.vault.read_note(memory.path).raw.decode("utf-8", "replace")
    except MemvaultError:
        return ""


# What a run of upkeep is to do: the vault looked over, the rules asked, their decisions made into a plan.


def plan_run(
    context: VaultContext, rules: frozenset[str], *, prune: bool, ask: AskModel | None = None
) -> tuple[Plan, MaintainResult]:
    """What a run is to do, as a plan and as what will be told of it; with `ask`, a model may word what is merged."""
    last = runs.read_last_run(context)
    runs.check_tier_folders(context, last)
    survey = gather_snapshot(context, judged_until=last.at, unfit=last.unfit)
    mark = alike.comparison_mark(context, survey)
    survey = replace(survey, compared=alike.load_as_pairs(context, mark))
    swept = apply_rules(survey, rules)
    if swept.compared is not None and survey.compared is None and not _has_merges(swept):
        alike.save_comparison(context, swept.compared, mark)
    if ask is not None and _has_merges(swept):
        from memvault.maintenance.llm_wording import reword_merges  # deferred: most runs ask nobody

        swept = reword_merges(swept, survey, ask, seconds=context.settings.number("model.max_seconds"))
    changes = tuple(_list_changes(context, survey, swept, rules))
    titles = {memory.id: memory.title for memory in swept.memories}
    found = MaintainResult(
        done=tuple(_describe_change(change, titles) for change in changes),
        conflicts=len(swept.compared.contradictions) if swept.compared else 0,
        proposals=len(swept.compared.proposals) if swept.compared else 0,
        prunable=() if prune else _list_prunable(survey, titles),
        memories=len(survey.memories),
        next=swept.next,
    )
    return Plan("maintain", changes), found


def _has_merges(swept: RuleResult) -> bool:
    return any(isinstance(change, PlannedNote) for change in swept.changes)


def _list_prunable(survey: VaultSnapshot, titles: dict[str, str]) -> tuple[MaintenanceChange, ...]:
    """What a person may be asked about."""
    if not survey.policy.prune_months:
        return ()
    return tuple(
        _describe_change(change, titles)
        for change in apply_rules(survey, RULES_ON_REQUEST).changes
        if not isinstance(change, PlannedNote)
    )


# -- the plan


def _list_changes(
    context: VaultContext, survey: VaultSnapshot, swept: RuleResult, rules: frozenset[str]
) -> Iterator[PlanChange]:
    for change in swept.changes:
        yield write_note(context, change) if isinstance(change, PlannedNote) else change
    if CLAUDE_MD in rules:
        yield from _claude_md_changes(context, survey, swept)


def write_note(context: VaultContext, made: PlannedNote) -> PlanChange:
    """The file of a memory that the run makes; what memvault does not know of its sources' fields is kept too."""
    kinds = context.settings.kinds
    notes = (context.vault.read_note(source.path) for source in made.sources)
    data = codec.encode_new(made.memory, codec.merge_fields(codec.unknown_fields(note.block, kinds) for note in notes))
    if made.replaces is None:
        return CreateFile(made.memory.path, data, made.why, made.about)
    return RewriteNote(made.replaces.path, data, made.replaces.version, made.why, made.about)


def _claude_md_changes(context: VaultContext, survey: VaultSnapshot, swept: RuleResult) -> Iterator[PlanChange]:
    """The generated page, as the memories will stand then."""
    before = {memory.id: memory for memory in survey.memories}

    def read_body(memory: Memory) -> str:
        return memory.body if memory.body is not None else context.read_text(before.get(memory.id, memory))

    for change in plan_claude_md(context, swept.memories, read_body):
        assert isinstance(change, CreateFile | RewriteNote), "the page is a file of the vault"
        yield replace(change, about=ChangeSubject(rules=(CLAUDE_MD,)))


def _describe_change(change: PlanChange, titles: dict[str, str]) -> MaintenanceChange:
    more = get_subject(change)
    return MaintenanceChange(
        more.id, titles.get(more.id, ""), get_path(change), getattr(change, "to", ""), more.rules, change.why
    )


# Build the catalogue again from the files.


@dataclass(frozen=True, slots=True)
class ReindexResult:
    """What the new catalogue holds."""

    memories: int
    turns: int
    problems: tuple[str, ...]


def rebuild_index(context: VaultContext) -> ReindexResult:
    """Fill a new catalogue from the files alone; nothing in the vault changes."""
    context.refresh()
    passed_over = (f"{path}: {reason}" for path, reason in context.vault.unreadable.items())
    turns = refresh_index(context).count_turns()[1]
    return ReindexResult(context.index.count(), turns, (*context.index.unreadable_notes(), *passed_over))
