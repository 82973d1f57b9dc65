"""Going through likely duplicates one by one, with a person who decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memvault.cli.context import Answer, Desk
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.diff import Side, side_by_side
from memvault.cli.vault.conflicts import facts
from memvault.errors import MemvaultError
from memvault.text.figures import plural

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.cli.output.terminal import Paper
    from memvault.core.memory import Memory
    from memvault.maintenance.conflicts import Merged
    from memvault.maintenance.findings import Duplicates

_QUESTION = "[m]erge, [k]eep both, [s]kip or [q]uit? "
_ANSWERS = {"m": "merge", "merge": "merge", "k": "keep", "keep": "keep", "s": "skip", "skip": "skip", "": "skip"}
_ANSWERS |= {"q": "quit", "quit": "quit"}


def go_through(desk: Desk, vault: Memvault, found: Duplicates, *, dry_run: bool) -> Answer:
    """Show each pair with what it would become, and do as the person says."""
    review = _Review(desk, vault, dry_run=dry_run)
    pairs = list(_pairs(found))
    for number, pair in enumerate(pairs, 1):
        if not review.shows(*pair, f"{number} of {len(pairs)}"):
            break
    return Answer(result=None, talk=(review.told(len(pairs)), DRY_RUN if dry_run else ""))


def _pairs(found: Duplicates) -> Iterator[tuple[Memory, Memory]]:
    for base, *others in found.groups:
        yield from ((base, other) for other in others)
    yield from ((one.newer, one.older) for one in found.proposals)


class _Review:
    """One sitting: what was decided so far, and what became of the memories that were merged."""

    def __init__(self, desk: Desk, vault: Memvault, *, dry_run: bool) -> None:
        self._desk = desk
        self._vault = vault
        self._paper = desk.paper()
        self._dry_run = dry_run
        self._became: dict[str, str] = {}
        self._decided: Counter[str] = Counter()

    def shows(self, one: Memory, other: Memory, count: str) -> bool:
        """Show a pair and carry out what the person says of it; whether they want to see the next."""
        ids = self._now(one.id), self._now(other.id)
        if ids[0] == ids[1]:
            return True  # they became one by way of a third
        try:
            merged = self._vault.merge(*ids, dry_run=True)
        except MemvaultError as error:  # one of them is not what it was when the pair was found
            self._desk.say(f"{count}: {error}\n  {error.advice}".rstrip())
            return True
        self._desk.put(f"{_shown(merged, self._paper)}\n")
        self._desk.stdout.flush()
        decision = self._asked(count)
        self._decided[decision] += 1
        self._carry_out(decision, *ids)
        return decision != "quit"

    def told(self, count: int) -> str:
        """What came of the sitting."""
        if not count:
            return "Nothing is said twice here."
        merged, kept = self._decided["merge"], self._decided["keep"]
        left = count - merged - kept
        parts = [f"Merged {merged}", f"kept {plural(kept, 'pair', 'pairs')} apart", f"left {left} for another time"]
        way_back = " Take one back with `memvault undo`." if (merged or kept) and not self._dry_run else ""
        return f"{', '.join(parts)}.{way_back}"

    def _now(self, id_: str) -> str:
        while id_ in self._became and self._became[id_] != id_:
            id_ = self._became[id_]
        return id_

    def _asked(self, count: str) -> str:
        while True:
            answer = self._desk.asks(f"{count}: {_QUESTION}")
            if answer is None:
                return "quit"  # the terminal was closed
            if decision := _ANSWERS.get(answer.casefold()):
                return decision

    def _carry_out(self, decision: str, one: str, other: str) -> None:
        try:
            if decision == "merge":
                made = self._vault.merge(one, other, dry_run=self._dry_run)
                if not self._dry_run:
                    self._became |= dict.fromkeys((one, other), made.memory.id)
            if decision == "keep":
                self._vault.keep_both(one, other, dry_run=self._dry_run)
        except MemvaultError as error:  # an editor saved one of them meanwhile; the others still wait
            self._decided[decision] -= 1
            self._desk.say(f"{error}\n  {error.advice}".rstrip())


def _shown(merged: Merged, paper: Paper) -> str:
    """The two as they are, and below them what they would become."""
    older, newer = sorted(merged.sources, key=lambda memory: (memory.created, memory.id))
    pair = side_by_side(_side(older, paper), _side(newer, paper), paper)
    head = paper.styles.title("Merged they would say:")
    return f"{pair}\n\n{head}\n{paper.block((merged.memory.body or '').strip(), '  ')}\n"


def _side(memory: Memory, paper: Paper) -> Side:
    return Side(memory.title, facts(memory, paper), [memory.body or ""])
