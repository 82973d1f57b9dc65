"""The server over a real PostgreSQL: who may read what, by every way in, and what is recorded of it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from tests.team import invented
from tests.team.servers import Server, new_database

pytestmark = pytest.mark.postgres
pytest.importorskip("psycopg", reason="the extra `team` is not installed")
pytest.importorskip("jwt", reason="the extra `team` is not installed")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from memvault.team.answers import ConnectionPool, SharedAnswers, TeamQuestion  # noqa: E402
from memvault.team.control import TeamControl  # noqa: E402
from memvault.team.engines import MEMORY, TURN, Reader, Ref, Sought  # noqa: E402
from memvault.team.engines.postgresql import PostgresEngine  # noqa: E402
from memvault.team.engines.schema import DISTRIBUTED, OWNER, SERVE, WORKER  # noqa: E402
from memvault.team.server import VERBS, TeamServer, describe_api  # noqa: E402
from memvault.team.tokens import TokenCheck  # noqa: E402
from tests import points  # noqa: E402
from tests.team.databases import Database  # noqa: E402
from tests.team.test_tokens import KEY, NOW, RULES, Provider, token  # noqa: E402

SECRET = "a shared secret"


class Answer(NamedTuple):
    """What came back of a request."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Stage:
    """Three vaults: ours for the staff, one of Maja's own, and one of the board; and a server."""

    def __init__(self, dsn: str) -> None:
        self.database = Database(dsn)
        self.ours = self.database.add_vault("group:staff", "person:maja")
        self.own = self.database.add_vault("person:maja", private=True)
        self.boards = self.database.add_vault("group:board")
        for seed, number in enumerate((self.ours, self.own, self.boards)):
            self.database.engine.take(number, invented.batch(invented.vault(seed)))
        self.pool = ConnectionPool(dsn, 2)
        self.answers = SharedAnswers(self.pool, lambda: NOW)
        self.server = TeamServer(
            self.answers,
            TokenCheck(RULES, Provider(one=KEY)),
            clock=lambda: NOW,
            origins=("https://wiki.example.org",),
            webhook_secret=SECRET,
        )

    def ask(self, method: str, path: str, body: object = None, *, metrics: bool = False, **headers: str) -> Answer:
        """Send one request to the application."""
        given = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        plain, _, query = path.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "path": plain,
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "server": ("here", 80),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
        }
        sent: list[dict[str, Any]] = []
        inbox = [{"type": "http.request", "body": given, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return inbox.pop(0) if inbox else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        application: Any = self.server.metrics_application() if metrics else self.server.application()
        asyncio.run(application(scope, receive, send))
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent[1:]))

    def post(self, path: str, body: object, who: str = "maja", **claims: Any) -> Answer:
        """Ask as somebody."""
        claims.setdefault("groups", [])
        return self.ask("POST", path, body, authorization=f"Bearer {token(sub=who, **claims)}")


@pytest.fixture(scope="module")
def stage(postgres_server: Server) -> Iterator[Stage]:
    with ExitStack() as stack:
        made = Stage(stack.enter_context(new_database(postgres_server)))
        stack.callback(made.database.close)
        stack.callback(made.pool.close)
        yield made


def test_recall_answers_out_of_what_the_reader_may_read(stage: Stage) -> None:
    found = stage.post("/v1/recall", {"query": "kayak lantern", "limit": 30}).json
    assert {hit["vault"] for hit in found["hits"]} == {"v0", "v1"}
    assert found["vaults"] == ["v0", "v1"]
    assert found["tokens"] <= found["budget"]
    assert all("memory" in hit or "turn" in hit for hit in found["hits"])
    staff = stage.post("/v1/recall", {"query": "kayak lantern"}, "tom", groups=["staff", "board"]).json
    assert {hit["vault"] for hit in staff["hits"]} <= {"v0", "v2"}
    only = stage.post("/v1/recall", {"query": "kayak", "vaults": ["v1"]}).json
    assert {hit["vault"] for hit in only["hits"]} == {"v1"}
    assert stage.post("/v1/recall", {"query": "kayak", "vaults": ["v2"]}).status == 400
    assert stage.post("/v1/recall", {"query": "kayak"}, "eve").json["hits"] == []
    got = stage.ask("GET", "/v1/recall?query=kayak&limit=2", authorization=f"Bearer {token(groups=[])}")
    assert len(got.json["hits"]) == 2


