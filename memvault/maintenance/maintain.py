"""Upkeep: look over the whole vault, decide by rules, carry the plan out, and remember when to look again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memvault.core.plan import ALL, ASKING, USUAL, Plan, path_of
from memvault.errors import BadInput, CannotEdit, MemvaultError
from memvault.storage.journal import runs
from memvault.storage.journal.apply import Outcome, Progress, apply, unseen
from memvault.storage.journal.recover import is_cut_short, recover
from memvault.storage.journal.runs import LetGo, Maintained
from memvault.storage.vault.context import Bench

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
        from memvault.maintenance.planning import planned  # a run with nothing to do needs no rules

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
    from memvault.maintenance.planning import planned  # a run with nothing to do needs no rules
    from memvault.storage.census import taken
    from memvault.storage.seeing import keep_seen

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
