"""Who may see the page and what it may do: a test for each line of the guard."""

from __future__ import annotations

import pytest

from memvault.api import Memvault
from memvault.web.app import PAGES
from memvault.web.guard import MOST_BYTES, SECURITY_HEADERS
from memvault.web.keys import KEY_SECONDS
from tests.conftest import Clock
from tests.web.visitor import HOST, PORT, Outline, Visitor

OTHER_HOSTS = (
    *(f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}", f"127.0.0.1:{PORT}.evil.example", f"127.0.0.1:{PORT}0"),
    *("127.0.0.1", "localhost", f"127.0.0.1:{PORT + 1}", f"0.0.0.0:{PORT}", f"[::1]:{PORT}", f"127.1:{PORT}"),
    *(f"user@127.0.0.1:{PORT}", ""),
)


def without(headers: list[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    return [pair for pair in headers if pair[0] != name]


# -- the key, and the cookie


def test_a_key_is_exchanged_for_a_cookie_that_no_script_reads_and_no_other_site_sends(
    visitor: Visitor, clock: Clock
) -> None:
    answer = visitor.get(f"/?key={visitor.keys.issue_key(clock())}", [("host", HOST)])
    assert (answer.status, answer.location) == (303, "/")
    cookie = answer.header("set-cookie")
    assert cookie.startswith(f"memvault-{PORT}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert visitor.get("/", [("host", HOST), ("cookie", cookie.partition(";")[0])]).status == 200


def test_a_key_is_good_once(visitor: Visitor, clock: Clock) -> None:
    key = visitor.keys.issue_key(clock())
    assert visitor.get(f"/?key={key}", [("host", HOST)]).status == 303
    again = visitor.get(f"/?key={key}", [("host", HOST)])
    assert (again.status, again.header("set-cookie")) == (401, "")


def test_a_key_is_good_for_two_minutes(visitor: Visitor, clock: Clock) -> None:
    key = visitor.keys.issue_key(clock())
    clock.pass_(seconds=KEY_SECONDS + 1)
    assert visitor.get(f"/?key={key}", [("host", HOST)]).status == 401


def test_a_key_leaves_the_address_and_what_else_stands_there_stays(visitor: Visitor, clock: Clock) -> None:
    answer = visitor.get(f"/search?q=tea&key={visitor.keys.issue_key(clock())}", [("host", HOST)])
    assert answer.location == "/search?q=tea"


@pytest.mark.parametrize("key", ["", "x", "../port", "a" * 5_000])
def test_no_other_key_is_good(visitor: Visitor, key: str) -> None:
    assert visitor.get(f"/?key={key}", [("host", HOST)]).status == 401


@pytest.mark.parametrize("address", ["/", "/memory?id=x", "/static/page.js", "/nothing", "/image?path=x.png"])
def test_nothing_is_shown_without_the_cookie(visitor: Visitor, address: str) -> None:
    answer = visitor.get(address, [("host", HOST)])
    assert answer.status == 401
    assert b"<" not in answer.body


def test_a_cookie_of_another_process_or_a_changed_one_is_none(visitor: Visitor, vault: Memvault, clock: Clock) -> None:
    other = Visitor(vault, clock, secret=b"o" * 32)
    for cookie in (other.cookie, visitor.cookie[:-1], f"x{visitor.cookie}", "", ".", "a.b"):
        headers = [("host", HOST), ("cookie", f"memvault-{PORT}={cookie}")]
        assert visitor.get("/", headers).status == 401
    other.pages.close()


def test_two_cookies_of_one_name_are_none(visitor: Visitor) -> None:
    pair = f"memvault-{PORT}={visitor.cookie}"
    assert visitor.get("/", [("host", HOST), ("cookie", pair), ("cookie", pair)]).status == 401


def test_keys_and_the_port_lie_where_only_their_person_reads(visitor: Visitor, clock: Clock) -> None:
    visitor.keys.issue_key(clock())
    folder = visitor.keys.lock_path.parent
    assert [path.name for path in [folder, *folder.rglob("*")] if path.stat().st_mode & 0o077] == []


# -- the host


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_another_host_is_refused_even_with_the_cookie(visitor: Visitor, host: str) -> None:
    headers = [("host", host), *without(visitor.usual_headers(), "host")]
    assert visitor.get("/", headers).status == 421


def test_a_missing_host_is_refused(visitor: Visitor) -> None:
    assert visitor.get("/", without(visitor.usual_headers(), "host")).status == 421


def test_two_hosts_are_refused(visitor: Visitor) -> None:
    assert visitor.get("/", [("host", HOST), *visitor.usual_headers()]).status == 421


def test_localhost_is_a_name_of_this_machine(visitor: Visitor) -> None:
    headers = [("host", f"localhost:{PORT}"), *without(visitor.usual_headers(), "host")]
    assert visitor.get("/", headers).status == 200


# -- what changes something


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"http://127.0.0.1:{PORT + 1}", "", f"https://{HOST}"]
)
def test_a_form_of_another_origin_is_refused(visitor: Visitor, origin: str) -> None:
    headers = [*without(visitor.form_headers(), "origin"), ("origin", origin)]
    assert visitor.post("/remember", {"text": "Sara prefers tea"}, headers).status == 403


@pytest.mark.parametrize("missing", ["origin", "sec-fetch-site"])
def test_a_form_without_origin_or_site_is_refused(visitor: Visitor, vault: Memvault, missing: str) -> None:
    answer = visitor.post("/remember", {"text": "Sara prefers tea"}, without(visitor.form_headers(), missing))
    assert answer.status == 403
    assert vault.list().total == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "nonsense"])
