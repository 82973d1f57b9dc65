"""Finding by meaning: choosing a model, and giving a vault its vectors."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memvault.core.settings import Settings
from memvault.open_vault import Hall, load_personal
from memvault.storage.vault.config import from_environment
from memvault.storage.vault.context import Bench
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.recall.semantic import Cost
    from memvault.recall.semantic_model import Embedded, Semantic, SemanticStatus


class Meaning(Hall):
    """What concerns the model that finds by meaning, where one was chosen."""

    @staticmethod
    def own_semantic(*, environment: Mapping[str, str] | None = None) -> Semantic:
        """This person's choice of a model, to be looked at, made or taken back; it needs no vault."""
        from memvault.recall.semantic_model import Semantic

        variables = os.environ if environment is None else environment
        return Semantic(
            Settings({**load_personal(variables), **from_environment(variables)}),
            variables,
            cache=folders.cache(variables),
            config=folders.config(variables),
            state=folders.state(variables),
        )

    def semantic_status(self) -> SemanticStatus:
        """Which model finds by meaning, and how far its vectors are in this vault."""
        from dataclasses import replace  # deferred: it takes a start 10 ms to load

        from memvault.recall.semantic_model import counted

        found = self.own_semantic(environment=self.environment).status()
        if not found.ready:
            return found
        self._at_bench(Bench.freshen)
        held = self._at_bench(counted)
        return replace(found, vectors=held.vectors, bytes=held.bytes, behind=held.fresh)

    def meaning_cost(self) -> Cost | None:
        """What a look by meaning would take at this moment; None where no model was chosen."""
        from memvault.recall.semantic import cost

        meaning = self._open_meaning()
        return None if meaning is None else self._at_bench(lambda bench: cost(bench, meaning))

    def embed(self, *, progress: Callable[[int, int], None] = lambda _done, _whole: None) -> Embedded:
        """Give every memory and every turn that has no vector yet one."""
        from memvault.recall.semantic_model import embed_all
        from memvault.transcripts.search import refreshed

        self._at_bench(Bench.freshen)
        self._at_bench(refreshed)
        return self._at_bench(lambda bench: embed_all(bench, progress))
