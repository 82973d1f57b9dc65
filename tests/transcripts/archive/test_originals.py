"""Sealed originals: what was taken out as a secret comes back to whoever has the key, and to nobody else."""

from __future__ import annotations

import gzip
import json
import stat
import sys
from pathlib import Path
from types import ModuleType

import pytest

from memvault import Memvault
from memvault.errors import BadInput, BadKey, NoConversation, NoKey, NoSealing, NotForAgents, NotOpened, Unreadable
from memvault.transcripts.archive import originals
from memvault.transcripts.archive.originals import SealedFiles
from memvault.transcripts.model.record import TranscriptEntry, TranscriptRecord
from tests.conftest import Opener
from tests.privacy.private.test_private_memories import key_file
from tests.transcripts.talking import GAUGES, chat

KEY = "sk-ant-api03-" + "Q7w9" * 24
OTHER = "sk-ant-api03-" + "Zx81" * 24
SECRET = ("Noor", f"The key of the gauge server is {KEY} for now.")
HIDDEN = "the orchard behind the mill"


@pytest.fixture
def age() -> object:
    """Only where it is installed."""
    return pytest.importorskip("pyrage")


@pytest.fixture
def sealing_vault(age: object, open_vault: Opener, vault: Memvault) -> Memvault:
    """A vault of a person who has a key, and wants originals sealed."""
    vault.private_init()
    return open_vault(vault.root, settings={"transcripts.secrets": "seal"})


def sealed(vault: Memvault) -> list[Path]:
    return sorted((vault.root / "3-raw/transcripts").rglob("*.age"))


def said(lines: tuple[str, ...]) -> list[str]:
    return [json.loads(line)["turn"]["text"] for line in lines]


def in_clear(root: Path, what: str) -> list[Path]:
    """The files in which something stands, compressed or not."""
    found = []
    for path in root.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            data += gzip.decompress(data) if path.name.endswith(".gz") else b""
            if what.encode() in data:
                found.append(path)
    return found


def test_sealed_original_is_nowhere_in_clear_and_opens_with_the_key(sealing_vault: Memvault, tmp_path: Path) -> None:
    found = sealing_vault.ingest([chat(tmp_path / "talk.json", [*GAUGES, SECRET])])
    assert (found.sealed, found.unsealed, found.taken[0].turns) == (1, "", len(GAUGES) + 1)
    assert in_clear(sealing_vault.root, KEY) == in_clear(tmp_path / "home", KEY) == []
    assert said(sealing_vault.unseal("talk-1").lines) == [SECRET[1]]


def test_sealed_file_lies_beside_the_conversation_with_owner_permissions(
    sealing_vault: Memvault, tmp_path: Path
) -> None:
    found = sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])])
    stem = found.taken[0].path.removesuffix(".jsonl.gz")
    assert [path.relative_to(sealing_vault.root).as_posix() for path in sealed(sealing_vault)] == [
        f"{stem}.1.sealed.age"
    ]
    if sys.platform != "win32":
        assert stat.S_IMODE(sealed(sealing_vault)[0].stat().st_mode) == 0o600


def test_sealed_file_opens_with_age_and_gunzip(
    age: object, sealing_vault: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])])
    key = key_file(environment).read_text().splitlines()[-1]
    opened = age.decrypt(sealed(sealing_vault)[0].read_bytes(), [age.x25519.Identity.from_str(key)])  # type: ignore[attr-defined]
    assert SECRET[1] in gzip.decompress(opened).decode()


def test_sealing_skips_lines_with_private_spans(sealing_vault: Memvault, tmp_path: Path) -> None:
    lines = [f"{OTHER} and <private>{HIDDEN}</private>", f"{OTHER} &lt;PRIVATE&gt;{HIDDEN}", SECRET[1]]
    found = sealing_vault.ingest([chat(tmp_path / "talk.json", [("Noor", line) for line in lines])])
    assert said(sealing_vault.unseal("talk-1").lines) == [SECRET[1]]
    assert found.sealed == 1


