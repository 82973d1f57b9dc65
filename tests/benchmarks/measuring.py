"""Clocks and measures that the benchmarks share."""

from __future__ import annotations

import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path


def cpu_ms(act: Callable[[], object]) -> float:
    """CPU milliseconds of one call: another program on the machine must not decide a ratio."""
    start = time.process_time()
    act()
    return (time.process_time() - start) * 1_000


def wall_ms(act: Callable[[], object]) -> float:
    """Milliseconds of one call by the clock on the wall, where waiting counts."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1_000


def spread(times: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    return statistics.median(times), late(times)


def late(times: Iterable[float], share: float = 0.95) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def by_turns(acts: Mapping[str, Callable[[], float]], times: int) -> dict[str, list[float]]:
    """What each of some acts says it took, taking turns, so that whatever else the machine does is shared alike."""
    taken: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(times):
        for name, act in acts.items():
            taken[name].append(act())
    return taken


def peak() -> float:
    """The most memory this process has used, in megabytes; 0 where the system does not say."""
    return _of_status("self", "VmHWM") or _of_usage()


def resident(process: int) -> float:
    """The memory that another process uses now, in megabytes; 0 where the system does not say."""
    return _of_status(str(process), "VmRSS")


def _of_status(process: str, name: str) -> float:
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _of_usage() -> float:
    # Where there is no better: it may count what the process that started this one had used.
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def size_of(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum((Path(at) / name).stat().st_size for at, _, names in os.walk(folder) for name in names)


def scanned(folder: str) -> int:
    """How many files there are, each looked at: what any program must pay that wants to know whether one has changed."""
    count = 0
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                count += scanned(entry.path)
            else:
                entry.stat()
                count += 1
    return count
