"""A vault's settings never widen what leaves the machine, what is injected or what runs, and never lower a guard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import memvault
from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.core.settings import Settings, find_setting, to_toml
from memvault.core.settings.table import MACHINE, PERSON, PROFILES, SETTING_ROWS, VAULT, SetBy, Setting, Value
from memvault.errors import BadSetting, PrivateInGit, PrivateText, UnknownSetting
from memvault.storage.vault.configure import open_questions
from tests.conftest import Opener, write_own_config
from tests.sync.test_sync import Machine, git, hub, rewrite, two
from tests.sync.test_sync_elsewhere import commit
from tests.transcripts.talking import GAUGES, chat

Two = tuple[Machine, Machine, str]
_PRIVATE = "<private>A secret of hers.</private>"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
__all__ = ["hub", "two"]
OF_VAULTS = [row for row in SETTING_ROWS if row.set_by == VAULT]
OF_PERSONS = [row for row in SETTING_ROWS if row.set_by != VAULT]
_WORDS = (
    *("minimal", "redact", "off", "model", "push", "seal", "scan", "manual", "biomimetic", "status"),
    *("05:30", "https://evil.example/v1", "SOME_KEY", "elsewhere"),
)
_LISTS = (("elsewhere",), ("Sara Uy=Sara",), ("remember=merk dir",))


def _candidates(row: Setting) -> Iterator[Value]:
    match row.default:
        case bool():
            yield not row.default
        case int() | float():
            yield from (0.9, 1, 2, 3, 5, 100, 500)
        case str():
            yield from _WORDS
        case tuple():
            yield from _LISTS


def other_value(row: Setting) -> Value:
    """Return a value that the setting may have, and does not have by itself."""
    for value in _candidates(row):
        try:
            accepted = row.accept(value, where="a test")
        except BadSetting:
            continue
        if accepted != row.default:
            return accepted
    raise AssertionError(f"no other value for {row.name}")


def as_file(values: dict[str, Value], *, vault_id: str = "") -> str:
    """Return the TOML that sets some values, for one vault in a person's config where an id is given."""
    top = f'vaults."{vault_id}".' if vault_id else ""
    sections = dict.fromkeys(name.partition(".")[0] for name in values)
    return "".join(
        f"[{top}{section}]\n"
        + "".join(
            f"{find_setting(n).key} = {to_toml(v)}\n" for n, v in values.items() if find_setting(n).section == section
        )
        for section in sections
    )


def hostile(root: Path, text: str) -> None:
    """Put settings into a vault's file."""
    (root / "memvault.toml").write_text(text, encoding="utf-8")


# -- the whole table


def test_every_row_says_who_may_set_it() -> None:
    assert {row.set_by for row in SETTING_ROWS} == set(get_args(SetBy)) == {VAULT, PERSON, MACHINE}


@pytest.mark.parametrize(
    "section",
    [
        *("sync", "inject", "undo", "prune", "keep", "screen", "intents", "claude_md", "live", "private", "model"),
        *("semantic", "user", "transcripts", "schedule", "hot", "index"),
    ],
)
def test_whole_sections_are_the_persons(section: str) -> None:
    assert [row.name for row in OF_VAULTS if row.section == section] == []


def test_no_profile_sets_what_a_vault_may_not() -> None:
    """A vault may choose its profile."""
    assert {find_setting(name).set_by for values in PROFILES.values() for name in values} == {VAULT}


def test_vault_file_cannot_set_what_is_the_persons(vault: Memvault, open_vault: Opener) -> None:
    asked_for = {row.name: other_value(row) for row in OF_PERSONS}
    hostile(vault.root, as_file(asked_for))
    opened = open_vault(vault.root)
    assert dict(opened.settings.non_default()) == {}
    assert {one.name: one.value for one in opened.settings.ignored} == asked_for
    listed = {one.name: one for one in opened.ignored_config()}
    assert set(listed) == set(asked_for)
    assert all(
        f"memvault config {'--user ' * (find_setting(n).set_by == MACHINE)}{n}" in listed[n].command for n in listed
    )
    found = [each for each in opened.doctor().findings if each.check == "settings"]
    assert {each.sentence.partition(" = ")[0] for each in found} == set(asked_for)
    assert {each.severity for each in found} == {"warning"}


def test_vault_file_sets_what_a_vault_may_set(vault: Memvault, open_vault: Opener) -> None:
    wanted = {row.name: other_value(row) for row in OF_VAULTS}
    hostile(vault.root, as_file(wanted))
    opened = open_vault(vault.root)
    assert {row.name: opened.settings[row.name] for row in OF_VAULTS} == wanted
    assert opened.settings.ignored == ()


