"""hydra-kg mcp, spoken to by the official client over standard input and output."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from helpers.programs import own_environment
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

TOOLS = ["ask", "verify_claim", "check_text", "find_entity", "facts_about", "explain", "why_not", "sources"]


Talk = Callable[[Client], Awaitable[None]]
Speak = Callable[[Talk], None]


@contextmanager
def serving(store: Path, folder: Path) -> Iterator[Speak]:
    """Start the server as a client does. Yield a function that runs a talk with it."""
    environment = own_environment(folder / "home")
    command = ["-m", "hydra_kg", "mcp", "--store", str(store), "--agent", "offline"]
    started = Client(StdioServerParameters(command=sys.executable, args=command, env=environment))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(started) as client:
        yield lambda talk: portal.call(talk, client)


@pytest.fixture(scope="module")
def speak(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Speak]:
    """Talk with one server of all these tests, whose store is a copy of the sample."""
    folder = tmp_path_factory.mktemp("mcp")
    with serving(shutil.copytree(sample_store, folder / "store"), folder) as talk:
        yield talk


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The reply of a tool."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    found: dict[str, Any] = json.loads(content.text)
    return found


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that fails."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.is_error
    return content.text


def test_a_question_is_answered_explained_and_its_facts_are_found(speak: Speak) -> None:
    async def talk(client: Client) -> None:
        answer = await call(client, "ask", question="Where was Lionel Messi born?")
        assert answer["answers"][0]["name"].startswith("Rosario")
        assert answer["citations"][0]["locator"]
        assert "[1]" in answer["paths"][0]

        explained = await call(client, "explain", answer_id=answer["id"])
        assert explained["question"] == "Where was Lionel Messi born?"
        assert explained["paths"] == answer["paths"]

        (messi, *_) = (await call(client, "find_entity", name="Lionel Messi"))["found"]
        born = await call(client, "facts_about", entity=messi["id"], relation="born")
        assert any(fact["fact"].endswith(answer["answers"][0]["name"]) and fact["stated_by"] for fact in born["facts"])

        claim = await call(client, "verify_claim", claim="Lionel Messi was born in Rosario.")
        assert claim["claim"] == "true"

        text = await call(client, "check_text", text="Lionel Messi was born in Rosario. He was born in Vienna.")
        assert [s["status"] for s in text["sentences"]] == ["stated", "contradicted"]
        assert text["sentences"][0]["evidence"][0]["places"]

        missing = await call(client, "why_not", answer_id=answer["id"], expected="Vienna")
        assert not missing["is_answer"]
        assert "Vienna" in missing["summary"]

        loads = (await call(client, "sources"))["loads"]
        assert {s["name"] for load in loads for s in load["sources"]} >= {"freebase", "wikidata"}

    speak(talk)


def test_replies_stay_within_their_tokens_and_pages_join(speak: Speak) -> None:
    async def talk(client: Client) -> None:
        whole = await call(client, "facts_about", entity="Lionel Messi", limit=500, max_tokens=20_000)
        assert len(whole["facts"]) == whole["facts_in_all"] > 10
        seen: list[str] = []
        start: int | None = 0
        while start is not None:
            page = await call(client, "facts_about", entity="Lionel Messi", start=start, limit=500, max_tokens=300)
            assert len(json.dumps(page)) <= 3 * 300 + 500
            seen += [fact["fact"] for fact in page["facts"]]
            start = page.get("next_start")
        assert seen == [fact["fact"] for fact in whole["facts"]]

    speak(talk)


def test_what_fails_is_an_error_with_its_remedy_and_the_server_goes_on(speak: Speak) -> None:
    async def talk(client: Client) -> None:
        assert "find_entity" in await refused(client, "facts_about", entity="Nobody Nowhere")
        assert "hydra-kg " in await refused(client, "explain", answer_id="../../etc/passwd")
        assert "2000" in await refused(client, "ask", question="x" * 2_001)
        assert (await call(client, "ask", question="Where was Lionel Messi born?"))["answers"]

    speak(talk)


def test_a_silent_answer_has_nothing_that_looks_like_evidence(speak: Speak) -> None:
    async def talk(client: Client) -> None:
        answer = await call(client, "ask", question="Who was Isaac Newton married to?")
        assert answer["verdict"] == "unsupported"
        assert answer["missing"]
        assert not {"paths", "citations", "perhaps"} & answer.keys()

        explained = await call(client, "explain", answer_id=answer["id"])
        assert not {"paths", "citations", "perhaps"} & explained.keys()
        assert {"path", "why"} == explained["pruned"][0].keys()
        assert not any("[" in row["path"] for row in explained["pruned"])

        claim = await call(client, "verify_claim", claim="Isaac Newton was married to Marie Curie.")
        assert claim["claim"] == "unknown"
        assert not {"paths", "citations", "perhaps"} & claim.keys()

    speak(talk)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {"question": "Who?", "depth": 3}, "ask has no argument 'depth': it takes question, topics, max_tokens."),
    ("ask", {}, "'question' is not valid: it is required."),
    ("ask", {"question": 5}, "'question' is not valid: it should be a valid string."),
    ("sources", {"max_tokens": 5}, "'max_tokens' is not valid: it should be greater than or equal to 200."),
    ("find_entity", {"name": "Who?", "limit": "many"}, "'limit' is not valid: it should be a valid integer"),
]


def test_wrong_arguments_are_refused_in_one_plain_sentence(speak: Speak) -> None:
    async def talk(client: Client) -> None:
        for tool, arguments, text in WRONG:
            told = await refused(client, tool, **arguments)
            assert told.startswith(text)
            assert "pydantic" not in told
            assert "\n" not in told
        for tool in (await client.list_tools()).tools:
            assert tool.input_schema["additionalProperties"] is False

    speak(talk)


def test_tools_are_listed_without_a_store(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
        assert len(json.dumps([tool.model_dump(mode="json") for tool in tools])) < 12_000
        assert "hydra-kg load" in await refused(client, "ask", question="Where was Lionel Messi born?")

    with serving(tmp_path / "nowhere", tmp_path) as speak:
        speak(talk)


def test_what_a_name_means_is_chosen(speak: Speak) -> None:
    async def talk(client: Client) -> None:
        question = "What is the population of Germany?"
        plain = await call(client, "ask", question=question)
        assert plain["names"] == [{"text": "Germany", "understood_as": "Germany", "id": "m.0345h"}]
        same = await call(client, "ask", question=question, topics=["Germany=m.0345h"])
        assert {**same, "id": ""} == {**plain, "id": ""}
        other = await call(client, "ask", question=question, topics=["Germany=m.084n_"])
        (name,) = other["names"]
        assert (name["text"], name["id"], name["note"]) == ("Germany", "m.084n_", "chosen by hand")
        assert other["answer"] != plain["answer"]

    speak(talk)


def test_lines_that_are_no_message_are_answered_with_an_error(sample_store: Path, tmp_path: Path) -> None:
    store = shutil.copytree(sample_store, tmp_path / "store")
    half = json.dumps({"question": "\ud800"})
    lines = [
        f'{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"ask","arguments":{half}}}}}',
        '{"jsonrpc":"2.0","id":"\\udc00","method":"ping"}',
        f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{half}}}',
        "",
        "{nonsense",
        "[" * 100_000,
        '{"jsonrpc":"1.0","id":3,"method":"ping"}',
        '{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"_meta":{}}}',
        '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"ask","arguments":'
        '{"question":"Who directed Inception?"}}}',  # standard input ends while it is being answered
    ]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    first = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    begun = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    done = subprocess.run(
        [sys.executable, "-m", "hydra_kg", "mcp", "--store", str(store), "--agent", "offline"],
        input="\n".join([first, begun, *lines, ""]),
        env=own_environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(reply["id"], reply.get("error", {}).get("code")) for reply in replies]
    refused = [(2, -32700), (None, -32700), (None, -32700), (None, -32700), (None, -32700), (None, -32600)]
    assert Counter(found) == Counter([(1, None), *refused, (8, None), (9, None)])  # in any order
    assert "Christopher Nolan" in done.stdout
    (half_character,) = (reply["error"]["message"] for reply in replies if reply["id"] == 2)
    assert "lone surrogate" in half_character
