"""Making memories, finding them, looking at them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.core.query import NO_FILTERS, Filters
from memvault.core.settings import Settings
from memvault.open_vault import OpenVault, load_own_settings
from memvault.storage.vault.config import from_environment
from memvault.storage.vault.context import VaultContext
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.context.gather import ContextResult
    from memvault.core.memory import Memory
    from memvault.maintenance.report.figures import Figures
    from memvault.maintenance.report.page import ReportResult
    from memvault.maintenance.vault_status import VaultStatus
    from memvault.memories.draft import MemoryFields
    from memvault.memories.remember import RememberResult
    from memvault.memories.reviewers import ReviewResult
    from memvault.memories.tasks import OpenTask, TodoList
    from memvault.models.llm.ask import AskModel as AskModel
    from memvault.recall.keywords import KeywordDetails as LookedUp
    from memvault.recall.keywords import KeywordList as ListedKeywords
    from memvault.recall.recall import RecallResult
    from memvault.recall.semantic import SemanticCost
    from memvault.recall.semantic_model import EmbedResult, SemanticChoice, SemanticStatus
    from memvault.recall.show import MemoryDetails, MemoryList, TimelineResult


class FindMethods(OpenVault):
    """What a vault is asked and told."""

    def remember(
        self, text: str, *, update: str = "", dry_run: bool = False, **given: Unpack[MemoryFields]
    ) -> RememberResult:
        """Make a memory, or with `update` add to one.

        Takes title, type, kind, tags, topics, people, triggers, weight, pin, significant and refs; and how it is
        screened: source, automatic, secrets (refuse, redact, keep), again, near (tell, hold, confirm, ignore).
        """
        from memvault.memories.draft import MemoryDraft
        from memvault.memories.remember import remember

        draft = MemoryDraft(text=text, **given)
        if update:
            from memvault.memories.edit import add_to_memory  # deferred: most memories are new ones

            return self.run(lambda context: add_to_memory(context, update, draft, dry_run=dry_run))
        return self.run(lambda context: remember(context, draft, dry_run=dry_run))

    store = remember

    def capture(self, text: str, *, dry_run: bool = False, **given: Unpack[MemoryFields]) -> RememberResult:
        """Keep what was picked up by itself, if it passes the screens and, where there is a model, the reviewers."""
        from memvault.capture.auto import capture
        from memvault.memories.draft import MemoryDraft

        return self.run(capture, MemoryDraft(text=text, **given), dry_run=dry_run)

    def recall(
        self,
        query: str,
        *,
        limit: int = 0,
        budget: int = 0,
        min_similarity: float | None = None,
        filters: Filters = NO_FILTERS,
        whole_texts: bool = False,
        fresh: bool = False,
        spoken: bool = False,
        fold: bool = True,
        sift: bool = True,
    ) -> RecallResult:
        """Return the memories that answer a question, best first; with `spoken` what was said in conversations, too.

        `fresh` says that the indexes were refreshed just now; without `sift` no model is asked.
        """
        from memvault.recall.recall import RecallQuery

        wanted = RecallQuery(
            query=query,
            filters=filters,
            limit=limit,
            budget=budget,
            min_similarity=min_similarity,
            whole_texts=whole_texts,
            fold=fold,
        )
        if spoken:
            from memvault.transcripts.search import recall_with_turns  # deferred: most recalls ask for memories

            return self.run(recall_with_turns, wanted, is_fresh=fresh, asks_model=sift)
        from memvault.recall.recall import recall

        return self.run(recall, wanted, is_fresh=fresh, asks_model=sift)

    retrieve = recall

    def refresh_transcript_index(self) -> None:
        """Bring the index of conversations up to what the archive holds."""
        from memvault.transcripts.search import refresh_index

        self.run(refresh_index)

    def recall_many(
        self, queries: Iterable[str], *, limit: int = 0, filters: Filters = NO_FILTERS
    ) -> Iterator[RecallResult]:
        """Many recalls one after the other, with no threshold; the files are looked over once, at the start."""
        from memvault.recall.recall import RecallQuery, recall

        self.run(VaultContext.refresh)
        for query in queries:
            ask = RecallQuery(
                query=query,
                filters=filters,
                limit=limit,
                budget=1_000_000,
                min_similarity=0.0,
                fold=False,
                follow=False,
            )
            yield self.run(lambda context, ask=ask: recall(context, ask, is_fresh=True, asks_model=False))  # type: ignore[misc]

    def review_text(self, text: str) -> ReviewResult:
        """Return what the reviewers say of a text, and what would become of it; nothing is stored."""
        from memvault.memories.reviewers import review_only

        return self.run(review_only, text)

    # -- looking

    def show(self, ref: str, *, budget: int = 0, start: int = 0) -> MemoryDetails:
        """Return one memory by id, file name or title, whole, or from a character on; that counts as a use."""
        from memvault.recall.show import show_memory

        return self.run(lambda context: show_memory(context, ref, budget=budget, start=start))

    def list(self, filters: Filters = NO_FILTERS, *, order: str = "recent", limit: int = 0) -> MemoryList:
        """Return the memories that meet some conditions."""
        from memvault.recall.show import list_memories

        return self.run(lambda context: list_memories(context, filters, order=order, limit=limit))

    def list_keywords(self, *, limit: int = 0) -> ListedKeywords:
        """Return the keywords of the vault with how often each is borne, the most borne first."""
        from memvault.recall.keywords import list_keywords
        from memvault.transcripts.search import topic_keywords

        return self.run(lambda context: list_keywords(context, topics=topic_keywords(context), limit=limit))

    def find_keyword(self, word: str, *, limit: int = 0) -> LookedUp:
        """Return what bears a keyword, in whatever spelling, and which others stand beside it there."""
        from memvault.recall.keywords import show_keyword
        from memvault.transcripts.search import topic_keywords

        return self.run(lambda context: show_keyword(context, word, topics=topic_keywords(context), limit=limit))

    def list_reminders(self, *, everything: bool = False) -> TodoList:
        """Return what is still to be done, what is due first; with `everything` also what is over."""
        from memvault.memories.tasks import list_todo

        return self.run(lambda context: list_todo(context, everything=everything))

    def work_in_hand(self) -> tuple[OpenTask, ...]:
        """Return the tasks in hand, the latest begun first."""
        from memvault.memories.tasks import list_tasks

        return self.run(list_tasks)

    def status(self) -> VaultStatus:
        """Return the vault at a glance."""
        from dataclasses import replace

        from memvault.maintenance.vault_status import vault_status

        return replace(self.run(vault_status), extensions=self.list_extensions())

    def stats(self, *, days: int = 30) -> Figures:
        """Return the vault in figures: counts, weights, use, what is about to fade, and what happened in some days."""
        from memvault.maintenance.report.figures import compute_stats

        return self.run(lambda context: compute_stats(context, days=days))

    def report(self, path: str | Path | None = None, *, days: int = 30, write: bool = True) -> ReportResult:
        """Return a page that shows the vault, written to a file; without a path, to one in the user's cache."""
        from memvault.maintenance.report.page import write_report

        if not write:
            return self.run(lambda context: write_report(context, None, days=days))
        target = Path(path) if path is not None else self._usual_report()
        return self.run(lambda context: write_report(context, target, days=days))

    def _usual_report(self) -> Path:
        """In the cache: a report can be made again at any time, and is nobody else's business."""
        from memvault.system.files import make_folder
        from memvault.text.file_names import slugify

        folder = paths.cache_folder(self.environment) / "reports" / self._vault.vault_file.id[:8]
        make_folder(folder)
        return folder / f"{slugify(self.root.name)}.html"

    def find(self, ref: str) -> Memory:
        """Return the memory that an id, a file name or a title means, without its text; that counts as nothing."""
        return self.run(lambda context: context.find_memory(ref))

    def path_of(self, ref: str) -> Path:
        """Return the file of a memory."""
        return self._vault.absolute_path(self.find(ref).path)

    def source(self, ref: str) -> tuple[Memory, bytes]:
        """Return a memory with its text, and the exact bytes of its file; that counts as nothing."""
        memory, note = self.run(lambda context: context.read_memory(context.find_memory(ref)))
        return memory, note.raw


