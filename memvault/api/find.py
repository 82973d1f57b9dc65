"""Making memories, finding them, looking at them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.core.query import ANY, Filters
from memvault.core.settings import Settings
from memvault.open_vault import Hall, load_personal
from memvault.storage.vault.config import from_environment
from memvault.storage.vault.context import Bench
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.context.gather import Context
    from memvault.core.memory import Memory
    from memvault.maintenance.report.figures import Figures
    from memvault.maintenance.report.report import Reported
    from memvault.memories.draft import Given
    from memvault.memories.remember import Remembered
    from memvault.memories.reviewers import Reviewed
    from memvault.memories.tasks import InHand, Todo
    from memvault.models.llm.ask import Ask as AskModel
    from memvault.recall.keywords import Listed as ListedKeywords
    from memvault.recall.keywords import Looked as LookedUp
    from memvault.recall.recall import Ask, Recalled
    from memvault.recall.semantic import Cost
    from memvault.recall.semantic_model import Embedded, Semantic, SemanticStatus
    from memvault.recall.show import Listed, Shown, Status
    from memvault.recall.timeline import Timeline


class Finding(Hall):
    """What a vault is asked and told."""

    def remember(self, text: str, *, update: str = "", dry_run: bool = False, **given: Unpack[Given]) -> Remembered:
        """Make a memory, or with `update` add to one.

        Takes title, type, kind, tags, topics, people, triggers, weight, pin, significant and refs; and how it is
        screened: source, automatic, secrets (refuse, redact, keep), again, near (tell, hold, confirm, ignore).
        """
        from memvault.memories.draft import Draft
        from memvault.memories.remember import remember

        draft = Draft(text=text, **given)
        if update:
            from memvault.memories.edit import remember_in  # deferred: most memories are new ones

            return self._at_bench(lambda bench: remember_in(bench, update, draft, dry_run=dry_run))
        return self._at_bench(lambda bench: remember(bench, draft, dry_run=dry_run))

    def capture(self, text: str, *, dry_run: bool = False, **given: Unpack[Given]) -> Remembered:
        """Keep what was picked up by itself, if it passes the screens and, where there is a model, the reviewers."""
        from memvault.capture.auto import capture
        from memvault.memories.draft import Draft
        from memvault.storage.pauses import check_not_paused

        project = str(given.get("more", {}).get("project", ""))
        check_not_paused(self.state_folder, project, self._actor.session, self._clock(), self.environment)
        ask = self.model().ask
        reviewers = {} if ask is None else self.reviewers()
        draft = Draft(text=text, **given)
        return self._at_bench(lambda bench: capture(bench, draft, ask, reviewers=reviewers, dry_run=dry_run))

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
        spoken: bool = False,
        fold: bool = True,
        sift: bool = True,
    ) -> Recalled:
        """The memories that answer a question, best first; with `spoken` what was said in conversations, too.

        `fresh` says that `freshen` (and `freshen_talks`) was called just now; without `sift` no model is asked.
        """
        from memvault.recall.recall import Ask, recall, recall_fresh

        ask = Ask(
            query=query,
            filters=filters,
            limit=limit,
            budget=budget,
            min_similarity=min_similarity,
            whole_texts=whole_texts,
            fold=fold,
        )
        ask_model = self._ask_for("recall.filter") if sift else None
        if spoken:
            if not fresh:
                self._at_bench(Bench.freshen)
                self.freshen_talks()
            return self._recall_with_talk(ask, ask_model)
        if ask_model is None:
            return self._at_bench(lambda bench: (recall_fresh if fresh else recall)(bench, ask))
        from memvault.recall.llm_filter import recall_relevant  # deferred: most recalls ask nobody

        return self._at_bench(lambda bench: recall_relevant(bench, ask, ask_model, fresh=fresh))

    def _recall_with_talk(self, ask: Ask, ask_model: AskModel | None) -> Recalled:
        if ask_model is None:
            from memvault.transcripts.search import recall_with_talk  # deferred: most recalls ask for memories

            return self._at_bench(lambda bench: recall_with_talk(bench, ask))
        from memvault.transcripts.search import recall_relevant_talk  # deferred: most recalls ask nobody

        return self._at_bench(lambda bench: recall_relevant_talk(bench, ask, ask_model))

    def freshen_talks(self) -> None:
        """Bring the catalogue of conversations up to what the archive holds."""
        from memvault.transcripts.search import refreshed

        self._at_bench(refreshed)

    def recall_many(self, queries: Iterable[str], *, limit: int = 0, filters: Filters = ANY) -> Iterator[Recalled]:
        """Many recalls one after the other, with no threshold; the files are looked over once, at the start."""
        from memvault.recall.recall import Ask, recall_fresh

        self._at_bench(Bench.freshen)
        for query in queries:
            ask = Ask(
                query=query,
                filters=filters,
                limit=limit,
                budget=1_000_000,
                min_similarity=0.0,
                fold=False,
                follow=False,
            )
            yield self._at_bench(lambda bench, ask=ask: recall_fresh(bench, ask))  # type: ignore[misc]

    def review(self, text: str) -> Reviewed:
        """What the reviewers say of a text, and what would become of it; nothing is stored."""
        from memvault.memories.reviewers import opinion

        ask, reviewers = self.model().ask, self.reviewers()
        return self._at_bench(lambda bench: opinion(bench, text, ask, reviewers=reviewers))

    # -- looking

    def show(self, ref: str, *, budget: int = 0, start: int = 0) -> Shown:
        """One memory by id, file name or title, whole, or from a character on; that counts as a use."""
        from memvault.recall.show import show

        return self._at_bench(lambda bench: show(bench, ref, budget=budget, start=start))

    def list(self, filters: Filters = ANY, *, order: str = "recent", limit: int = 0) -> Listed:
        """The memories that meet some conditions."""
        from memvault.recall.show import list_

        return self._at_bench(lambda bench: list_(bench, filters, order=order, limit=limit))

    def keywords(self, *, limit: int = 0) -> ListedKeywords:
        """The keywords of the vault with how often each is borne, the most borne first."""
        from memvault.recall.keywords import keywords
        from memvault.transcripts.search import topics_of

        return self._at_bench(lambda bench: keywords(bench, topics=topics_of(bench), limit=limit))

    def keyword(self, word: str, *, limit: int = 0) -> LookedUp:
        """What bears a keyword, in whatever spelling, and which others stand beside it there."""
        from memvault.recall.keywords import keyword
        from memvault.transcripts.search import topics_of

        return self._at_bench(lambda bench: keyword(bench, word, topics=topics_of(bench), limit=limit))

    def todo(self, *, everything: bool = False) -> Todo:
        """What is still to be done, what is due first; with `everything` also what is over."""
        from memvault.memories.tasks import todo

        return self._at_bench(lambda bench: todo(bench, everything=everything))

    def work_in_hand(self) -> tuple[InHand, ...]:
        """The tasks in hand, the latest begun first."""
        from memvault.memories.tasks import in_hand

        return self._at_bench(in_hand)

    def status(self) -> Status:
        """The vault at a glance."""
        from dataclasses import replace

        from memvault.recall.show import status

        return replace(self._at_bench(status), extensions=self.extensions())

    def stats(self, *, days: int = 30) -> Figures:
        """The vault in figures: counts, weights, use, what is about to fade, and what happened in some days."""
        from memvault.maintenance.report.report import stats

        return self._at_bench(lambda bench: stats(bench, days=days))

    def report(self, path: str | Path | None = None, *, days: int = 30, write: bool = True) -> Reported:
        """A page that shows the vault, written to a file; without a path, to one in the user's cache."""
        from memvault.maintenance.report.report import report

        if not write:
            return self._at_bench(lambda bench: report(bench, None, days=days))
        target = Path(path) if path is not None else self._usual_report()
        return self._at_bench(lambda bench: report(bench, target, days=days))

    def _usual_report(self) -> Path:
        """In the cache: a report can be made again at any time, and is nobody else's business."""
        from memvault.system.files import make_folder
        from memvault.text.file_names import slug

        folder = paths.cache(self.environment) / "reports" / self._vault.charter.id[:8]
        make_folder(folder)
        return folder / f"{slug(self.root.name)}.html"

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


# Giving a model what it needs: a context for a prompt, and what stands around a memory in time.


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


# Finding by meaning: choosing a model, and giving a vault its vectors.


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
            cache=paths.cache(variables),
            config=paths.config(variables),
            state=paths.state(variables),
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
