"""Rules and actions: what an edit or a command names decides whether a rule bears on it."""

from __future__ import annotations

import pytest

from memvault.text.statements.action_match import BEARS, LONGEST, is_rule, parse_rule, rate_bearing, read_action

FOLDER = "/home/noor/weir"


def bears(rule: str, tool: str, **given: object) -> bool:
    action = read_action(tool, given, FOLDER)
    return action is not None and is_rule(rule) and rate_bearing(parse_rule(rule), action) >= BEARS


def edit(path: str, new: str, old: str = "") -> dict[str, object]:
    return {"file_path": f"{FOLDER}/{path}", "old_string": old, "new_string": new}


@pytest.mark.parametrize(
    ("rule", "tool", "given"),
    [
        ("Never edit the vendored code below third_party/zlib.", "Edit", edit("third_party/zlib/a.c", "x")),
        ("Use httpx, not requests, in the scripts.", "Edit", edit("scripts/fetch.py", "import requests")),
        ("No deploy to production without Ilse.", "Bash", {"command": "make deploy ENV=prod"}),
        ("We never use an ORM.", "Bash", {"command": "pip install peewee-orm"}),
        (
            "Fixtures are frozen once they are released.",
            "Write",
            {"file_path": f"{FOLDER}/fixtures/a.json", "content": "1"},
        ),
        (
            "Notebooks plot with altair only, never matplotlib.",
            "NotebookEdit",
            {"notebook_path": "n.ipynb", "new_source": "import matplotlib"},
        ),
        ("Never push to main without a review.", "Bash", {"command": "git push origin main"}),
        # What is forbidden, the moment, and two words that belong together decide alone.
        ("Prefer uv over pip.", "Bash", {"command": "pip install numpy"}),
        ("Run the tests before every commit.", "Bash", {"command": "git commit -am 'dam: wider'"}),
        ("API keys must never be in the code.", "Edit", edit("config.py", 'API_KEY = "x"')),
        ("Never force push.", "Bash", {"command": "git push --force origin gauges"}),
        ("Do not delete anything in backups/.", "Bash", {"command": "rm -rf backups/2024"}),
        ("All SQL in weir is lowercase.", "Write", {"file_path": f"{FOLDER}/a.sql", "content": "SELECT 1"}),
    ],
)
def test_a_rule_bears_on_what_it_names(rule: str, tool: str, given: dict[str, object]) -> None:
    assert bears(rule, tool, **given)


@pytest.mark.parametrize(
    ("rule", "tool", "given"),
    [
        ("Never edit the vendored code below third_party/zlib.", "Edit", edit("src/zebra.c", "x")),
        (
            "Never edit the vendored code below third_party/zlib.",
            "Bash",
            {"command": "cat third_party/zlib/a.c | head"},
        ),
        ("No deploy to production without Ilse.", "Bash", {"command": "git log --oneline && grep -rn production docs"}),
        ("Use httpx, not requests, in the scripts.", "Edit", edit("scripts/fetch.py", "x = 2", "x = 1")),
        ("Never rm anything under data/.", "Bash", {"command": "rm -rf build/cache"}),
        ("Run the tests before every commit.", "Bash", {"command": "make build"}),
        # Verbs of commands and sorts of files alone are said of much.
        ("Never push to main without a review.", "Bash", {"command": "git push origin gauges"}),
        ("Release notes are always written by Petra.", "Bash", {"command": "git tag release-2 && git push --tags"}),
        ("Config files are YAML, never JSON.", "Edit", edit("config/app.yaml", "a: 2", "a: 1")),
        ("All SQL in the warehouse is lowercase.", "Write", {"file_path": f"{FOLDER}/a.sql", "content": "SELECT 1"}),
        # What is only spoken of or looked at is not touched.
        ("Never commit the gauge readings.", "Bash", {"command": "git commit -m 'fix the gauge readings' a.py"}),
        ("No deploy to production without Ilse.", "Bash", {"command": "cat deploy/production.md && make lint"}),
        ("Nothing under legacy/ is to be changed.", "Edit", edit("src/a.py", "2  # unlike legacy/", "1")),
        ("The gauges stand upstream of the weir.", "Edit", edit("gauges.py", "gauges = 31")),
        ("No deploy to production without Ilse.", "Read", {"file_path": "deploy/production.md"}),
    ],
)
def test_a_rule_does_not_bear_on_other_work_or_on_looking(rule: str, tool: str, given: dict[str, object]) -> None:
    assert not bears(rule, tool, **given)


def test_the_reason_of_a_rule_bears_on_nothing() -> None:
    rule = "Nothing ships on a Friday, because the modem of the Hollin gauge failed."
    assert not bears(rule, "Bash", command="./restart-modem hollin-gauge")


def test_a_long_text_is_no_rule() -> None:
    assert is_rule("Never " * LONGEST)
    assert not is_rule("Never " * (LONGEST + 1))


def test_a_patch_is_an_edit_of_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: third_party/zlib/a.c\n@@\n-int a;\n+int b;\n*** End Patch"
    assert bears("Never edit the vendored code below third_party/zlib.", "apply_patch", input=patch)


def test_an_edit_that_only_moves_a_name_is_no_change_of_it() -> None:
    rule = "Use httpx, not requests, in the scripts."
    assert not bears(rule, "Edit", **edit("scripts/fetch.py", "import requests  # a", "import requests  # b"))
