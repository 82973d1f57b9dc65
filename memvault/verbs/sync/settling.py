"""What git could not merge by itself, or merged into two: settled by the rules of the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC

from memvault import files
from memvault.core.fields import identity
from memvault.vault import frontmatter
from memvault.verbs import tombstones
from memvault.verbs.sync.driver import Known, beside, joined
from memvault.verbs.sync.ground import Tree

BASE, OURS, THEIRS = "1", "2", "3"


@dataclass(slots=True)
class Account:
    """What came of a merge, as it goes on."""

    pulled: int = 0  # commits of others
    parked: list[tuple[str, str]] = field(default_factory=list)  # a contested memory, and where theirs lies
    kept_ours: list[str] = field(default_factory=list)  # files that are no memories, changed on both sides


class Settling:
    """What git could not merge by itself: deleted here and edited there, moved apart, or no memory at all."""

    def __init__(self, tree: Tree, known: Known, theirs: str, account: Account) -> None:
        self._tree = tree
        self._account = account
        self._known = known
        self._base = tree.git.ask("merge-base", "HEAD", theirs).text.split("\n")[0]
        self._sides = {OURS: "HEAD", THEIRS: theirs}
        self._stages = self._read()
        self._moved: dict[str, Mapping[str, str]] = {}

    def settle(self) -> None:
        """Settle all of it, by the rules of the format."""
        for path in sorted(self._stages):
            self._settle(path, self._stages[path])
        if self._stages:
            self._tree.git.on(sorted(self._stages), "add", "--all")
        self._reunite()

    def _read(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for row in self._tree.git.do("ls-files", "-z", "--unmerged", "--", ".").split("\0"):
            if row:
                about, _, path = row.partition("\t")
                _mode, blob, stage = about.split()
                found.setdefault(path, {})[stage] = blob
        return found

    def _settle(self, path: str, stages: Mapping[str, str]) -> None:
        if OURS in stages and THEIRS in stages:
            self._join(path, self._blob(stages, BASE), self._bytes(stages[OURS]), self._bytes(stages[THEIRS]))
        elif OURS in stages or THEIRS in stages:
            side = OURS if OURS in stages else THEIRS
            self._left_on_one_side(path, side, stages)
        else:
            self._write(path, None)  # both moved it away

    def _join(self, path: str, base: bytes | None, ours: bytes, theirs: bytes) -> None:
        found = joined(base, ours, theirs, path, self._known)
        if found is None:
            self._write(path, ours)
            self._account.kept_ours.append(path)
            return
        self._write(path, found.raw)
        if found.parked is not None:
            parked = beside(path, found.parked_id)
            self._write(parked, found.parked)
            self._account.parked.append((path, parked))

    def _left_on_one_side(self, path: str, side: str, stages: Mapping[str, str]) -> None:
        """Edited on one side, and on the other deleted or moved elsewhere."""
        edited = self._bytes(stages[side])
        base = self._blob(stages, BASE)
        other = THEIRS if side == OURS else OURS
        elsewhere = self._moved_to(other).get(_id(edited)) if base is not None and _id(edited) else None
        if elsewhere and elsewhere != path:
            self._write(path, None)
            at_other = (self._tree.root / elsewhere).read_bytes()
            ours, theirs = (edited, at_other) if side == OURS else (at_other, edited)
            self._join(elsewhere, base, ours, theirs)
            self._tree.git.on([elsewhere], "add")
        elif base is not None and self._is_forgotten(edited):
            self._write(path, None)
        else:
            self._write(path, edited)  # an edit beats a deletion

    def _reunite(self) -> None:
        """A memory that each side moved elsewhere is one memory still: it lies where we put it."""
        ours, theirs = self._moved_to(OURS), self._moved_to(THEIRS)
        twins = [
            (id_, ours[id_], theirs[id_]) for id_ in sorted(ours.keys() & theirs.keys()) if ours[id_] != theirs[id_]
        ]
        if not twins:
            return
        before = self._before()
        for id_, here, there in twins:
            one, two = (self._tree.root / path for path in (here, there))
            if one.is_file() and two.is_file():
                base = before.get(id_)
                self._join(here, self._at_base(base) if base else None, one.read_bytes(), two.read_bytes())
                self._write(there, None)
                self._tree.git.on([here, there], "add", "--all")

    def _before(self) -> Mapping[str, str]:
        """Where the notes lay that both sides moved away since the base, by their ids."""
        gone = self._changed("D", self._sides[OURS])
        return {id_: path for path in gone if (id_ := _id(self._at_base(path)))}

    def _at_base(self, path: str) -> bytes:
        return self._tree.git.ask("show", f"{self._base}:{self._tree.prefix}{path}").out

    def _moved_to(self, side: str) -> Mapping[str, str]:
        """Where the notes lie that one side added since the base, by their ids."""
        if side not in self._moved:
            self._moved[side] = dict(self._added(self._sides[side]))
        return self._moved[side]

    def _added(self, commit: str) -> Iterator[tuple[str, str]]:
        for path in self._changed("A", commit):
            full = self._tree.root / path
            if full.is_file() and (id_ := _id(full.read_bytes())):
                yield id_, path

    def _changed(self, how: str, commit: str) -> tuple[str, ...]:
        """The notes that a side added (A) or deleted (D) since the base."""
        if not self._base:
            return ()
        words = ("--name-only", "-z", "--no-renames", f"--diff-filter={how}", "--relative", self._base, commit)
        names = self._tree.git.do("diff", *words, "--", ".").split("\0")
        return tuple(name for name in names if name and self._tree.is_note(name))

    def _is_forgotten(self, raw: bytes) -> bool:
        ledger = self._tree.bench.vault.ledger
        body = frontmatter.parse(raw).text
        return bool(ledger.macs(body)) and tombstones.is_dead(ledger, set(ledger.decisions().tombstones), body)

    def _blob(self, stages: Mapping[str, str], stage: str) -> bytes | None:
        return self._bytes(stages[stage]) if stage in stages else None

    def _bytes(self, blob: str) -> bytes:
        return self._tree.git.ask("cat-file", "blob", blob).out

    def _write(self, path: str, data: bytes | None) -> None:
        """Put what was settled in the place of what git left there; an editor's save in between is not lost."""
        vault = self._tree.bench.vault
        full = vault.absolute(path)
        there = full.read_bytes() if full.is_file() else None
        if there == data:
            return
        if there is None and data is not None:
            files.make_folder(full.parent)
            files.create(full, data)
        elif there is not None:
            hold = vault.held
            files.replace(full, data, expected=there, hold=hold) if data is not None else files.discard(
                full, expected=there, hold=hold
            )


def _id(raw: bytes) -> str:
    found = identity(frontmatter.parse(raw).fields.get("id"), UTC)
    return str(found) if found else ""