def test_every_verb_answers_and_refuses(stage: Stage) -> None:
    told = stage.post("/v1/context", {"query": "kayak lantern"}).json
    assert told["text"].startswith("<memvault-recall token=")
    dug = stage.post("/v1/dig", {"query": "kayak lantern", "vaults": ["v0"]}).json["results"]
    (ours,) = dug
    line = ours["conversations"][0]["lines"][0]
    around = stage.post("/v1/dig", {"ref": line["ref"], "around": 1}).json["results"]
    assert line["text"] in {each["text"] for each in around[0]["conversations"][0]["lines"]}
    hit = next(hit for hit in stage.post("/v1/recall", {"query": "kayak", "limit": 30}).json["hits"] if "memory" in hit)
    shown = stage.post("/v1/show", {"ref": hit["memory"]["id"]}).json
    assert shown["memory"]["body"]
    assert "never told" not in shown["memory"]["body"]
    given = stage.post("/v1/given", {}, act={"sub": "claude"}).json["given"]
    assert given[0]["verb"] == "show"
    assert given[0]["ids"] == [hit["memory"]["id"]]
    assert stage.post("/v1/show", {"ref": hit["memory"]["id"]}, "eve").status == 404
    assert stage.post("/v1/dig", {"ref": "ffff:1"}).status == 404
    for verb, body in (
        ("recall", {}),
        ("recall", {"query": 5}),
        ("recall", {"query": "x", "limit": -1}),
        ("recall", {"query": "x", "sql": "y"}),
        ("recall", {"query": "x" * 5_000}),
        ("dig", {}),
        ("recall", []),
        ("recall", b"{"),
    ):
        assert stage.post(f"/v1/{verb}", body).status == 400, (verb, body)
    assert stage.post("/v1/drop", {}).status == 404
    assert stage.post("/v1/recall", b"{" + b" " * 70_000).status == 413


def test_nobody_is_let_in_without_a_token_and_no_page_of_another_origin(stage: Stage) -> None:
    for headers in ({}, {"authorization": "Bearer x"}, {"authorization": f"Basic {token()}"}):
        for path in ("/v1/recall", "/mcp"):
            refused = stage.ask("POST", path, {"query": "kayak"}, **headers)
            assert refused.status == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert b"kayak" not in refused.body
    bearer = {"authorization": f"Bearer {token()}"}
    assert stage.ask("POST", "/v1/recall", {"query": "kayak"}, origin="https://evil.example", **bearer).status == 403
    assert (
        stage.ask("POST", "/v1/recall", {"query": "kayak"}, origin="https://wiki.example.org", **bearer).status == 200
    )


