"""Whom a token names, and which tokens are refused."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("jwt", reason="the extra `team` is not installed")
pytest.importorskip("cryptography", reason="the extra `team` is not installed")

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from memvault.errors import BadInput, NotAdmitted
from memvault.team.tokens import TokenCheck, TokenRules

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
RULES = TokenRules(issuer="https://id.example.org", audience="memvault", keys="https://id.example.org/jwks")
KEY, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())


class Provider:
    """An OpenID provider: its key set, and how often that was fetched."""

    def __init__(self, **keys: Any) -> None:
        self.keys, self.fetched = keys, 0

    def __call__(self, address: str) -> bytes:
        assert address == RULES.keys
        self.fetched += 1
        made = []
        for name, key in self.keys.items():
            algorithm = (
                jwt.algorithms.ECAlgorithm
                if isinstance(key, ec.EllipticCurvePrivateKey)
                else jwt.algorithms.OKPAlgorithm
            )
            made.append({**json.loads(algorithm.to_jwk(key.public_key())), "kid": name, "use": "sig"})
        return json.dumps({"keys": made}).encode()


def token(key: Any = KEY, *, kid: str = "one", algorithm: str = "ES256", **changes: Any) -> str:
    claims = {
        "iss": RULES.issuer,
        "aud": RULES.audience,
        "sub": "maja",
        "exp": int((NOW + timedelta(minutes=5)).timestamp()),
        "groups": ["staff", "board"],
        **changes,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


def test_a_token_names_a_person_their_groups_and_the_agent() -> None:
    check = TokenCheck(RULES, Provider(one=KEY))
    assert check.check(token(), NOW) == ("maja", ("staff", "board"), "")
    assert check.check(token(act={"sub": "claude"}, groups="staff"), NOW) == ("maja", ("staff",), "claude")
    assert check.check(token(azp="cron", groups=None), NOW) == ("maja", (), "cron")


def raw(head: Mapping[str, Any], body: Mapping[str, Any], sign: Any = lambda _text: b"") -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (head, body)]
    signed = b".".join(parts)
    return (signed + b"." + base64.urlsafe_b64encode(sign(signed)).rstrip(b"=")).decode()


BODY = {"iss": RULES.issuer, "aud": RULES.audience, "sub": "maja", "exp": 4_000_000_000}
PUBLIC = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
REFUSED = {
    "none at all": "",
    "no token": "abc",
    "too long": "a" * 9_000,
    "another key under the same name": token(OTHER),
    "an unknown key": token(kid="two"),
    "expired": token(exp=int((NOW - timedelta(minutes=2)).timestamp())),
    "not valid yet": token(nbf=int((NOW + timedelta(minutes=9)).timestamp())),
    "for another audience": token(aud="wiki"),
    "of another issuer": token(iss="https://id.example.com"),
    "for nobody": token(sub=None),
    "for an empty name": token(sub=" "),
    "without an end": token(exp=None),
    "an end that is no number": raw({"alg": "ES256", "kid": "one"}, {**BODY, "exp": "soon"}),
    "alg none": raw({"alg": "none", "kid": "one"}, BODY),
    "signed with the public key as a secret": raw(
        {"alg": "HS256", "kid": "one"}, BODY, lambda text: hmac.new(PUBLIC, text, hashlib.sha256).digest()
    ),
    "changed after signing": token().rsplit(".", 1)[0] + "." + token(sub="eve").rsplit(".", 1)[1],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_hold_is_refused(name: str) -> None:
    with pytest.raises(NotAdmitted):
        TokenCheck(RULES, Provider(one=KEY)).check(REFUSED[name], NOW)


def test_a_key_is_good_for_its_own_algorithm_alone() -> None:
    other = ed25519.Ed25519PrivateKey.generate()
    check = TokenCheck(RULES, Provider(one=KEY, two=other))
    assert check.check(token(other, kid="two", algorithm="EdDSA"), NOW).person == "maja"
    with pytest.raises(NotAdmitted):
        check.check(token(other, kid="one", algorithm="EdDSA"), NOW)
    with pytest.raises(BadInput):
        TokenCheck(RULES.__class__(issuer="i", audience="a", keys="k", algorithms=("HS256",)))


def test_keys_are_kept_and_rotated_and_a_provider_may_be_away() -> None:
    provider = Provider(one=KEY)
    check = TokenCheck(RULES, provider)
    for _ in range(5):
        check.check(token(), NOW)
    assert provider.fetched == 1
    provider.keys = {"two": OTHER}
    new = token(OTHER, kid="two")
    with pytest.raises(NotAdmitted):
        check.check(new, NOW + timedelta(seconds=1))  # unknown keys are not looked for at every request
    assert check.check(new, NOW + timedelta(seconds=30)).person == "maja"
    with pytest.raises(NotAdmitted):
        check.check(token(), NOW + timedelta(seconds=31))

    def away(_address: str) -> bytes:
        raise OSError

    check._fetch = away
    later = NOW + timedelta(minutes=20)
    still = token(OTHER, kid="two", exp=int((later + timedelta(minutes=1)).timestamp()))
    assert check.check(still, later).person == "maja"