def test_sealing_skips_lines_without_a_secret(sealing_vault: Memvault, tmp_path: Path) -> None:
    found = sealing_vault.ingest([chat(tmp_path / "talk.json", [("Noor", "[redacted: nothing] at all"), *GAUGES])])
    assert (found.sealed, sealed(sealing_vault)) == (0, [])
    assert sealing_vault.unseal("talk-1").lines == ()


def test_sealing_seals_each_new_line_once(sealing_vault: Memvault, tmp_path: Path) -> None:
    sealing_vault.ingest([chat(tmp_path / "one.json", [SECRET])])
    assert sealing_vault.ingest([chat(tmp_path / "two.json", [SECRET])]).sealed == 0
    more = ("Tom", f"And mine is {OTHER}, as of today.")
    assert sealing_vault.ingest([chat(tmp_path / "three.json", [SECRET, more])]).sealed == 1
    assert [path.name.split(".", 1)[1] for path in sealed(sealing_vault)] == ["1.sealed.age", "2.sealed.age"]
    assert said(sealing_vault.unseal("talk-1").lines) == [SECRET[1], more[1]]


def test_unseal_returns_whole_lines_of_an_agent_session(sealing_vault: Memvault, tmp_path: Path) -> None:
    id_ = "5f0c1234-0000-4000-8000-00000000abcd"
    line = {
        "type": "user",
        "uuid": "00000001-0000-4000-8000-000000000000",
        "sessionId": id_,
        "timestamp": "2026-01-28T09:00:00Z",
        "message": {"role": "user", "content": SECRET[1]},
    }
    result = {**line, "uuid": "00000002-0000-4000-8000-000000000000", "toolUseResult": {"stdout": f"TOKEN={OTHER}"}}
    source = tmp_path / f"{id_}.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in (line, result)))
    sealing_vault.ingest([source])
    assert [json.loads(each)["raw"] for each in sealing_vault.unseal("5f0c1234").lines] == [line, result]
    source.write_text("".join(json.dumps(each) + "\n" for each in (line, result, {**line, "uuid": "3"})))
    assert sealing_vault.ingest([source]).sealed == 1


def test_sealing_separates_two_conversations_of_one_file(sealing_vault: Memvault, tmp_path: Path) -> None:
    both = [
        json.loads(chat(tmp_path / "x.json", [("Noor", f"It is {key} for now, the key.")], id_=id_).read_text())
        for id_, key in (("talk-1", KEY), ("other", OTHER))
    ]
    (tmp_path / "both.json").write_text(json.dumps(both))
    assert sealing_vault.ingest([tmp_path / "both.json"]).sealed == 2
    assert [KEY in line for line in sealing_vault.unseal("talk-1").lines] == [True]
    assert [OTHER in line for line in sealing_vault.unseal("other").lines] == [True]


