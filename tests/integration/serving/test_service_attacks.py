"""What the service refuses: no key, too little of one, other tenants and hosts, too much, too slow, stowaways."""

from __future__ import annotations

import gzip
import os
import socket

import httpx
import pytest

from hydra_kg import UsageError
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.service_start import require_keys

from .conftest import Keyed, Stuck

QUESTION = {"question": "where was Steve Jobs born?"}


ADMINISTERING = (
    ("GET", "/v1/inbox"),
    ("GET", "/v1/loads"),
    ("POST", "/v1/loads"),
    ("POST", "/v1/uploads?source=x"),
    ("POST", "/v1/loads/x/flip"),
    ("DELETE", "/v1/loads/x"),
    ("DELETE", "/v1/sources/freebase"),
)


def raw(keyed: Keyed, text: str, *, rest: bytes = b"", seconds: float = 60) -> bytes:
    """What comes back for bytes as they are."""
    with socket.create_connection(("127.0.0.1", keyed.service.port), timeout=seconds) as one:
        one.sendall(text.replace("\n", "\r\n").encode() + rest)
        got = b""
        try:
            while piece := one.recv(65536):
                got += piece
                if b"\r\n\r\n" in got and b"100 Continue" not in got:
                    break
        except ConnectionError:
            pass
        return got


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer hk_wrong", "Basic YTpi", "Bearer \x80\xff"])
def test_no_key_opens_nothing(keyed: Keyed, authorization: str):
    with keyed.service.client() as client:
        headers = {b"Authorization": authorization.encode("latin-1")} if authorization else {}
        for method, path in (
            ("POST", "/v1/answers"),
            ("GET", "/v1/answers"),
            ("GET", "/metrics"),
            ("POST", "/mcp"),
            *ADMINISTERING,
            ("GET", "/v1/fusion?entity=x"),
            ("POST", "/v1/fusion"),
            ("GET", "/v1/jobs"),
            ("GET", "/v1/budget"),
        ):
            reply = client.request(method, path, headers=headers)
            assert reply.status_code == 401, path
            assert reply.headers["www-authenticate"] == "Bearer"
            assert reply.headers["connection"] == "close"  # whoever has no key holds none
        assert client.get("/").status_code == 200


def test_a_scope_opens_its_own_only(keyed: Keyed):
    with keyed.service.client(keyed.key["reader"]) as client:
        assert client.get("/v1/sources").status_code == 200
        assert client.post("/v1/answers", json=QUESTION).status_code == 403
        assert client.delete("/v1/answers/0123456789ab").status_code == 403
        assert client.post("/mcp", json={}).status_code == 403
        assert client.get("/metrics").status_code == 403
        assert client.post("/v1/fusion", json={"attribute": "captain"}).status_code == 403
    with keyed.service.client(keyed.key["scraper"]) as client:
        assert client.get("/v1/sources").status_code == 403
    for name in ("alice", "bob", "reader", "scraper"):
        with keyed.service.client(keyed.key[name]) as client:
            for method, path in ADMINISTERING:
                assert client.request(method, path, json={"files": ["barges.csv"]}).status_code == 403, path
    with keyed.service.client(keyed.key["admin"]) as client:
        assert client.get("/v1/sources").status_code == 200
        assert client.post("/v1/answers", json=QUESTION).status_code == 403


def test_nobody_loads_where_there_are_no_keys(stuck: Stuck):
    with stuck.service.client() as client:
        for method, path in ADMINISTERING:
            assert client.request(method, path, json={"files": ["barges.csv"]}).status_code == 403, path


def test_an_inbox_is_its_own_files_and_nothing_else(keyed: Keyed):
    secret = keyed.inbox.parent / "keys.sqlite"
    link, hidden, pipe = keyed.inbox / "link.csv", keyed.inbox / ".hidden.csv", keyed.inbox / "pipe.csv"
    link.symlink_to(secret)
    hidden.write_text("a,b\n1,2\n")
    os.mkfifo(pipe)
    names = [
        *("link.csv", ".hidden.csv", "pipe.csv", "private.csv", "nowhere.csv", "keys.sqlite"),
        *("", ".", "..", "../keys.sqlite", "..\\keys.sqlite", str(secret), f"barges.csv/../../{secret.name}"),
        *(
            "barges.csv\0.txt",
            "barges.csv\r\nX-Injected: 1",
            "-",
            "file:///etc/passwd",
            "http://127.0.0.1/x",
            "x" * 300,
        ),
    ]
    with keyed.service.client(keyed.key["boss"]) as boss:
        assert [file["name"] for file in boss.get("/v1/inbox").json()["files"]] == ["barges.csv"]
        for name in names:
            reply = boss.post("/v1/loads", json={"files": [name], "source": "stolen"})
            assert reply.status_code in {404, 422}, name
            assert str(keyed.inbox.parent) not in reply.text
            assert "x-injected" not in reply.headers
    for path in (link, hidden, pipe):
        path.unlink()


