"""How long whole recalls take over a database of many vaults, against one's own index in the same run; and how fresh it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, sleep

from memvault.api import Memvault
from memvault.recall.ranking.question import read_question
from memvault.team.answers import ConnectionPool, SharedAnswers, TeamQuestion
from memvault.team.engines import TURN, Reader, Sought
from memvault.team.server import spare_collector
from memvault.transfer.json_values import to_json_line
from tests.benchmarks.engines import NOW, turns_of
from tests.benchmarks.team.installation import PERSON, Installation
from tests.benchmarks.team.quality import spread
from tests.team.repositories import ENVIRONMENT, Repository

_SERVERS, _CLIENTS, _WARM = 2, 16, 20
_WHO = Reader(PERSON)
_POLL = 4

Ask = Callable[[str], object]
Times = dict[str, list[float]]


def open_answers(dsn: str, size: int = 1) -> SharedAnswers:
    """What answers in a server."""
    return SharedAnswers(ConnectionPool(dsn, size), lambda: NOW)


def ask_own(vault: Memvault, question: str) -> object:
    """Recall from one's own index."""
    return vault.recall(question, spoken=True, fresh=True, limit=10, budget=8_000)


def ask_shared(answers: SharedAnswers, name: str, question: str) -> object:
    """Recall from a shared vault, with the audit."""
    return answers.recall(_WHO, TeamQuestion(query=question, vaults=(name,)))


def speed(path: Path, big: int, small: int, units: int) -> None:
    """A big vault and a private one, first beside few others, then beside many; then many clients at once."""
    conversations = json.loads(path.read_text(encoding="utf-8"))
    turns = [turn for one in conversations for turn in turns_of(one)]
    questions = [question["text"] for one in conversations for question in one["questions"]][::7][:150]
    with ExitStack() as stack:
        made = Installation(stack)
        vaults = {name: made.add_vault(name, turns, size)[0] for name, size in (("big", big), ("small", small))}
        made.settle()
        answers = open_answers(made.dsn)
        before = [to_json_line(ask_shared(answers, "small", question), ascii_only=False) for question in questions]
        first = _measure(vaults, answers, questions, "beside no others")
        made.copy_vault("big", max(1, round((units - big - small) / big)))
        print(made.settle(), flush=True)
        after = [to_json_line(ask_shared(answers, "small", question), ascii_only=False) for question in questions]
        print(f"answers that the rows of others changed: {sum(map(str.__ne__, before, after))} of {len(before)}")
        second = _measure(vaults, answers, questions, "beside the others")
        for name in vaults:
            _, before_p95 = _points(first[name])
            _, after_p95 = _points(second[name])
            calm = _points(second[f"{name}, own"])[1] / _points(first[f"{name}, own"])[1]
            print(f"{name}: p95 with the others x {after_p95 / before_p95:.2f}; one's own meanwhile x {calm:.2f}")
        _ask_at_once(made.dsn, questions)