def test_sealing_holds_back_few_records(
    sealing_vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(originals, "_MOST", 400)
    many = [("Noor", f"Number {number} is {KEY} for now.") for number in range(6)]
    found = sealing_vault.ingest([chat(tmp_path / "talk.json", [*many, *GAUGES])])
    assert (found.sealed, found.taken[0].turns) == (6, 6 + len(GAUGES))
    assert len(sealed(sealing_vault)) > 2
    assert said(sealing_vault.unseal("talk-1").lines) == [text for _, text in many]


def test_originals_are_sealed_before_redacted_lines_are_archived(
    sealing_vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = originals.OriginalSealer.seal_passing

    def killed(self: originals.OriginalSealer, records: object) -> object:
        for record in watch(self, records):  # type: ignore[arg-type]
            if _has_mark(record):
                raise KeyboardInterrupt
            yield record

    source = chat(tmp_path / "talk.json", [*GAUGES, SECRET])
    with monkeypatch.context() as patched:
        patched.setattr(originals.OriginalSealer, "seal_passing", killed)
        with pytest.raises(KeyboardInterrupt):
            sealing_vault.ingest([source])
    assert len(sealed(sealing_vault)) == 1
    sealing_vault.ingest([source])
    assert not [path for path in sealed(sealing_vault) if path.name.startswith(".")]
    assert said(sealing_vault.unseal("talk-1").lines) == [SECRET[1]]  # once, though it was sealed by both runs


def test_failed_sealing_archives_nothing_and_the_next_run_retries(
    sealing_vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, calls = SealedFiles.put_lines, []

    def full(self: SealedFiles, *args: object, **more: object) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise Unreadable(path=tmp_path, reason="no space left")
        put(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(SealedFiles, "put_lines", full)
    sources = [chat(tmp_path / "1.json", [SECRET]), chat(tmp_path / "2.json", [SECRET])]
    found = sealing_vault.ingest(sources)
    assert ([Path(path).name for path, _ in found.failed], found.sealed) == (["1.json"], 1)
    assert said(sealing_vault.unseal("talk-1").lines) == [SECRET[1]]


def _has_mark(record: TranscriptRecord) -> bool:
    return isinstance(record, TranscriptEntry) and record.turn is not None and KEY in record.turn.text


# -- the key


def test_sealing_needs_only_the_recipient_and_a_named_key_opens(
    sealing_vault: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    stick = key_file(environment).rename(tmp_path / "stick.agekey")
    assert sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])]).sealed == 1
    with pytest.raises(NoKey, match=r"private\.agekey"):
        sealing_vault.unseal("talk-1")
    assert said(sealing_vault.unseal("talk-1", key=stick).lines) == [SECRET[1]]


def test_unseal_distinguishes_broken_key_and_broken_file(sealing_vault: Memvault, tmp_path: Path) -> None:
    sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])])
    another = tmp_path / "another"
    another.write_text("AGE-SECRET-KEY-1NOTONE\n")
    with pytest.raises(BadKey, match="no age identity") as raised:
        sealing_vault.unseal("talk-1", key=another)
    assert "1NOTONE" not in str(raised.value)
    path = sealed(sealing_vault)[0]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(NotOpened, match="damaged"):
        sealing_vault.unseal("talk-1")


def test_unseal_reports_unknown_and_ambiguous_references(sealing_vault: Memvault, tmp_path: Path) -> None:
    with pytest.raises(NoConversation):
        sealing_vault.unseal("nobody")
    sealing_vault.ingest([chat(tmp_path / f"{id_}.json", [SECRET], id_=id_) for id_ in ("talk-one", "talk-two")])
    with pytest.raises(BadInput, match="2 conversations"):
        sealing_vault.unseal("talk-")


# -- where it cannot be


def test_ingest_without_pyrage_warns_once_that_originals_are_not_sealed(
    open_vault: Opener, vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyrage", None)
    config = tmp_path / "home/config/memvault"
    config.mkdir(parents=True)
    (config / "private.recipients").write_text("age1dy3pv6u9vnsx0ehp8unlfacsjtmwq8mm40nrpnsy09jvd53yu4ds6uuex5\n")
    asking = open_vault(vault.root, settings={"transcripts.secrets": "seal"})
    found = asking.ingest([chat(tmp_path / f"{id_}.json", [SECRET], id_=id_) for id_ in ("one", "two")])
    assert (len(found.taken), found.sealed, sealed(asking)) == (2, 0, [])
    assert found.unsealed.count("pyrage") == 1
    assert in_clear(asking.root, KEY) == []
    assert not asking.private_status().installed
    with pytest.raises(NoSealing, match="not installed"):
        asking.private_init()


def test_ingest_without_a_key_warns_that_originals_are_not_sealed(
    open_vault: Opener, vault: Memvault, tmp_path: Path
) -> None:
    asking = open_vault(vault.root, settings={"transcripts.secrets": "seal"})
    found = asking.ingest([chat(tmp_path / "talk.json", [SECRET])])
    assert "memvault private init" in found.unsealed
    assert (sealed(asking), in_clear(asking.root, KEY)) == ([], [])


def test_vault_settings_cannot_turn_on_sealing(vault: Memvault, open_vault: Opener) -> None:
    with (vault.root / "memvault.toml").open("a", encoding="utf-8") as config:
        config.write('\n[transcripts]\nsecrets = "seal"\n')
    opened = open_vault(vault.root)
    assert opened.settings["transcripts.secrets"] == "redact"
    assert [one.name for one in opened.settings.ignored] == ["transcripts.secrets"]


def test_ingest_dry_run_seals_nothing(sealing_vault: Memvault, tmp_path: Path) -> None:
    sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])], dry_run=True)
    assert sealed(sealing_vault) == []


