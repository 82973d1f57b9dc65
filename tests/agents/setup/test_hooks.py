"""Hooks come into an agent's settings once, are looked after there, and leave nothing behind."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.setup.clients import HOOK_AGENTS, AgentFolders
from memvault.agents.setup.install import EntryOptions, HookSetup
from memvault.agents.setup.settings_files import SettingsWriter
from memvault.cli.agent import hooks as on_command_line
from memvault.errors import BadForeignFile, BadInput, ChangedMeanwhile, NotText
from memvault.system import files
from tests.conftest import START

ORIGINAL = b'\xef\xbb\xbf{\r\n    "env": {"TOKEN": "hush"},\r\n    "hooks": { },\r\n    "model": "opus"\r\n}'

Made = Callable[..., HookSetup]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "memvault"
    path.parent.mkdir()
    path.touch()
    return path


@pytest.fixture
def hooks(home: Path, tmp_path: Path, program: Path) -> Made:
    def made(project: str = "proj", words: tuple[str, ...] = (), now: object = START) -> HookSetup:
        (tmp_path / project).mkdir(exist_ok=True)
        ground = AgentFolders(environment={"HOME": str(home), "PATH": str(program.parent)}, project=tmp_path / project)
        return HookSetup(ground, words or (str(program),), SettingsWriter(tmp_path / "state", now))  # type: ignore[arg-type]

    return made


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".claude" / "settings.json"


# -- there and back


def test_what_was_there_is_there_again_byte_for_byte(hooks: Made, settings: Path) -> None:
    settings.write_bytes(ORIGINAL)
    done = hooks().install(EntryOptions())
    assert done.changed
    assert Path(done.backup).read_bytes() == ORIGINAL
    assert settings.read_bytes() != ORIGINAL
    assert [each.path for each in hooks().remove().files] == [str(settings)]
    assert settings.read_bytes() == ORIGINAL


def test_a_file_that_was_not_there_is_gone_again_and_so_are_its_folders(hooks: Made, tmp_path: Path) -> None:
    done = hooks().install(EntryOptions(scope="local"))
    assert Path(done.path).is_file()
    [gone] = hooks().remove().files
    assert gone.removed
    assert list((tmp_path / "proj").iterdir()) == []


@pytest.mark.parametrize("before", [b"", b"\n", b"{}", b"{ }\n"])
def test_a_file_with_nothing_in_it_has_nothing_in_it_again(before: bytes, hooks: Made, settings: Path) -> None:
    settings.write_bytes(before)
    hooks().install(EntryOptions())
    assert json.loads(settings.read_bytes())["hooks"].keys() == {
        event.name for event in HOOK_AGENTS["claude-code"].events
    }
    hooks().remove()
    assert settings.read_bytes() == before


def test_what_was_added_meanwhile_stays(hooks: Made, settings: Path) -> None:
    settings.write_bytes(ORIGINAL)
    hooks().install(EntryOptions())
    settings.write_bytes(settings.read_bytes().replace(b'"opus"', b'"opus",\r\n    "theme": "dark"'))
    hooks().remove()
    assert settings.read_bytes() == ORIGINAL.replace(b'"opus"', b'"opus",\r\n    "theme": "dark"')


def test_a_file_that_was_ours_alone_stays_once_it_holds_more(hooks: Made, settings: Path) -> None:
    hooks().install(EntryOptions())
    told = json.loads(settings.read_bytes())
    settings.write_text(json.dumps({**told, "model": "opus"}))
    hooks().remove()
    assert json.loads(settings.read_bytes()) == {"model": "opus"}


def test_without_a_record_ours_are_taken_out_all_the_same(hooks: Made, settings: Path, tmp_path: Path) -> None:
    settings.write_bytes(b'{\n  "model": "opus"\n}\n')
    hooks().install(EntryOptions())
    for page in (tmp_path / "state" / "agents").glob("settings-*"):
        page.unlink()
    hooks().remove()
    assert settings.read_bytes() == b'{\n  "model": "opus"\n}\n'


def test_hooks_in_a_project_left_behind_are_found_again(hooks: Made, tmp_path: Path) -> None:
    done = hooks("one").install(EntryOptions(scope="project"))
    assert [place.path for place in hooks("two").status().places] == [done.path]
    assert [each.path for each in hooks("two").remove().files] == [done.path]
    assert not Path(done.path).exists()


def test_only_what_is_named_is_taken_out(hooks: Made, settings: Path) -> None:
    hooks().install(EntryOptions())
    hooks().install(EntryOptions(scope="local"))
    hooks().install(EntryOptions(agent="codex"))
    assert [Path(each.path).name for each in hooks().remove(scope="local").files] == ["settings.local.json"]
    assert [Path(each.path).name for each in hooks().remove(agent="codex").files] == ["hooks.json"]
    assert settings.exists()


def test_a_dry_run_writes_nothing_and_shows_all(hooks: Made, settings: Path, tmp_path: Path) -> None:
    settings.write_bytes(ORIGINAL)
    done = hooks().install(EntryOptions(dry_run=True))
    assert (done.changed, done.backup) == (True, "")
    assert '+    "hooks": {' in done.diff or '+        "SessionStart": [' in done.diff
    assert settings.read_bytes() == ORIGINAL
    assert not (tmp_path / "state").exists()
    hooks().install(EntryOptions())
    there = settings.read_bytes()
    assert hooks().remove(dry_run=True).files[0].changed
    assert settings.read_bytes() == there


# -- again


def test_installing_again_changes_no_byte(hooks: Made, settings: Path) -> None:
    settings.write_bytes(ORIGINAL)
    hooks().install(EntryOptions())
    there = settings.read_bytes()
    assert hooks().install(EntryOptions()).changed is False
    assert settings.read_bytes() == there


def test_another_program_path_or_profile_takes_the_place_of_the_old_one(hooks: Made, settings: Path) -> None:
    settings.write_bytes(ORIGINAL)
    hooks(words=("/gone/memvault",)).install(EntryOptions())
    assert "/gone/memvault is not there" in hooks().status().places[0].problems[0]
    hooks().install(EntryOptions(profile="minimal"))
    [place] = hooks().status().places
    assert (place.problems, set(place.events)) == ((), {"PostToolUse", "PostToolUseFailure", "SessionEnd"})
    hooks().remove()
    assert settings.read_bytes() == ORIGINAL


def test_what_a_person_doubled_is_single_again(hooks: Made, settings: Path) -> None:
    hooks().install(EntryOptions())
    told = json.loads(settings.read_bytes())
    told["hooks"]["Stop"] *= 2
    settings.write_text(json.dumps(told))
    assert "two hooks" in hooks().status().places[0].problems[0]
    hooks().install(EntryOptions())
    assert hooks().status().places[0].problems == ()


# -- what is written


def test_the_program_is_named_by_its_full_path_and_the_vault_if_one_was_named(
    hooks: Made, settings: Path, program: Path
) -> None:
    hooks().install(EntryOptions(vault="/my vault"))
    [handler] = json.loads(settings.read_bytes())["hooks"]["SessionEnd"][0]["hooks"]
    assert (handler["command"], handler["args"]) == (str(program), ["hook", "--vault", "/my vault"])


def test_a_projects_settings_are_for_all_who_work_on_it(hooks: Made, program: Path) -> None:
    program.chmod(0o755)
    done = hooks().install(EntryOptions(scope="project"))
    assert done.command == ("memvault", "hook")
    assert any("PATH" in warning for warning in done.warnings)
    assert hooks().status().places[0].problems == ()
    if sys.platform != "win32":
        assert Path(done.path).stat().st_mode & 0o777 == 0o644


def test_where_no_vault_would_be_found_that_is_told(hooks: Made) -> None:
    assert any("no vault would be found" in told for told in hooks().install(EntryOptions(is_found=False)).warnings)
    assert hooks().install(EntryOptions(is_found=False, vault="/v")).warnings == ()


@pytest.mark.parametrize("path", ["/a\nb/memvault", "/a\udcffb/memvault"])
def test_a_path_that_settings_cannot_hold_is_refused(path: str, hooks: Made, settings: Path) -> None:
    with pytest.raises(BadInput, match="no settings take"):
        hooks(words=(path,)).install(EntryOptions())
    assert not settings.exists()


def test_agents_and_scopes_that_there_are_not_are_refused(hooks: Made) -> None:
    with pytest.raises(BadInput, match="claude-code, codex"):
        hooks().install(EntryOptions(agent="emacs"))
    with pytest.raises(BadInput, match="Codex has user, project"):
        hooks().install(EntryOptions(agent="codex", scope="local"))


# -- files that are not as they should be


@pytest.mark.parametrize(
    ("data", "line"), [(b'{\n"a": 1,\n}', 2), (b"{", 1), (b'{\n// mine\n"a": 1}', 2), (b"[]", 1), (b'{"hooks": []}', 1)]
)
def test_settings_that_are_not_valid_are_left_alone(data: bytes, line: int, hooks: Made, settings: Path) -> None:
    settings.write_bytes(data)
    with pytest.raises(BadForeignFile, match=rf"line {line}\)"):
        hooks().install(EntryOptions())
    assert settings.read_bytes() == data


def test_settings_in_another_encoding_are_left_alone(hooks: Made, settings: Path) -> None:
    settings.write_bytes('{"a": "ä"}'.encode("latin-1"))
    with pytest.raises(NotText):
        hooks().install(EntryOptions())


def test_one_file_that_cannot_be_read_stops_neither_status_nor_removal(hooks: Made, settings: Path) -> None:
    done = hooks().install(EntryOptions(scope="local"))
    settings.write_bytes(b"{ oops")
    found = hooks().status()
    assert [place.path for place in found.places] == [done.path]
    assert "line 1" in found.problems[0]
    removed = hooks().remove()
    assert [each.path for each in removed.files] == [done.path]
    assert [path for path, _ in removed.failed] == [str(settings)]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_settings_that_are_a_link_stay_one(hooks: Made, settings: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_bytes(ORIGINAL)
    settings.symlink_to(real)
    hooks().install(EntryOptions())
    assert settings.is_symlink()
    assert real.read_bytes() != ORIGINAL
    hooks().remove()
    assert real.read_bytes() == ORIGINAL


def test_what_the_agent_writes_at_the_same_moment_counts(
    hooks: Made, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.write_bytes(b'{"n": 1}\n')
    replace_ = files.replace_note

    def raced(path: Path, data: bytes, *, expected: bytes, hold: Path) -> None:
        if b'"n": 1' in expected:
            path.write_bytes(b'{"n": 2}\n')
        replace_(path, data, expected=expected, hold=hold)

    monkeypatch.setattr(files, "replace_note", raced)
    hooks().install(EntryOptions())
    assert json.loads(settings.read_bytes())["n"] == 2
    hooks().remove()
    assert settings.read_bytes() == b'{"n": 2}\n'


def test_an_agent_that_never_stops_writing_has_its_way(
    hooks: Made, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.write_bytes(b"{}")

    def refused(path: Path, data: bytes, *, expected: bytes, hold: Path) -> None:
        raise ChangedMeanwhile(path=path)

    monkeypatch.setattr(files, "replace_note", refused)
    with pytest.raises(ChangedMeanwhile):
        hooks().install(EntryOptions())
    assert settings.read_bytes() == b"{}"


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced there")
@pytest.mark.skipif(sys.platform == "win32", reason="no such rights")
def test_copies_of_anybodys_settings_are_the_users_alone_and_do_not_outlive_the_hooks(
    hooks: Made, settings: Path, tmp_path: Path
) -> None:
    settings.write_bytes(ORIGINAL)
    settings.chmod(0o644)
    hooks().install(EntryOptions())
    held = tmp_path / "state" / "agents" / "held"
    assert [oct(slot.stat().st_mode)[-3:] for slot in held.glob("*.held")] == ["600"]
    hooks().remove()
    assert list(held.glob("*.held")) == []
    assert settings.read_bytes() == ORIGINAL


def test_what_the_agent_wrote_into_the_replaced_file_comes_back(hooks: Made, settings: Path) -> None:
    settings.write_bytes(b'{"n": 1}\n')
    with settings.open("r+b") as held:
        hooks().install(EntryOptions())
        held.write(b'{"n": 3}\n')
        held.flush()
        os.utime(held.fileno())
    hooks(now=START + timedelta(days=3650)).install(EntryOptions())
    told = json.loads(settings.read_bytes())
    assert (told["n"], len(told["hooks"])) == (3, 8)


# -- twice, and whether it can work


def test_from_several_sides_is_told_and_is_no_problem(hooks: Made, settings: Path) -> None:
    settings.write_bytes(b'{"enabledPlugins": {"memvault@memvault": true, "other@x": true}}')
    hooks().install(EntryOptions())
    assert "Hooks stand in" in hooks().install(EntryOptions(scope="local")).warnings[0]
    found = hooks().status()
    assert found.plugins == (str(settings),)
    assert "served once" in found.notes[0]
    assert [place.problems for place in found.places] == [(), ()]


def test_a_vault_that_is_gone_and_hooks_that_are_off_are_told(hooks: Made, settings: Path) -> None:
    settings.write_bytes(b'{"disableAllHooks": true}')
    hooks().install(EntryOptions(vault="/no/such/vault"))
    problems = hooks().status().places[0].problems
    assert "no vault /no/such/vault" in problems[0]
    assert "disableAllHooks" in problems[1]


def test_a_hook_by_name_is_looked_for_in_the_path(hooks: Made, settings: Path, program: Path) -> None:
    program.chmod(0o755)
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "memvault hook"}]}]}}))
    assert hooks().status().places[0].problems == ()
    program.unlink()
    assert "memvault is not there" in hooks().status().places[0].problems[0]


def test_a_folder_that_only_looks_like_a_vault_is_named(hooks: Made, tmp_path: Path) -> None:
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj" / "memvault.toml").write_text("")
    assert hooks().status().passed_over == str(tmp_path / "proj")
    assert hooks("other").status().passed_over == ""


def test_the_doctor_looks_at_hooks(vault: Memvault) -> None:
    assert vault.doctor().findings == ()
    found = HookSetup.from_environment(vault.environment, START)
    assert found.install(EntryOptions(vault=str(vault.root))).changed
    assert vault.doctor().findings == ()
    Path(vault.environment["HOME"], ".claude", "settings.json").write_text(
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/gone/memvault hook"}]}]}}'
    )
    [finding] = vault.doctor().findings
    assert (finding.check, finding.severity) == ("hooks", "warning")
    assert finding.sentence == "/gone/memvault is not there."
    assert "memvault agent hooks install" in finding.advice


def test_the_command_line_names_every_agent_and_scope() -> None:
    assert tuple(HOOK_AGENTS) == on_command_line.AGENTS
    assert HOOK_AGENTS["claude-code"].scopes == on_command_line.SCOPES
