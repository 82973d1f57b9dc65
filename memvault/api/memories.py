"""What is done to memories, a method each: remember, find, change, take back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.api import lazy
from memvault.core.memory import FieldValue, Memory
from memvault.core.query import NO_FILTERS, Filters
from memvault.open_vault import OpenVault

if TYPE_CHECKING:
    from memvault.core.plan import ListEdit, Operation


class MemoryMethods(OpenVault):
    """The methods about single memories."""

    def remember(
        self, text: str, *, update: str = "", dry_run: bool = False, **given: Unpack[lazy.draft.MemoryFields]
    ) -> lazy.remember.RememberResult:
        """Make a memory, or with `update` add to one.

        Takes title, type, kind, tags, topics, people, triggers, weight, pin, significant and refs; and how it is
        screened: source, automatic, secrets (refuse, redact, keep), again, near (tell, hold, confirm, ignore).
        """
        draft = lazy.draft.MemoryDraft(text=text, **given)
        if update:
            return self.run(lazy.edit.add_to_memory, update, draft, dry_run=dry_run)
        return self.run(lazy.remember.remember, draft, dry_run=dry_run)

    store = remember

    def capture(
        self, text: str, *, dry_run: bool = False, **given: Unpack[lazy.draft.MemoryFields]
    ) -> lazy.remember.RememberResult:
        """Keep what was picked up by itself, if it passes the screens and, where there is a model, the reviewers."""
        return self.run(lazy.auto_capture.capture, lazy.draft.MemoryDraft(text=text, **given), dry_run=dry_run)

    def review_text(self, text: str) -> lazy.reviewers.ReviewResult:
        """Return what the reviewers say of a text, and what would become of it; nothing is stored."""
        return self.run(lazy.reviewers.review_only, text)

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
    ) -> lazy.recall.RecallResult:
        """Return the memories that answer a question, best first; with `spoken` what was said in conversations, too.

        `fresh` says that the indexes were refreshed just now.
        """
        request = lazy.recall.RecallQuery(
            query=query,
            filters=filters,
            limit=limit,
            budget=budget,
            min_similarity=min_similarity,
            whole_texts=whole_texts,
            fold=fold,
        )
        if spoken:
            return self.run(lazy.transcript_search.recall_with_turns, request, is_fresh=fresh)
        return self.run(lazy.recall.recall, request, is_fresh=fresh)

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
    ) -> lazy.gather.ContextResult:
        """Return the memories that a prompt calls for, within a budget that the kinds share, as text for a model.

        What belongs to another project than `project` (with `here`, the one of this folder) is never given, nor is
        what `without` names by its id.
        """
        from memvault.system.project import project_of

        wish = lazy.gather.ContextQuery(
            query=query,
            budget=budget,
            project=project_of(self.folder) if here and not project else project,
            limit=limit,
            min_similarity=min_similarity,
            filters=filters,
            without=frozenset(without),
            asks_model=True,
        )
        return self.run(lazy.gather.gather_context, wish)

    def timeline(self, refs: str | Iterable[str], *, around: int = 0, budget: int = 0) -> lazy.show.TimelineResult:
        """Return chosen memories among those made just before and after them, the oldest first."""
        return self.run(
            lazy.show.build_timeline, (refs,) if isinstance(refs, str) else tuple(refs), around=around, budget=budget
        )

    def show(self, ref: str, *, budget: int = 0, start: int = 0) -> lazy.show.MemoryDetails:
        """Return one memory by id, file name or title, whole, or from a character on; that counts as a use."""
        return self.run(lazy.show.show_memory, ref, budget=budget, start=start)

    def list(self, filters: Filters = NO_FILTERS, *, order: str = "recent", limit: int = 0) -> lazy.show.MemoryList:
        """Return the memories that meet some conditions."""
        return self.run(lazy.show.list_for_reader, filters, order=order, limit=limit)

    def find(self, ref: str) -> Memory:
        """Return the memory that an id, a file name or a title means, without its text; that counts as nothing."""
        return self.run(lazy.waiting.find_with_waiting, ref)

    def path_of(self, ref: str) -> Path:
        """Return the file of a memory."""
        return self._vault.absolute_path(self.find(ref).path)

    def source(self, ref: str) -> tuple[Memory, bytes]:
        """Return a memory with its text, and the exact bytes of its file; that counts as nothing."""
        memory, note = self.run(lambda context: context.read_memory(lazy.waiting.find_with_waiting(context, ref)))
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
    ) -> lazy.edit.ChangeResult:
        """Change a memory's text or fields; give the version you read, and a change in between is an error.

        Without one, what is appended, fields, and items that `lists` add and take away go onto whatever is there by
        then. What becomes of secrets that the change adds, `secrets` says: refuse, redact or keep.
        """
        edit = lazy.edit.MemoryEdit(
            body=body, append=append, whole=whole, fields=fields, lists=lists or {}, version=version, secrets=secrets
        )
        return self.run(lazy.edit.edit_memory, ref, edit, dry_run=dry_run)

    def pin(self, ref: str, *, dry_run: bool = False) -> lazy.edit.ChangeResult:
        """Keep a memory from ever decaying."""
        return self.run(lazy.edit.pin_memory, ref, dry_run=dry_run)

    def unpin(self, ref: str, *, dry_run: bool = False) -> lazy.edit.ChangeResult:
        """Let a memory decay like any other."""
        return self.run(lazy.edit.pin_memory, ref, pinned=False, dry_run=dry_run)

    def link(self, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False) -> lazy.edit.ChangeResult:
        """Say how one memory stands to another."""
        return self.run(lazy.edit.link_memories, ref, to, relation=relation, dry_run=dry_run)

    def move(self, ref: str, to: str, *, dry_run: bool = False) -> lazy.edit.ChangeResult:
        """Put a memory into another tier or folder."""
        return self.run(lazy.edit.move_memory, ref, to, dry_run=dry_run)

    def forget(self, ref: str, *, dry_run: bool = False) -> lazy.forget.MoveResult:
        """Move a memory to the trash, and do not learn it again."""
        return self.run(lazy.forget.forget_memory, ref, dry_run=dry_run)

    def forget_part(self, ref: str, what: str, *, dry_run: bool = False) -> lazy.forget.ForgottenPart:
        """Take the one clause that is meant out of a memory, and do not learn it again; the rest stays as it is."""
        return self.run(lazy.forget.forget_part, ref, what, dry_run=dry_run)

    def restore(self, ref: str, *, dry_run: bool = False) -> lazy.forget.MoveResult:
        """Bring a memory back from the trash or the archive."""
        return self.run(lazy.forget.restore_memory, ref, dry_run=dry_run)

    def purge(
        self, ref: str, *, is_session: bool = False, verify: bool = False, dry_run: bool = False
    ) -> tuple[lazy.purge.PurgeResult, lazy.purge_verify.VerifyResult | None]:
        """Take a memory out of everything that memvault keeps, for good; then, with `verify`, prove that it is so.

        With `is_session` a conversation is named, and all that came out of it goes with it.
        """
        return self.run(lazy.purge.purge, ref, is_session=is_session, verify=verify, dry_run=dry_run)

    def audit(self, origin: lazy.audit.MemoryOrigin | None = None, *, by: str = "source") -> lazy.audit.AuditResult:
        """Return where memories come from, in figures; those of one origin, where it is given."""
        return self.run(lazy.audit.audit_origins, origin or lazy.audit.MemoryOrigin(), by=by)

    def audit_log(self) -> lazy.chain_check.LogAudit:
        """Return whether each record of the operation logs of all machines follows from those before it."""
        return self.run(lazy.chain_check.audit_log)

    def forget_origin(self, origin: lazy.audit.MemoryOrigin, *, dry_run: bool = False) -> lazy.audit.ForgetOriginResult:
        """Move all memories of one origin to the trash, as one operation, and learn none of them again."""
        return self.run(lazy.audit.forget_origin, origin, dry_run=dry_run)

    # -- keywords

    def list_keywords(self, *, limit: int = 0) -> lazy.keywords.KeywordList:
        """Return the keywords of the vault with how often each is borne, the most borne first."""
        return self.run(
            lambda context: lazy.keywords.list_keywords(
                context, topics=lazy.transcript_search.topic_keywords(context), limit=limit
            )
        )

    def find_keyword(self, word: str, *, limit: int = 0) -> lazy.keywords.KeywordDetails:
        """Return what bears a keyword, in whatever spelling, and which others stand beside it there."""
        return self.run(
            lambda context: lazy.keywords.show_keyword(
                context, word, topics=lazy.transcript_search.topic_keywords(context), limit=limit
            )
        )

    def rename_keyword(self, old: str, new: str, *, dry_run: bool = False) -> lazy.keywords.RenameResult:
        """Call a keyword otherwise wherever it is borne."""
        return self.run(
            lambda context: lazy.keywords.rename_keyword(
                context, old, new, topics=lazy.transcript_search.topic_keywords(context), dry_run=dry_run
            )
        )

    def merge_keywords(self, keep: str, *others: str, dry_run: bool = False) -> lazy.keywords.RenameResult:
        """Make one keyword of several: the first takes the place of the others."""
        return self.run(
            lambda context: lazy.keywords.merge_keywords(
                context, keep, others, topics=lazy.transcript_search.topic_keywords(context), dry_run=dry_run
            )
        )

    # -- what contradicts, and what says the same

    def list_conflicts(
        self, *, limit: int = 0, progress: lazy.apply.Progress | None = None
    ) -> lazy.conflicts.ConflictList:
        """Return the live memories that contradict each other, the newest first."""
        return self.run(lazy.conflicts.list_conflicts, limit=limit, progress=progress or lazy.apply.no_progress)

    def resolve(
        self, keep: str, other: str, *, both: bool = False, newest: bool = False, dry_run: bool = False
    ) -> lazy.conflicts.ResolveResult:
        """Let a memory take the place of another; with `newest` the newer one does, with `both` neither."""
        return self.run(lazy.conflicts.resolve_conflict, keep, other, both=both, newest=newest, dry_run=dry_run)

    def list_duplicates(self) -> lazy.conflicts.DuplicateList:
        """Return the memories that say the same, in groups, and the pairs that may."""
        return self.run(lazy.conflicts.list_duplicates)

    def merge(self, *refs: str, dry_run: bool = False) -> lazy.conflicts.MergeResult:
        """Make one memory of several that say the same; a dry run shows what it would be."""
        return self.run(lazy.conflicts.merge_memories, refs, dry_run=dry_run)

    def keep_both(self, one: str, other: str, *, dry_run: bool = False) -> lazy.conflicts.ResolveResult:
        """Say that two memories both hold and are not the same: they are not offered or listed again."""
        return self.run(lazy.conflicts.keep_both, one, other, dry_run=dry_run)

    # -- the inbox

    def inbox(self, *, kinds: Iterable[str] = (), progress: lazy.apply.Progress | None = None) -> lazy.inbox.CardList:
        """Return all that waits for a person, as cards: what each asks, why, and the acts that answer it."""
        return self.run(lazy.inbox.list_cards, frozenset(kinds), progress=progress or lazy.apply.no_progress)

    def act_on_card(self, key: str, act: str, *, days: int = 0, version: str = "", dry_run: bool = False) -> str:
        """Carry out one act on a card, and return the operation's id.

        `days` is how long a card is put off; with `version`, the card's memories must still be those that it showed.
        """
        return self.run(lazy.inbox.act_on_card, key, act, days=days, version=version, dry_run=dry_run)

    def revert_act(self, key: str) -> None:
        """Take back an act on a card that was no operation: it gave an empty id."""
        self.run(lazy.inbox.revert_act, key)

    def today(self) -> lazy.inbox.DayOverview:
        """Return the day at a glance: what is due, what was learned yesterday, what fades, and what waits."""
        return self.run(lazy.inbox.show_day)

    # -- quarantine

    def quarantine(self) -> Sequence[Memory]:
        """Return what came from the web or from tools and waits to be accepted, the oldest first."""
        return self.run(lazy.waiting.list_waiting)

    def accept(self, *refs: str, dry_run: bool = False) -> lazy.quarantine.QuarantineResult:
        """Take waiting memories into Tier 2, with their source."""
        return self.run(lazy.quarantine.accept_waiting, refs, dry_run=dry_run)

    def refuse(self, *refs: str, dry_run: bool = False) -> lazy.quarantine.QuarantineResult:
        """Let waiting memories go, and do not learn them again."""
        return self.run(lazy.quarantine.refuse_waiting, refs, dry_run=dry_run)

    # -- tasks

    def list_reminders(self, *, everything: bool = False) -> lazy.tasks.TodoList:
        """Return what is still to be done, what is due first; with `everything` also what is over."""
        return self.run(lazy.tasks.list_todo, everything=everything)

    def mark_done(self, ref: str, *, cancel: bool = False, dry_run: bool = False) -> lazy.edit.ChangeResult:
        """Say that a reminder was seen to, or with `cancel` that it will not be."""
        return self.run(lazy.tasks.mark_done, ref, cancel=cancel, dry_run=dry_run)

    def record_use(
        self, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False
    ) -> lazy.tasks.UseResult:
        """Say that a way of doing something was followed, and whether it worked."""
        return self.run(lazy.tasks.record_use, ref, ok=ok, note=note, secrets=secrets, dry_run=dry_run)

    def work_in_hand(self) -> tuple[lazy.tasks.OpenTask, ...]:
        """Return the tasks in hand, the latest begun first."""
        return self.run(lazy.tasks.list_tasks)

    def work_start(self, task: str, *, secrets: str = "", dry_run: bool = False) -> lazy.tasks.OpenTask:
        """Take a task in hand."""
        return self.run(lazy.tasks.start_task, task, secrets=secrets, dry_run=dry_run)

    def work_note(self, text: str, *, task: str = "", secrets: str = "", dry_run: bool = False) -> lazy.tasks.OpenTask:
        """Note something on the task in hand, or on the one that is named."""
        return self.run(lazy.tasks.note_task, text, task=task, secrets=secrets, dry_run=dry_run)

    def work_done(self, *, task: str = "", keep: bool = False, dry_run: bool = False) -> lazy.tasks.FinishedTask:
        """End a task; what proved significant, or is to be kept, becomes a lasting memory."""
        return self.run(lazy.tasks.finish_task, task=task, keep=keep, dry_run=dry_run)

    def work_clear(self, *, task: str = "", dry_run: bool = False) -> tuple[lazy.tasks.FinishedTask, ...]:
        """Put the tasks in hand away, keeping nothing of them."""
        return self.run(lazy.tasks.clear_tasks, task=task, dry_run=dry_run)

    def clear_working(self, *, task: str = "", dry_run: bool = False) -> tuple[lazy.tasks.FinishedTask, ...]:
        """Clear the working notes: do what `work_clear` does, and return nothing where there is nothing to clear."""
        from memvault.errors import NothingToDo

        try:
            return self.work_clear(task=task, dry_run=dry_run)
        except NothingToDo:
            if task:
                raise
            return ()

    # -- history

    def log(self, wanted: lazy.undo.OperationFilter | None = None, *, limit: int = 0) -> Sequence[Operation]:
        """Return what was done to the vault, the newest first: all of it, or what was asked for."""
        return self.run(lazy.undo.list_operations, wanted or lazy.undo.ALL_OPERATIONS, limit=limit)

    def undo(self, ref: str = "", *, dry_run: bool = False) -> Operation:
        """Take an operation back, byte for byte."""
        return self.run(lazy.undo.undo_operation, ref, dry_run=dry_run)