def test_a_value_that_the_setting_cannot_have_stops_nothing_either(vault: Memvault, open_vault: Opener) -> None:
    hostile(vault.root, "[undo]\nkeep_days = 'never'\n[inject]\nfolders = 3\n[model]\ncommand = { run = 'rm' }\n")
    opened = open_vault(vault.root)
    assert dict(opened.settings.non_default()) == {}
    assert [one.command for one in opened.ignored_config()] == [
        "memvault config undo.keep_days",
        "memvault config inject.folders",
        "memvault config model.command",
    ]


def test_a_command_for_a_value_that_no_command_line_can_carry_leaves_it_out(
    vault: Memvault, open_vault: Opener
) -> None:
    hostile(vault.root, '[inject]\nfolders = ["a, b"]\n[user]\nagent = "\\u001b[2J"\n[model]\nname = "x; rm -r ~"\n')
    assert [one.command for one in open_vault(vault.root).ignored_config()] == [
        "memvault config inject.folders",
        "memvault config --user user.agent",
        "memvault config model.name 'x; rm -r ~'",
    ]


# -- what the person sets for one vault


def test_a_setting_for_one_vault_holds_there_alone(
    vault: Memvault, open_vault: Opener, environment: dict[str, str], tmp_path: Path
) -> None:
    wanted = {row.name: other_value(row) for row in SETTING_ROWS if row.set_by != MACHINE}
    wanted.pop("vault.profile")
    write_own_config(environment, as_file(wanted, vault_id=vault._vault.vault_file.id))
    opened = open_vault(vault.root, settings={"index.backend": "scan"})
    assert {name: opened.settings[name] for name in wanted} == {**wanted, "index.backend": "scan"}
    Memvault.init(tmp_path / "other", environment=environment)
    assert dict(open_vault(tmp_path / "other").settings.non_default()) == {}


def test_the_nearest_setting_goes_first(vault: Memvault, open_vault: Opener, environment: dict[str, str]) -> None:
    id_, name = vault._vault.vault_file.id, "recall.limit"

    def limit(**more: str) -> Value:
        return open_vault(vault.root, environment={**environment, **more}).settings[name]

    hostile(vault.root, "[recall]\nlimit = 2\n")
    assert limit() == 2
    write_own_config(environment, "[recall]\nlimit = 3\n")
    assert limit() == 3
    write_own_config(environment, f"[recall]\nlimit = 3\n[vaults.{id_}.recall]\nlimit = 4\n")
    assert limit() == 4
    assert limit(MEMVAULT_RECALL_LIMIT="5") == 5
    assert open_vault(vault.root, settings={name: 6}).settings[name] == 6


@pytest.mark.parametrize(
    "text", ["vaults = 3\n", "[vaults]\nx = 3\n", "[vaults.x]\nlimit = 3\n", "[vaults.x.recal]\nlimit = 3\n"]
)
def test_a_slip_in_what_is_set_for_one_vault_is_told(
    vault: Memvault, open_vault: Opener, environment: dict[str, str], text: str
) -> None:
    write_own_config(environment, text)
    with pytest.raises(UnknownSetting):
        open_vault(vault.root)


def test_machine_setting_is_refused_for_one_vault(
    vault: Memvault, open_vault: Opener, environment: dict[str, str]
) -> None:
    with pytest.raises(BadSetting, match="--user"):
        vault.set_config("live.autostart", "true")
    write_own_config(environment, as_file({"live.autostart": True}, vault_id="x"))
    with pytest.raises(BadSetting, match="for all vaults"):
        open_vault(vault.root)


def test_setting_what_is_the_persons_writes_it_under_the_vaults_id(
    vault: Memvault, open_vault: Opener, environment: dict[str, str]
) -> None:
    before, id_ = (vault.root / "memvault.toml").read_bytes(), vault._vault.vault_file.id
    path = vault.config_path("inject.folders")
    assert vault.set_config("inject.folders", "Projects, Journal") == ("Projects", "Journal")
    assert path == Path(environment["XDG_CONFIG_HOME"]) / "memvault" / "config.toml"
    assert path.read_text() == f'[vaults."{id_}".inject]\nfolders = ["Projects", "Journal"]\n'
    vault.set_config("undo.keep_days", "7")
    vault.set_config("inject.folders", "Projects")
    opened = open_vault(vault.root)
    assert (opened.settings["inject.folders"], opened.settings["undo.keep_days"]) == (("Projects",), 7)
    vault.set_config("inject.folders", None)
    assert open_vault(vault.root).settings["inject.folders"] == ()
    assert (vault.root / "memvault.toml").read_bytes() == before


