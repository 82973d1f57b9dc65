"""Upkeep: look over the whole vault, decide by rules, carry the plan out, and remember when to look again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from memvault.core.memory import Memory
from memvault.core.plan import About, Change, Create, Note, Plan, Rewrite
from memvault.core.sweep import ASKING, NAMES, Made, Survey, Swept, sweep
from memvault.errors import BadInput, MemvaultError
from memvault.vault import codec
from memvault.verbs import alike, runs
from memvault.verbs.apply import Progress, about, apply, unseen
from memvault.verbs.bench import Bench
from memvault.verbs.claude_md import upkeep
from memvault.verbs.survey import gather

CLAUDE_MD = "claude-md"
ALL = (*NAMES, CLAUDE_MD)
USUAL = frozenset(ALL) - ASKING


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
        return chosen | ASKING if self.prune else chosen


@dataclass(frozen=True, slots=True)
class Done:
    """One change of a run: which memory, by which rules, where it went, and why."""

    id: str
    title: str
    path: str
    to: str
    rules: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintained:
    """What a run did, or would do."""

    done: tuple[Done, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()  # path, why it could not be done
    conflicts: int = 0  # contradictions that wait for a person
    proposals: int = 0  # pairs that may say the same, and wait for a person
    prunable: tuple[Done, ...] = ()  # what may go to the trash, if a person says so
    memories: int = 0
    skipped: str = ""  # why nothing was looked at
    next: datetime | None = None
    op: str = ""


def maintain(bench: Bench, wanted: Wanted, *, progress: Progress = unseen) -> Maintained:
    """Keep the vault in order: what matters persists, what does not fades, nothing is lost."""
    rules = wanted.rules()
    if wanted.dry_run:
        bench.freshen()
        return _planned(bench, wanted, rules)[1]
    if wanted.scheduled and bench.settings.text("decay.control") == "manual":
        return _logged(bench, wanted, Maintained(skipped="decay.control is manual: only you start upkeep"))
    with runs.only_one(bench):
        bench.freshen()
        last = runs.last_run(bench)
        if rules == USUAL and last.still_holds(runs.standing(bench), bench.now):
            return _logged(bench, wanted, Maintained(skipped="nothing has changed or come due", next=last.next))
        return _logged(bench, wanted, _run(bench, wanted, rules, progress))


def _run(bench: Bench, wanted: Wanted, rules: frozenset[str], progress: Progress) -> Maintained:
    plan, found = _planned(bench, wanted, rules)
    if plan:
        outcome = apply(plan, bench, progress=progress)
        refused = tuple((_path(change), str(error)) for change, error in outcome.refused)
        found = replace(found, op=outcome.operation.op, refused=refused)
        bench.freshen()
    if rules >= USUAL:
        # After changes the next run looks once more, and finds nothing: only then is it sure that nothing is left.
        runs.keep_run(bench, runs.Run(bench.now, "" if plan else runs.standing(bench), found.next))
    return found


def _planned(bench: Bench, wanted: Wanted, rules: frozenset[str]) -> tuple[Plan, Maintained]:
    last = runs.last_run(bench)
    runs.check_folders(bench, last)
    survey = gather(bench, judged_until=last.at)
    mark = alike.mark_of(bench, survey)
    survey = replace(survey, compared=alike.remembered(bench, mark))
    swept = sweep(survey, rules)
    if swept.compared is not None and survey.compared is None and not _has_merges(swept):
        alike.keep(bench, swept.compared, mark)
    changes = tuple(_changes(bench, survey, swept, rules))
    titles = {memory.id: memory.title for memory in swept.memories}
    found = Maintained(
        done=tuple(_done(change, titles) for change in changes),
        conflicts=len(swept.compared.contradictions) if swept.compared else 0,
        proposals=len(swept.compared.proposals) if swept.compared else 0,
        prunable=() if wanted.prune else _prunable(survey, titles),
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
        yield written(change) if isinstance(change, Made) else change
    if CLAUDE_MD in rules:
        yield from _claude_md(bench, survey, swept)


def written(made: Made) -> Change:
    """The file of a memory that the run makes."""
    data = codec.new_note(made.memory)
    if made.replaces is None:
        return Create(made.memory.path, data, made.why, made.about)
    return Rewrite(made.replaces.path, data, made.replaces.version, made.why, made.about)


def _claude_md(bench: Bench, survey: Survey, swept: Swept) -> Iterator[Change]:
    """The generated page, as the memories will stand then."""
    before = {memory.id: memory for memory in survey.memories}

    def read(memory: Memory) -> str:
        return memory.body if memory.body is not None else bench.text(before.get(memory.id, memory))

    for change in upkeep(bench, swept.memories, read):
        assert isinstance(change, Create | Rewrite), "the page is a file of the vault"
        yield replace(change, about=About(rules=(CLAUDE_MD,)))


def _done(change: Change, titles: dict[str, str]) -> Done:
    more = about(change)
    return Done(more.id, titles.get(more.id, ""), _path(change), getattr(change, "to", ""), more.rules, change.why)


def _path(change: Change) -> str:
    return "" if isinstance(change, Note) else change.path


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
