"""Making memories, finding them, looking at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.api.hall import Hall
from memvault.core.query import ANY, Filters
from memvault.verbs.bench import Bench

if TYPE_CHECKING:
    from memvault.core.memory import Memory
    from memvault.verbs.look import Listed, Shown, Status
    from memvault.verbs.recall import Recalled
    from memvault.verbs.remember import Given, Remembered


class Finding(Hall):
    """What a vault is asked and told."""

    def remember(self, text: str, *, dry_run: bool = False, **given: Unpack[Given]) -> Remembered:
        """Make a memory; takes title, type, kind, tags, topics, people, triggers, weight, pin, significant, refs."""
        from memvault.verbs.remember import Draft, remember

        return self._at_bench(lambda bench: remember(bench, Draft(text=text, **given), dry_run=dry_run))

    def recall(
        self,
        query: str,
        *,
        limit: int = 0,
        budget: int = 0,
        min_similarity: float | None = None,
        filters: Filters = ANY,
        whole_texts: bool = False,
        fresh: bool = False,
    ) -> Recalled:
        """The memories that answer a question, best first; `fresh` says that `freshen` was called just now."""
        from memvault.verbs.recall import Ask, recall, recall_fresh

        ask = Ask(
            query=query,
            filters=filters,
            limit=limit,
            budget=budget,
            min_similarity=min_similarity,
            whole_texts=whole_texts,
        )
        return self._at_bench(lambda bench: (recall_fresh if fresh else recall)(bench, ask))

    def recall_many(self, queries: Iterable[str], *, limit: int = 0, filters: Filters = ANY) -> Iterator[Recalled]:
        """Many recalls one after the other, with no threshold; the files are looked over once, at the start."""
        from memvault.verbs.recall import Ask, recall_fresh

        self._at_bench(Bench.freshen)
        for query in queries:
            ask = Ask(query=query, filters=filters, limit=limit, budget=1_000_000, min_similarity=0.0)
            yield self._at_bench(lambda bench, ask=ask: recall_fresh(bench, ask))  # type: ignore[misc]

    # -- looking

    def show(self, ref: str, *, budget: int = 0) -> Shown:
        """One memory whole, by id, file name or title; that counts as a use."""
        from memvault.verbs.look import show

        return self._at_bench(lambda bench: show(bench, ref, budget=budget))

    def list(self, filters: Filters = ANY, *, order: str = "recent", limit: int = 0) -> Listed:
        """The memories that meet some conditions."""
        from memvault.verbs.look import list_

        return self._at_bench(lambda bench: list_(bench, filters, order=order, limit=limit))

    def status(self) -> Status:
        """The vault at a glance."""
        from memvault.verbs.look import status

        return self._at_bench(status)

    def find(self, ref: str) -> Memory:
        """The memory that an id, a file name or a title means, without its text; that counts as nothing."""
        return self._at_bench(lambda bench: bench.find(ref))

    def path_of(self, ref: str) -> Path:
        """The file of a memory."""
        return self._vault.absolute(self.find(ref).path)

    def source(self, ref: str) -> tuple[Memory, bytes]:
        """A memory with its text, and the exact bytes of its file; that counts as nothing."""
        memory, note = self._at_bench(lambda bench: bench.read(bench.find(ref)))
        return memory, note.raw
