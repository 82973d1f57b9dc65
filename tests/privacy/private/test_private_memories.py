"""Private memories: sealed before they are written, found in memory alone, never where anything else is found."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib.machinery import ModuleSpec
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memvault.api import Memvault
from memvault.core.plan import ListEdit
from memvault.errors import (
    Ambiguous,
    BadInput,
    BadKey,
    ChangedMeanwhile,
    MemvaultError,
    NoKey,
    NoKeychain,
    NoRecipients,
    NoSealing,
    NotForAgents,
    NotFound,
    NotOpened,
    PerhapsPrivate,
)
from memvault.system import files
from memvault.system.age import PrivateKeys
from tests.conftest import Opener

pyrage = pytest.importorskip("pyrage")

NEEDLE = "quarzuhr"
TEXT = f"The spare key hangs behind the {NEEDLE}."


@pytest.fixture
def safe(vault: Memvault) -> Memvault:
    """A vault with a key, and two private memories."""
    vault.private_init()
    vault.remember_privately(TEXT, title="Spare key", tags=("home",))
    vault.remember_privately("The surgery is on Friday at nine.", title="Surgery")
    return vault


def key_file(environment: dict[str, str]) -> Path:
    return Path(environment["XDG_CONFIG_HOME"]) / "memvault/private.agekey"


def identity() -> tuple[str, str]:
    made = pyrage.x25519.Identity.generate()
    return str(made), str(made.to_public())


def titles(vault: Memvault, **given: object) -> set[str]:
    return {memory.title for memory in vault.private_memories(**given).memories}  # type: ignore[arg-type]


def holding(folder: Path, text: str = NEEDLE) -> list[Path]:
    """The files below a folder in whose bytes or name a text stands."""
    return [
        path
        for path in folder.rglob("*")
        if text in path.name or (path.is_file() and text.encode() in path.read_bytes())
    ]


# -- what is sealed


def test_purge_without_a_match_names_the_command_for_private_memories(safe: Memvault) -> None:
    safe.private_forget("Surgery")
    with pytest.raises(PerhapsPrivate) as told:
        safe.purge("Surgery")
    assert "private purge" in told.value.advice
    safe.private_forget("Surgery", for_good=True)
    safe.private_forget("Spare key", for_good=True)
    with pytest.raises(NotFound) as plain:
        safe.purge("Surgery")
    assert not isinstance(plain.value, PerhapsPrivate)


def test_private_memory_is_restored_whole_and_its_file_reveals_nothing(safe: Memvault) -> None:
    shown = safe.private_show("spare KEY")
    assert (shown.memory.body or "").strip() == TEXT
    assert shown.memory.tags == ("home",)
    sealed = sorted((safe.root / "private").glob("*.md.age"))
    assert len(sealed) == 2
    assert all(len(path.name) == 16 + len(".md.age") for path in sealed)
    assert sealed[0].stat().st_mode & 0o777 == 0o600
    assert sealed[0].read_bytes().startswith(b"age-encryption.org/v1\n")


def test_private_memory_is_not_found_listed_or_logged_elsewhere(safe: Memvault) -> None:
    assert not safe.recall(f"spare key behind the {NEEDLE}").hits
    assert safe.list().total == 0
    assert not safe.log()
    assert safe.status().private == 2
    assert not safe.private_hits(NEEDLE)


def test_private_search_returns_best_hit_first_with_its_passage(safe: Memvault) -> None:
    safe.remember_privately("A key of the sea chart.", title="Chart")
    hits, opening = safe.private_search("where does the spare key hang")
    assert hits[0].memory.title == "Spare key"
    assert NEEDLE in hits[0].text
    assert not hits[0].weak
    assert len(opening.found) == 3
    assert safe.private_search("zeppelin")[0] == ()


def test_private_memory_keeps_secrets_and_private_spans(safe: Memvault) -> None:
    text = f"sk-ant-api03-{'Q7w9' * 24} and <private>the rest</private>"
    made = safe.remember_privately(text)
    assert (safe.private_show(made.memory.id[:8]).memory.body or "").strip() == text


def test_private_edit_reseals_under_the_same_name(safe: Memvault) -> None:
    before = safe.private_show("Surgery")
    made = safe.private_edit("Surgery", append="Bring the papers.", fields={"title": "Operation"})
    after = safe.private_show("Operation")
    assert made.path == before.memory.path == after.memory.path
    assert after.memory.id == before.memory.id
    assert "on Friday at nine.\n\nBring the papers." in (after.memory.body or "")
    assert not safe.private_edit("Operation", fields={"title": "Operation"}).changed


Other = Callable[[Memvault], object]


@pytest.fixture
def meanwhile(safe: Memvault, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have somebody else at work when an edit has read its memory and not written yet, once or time and again."""

    def arrange(*others: Other) -> None:
        judge, due = PrivateKeys.can_open, iter(others)

        def late(self: PrivateKeys, recipients: Iterable[str]) -> bool:
            found = judge(self, recipients)
            with pytest.MonkeyPatch.context() as patched, Memvault(safe.root, environment=safe.environment) as other:
                patched.setattr(PrivateKeys, "can_open", judge)
                for act in islice(due, 1):
                    act(other)
            return found

        monkeypatch.setattr(PrivateKeys, "can_open", late)

    return arrange


