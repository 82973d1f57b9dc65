"""Have an agent call memvault at its events: install that, take it away, look at it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memvault.agents.setup import entries as hooking
from memvault.agents.setup.backup import Book, Page, Spot, check_words, is_there, known, spot, spots
from memvault.agents.setup.clients import HOOKED, PROJECT, USER, Ground, HookAgent, Words
from memvault.agents.setup.entries import Hook, command_in
from memvault.agents.setup.json_edit import Malformed, lines_of
from memvault.errors import BadForeignFile, ChangedMeanwhile, MemvaultError, NotText
from memvault.storage.vault.layout import CONFIG
from memvault.storage.vault.vault_file import is_vault
from memvault.system import files

# Put something of ours into a file of another program, and take it out as if it had never been there.

SHARED = (
    "It calls `memvault` by its name: all who work on this project need it in their PATH, and a vault of their own."
)
NOWHERE = (
    "From another folder no vault would be found: `memvault config --user user.vault PATH` names one for good, "
    "or install again with --vault."
)
_TRIES = 3
_WAIT_SECONDS = 10.0
_HOLD_SECONDS = 10
_LONG_AFTER_NS = 1 << 62  # by this clock whatever is quiet has been so for long


@dataclass(frozen=True, slots=True, kw_only=True)
class Lodging:
    """A file of another program, and what is ours in it: how to tell, to put in, to take out."""

    path: Path
    what: str
    agent: str
    stands: Callable[[str], bool]
    put_in: Callable[[str], str]
    take_out: Callable[[str, str], str]  # given the text, and the text before ours came
    empty: str = "{}\n"  # what a new file begins with
    shared: bool = False  # whether others are to read it too, as a project's files


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What became of a file: whether it changed, how, and where its older bytes are kept."""

    path: str
    changed: bool
    diff: str = ""
    backup: str = ""
    removed: bool = False  # the file was ours alone, and is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The files that something of ours was taken out of, and those that would not have it."""

    files: tuple[Edited, ...]
    failed: tuple[tuple[str, str], ...] = ()
    dry_run: bool = False


