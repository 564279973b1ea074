"""Two official MCP clients stay connected to `hydra-kg serve`: is every question over HTTP still answered?

    python bench/faults/mcp_clients.py [--store STORE] [--questions 100] [--sdk 1.32.2]

A client of the TypeScript SDK (from npm, into a scratch folder; it needs ``node`` and ``npm``) and one of the Python
SDK connect, list the tools and ask, and stay connected. Two more connections ask for the stream of ``GET /mcp`` and
wait for it, as clients with a session do. Meanwhile the questions are asked over HTTP, two at a time, of one worker
with two threads, and ``/readyz`` is read after each. At the end both clients ask again. Without ``--store`` the sample
is loaded. Results go to ``bench/results/mcp_clients.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import httpx
from helpers.servers.service import Service, service
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from bench.measure import machine, save
from bench.speed.serve import sample_questions, sample_store

QUESTION = "where was Steve Jobs born?"
SECONDS = 60
"""The longest that a question may take."""

NOTES = (
    "One worker with two threads. readyz: replies other than 200 among those read after each question.",
    "GET /mcp: requests for a stream that the client sent by itself; all are answered 405. The Python client sends one "
    "only to servers with sessions.",
    "streams: what two more connections got that asked for the stream of GET /mcp and waited for it.",
    "before, after: whether the client's own question was answered before and after the questions over HTTP.",
)


@asynccontextmanager
async def typescript(url: str, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the client of the TypeScript SDK that is installed in ``folder``."""
    script = Path(shutil.copy(Path(__file__).with_name("mcp_client.mjs"), folder))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("node", script, url, QUESTION, stdin=pipe, stdout=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def read_line(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """Return the next line of the TypeScript client; {} if it ended or says nothing in time."""
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), SECONDS)
    except TimeoutError:
        return {}
    return dict(json.loads(line or b"{}"))


async def ask_tool(client: Client) -> str:
    """Return the answer that the Python client gets."""
    (content,) = (await client.call_tool("ask", {"question": QUESTION})).content
    assert isinstance(content, TextContent)
    return str(json.loads(content.text)["answer"])


async def open_stream(url: str) -> int:
    """Ask for the stream of GET /mcp; return the status, -1 if none came in time."""
    async with httpx.AsyncClient(trust_env=False, timeout=SECONDS) as client:
        try:
            async with client.stream("GET", url, headers={"Accept": "text/event-stream"}) as reply:
                await reply.aread()
                return reply.status_code
        except httpx.TimeoutException:
            return -1


async def ask_over_http(url: str, questions: list[str]) -> tuple[Counter[int], Counter[int]]:
    """Ask all questions, two at a time; return how often each status came, of the questions and of /readyz."""
    asked, ready = Counter[int](), Counter[int]()
    left = iter(questions)

    async def client() -> None:
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=SECONDS) as http:
            for question in left:
                for counts, request in (
                    (asked, http.build_request("POST", "/v1/answers", json={"question": question})),
                    (ready, http.build_request("GET", "/readyz")),
                ):
                    try:
                        counts[(await http.send(request)).status_code] += 1
                    except httpx.TransportError:
                        counts[-1] += 1

    await asyncio.gather(client(), client())
    return asked, ready


async def run(one: Service, questions: list[str], sdk: Path) -> list[dict[str, Any]]:
    """Connect the clients, ask, and return a row for each client."""
    url = f"{one.url}/mcp"
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(typescript(url, sdk))
        first = await read_line(node)
        streams_of_node = count_streams(one)
        python = await stack.enter_async_context(Client(streamable_http_client(url)))
        before = await ask_tool(python)
        streams_of_python = count_streams(one) - streams_of_node
        streams = [asyncio.create_task(open_stream(url)) for _ in range(2)]
        asked, ready = await ask_over_http(one.url, questions)
        shared = {
            "questions": len(questions),
            "answered": asked[200],
            "readyz not 200": ready.total() - ready[200],
            "streams": " ".join(map(str, await asyncio.gather(*streams))),
        }
        after = await ask_tool(python)
        assert node.stdin is not None
        node.stdin.close()
        last = await read_line(node)
    clients = (("TypeScript", streams_of_node, first.get("before"), last.get("after")),)
    clients += (("Python", streams_of_python, before, after),)
    return [
        {"client": name, "GET /mcp": sent, "before": bool(old), "after": bool(new), **shared}
        for name, sent, old, new in clients
    ]


def count_streams(one: Service) -> int:
    """Return how many requests of GET /mcp the service has answered."""
    lines = [json.loads(line) for line in one.log.read_text().splitlines() if line.startswith("{")]
    return sum(line.get("route") == "/mcp" and line.get("method") == "GET" for line in lines)


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--sdk", default="1.32.2")
    options = parser.parse_args()
    if not (shutil.which("node") and shutil.which("npm")):
        sys.exit("node and npm are not installed")
    some = sample_questions()
    questions = [some[n % len(some)] for n in range(options.questions)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sdk = folder / "sdk"
        sdk.mkdir()
        package = f"@modelcontextprotocol/sdk@{options.sdk}"
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", sdk, package], check=True)
        store = options.store or sample_store(folder / "store")
        with service(store, folder / "user", "--workers", "1", "--threads", "2") as one:
            one.wait()
            rows = asyncio.run(run(one, questions, sdk))
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    save(
        "mcp_clients",
        title="Two MCP clients that stay connected",
        command=f"python bench/faults/mcp_clients.py --questions {options.questions} --sdk {options.sdk}",
        about={**machine(), "node": node, "TypeScript SDK": options.sdk, "Python SDK": version("mcp")},
        notes=NOTES,
        rows=rows,
    )


if __name__ == "__main__":
    main()