def test_a_form_of_another_site_is_refused(visitor: Visitor, site: str) -> None:
    headers = [*without(visitor.form_headers(), "sec-fetch-site"), ("sec-fetch-site", site)]
    assert visitor.post("/remember", {"text": "Sara prefers tea"}, headers).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_that_another_site_asks_for_is_refused(visitor: Visitor, site: str) -> None:
    assert visitor.get("/", [*visitor.usual_headers(), ("sec-fetch-site", site)]).status == 403


@pytest.mark.parametrize("token", ["", "x", "0" * 64])
def test_a_form_without_its_token_is_refused(visitor: Visitor, vault: Memvault, token: str) -> None:
    assert visitor.post("/remember", {"text": "Sara prefers tea", "token": token}).status == 403
    assert vault.list().total == 0


def test_a_form_token_is_good_for_its_visitor_alone(visitor: Visitor) -> None:
    other = visitor.tokens.new_cookie()
    assert visitor.post("/remember", {"text": "tea", "token": visitor.tokens.form_token(other)}).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/json", ""])
def test_nothing_but_a_form_is_parsed(visitor: Visitor, kind: str) -> None:
    headers = [*without(visitor.form_headers(), "content-type"), ("content-type", kind)]
    assert visitor.post("/remember", {"text": "Sara prefers tea"}, headers).status == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_no_other_method_is_answered(visitor: Visitor, method: str) -> None:
    assert visitor.send(method, "/", visitor.form_headers()).status == 405


def test_what_changes_something_is_never_done_by_reading(visitor: Visitor) -> None:
    acts = [row.address for row in PAGES if row.acts]
    assert len(acts) > 8
    assert {visitor.get(address).status for address in (*acts, "/theme")} == {405}


def test_what_only_shows_is_never_posted_to(visitor: Visitor) -> None:
    assert {visitor.post(row.address).status for row in PAGES if not row.acts} == {405}


def test_a_form_that_is_too_long_is_refused(visitor: Visitor) -> None:
    assert visitor.post("/remember", {"text": "x" * MOST_BYTES}).status == 413


@pytest.mark.parametrize("body", [b"\xff\xfe", b"a=%ff", b"&".join(b"a=%d" % n for n in range(600))])
def test_a_form_that_cannot_be_read_is_refused(visitor: Visitor, body: bytes) -> None:
    assert visitor.send("POST", "/remember", visitor.form_headers(), body).status == 400


# -- what a page may do


@pytest.mark.parametrize("address", ["/", "/nothing", "/static/style.css", "/memory?id=nobody"])
def test_every_answer_keeps_itself_to_itself(visitor: Visitor, address: str) -> None:
    answer = visitor.get(address)
    assert {name: answer.header(name) for name in SECURITY_HEADERS} == dict(SECURITY_HEADERS)
    assert [name for name, _ in answer.headers if name.startswith("access-control")] == []


def test_what_is_refused_keeps_itself_to_itself_too(visitor: Visitor) -> None:
    answer = visitor.get("/", [("host", "evil.example")])
    assert answer.header("content-security-policy").startswith("default-src 'none'")


def test_the_policy_allows_our_own_files_and_no_frames() -> None:
    policy = dict(part.strip().partition(" ")[::2] for part in SECURITY_HEADERS["content-security-policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    assert policy.pop("frame-ancestors") == policy.pop("base-uri") == "'none'"
    assert set(policy.values()) == {"'self'"}
    assert SECURITY_HEADERS["cache-control"] == "no-store"


@pytest.mark.parametrize("row", [row for row in PAGES if not row.acts], ids=lambda row: row.address)
def test_no_page_has_a_script_or_a_style_in_it(visitor: Visitor, row: object) -> None:
    answer = visitor.get(row.address)  # type: ignore[attr-defined]
    if not answer.header("content-type").startswith("text/html"):
        return
    tags = Outline(answer.text).tags
    assert [given for tag, given in tags if tag == "script"] == [{"src": "/static/page.js", "defer": None}]
    assert [name for _, given in tags for name in given if name.startswith("on") or name == "style"] == []


def test_every_form_that_is_sent_has_its_token(visitor: Visitor, vault: Memvault) -> None:
    made = vault.remember("Sara prefers tea").memory
    for address in ("/", f"/memory?id={made.id}", f"/memory/edit?id={made.id}", "/settings", "/log"):
        text = visitor.get(address).text
        assert text.count('method="post"') == text.count(f'name="token" value="{visitor.token}"') > 0


@pytest.mark.parametrize(
    "back", ["http://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "\t//evil.example", ""]
)
def test_an_act_never_leads_to_another_site(visitor: Visitor, back: str) -> None:
    assert visitor.post("/theme", {"theme": "dark", "back": back}).location == "/"
    assert visitor.post("/private/lock", {"back": back}).location.startswith("/private")
