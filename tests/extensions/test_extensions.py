"""A person's own additions: found where they may lie and nowhere else, taken whole or not at all, paid for only when there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.core.secrets.screens import Captured
from memvault.core.settings import find_setting
from memvault.errors import BadExtension, BadSetting, IndexFailed, LostPart, NoSuchPart, Trivial
from memvault.models.llm.ask import Failure
from tests.conftest import Clock, Opener

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Mara roasts walnuts for the bread on Sunday."
KIND = """
from memvault.core.kinds.kind import Kind, cue
from memvault.core.fields import Field, text
def kind(**given):
    return Kind(**{"name": "recipe", "heading": "R", "meaning": "m", "scope": "global", "half_life_days": 9, "share": 0} | given)
def extend(house):
    house.kind(kind(%s))
"""
WORKS = "def extend(house):\n    house.screen('mine', lambda captured: '')\n"

Write = Callable[..., Path]


@pytest.fixture
def config(environment: dict[str, str]) -> Path:
    return Path(environment["XDG_CONFIG_HOME"], "memvault")


@pytest.fixture
def write(config: Path) -> Write:
    """Puts an extension into the person's folder, or a file of instructions."""

    def put(code: str, name: str = "kitchen.py", *, folder: str = "extensions") -> Path:
        path = config / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
        return path

    return put


@pytest.fixture
def opened(vault: Memvault, environment: dict[str, str], clock: Clock) -> Opener:
    """Opens the vault anew, so that what was written since is found."""
    return lambda **given: Memvault(vault.root, clock=clock, environment=environment, **given)


def problems(vault: Memvault) -> list[str]:
    return [found.problem for found in vault.list_extensions() if found.problem]


# -- what goes wrong


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def extend(house:", "SyntaxError"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("", "it has no function extend(house)"),
        ("def extend(): pass", "TypeError"),
        ("def extend(house): house.plugin('x')", "AttributeError"),
        ("def extend(house): house.screen('output', print)", "memvault has a screen named output itself"),
        ("def extend(house): house.screen('../x', print)", "'../x' is no name for a screen"),
        ("def extend(house): house.backend('whoosh', print)", "memvault has a backend named whoosh itself"),
        ("def extend(house): house.backend('../../x', print)", "'../../x' is no name for a backend"),
        ("def extend(house): house.provider('claude', print)", "memvault has a provider named claude itself"),
        ("def extend(house): house.reviewer('novelty', 'x')", "memvault has a reviewer named novelty itself"),
        (KIND % "name='episodic'", "memvault has a kind named episodic itself"),
        (KIND % "fields=(Field('due', text, 'x'),)", "there is a field named due already"),
        (KIND % "fields=(Field('weight', text, 'x'),)", "there is a field named weight already"),
    ],
)
def test_one_that_will_not_do_is_told_in_a_sentence_and_the_rest_goes_on(
    write: Write, opened: Opener, code: str, reason: str
) -> None:
    path = write(code)
    write(WORKS, "zest.py")
    with opened() as vault:
        [problem] = problems(vault)
        assert str(path) in problem
        assert reason in problem
        assert "\n" not in problem
        assert list(vault.loaded_extensions.screens) == ["mine"]
        assert vault.remember(TEXT).memory.kind in vault.settings.kinds


def test_nothing_is_taken_of_one_that_breaks_down_half_way(write: Write, opened: Opener) -> None:
    write("def extend(house):\n    house.screen('mine', lambda captured: 'no')\n    raise RuntimeError('half way')")
    with opened() as vault:
        assert vault.loaded_extensions.screens == {}
        assert "RuntimeError: half way" in problems(vault)[0]
        vault.remember(TEXT)


def test_the_first_of_two_that_want_a_name_has_it(write: Write, opened: Opener) -> None:
    write(WORKS, "a.py")
    path = write(WORKS, "b.py")
    with opened() as vault:
        assert [found.adds for found in vault.list_extensions()] == [("screen mine",), ()]
        assert problems(vault) == [f"The extension b ({path}) failed: there is another screen named mine already."]


