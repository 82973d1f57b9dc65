"""The front door: answers `--version` at once, has the daemon answer where there is one, or does the work."""

# Of `signal`, which takes as long to load as the daemon to answer, all that is needed. There is no
# `from __future__` either, here or in what asks the daemon: that is a module to be loaded, too.
import _signal  # type: ignore[import-not-found]  # no stub knows it
import os
import sys

from memvault import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A command starts, answers and ends; looking through all its objects for garbage, again and again on the way in
# and once more on the way out, takes a sixth of the time of a recall. One that runs long still gets there.
_COLLECT_THRESHOLD = 200_000
_MAX_EVENT_BYTES = 10_000_001  # one more than is listened to
_EVENT_SECONDS = 2.0  # within which an agent has written all of it
_DAEMON_COMMANDS = frozenset(  # in every spelling
    {
        "recall",
        "ask",
        "find",
        "search",
        "show",
        "cat",
        "vault list",
        "vault ls",
        "list",
        "ls",
        "session timeline",
        "timeline",
    }
)


def main() -> None:
    """Run the command line with this process's arguments, and end the process with its exit code."""
    words = sys.argv[1:]
    if words in (["--version"], ["-V"]) and _write_all(1, f"memvault {__version__}\n".encode()):
        return
    if words[:1] == ["hook"]:
        _run_hook(words[1:])
        return
    is_warm = _is_daemon_command(words)
    if is_warm:
        _run_in_daemon(words)
    import gc  # deferred, as whatever else is needed only where the work is done here

    gc.set_threshold(_COLLECT_THRESHOLD, 10, 10)
    try:
        from memvault.cli.main import run_process  # deferred: `--version` pays for none of it

        code = run_process(words)
        if is_warm:
            _start_daemon()
            _exit_process(code)
        sys.exit(code)
    except KeyboardInterrupt:
        if os.isatty(2):  # a question, or a line of progress, stands there unfinished
            _write_all(2, b"\n")
        sys.exit(130)
    finally:
        gc.freeze()


def _is_daemon_command(words: "Sequence[str]") -> bool:
    """Return whether the words name one, where nothing but the usual options stands before and within its name."""
    name = ""
    at = 0
    while at < len(words) and " " not in name:
        if words[at] == "--vault":
            at += 1
        elif not words[at].startswith("--"):
            name = f"{name} {words[at]}" if name else words[at]
            if name in _DAEMON_COMMANDS:
                return True
        at += 1
    return False


def _run_in_daemon(words: "Sequence[str]") -> None:
    """Have the daemon answer, and end with its answer; come back where it does not."""
    from memvault.system.daemon_client import ask_command  # deferred: other commands are never asked of it

    told = ask_command(words)
    if told is not None:
        code, out, err = told
        _exit_process(_print_answer(out, err, code))


def _run_hook(words: list[str]) -> None:
    from time import monotonic

    from memvault.system import daemon_client  # deferred, as above

    try:
        raw = _read_event()
    except (AttributeError, OSError):  # closed by whoever started us, or left open
        return
    told, again, began = None, False, monotonic()
    try:
        told = daemon_client.ask_hook(words, raw)
    except daemon_client.NoReply:
        again = True
    if told is not None:
        _write_all(1, told)
        _exit_process(0)
    from memvault.agents.hooks.handler import main as hook  # deferred: an agent waits for it

    hook(words, raw, is_retry=again, seconds_spent=monotonic() - began)
    _start_daemon()


def _read_event() -> bytes:
    """Return what stands on stdin; TimeoutError where that has no end: an agent would wait for us as we for it."""
    if not hasattr(_signal, "setitimer"):
        return sys.stdin.buffer.read(_MAX_EVENT_BYTES)

    def raise_timeout(_number: int, _frame: object) -> None:
        raise TimeoutError

    _signal.signal(_signal.SIGALRM, raise_timeout)
    _signal.setitimer(_signal.ITIMER_REAL, _EVENT_SECONDS)
    try:
        return sys.stdin.buffer.read(_MAX_EVENT_BYTES)
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)


def _write_all(number: int, data: bytes) -> bool:
    """Write everything to a stream of this process; whether it took all of it."""
    try:
        _write_stream(number, data)
    except OSError:
        return False
    return True


def _print_answer(out: bytes, err: bytes, code: int) -> int:
    """Print an answer, and give its exit code, or the one of what came in the way."""
    name = "stdout"
    try:
        _write_stream(1, out)
        name = "stderr"
        _write_stream(2, err)
    except BrokenPipeError:  # the reader has seen enough
        return 0
    except OSError as error:
        from memvault.cli.context import (  # deferred: nearly every stream takes what it is given
            print_error,
            report_print_error,
        )

        return report_print_error(print_error(error, name))
    return code


def _write_stream(number: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(number, data) :]
        except BlockingIOError:  # it is full, and was told not to wait
            from memvault.cli.context import wait_for_reader  # deferred, as above

            wait_for_reader(number)


def _exit_process(code: int) -> None:
    """End at once: nothing is held back or left open, and an orderly end takes as long as the answer did."""
    os._exit(code)


def _start_daemon() -> None:
    """Where there is no daemon, and its user wants one, the next command finds it."""
    from memvault.system.daemon_client import OFF

    if os.environ.get(OFF):
        return
    from memvault.open_vault import load_personal_settings
    from memvault.system.daemon import start_if_wanted

    start_if_wanted(os.environ, lambda: load_personal_settings(os.environ).flag("live.autostart"))


if __name__ == "__main__":
    # `python -m` looks for modules in the current folder first: in a vault, its files would be run for Python's own.
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - as Python itself writes it
        del sys.path[0]
    main()
