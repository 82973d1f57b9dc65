"""memvault as people have it: built, installed with its bytecode into an environment of its own, nothing fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHES = ("__init__.py", "benchmarks", "stress")
_UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__")


@dataclass(frozen=True, slots=True)
class Installed:
    """An interpreter that has the wheel, a folder with the benchmarks and no other memvault, and variables to run them in."""

    python: str
    room: Path
    environment: dict[str, str]


def install(folder: Path) -> Installed:
    """Build the wheel of this checkout and install it below a folder; what it depends on is that of this interpreter."""
    environment = variables()
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT), environment=environment)
    venv.EnvBuilder(symlinks=os.name != "nt").create(folder / "venv")
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wheel = next(folder.glob("memvault-*.whl"))
    _pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel), environment=environment)
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, env=environment, check=True, capture_output=True, text=True).stdout.strip())
    (site / "dependencies.pth").write_text("\n".join(present()) + "\n")
    script_of_today(python)
    return Installed(str(python), benches(folder / "room"), environment)


# What pip writes from 25.2 on, and uv. Before, it loaded `re` first, which takes longer than what ours does with a daemon.
_SCRIPT = """#!{python}
import sys
from memvault.__main__ import main
if __name__ == '__main__':
    sys.argv[0] = sys.argv[0].removesuffix('.exe')
    sys.exit(main())
"""


def script_of_today(python: Path) -> None:
    """Have the script be such as installers write today."""
    script = python.with_name("memvault")
    if os.name == "nt" or "import re" not in script.read_text():
        return
    script.write_text(_SCRIPT.format(python=python))


def here() -> Installed:
    """This interpreter and this checkout as they are."""
    return Installed(sys.executable, ROOT, variables())


def variables() -> dict[str, str]:
    """Ours without what would change how Python starts, or how memvault works."""
    return {
        name: value for name, value in os.environ.items() if name not in _UNWANTED and not name.startswith("MEMVAULT_")
    }


def benches(room: Path) -> Path:
    """The benchmarks without the checkout around them, so that they measure what is installed."""
    (room / "tests").mkdir(parents=True)
    for name in BENCHES:
        source = ROOT / "tests" / name
        if source.is_dir():
            shutil.copytree(source, room / "tests" / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, room / "tests" / name)
    return room


def present() -> list[str]:
    """Where this interpreter finds what is installed beside it; never the checkout."""
    base = Path(sys.base_prefix).resolve()
    found = [Path(name).resolve() for name in sys.path if name and Path(name).is_dir()]
    is_library = {name for name in found if name.is_relative_to(base) and "site-packages" not in name.parts}
    return [str(name) for name in found if name != ROOT and name not in is_library and name != Path.cwd()]


def _pip(*words: str, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *words]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the wheel could not be installed:\n{done.stdout}{done.stderr}")
