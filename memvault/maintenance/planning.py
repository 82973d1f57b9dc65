"""What a run of upkeep is to do: the vault looked over, the rules asked, their decisions made into a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from memvault.context.claude_md import upkeep
from memvault.core.memory import Memory
from memvault.core.plan import ASKING, CLAUDE_MD, About, Change, Create, Plan, Rewrite, about, path_of
from memvault.maintenance import pairs as alike
from memvault.maintenance.rules import Made, Survey, Swept, sweep
from memvault.maintenance.survey import gather
from memvault.storage.journal import runs
from memvault.storage.journal.runs import Done, Maintained
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask


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
        from memvault.maintenance.wording import worded  # deferred: most runs ask nobody

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