@pytest.mark.parametrize("name", ["../x", "..%2fx", "%2e%2e%2fx", "x%0d%0aX-Injected:%201", "x%00", ".x", "x" * 81])
def test_no_name_of_a_load_is_a_path(keyed: Keyed, name: str):
    head = f"Host: localhost\nAuthorization: Bearer {keyed.key['boss']}\nContent-Length: 0\nConnection: close\n\n"
    for got in (
        raw(keyed, f"POST /v1/loads/{name}/flip HTTP/1.1\n{head}"),
        raw(keyed, f"DELETE /v1/loads/{name} HTTP/1.1\n{head}"),
        raw(keyed, f"POST /v1/uploads?source={name} HTTP/1.1\n{head}"),
        raw(keyed, f"GET /v1/jobs/{name} HTTP/1.1\n{head}"),
    ):
        assert got.split()[1] in {b"404", b"405", b"422"}
        assert b"x-injected" not in got.partition(b"\r\n\r\n")[0].lower()


def test_an_uploaded_table_is_small_plain_and_in_time(keyed: Keyed):
    key = keyed.key["boss"]
    with keyed.service.client(key) as boss:
        place = "/v1/uploads?source=bomb"
        assert boss.post(place, content=b"a" * 10_000_001).status_code == 413
        assert boss.post("/v1/loads", content=b"a" * 70_000).status_code == 413  # only uploads may be large
        for body in (gzip.compress(b"a,b\n" * 9_000), b"PK\3\4", b"SQLite format 3\0", b"a,\0", b"\xff\xfe", b" "):
            assert boss.post(place, content=body).status_code == 422, body[:10]
        assert boss.post("/v1/uploads?source=bomb&kind=xlsx", content=b"a,b\n").status_code == 422
        assert boss.post("/v1/uploads?source=bomb&kind=xls", content=b"a,b\n").status_code == 422
        assert "bomb" not in boss.get("/v1/loads").text
    head = f"POST /v1/loads HTTP/1.1\nHost: localhost\nAuthorization: Bearer {key}\nContent-Length: 100\n\n"
    assert raw(keyed, head, rest=b"{").split()[1] == b"408"


def test_a_revoked_key_is_none(keyed: Keyed):
    with keyed.service.client(keyed.key["gone"]) as client:
        assert client.get("/v1/sources").status_code == 200
        keyed.keys.revoke("gone")
        assert client.get("/v1/sources").status_code == 401
    assert keyed.key["alice"].encode() not in keyed.keys.path.read_bytes()
    assert keyed.keys.path.stat().st_mode & 0o077 == 0


def test_another_tenants_answers_and_facts_are_not_there(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as alice, keyed.service.client(keyed.key["bob"]) as bob:
        identity = alice.post("/v1/answers", json=QUESTION).json()["id"]
        job = alice.post("/v1/answers", json=QUESTION, headers={"Prefer": "respond-async"}).json()["id"]
        for path in ("", "/explanation", "/citations/1"):
            assert bob.get(f"/v1/answers/{identity}{path}").status_code == 404
        assert bob.get(f"/v1/answers/{job}").status_code == 404
        assert bob.delete(f"/v1/answers/{job}").status_code == 404
        assert bob.get("/v1/facts?entity=Steve Jobs").status_code == 404
        assert identity not in bob.get("/v1/answers").text
        assert alice.get("/v1/facts?entity=Aurora").status_code == 404
        assert bob.get("/v1/fusion?entity=Steve Jobs").status_code == 404
        begun = alice.post("/v1/fusion", json={"attribute": "captain"}).json()["id"]
        assert alice.get(f"/v1/jobs/{begun}").status_code == 200
        for other in (bob.get(f"/v1/jobs/{begun}"), bob.delete(f"/v1/jobs/{begun}")):
            assert other.status_code == 404
        assert begun not in bob.get("/v1/jobs").text


PATHS = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "....//",
    "0123456789ab%00",
    "0" * 11,
]


@pytest.mark.parametrize("path", PATHS)
def test_no_id_and_no_name_is_a_path(keyed: Keyed, path: str):
    for place in (
        f"/v1/answers/{path}",
        f"/v1/answers/{path}/explanation",
        f"/assets/{path}",
        f"/v1/answers/0123456789ab/{path}",
    ):
        head = (
            f"GET {place} HTTP/1.1\nHost: localhost\nAuthorization: Bearer {keyed.key['alice']}\nConnection: close\n\n"
        )
        got = raw(keyed, head)
        assert got.split()[1] in {b"404", b"422"}, place
        assert b"root:" not in got


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost:1@evil.example", "", "a, localhost"]
)
def test_another_host_is_refused(keyed: Keyed, host: str):
    key = keyed.key["alice"]
    got = raw(keyed, f"GET /v1/sources HTTP/1.1\nHost: {host}\nAuthorization: Bearer {key}\n\n")
    assert got.split()[1] in {b"421", b"400"}