def test_ignored_setting_is_answered_once_the_person_set_it(vault: Memvault, open_vault: Opener) -> None:
    hostile(vault.root, "[undo]\nkeep_days = 1\n")
    opened = open_vault(vault.root)
    assert [one.name for one in open_questions(opened.settings)] == ["undo.keep_days"]
    opened.set_config("undo.keep_days", "30")
    again = open_vault(vault.root)
    assert open_questions(again.settings) == ()
    assert [each.severity for each in again.doctor().findings if each.check == "settings"] == ["note"]


def test_adoption_writes_what_is_injected_to_the_persons_config(
    open_vault: Opener, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "Notes" / "Projects").mkdir(parents=True)
    (tmp_path / "Notes" / "Projects" / "dike.md").write_text("The dike is checked in May.\n")
    made = Memvault.init(tmp_path / "Notes", inject=["Projects"], environment=environment)
    assert "Projects" not in (tmp_path / "Notes" / "memvault.toml").read_text()
    assert open_vault(tmp_path / "Notes").settings["inject.folders"] == ("Projects",)
    assert made.id in Path(made.config).read_text()


# -- what a hostile file would have done


@needs_git
@pytest.mark.points(only=True)
def test_private_text_is_not_pushed(two: Two, hub: Path) -> None:
    desk, _laptop, path = two
    rewrite(desk, path, "It is for sale.", _PRIVATE)
    hostile(desk.root, '[sync]\nprivate_text = "push"\nwhole_repository = true\n')
    assert desk.sync().held == (path,)  # type: ignore[attr-defined]
    commit(desk)
    with pytest.raises(PrivateText):
        desk.sync()
    assert "secret" not in git(hub, "log", "-p", "--all")


@needs_git
@pytest.mark.parametrize("text", ["[sync]\ntranscripts = true\n", '[layout]\nraw = "elsewhere"\n'])
def test_conversations_do_not_travel(two: Two, hub: Path, text: str) -> None:
    desk, _laptop, _path = two
    with desk.open() as vault:
        vault.ingest([chat(desk.root.parent / "talk.json", GAUGES)])
    hostile(desk.root, text)
    (desk.root / ".gitignore").write_text("")
    desk.sync()
    assert ".jsonl.gz" not in git(hub, "log", "--all", "--name-only")
    git(desk.root, "add", "-f", "3-raw")
    commit(desk)
    with pytest.raises(PrivateInGit):
        desk.sync()


def test_no_folder_is_injected_that_the_person_did_not_open(vault: Memvault, open_vault: Opener) -> None:
    (vault.root / "Journal").mkdir()
    (vault.root / "Journal" / "modem.md").write_text("The spare modem of the Hollin gauge lies in the green box.\n")
    hostile(vault.root, '[inject]\nfolders = ["Journal"]\nsimilarity = 0.0\n')

    def given() -> str:
        inside = open_vault(vault.root, agent="claude-code", session="s1")
        return inject_prompt(
            inside,
            "Where is the spare modem of the Hollin gauge?",
            event="UserPromptSubmit",
            session="s1",
            project="folder:x",
        ).text

    assert "green box" not in given()
    vault.set_config("inject.folders", "Journal")
    assert "green box" in given()


def test_a_kind_in_a_vaults_file_carries_no_memory_into_another_project(vault: Memvault, open_vault: Opener) -> None:
    hostile(vault.root, '[kinds.any]\nscope = "global"\nshare = 0.5\ncues = ["the"]\n')
    opened = open_vault(vault.root)
    opened.remember("The modem of the Hollin gauge is green.", kind="any", more={"project": "folder:gauges"})
    inside = open_vault(vault.root, agent="claude-code", session="s1")
    prompt = "What colour is the modem of the Hollin gauge?"
    for project, is_given in (("folder:gauges", True), ("folder:else", False)):
        text = inject_prompt(inside, prompt, event="UserPromptSubmit", session="s1", project=project).text
        assert ("is green" in text) is is_given
        inside = open_vault(vault.root, agent="claude-code", session="s2")


def test_settings_made_by_the_reader_of_a_file_are_the_only_way_in() -> None:
    """No other module reads a vault's file for settings."""
    package = Path(memvault.__file__).parent
    readers = ("read_vault_settings", "load_vault_settings")
    texts = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    assert {name for name, text in texts.items() if any(reader in text for reader in readers)} == {
        "core/settings/__init__.py",
        "storage/vault/config.py",
        "open_vault.py",
        "maintenance/doctor/vault.py",
        "team/commits.py",
    }
    assert Settings().ignored == ()
