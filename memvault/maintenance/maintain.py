"""Upkeep: look over the whole vault, decide by rules, carry the plan out, and remember when to look again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.context.claude_md import upkeep
from memvault.core.ids import goes_by_path
from memvault.core.memory import Memory, Place
from memvault.core.plan import ALL, ASKING, CLAUDE_MD, USUAL, About, Change, Create, Plan, Rewrite, about, path_of
from memvault.core.query import ANY
from memvault.errors import BadInput, CannotEdit, MemvaultError
from memvault.maintenance import pairs as alike
from memvault.maintenance.rules import Decided, Made, Policy, Survey, Swept, sweep
from memvault.storage.journal import runs
from memvault.storage.journal.apply import Outcome, Progress, apply, unseen
from memvault.storage.journal.ledger import Decisions
from memvault.storage.journal.recover import is_cut_short, recover
from memvault.storage.journal.runs import Done, LetGo, Maintained
from memvault.storage.journal.tombstones import is_dead
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH
from memvault.transcripts.search import refreshed

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a run is to do; rules are named by their names, all but those that ask are usual."""

    only: tuple[str, ...] = ()
    prune: bool = False  # a person has said that what was archived long ago may go
    dry_run: bool = False
    scheduled: bool = False

    def rules(self) -> frozenset[str]:
        """The rules that are to be applied."""
        unknown = [name for name in self.only if name not in ALL]
        if unknown:
            raise BadInput(what="the rule", value=unknown[0], reason=f"there are {', '.join(ALL)}")
        chosen = frozenset(self.only) if self.only else USUAL
        return chosen | ASKING if self.prune else chosen - ASKING


def maintain(bench: Bench, wanted: Wanted, *, ask: Ask | None = None, progress: Progress = unseen) -> Maintained:
    """Keep the vault in order: what matters persists, what does not fades, nothing is lost.

    With `ask`, a language model may word what is merged; a dry run asks nobody.
    """
    rules = wanted.rules()
    if wanted.dry_run:
        bench.freshen()
        found = planned(bench, rules, prune=wanted.prune)[1]
        return replace(found, expired=_expired(bench, rules, dry_run=True).files)
    if wanted.scheduled and bench.settings.text("decay.control") == "manual":
        return _logged(bench, wanted, Maintained(skipped="decay.control is manual: only you start upkeep"))
    with runs.only_one(bench):
        _settle(bench)
        gone = _expired(bench, rules)
        bench.freshen()
        last = runs.last_run(bench)
        if rules == USUAL and gone == LetGo() and last.still_holds(runs.standing(bench), bench.now):
            why = "nothing has changed or come due"
            return _logged(bench, wanted, Maintained(skipped=why, next=last.next, memories=bench.catalogue.count()))
        found = _run(bench, wanted, rules, ask, progress)
        return _logged(bench, wanted, replace(found, expired=gone.files, refused=(*found.refused, *gone.refused)))


def _expired(bench: Bench, rules: frozenset[str], *, dry_run: bool = False) -> LetGo:
    """What a usual run lets go of, as the person set it."""
    if not rules >= USUAL:
        return LetGo()
    from memvault.maintenance.retention import expire  # deferred: most people set nothing of the kind

    return expire(bench, dry_run=dry_run)


def _settle(bench: Bench) -> None:
    """What a killed process left is finished, even where there is nothing else to do."""
    if is_cut_short(bench.vault.log.last_line()):
        with bench.vault.locked():
            recover(bench.vault, bench.now)


def _run(bench: Bench, wanted: Wanted, rules: frozenset[str], ask: Ask | None, progress: Progress) -> Maintained:
    from memvault.storage.census import keep_seen, taken

    plan, found = planned(bench, rules, prune=wanted.prune, ask=ask)
    if plan:
        outcome = apply(plan, bench, progress=progress)
        found = _carried_out(plan, found, outcome)
        bench.freshen()
    keep_seen(bench)
    taken(bench)
    bench.catalogue.tidy()
    if rules >= USUAL:
        # After changes the next run looks once more, and finds nothing: only then is it sure that nothing is left.
        unfit = {**runs.last_run(bench).unfit, **(_unfit(outcome) if plan else {})}
        standing = "" if plan else runs.standing(bench)
        runs.keep_run(bench, runs.Run(bench.now, standing, found.next, unfit=unfit))
    return found


