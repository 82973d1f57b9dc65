"""Who asks: JSON web tokens of an OpenID provider, checked against its keys; memvault has no passwords."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from memvault.core.value import Record
from memvault.errors import BadInput, NotAdmitted, NotInstalled
from memvault.team.engines import Reader

ALGORITHMS = ("RS256", "RS384", "RS512", "ES256", "ES384", "EdDSA")  # never one with a shared secret, never none
_LEEWAY = 60  # seconds by which clocks may differ
_KEPT, _LEAST = 600, 20  # seconds: how long keys are kept, and until an unknown key has them fetched again
_MOST_BYTES = 1 << 20
_LONGEST = 8_192  # characters of a token
# The times are checked by the clock that was handed in.
_OPTIONS: Any = {"require": ["sub", "iss", "aud", "exp"], "verify_exp": False, "verify_nbf": False, "verify_iat": False}


class TokenRules(Record, kw_only=True):
    """Which tokens are taken: who issues them, for whom, and where the issuer's keys are."""

    issuer: str
    audience: str
    keys: str  # the address of the key set, or its file
    groups_claim: str = "groups"
    algorithms: tuple[str, ...] = ALGORITHMS


class TokenCheck:
    """Checks tokens; keeps the issuer's keys for a while, and fetches them again when it meets an unknown one."""

    def __init__(self, rules: TokenRules, fetch: Callable[[str], bytes] | None = None) -> None:
        try:
            import jwt
        except ImportError:
            raise NotInstalled(what="PyJWT, for the tokens of shared vaults", extra="team") from None
        if strange := set(rules.algorithms).difference(ALGORITHMS):
            raise BadInput(
                what="the algorithms", value=", ".join(sorted(strange)), reason="they are not of public keys"
            )
        self._jwt, self._rules, self._fetch = jwt, rules, fetch or read_address
        self._lock = Lock()
        self._keys: Mapping[str, Any] = {}
        self._fetched = float("-inf")

    def check(self, token: str, now: datetime) -> Reader:
        """Return whom a token names; NotAdmitted, with the reason, where it does not hold."""
        if not token or len(token) > _LONGEST:
            raise NotAdmitted(reason="there is none, or it is too long")
        try:
            head = self._jwt.get_unverified_header(token)
            if head.get("alg") not in self._rules.algorithms:
                raise NotAdmitted(reason="its algorithm is not one of those agreed on")
            claims = self._jwt.decode(
                token,
                self._find_key(str(head.get("kid", "")), head["alg"], now),
                algorithms=[head["alg"]],
                audience=self._rules.audience,
                issuer=self._rules.issuer,
                options=_OPTIONS,
            )
        except self._jwt.PyJWTError as error:
            raise NotAdmitted(reason=str(error).rstrip(".") or type(error).__name__) from None
        _check_times(claims, now.timestamp())
        return self._read_claims(claims)

    def _read_claims(self, claims: Mapping[str, Any]) -> Reader:
        person, groups, actor = claims["sub"], claims.get(self._rules.groups_claim, ()), claims.get("act")
        if not isinstance(person, str) or not person.strip():
            raise NotAdmitted(reason="it names nobody")
        named = [groups] if isinstance(groups, str) else groups if isinstance(groups, list | tuple) else []
        agent = actor.get("sub", "") if isinstance(actor, Mapping) else claims.get("azp", "")
        return Reader(person, tuple(group for group in named if isinstance(group, str) and group), str(agent))

    def _find_key(self, name: str, algorithm: str, now: datetime) -> Any:
        """Return the key that a token names, or the only one."""
        with self._lock:
            age = now.timestamp() - self._fetched
            if age > _KEPT or (self._pick(name) is None and age > _LEAST):
                self._keys = self._load_keys()
                self._fetched = now.timestamp()
            key = self._pick(name)
        if key is None:
            raise NotAdmitted(reason="its key is not one of the issuer's")
        if key.algorithm_name != algorithm:
            raise NotAdmitted(reason="its key is for another algorithm")
        return key.key

    def _pick(self, name: str) -> Any:
        return self._keys.get(name) if name or len(self._keys) != 1 else next(iter(self._keys.values()))

    def _load_keys(self) -> Mapping[str, Any]:
        try:
            found = json.loads(self._fetch(self._rules.keys))["keys"]
        except (OSError, URLError, ValueError, KeyError, TypeError) as error:
            if self._keys:
                return self._keys  # the provider may be away for a while
            raise NotAdmitted(reason=f"the issuer's keys cannot be had ({type(error).__name__})") from None
        keys = {}
        for number, each in enumerate(found):
            try:
                if each.get("use", "sig") == "sig":
                    keys[str(each.get("kid", number))] = self._jwt.PyJWK(each)
            except (self._jwt.PyJWTError, AttributeError):
                continue  # of a kind that is not known here
        return keys


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    times = {name: claims.get(name, 0) for name in ("exp", "nbf", "iat")}
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in times.values()):
        raise NotAdmitted(reason="its times are no numbers")
    if times["exp"] <= now - _LEEWAY:
        raise NotAdmitted(reason="it has expired")
    if max(times["nbf"], times["iat"]) > now + _LEEWAY:
        raise NotAdmitted(reason="it is not valid yet")


def read_address(address: str) -> bytes:
    """Return what lies at an https address, on this machine by http, or in a file."""
    if not address.startswith(("https://", "http://localhost", "http://127.0.0.1")):
        if "://" in address:
            raise BadInput(what="the address of the keys", value=address, reason="it is neither https nor a file")
        return Path(address).read_bytes()
    with urlopen(Request(address, headers={"Accept": "application/json"}), timeout=5) as answer:  # noqa: S310, RUF100
        return bytes(answer.read(_MOST_BYTES))
