"""What a recall and the daemon hold in memory."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.corpus import Corpus
from tests.benchmarks.measuring import resident
from tests.benchmarks.parts.size import Size
from tests.benchmarks.processes import QUERY, Stage, seconds
from tests.benchmarks.table import Row, against

TURNS = 5

# Both say at their end the most that they have used, the first also what it had imported.
_PEAK = "import re; print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
_RECALL = f"""
import io, json, os, sys
from contextlib import redirect_stdout
from memvault.__main__ import main
sys.argv = ["memvault", *sys.argv[1:]]
os._exit = sys.exit  # a recall ends at once
try:
    with redirect_stdout(io.StringIO()):
        main()
except SystemExit as ended:
    assert not ended.code, ended.code
print(json.dumps([name for name in sys.modules if name != "__main__"]))
{_PEAK}
"""
_IMPORTS = f"""
import importlib, json, sys
for name in json.loads(sys.stdin.read()):
    try:
        importlib.import_module(name)
    except ImportError:
        pass
{_PEAK}
"""


def measured_on(stage: Stage, size: Size) -> list[Row]:
    """Megabytes, where a daemon is at work; nothing where the system does not tell them."""
    if not Path("/proc/self/status").exists():
        return []
    once = [_one_shot(stage) for _ in range(min(TURNS, size.looks))]
    return list(_rows(once, _warm(stage, size.questions)))


def _rows(once: list[tuple[float, float]], warm: float) -> Iterator[Row]:
    recall, imports = (statistics.median(found) for found in zip(*once, strict=True))
    yield Row("memory of one recall, over its imports", recall - imports, "MB", bar=20, aim=10)
    yield against("memory of one recall, at most", recall, imports, "its imports", unit="MB")
    yield Row("memory of the daemon", warm, "MB", bar=300, aim=150)


def _one_shot(stage: Stage) -> tuple[float, float]:
    """The most that a recall uses, and a process that imports the same modules and does nothing."""
    call = stage.call("recall", *QUERY, alone=True)
    words = call.words[len(stage.memvault) :]
    said = _said(stage, _RECALL, "", *words).splitlines()
    return int(said[-1]) / 1024, int(_said(stage, _IMPORTS, said[-2])) / 1024


def _said(stage: Stage, code: str, data: str, *words: str) -> str:
    environment = {**stage.call("recall", alone=True).environment}
    done = subprocess.run(
        [stage.python, "-c", code, *words],
        env=environment,
        cwd=stage.folder,
        input=data,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def _warm(stage: Stage, questions: int) -> float:
    """What the daemon uses after many different questions."""
    for question in Corpus().prompts(questions):
        seconds(stage.call("recall", *question.split()), stage.folder)
    return resident(int(stage.status()["process"]))