def test_private_status_counts_sealed_originals(sealing_vault: Memvault, tmp_path: Path) -> None:
    sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])])
    found = sealing_vault.private_status()
    assert (found.secrets, found.files, found.size) == ("seal", 1, sealed(sealing_vault)[0].stat().st_size)


def test_agents_cannot_open_originals(sealing_vault: Memvault, open_vault: Opener, tmp_path: Path) -> None:
    sealing_vault.ingest([chat(tmp_path / "talk.json", [SECRET])])
    with pytest.raises(NotForAgents):
        open_vault(sealing_vault.root, agent="claude-code").unseal("talk-1")


# -- a vault of earlier versions, which had keys of their own for originals and memories


@pytest.fixture
def earlier(age: ModuleType, vault: Memvault, environment: dict[str, str], tmp_path: Path) -> tuple[str, ...]:
    """A vault with a sealed original and a memory as they were written then; the recipients that its list names."""
    seal, own, elsewhere = (age.x25519.Identity.generate() for _ in range(3))
    config = key_file(environment).parent
    config.mkdir(parents=True)
    for name, key in (("seal", seal), ("private", own)):
        (config / f"{name}.agekey").write_text(f"# What was sealed is opened by this key alone.\n{key}\n")
        (config / f"{name}.recipients").write_text(f"{key.to_public()}\n")
    vault.ingest([chat(tmp_path / "talk.json", [SECRET])])
    talk = vault.root / vault.unseal("talk-1").path
    line = json.dumps({"turn": {"id": "1", "session": "s", "speaker": "Noor", "text": SECRET[1]}}).encode() + b"\n"
    beside = talk.with_name(f"{talk.name.removesuffix('.jsonl.gz')}.1.sealed.age")
    beside.write_bytes(age.encrypt(gzip.compress(line), [seal.to_public()]))
    recipients = [own.to_public(), elsewhere.to_public()]
    folder = vault.root / "private"
    folder.mkdir(exist_ok=True)
    (folder / ".recipients").write_text(
        "".join(f"{one}\n" for one in ("# Private memories are sealed to these", *recipients))
    )
    note = b"---\nid: 0a1b2c3d-0000-4000-8000-000000000001\ntitle: Spare key\n---\nIt hangs behind the clock.\n"
    (folder / "0a1b2c3d4e5f6071.md.age").write_bytes(age.encrypt(note, recipients))
    return tuple(map(str, recipients))


def test_vault_of_earlier_versions_opens_and_its_recipients_wait_to_be_confirmed(
    earlier: tuple[str, ...], vault: Memvault, open_vault: Opener, tmp_path: Path
) -> None:
    own, elsewhere = earlier
    assert said(vault.unseal("talk-1").lines) == [SECRET[1]]
    assert [memory.title for memory in vault.private_memories().memories] == ["Spare key"]
    found = vault.private_status()
    assert (found.own, found.recipients, found.strange) == (own, (own,), (elsewhere,))
    asking = open_vault(vault.root, settings={"transcripts.secrets": "seal"})
    assert asking.ingest([chat(tmp_path / "more.json", [SECRET], id_="talk-2")]).sealed == 1
    assert said(asking.unseal("talk-2").lines) == [SECRET[1]]
    assert vault.private_admit(elsewhere).recipients == earlier


def test_earlier_seal_key_alone_is_the_key_to_all(
    earlier: tuple[str, ...], vault: Memvault, environment: dict[str, str]
) -> None:
    for path in key_file(environment).parent.glob("private.*"):
        path.unlink()
    found = vault.private_status()
    assert (found.has_key, str(found.key).endswith("seal.agekey"), found.strange) == (True, True, earlier)
    vault.remember_privately("It hangs in the cellar.", title="Cellar")
    assert [memory.title for memory in vault.private_memories().memories] == ["Cellar"]
    assert said(vault.unseal("talk-1").lines) == [SECRET[1]]
    key_file(environment).with_name("seal.agekey").rename(key_file(environment).with_name("stick"))
    assert vault.remember_privately("To the list of before.").path
