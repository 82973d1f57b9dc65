"""The system's own keyring, where a package that speaks to it is installed: keeps a person's key."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from memvault.errors import NoKeychain

PLACE = "the system's keyring"
_SERVICE, _NAME = "memvault", "private memories"
# What keeps passwords in a file, or nowhere, and says so by where it comes from.
_NOT_KEEPING = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")


def is_installed() -> bool:
    """Whether there is anything here that speaks to a keyring."""
    try:
        return find_spec("keyring") is not None
    except ValueError:  # somebody put something else in its place
        return False


def fetch() -> str:
    """The key that was kept; empty where there is none, or nobody can be asked."""
    if not is_installed():
        return ""
    try:
        return str(_package().get_password(_SERVICE, _NAME) or "")
    except Exception:  # each system's has troubles of its own: locked, no session, no permission
        return ""


def store(text: str) -> None:
    """Have a key kept; NoKeychain where that is refused, or it would lie open in some file."""
    if not is_installed():
        raise NoKeychain(reason="the package `keyring`, which speaks to it, is not installed")
    try:
        is_kept = _put(text)
    except Exception as error:  # as above; its words may repeat what it was given
        raise NoKeychain(reason=type(error).__name__) from None
    if not is_kept:
        raise NoKeychain(reason="there is none that would keep it safe")


def _put(text: str) -> bool:
    package = _package()
    if type(package.get_keyring()).__module__.startswith(_NOT_KEEPING):
        return False
    package.set_password(_SERVICE, _NAME, text)
    return True


def _package() -> Any:
    return import_module("keyring")