def adds(text: str, tag: str = "theirs") -> Other:
    return lambda other: other.private_edit("Surgery", append=text, lists={"tags": ListEdit((tag,))})


def test_private_append_applies_to_a_concurrently_sealed_text(safe: Memvault, meanwhile: Callable[..., None]) -> None:
    safe.private_edit("Surgery", lists={"tags": ListEdit(("old",))})
    meanwhile(*(adds(f"Theirs {number}.", f"theirs{number}") for number in range(3)))
    tags = ListEdit(("ours",), remove=("old",))
    made = safe.private_edit("Surgery", append="Ours.", fields={"title": "Operation"}, lists={"tags": tags})
    memory = safe.private_show("Operation").memory
    told = "The surgery is on Friday at nine.\n\nTheirs 0.\n\nTheirs 1.\n\nTheirs 2.\n\nOurs."
    assert (made.memory.body or "").strip() == (memory.body or "").strip() == told
    assert memory.tags == ("theirs0", "theirs1", "theirs2", "ours")


def test_private_append_survives_a_concurrent_rekey_or_rename(safe: Memvault, meanwhile: Callable[..., None]) -> None:
    meanwhile(
        lambda other: other.private_rekey(),
        lambda other: other.private_edit("Surgery", fields={"title": "Operation"}),
    )
    safe.private_edit("Surgery", append="Ours.")
    assert "Ours." in (safe.private_show("Operation").memory.body or "")
    assert safe.private_status().closed == 0


@pytest.mark.parametrize("what", [{"body": "Mine."}, {"whole": b"Mine.\n"}, {"body": "Mine.", "append": "More."}])
def test_private_edit_replaces_only_the_text_that_was_read(
    what: dict[str, Any], safe: Memvault, meanwhile: Callable[..., None]
) -> None:
    meanwhile(adds("Theirs."))
    with pytest.raises(ChangedMeanwhile):
        safe.private_edit("Surgery", **what)
    assert (safe.private_show("Surgery").memory.body or "").strip().endswith("at nine.\n\nTheirs.")


@pytest.mark.points(only=True)
def test_private_append_gives_up_after_endless_concurrent_changes(
    safe: Memvault, meanwhile: Callable[..., None]
) -> None:
    meanwhile(*(adds(f"Theirs {number}.") for number in range(99)))
    with pytest.raises(ChangedMeanwhile):
        safe.private_edit("Surgery", append="Ours.")
    body = safe.private_show("Surgery").memory.body or ""
    assert "Theirs 49." in body
    assert "Ours." not in body


def test_private_append_fails_on_a_concurrently_forgotten_memory(
    safe: Memvault, meanwhile: Callable[..., None]
) -> None:
    meanwhile(lambda other: other.private_forget("Surgery"))
    with pytest.raises(NotFound):
        safe.private_edit("Surgery", append="Ours.")
    assert titles(safe) == {"Spare key"}


def test_private_forget_keeps_the_memory_sealed_in_the_trash(safe: Memvault, environment: dict[str, str]) -> None:
    made = safe.private_show("Surgery").memory
    name = made.path.rpartition("/")[2].removesuffix(".md.age")
    key_file(environment).rename(key_file(environment).with_name("elsewhere"))
    gone = safe.private_forget(name[:6])  # by its name, it needs no key
    assert gone.path == f".trash/{name}.md.age"
    key_file(environment).with_name("elsewhere").rename(key_file(environment))
    assert titles(safe) == {"Spare key"}
    assert safe.private_restore("Surgery").path == made.path
    assert titles(safe) == {"Spare key", "Surgery"}
    assert safe.private_forget("Surgery", for_good=True).path == ""
    assert titles(safe) == {"Spare key"}
    assert not list((safe.root / ".trash").iterdir())