def test_what_an_extension_prints_is_not_in_the_answer(
    write: Write, opened: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    write("print('hello')\n" + WORKS)
    opened().close()
    assert capsys.readouterr() == ("", "hello\n")


def test_hidden_and_private_files_are_left_alone(write: Write, opened: Opener) -> None:
    for name in ("_shared.py", ".hidden.py", "notes.txt", "kitchen.py~"):
        write("1 / 0", name)
    with opened() as vault:
        assert vault.list_extensions() == ()


# -- what breaks down later


def test_what_an_extension_raises_names_it(write: Write, opened: Opener) -> None:
    path = write("def extend(house):\n    house.screen('mine', lambda captured: captured.txt)")
    with opened() as vault, pytest.raises(BadExtension, match=r"AttributeError: .* has no attribute 'txt'") as failed:
        vault.remember(TEXT)
    assert str(path) in str(failed.value)


def test_a_screen_sees_the_text_and_whether_it_was_picked_up_by_itself(write: Write, opened: Opener) -> None:
    write("def extend(house):\n    house.screen('mine', lambda captured: f'{captured.automatic} {captured.text}.')")
    with opened() as vault:
        with pytest.raises(Trivial, match=f"False {TEXT[:-1]} \\(the screen mine\\)"):
            vault.remember(f"{TEXT}<private>secret</private>")
        with pytest.raises(Trivial, match="True Mara"):
            vault.remember(f"{TEXT} The oven in Halden is at 220 degrees.", automatic=True)
    assert Captured("text").automatic


def test_a_kind_whose_code_breaks_down_names_its_extension(write: Write, opened: Opener) -> None:
    write(KIND % "fill=lambda text, now, zone: 1 / 0")
    with opened() as vault, pytest.raises(BadExtension, match=r"The extension kitchen .* ZeroDivisionError"):
        vault.remember(TEXT, kind="recipe")


def test_a_provider_that_breaks_down_is_one_that_does_not_answer(write: Write, opened: Opener) -> None:
    write(
        "def extend(house):\n    house.provider('mine', lambda setup: type('P', (), {'name': 'mine', 'model': '',"
        " 'answer': lambda *given: 1 / 0})())"
    )
    with opened(settings={"model.provider": "mine"}) as vault:
        assert vault.open_model().test_model().reason == "failed"
        review = vault.review_text(TEXT)
        assert {failure.reason for failure in review.failures.values()} == {"failed"}
        assert [answer.by for answer in review.answers] == ["importance", "relevance", "novelty"]


def test_a_backend_that_breaks_down_is_told_as_an_index_that_did_not_answer(write: Write, opened: Opener) -> None:
    write("def extend(house):\n    house.backend('mine', lambda folder: 1 / 0)")
    with opened(settings={"index.backend": "mine"}) as vault, pytest.raises(IndexFailed, match="ZeroDivisionError"):
        vault.recall("walnuts")


# -- names in settings


def test_a_backend_that_is_not_there_is_told_with_those_that_are(write: Write, opened: Opener) -> None:
    with opened(settings={"index.backend": "strict"}) as vault:
        with pytest.raises(NoSuchPart, match=r"there is no such search backend\. Choose one of: whoosh, scan"):
            vault.recall("walnuts")
        with pytest.raises(NoSuchPart):
            vault.set_config("index.backend", "whosh")
        assert vault.set_config("index.backend", "scan") == "scan"


def test_a_backend_whose_extension_is_broken_is_told_with_what_broke(write: Write, opened: Opener) -> None:
    path = write("1 / 0\ndef extend(house):\n    house.backend('strict', print)")
    with opened(settings={"index.backend": "strict"}) as vault:
        with pytest.raises(LostPart, match=r"could not be loaded\. Choose one of: whoosh, scan") as told:
            vault.recall("walnuts")
        assert "no such" not in str(told.value)
        assert str(path) in told.value.advice
        assert "ZeroDivisionError" in told.value.advice


def test_a_provider_whose_extension_is_broken_is_told_with_what_broke(write: Write, opened: Opener) -> None:
    path = write("1 / 0")
    with opened(settings={"model.provider": "mine"}) as vault:
        told = vault.open_model().test_model()
    assert told.reason == "unset"
    assert f"could not be loaded. The extension kitchen ({path}) failed: ZeroDivisionError" in told.detail


@pytest.mark.parametrize("value", ["../../elsewhere", "a/b", "Strict", "", "x" * 32, "wörter"])
def test_a_name_in_the_settings_is_never_a_path(value: str) -> None:
    assert find_setting("index.backend").accept("strict-2_b", where="here") == "strict-2_b"
    with pytest.raises(BadSetting, match="or a name that an extension gives"):
        find_setting("index.backend").accept(value, where="here")


def test_a_provider_that_is_not_there_leaves_the_judging_to_rules(opened: Opener, environment: dict[str, str]) -> None:
    with opened(settings={"model.provider": "mine"}) as vault:
        failures = vault.review_text(TEXT).failures
    assert set(failures.values()) == {
        Failure("unset", "there is no provider named mine: there are none, claude, openai, command")
    }
    with pytest.raises(NoSuchPart, match="Choose one of: none, claude"):
        Memvault.set_own_config("model.provider", "mine", environment=environment)


# -- instructions


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("review-novelty.md", b"Judge.", "memvault has a reviewer named novelty itself"),
        ("review-Big Words.md", b"Judge.", "is no name for a reviewer"),
        ("review-empty.md", b" \n", "a text of 1 to 50,000 characters"),
        ("review-long.md", b"x" * 50_001, "a text of 1 to 50,000 characters"),
        ("review-raw.md", b"\xff\xfe\xff", "it is not text in UTF-8"),
    ],
)
def test_instructions_that_will_not_do_are_told_and_the_others_are_used(
    write: Write, opened: Opener, name: str, data: bytes, reason: str
) -> None:
    write("", name, folder="prompts").write_bytes(data)
    write("Judge safety.", "review-safety.md", folder="prompts")
    with opened() as vault:
        assert list(vault.list_reviewers()) == ["importance", "relevance", "novelty", "safety"]
        assert vault.list_reviewers()["safety"] == "Judge safety."
        [problem] = problems(vault)
        assert reason in problem
        assert name in problem


