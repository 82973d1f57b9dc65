"""Private memories: sealed to a person's own key, and opened for that person alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.open_vault import Hall
from memvault.system import paths as folders

if TYPE_CHECKING:
    from memvault.core.memory import FieldValue, Memory
    from memvault.core.plan import Items
    from memvault.memories.draft import Given
    from memvault.privacy.private.keys import Keys
    from memvault.privacy.private.read import Opened, Opening
    from memvault.privacy.private.recipients import Ready, Resealed
    from memvault.privacy.private.searching import Texts
    from memvault.privacy.private.transfer import Brought
    from memvault.privacy.private.write import Gone, Kept
    from memvault.recall.recall import Hit

Key = str | Path | None


class Private(Hall):
    """What is done with memories that nobody else is to read; `key` names a file with another key than one's own."""

    unlocked: Texts | None = None  # those that lie open, where this is a process that holds them so

    def remember_privately(self, text: str, *, key: Key = None, dry_run: bool = False, **given: Unpack[Given]) -> Kept:
        """Seal a new memory; takes what `remember` takes of a memory, and screens nothing."""
        from memvault.memories.draft import Draft
        from memvault.privacy.private.write import remember

        draft = Draft(text=text, **given)
        return self._at_bench(lambda bench: remember(bench, self._keys(key), draft, dry_run=dry_run))

    def private_status(self) -> Ready:
        """Where the key is, to which keys is sealed, how many memories there are, and how many of them are closed."""
        from memvault.privacy.private.recipients import standing

        return self._at_bench(lambda bench: standing(bench, self._keys(None)))

    def private_init(self, *, in_keyring: bool = False) -> Ready:
        """Make this machine's key where it has none, and admit those to which the vault's memories are sealed."""
        from memvault.privacy.private.recipients import begin

        return self._at_bench(lambda bench: begin(bench, self._keys(None), in_keychain=in_keyring))

    def private_memories(self, *, key: Key = None) -> Opening:
        """All private memories with their texts, the newest first."""
        from memvault.privacy.private.read import open_all

        return self._at_bench(lambda bench: open_all(bench, self._keys(key)))

    def private_show(self, ref: str, *, key: Key = None) -> Opened:
        """One private memory, by the beginning of its file's name or its id, or by its title."""
        from memvault.privacy.private.read import open_one

        return self._at_bench(lambda bench: open_one(bench, self._keys(key), ref))

    def private_search(
        self, query: str, *, key: Key = None, limit: int = 0, min_similarity: float | None = None
    ) -> tuple[Sequence[Hit], Opening]:
        """The private memories that answer a question, best first, and all that could be opened."""
        from memvault.privacy.private.searching import Texts

        opening = self.private_memories(key=key)
        return self._answers(Texts(opening.memories), query, limit, min_similarity), opening

    def private_edit(
        self,
        ref: str,
        *,
        key: Key = None,
        body: str | None = None,
        append: str | None = None,
        whole: bytes | None = None,
        base: bytes | None = None,
        fields: Mapping[str, FieldValue | None] | None = None,
        lists: Mapping[str, Items] | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Change a private memory's text or fields, and seal it anew; one that was replaced meanwhile is an error.

        What is appended, fields, and items that `lists` add and take away go onto whatever is there by then. A whole
        note with the `base` that it was made of is merged with what is there, and an error where both changed the same.
        """
        from memvault.privacy.private.write import Change, edit

        change = Change(body=body, append=append, whole=whole, base=base, fields=fields or {}, lists=lists or {})
        return self._at_bench(lambda bench: edit(bench, self._keys(key), ref, change, dry_run=dry_run))

    def private_set_aside(self, note: bytes, path: str, *, key: Key = None) -> str:
        """Seal a note that could not be written to its file as a memory of its own, and give its name."""
        from memvault.privacy.private.write import set_aside

        return self._at_bench(lambda bench: set_aside(bench, self._keys(key), note, path))

    def private_forget(self, ref: str, *, key: Key = None, for_good: bool = False, dry_run: bool = False) -> Gone:
        """Move a private memory to the trash, sealed as it is, or remove it for good."""
        from memvault.privacy.private.write import forget, lying, named

        find = lying if for_good else named  # what is in the trash can only go for good
        return self._at_bench(
            lambda bench: forget(bench, find(bench, self._keys(key), ref), for_good=for_good, dry_run=dry_run)
        )

    def private_restore(self, ref: str, *, key: Key = None, dry_run: bool = False) -> Gone:
        """Bring a private memory back from the trash."""
        from memvault.privacy.private.write import named, restore

        return self._at_bench(
            lambda bench: restore(bench, named(bench, self._keys(key), ref, in_trash=True), dry_run=dry_run)
        )

    def private_bring_in(self, path: str | Path, *, dry_run: bool = False) -> Brought:
        """Take in the private memories of a bundle, sealed as they are; they open with the keys that they came from."""
        from memvault.privacy.private.transfer import bring_in

        bundle = Path(path).expanduser()
        return self._at_bench(lambda bench: bring_in(bench, bundle, dry_run=dry_run))

    def private_rekey(self, *, key: Key = None, dry_run: bool = False) -> Resealed:
        """Seal everything to a new key; the one before is kept for older copies."""
        from memvault.privacy.private.recipients import rekey

        return self._at_bench(lambda bench: rekey(bench, self._keys(key), dry_run=dry_run))

    def private_admit(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> Resealed:
        """Seal everything to another machine's key too."""
        from memvault.privacy.private.recipients import admit

        return self._at_bench(lambda bench: admit(bench, self._keys(key), recipient, dry_run=dry_run))

    def private_dismiss(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> Resealed:
        """Seal everything to a key no longer."""
        from memvault.privacy.private.recipients import dismiss

        return self._at_bench(lambda bench: dismiss(bench, self._keys(key), recipient, dry_run=dry_run))

    # -- what lies open in the warm process

    def private_hits(self, query: str, *, limit: int = 0) -> Sequence[Hit]:
        """The unlocked private memories that are relevant to a question: only in the warm process, and to no agent."""
        if self.unlocked is None or self._actor.agent or not query.strip():
            return ()
        return self._answers(self.unlocked, query, limit, self.settings.number("recall.weak_below"))

    def private_read(self, path: str, note: bytes, *, version: str) -> Memory:
        """The memory in the bytes of a private note that was opened elsewhere, out of a file with that content."""
        from memvault.privacy.private.read import read_note

        return self._at_bench(lambda bench: read_note(bench, path, note, version=version))

    def _answers(self, texts: Texts, query: str, limit: int, least: float | None) -> Sequence[Hit]:
        now = self._clock().astimezone(self._zone)
        floor = self.settings.number("recall.min_similarity") if least is None else least
        return texts.hits(query, now=now, settings=self.settings, limit=limit, least=floor)

    def _keys(self, named: Key) -> Keys:
        return keys_of(self.environment, named)


def keys_of(environment: Mapping[str, str], named: Key = None) -> Keys:
    """A person's keys for private memories, and one in a file that they name."""
    from memvault.privacy.private.keyring import Keyring
    from memvault.privacy.private.keys import Keys

    return Keys(Keyring(folders.config(environment), "private"), Path(named).expanduser() if named else None)