def test_private_references_must_match_exactly_one_memory(safe: Memvault) -> None:
    safe.remember_privately("Another.", title="Surgery")
    with pytest.raises(Ambiguous):
        safe.private_show("surgery")
    with pytest.raises(NotFound):
        safe.private_show("nothing")


def test_private_dry_run_writes_nothing(safe: Memvault) -> None:
    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in safe.root.rglob("*") if path.is_file()}

    before = state()
    _, recipient = identity()
    safe.remember_privately("Not kept.", dry_run=True)
    safe.private_edit("Surgery", body="Not kept.", dry_run=True)
    safe.private_forget("Surgery", dry_run=True)
    safe.private_rekey(dry_run=True)
    safe.private_admit(recipient, dry_run=True)
    assert state() == before


# -- keys


def test_private_remember_without_a_key_writes_and_loses_nothing(vault: Memvault) -> None:
    with pytest.raises(NoRecipients):
        vault.remember_privately(TEXT)
    assert not vault.private_memories().found
    assert not (vault.root / "private").exists() or not list((vault.root / "private").glob("*.age"))


def test_private_lost_key_is_reported_and_its_copy_opens_again(
    safe: Memvault, environment: dict[str, str], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.agekey"
    key_file(environment).rename(copy)
    with pytest.raises(NoKey, match=r"private\.agekey"):
        safe.private_memories()
    assert titles(safe, key=copy) == {"Spare key", "Surgery"}
    safe.remember_privately("Sealed without a key.", title="Blind")  # to the recipients of before
    assert "Blind" in titles(safe, key=copy)


def test_private_memories_do_not_open_with_another_key(safe: Memvault, environment: dict[str, str]) -> None:
    key_file(environment).write_text(identity()[0])
    with pytest.raises(NotOpened, match="was not sealed to the key in"):
        safe.private_memories()
    key_file(environment).write_text("a poem")
    with pytest.raises(BadKey):
        safe.private_show("Surgery")


@pytest.mark.parametrize("damage", [b"", b"age-encryption.org/v1\n", b"plain text", None])
def test_private_damaged_file_does_not_block_the_others(safe: Memvault, damage: bytes | None) -> None:
    path = safe.root / safe.private_show("Surgery").memory.path
    path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)
    opening = safe.private_memories()
    assert [memory.title for memory in opening.memories] == ["Spare key"]
    assert [(one.path, one.why) for one in opening.shut] == [(path.relative_to(safe.root).as_posix(), "it is damaged")]
    done = safe.private_rekey()
    assert (done.count, len(done.shut)) == (1, 1)