class Entries:
    """The hand that writes into other programs' files, one at a time."""

    def __init__(self, state: Path, now: datetime) -> None:
        self.book = Book(state / "agents")
        self._hold = state / "agents" / "held"
        self._now = now

    def install(self, lodging: Lodging, *, dry_run: bool = False) -> Edited:
        """Have exactly our entries stand in a file; nothing is written where they do already."""
        with files.plainly(lodging.path):
            if dry_run:
                return self._installed(lodging, dry_run=True)
            return self._retried(lambda: self._installed(lodging, dry_run=False))

    def remove(self, lodging: Lodging, *, dry_run: bool = False) -> Edited:
        """Take our entries out; a file that nobody else has changed is what it was, byte for byte."""
        with files.plainly(lodging.path):
            if dry_run:
                return self._removed(lodging, dry_run=True)
            done = self._retried(lambda: self._removed(lodging, dry_run=False))
            self._clear()
        return done

    def remove_all(self, lodgings: Iterable[Lodging], *, dry_run: bool = False) -> Removed:
        """Take our entries out of several files; one that cannot be read keeps ours in no other."""
        edited: list[Edited] = []
        failed: list[tuple[str, str]] = []
        for lodging in lodgings:
            try:
                edited.append(self.remove(lodging, dry_run=dry_run))
            except MemvaultError as error:
                failed.append((str(lodging.path), str(error)))
        return Removed(files=tuple(done for done in edited if done.changed), failed=tuple(failed), dry_run=dry_run)

    def read(self, path: Path) -> str:
        """The text of a file; empty where it is not there."""
        data = _content(_real(path))
        return "" if data is None else _decoded(path, data)

    # -- one try

    def _installed(self, lodging: Lodging, *, dry_run: bool) -> Edited:
        path = _real(lodging.path)
        data = _content(path)
        with _told(path):
            if data is not None and data.strip() and lodging.stands(_decoded(path, data)):
                return Edited(path=str(lodging.path), changed=False)
            base = None if data is None else self._without(lodging, path, data)
            start = lodging.empty if base is None or not base.strip() else _decoded(path, base)
            text = lodging.put_in(start)
            _check(lodging, start, text)
        new = text.encode()
        if not dry_run:
            page = self._page(lodging, path, base, new)
            self.book.keep(page)  # before the file: what was there must be known whatever comes next
            self._write(lodging, path, data, new)
        backup = "" if base is None or dry_run else str(self.book.backup(path))
        return replace(_edited(lodging.path, data, new), backup=backup)

    def _removed(self, lodging: Lodging, *, dry_run: bool) -> Edited:
        path = _real(lodging.path)
        data = _content(path)
        if data is None:
            return self._forgotten(lodging, path, dry_run=dry_run)
        with _told(path):
            base = self._without(lodging, path, data)
        if base == data:
            return self._forgotten(lodging, path, dry_run=dry_run)
        if not dry_run:
            self._write(lodging, path, data, base)
            self._forgotten(lodging, path, dry_run=False)
        return _edited(lodging.path, data, base)

    def _forgotten(self, lodging: Lodging, path: Path, *, dry_run: bool) -> Edited:
        page = self.book.page(path)
        if page is not None and not dry_run:
            for folder in reversed(page.folders):
                with suppress(OSError):  # somebody else has put something there
                    folder.rmdir()
            self.book.drop(path)
        return Edited(path=str(lodging.path), changed=False)

    def _without(self, lodging: Lodging, path: Path, data: bytes) -> bytes | None:
        """The bytes without our entries; None where the file was not there and holds nothing else."""
        page = self.book.page(path)
        if page is not None and files.digest(data) == page.after:
            return page.before
        if not data.strip():
            return data
        text = _decoded(path, data)
        before = lodging.empty if page is None or not page.before else _decoded(path, page.before)
        bare = lodging.take_out(text, before)
        is_ours_alone = page is not None and page.before is None and bare.split() == lodging.empty.split()
        return None if is_ours_alone else bare.encode()

    def _page(self, lodging: Lodging, path: Path, base: bytes | None, new: bytes) -> Page:
        older = self.book.page(path)
        made = () if older is None else older.folders
        missing = tuple(folder for folder in reversed(path.parents) if not folder.exists())
        return Page(
            path=path,
            what=lodging.what,
            agent=lodging.agent,
            before=base,
            after=files.digest(new),
            folders=made or missing,
        )

    def _write(self, lodging: Lodging, path: Path, old: bytes | None, new: bytes | None) -> None:
        if old is not None and new is not None:
            files.replace(path, new, expected=old, hold=self._hold)
            self._close_up()
        elif old is not None:
            files.discard(path, expected=old, hold=self._hold)
            self._close_up()
        elif new is not None:
            files.make_folder(path.parent, 0o755 if lodging.shared else 0o700)
            files.create(path, new, mode=0o644 if lodging.shared else 0o600)

    def _retried(self, act: Callable[[], Edited]) -> Edited:
        """Try again where the other program wrote at the same moment: what it wrote is what counts then."""
        files.make_folder(self.book.folder)
        with files.lock(self.book.folder / "lock", wait=_WAIT_SECONDS):
            self._settle(int(self._now.timestamp() * 1_000_000_000))
            for _ in range(_TRIES - 1):
                with suppress(ChangedMeanwhile):
                    return act()
            return act()

    def _clear(self) -> None:
        """Keep no copy of anybody's settings where ours are gone from them, unless somebody is writing into it now."""
        with suppress(MemvaultError), files.lock(self.book.folder / "lock", wait=_WAIT_SECONDS):
            self._settle(_LONG_AFTER_NS)

    def _close_up(self) -> None:
        """What was displaced has the rights that it had in its place, where others may be meant to read it."""
        for slot in files.slots(self._hold):
            with suppress(OSError):
                slot.chmod(0o600)

    def _settle(self, now_ns: int) -> None:
        """Bring back what another program wrote into a file in the moment in which we replaced it."""
        for late in files.settle(self._hold, older_than_ns=_HOLD_SECONDS * 1_000_000_000, now_ns=now_ns):
            with suppress(MemvaultError):  # it stays where it is kept, and the next time will do
                current = _content(late.path)
                if current is not None and files.digest(current) == late.replaced_by:
                    files.replace(late.path, late.data, expected=current, hold=self._hold)
                else:
                    files.create(late.path.with_name(f"{late.path.name}.saved-late"), late.data)
                files.release(late)


