"""Cards on an adopted folder of notes: who its person is, what is current, which folders to give, what to leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from posixpath import commonpath

from memvault.core.memory import Memory, Place
from memvault.core.plan import ChangeSubject, CreateFile, Plan, RewriteNote
from memvault.core.settings.table import check_folder
from memvault.core.weight import DAY
from memvault.errors import BadInput
from memvault.maintenance.inbox.card import Card, CardKind, InboxQuery, build_card, dismiss_card, name_memory
from memvault.memories.draft import MemoryDraft
from memvault.memories.remember import free_path, remember
from memvault.open_vault import load_person_settings, own_config_file
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import require_person
from memvault.storage.vault import codec
from memvault.storage.vault.configure import configure
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import IGNORE, read_ignore_file
from memvault.storage.vault.obsidian import ObsidianSettings, read_obsidian_settings
from memvault.system import files
from memvault.text.display import format_count

_SELF_NAMES = frozenset(
    {
        *("about me", "me", "myself", "who i am", "profile", "my profile", "bio", "biography", "cv"),
        *("curriculum vitae", "resume", "résumé", "über mich", "à propos de moi", "sobre mí", "su di me"),
        *("sobre mim", "over mij", "om mig", "о себе", "关于我"),
    }
)
_CURRENT_FOR = 30 * DAY  # seconds since a note was changed
_MOST_CURRENT, _MOST_FOLDERS = 3, 8
_LONGEST = 1_200  # characters that are taken out of a note: a session begins with them
_ME, _CURRENT, _GIVE, _LEAVE = "me", "current", "give", "leave out"


def _find_proposals(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    if not context.vault.layout.adopted:
        return
    notes = [memory for memory in query.snapshot.memories if memory.place is Place.FOREIGN]
    own = read_obsidian_settings(context.vault.root)
    templates = [memory for memory in notes if own.is_template(memory.path)]
    others = [memory for memory in notes if not own.is_template(memory.path) and not memory.problem]
    made_from = _notes_taken_up(query.snapshot.memories)
    selves = [memory for memory in others if {memory.title.casefold(), memory.name.casefold()} & _SELF_NAMES]
    for memory in sorted(selves, key=lambda memory: (memory.path.count("/"), memory.path))[:1]:
        if memory.name not in made_from:
            yield _propose_note(context, memory, _ME, "Is this who you are", "It would begin every session.")
    current = [memory for memory in others if memory not in selves and own.daily_date(memory.path) is None]
    for memory in _find_current(context, current):
        if memory.name not in made_from:
            question, why = "Are you working on this now", "You changed it lately. Sessions would begin with it."
            yield _propose_note(context, memory, _CURRENT, question, why)
    yield from _propose_folders(context, others, own)
    is_hidden = read_ignore_file(context.vault.root)  # as it is now
    for folder in sorted({_template_folder(memory.path, own) for memory in templates}):
        there = [memory for memory in templates if memory.path.startswith(f"{folder}/")]
        if not is_hidden(f"{folder}/"):
            question = f"Leave the templates in {folder} out ({format_count(len(there), 'note', 'notes')})?"
            yield _propose_folder(context, there, _LEAVE, folder, question, "They say nothing of you.")


def _notes_taken_up(memories: Iterable[Memory]) -> frozenset[str]:
    """Return the names of the notes that a memory was made of here."""
    made = (memory for memory in memories if memory.place in (Place.IDENTITY, Place.HOT))
    links = (link for memory in made for link in codec.as_list(memory.more.get("extends")))
    return frozenset(link.strip("[]") for link in links)


def _find_current(context: VaultContext, notes: Sequence[Memory]) -> list[Memory]:
    """Return the notes that were changed lately, those that most others link to first."""
    recent = []
    for memory in notes:
        with suppress(OSError):  # it may have gone since the last look
            changed = context.vault.absolute_path(memory.path).stat().st_mtime
            if context.now.timestamp() - changed <= _CURRENT_FOR:
                recent.append((-len(context.index.links_to(memory.name)), -int(changed // DAY), memory.path, memory))
    return [memory for *_, memory in sorted(recent)[:_MOST_CURRENT]]


def _propose_note(context: VaultContext, memory: Memory, what: str, question: str, why: str) -> Card:
    ids = (what, memory.id)
    return build_card(context, ADOPTION, (memory,), question=f"{question}: {name_memory(memory)}?", why=why, ids=ids)


def _propose_folder(
    context: VaultContext, notes: Sequence[Memory], what: str, folder: str, question: str, why: str
) -> Card:
    latest = max(notes, key=lambda memory: (memory.last_accessed, memory.path))  # as a sample
    return build_card(context, ADOPTION, (latest,), question=question, why=why, ids=(what, folder))


def _propose_folders(context: VaultContext, notes: Sequence[Memory], own: ObsidianSettings) -> Iterator[Card]:
    given = given_folders(context)
    days = [memory for memory in notes if memory.folders and own.daily_date(memory.path) is not None]
    daily = _common_folder(days)
    if daily and daily not in given and not check_folder(daily):
        question = f"May assistants be given your daily notes in {daily} ({format_count(len(days), 'note', 'notes')})?"
        why = "They say what you did on which day, and are found when somebody searches, whatever you answer."
        yield _propose_folder(context, days, _GIVE, daily, question, why)
    apart = {memory.path for memory in days} if daily else set[str]()
    counts = Counter(memory.folders[0] for memory in notes if memory.folders and memory.path not in apart)
    for folder, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FOLDERS]:
        if folder.strip("/") in given or check_folder(folder):
            continue
        there = [memory for memory in notes if memory.folders and memory.folders[0] == folder]
        question = f"May assistants be given notes in {folder} ({format_count(count, 'note', 'notes')})?"
        why = "Until you say so, your notes are found when somebody searches, and given to nobody unasked."
        yield _propose_folder(context, there, _GIVE, folder, question, why)


def _common_folder(notes: Sequence[Memory]) -> str:
    """Return the innermost folder that holds all of some notes; empty where there is none."""
    return commonpath([memory.path.rpartition("/")[0] for memory in notes]) if notes else ""


def given_folders(context: VaultContext) -> frozenset[str]:
    """Return the folders whose notes may be given unasked, as the person's config is now."""
    own = load_person_settings(context.environment).for_vault(context.vault.vault_file.id)
    named = own.get("inject.folders", context.settings.texts("inject.folders"))
    return frozenset(name.strip("/") for name in named) if isinstance(named, tuple) else frozenset()


