"""One memory: its text, its fields, what links to it, when it was given; a form that loses nothing; its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import unified_diff
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, NamedTuple

from starlette.responses import Response

from memvault.context.injection_log import last_injections
from memvault.core.fields import RELATIONS, SCOPES, STATUSES, TYPES
from memvault.core.links import linked_names
from memvault.core.memory import FieldValue, Memory
from memvault.errors import ChangedMeanwhile, MemvaultError, OutsideVault
from memvault.storage.journal.undo import diff_operations, list_memory_history
from memvault.storage.still_true import compare_files
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE
from memvault.system import files
from memvault.transcripts.search import refresh_index, turn_reference
from memvault.web.markdown import IMAGES, memory_address
from memvault.web.page import Page, format_value, is_own_address

_GIVEN_LOOKED_AT, _GIVEN_SHOWN, _HISTORY = 400, 8, 60
_LISTS = ("tags", "topics", "people", "triggers")
# The fields that every memory's form has; those of its kind follow.
_FORM_FIELDS: tuple[str, ...] = ("title", "type", "kind", *_LISTS, "weight", "pinned", "emotional_flag", "status")
_OTHERS = ("source", "scope", "project", *(name for name in RELATIONS))


class MemoryField(NamedTuple):
    """A field of the form: its name, its value as text, the words it may be, and what it means."""

    name: str
    value: str
    choices: tuple[str, ...]
    help: str
    sort: str = "text"  # or flag, list (with commas between), lines (an item each)

    @property
    def parts(self) -> list[str]:
        """Return the items of a list, or the one value."""
        signs = {"list": ", ", "lines": "\n"}
        return self.value.split(signs[self.sort]) if self.sort in signs else [self.value]


def show_memory(page: Page) -> Response:
    """Show a memory whole; that counts as a use, as `memvault show` does."""
    found = page.vault.show(page.query("id"))
    memory = found.memory
    relations = [(name, target) for name in RELATIONS for target in linked_names(memory, name)]
    told = {target.casefold() for _, target in relations}
    return page.render(
        "memory.html",
        memory=memory,
        found=found,
        folder=memory.path.rpartition("/")[0],
        fields=[field for field in list_fields(page, memory) if _is_worth_telling(field)],
        turns=page.vault.run(_find_source_turns, memory),
        links=[
            *((relation, target, _find_name(page, target)) for relation, target in relations),
            *(("to", name, _find_name(page, name)) for name in found.links if name.casefold() not in told),
        ],
        linked_from=page.vault.run(_find_linking, memory),
        given=_list_given(page, memory),
        operations=page.vault.run(list_memory_history, memory.path)[:_GIVEN_SHOWN],
        files=page.vault.run(_list_files, memory),
    )


def _is_worth_telling(field: MemoryField) -> bool:
    """Return whether a field stands beside the text: not what is as usual, or told elsewhere on the page."""
    told = ("title", "weight", *_LISTS, *RELATIONS)
    usual = (("pinned", "false"), ("emotional_flag", "false"), ("status", "active"), ("type", "memory"))
    return bool(field.value) and field.name not in told and (field.name, field.value) not in usual


def _find_name(page: Page, ref: str) -> Memory | None:
    """Return the memory that a link means, if there is one and no more."""
    try:
        return page.vault.find(ref)
    except MemvaultError:
        return None


def _find_linking(context: VaultContext, memory: Memory) -> list[Memory]:
    """Return the memories that link to one, by any of its names."""
    names = (memory.name, memory.title, *memory.aliases)
    found = {other.path: other for name in names for other in context.index.links_to(name)}
    return [found[path] for path in sorted(found) if path != memory.path]


def _list_given(page: Page, memory: Memory) -> list[tuple[Any, str]]:
    """Return the injections that this memory was part of, the newest first, each with the reason."""
    found = page.vault.run(last_injections, "", limit=_GIVEN_LOOKED_AT)
    rows = [
        (row.injection, given.why) for row in found for given in row.given if given.id.partition(":")[0] == memory.id
    ]
    return rows[:_GIVEN_SHOWN]


def _find_source_turns(context: VaultContext, memory: Memory) -> list[str]:
    """Return the references of the turns that a memory came from."""
    index = refresh_index(context)
    found = []
    for session in memory.refs.get("session", ()):
        for conversation in index.find_conversations(session):
            places = [index.place_of(conversation.number, turn) for turn in memory.refs.get("turns", ())]
            found += [turn_reference(conversation, place) for place in places or [0] if place is not None]
    return list(dict.fromkeys(found))


def _list_files(context: VaultContext, memory: Memory) -> list[tuple[str, str, bool]]:
    """Return the files that a memory names, each with what became of the lines it speaks of."""
    found = [
        (name, {"": "as it was", None: "not compared"}.get(change, change or ""), bool(change))
        for name, change in compare_files(context, memory)
    ]
    return found + [(name, "", False) for key in ("artifacts", "deep_context") for name in memory.refs.get(key, ())]


# -- the form


def show_form(page: Page) -> Response:
    """Show a memory's text and fields as a form; that counts as no use."""
    memory, _ = page.vault.source(page.query("id"))
    return page.render("memory_form.html", **_form_values(page, memory, memory.body or ""))