def _carried_out(plan: Plan, found: Maintained, outcome: Outcome) -> Maintained:
    """What was done of what was planned."""
    failed = {id(change) for change, _ in outcome.refused}
    return replace(
        found,
        done=tuple(done for done, change in zip(found.done, plan.changes, strict=True) if id(change) not in failed),
        refused=tuple((path_of(change), str(error)) for change, error in outcome.refused),
        op=outcome.operation.op,
    )


def _unfit(outcome: Outcome) -> dict[str, str]:
    """The notes that cannot be changed for what stands in them; until they are others, they are left alone."""
    refused = ((change, error) for change, error in outcome.refused if isinstance(error, CannotEdit))
    return {path_of(change): str(getattr(change, "version", "")) for change, _ in refused}


# -- the log


def _logged(bench: Bench, wanted: Wanted, found: Maintained) -> Maintained:
    """A scheduled run talks to nobody, so it leaves a line."""
    if wanted.scheduled:
        counts = f"changes {len(found.done)}, refused {len(found.refused)}, contradictions {found.conflicts}"
        told = found.skipped or counts
        try:
            runs.log(bench, f"{told} {found.op}".rstrip())
        except MemvaultError:
            return found  # no place for a log is no reason to fail
    return found


# Everything that upkeep decides by, gathered from files, catalogue, journals and ledgers.


def gather(
    bench: Bench, *, judged_until: datetime | None = None, unfit: Mapping[str, str] = MappingProxyType({})
) -> Survey:
    """One look at the whole vault, after it was freshened."""
    catalogue, vault = bench.catalogue, bench.vault
    decisions = vault.ledger.decisions()
    return Survey(
        memories=sorted(catalogue.memories(ANY), key=lambda memory: memory.path),
        policy=Policy.of(bench.settings),
        now=bench.now,
        vault_id=vault.charter.id,
        pasts=catalogue.all_pasts(),
        practices=catalogue.practices(),
        sizes={path: size for path, (size, _) in catalogue.files().items()},
        confirmed=catalogue.confirmed(),
        decided=_decided(decisions),
        folders={place: vault.layout.folder(place) for place in (Place.HOT, Place.MEMORIES, Place.ARCHIVED)},
        trash=f"{TRASH}/",
        judged_until=judged_until,
        unfit=unfit,
        body=bench.text,
        is_taken=vault.exists,
        has_name=catalogue.has_name,
        is_tied=lambda memory: is_tied(bench, memory),
        is_forgotten=_forgotten(bench, decisions),
    )


def _decided(decisions: Decisions) -> Decided:
    return Decided(
        written=frozenset(decisions.written),
        settled=decisions.settled,
        counted=frozenset(decisions.counted),
        practised=frozenset(decisions.practised),
        vetoes=decisions.vetoes,
        refused=frozenset(decisions.refused),
        moved=decisions.moved,
    )


def _forgotten(bench: Bench, decisions: Decisions) -> Callable[[str], bool]:
    """Whether a text is one that a person let go for good."""
    if not decisions.tombstones:
        return lambda _text: False
    return lambda text: is_dead(bench.vault.ledger, decisions.tombstones, text)


def is_tied(bench: Bench, memory: Memory) -> bool:
    """Whether links would break if a note moved: its own to what lies beside it, or others' to its path."""
    if goes_by_path(bench.text(memory)):
        return True
    linking = (other for other in bench.catalogue.links_to(memory.name) if other.id != memory.id)
    return any(goes_by_path(_whole(bench, other), memory.name) for other in linking)


def _whole(bench: Bench, memory: Memory) -> str:
    """A note with its frontmatter, where links stand too."""
    try:
        return bench.vault.note(memory.path).raw.decode("utf-8", "replace")
    except MemvaultError:
        return ""


