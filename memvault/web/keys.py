"""One-time keys that open the page, and where the page of a vault is served; in a folder that only its person reads."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from memvault.errors import Busy, MemvaultError
from memvault.system import files

KEY_SECONDS = 120
SECRET_BYTES = 32
_FOLDER, _KEYS, _LOCK, _PORT, _STOP = "web", "keys", "server.lock", "port", "stop"


class PageKeys:
    """Keys to a vault's page. Each is a file named by its digest, so that whoever removes the file has used the key."""

    def __init__(self, state: Path) -> None:
        self._folder = state / _FOLDER

    @property
    def lock_path(self) -> Path:
        """Return the file that the serving process holds locked."""
        return self._folder / _LOCK

    def prepare_folder(self) -> None:
        """Make the folders, which nobody else may read."""
        files.make_folder(self._folder / _KEYS)

    def issue_key(self, now: datetime) -> str:
        """Return a new key, good for one visit within two minutes."""
        self.prepare_folder()
        key = secrets.token_urlsafe(SECRET_BYTES)
        until = (now + timedelta(seconds=KEY_SECONDS)).isoformat()
        files.create_file(self._key_path(key), until.encode())
        return key

    def redeem_key(self, key: str, now: datetime) -> bool:
        """Use a key up; return whether it was good."""
        path = self._key_path(key)
        try:
            until = datetime.fromisoformat(files.read_file(path).decode())
            path.unlink()  # of two that come with one key, one fails here
        except (MemvaultError, OSError, ValueError):
            return False
        return now <= until

    def drop_keys(self) -> None:
        """Remove the keys that nobody has used."""
        with suppress(OSError):
            for path in (self._folder / _KEYS).iterdir():
                path.unlink()

    def _key_path(self, key: str) -> Path:
        return self._folder / _KEYS / sha256(key.encode()).hexdigest()

    # -- where it is served

    def ask_to_stop(self) -> None:
        """Ask the serving process to end."""
        files.overwrite_file(self._folder / _STOP, b"")

    def is_asked_to_stop(self) -> bool:
        """Return whether somebody asked the serving process to end."""
        return (self._folder / _STOP).exists()

    def forget_port(self) -> None:
        """Forget the port, and the wish to stop, of a process that serves no more."""
        for name in (_PORT, _STOP):
            (self._folder / name).unlink(missing_ok=True)

    def save_port(self, port: int) -> None:
        """Say at which port this process serves the page."""
        files.overwrite_file(self._folder / _PORT, str(port).encode())

    def find_port(self) -> int | None:
        """Return the port of the process that serves the page now; None where none does."""
        if not self.lock_path.exists():
            return None
        try:
            with files.lock(self.lock_path, wait=0):
                return None
        except Busy:
            with suppress(MemvaultError, ValueError):
                return int(files.read_file(self._folder / _PORT))
        return None


class VisitorTokens:
    """What tells a visitor who came with a key from everybody else: a cookie, and a token in each form."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    def new_cookie(self) -> str:
        """Return the cookie of a new visitor; nothing of it is stored."""
        name = secrets.token_urlsafe(18)
        return f"{name}.{self._sign('cookie', name)}"

    def knows_cookie(self, cookie: str) -> bool:
        """Return whether a cookie is one of ours."""
        name, _, signature = cookie.partition(".")
        return self._matches(signature, self._sign("cookie", name))

    def form_token(self, cookie: str) -> str:
        """Return what a form of this visitor carries."""
        return self._sign("form", cookie)

    def knows_form(self, cookie: str, form: Mapping[str, str]) -> bool:
        """Return whether a form is one that we gave this visitor."""
        return self._matches(form.get("token", ""), self.form_token(cookie))

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self.secret, f"{purpose}:{text}".encode(), "sha256").hexdigest()

    @staticmethod
    def _matches(given: str, wanted: str) -> bool:
        # The time that a comparison takes must not tell how much was right.
        return hmac.compare_digest(given.encode(), wanted.encode())