def _form_values(page: Page, memory: Memory, body: str, **values: object) -> dict[str, Any]:
    return {
        "memory": memory,
        "body": body,
        "is_exact": is_safe_in_form(memory.body or ""),
        "fields": list_fields(page, memory),
        "version": memory.version,
        "theirs": None,
        "lines": (),
        "secrets": False,
        "back": _find_way_back(page, memory),
        **values,
    }


def _find_way_back(page: Page, memory: Memory) -> str:
    """Return where the form leads to in the end: to the page that it was opened from, else to the memory."""
    given = page.field("back") or page.query("back")
    return given if is_own_address(given) else memory_address(memory.id)


def is_safe_in_form(body: str) -> bool:
    """Return whether a browser sends a text back as it was: one sort of line ends, and no character that it drops."""
    plain = body.replace("\r\n", "\n")
    has_mixed = "\r\n" in body and plain.count("\n") != body.count("\r\n")
    return "\r" not in plain and not has_mixed and "\x00" not in body and "\ufffe" not in body and not _has_half(body)


def _has_half(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def list_fields(page: Page, memory: Memory) -> list[MemoryField]:
    """Return the fields of a memory's form: those of all, those of its kind, and what else its file gives."""
    kinds = page.vault.settings.kinds
    known = kinds.fields
    kind = kinds.get(memory.kind)
    own = tuple(field.name for field in kind.fields) if kind else ()
    names = dict.fromkeys((*_FORM_FIELDS, *own, *(name for name in (*_OTHERS, *memory.more) if name in memory.more)))
    choices: dict[str, tuple[str, ...]] = {
        "type": TYPES,
        "kind": tuple(kinds),
        "status": STATUSES,
        "scope": ("", *SCOPES),
    }
    return [
        MemoryField(
            name,
            field_text(page, memory, name),
            choices.get(name, ()),
            known[name].meaning if name in known else "",
            _field_sort(_field_value(memory, name)),
        )
        for name in names
        if name in known and not isinstance(_field_value(memory, name), Mapping)
    ]


def _field_sort(value: Any) -> str:
    if isinstance(value, tuple):
        return "lines" if any("," in str(item) for item in value) else "list"
    return "flag" if isinstance(value, bool) else "text"


def _field_value(memory: Memory, name: str) -> Any:
    return getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name, "")


def field_text(page: Page, memory: Memory, name: str) -> str:
    """Return a field's value as its form has it."""
    value = _field_value(memory, name)
    if _field_sort(value) == "lines":
        return "\n".join(map(str, value))
    return "" if value is None else format_value(value, page.zone)


def save_memory(page: Page) -> Response:
    """Save the form: only what was changed in it, and only where the file is still the one that was read."""
    ref, version = page.field("id"), page.field("version")
    memory, _ = page.vault.source(ref)
    if memory.version != version:
        return _show_both(page, memory)
    body = _read_body(page, memory)
    fields = _read_fields(page, memory)
    secrets = page.field("secrets") if page.field("secrets") in ("redact", "keep") else ""
    if body is None and not fields:
        return page.redirect(note="nothing")
    try:
        changed = page.vault.edit(ref, body=body, fields=fields or None, version=version, secrets=secrets)
    except ChangedMeanwhile:
        return _show_both(page, page.vault.source(ref)[0])
    except MemvaultError as error:
        values = _form_values(page, memory, page.text("body"), error=error, secrets=error.code == "SecretFound")
        return page.render("memory_form.html", code=HTTPStatus.BAD_REQUEST, **values)
    return page.redirect(op=changed.op, note="" if changed.op else "nothing")


