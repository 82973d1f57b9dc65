"""One memory of another program on its way in: made through the screens, or left as it is where it is here already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memvault import files
from memvault.core.ids import derived_id
from memvault.core.memory import FieldValue, Memory
from memvault.core.paths import is_safe
from memvault.core.plan import About, Create, Rewrite
from memvault.core.screen import TRIVIAL, Captured
from memvault.core.talk.sources.injected import spoken
from memvault.errors import BadInput, MemvaultError, Trivial
from memvault.vault import codec
from memvault.verbs.bench import Bench
from memvault.verbs.draft import Draft
from memvault.verbs.gate import LeftOut, redacted, secrets_in
from memvault.verbs.importing.found import LONGEST, Found, Source, Wish
from memvault.verbs.importing.outcome import One
from memvault.verbs.intake import body_digest
from memvault.verbs.remember import remember

Made = Create | Rewrite

_REF = "imported"
_MARK = 12
_WEIGHT = 0.5  # nobody here has said how much it matters
_LONGEST_ORIGIN = 200
ATTACHMENTS = "attachments/"
_LONGEST_ATTACHMENT = 10 * 1024 * 1024


@dataclass(slots=True)
class Ground:
    """What one import knows of the vault, and of what it has brought in so far."""

    bench: Bench
    wish: Wish
    texts: dict[str, str]  # of every memory: the digest of its text, and where it lies
    taken: set[str] = field(default_factory=set)  # paths that are given away already
    ids: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, bench: Bench, wish: Wish) -> Ground:
        """The ground as it is before anything is brought in."""
        return cls(bench, wish, {text: path for path, (_, text) in bench.catalogue.files().items()})

    def free(self, path: str) -> str:
        """That path, or one like it that nothing in the vault has, and nothing that comes in."""
        stem, dot, ending = path.rpartition(".")
        number, found = 2, path
        while found.casefold() in self.taken or self.bench.vault.exists(found):
            found, number = f"{stem}-{number}{dot}{ending}", number + 1
        self.taken.add(found.casefold())
        return found


def found_one(ground: Ground, source: Source, found: Found) -> tuple[One, tuple[Made, ...]]:
    """What becomes of a memory, and the changes that it takes."""
    bench = ground.bench
    id_ = found.id or derived_id(bench.vault.charter.id, f"import:{source.name}:{found.origin}")
    if id_ in ground.ids:
        return One("known", found.title, found.origin, id=id_, why="it came in a moment ago"), ()
    memory, left_out = _made(bench, source, found, id_)
    ground.ids.add(id_)
    there = bench.catalogue.known(id_)
    if there is not None:
        return _again(bench, there, memory, found)
    if known := ground.texts.get(body_digest(memory.body or "")):
        return One("known", memory.title, found.origin, known, why="the same text is here already"), ()
    memory = memory.changed(path=ground.free(memory.path))
    ground.texts[body_digest(memory.body or "")] = memory.path
    made = Create(memory.path, codec.new_note(memory), f"from {source.title}", About(id=id_))
    why = f"left out, as it looks like a secret: {', '.join(left_out.sorts)}" if left_out.sorts else ""
    return One("new", memory.title, found.origin, memory.path, id_, why), (made, *_attached(ground, found))


def _made(bench: Bench, source: Source, found: Found, id_: str) -> tuple[Memory, LeftOut]:
    """The memory as it would be remembered, with an id that is always the same for the same origin."""
    text = _said(found)
    refs = {"artifacts": found.artifacts} if found.artifacts else {}
    where: dict[str, FieldValue] = {
        name: value for name, value in (("scope", found.scope), ("project", found.project)) if value
    }
    draft = Draft(
        text=text,
        title=_fit(found.title),
        type=found.type,
        kind=found.kind if found.kind in bench.settings.kinds else "",
        tags=tuple(map(_fit, found.tags)),
        topics=found.topics,
        people=tuple(map(_fit, found.people)),
        triggers=found.triggers,
        weight=_WEIGHT if found.weight is None else found.weight,
        pin=found.pinned,
        refs=refs,
        more={**found.more, **where},
        created=found.created,
        source="import",
        automatic=found.automatic,
        secrets="redact",
        near="ignore",
    )
    done = remember(bench, draft, dry_run=True)
    memory = done.memory
    others = (alias for alias in map(_fit, found.aliases) if not any(secrets_in(alias)))
    aliases = tuple(dict.fromkeys((*memory.aliases, *others)))
    origin = redacted(" ".join(_fit(f"{source.name}:{found.origin}").split()))[:_LONGEST_ORIGIN]
    refs = {**memory.refs, _REF: (origin, _mark(memory.body or ""))}
    return memory.changed(id=id_, aliases=aliases, refs=refs), done.left_out


def _said(found: Found) -> str:
    """The text without what memvault itself has put there; what says nothing, or is a book, is refused."""
    text = spoken(_fit(found.text))
    if len(text.encode()) > LONGEST:
        raise BadInput(what="the text", value=f"{len(text):,} characters", reason="it is too long for one memory")
    if not text:
        raise Trivial(reason="there is nothing in it")
    if reason := TRIVIAL["courtesies"](Captured(text)):
        raise Trivial(reason=reason)
    return text


def _fit(text: str) -> str:
    """A text without what no file can hold."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _again(bench: Bench, there: Memory, made: Memory, found: Found) -> tuple[One, tuple[Made, ...]]:
    """What is there already: renewed where only the other program changed it, else left as it is."""
    one = One("unchanged", there.title, found.origin, there.path, there.id)
    marks = there.refs.get(_REF, ())
    if _mark(made.body or "") in marks or body_digest(made.body or "") == bench.catalogue.text_of(there.path):
        return one, ()
    memory, note = bench.read(there)
    if _mark(memory.body or "") not in marks:
        return replace(one, outcome="yours", why="it was changed here too, and stays as it is"), ()
    data = codec.with_body(note.raw, f"{made.body}\n", path=there.path)
    data = codec.with_fields(data, {f"refs.{_REF}": made.refs[_REF]}, path=there.path)
    change = Rewrite(there.path, data, note.version, "it was changed where it came from")
    return replace(one, outcome="renewed"), (change,)


def _mark(text: str) -> str:
    return body_digest(text)[:_MARK]


def _attached(ground: Ground, found: Found) -> Iterator[Create]:
    """The files that a note names, where they are wanted; one of the same name that is here already stays."""
    for path in found.attachments if ground.wish.attachments else ():
        target = f"{ATTACHMENTS}{path.name}"
        if target.casefold() in ground.taken or ground.bench.vault.exists(target) or not is_safe(target):
            continue
        try:
            data = files.read(path, limit=_LONGEST_ATTACHMENT + 1)
        except MemvaultError:
            continue
        if len(data) <= _LONGEST_ATTACHMENT:
            ground.taken.add(target.casefold())
            yield Create(target, data, f"“{found.title}” names it")
