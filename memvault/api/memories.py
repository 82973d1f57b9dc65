"""What is done to memories, a method each: remember, find, change, take back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.core.query import NO_FILTERS, Filters
from memvault.open_vault import OpenVault

if TYPE_CHECKING:
    from memvault.context.gather import ContextResult
    from memvault.core.memory import FieldValue, Memory
    from memvault.core.plan import ListEdit, Operation
    from memvault.maintenance.conflicts import ConflictList, DuplicateList, MergeResult, ResolveResult
    from memvault.memories.draft import MemoryFields
    from memvault.memories.edit import ChangeResult
    from memvault.memories.forget import MoveResult
    from memvault.memories.quarantine import QuarantineResult
    from memvault.memories.remember import RememberResult
    from memvault.memories.reviewers import ReviewResult
    from memvault.memories.tasks import FinishedTask, OpenTask, TodoList, UseResult
    from memvault.privacy.audit import AuditResult, ForgetOriginResult, MemoryOrigin
    from memvault.privacy.purge.purge import PurgeResult
    from memvault.privacy.purge.verify import VerifyResult
    from memvault.recall.keywords import KeywordDetails, KeywordList, RenameResult
    from memvault.recall.recall import RecallResult
    from memvault.recall.show import MemoryDetails, MemoryList, TimelineResult
    from memvault.storage.journal.apply import Progress
    from memvault.storage.journal.undo import OperationFilter


class MemoryMethods(OpenVault):
    """The methods about single memories; each imports what it calls, so that a recall pays for nothing else."""

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

            return self.run(add_to_memory, update, draft, dry_run=dry_run)
        return self.run(remember, draft, dry_run=dry_run)

    store = remember

    def capture(self, text: str, *, dry_run: bool = False, **given: Unpack[MemoryFields]) -> RememberResult:
        """Keep what was picked up by itself, if it passes the screens and, where there is a model, the reviewers."""
        from memvault.capture.auto import capture
        from memvault.memories.draft import MemoryDraft

        return self.run(capture, MemoryDraft(text=text, **given), dry_run=dry_run)

    def review_text(self, text: str) -> ReviewResult:
        """Return what the reviewers say of a text, and what would become of it; nothing is stored."""
        from memvault.memories.reviewers import review_only

        return self.run(review_only, text)

    # -- finding

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
    ) -> RecallResult:
        """Return the memories that answer a question, best first; with `spoken` what was said in conversations, too.

        `fresh` says that the indexes were refreshed just now.
        """
        from memvault.recall.recall import RecallQuery, recall

        request = RecallQuery(
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

            return self.run(recall_with_turns, request, is_fresh=fresh)
        return self.run(recall, request, is_fresh=fresh)

    retrieve = recall

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
    ) -> ContextResult:
        """Return the memories that a prompt calls for, within a budget that the kinds share, as text for a model.

        What belongs to another project than `project` (with `here`, the one of this folder) is never given, nor is
        what `without` names by its id.
        """
        from memvault.context.gather import ContextQuery, gather_context
        from memvault.system.project import project_of

        wish = ContextQuery(
            query=query,
            budget=budget,
            project=project_of(self.folder) if here and not project else project,
            limit=limit,
            min_similarity=min_similarity,
            filters=filters,
            without=frozenset(without),
            asks_model=True,
        )
        return self.run(gather_context, wish)

    def timeline(self, refs: str | Iterable[str], *, around: int = 0, budget: int = 0) -> TimelineResult:
        """Return chosen memories among those made just before and after them, the oldest first."""
        from memvault.recall.show import build_timeline

        return self.run(build_timeline, (refs,) if isinstance(refs, str) else tuple(refs), around=around, budget=budget)

    def show(self, ref: str, *, budget: int = 0, start: int = 0) -> MemoryDetails:
        """Return one memory by id, file name or title, whole, or from a character on; that counts as a use."""
        from memvault.recall.show import show_memory

        return self.run(show_memory, ref, budget=budget, start=start)

    def list(self, filters: Filters = NO_FILTERS, *, order: str = "recent", limit: int = 0) -> MemoryList:
        """Return the memories that meet some conditions."""
        from memvault.recall.show import list_memories

        return self.run(list_memories, filters, order=order, limit=limit)

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

    # -- changing

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        append: str | None = None,
        whole: bytes | None = None,
        fields: Mapping[str, FieldValue | None] | None = None,
        lists: Mapping[str, ListEdit] | None = None,
        version: str = "",
        secrets: str = "",
        dry_run: bool = False,
    ) -> ChangeResult:
        """Change a memory's text or fields; give the version you read, and a change in between is an error.

        Without one, what is appended, fields, and items that `lists` add and take away go onto whatever is there by
        then. What becomes of secrets that the change adds, `secrets` says: refuse, redact or keep.
        """
        from memvault.memories.edit import MemoryEdit, edit_memory

        edit = MemoryEdit(
            body=body,
            append=append,
            whole=whole,
            fields=fields,
            lists=lists or {},
            version=version,
            secrets=secrets,
        )
        return self.run(edit_memory, ref, edit, dry_run=dry_run)

    def pin(self, ref: str, *, dry_run: bool = False) -> ChangeResult:
        """Keep a memory from ever decaying."""
        from memvault.memories.edit import pin_memory

        return self.run(pin_memory, ref, dry_run=dry_run)

    def unpin(self, ref: str, *, dry_run: bool = False) -> ChangeResult:
        """Let a memory decay like any other."""
        from memvault.memories.edit import pin_memory

        return self.run(pin_memory, ref, pinned=False, dry_run=dry_run)

    def link(self, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False) -> ChangeResult:
        """Say how one memory stands to another."""
        from memvault.memories.edit import link_memories

        return self.run(link_memories, ref, to, relation=relation, dry_run=dry_run)

    def move(self, ref: str, to: str, *, dry_run: bool = False) -> ChangeResult:
        """Put a memory into another tier or folder."""
        from memvault.memories.edit import move_memory

        return self.run(move_memory, ref, to, dry_run=dry_run)

    def forget(self, ref: str, *, dry_run: bool = False) -> MoveResult:
        """Move a memory to the trash, and do not learn it again."""
        from memvault.memories.forget import forget_memory

        return self.run(forget_memory, ref, dry_run=dry_run)

    def restore(self, ref: str, *, dry_run: bool = False) -> MoveResult:
        """Bring a memory back from the trash or the archive."""
        from memvault.memories.forget import restore_memory

        return self.run(restore_memory, ref, dry_run=dry_run)

    def purge(
        self, ref: str, *, is_session: bool = False, verify: bool = False, dry_run: bool = False
    ) -> tuple[PurgeResult, VerifyResult | None]:
        """Take a memory out of everything that memvault keeps, for good; then, with `verify`, prove that it is so.

        With `is_session` a conversation is named, and all that came out of it goes with it.
        """
        from memvault.privacy.purge.purge import purge

        return self.run(purge, ref, is_session=is_session, verify=verify, dry_run=dry_run)

    def audit(self, origin: MemoryOrigin | None = None, *, by: str = "source") -> AuditResult:
        """Return where memories come from, in figures; those of one origin, where it is given."""
        from memvault.privacy.audit import MemoryOrigin, audit_origins

        return self.run(audit_origins, origin or MemoryOrigin(), by=by)

    def forget_origin(self, origin: MemoryOrigin, *, dry_run: bool = False) -> ForgetOriginResult:
        """Move all memories of one origin to the trash, as one operation, and learn none of them again."""
        from memvault.privacy.audit import forget_origin

        return self.run(forget_origin, origin, dry_run=dry_run)

    # -- keywords

    def list_keywords(self, *, limit: int = 0) -> KeywordList:
        """Return the keywords of the vault with how often each is borne, the most borne first."""
        from memvault.recall.keywords import list_keywords
        from memvault.transcripts.search import topic_keywords

        return self.run(lambda context: list_keywords(context, topics=topic_keywords(context), limit=limit))

    def find_keyword(self, word: str, *, limit: int = 0) -> KeywordDetails:
        """Return what bears a keyword, in whatever spelling, and which others stand beside it there."""
        from memvault.recall.keywords import show_keyword
        from memvault.transcripts.search import topic_keywords

        return self.run(lambda context: show_keyword(context, word, topics=topic_keywords(context), limit=limit))

    def rename_keyword(self, old: str, new: str, *, dry_run: bool = False) -> RenameResult:
        """Call a keyword otherwise wherever it is borne."""
        from memvault.recall.keywords import rename_keyword
        from memvault.transcripts.search import topic_keywords

        return self.run(
            lambda context: rename_keyword(context, old, new, topics=topic_keywords(context), dry_run=dry_run)
        )

    def merge_keywords(self, keep: str, *others: str, dry_run: bool = False) -> RenameResult:
        """Make one keyword of several: the first takes the place of the others."""
        from memvault.recall.keywords import merge_keywords
        from memvault.transcripts.search import topic_keywords

        return self.run(
            lambda context: merge_keywords(context, keep, others, topics=topic_keywords(context), dry_run=dry_run)
        )

    # -- what contradicts, and what says the same

    def list_conflicts(self, *, limit: int = 0, progress: Progress | None = None) -> ConflictList:
        """Return the live memories that contradict each other, the newest first."""
        from memvault.maintenance.conflicts import list_conflicts
        from memvault.storage.journal.apply import no_progress

        return self.run(list_conflicts, limit=limit, progress=progress or no_progress)

    def resolve(
        self, keep: str, other: str, *, both: bool = False, newest: bool = False, dry_run: bool = False
    ) -> ResolveResult:
        """Let a memory take the place of another; with `newest` the newer one does, with `both` neither."""
        from memvault.maintenance.conflicts import resolve_conflict

        return self.run(resolve_conflict, keep, other, both=both, newest=newest, dry_run=dry_run)

    def list_duplicates(self) -> DuplicateList:
        """Return the memories that say the same, in groups, and the pairs that may."""
        from memvault.maintenance.conflicts import list_duplicates

        return self.run(list_duplicates)

    def merge(self, *refs: str, dry_run: bool = False) -> MergeResult:
        """Make one memory of several that say the same; a dry run shows what it would be."""
        from memvault.maintenance.conflicts import merge_memories

        return self.run(merge_memories, refs, dry_run=dry_run)

    def keep_both(self, one: str, other: str, *, dry_run: bool = False) -> ResolveResult:
        """Say that two memories both hold and are not the same: they are not offered or listed again."""
        from memvault.maintenance.conflicts import keep_both

        return self.run(keep_both, one, other, dry_run=dry_run)

    # -- quarantine

    def quarantine(self) -> Sequence[Memory]:
        """Return what came from the web or from tools and waits to be accepted, the oldest first."""
        from memvault.memories.quarantine import list_waiting

        return self.run(list_waiting)

    def accept(self, *refs: str, dry_run: bool = False) -> QuarantineResult:
        """Take waiting memories into Tier 2, with their source."""
        from memvault.memories.quarantine import accept_waiting

        return self.run(accept_waiting, refs, dry_run=dry_run)

    def refuse(self, *refs: str, dry_run: bool = False) -> QuarantineResult:
        """Let waiting memories go, and do not learn them again."""
        from memvault.memories.quarantine import refuse_waiting

        return self.run(refuse_waiting, refs, dry_run=dry_run)

    # -- tasks

    def list_reminders(self, *, everything: bool = False) -> TodoList:
        """Return what is still to be done, what is due first; with `everything` also what is over."""
        from memvault.memories.tasks import list_todo

        return self.run(list_todo, everything=everything)

    def mark_done(self, ref: str, *, cancel: bool = False, dry_run: bool = False) -> ChangeResult:
        """Say that a reminder was seen to, or with `cancel` that it will not be."""
        from memvault.memories.tasks import mark_done

        return self.run(mark_done, ref, cancel=cancel, dry_run=dry_run)

    def record_use(self, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False) -> UseResult:
        """Say that a way of doing something was followed, and whether it worked."""
        from memvault.memories.tasks import record_use

        return self.run(record_use, ref, ok=ok, note=note, secrets=secrets, dry_run=dry_run)

    def work_in_hand(self) -> tuple[OpenTask, ...]:
        """Return the tasks in hand, the latest begun first."""
        from memvault.memories.tasks import list_tasks

        return self.run(list_tasks)

    def work_start(self, task: str, *, secrets: str = "", dry_run: bool = False) -> OpenTask:
        """Take a task in hand."""
        from memvault.memories.tasks import start_task

        return self.run(start_task, task, secrets=secrets, dry_run=dry_run)

    def work_note(self, text: str, *, task: str = "", secrets: str = "", dry_run: bool = False) -> OpenTask:
        """Note something on the task in hand, or on the one that is named."""
        from memvault.memories.tasks import note_task

        return self.run(note_task, text, task=task, secrets=secrets, dry_run=dry_run)

    def work_done(self, *, task: str = "", keep: bool = False, dry_run: bool = False) -> FinishedTask:
        """End a task; what proved significant, or is to be kept, becomes a lasting memory."""
        from memvault.memories.tasks import finish_task

        return self.run(finish_task, task=task, keep=keep, dry_run=dry_run)

    def work_clear(self, *, task: str = "", dry_run: bool = False) -> tuple[FinishedTask, ...]:
        """Put the tasks in hand away, keeping nothing of them."""
        from memvault.memories.tasks import clear_tasks

        return self.run(clear_tasks, task=task, dry_run=dry_run)

    def clear_working(self, *, task: str = "", dry_run: bool = False) -> tuple[FinishedTask, ...]:
        """Clear the working notes: do what `work_clear` does, and return nothing where there is nothing to clear."""
        from memvault.errors import NothingToDo

        try:
            return self.work_clear(task=task, dry_run=dry_run)
        except NothingToDo:
            if task:
                raise
            return ()

    # -- history

    def log(self, wanted: OperationFilter | None = None, *, limit: int = 0) -> Sequence[Operation]:
        """Return what was done to the vault, the newest first: all of it, or what was asked for."""
        from memvault.storage.journal.undo import ALL_OPERATIONS, list_operations

        return self.run(list_operations, wanted or ALL_OPERATIONS, limit=limit)

    def undo(self, ref: str = "", *, dry_run: bool = False) -> Operation:
        """Take an operation back, byte for byte."""
        from memvault.storage.journal.undo import undo_operation

        return self.run(undo_operation, ref, dry_run=dry_run)
