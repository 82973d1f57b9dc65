"""Figures for Prometheus: requests by verb and outcome, how long they took, refused tokens, and the queue."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from threading import Lock

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)  # seconds


class Metrics:
    """Counts of one copy of the server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._refused = 0
        self._buckets: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def count_request(self, verb: str, status: int, seconds: float) -> None:
        """Count one request."""
        with self._lock:
            self._requests[verb, status] += 1
            self._refused += status == 401
            self._buckets.setdefault(verb, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
            self._sums[verb] = self._sums.get(verb, 0.0) + seconds

    def format(self, queue: tuple[int, float, int] | None) -> str:
        """Return everything in Prometheus' text format; without the queue where the database is away."""
        with self._lock:
            lines = ["# TYPE memvault_requests_total counter"]
            lines += [
                f'memvault_requests_total{{verb="{verb}",status="{status}"}} {count}'
                for (verb, status), count in sorted(self._requests.items())
            ]
            lines += ["# TYPE memvault_refused_tokens_total counter", f"memvault_refused_tokens_total {self._refused}"]
            lines.append("# TYPE memvault_request_seconds histogram")
            for verb, counts in sorted(self._buckets.items()):
                total = 0
                for bound, count in zip((*BOUNDS, "+Inf"), counts, strict=True):
                    total += count
                    lines.append(f'memvault_request_seconds_bucket{{verb="{verb}",le="{bound}"}} {total}')
                lines.append(f'memvault_request_seconds_sum{{verb="{verb}"}} {self._sums[verb]:.6f}')
                lines.append(f'memvault_request_seconds_count{{verb="{verb}"}} {total}')
        names = ("memvault_queue_due", "memvault_queue_oldest_seconds", "memvault_queue_failed")
        lines += ["# TYPE memvault_database_up gauge", f"memvault_database_up {int(queue is not None)}"]
        for name, value in zip(names, queue or (), strict=False):
            lines += [f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join(lines) + "\n"
