"""Name the command that installs what an extra brings, into the environment that memvault runs in."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from shlex import quote

# The packages of an extra are named, never memvault by the name of its extra: what a registry has under that name may
# be anybody's.
_REQUIREMENT = re.compile(r"^\s*([^;]+?)\s*;\s*(.*)$")
_PIPX, _UV_RECEIPT = ("pipx", "venvs"), "uv-receipt.toml"


def install_command(
    extra: str, *, environment: Mapping[str, str] = os.environ, prefix: str = sys.prefix, python: str = sys.executable
) -> str:
    """Return the whole command that installs an extra's packages where this memvault is installed."""
    packages = [_quote_word(requirement) for requirement in _list_requirements(extra)]
    if not packages:
        return f"{_quote_word(python)} -m pip install --editable '.[{extra}]'   # in your clone of memvault"
    parts = Path(prefix).parts
    if _PIPX in pairwise(parts):
        return " ".join(("pipx inject", _quote_word(parts[-1]), *packages))
    if find_spec("pip") is not None and not (Path(prefix) / _UV_RECEIPT).exists():
        return " ".join((_quote_word(python), "-m pip install", *packages))
    from memvault.system.programs import find_program  # deferred: most environments have pip

    if find_program("uv", environment):
        return " ".join(("uv pip install --python", _quote_word(python), *packages))
    python = _quote_word(python)
    return " ".join((python, "-m ensurepip &&", python, "-m pip install", *packages))


def _list_requirements(extra: str) -> list[str]:
    """Return the packages that an extra names, with their versions; none where memvault was never installed."""
    try:
        stated = metadata.requires("memvault") or []
    except metadata.PackageNotFoundError:
        return []
    found = (_REQUIREMENT.match(line) for line in stated)
    wanted = re.compile(rf"""extra\s*==\s*['"]{re.escape(extra)}['"]""")
    return [one[1] for one in found if one and wanted.search(one[2])]


def _quote_word(word: str) -> str:
    if os.name == "nt":
        return f'"{word}"' if re.search(r"[\s<>|&^]", word) else word
    return quote(word)