# Giving a model what it needs: a context for a prompt, and what stands around a memory in time.


class ContextMethods(OpenVault):
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
        filters: Filters = NO_FILTERS,
        without: Iterable[str] = (),
        quick: bool = False,
    ) -> ContextResult:
        """Return the memories that a prompt calls for, within a budget that the kinds share, as text for a model.

        What belongs to another project than `project` (with `here`, the one of this folder) is never given, nor is
        what `without` names by its id. `quick` asks no language model, whatever the settings say.
        """
        from memvault.context.gather import ContextQuery, gather_context

        wish = ContextQuery(
            query=query,
            budget=budget,
            project=_project_of(self.folder) if here and not project else project,
            limit=limit,
            min_similarity=min_similarity,
            filters=filters,
            without=frozenset(without),
            asks_model=not quick,
        )
        return self.run(gather_context, wish)

    def timeline(self, refs: str | Iterable[str], *, around: int = 0, budget: int = 0) -> TimelineResult:
        """Chosen memories among those made just before and after them, the oldest first."""
        from memvault.recall.show import build_timeline

        named = (refs,) if isinstance(refs, str) else tuple(refs)
        return self.run(lambda context: build_timeline(context, named, around=around, budget=budget))


def _project_of(folder: Path) -> str:
    from memvault.system import project as projects  # deferred: whoever names a project need not have it looked for

    return projects.project_of(folder)


# Finding by meaning: choosing a model, and giving a vault its vectors.


class SemanticMethods(OpenVault):
    """What concerns the model that finds by meaning, where one was chosen."""

    @staticmethod
    def own_semantic(*, environment: Mapping[str, str] | None = None) -> SemanticChoice:
        """This person's choice of a model, to be looked at, made or taken back; it needs no vault."""
        from memvault.recall.semantic_model import SemanticChoice

        variables = os.environ if environment is None else environment
        return SemanticChoice(
            Settings({**load_own_settings(variables), **from_environment(variables)}),
            variables,
            cache=paths.cache_folder(variables),
            config=paths.config_folder(variables),
            state=paths.state_folder(variables),
        )

    def semantic_status(self) -> SemanticStatus:
        """Which model finds by meaning, and how far its vectors are in this vault."""
        from dataclasses import replace  # deferred: it takes a start 10 ms to load

        from memvault.recall.semantic_model import count_vectors

        found = self.own_semantic(environment=self.environment).status()
        if not found.ready:
            return found
        self.run(VaultContext.refresh)
        held = self.run(count_vectors)
        return replace(found, vectors=held.vectors, bytes=held.bytes, behind=held.fresh)

    def meaning_cost(self) -> SemanticCost | None:
        """Return what a look by meaning would take at this moment; None where no model was chosen."""
        from memvault.recall.semantic import estimate_cost

        meaning = self._open_semantic_index()
        return None if meaning is None else self.run(lambda context: estimate_cost(context, meaning))

    def embed(self, *, progress: Callable[[int, int], None] = lambda _done, _whole: None) -> EmbedResult:
        """Give every memory and every turn that has no vector yet one."""
        from memvault.recall.semantic_model import embed_all
        from memvault.transcripts.search import refresh_index

        self.run(VaultContext.refresh)
        self.run(refresh_index)
        return self.run(lambda context: embed_all(context, progress))