def _template_folder(path: str, own: ObsidianSettings) -> str:
    """Return the outermost folder of a template that holds nothing but templates."""
    parts = path.split("/")[:-1]
    folders = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    return next((folder for folder in folders if own.is_template(f"{folder}/x.md")), folders[-1])


# -- what becomes of a proposal


def _accept(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    require_person(context, "decides what of a person's notes is given")
    what, subject = ids
    match what:
        case "me":
            return _take_up(context, subject, Place.IDENTITY, dry_run=dry_run)
        case "current":
            return _take_up(context, subject, Place.HOT, dry_run=dry_run)
        case "give":
            _give_folder(context, subject, dry_run=dry_run)
            return ""
        case "leave out":
            return _leave_out(context, subject, dry_run=dry_run)
        case _:
            raise BadInput(what="the card", value=what, reason="there is no such proposal")


def _take_up(context: VaultContext, ref: str, place: Place, *, dry_run: bool) -> str:
    """Make a memory of how a note begins, which links to it; the note stays as it is."""
    note = context.read_memory(context.find_memory(ref))[0]
    draft = MemoryDraft(
        text=_beginning(note.body or ""),
        title=note.title,
        kind="semantic",
        near="ignore",
        source=note.source,
        more={"extends": (f"[[{note.name}]]",)},
    )
    made = remember(context, draft, dry_run=True).memory
    path = free_path(context, context.vault.layout.folder_of(place), made.path.rpartition("/")[2], is_unique=True)
    memory = made.with_changes(path=path, place=place)
    change = CreateFile(path, codec.encode_new(memory), f"from {name_memory(note)}", ChangeSubject(id=memory.id))
    return "" if dry_run else apply_one(Plan("review", (change,)), context).op


def _beginning(text: str) -> str:
    """Return how a text begins, cut between two of its paragraphs where it is long."""
    whole = text.strip()
    if len(whole) <= _LONGEST:
        return whole
    cut = whole.rfind("\n\n", 0, _LONGEST)
    return whole[: cut if cut > 0 else _LONGEST].rstrip()


def _give_folder(context: VaultContext, folder: str, *, dry_run: bool) -> None:
    # In the person's own config, as whoever hands out a vault must not decide it: so no operation of the vault.
    own = own_config_file(context.environment, vault_id=context.vault.vault_file.id)
    names = [*sorted(given_folders(context) - {folder}), folder]
    configure(own, "inject.folders", ", ".join(names), dry_run=dry_run)


def take_folder_back(context: VaultContext, ids: tuple[str, ...]) -> None:
    """Take back that notes of a folder may be given."""
    own = own_config_file(context.environment, vault_id=context.vault.vault_file.id)
    names = sorted(given_folders(context) - {ids[-1]})
    configure(own, "inject.folders", ", ".join(names) or None)


def _leave_out(context: VaultContext, folder: str, *, dry_run: bool) -> str:
    path = context.vault.root / IGNORE
    before = files.read_file(path) if path.exists() else b""
    end = b"" if not before or before.endswith(b"\n") else b"\n"
    data, why = before + end + f"/{folder}/\n".encode(), f"templates in {folder} are left out"
    change = RewriteNote(IGNORE, data, files.digest(before), why) if path.exists() else CreateFile(IGNORE, data, why)
    return "" if dry_run else apply_one(Plan("review", (change,)), context).op


ADOPTION = CardKind(
    name="adoption",
    one="proposal for your notes",
    many="proposals for your notes",
    find=_find_proposals,
    acts={"accept": ("yes", _accept), "refuse": ("no", dismiss_card("adoption"))},
    revert=take_folder_back,
)