def unreadable(path: Path, error: Exception) -> str:
    """What is told of a file that cannot be read as settings."""
    told = (
        f"{path} is no valid JSON: {error.reason} (line {error.line})" if isinstance(error, Malformed) else str(error)
    )
    return f"{told.rstrip('.')}."


def _real(path: Path) -> Path:
    """The file itself, where a link leads to it: people keep their settings in a repository, and link to them."""
    return Path(os.path.realpath(path))


def _content(path: Path) -> bytes | None:
    return files.read(path) if os.path.lexists(path) else None


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotText(what=str(path), byte=error.start + 1) from None


def _check(lodging: Lodging, before: str, after: str) -> None:
    """Refuse what does not hold ours and nothing but ours in addition."""
    if not lodging.stands(after) or lodging.take_out(after, before) != before:
        raise Malformed("our entries cannot be put into it and taken out again", 1)


def _edited(path: Path, old: bytes | None, new: bytes | None) -> Edited:
    texts = ["" if data is None else data.decode("utf-8", "replace") for data in (old, new)]
    return Edited(path=str(path), changed=True, diff=lines_of(*texts, name=str(path)), removed=new is None)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what cannot be read as settings into an error that names the file."""
    try:
        yield
    except Malformed as trouble:
        raise BadForeignFile(path=path, reason=trouble.reason, line=trouble.line) from None


WHAT = "hooks"
_AGAIN = "`memvault hooks install` puts that right."
_ALONE = "`--scope local` is for you alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which hooks are to be installed where, and for which vault; an empty vault is the one that memvault finds."""

    agent: str = "claude-code"
    scope: str = USER
    profile: str = "production"
    vault: str = ""
    is_found: bool = True  # whether memvault finds a vault wherever an agent is at work
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What was installed: into which file, for which events, what is run, and how the file differs."""

    agent: str
    scope: str
    path: str
    events: tuple[str, ...]
    command: Words
    changed: bool
    diff: str = ""
    backup: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file of settings in which hooks of ours stand."""

    agent: str
    scope: str
    path: str
    events: tuple[str, ...]
    command: Words
    vault: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where hooks of ours are installed, whether a plugin brings them too, and what is wrong."""

    places: tuple[Place, ...]
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    passed_over: str = ""  # a folder here that looks like a vault to a person, and is none


_SETTINGS = Path("the settings of agents")  # for when the system does not say which file


class Hooks:
    """The hooks of this person's agents, as seen from one folder."""

    def __init__(self, ground: Ground, program: Words, entries: Entries) -> None:
        self._ground = ground
        self._program = program
        self._entries = entries

    @files.plainly(_SETTINGS)
    def install(self, wanted: Wanted) -> Installed:
        """Have an agent call memvault; whatever else stands in its settings stays byte for byte."""
        place = spot(HOOKED, wanted.agent, wanted.scope, self._ground)
        words = command_in(wanted.scope, self._program, "hook", vault=wanted.vault)
        check_words(words)
        events = place.agent.chosen(wanted.profile)
        groups = hooking.wanted(place.agent, events, words, self._ground.platform)
        lodging = replace(
            _lodging(place),
            stands=lambda text: hooking.stands(text, groups),
            put_in=lambda text: hooking.with_hooks(text, groups),
        )
        done = self._entries.install(lodging, dry_run=wanted.dry_run)
        return Installed(
            agent=place.agent.name,
            scope=wanted.scope,
            path=done.path,
            events=tuple(event.name for event in events),
            command=words,
            changed=done.changed,
            diff=done.diff,
            backup=done.backup,
            notes=tuple(filter(None, (place.agent.remark,))),
            warnings=self._warnings(wanted, place),
            dry_run=wanted.dry_run,
        )

    def remove(self, *, agent: str = "", scope: str = "", dry_run: bool = False) -> Removed:
        """Take our hooks out of every file they are known to be in, or of those that are named."""
        if agent:
            known(HOOKED, agent)
        found = (each for each in self._spots() if agent in ("", each.agent.name) and scope in ("", each.scope))
        return self._entries.remove_all(map(_lodging, found), dry_run=dry_run)

    @files.plainly(_SETTINGS)
    def status(self) -> Standing:
        """Where our hooks are installed, as seen from here, and whether they can do their work."""
        places: list[Place] = []
        plugins: list[str] = []
        problems: list[str] = []
        for each in self._spots():
            try:
                text = self._entries.read(each.path)
                hooks = hooking.ours(text) if text.strip() else ()
                plugins += [str(each.path)] if text.strip() and hooking.has_plugin(text) else []
            except (MemvaultError, Malformed) as error:
                problems.append(unreadable(each.path, error))
                continue
            if hooks:
                places.append(self._place(each, hooks, text))
        return Standing(
            places=tuple(places),
            plugins=tuple(plugins),
            problems=tuple(problems),
            notes=_twice(places, plugins),
            passed_over=_no_vault(self._ground.project),
        )

    def _spots(self) -> Iterator[Spot[HookAgent]]:
        return spots(HOOKED, WHAT, self._ground, self._entries.book)

    # -- what is wrong

    def _warnings(self, wanted: Wanted, place: Spot[HookAgent]) -> tuple[str, ...]:
        others = [
            each.path for each in self.status().places if each.agent == wanted.agent and each.path != str(place.path)
        ]
        told = (
            (f"{SHARED} {_ALONE}", wanted.scope == PROJECT),
            (NOWHERE, not wanted.vault and not wanted.is_found),
            (f"Hooks stand in {', '.join(others)} too; each event is served once.", bool(others)),
        )
        return tuple(sentence for sentence, applies in told if applies)

    def _place(self, place: Spot[HookAgent], hooks: Sequence[Hook], text: str) -> Place:
        call = hooks[0].call
        return Place(
            agent=place.agent.name,
            scope=place.scope,
            path=str(place.path),
            events=tuple(dict.fromkeys(hook.event for hook in hooks)),
            command=call.words,
            vault=call.vault,
            problems=tuple(self._problems(hooks, text)),
        )

    def _problems(self, hooks: Sequence[Hook], text: str) -> Iterator[str]:
        for program in dict.fromkeys(hook.call.program for hook in hooks):
            if not is_there(program, self._ground):
                yield f"{program} is not there; {_AGAIN}"
        for vault in dict.fromkeys(hook.call.vault for hook in hooks):
            if vault and not Path(vault).expanduser().is_dir():
                yield f"There is no vault {vault} any more; {_AGAIN}"
        events = [hook.event for hook in hooks]
        if len(set(events)) < len(events):
            yield f"An event has two hooks of memvault's here; {_AGAIN}"
        if hooking.is_switched_off(text):
            yield "All hooks are switched off there, by disableAllHooks."


def _no_vault(folder: Path) -> str:
    """The nearest folder with settings of a vault, at a folder or above it, that is no vault."""
    found = (each for each in (folder, *folder.parents) if (each / CONFIG).is_file() and not is_vault(each))
    return str(next(found, ""))


def _lodging(place: Spot[HookAgent]) -> Lodging:
    """The file as it stands without us."""
    return Lodging(
        path=place.path,
        what=WHAT,
        agent=place.agent.name,
        stands=lambda text: not hooking.ours(text),
        put_in=str,
        take_out=hooking.without_hooks,
        shared=place.scope == PROJECT,
    )


def _twice(places: Sequence[Place], plugins: Sequence[str]) -> tuple[str, ...]:
    """What is told where one agent has our hooks from several sides."""
    told = []
    for agent in HOOKED.values():
        sides = [place.path for place in places if place.agent == agent.name]
        sides += [f"the plugin ({path})" for path in plugins] if agent.name == "claude-code" else []
        if len(sides) > 1:
            both = " and ".join(sides)
            told.append(f"{agent.title} has them from {both}: each event is served once, by whichever is called first.")
    return tuple(told)
