"""Giving a model what it needs: a context for a prompt, and what stands around a memory in time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.query import ANY, Filters
from memvault.open_vault import Hall

if TYPE_CHECKING:
    from memvault.context.gather import Context
    from memvault.recall.timeline import Timeline


class Disclosing(Hall):
    """What is given in few tokens."""

    def context(
        self,
        query: str,
        *,
        budget: int = 0,
        project: str = "",
        here: bool = False,
        limit: int = 0,
        min_similarity: float | None = None,
        filters: Filters = ANY,
        without: Iterable[str] = (),
        quick: bool = False,
    ) -> Context:
        """The memories that a prompt calls for, within a budget that the kinds share, as text for a model.

        What belongs to another project than `project` (with `here`, the one of this folder) is never given, nor is
        what `without` names by its id. `quick` asks no language model, whatever the settings say.
        """
        from memvault.context.gather import Wish, context

        wish = Wish(
            query=query,
            budget=budget,
            project=_at(self.folder) if here and not project else project,
            limit=limit,
            min_similarity=min_similarity,
            filters=filters,
            without=frozenset(without),
        )
        ask_model = None if quick else self._ask_for("recall.filter")
        return self._at_bench(lambda bench: context(bench, wish, ask_model))

    def timeline(self, refs: str | Iterable[str], *, around: int = 0, budget: int = 0) -> Timeline:
        """Chosen memories among those made just before and after them, the oldest first."""
        from memvault.recall.timeline import timeline

        named = (refs,) if isinstance(refs, str) else tuple(refs)
        return self._at_bench(lambda bench: timeline(bench, named, around=around, budget=budget))


def _at(folder: Path) -> str:
    from memvault.system import project as projects  # deferred: whoever names a project need not have it looked for

    return projects.of(folder)