def test_pages_of_other_sites_may_not_ask(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://[::1"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            reply = client.post("/v1/answers", json=QUESTION, headers=headers)
            assert reply.status_code == 403
            assert reply.json()["detail"] == "Pages of other sites may not ask here."
            assert reply.headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in reply.headers
        plain = client.post("/v1/answers", content=b'{"question":"x"}', headers={"Content-Type": "text/plain"})
        assert plain.status_code == 422
        asked = client.options("/v1/answers", headers={"Origin": keyed.service.url})
        assert "access-control-allow-origin" not in asked.headers
        own = client.get("/v1/sources", headers={"Origin": keyed.service.url})
        assert own.status_code == 200


def test_too_much_is_refused(keyed: Keyed):
    def pieces():
        for _ in range(40):
            yield b" " * 4096

    with keyed.service.client(keyed.key["alice"]) as client:
        assert client.post("/v1/answers", content=b" " * 70_000).status_code == 413
        assert client.post("/v1/answers", content=pieces()).status_code == 413
        assert client.post("/v1/answers", json={"question": "x" * 2_001}).status_code == 422
        assert client.post("/v1/answers", json={**QUESTION, "depth": 99}).status_code == 422
        assert client.post("/v1/answers", json={**QUESTION, "agent": "llm"}).status_code == 422
        assert client.post(
            "/v1/answers", content=b"[" * 30_000, headers={"content-type": "application/json"}
        ).status_code in {400, 422}
        assert client.get("/v1/sources", headers={"X-Long": "x" * 40_000}).status_code == 431


def test_what_is_wrong_with_a_request_is_one_sentence(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        for body, detail in (
            ({**QUESTION, "seconds": 5e-324}, "'seconds' is not valid: it should be greater than or equal to 0.1."),
            ({"question": ""}, "'question' is not valid: it should have at least 1 character."),
            ({}, "'question' is not valid: it is required."),
            ({**QUESTION, "x": 1}, "'x' is not valid: Extra inputs are not permitted."),
        ):
            reply = client.post("/v1/answers", json=body)
            assert (reply.status_code, reply.json()["detail"]) == (422, detail)
        broken = client.post("/v1/answers", content=b"{", headers={"content-type": "application/json"})
        assert (broken.status_code, broken.json()["detail"]) == (422, "The body of the request is not valid JSON.")
        assert client.get("/v1/answers?limit=5.0").status_code == 200
        assert client.get("/v1/answers?limit=5.5").status_code == 422


def test_methods_that_an_address_does_not_know_are_told_the_ones_it_does(keyed: Keyed):
    with keyed.service.client() as client:
        for method in ("TRACE", "PROPFIND"):
            reply = client.request(method, "/v1/loads")
            assert (reply.status_code, reply.headers["allow"]) == (405, "DELETE, GET, HEAD, POST")
    with keyed.service.client(keyed.key["alice"]) as client:
        for path, allowed in (
            ("/v1/answers/0123456789ab", "DELETE, GET"),
            ("/v1/fusion", "GET, POST"),
            ("/livez", "GET"),
            ("/", "GET"),
        ):
            reply = client.head(path)
            assert (reply.status_code, reply.headers["allow"]) == (405, allowed)


def test_too_slow_is_hung_up_on(keyed: Keyed):
    key = keyed.key["alice"]
    body = f"POST /v1/answers HTTP/1.1\nHost: localhost\nAuthorization: Bearer {key}\nContent-Length: 100\n\n"
    assert raw(keyed, body, rest=b'{"quest').split()[1] == b"408"
    assert raw(keyed, "GET / HTTP/1.1\nHost: localhost\nX-Drip: ") == b""


@pytest.mark.parametrize("strategy", ["hydra\r\nX-Injected: 1", "../../x", "hydra;rm"])
def test_nothing_gets_into_headers(keyed: Keyed, strategy: str):
    with keyed.service.client(keyed.key["alice"]) as client:
        reply = client.post("/v1/answers", json={**QUESTION, "strategy": strategy})
        assert reply.status_code == 422
        assert "x-injected" not in reply.headers
    head = f"Host: localhost\nAuthorization: Bearer {keyed.key['alice']}\n\n"
    got = raw(keyed, f"GET /v1/answers/%0d%0aX-Injected:%201 HTTP/1.1\n{head}")
    assert b"x-injected" not in got.partition(b"\r\n\r\n")[0].lower()


def test_a_keys_limit_says_when_to_come_back(keyed: Keyed):
    with keyed.service.client(keyed.key["slow"]) as client:
        replies = [client.get("/v1/sources") for _ in range(3)]
    assert replies[0].status_code == 200
    assert replies[-1].status_code == 429
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 30


def test_faults_tell_nothing_of_the_machine(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        reply = client.post("/v1/answers", json={**QUESTION, "sources": ["nobody's"]})
        assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")
        assert str(keyed.store) not in reply.text
        assert client.get("/nowhere").status_code == 404
        assert client.put("/v1/answers").status_code == 405


def test_other_machines_need_keys(tmp_path):
    with pytest.raises(UsageError, match="Without keys"):
        require_keys(ServeOptions(host="0.0.0.0", keys=str(tmp_path / "none.sqlite")))
    assert require_keys(ServeOptions(keys=str(tmp_path / "none.sqlite"))).open_


def test_security_headers_are_everywhere(keyed: Keyed):
    with keyed.service.client() as client:
        for path in ("/", "/livez", "/v1/sources", "/nowhere"):
            headers: httpx.Headers = client.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert "server" not in headers