# -- never out of a vault


def evil(folder: Path, name: str) -> Path:
    """A module that leaves a mark where it was run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"open({str(folder / 'was-run')!r}, 'w').close()\n{WORKS}", encoding="utf-8")
    return path


def test_no_code_in_a_vault_is_run_wherever_it_lies(vault: Memvault, opened: Opener) -> None:
    below = (
        ".",
        ".memvault",
        "extensions",
        "memvault/extensions",
        ".config/memvault/extensions",
        ".memvault/extensions",
    )
    for folder in below:
        evil(vault.root / folder, "kitchen.py")
        prompts = vault.root / folder / "prompts"
        prompts.mkdir(exist_ok=True)
        (prompts / "review-safety.md").write_text("Judge safety.", encoding="utf-8")
    with opened() as again:
        again.remember(TEXT)
        assert again.recall("walnuts").hits
        assert again.list_extensions() == ()
        assert list(again.list_reviewers()) == ["importance", "relevance", "novelty"]
    assert list(vault.root.rglob("was-run")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_into_the_vault_is_not_followed(vault: Memvault, opened: Opener, config: Path, linked: str) -> None:
    path = evil(vault.root / "code", "kitchen.py")
    if linked == "file":
        (config / "extensions").mkdir(parents=True)
        (config / "extensions" / "kitchen.py").symlink_to(path)
    else:
        config.mkdir(parents=True)
        (config / "extensions").symlink_to(path.parent)
    with opened() as again:
        assert "it lies inside the vault, and no code in a vault is ever run" in problems(again)[0]
    assert not (vault.root / "code" / "was-run").exists()


def test_a_config_folder_inside_the_vault_is_not_used(
    vault: Memvault, clock: Clock, environment: dict[str, str]
) -> None:
    evil(vault.root / "conf" / "memvault" / "extensions", "kitchen.py")
    inside = {**environment, "XDG_CONFIG_HOME": str(vault.root / "conf")}
    with Memvault(vault.root, clock=clock, environment=inside) as again:
        assert len(problems(again)) == 1
    assert list(vault.root.rglob("was-run")) == []


def packaged(folder: Path, value: str = "kitchen_of_theirs") -> None:
    """What pip leaves of a package with an entry point."""
    info = folder / "kitchen_of_theirs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kitchen-of-theirs\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[memvault.extensions]\nkitchen = {value}\n", encoding="utf-8")


def process(environment: dict[str, str], *words: str, cwd: Path, path: tuple[Path, ...] = ()) -> tuple[str, str]:
    there = {**environment, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *path))), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, *words], env=there, cwd=cwd, input="", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.points(only=True)
def test_standing_in_a_vault_does_not_make_its_packages_ours(
    vault: Memvault, environment: dict[str, str], tmp_path: Path
) -> None:
    packaged(vault.root)
    evil(vault.root, "kitchen_of_theirs.py")
    told, _ = process(environment, "-m", "memvault", "status", cwd=vault.root)
    assert "added" not in told
    site = tmp_path / "site"
    packaged(site)
    _, warned = process(environment, "-m", "memvault", "status", cwd=vault.root, path=(site, vault.root))
    assert "(the package kitchen-of-theirs: kitchen_of_theirs) failed: it lies inside the vault" in warned
    assert list(vault.root.rglob("was-run")) == []


# -- packages


@pytest.mark.points(only=True)
def test_an_entry_point_may_name_a_function_and_damaged_ones_are_told(
    vault: Memvault, environment: dict[str, str], tmp_path: Path
) -> None:
    for name, value in (("good", "theirs_good:begin"), ("none", "theirs_good:nothing"), ("bad", "no.such")):
        packaged(tmp_path / name, value)
    (tmp_path / "good" / "theirs_good.py").write_text(WORKS.replace("extend", "begin"), encoding="utf-8")
    (tmp_path / "bad" / "rubbish-1.dist-info").mkdir()
    words = ("-P", "-m", "memvault", "--vault", str(vault.root), "status")
    told, _ = process(environment, *words, cwd=tmp_path, path=(tmp_path / "good",))
    assert "kitchen (screen mine)" in told
    _, warned = process(environment, *words, cwd=tmp_path, path=(tmp_path / "none", tmp_path / "good"))
    assert "it has no function extend(house)" in warned
    _, warned = process(environment, *words, cwd=tmp_path, path=(tmp_path / "bad",))
    assert "No module named 'no'" in warned


# -- what it costs


@pytest.mark.points(only=True)
def test_a_recall_with_no_extensions_loads_nothing_for_them(
    vault: Memvault, environment: dict[str, str], tmp_path: Path
) -> None:
    vault.remember(TEXT)
    words = ("-P", "-X", "importtime", "-m", "memvault", "--vault", str(vault.root), "recall", "walnuts")
    process(environment, *words, cwd=tmp_path)  # the first process looks through the packages, and keeps the answer
    told, times = process(environment, *words, cwd=tmp_path)
    loaded = {line.rpartition("|")[2].strip() for line in times.splitlines()}
    assert "walnuts" in told
    assert "memvault.extensions.load" in loaded
    assert {"importlib.metadata", "memvault.models.llm.ask"} & loaded == set()


@pytest.mark.points(only=True)
def test_packages_are_looked_through_again_when_one_was_installed(
    vault: Memvault, environment: dict[str, str], tmp_path: Path
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    words = ("-P", "-m", "memvault", "--vault", str(vault.root), "status")
    assert "added" not in process(environment, *words, cwd=tmp_path, path=(site,))[0]
    packaged(site)
    (site / "kitchen_of_theirs.py").write_text(WORKS, encoding="utf-8")
    assert "kitchen (screen mine)" in process(environment, *words, cwd=tmp_path, path=(site,))[0]