# What a run of upkeep is to do: the vault looked over, the rules asked, their decisions made into a plan.


def planned(bench: Bench, rules: frozenset[str], *, prune: bool, ask: Ask | None = None) -> tuple[Plan, Maintained]:
    """What a run is to do, as a plan and as what will be told of it; with `ask`, a model may word what is merged."""
    last = runs.last_run(bench)
    runs.check_folders(bench, last)
    survey = gather(bench, judged_until=last.at, unfit=last.unfit)
    mark = alike.mark_of(bench, survey)
    survey = replace(survey, compared=alike.remembered(bench, mark))
    swept = sweep(survey, rules)
    if swept.compared is not None and survey.compared is None and not _has_merges(swept):
        alike.keep(bench, swept.compared, mark)
    if ask is not None and _has_merges(swept):
        from memvault.maintenance.llm_wording import worded  # deferred: most runs ask nobody

        swept = worded(swept, survey, ask, seconds=bench.settings.number("model.max_seconds"))
    changes = tuple(_changes(bench, survey, swept, rules))
    titles = {memory.id: memory.title for memory in swept.memories}
    found = Maintained(
        done=tuple(_done(change, titles) for change in changes),
        conflicts=len(swept.compared.contradictions) if swept.compared else 0,
        proposals=len(swept.compared.proposals) if swept.compared else 0,
        prunable=() if prune else _prunable(survey, titles),
        memories=len(survey.memories),
        next=swept.next,
    )
    return Plan("maintain", changes), found


def _has_merges(swept: Swept) -> bool:
    return any(isinstance(change, Made) for change in swept.changes)


def _prunable(survey: Survey, titles: dict[str, str]) -> tuple[Done, ...]:
    """What a person may be asked about."""
    if not survey.policy.prune_months:
        return ()
    return tuple(_done(change, titles) for change in sweep(survey, ASKING).changes if not isinstance(change, Made))


# -- the plan


def _changes(bench: Bench, survey: Survey, swept: Swept, rules: frozenset[str]) -> Iterator[Change]:
    for change in swept.changes:
        yield written(bench, change) if isinstance(change, Made) else change
    if CLAUDE_MD in rules:
        yield from _page(bench, survey, swept)


def written(bench: Bench, made: Made) -> Change:
    """The file of a memory that the run makes; what memvault does not know of its sources' fields is kept too."""
    kinds = bench.settings.kinds
    notes = (bench.vault.note(source.path) for source in made.sources)
    data = codec.new_note(made.memory, codec.united(codec.unknown(note.block, kinds) for note in notes))
    if made.replaces is None:
        return Create(made.memory.path, data, made.why, made.about)
    return Rewrite(made.replaces.path, data, made.replaces.version, made.why, made.about)


def _page(bench: Bench, survey: Survey, swept: Swept) -> Iterator[Change]:
    """The generated page, as the memories will stand then."""
    before = {memory.id: memory for memory in survey.memories}

    def read(memory: Memory) -> str:
        return memory.body if memory.body is not None else bench.text(before.get(memory.id, memory))

    for change in upkeep(bench, swept.memories, read):
        assert isinstance(change, Create | Rewrite), "the page is a file of the vault"
        yield replace(change, about=About(rules=(CLAUDE_MD,)))


def _done(change: Change, titles: dict[str, str]) -> Done:
    more = about(change)
    return Done(more.id, titles.get(more.id, ""), path_of(change), getattr(change, "to", ""), more.rules, change.why)


# Build the catalogue again from the files.


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What the new catalogue holds."""

    memories: int
    turns: int
    problems: tuple[str, ...]


def reindex(bench: Bench) -> Reindexed:
    """Fill a new catalogue from the files alone; nothing in the vault changes."""
    bench.freshen()
    passed_over = (f"{path}: {reason}" for path, reason in bench.vault.unreadable.items())
    turns = refreshed(bench).count()[1]
    return Reindexed(bench.catalogue.count(), turns, (*bench.catalogue.problems(), *passed_over))