def test_private_commands_without_pyrage_say_how_to_install_it(safe: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyrage", None)
    ways: tuple[Callable[[], object], ...] = (
        lambda: safe.remember_privately(TEXT),
        safe.private_memories,
        lambda: safe.private_edit("Surgery", body="x"),
        safe.private_rekey,
    )
    for way in ways:
        with pytest.raises(NoSealing):
            way()
    assert safe.private_status().count == 2
    assert safe.doctor().is_sound


def test_rekey_switches_to_the_new_key_and_keeps_the_old_one(safe: Memvault, environment: dict[str, str]) -> None:
    old = key_file(environment).read_text().splitlines()[1]
    done = safe.private_rekey()
    new, kept = [line for line in key_file(environment).read_text().splitlines() if line.startswith("AGE-")]
    assert (done.count, kept) == (2, old)
    assert done.recipients == (str(pyrage.x25519.Identity.from_str(new).to_public()),)
    key_file(environment).write_text(new)
    assert titles(safe) == {"Spare key", "Surgery"}
    key_file(environment).write_text(old)
    with pytest.raises(NotOpened):
        safe.private_memories()


def test_rekey_reseals_the_trash(safe: Memvault, environment: dict[str, str]) -> None:
    safe.private_forget("Surgery")
    assert safe.private_rekey().count == 2
    own = key_file(environment)
    own.write_text(own.read_text().splitlines()[1])
    safe.private_restore("Surgery")
    assert titles(safe) == {"Spare key", "Surgery"}


class Killed(BaseException):
    pass


WRITES = ("create_file", "replace_note", "overwrite_file", "move_file", "remove_file", "make_folder")


def fail_at(monkeypatch: pytest.MonkeyPatch, number: int, *, after: bool) -> list[int]:
    """Be killed at a write, before it or right after it; how many there were."""
    count = [0]

    def counted(act: Callable[..., object]) -> Callable[..., object]:
        def write(*given: object, **more: object) -> object:
            count[0] += 1
            if count[0] == number and not after:
                raise Killed
            made = act(*given, **more)
            if count[0] == number:
                raise Killed
            return made

        return write

    for name in WRITES:
        monkeypatch.setattr(files, name, counted(getattr(files, name)))
    return count


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.points(only=True)
def test_rekey_killed_anywhere_loses_nothing_and_the_next_one_finishes(
    safe: Memvault, environment: dict[str, str], tmp_path: Path, *, after: bool
) -> None:
    for number in range(1, 30):
        with pytest.MonkeyPatch.context() as patched:
            count = fail_at(patched, number, after=after)
            try:
                safe.private_rekey()
            except Killed:
                pass
            else:
                assert count[0] < number
                break
        assert titles(safe) == {"Spare key", "Surgery"}
        before = key_file(environment).read_text()
        safe.private_rekey()
        assert titles(safe) == {"Spare key", "Surgery"}
        current = tmp_path / "current"
        current.write_text(key_file(environment).read_text().splitlines()[1])
        own = key_file(environment)
        kept = own.read_text()
        own.unlink()
        assert titles(safe, key=current) == {"Spare key", "Surgery"}
        own.write_text(kept)
        assert before.count("AGE-SECRET") <= kept.count("AGE-SECRET")
    else:
        pytest.fail("it never came to its end")


@pytest.mark.parametrize("what", ["remember", "edit", "forget"])
def test_killed_writer_leaves_no_private_text_in_the_clear(safe: Memvault, tmp_path: Path, what: str) -> None:
    for number in range(1, 30):
        with pytest.MonkeyPatch.context() as patched:
            count = fail_at(patched, number, after=number % 2 == 0)
            try:
                match what:
                    case "remember":
                        safe.remember_privately(f"{TEXT} {number}", title=f"One {number}")
                    case "edit":
                        safe.private_edit("Spare key", body=f"{TEXT} {number}")
                    case _:
                        safe.private_forget(safe.remember_privately(f"{TEXT} {number}").memory.id)
            except Killed:
                pass
            else:
                assert count[0] < number
                break
        assert not holding(tmp_path)
        assert titles(safe) >= {"Spare key", "Surgery"}
    else:
        pytest.fail("it never came to its end")


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring of the system's that keeps what it is given in memory."""
    kept: dict[tuple[str, str], str] = {}
    made = ModuleType("keyring")
    made.__spec__ = ModuleSpec("keyring", None)
    made.get_keyring = lambda: object()  # type: ignore[attr-defined]
    made.set_password = lambda service, name, text: kept.__setitem__((service, name), text)  # type: ignore[attr-defined]
    made.get_password = lambda service, name: kept.get((service, name))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", made)
    return kept


def test_system_keyring_stores_the_key_when_asked(
    vault: Memvault, keychain: dict[tuple[str, str], str], environment: dict[str, str]
) -> None:
    found = vault.private_init(in_keyring=True)
    assert (found.key, found.new, len(keychain)) == ("the system's keyring", True, 1)
    assert not key_file(environment).exists()
    vault.remember_privately(TEXT, title="Spare key")
    vault.private_rekey()
    assert not key_file(environment).exists()
    assert titles(vault) == {"Spare key"}
    assert all("AGE-SECRET-KEY" not in path.read_text("utf-8", "replace") for path in config_files(environment))


def config_files(environment: dict[str, str]) -> list[Path]:
    return [path for path in Path(environment["XDG_CONFIG_HOME"]).rglob("*") if path.is_file()]


def test_file_based_keyring_backend_is_refused(vault: Memvault, keychain: dict[tuple[str, str], str]) -> None:
    backend = type("PlaintextKeyring", (), {"__module__": "keyrings.alt.file"})
    sys.modules["keyring"].get_keyring = backend  # type: ignore[attr-defined]
    with pytest.raises(NoKeychain):
        vault.private_init(in_keyring=True)
    assert not keychain


def test_key_is_stored_in_a_file_without_a_keyring(vault: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(NoKeychain, match="not installed"):
        vault.private_init(in_keyring=True)
    assert vault.private_init().has_key


# -- several machines


def other_machine(vault: Memvault, tmp_path: Path, open_vault: Opener) -> Memvault:
    """The same vault as another machine sees it."""
    home = tmp_path / "other"
    names = {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "STATE", "CACHE")}
    return open_vault(vault.root, environment={"HOME": str(home), **names})


def test_admitted_machine_opens_all_private_memories(safe: Memvault, tmp_path: Path, open_vault: Opener) -> None:
    other = other_machine(safe, tmp_path, open_vault)
    with pytest.raises(NoKey):
        other.private_memories()
    begun = other.private_init()
    assert begun.closed == 2
    assert safe.private_status().strange == (begun.own,)
    with pytest.raises(NotOpened):
        other.private_memories()
    assert safe.private_admit(begun.own).count == 2
    assert safe.private_status().strange == ()
    assert titles(other) == titles(safe) == {"Spare key", "Surgery"}
    other.remember_privately("From the other machine.", title="Other")
    assert "Other" in titles(safe)
    safe.private_dismiss(begun.own)
    with pytest.raises(NotOpened):
        other.private_memories()


def test_unconfirmed_recipient_in_the_list_gets_nothing(
    safe: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    stranger_key, stranger = identity()
    listing = safe.root / "private/.recipients"
    listing.write_text(f"{listing.read_text()}{stranger}\n")
    assert stranger in safe.remember_privately(TEXT).remark
    assert stranger in safe.private_edit("Surgery", append="x").remark
    assert stranger not in safe.private_rekey().recipients
    assert safe.private_admit(identity()[1]).count == 3
    key = tmp_path / "stranger"
    key.write_text(stranger_key)
    environment["XDG_CONFIG_HOME"] = str(tmp_path / "strangers")
    with pytest.raises(NotOpened):
        titles(safe, key=key)


def test_unconfirmed_recipient_is_shown_until_the_person_decides(safe: Memvault) -> None:
    _, stranger = identity()
    listing = safe.root / "private/.recipients"
    listing.write_text(f"{listing.read_text()}{stranger}\n")
    assert safe.private_status().strange == safe.private_memories().strange == (stranger,)
    assert [stranger in each.sentence for each in safe.doctor().left if each.check == "private"] == [True]
    safe.private_dismiss(stranger)
    assert stranger not in listing.read_text()
    listing.write_text(f"{listing.read_text()}{stranger}\n")
    safe.private_admit(stranger)
    found = safe.private_status()
    assert (found.strange, found.recipients[1:]) == ((), (stranger,))
    assert not [each for each in safe.doctor().left if each.check == "private"]


def test_invalid_or_last_recipient_is_refused(safe: Memvault) -> None:
    with pytest.raises(BadInput):
        safe.private_admit("age1nobody")
    with pytest.raises(BadInput):
        safe.private_dismiss(safe.private_status().own)


def test_agents_cannot_read_private_memories(safe: Memvault, open_vault: Opener) -> None:
    agent = open_vault(safe.root, agent="claude-code")
    ways: tuple[Callable[[], object], ...] = (
        agent.private_memories,
        lambda: agent.private_show("Surgery"),
        lambda: agent.private_search("surgery"),
        lambda: agent.private_edit("Surgery", body="x"),
        lambda: agent.private_forget("Surgery"),
        agent.private_rekey,
    )
    for way in ways:
        with pytest.raises(NotForAgents):
            way()
    assert agent.remember_privately("It may seal what it was told.").path


# -- what goes out of the vault


def test_bundle_exports_private_memories_sealed_and_only_on_request(safe: Memvault, tmp_path: Path) -> None:
    safe.remember("The gauge at Hollin has a new lid.")
    safe.export(tmp_path / "open.zip")
    done = safe.export(tmp_path / "all.zip", with_private=True)
    assert done.sealed == 2
    with zipfile.ZipFile(tmp_path / "open.zip") as archive:
        assert not [name for name in archive.namelist() if "private" in name]
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        names = [name for name in archive.namelist() if name.startswith("private/")]
        assert len(names) == 3
        for name in names:
            assert archive.read(name) == (safe.root / name).read_bytes()
    for form in ("jsonl", "markdown"):
        assert NEEDLE.encode() not in safe.export(format=form, with_private=True).data


def test_bundle_imports_private_memories_unchanged_and_once(safe: Memvault, tmp_path: Path, open_vault: Opener) -> None:
    safe.export(tmp_path / "all.zip", with_private=True)
    Memvault.init(tmp_path / "new")
    other = open_vault(tmp_path / "new")
    assert len(other.private_bring_in(tmp_path / "all.zip", dry_run=True).new) == 2
    assert other.status().private == 0
    assert len(other.private_bring_in(tmp_path / "all.zip").new) == 2
    assert titles(other) == titles(safe)
    for path in (safe.root / "private").glob("*.age"):
        assert (other.root / "private" / path.name).read_bytes() == path.read_bytes()
    again = other.private_bring_in(tmp_path / "all.zip")
    assert (len(again.new), len(again.unchanged)) == (0, 2)
    assert other.remember_privately("It seals to the same key.").path


@pytest.mark.parametrize("name", ["../../evil.md.age", "a/b.md.age", "plain.md", "con.md.age"])
def test_bundle_import_refuses_other_paths_and_unsealed_files(vault: Memvault, tmp_path: Path, name: str) -> None:
    def bundle(name: str, data: bytes) -> Path:
        row = {"name": name, "bytes": len(data), "sha256": sha256(data).hexdigest()}
        path = tmp_path / "hostile.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("manifest.json", json.dumps({"memvault": "bundle", "private": [row]}))
            archive.writestr(f"private/{name}", data)
        return path

    before = {path for path in tmp_path.rglob("*") if "private" in path.parts or "evil" in path.name}
    assert vault.private_bring_in(bundle(name, b"age-encryption.org/v1\n")).refused == (name,)
    assert vault.private_bring_in(bundle("0123456789abcdef.md.age", b"In the clear.")).refused
    assert before == {path for path in tmp_path.rglob("*") if "private" in path.parts or "evil" in path.name}
    with pytest.raises(MemvaultError):
        vault.private_bring_in(tmp_path / "nothing.zip")


def test_doctor_finds_unsealed_files_and_revealing_names(safe: Memvault) -> None:
    folder = safe.root / "private"
    (folder / "plan.md").write_text("In the clear.")
    (folder / "0123456789abcdef.md.age").write_text("In the clear too.")
    sealed = next(path for path in folder.glob("*.md.age") if path.read_bytes().startswith(b"age-"))
    sealed.rename(folder / "X.md.age")
    assert safe.private_show("x").memory.title
    found = {(each.path, each.severity) for each in safe.doctor().left if each.check == "private"}
    assert found == {
        ("private/plan.md", "error"),
        ("private/0123456789abcdef.md.age", "error"),
        ("private/X.md.age", "warning"),
    }


def test_private_errors_contain_no_text(safe: Memvault) -> None:
    path = safe.root / safe.private_show("Spare key").memory.path
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(MemvaultError) as caught:
        safe.private_show(path.name)
    assert NEEDLE not in str(caught.value) + caught.value.advice + repr(caught.value.data)


@pytest.mark.parametrize("named", ["its file", "its title"])
def test_private_trash_can_be_deleted_for_good(safe: Memvault, named: str) -> None:
    gone = safe.private_forget("Surgery")
    ref = gone.name if named == "its file" else "Surgery"
    with pytest.raises(NotFound):
        safe.private_forget(ref)
    assert safe.private_forget(ref, for_good=True).name == gone.name
    assert not (safe.root / gone.path).exists()
    assert len(list((safe.root / "private").glob("*.md.age"))) == 1


def test_private_rewrite_refuses_an_empty_text(safe: Memvault) -> None:
    base = safe.private_show("Surgery").note
    safe.private_edit("Surgery", append="Theirs.")
    with pytest.raises(BadInput):
        safe.private_edit("Surgery", whole=b"\n", base=base)
    assert "Theirs." in (safe.private_show("Surgery").memory.body or "")


def test_private_note_with_unreadable_frontmatter_is_set_aside_unchanged(safe: Memvault) -> None:
    wrote = b"---\ntitle: [Broken\n---\n\nMine.\n"
    name = safe.private_set_aside(wrote, safe.private_show("Surgery").memory.path)
    assert safe.private_show(name).note == wrote
