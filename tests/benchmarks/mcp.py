"""What an agent waits for, and the memory of its server, with a daemon and without: `python -m tests.benchmarks.mcp --notes 10000`."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.benchmarks.corpus import COMMON
from tests.benchmarks.measuring import resident, spread
from tests.benchmarks.processes import ALONE, Stage

CALLS: Mapping[str, Mapping[str, Any]] = {
    "recall": {},
    "dig": {"topic": "government system"},
    "timeline": {},
    "show": {},
    "status": {},
}


@dataclass
class Met:
    """What one server took: megabytes, and milliseconds of each tool; the first call of each is left out."""

    idle: float = 0.0
    after: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)


async def timed(agent: Any, name: str, given: Mapping[str, Any]) -> tuple[float, Any]:
    """The milliseconds of one call, and its answer, which must be one."""
    began = time.perf_counter()
    found = await agent.call_tool(name, dict(given))
    took = (time.perf_counter() - began) * 1000
    assert not found.is_error, found.content
    return took, found.structured_content


async def measured(stage: Stage, runs: int, *, alone: bool) -> Met:
    """One server of its own over a pipe, and what its tools take."""
    environment = {**stage.environment, "MEMVAULT_DIR": str(stage.vault), **(ALONE if alone else {})}
    words = ["-P", "-m", "memvault", "mcp"]
    met, made = Met(), random.Random(7)
    before = set(processes())
    async with Client(StdioServerParameters(command=stage.python, args=words, env=environment)) as agent:
        await agent.list_tools()
        (server,) = set(processes()) - before
        met.idle = resident(server)
        for name in CALLS:
            met.times[name] = []
        for run in range(runs + 1):
            query = {"query": " ".join(made.sample(COMMON[60:], 3))}
            took, found = await timed(agent, "recall", query)
            hits = found["hits"] or (await timed(agent, "recall", {"query": "government"}))[1]["hits"]
            one = hits[0]["id"]
            given = {**CALLS, "timeline": {"memories": [one]}, "show": {"memory": one}}
            rest = [(await timed(agent, name, given[name]))[0] for name in list(CALLS)[1:]]
            if run:
                for name, each in zip(CALLS, [took, *rest], strict=True):
                    met.times[name].append(each)
        met.after = resident(server)
    return met


def processes() -> Iterable[int]:
    """The servers that this process has started."""
    for row in Path("/proc").iterdir():
        if row.name.isdigit() and f"\nPPid:\t{os.getpid()}\n" in _status(row):
            yield int(row.name)


def _status(row: Path) -> str:
    try:
        return (row / "status").read_text()
    except OSError:
        return ""  # it has ended


def show(found: Mapping[str, Met]) -> None:
    """A line for each tool, and for the memory."""
    print(f"{'':14}" + "".join(f"{label + ', ms: median, p95':>34}" for label in found))
    for name in CALLS:
        print(
            f"{name:14}" + "".join(f"{'{:.1f}  {:.1f}'.format(*spread(met.times[name])):>34}" for met in found.values())
        )
    for what in ("idle", "after"):
        print(f"MB, {what:10}" + "".join(f"{getattr(met, what):34.1f}" for met in found.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name), given.notes, given.python)
        print(f"{given.notes:,} notes")
        with stage.porter():
            ways = {"warm": False, "alone": True}
            show({label: anyio.run(partial(measured, stage, given.runs, alone=alone)) for label, alone in ways.items()})
            print(stage.run("watch", "--status").decode())


if __name__ == "__main__":
    main()
