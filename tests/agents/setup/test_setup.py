"""Everything is put in place at one go, shown to work, and taken back without a trace but the vault."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from memvault import Memvault
from memvault.agents.setup import settings_files as pointers
from memvault.agents.setup import setup as setting_up
from memvault.agents.setup.clients import claude_instructions
from memvault.agents.setup.settings_files import SettingsWriter
from memvault.agents.setup.setup import AgentChoice, SetupOptions, SetupResult, choose_agents, remove_setup
from memvault.errors import BadBlock, Hindered, VaultInsideVault
from memvault.system.programs import STAND_INS
from tests.conftest import START, Clock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts with a first line")

CRON = "#!/bin/sh\ncase $1 in -l) cat {table} 2>/dev/null || {{ echo no crontab for noor >&2; exit 1; }} ;; -) cat > {table} ;; -r) rm {table} ;; esac\n"

# A hook that finds what it is asked for as simply as can be: a note whose trigger stands in the prompt.
HOOK = """#!{python}
import json, pathlib, sys
prompt = json.load(sys.stdin)["prompt"]
for note in pathlib.Path({memories!r}).rglob("*.md"):
    text = note.read_text()
    if "triggers: [" in text and text.partition("triggers: [")[2].partition("]")[0] in prompt:
        said = {{"hookEventName": "UserPromptSubmit", "additionalContext": text}}
        print(json.dumps({{"hookSpecificOutput": said}}))
"""


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def machine(tmp_path: Path, environment: dict[str, str]) -> dict[str, str]:
    """A machine with a crontab, and a hook that answers."""
    memories = str(tmp_path / "vault" / "2-memories")
    program = script(tmp_path / "memvault", HOOK.format(python=sys.executable, memories=memories))
    cron = script(tmp_path / "crontab", CRON.format(table=tmp_path / "table"))
    environment[STAND_INS] = f"memvault:{program},crontab:{cron},systemctl:false"
    return environment


def outside(tmp_path: Path) -> dict[str, bytes]:
    """Every file but the vault's, and those that memvault keeps for itself."""
    own = ("state", "cache", "memvault", "crontab")
    return {
        str(path.relative_to(tmp_path)): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and path.relative_to(tmp_path).parts[0] != "vault" and not {*path.parts} & {*own}
    } | {str(path): path.read_bytes() for path in tmp_path.glob("home/config/memvault/*")}


def set_up(tmp_path: Path, machine: dict[str, str], clock: Clock, **wanted: object) -> SetupResult:
    asked = SetupOptions(**{"servers": ("claude-code", "cursor"), **wanted})  # type: ignore[arg-type]
    return setting_up.set_up(tmp_path / "vault", asked, environment=machine, clock=clock)


def steps(found: SetupResult) -> dict[str, str]:
    return {step.part: step.state for step in found.steps}


