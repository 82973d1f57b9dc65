"""Reading what differs from the catalogue: who each note is, what it says, and whether a person edited it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo

from memvault.core.ids import headings, inline_tags, target_name, wikilinks, without_code
from memvault.core.memory import Card, Memory, Place
from memvault.core.secrets.private_spans import cleaned, without_private
from memvault.core.weight import NO_PAST
from memvault.errors import MemvaultError
from memvault.storage.index.index import Catalogue, Diff, folder_of
from memvault.storage.journal.journal import WISHES
from memvault.storage.vault import codec
from memvault.storage.vault.identity import Identities
from memvault.storage.vault.listing import StatKey, unsure
from memvault.storage.vault.vault import Note, Vault, why_unfit
from memvault.system import files
from memvault.text.markdown import split

KILO = 1024


class Intake:
    """One batch of differing notes on its way into the catalogue."""

    def __init__(
        self, vault: Vault, catalogue: Catalogue, diff: Diff, *, now: datetime, zone: tzinfo, is_heard: bool = False
    ) -> None:
        """Read what differs; where a save `is_heard`, the next one of the same note will be, however soon it comes."""
        self._vault = vault
        self._catalogue = catalogue
        self._diff = diff
        self._now = now
        self._zone = zone
        self._is_heard = is_heard
        self._kinds = vault.settings.kinds
        self._limit = vault.settings.whole("index.max_kilobytes") * KILO
        decisions = vault.ledger.decisions()
        self._identities = Identities(
            decisions,
            vault_id=vault.charter.id,
            exists=vault.exists,
            moved_from={after: before for before, after in diff.moved.items()},
        )
        self._decisions = decisions
        self._seen: list[dict[str, object]] = []
        self._decided: list[dict[str, object]] = []
        self._is_new = not catalogue.count()
        self._met: set[str] = set()
        self.has_lost_notes = False  # whether any was gone between the listing and the reading

    def cards(self) -> Iterator[tuple[StatKey, Card]]:
        """The differing notes, read one at a time; one that cannot be read is still known by its name."""
        for path, key in self._diff.wanted():
            card = self._card(path)
            if card is not None:
                yield self._sure(path, key), card

    def _sure(self, path: str, key: StatKey) -> StatKey:
        """The key as it is, or one that never matches, where the note may be saved again without a trace in it."""
        if self._is_heard or not files.may_change_unseen(key[1], key[2]):
            return key
        self._diff.look_again(folder_of(path))
        return unsure(key)

    def _card(self, path: str) -> Card | None:
        try:
            note = self._vault.note(path, limit=self._limit)
        except MemvaultError as error:
            if self._vault.exists(path):
                return self._nameplate(path, error)
            self.has_lost_notes = True
            return None
        memory = self._memory(note)
        if reason := why_unfit(note.raw):
            return card_of(memory.changed(body="", problem=reason))
        self._notice(memory)
        if memory.place is Place.FOREIGN and memory.id in self._decisions.archived:
            memory = memory.changed(status="archived")
        return card_of(memory, opens=note.block.opens)

    def _memory(self, note: Note) -> Memory:
        place = self._vault.place(note.path)
        assert place is not None, "only notes are listed"
        given = "" if codec.claims_id(note.block) else self._identities.given(note.path, note.version)
        return self._read(
            note, codec.Origin(note.path, place, given, self._now, note.modified, self._zone, self._kinds)
        )

    def _read(self, note: Note, origin: codec.Origin) -> Memory:
        memory = codec.read(note.block, origin, version=note.version)
        if "last_accessed" in memory.stated:
            return memory
        seen = self._identities.first_seen(memory.id, self._now)
        return memory.changed(last_accessed=seen)

    def _nameplate(self, path: str, error: MemvaultError) -> Card:
        """What is left of a note that cannot be read: its name, and why."""
        place = self._vault.place(path)
        assert place is not None, "only notes are listed"
        memory = codec.nameplate(path, place, self.fallback_id(path), self._now, str(error))
        return card_of(memory)

    def fallback_id(self, path: str) -> str:
        """The id of a note whose own id belongs to another one already."""
        return self._identities.given(path, files.digest(path.encode()))

    def _notice(self, memory: Memory) -> None:
        """What a person changed about a note since it was known: its text, its standing, its tier."""
        known = None if self._is_new else self._catalogue.known(memory.id)
        if known is not None and known.path != memory.path and self._vault.exists(known.path):
            return  # two notes claim one id, and this one is not the one that has it
        if memory.id in self._met:
            return
        self._met.add(memory.id)
        if known is None:
            self._notice_anew(memory)
            return
        before = self._catalogue.text_of(known.path)
        if memory.body is not None and before and before != (sha := body_digest(memory.body)):
            self._seen.append({"e": "edit", "id": memory.id, "sha": sha})
        self._notice_values(memory, [name for name in _EVENTS if getattr(memory, name) != getattr(known, name)])
        self._notice_move(memory, known)

    def _notice_anew(self, memory: Memory) -> None:
        """Of a memory that the catalogue has lost, the ledgers still say what programs wrote, and where they put it."""
        self._notice_values(memory, [name for name in _EVENTS if (memory.id, name) in self._decisions.written])
        last = self._decisions.moved.get(memory.id)
        if last is not None and last.by_keeper and last.target != memory.path and not self._vault.exists(last.target):
            self._decided.append({"e": "moved", "id": memory.id, "from": last.target, "to": memory.path})

    def _notice_values(self, memory: Memory, names: list[str]) -> None:
        """What a person typed; what another machine saw them type is known already."""
        for name in names:
            value = getattr(memory, name)
            is_known = self._decisions.is_ours(memory.id, name, value) or self._is_known(memory.id, name, value)
            if name not in memory.stated or is_known:
                continue
            self._seen.append({"e": _EVENTS[name], "id": memory.id, "value": value})
            if (memory.id, name) in self._decisions.written:
                self._decided.append({"e": "wrote", "id": memory.id, "field": name, "value": None})

    def _is_known(self, id_: str, name: str, value: object) -> bool:
        past = self._catalogue.pasts([id_]).get(id_, NO_PAST)
        wish = getattr(past, name)
        return wish is not None and wish.value == value and (id_, name) not in self._decisions.written

    def _notice_move(self, memory: Memory, known: Memory) -> None:
        """A person who moves a note to another tier has promoted it, or let it go; that is remembered."""
        last = self._decisions.moved.get(memory.id)
        ours = last is not None and last.by_keeper and last.target == memory.path
        outside = Place.FOREIGN in (memory.place, known.place)  # a tier folder was renamed, or a note was adopted
        if memory.place is known.place or outside or ours or self._vault.exists(known.path):
            return
        self._decided.append({"e": "moved", "id": memory.id, "from": known.path, "to": memory.path})
        if known.place is Place.ARCHIVED and memory.status == "archived":
            self._seen.append({"e": "status", "id": memory.id, "value": "active"})

    def keep_decisions(self) -> None:
        """Write what was decided about identities, and what people changed, where the vault can be written."""
        self._vault.try_ledger([*self._identities.take_new(), *self._decided], self._now)
        self._vault.try_journal(self._seen, self._now)


_EVENTS = {field: event for event, field in WISHES.items()}


def body_digest(body: str) -> str:
    """The hash by which an edit of a body is told."""
    return files.digest(body.strip().encode())


def card_of(memory: Memory, *, opens: int = -1) -> Card:
    """What the catalogue needs of a memory: private spans are never part of it."""
    body = without_private(memory.body or "")
    kept = ("title", "aliases", "tags", "topics", "people", "triggers", "refs", "more")
    memory = memory.changed(**{name: cleaned(getattr(memory, name)) for name in kept})
    prose = without_code(body)
    parts = split(body)
    details = [target_name(link.removeprefix("[[").removesuffix("]]")) for link in memory.refs.get("deep_context", ())]
    frontmatter_links = [link for value in memory.more.values() if isinstance(value, tuple) for link in value]
    links = (*wikilinks(prose), *wikilinks(" ".join(map(str, frontmatter_links))))
    tagged = memory.changed(tags=tuple(dict.fromkeys((*memory.tags, *inline_tags(prose)))), body=None)
    return Card(
        memory=tagged,
        headings="\n".join(headings(prose)),
        passages=tuple(body[part.start : part.end] for part in parts),
        spans=tuple((part.start, part.end, part.heading) for part in parts),
        links=tuple(dict.fromkeys((*(target_name(link) for link in links), *details))),
        text=body_digest(memory.body or ""),
        opens=opens,
    )