def _read_body(page: Page, memory: Memory) -> str | None:
    """Return the text of the form, with the line ends that the file has; None where it is as it was."""
    there = memory.body or ""
    if "body" not in page.form or not is_safe_in_form(there):
        return None
    text = page.text("body")
    if text == there.replace("\r\n", "\n"):
        return None
    return text.replace("\n", "\r\n") if "\r\n" in there else text


def _read_fields(page: Page, memory: Memory) -> dict[str, FieldValue | None]:
    """Return the fields that differ from what the memory has; an empty one is taken out of the file."""
    found: dict[str, FieldValue | None] = {}
    for field in list_fields(page, memory):
        given = f"field.{field.name}"
        if given not in page.form:
            continue
        text = page.text(given).strip()
        if text == field.value.strip():
            continue
        if field.sort in ("list", "lines"):
            parts = text.split("\n" if field.sort == "lines" else ",")
            found[field.name] = tuple(part.strip() for part in parts if part.strip())
        else:
            found[field.name] = text or None
    return found


def _show_both(page: Page, memory: Memory) -> Response:
    """Show the form's text beside what the file says by now: nothing was written, and nothing is lost."""
    mine, theirs = page.text("body"), (memory.body or "").replace("\r\n", "\n")
    given = {name.removeprefix("field."): values[0] for name, values in page.form.items() if name.startswith("field.")}
    fields = [
        field._replace(value=given[field.name].replace("\r\n", "\n")) if field.name in given else field
        for field in list_fields(page, memory)
    ]
    values = _form_values(page, memory, mine, theirs=memory, fields=fields, lines=_compare_texts(theirs, mine))
    there = {field.name: field.value for field in list_fields(page, memory)}
    values["differing"] = [(f.name, there[f.name], f.value) for f in fields if f.value.strip() != there[f.name].strip()]
    return page.render("memory_form.html", code=HTTPStatus.CONFLICT, **values)


def _compare_texts(before: str, after: str) -> list[str]:
    """Return the lines that differ, each behind its sign, with a few around them."""
    return list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]


# -- acts


def act_on_memory(page: Page) -> Response:
    """Pin, unpin, move, forget or restore a memory."""
    act, ref = page.field("act"), page.field("id")
    done = _ACTS[act](page, ref) if act in _ACTS else None
    op = str(getattr(done, "op", ""))
    return page.redirect("/log" if act == "forget" and not op else "", op=op, note="" if op else "nothing")


_ACTS: Mapping[str, Callable[[Page, str], Any]] = MappingProxyType(
    {
        "pin": lambda page, ref: page.vault.pin(ref),
        "unpin": lambda page, ref: page.vault.unpin(ref),
        "forget": lambda page, ref: page.vault.forget(ref),
        "restore": lambda page, ref: page.vault.restore(ref),
        "move": lambda page, ref: page.vault.move(ref, page.field("to")),
    }
)


# -- its history


def show_history(page: Page) -> Response:
    """Show every operation on a memory with what it changed and who did it; one that is gone too."""
    ref = page.query("id")
    operations = page.vault.run(list_memory_history, ref)[:_HISTORY]
    return page.render(
        "history.html",
        memory=_find_name(page, ref),
        history=list(zip(operations, page.vault.run(diff_operations, operations), strict=True)),
        device=page.vault.device,
    )


# -- images of the vault


def send_image(page: Page) -> Response:
    """Send an image that lies in the vault, in a folder that is no secret of memvault's."""
    from_, name = page.query("from"), page.query("path")
    candidates = [f"{from_}/{name}" if from_ else name, name]
    image = next((data for each in candidates if (data := _read_image(page, each)) is not None), None)
    ending = name[name.rfind(".") :].lower()
    if image is None or ending not in IMAGES:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    return Response(image, media_type=IMAGES[ending])


def _read_image(page: Page, name: str) -> bytes | None:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or any(part.startswith(".") for part in parts) or STATE in parts:
        return None
    path = page.vault.root.joinpath(*parts)
    try:
        if not files.is_inside(page.vault.root, path.resolve()):
            raise OutsideVault(path=name)
        return files.read_file(path) if path.is_file() else None
    except (MemvaultError, OSError):
        return None