def test_all_is_put_in_place_and_shown_to_work(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    done = set_up(tmp_path, machine, clock)
    assert (done.ok, done.checked, done.complaint) == (True, True, "")
    assert steps(done) == dict.fromkeys(("vault", "name", "hooks", "server", "claude-md", "schedule"), "done")
    assert all(step.undo for step in done.steps)
    home = tmp_path / "home"
    assert f"@{tmp_path / 'vault'}/CLAUDE.md" in (home / ".claude" / "CLAUDE.md").read_text()
    assert (tmp_path / "vault" / "CLAUDE.md").is_file()
    assert (home / ".claude" / "settings.json").is_file()
    assert (home / ".claude.json").is_file()
    assert (home / ".cursor" / "mcp.json").is_file()
    assert b"maintain --scheduled" in (tmp_path / "table").read_bytes()
    with Memvault(environment=machine, clock=clock, folder=home) as vault:
        assert vault.root == tmp_path / "vault"
        assert vault.list().total == 0  # what the check wrote is gone


def test_doing_it_again_changes_nothing(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    set_up(tmp_path, machine, clock)
    before = outside(tmp_path)
    again = set_up(tmp_path, machine, clock)
    assert set(steps(again).values()) == {"already"}
    assert again.checked is True
    assert outside(tmp_path) == before


def test_all_of_it_is_taken_back_and_the_vault_stays(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    own_config = tmp_path / "home" / "config" / "memvault" / "config.toml"
    own_config.parent.mkdir(parents=True)
    own_config.write_bytes(b'# mine\n[user]\nvault = "/another"\n')
    (tmp_path / "home" / ".claude").mkdir()
    (tmp_path / "home" / ".claude" / "CLAUDE.md").write_bytes(b"Be brief.\r\n")
    (tmp_path / "home" / ".claude.json").write_bytes(b'{"numStartups": 3}')
    before = outside(tmp_path)
    done = set_up(tmp_path, machine, clock)
    assert next(step for step in done.steps if step.part == "name").notes == ("It named /another before.",)
    back = remove_setup(environment=machine, clock=clock)
    assert {step.part: step.state for step in back.steps} == dict.fromkeys(
        ("schedule", "hooks", "server", "claude-md", "name"), "done"
    )
    assert back.vault == str(tmp_path / "vault")
    after = outside(tmp_path)
    assert "table" not in after
    assert after == before
    assert (tmp_path / "vault" / "memvault.toml").is_file()
    again = remove_setup(tmp_path / "vault", environment=machine, clock=clock)
    assert {step.state for step in again.steps} == {"already"}


def test_a_dry_run_writes_nothing(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    done = set_up(tmp_path, machine, clock, dry_run=True)
    assert set(steps(done).values()) == {"would"}
    assert done.checked is None
    assert outside(tmp_path) == {}
    assert not (tmp_path / "vault").exists()
    set_up(tmp_path, machine, clock)
    before = outside(tmp_path)
    back = remove_setup(environment=machine, clock=clock, dry_run=True)
    assert {step.state for step in back.steps} == {"would"}
    assert outside(tmp_path) == before


def test_only_what_is_wanted_is_done(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    done = set_up(tmp_path, machine, clock, hooks=(), servers=(), claude_md=False, schedule=False)
    assert steps(done) == {"vault": "done", "name": "done"}
    assert done.checked is None


def test_one_part_that_fails_keeps_no_other_from_being_done(
    tmp_path: Path, machine: dict[str, str], clock: Clock
) -> None:
    (tmp_path / "home" / ".claude.json").write_bytes(b"{ oops")
    done = set_up(tmp_path, machine, clock)
    states = [(step.part, step.state) for step in done.steps]
    assert ("server", "failed") in states
    assert ("schedule", "done") in states
    assert not done.ok
    assert (tmp_path / "home" / ".claude.json").read_bytes() == b"{ oops"


def test_a_folder_that_cannot_be_looked_into_is_told_plainly(
    tmp_path: Path, machine: dict[str, str], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(root: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(root))

    monkeypatch.setattr(setting_up, "is_vault", refused)
    with pytest.raises(Hindered, match="permission is denied"):
        set_up(tmp_path, machine, clock)


def test_a_part_that_the_system_refuses_is_told_as_one_that_failed(
    tmp_path: Path, machine: dict[str, str], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setting_up, "load_own_settings", Mock(side_effect=OSError(5, "Input/output error")))
    done = set_up(tmp_path, machine, clock)
    assert steps(done)["name"] == "failed"
    assert steps(done)["hooks"] == "done"


def test_notes_that_are_there_already_are_adopted(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "tea.md").write_bytes(b"Tea.\n")
    done = set_up(tmp_path, machine, clock)
    assert "No byte of the 1 notes in it was changed" in done.steps[0].did
    assert (done.checked, (tmp_path / "vault" / "2-memories").exists()) == (True, False)


def test_a_vault_within_a_vault_is_refused_before_anything_is_done(
    tmp_path: Path, machine: dict[str, str], clock: Clock
) -> None:
    Memvault.init(tmp_path / "vault", clock=clock)
    with pytest.raises(VaultInsideVault):
        setting_up.set_up(tmp_path / "vault" / "inner", SetupOptions(), environment=machine, clock=clock)
    assert outside(tmp_path) == {}


# -- which agents


def test_those_that_a_person_has_are_set_up_and_claude_code(tmp_path: Path, environment: dict[str, str]) -> None:
    assert choose_agents(environment=environment, folder=tmp_path) == AgentChoice(
        hooks=("claude-code",), servers=("claude-code",)
    )
    for folder in (".codex", ".cursor", "config/Code/User"):
        (tmp_path / "home" / folder).mkdir(parents=True)
    found = choose_agents(environment=environment, folder=tmp_path)
    assert (found.hooks, found.servers) == (("claude-code", "codex"), ("claude-code", "cursor", "vscode"))


def test_where_agents_are_named_only_those(tmp_path: Path, environment: dict[str, str]) -> None:
    found = choose_agents({"codex", "vscode"}, environment=environment, folder=tmp_path)
    assert (found.hooks, found.servers) == (("codex",), ("vscode",))


def test_what_the_plugin_brings_is_left_to_it(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{"enabledPlugins": {"memvault@memvault": true}}')
    found = choose_agents(environment=machine, folder=tmp_path)
    assert (found.hooks, found.servers, found.has_plugin) == ((), (), True)
    done = set_up(tmp_path, machine, clock, hooks=found.hooks, servers=found.servers)
    assert done.checked is True  # by the command that the plugin calls
    assert remove_setup(environment=machine, clock=clock).plugins == (str(settings),)
    assert settings.read_bytes() == b'{"enabledPlugins": {"memvault@memvault": true}}'


# -- the check


def test_a_hook_that_says_nothing_is_told(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    script(tmp_path / "memvault", f"#!{sys.executable}\n")
    done = set_up(tmp_path, machine, clock)
    assert (done.ok, done.checked, done.complaint) == (False, False, "it had nothing to say")
    assert (tmp_path / "home" / ".claude" / "settings.json").is_file()


def test_a_hook_that_fails_does_not_stay(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    script(tmp_path / "memvault", f"#!{sys.executable}\nimport sys\nsys.exit('no such command')\n")
    done = set_up(tmp_path, machine, clock)
    assert done.complaint.startswith("it ended with 1: no such command; so the hooks were taken out again")
    assert not (tmp_path / "home" / ".claude" / "settings.json").exists()


def test_a_hook_that_answers_something_else_is_told(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    script(tmp_path / "memvault", f"#!{sys.executable}\nprint('hello')\n")
    assert set_up(tmp_path, machine, clock).complaint == "its answer holds nothing for the model"
    told = '{"hookSpecificOutput": {"additionalContext": "Sara prefers tea."}}'
    script(tmp_path / "memvault", f"#!{sys.executable}\nprint('''{told}''')\n")
    assert set_up(tmp_path, machine, clock).complaint == "it spoke of other memories, and not of this one"


def test_a_pause_is_no_fault_of_the_hooks_and_is_named(tmp_path: Path, machine: dict[str, str], clock: Clock) -> None:
    set_up(tmp_path, machine, clock)
    with Memvault(tmp_path / "vault", environment=machine, clock=clock) as vault:
        vault.pause()
    done = set_up(tmp_path, machine, clock)
    assert done.checked is False
    assert done.complaint.startswith("memvault is paused everywhere, so its hooks say nothing")
    told = set_up(tmp_path, {**machine, "MEMVAULT_INCOGNITO": "1"}, clock).complaint
    assert told.startswith("MEMVAULT_INCOGNITO is set")


# -- what leads to the vault


@pytest.mark.parametrize(
    "before", [None, b"", b"Be brief.", b"Be brief.\n", b"Be brief.\n\n", b"\xef\xbb\xbfKurz.\r\n\r\nBitte.\r\n"]
)
def test_the_line_that_loads_a_vault_leaves_no_trace(before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    if before is not None:
        path.write_bytes(before)
    entries = SettingsWriter(tmp_path / "state", START)
    assert entries.install(pointers.claude_import(Path("/my vault"), path)).changed
    assert b"\n@/my\\ vault/CLAUDE.md" in path.read_bytes()
    assert not entries.install(pointers.claude_import(Path("/my vault"), path)).changed
    assert entries.install(pointers.claude_import(Path("/other"), path)).changed
    pointers.remove_imports(entries, path)
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_block_that_holds_the_memories_themselves_stays(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    block = f"{pointers.BEGIN}\n# Who the user is\n{pointers.END}\n".encode()
    path.write_bytes(block)
    entries = SettingsWriter(tmp_path / "state", START)
    assert not entries.install(pointers.claude_import(Path("/v"), path)).changed
    assert pointers.remove_imports(entries, path).files == ()
    assert path.read_bytes() == block


def test_marks_that_make_no_pair_are_told_and_left(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(f"{pointers.BEGIN}\n")
    with pytest.raises(BadBlock):
        SettingsWriter(tmp_path / "state", START).install(pointers.claude_import(Path("/v"), path))


def test_instructions_lie_where_claude_code_looks_for_them() -> None:
    assert claude_instructions({"HOME": "/h"}) == Path("/h/.claude/CLAUDE.md")
    assert claude_instructions({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}) == Path("/c/CLAUDE.md")


def test_a_name_that_a_person_changed_since_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    entries = SettingsWriter(tmp_path / "state", START)
    entries.install(pointers.vault_setting(Path("/v"), path))
    path.write_text('[user]\nvault = "/mine"\n')
    pointers.remove_setting(entries, path)
    assert "/mine" in path.read_text()