def test_mcp_has_the_same_verbs_and_answers(stage: Stage) -> None:
    def call(method: str, **params: object) -> Any:
        return stage.post("/mcp", {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).json

    assert call("initialize", protocolVersion="2025-06-18")["result"]["protocolVersion"] == "2025-06-18"
    assert call("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] == "2025-06-18"
    assert stage.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    assert [tool["name"] for tool in call("tools/list")["result"]["tools"]] == list(VERBS)
    called = call("tools/call", name="recall", arguments={"query": "kayak"})["result"]
    assert called["structuredContent"] == stage.post("/v1/recall", {"query": "kayak"}).json
    assert json.loads(called["content"][0]["text"]) == called["structuredContent"]
    assert call("tools/call", name="recall", arguments={})["result"]["isError"] is True
    assert call("tools/call", name="drop")["error"]["code"] == -32602
    assert call("sampling/createMessage")["error"]["code"] == -32601


def test_the_description_names_every_verb(stage: Stage) -> None:
    told = stage.ask("GET", "/openapi.json").json
    assert told == json.loads(json.dumps(describe_api()))
    assert set(told["paths"]) == {f"/v1/{verb}" for verb in VERBS}


def test_probes_and_metrics(stage: Stage) -> None:
    assert stage.ask("GET", "/healthz").status == 200
    assert stage.ask("GET", "/readyz").status == 200
    assert stage.ask("GET", "/metrics").status == 404, "they have a port of their own"
    stage.post("/v1/recall", {"query": "kayak"})
    text = stage.ask("GET", "/metrics", metrics=True).body.decode()
    assert 'memvault_requests_total{verb="recall",status="200"}' in text
    assert "memvault_database_up 1" in text
    assert "memvault_queue_due" in text


def test_a_push_wakes_the_worker_if_it_is_signed(stage: Stage) -> None:
    body = b'{"commits": [{"message": "memvault purge: 1 note removed"}]}'
    signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    stage.database.connection.execute("insert into memvault.job (vault, due) select id, 'infinity' from memvault.vault")
    assert stage.ask("POST", "/hooks/v0", body, x_hub_signature_256=signature).status == 202
    assert stage.ask("POST", "/hooks/v9", body, x_hub_signature_256=signature).status == 404
    for other in ("", "sha256=00", signature[:-1]):
        assert stage.ask("POST", "/hooks/v1", body, x_hub_signature_256=other).status == 403
    sql = "select v.name, j.purge from memvault.job j join memvault.vault v on v.id = j.vault where j.due <= now()"
    assert stage.database.connection.execute(sql).fetchall() == [("v0", True)]


def test_every_read_is_in_the_audit_with_ids_and_without_texts(stage: Stage) -> None:
    control = TeamControl(stage.database.connection)
    found = stage.post("/v1/recall", {"query": "kayak lantern"}, act={"sub": "claude"}).json
    *_, last = map(json.loads, control.export_audit())
    ids = [hit["memory"]["id"] if "memory" in hit else hit["turn"]["ref"] for hit in found["hits"]]
    assert (last["person"], last["agent"], last["verb"], last["ids"]) == ("maja", "claude", "recall", ids)
    assert len(last["vaults"]) == 2
    assert "kayak" not in json.dumps(last)
    count, broken = control.verify_audit()
    assert count > 0
    assert broken == []


def test_a_changed_or_removed_entry_breaks_the_chain(stage: Stage) -> None:
    connection = stage.database.connection
    for _ in range(3):
        stage.post("/v1/recall", {"query": "kayak"})
    for change in (
        "update memvault.audit set person = 'eve' where number = 2",
        "delete from memvault.audit where number = 2",
        "update memvault.audit set number = 1000000 where number = 2",
    ):
        with connection.transaction(force_rollback=True):
            connection.execute(change.encode())
            assert TeamControl(connection).verify_audit()[1] != []
    assert TeamControl(connection).verify_audit()[1] == []


def test_a_private_vault_has_one_reader_and_no_administrator_who_reads(stage: Stage) -> None:
    import psycopg

    control = TeamControl(stage.database.connection)
    control.grant("v1", "person:admin", "admin")
    for to in ("person:tom", "group:staff"):
        with pytest.raises(psycopg.errors.CheckViolation):
            control.grant("v1", to, "read")
    assert stage.post("/v1/recall", {"query": "kayak"}, "admin").json["vaults"] == []


# -- the database by itself


def test_the_roles_own_nothing_and_see_only_what_is_granted(stage: Stage) -> None:
    import psycopg

    connection = stage.database.connection
    rows = connection.execute(
        "select rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname = any(%s)",
        ([OWNER, WORKER, SERVE],),
    ).fetchall()
    assert [row[1:] for row in rows] == [(False, False, False, False)] * 3
    owners = connection.execute(
        "select distinct pg_get_userbyid(relowner) from pg_class where relnamespace = 'memvault'::regnamespace"
    ).fetchall()
    assert owners == [(OWNER,)]
    serve = stage.database.connect_as(SERVE)
    for table in DISTRIBUTED:
        assert serve.execute(f"select count(*) from memvault.{table} where true or vault = 1").fetchone() == (0,)
        with serve.transaction():
            stage.database.name_reader(serve, Reader("tom", ("staff",)))
            seen = serve.execute(f"select distinct vault from memvault.{table}").fetchall()
            assert seen == [(stage.ours,)], table
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            serve.execute(f"delete from memvault.{table}")
    for forbidden in (
        "select * from memvault.vault",
        'select * from memvault."grant"',
        "select * from memvault.audit",
        "update memvault.audit set person = ''",
        "insert into memvault.audit select * from memvault.audit",
        "select memvault.open_edition(1, true)",
        "select memvault.drop_editions(1, true)",
    ):
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.SyntaxError)):
            serve.execute(forbidden.encode())
    with stage.database.login_in(SERVE) as web:
        for stronger in (OWNER, WORKER, "postgres"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                web.execute(f"set role {stronger}")
    worker = stage.database.connect_as(WORKER)
    for forbidden in ("select * from memvault.audit", "select memvault.reachable()", "delete from memvault.vault"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute(forbidden.encode())


def test_the_name_of_the_reader_does_not_outlive_the_transaction(stage: Stage) -> None:
    serve = stage.database.connect_as(SERVE)
    engine = PostgresEngine(serve)
    assert engine.candidates(Reader("tom", ("staff",)), stage.ours, TURN, Sought({"kayak": 1.0}), limit=5)
    assert serve.execute("select memvault.may_read(%s)", (stage.ours,)).fetchone() == (False,)
    with engine.reading(Reader("tom")), pytest.raises(ValueError, match="one person"):
        engine.statistics(Reader("maja"), stage.ours, [])


def test_a_search_uses_the_index_of_terms(stage: Stage) -> None:
    connection = stage.database.connection
    connection.execute("analyze memvault.unit")
    told: list[str] = []
    connection.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    with connection.transaction():
        connection.execute("load 'auto_explain'")
        for setting in ("log_min_duration = 0", "log_nested_statements = on"):
            connection.execute(f"set local auto_explain.{setting}")
        connection.execute("set local client_min_messages = log")
        connection.execute("set local enable_seqscan = off")  # these vaults are small
        stage.database.name_reader(connection, Reader("maja"))
        sql = "select * from memvault.candidates(%s, 1::smallint, '{kayak}', '{1}', '{}', '{}', 200)"
        assert connection.execute(sql, (stage.ours,)).fetchall()
    plan = next(text for text in told if "m.tsv @@ followed" in text)
    assert "Bitmap Index Scan on unit_" in plan
    assert "_tsv_idx" in plan
    assert "Subplans Removed" in plan or plan.count("Bitmap Heap Scan") == 1, "one partition alone is looked at"


VAULTS, PEOPLE, GROUPS = range(3), ("maja", "tom", "eve", ""), ("staff", "board", "guests")


@settings(max_examples=points.of(60, 10_000))
@given(
    grants=st.sets(
        st.tuples(
            st.sampled_from(VAULTS),
            st.sampled_from([f"person:{name}" for name in PEOPLE[:3]] + [f"group:{name}" for name in GROUPS]),
            st.sampled_from(("read", "write", "admin")),
        ),
        max_size=5,
    ),
    person=st.sampled_from(PEOPLE),
    groups=st.sets(st.sampled_from((*GROUPS, "person:maja", "x' or true --")), max_size=2),
    word=st.sampled_from(invented.WORDS),
)
def test_no_row_of_an_ungranted_vault_by_any_grants_and_questions(
    stage: Stage, grants: set[tuple[int, str, str]], person: str, groups: set[str], word: str
) -> None:
    numbers = (stage.ours, stage.own, stage.boards)
    who = Reader(person, tuple(sorted(groups)))
    may = {numbers[vault] for vault, name, verb in grants if verb != "admin" and name in who.names}
    connection, engine = stage.database.connection, stage.database.engine
    with connection.transaction(force_rollback=True):
        connection.execute('delete from memvault."grant"')
        connection.execute("update memvault.vault set private = false")
        for vault, name, verb in grants:
            sql = 'insert into memvault."grant" select id, %s, %s from memvault.vault where number = %s'
            connection.execute(sql, (name, verb, numbers[vault]))
        for seed, number in enumerate(numbers):
            found = engine.candidates(who, number, TURN, Sought({word: 1.0}), limit=50)
            around = engine.around(who, number, TURN, [Ref(f"{seed * 10:08x}-talk", 0)], terms=[word], steps=2)
            texts = engine.around(who, number, TURN, [Ref(f"{seed * 10:08x}-talk", 0)], texts=True)
            counted = engine.statistics(who, number, [word], [(word, "kayak")])
            memories = engine.around(who, number, MEMORY, [Ref("0", 0)], texts=True)
            if number not in may:
                assert not any((found, *around, *texts, counted.terms, *memories))
                assert counted.totals.units == 0
            else:
                assert around.units
                assert counted.totals.units > 0


def test_what_others_hold_changes_no_byte_of_an_answer(stage: Stage) -> None:
    def answers() -> list[bytes]:
        return [stage.post("/v1/recall", {"query": question}).body for question in invented.QUESTIONS]

    before = answers()
    other = stage.database.add_vault("person:eve")
    for number in range(points.of(1, 25)):
        talks = [invented.conversation(seed, 200) for seed in range(1_000 + 20 * number, 1_020 + 20 * number)]
        stage.database.engine.take(
            other, invented.batch(talks, since=f"c{number}" if number else "", cursor=f"c{number + 1}")
        )
    assert answers() == before


def test_a_connection_that_breaks_is_replaced(stage: Stage) -> None:
    asked = TeamQuestion(query="kayak")
    assert stage.answers.recall(Reader("maja"), asked)["hits"]
    sql = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()"
    stage.database.connection.execute(sql.encode())
    broken = [stage.post("/v1/recall", {"query": "kayak"}).status for _ in range(4)]
    assert set(broken) <= {200, 503}
    assert broken[-1] == 200