def _measure(vaults: Mapping[str, Memvault], answers: SharedAnswers, questions: Sequence[str], when: str) -> Times:
    """Ask both by turns, so that what else the machine does hits both."""
    times: Times = {}
    for name, vault in vaults.items():
        asks: dict[str, Ask] = {
            f"{name}, own": partial(ask_own, vault),
            name: partial(ask_shared, answers, name),
        }
        for question in questions[:_WARM]:
            for ask in asks.values():
                ask(question)
        for question in questions:
            for kind, ask in asks.items():
                times.setdefault(kind, []).append(_time(ask, question))
        own, shared = (_points(taken) for taken in (times[f"{name}, own"], times[name]))
        print(
            f"{name} {when}: own {spread(times[f'{name}, own'])}; shared {spread(times[name])};"
            f" ratio p50 {shared[0] / own[0]:.2f}, p95 {shared[1] / own[1]:.2f}; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    return times


def _ask_at_once(dsn: str, questions: Sequence[str]) -> None:
    """Sixteen clients of two copies of the server."""
    for what in ("candidate queries", "whole recalls"):
        with ProcessPoolExecutor(_SERVERS) as servers:
            list(servers.map(_serve, *zip(*[(dsn, what, questions[:2])] * _SERVERS, strict=True)))  # they start
            rates = list(servers.map(_serve, *zip(*[(dsn, what, questions)] * _SERVERS, strict=True)))
        told = f"{sum(rates):.0f} a second, no error; load {os.getloadavg()[0]:.1f}"
        print(f"{_CLIENTS} clients of {_SERVERS} servers, vault of the smaller size, {what}: {told}", flush=True)


def _serve(dsn: str, what: str, questions: Sequence[str]) -> float:
    """One copy of the server with its share of the clients; return how many answers it gave a second."""
    spare_collector()
    clients = _CLIENTS // _SERVERS
    pool = ConnectionPool(dsn, clients)
    answers = SharedAnswers(pool, lambda: NOW)
    with pool.lend() as engine, engine.reading(_WHO) as cursor:
        rows = cursor.execute("select number from memvault.reachable() where name = 'small'").fetchone() or (0,)
    number = int(rows[0])

    def recall(question: str) -> None:
        ask_shared(answers, "small", question)

    def find(question: str) -> None:
        terms = {term: 1.0 for word in read_question(question, now=NOW).words for term in word.terms}
        with pool.lend() as engine:
            engine.candidates(_WHO, number, TURN, Sought(terms), limit=200)

    ask = recall if what == "whole recalls" else find

    def client(_number: int) -> int:
        return sum(1 for question in questions if ask(question) is None)

    with ThreadPoolExecutor(clients) as threads:
        list(threads.map(lambda _: ask(questions[0]), range(clients)))  # every connection makes its plans
        began = perf_counter()
        done = sum(threads.map(client, range(clients)))
        return done / (perf_counter() - began)


def freshness(path: Path, size: int, rounds: int) -> None:
    """From a commit to the moment at which a server finds it: woken by a push, and by polling."""
    turns = [turn for one in json.loads(path.read_text(encoding="utf-8")) for turn in turns_of(one)]
    with ExitStack() as stack:
        made = Installation(stack)
        _, repository = made.add_vault("small", turns, size)
        answers = open_answers(made.dsn)
        words = (sys.executable, "-m", "memvault", "worker", "--folder", str(made.work), "--dsn", made.dsn)
        environment = {**ENVIRONMENT, "HOME": str(made.work), "PYTHONPATH": os.pathsep.join(sys.path)}
        for kind, wake, poll in (("woken by a push", True, 3_600), (f"polling every {_POLL} s", False, _POLL)):
            made.owner.execute("update memvault.job set due = now()")
            with subprocess.Popen([*words, "--poll", str(poll)], env=environment) as process:
                try:
                    times = [_time_commit(made, repository, answers, f"{kind} {n}", wake) for n in range(rounds)]
                finally:
                    process.kill()
            print(f"from commit to found, {kind}: {spread(times)}; load {os.getloadavg()[0]:.1f}", flush=True)


def _time_commit(made: Installation, repository: Repository, answers: SharedAnswers, name: str, wake: bool) -> float:
    words = "".join(chr(ord("a") + ord(sign) % 26) for sign in name)  # a word that nobody else has
    repository.write(f"2-memories/{words}.md", f"# Note\n\nThe ferry is called {words}.\n")
    repository.commit()
    began = perf_counter()
    if wake:
        made.owner.execute("select memvault.wake('small', false)")
    while words not in json.dumps(ask_shared(answers, "small", f"ferry called {words}")["hits"]):  # type: ignore[index]
        sleep(0.01)
    return 1_000 * (perf_counter() - began)


def _time(ask: Ask, question: str) -> float:
    began = perf_counter()
    ask(question)
    return 1_000 * (perf_counter() - began)


def _points(times: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(times)
    return ordered[len(ordered) // 2], next(islice(ordered, int(0.95 * len(ordered)), None))
