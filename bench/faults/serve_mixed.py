"""Half an hour and longer of mixed use of `hydra-kg serve`: does a request fail, and does memory grow?

    python bench/faults/serve_mixed.py [--store STORE] [--seconds 2400] [--rate 14] [--workers 2]

Clients beside each other do what people and programs do, in an order drawn from a seed: questions as JSON, as events
and as jobs, questions left or stopped half way, kept answers with their page, explanation and citations, things, facts,
fusion, MCP, metrics, and requests that must be refused. Only this machine is spoken to, for so many seconds at most,
with so many requests a second. A request fails that is not answered as it should be. Before the first look at memory
every worker has answered each question and done the same for a tenth of the time: what is imported and remembered by
first requests is no growth. Without ``--store`` the sample is loaded. Results go to ``bench/results/serve_memory.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import httpx
from helpers.servers.service import Service, service

from bench.measure import commit, machine, save
from bench.speed.serve import memory, sample_questions, sample_store, warmed

CLIENTS = 32
THINGS = ("Steve Jobs", "Lionel Messi", "Pixar", "Google", "Wolfgang Amadeus Mozart")
MCP = {"Accept": "application/json, text/event-stream"}

NOTES = (
    "Failed: not answered as it should be, however; requests that must be refused were refused. Left: clients that "
    "hung up on purpose.",
    "MB: memory that the workers share with nobody and that is in no file, at the start and after each tenth of the "
    "time. The start is after each worker answered each question and was used like that for a tenth of the time.",
    "The machine did other work meanwhile, so times say nothing here: failures and memory do.",
)


class Use:
    """Some clients of one service. ``failed``: what was not answered as it should be, by kind."""

    def __init__(self, one: Service, questions: list[str], *, rate: float, until: float) -> None:
        self._questions, self._until, self._pause = questions, until, CLIENTS / rate
        self._url = one.url
        self._ids: list[str] = []
        self.kinds: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.requests = 0

    async def run(self) -> None:
        """All clients until the end."""
        await asyncio.gather(*(self._client(n) for n in range(CLIENTS)))

    async def _client(self, seed: int) -> None:
        draw = random.Random(seed)
        deeds: list[tuple[Callable[..., Awaitable[None]], int]] = [
            (self._question, 5),
            (self._events, 2),
            (self._left, 1),
            (self._job, 1),
            (self._stopped, 1),
            (self._kept, 25),
            (self._store, 40),
            (self._tool, 5),
            (self._refused, 20),
        ]
        names, weights = [deed for deed, _ in deeds], [weight for _, weight in deeds]
        async with httpx.AsyncClient(base_url=self._url, timeout=120, trust_env=False) as client:
            while (began := time.monotonic()) < self._until:
                before = self.requests
                (deed,) = draw.choices(names, weights)
                kind = deed.__name__.strip("_")
                self.kinds[kind] += 1
                try:
                    await deed(client, draw)
                except (httpx.TransportError, AssertionError, ValueError, KeyError) as e:
                    self.failed[f"{kind}: {type(e).__name__} {str(e)[:80]}"] += 1
                await asyncio.sleep(began + self._pause * (self.requests - before) - time.monotonic())

    async def _get(self, client: httpx.AsyncClient, path: str, status: int = 200, **params: Any) -> httpx.Response:
        return await self._sent(client, "GET", path, status, params=params)

    async def _sent(
        self, client: httpx.AsyncClient, method: str, path: str, *status: int, **more: Any
    ) -> httpx.Response:
        self.requests += 1
        reply = await client.request(method, path, **more)
        assert reply.status_code in status, f"{method} {path[:20]} {reply.status_code}"
        return reply

    def _asked(self, draw: random.Random) -> dict[str, str]:
        return {"question": draw.choice(self._questions)}

    async def _question(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        body: dict[str, str] = self._asked(draw)
        if self._ids and draw.random() < 0.2:
            body["after"] = self._ids[-1]
        found = await self._sent(client, "POST", "/v1/answers", 200, json=body)
        self._ids = [*self._ids[-50:], found.json()["id"]]

    async def _events(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        self.requests += 1
        accept = {"Accept": "text/event-stream"}
        async with client.stream("POST", "/v1/answers", json=self._asked(draw), headers=accept) as reply:
            text = "".join([part async for part in reply.aiter_text()])
        assert "event: answer" in text, f"{reply.status_code}: {text[-80:]}"

    async def _left(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        self.requests += 1
        accept = {"Accept": draw.choice(["text/event-stream", "application/json"])}
        with suppress(TimeoutError):
            async with asyncio.timeout(draw.uniform(0.005, 0.3)), httpx.AsyncClient(trust_env=False) as own:
                await own.post(f"{self._url}/v1/answers", json=self._asked(draw), headers=accept)

    async def _job(self, client: httpx.AsyncClient, draw: random.Random, *, stop: bool = False) -> None:
        prefer = {"Prefer": "respond-async"}
        begun = await self._sent(client, "POST", "/v1/answers", 202, json=self._asked(draw), headers=prefer)
        place = begun.headers["Location"]
        if stop:
            await self._sent(client, "DELETE", place, 202, 409)
        for _ in range(600):
            await asyncio.sleep(0.2)
            found = await self._sent(client, "GET", place, 200, 202, 410)
            if found.status_code != 202:
                assert stop or found.status_code == 200, found.text
                return
        raise AssertionError("a job did not end")

    async def _stopped(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        await self._job(client, draw, stop=True)

    async def _kept(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        if not self._ids or draw.random() < 0.2:
            await self._get(client, "/v1/answers", limit=50)
            return
        place = f"/v1/answers/{draw.choice(self._ids)}"
        doc = (await self._get(client, place)).json()
        await self._get(client, place + draw.choice(["/page", "/explanation"]))
        if doc["citations"]:
            await self._get(client, f"{place}/citations/{draw.choice(doc['citations'])['n']}")

    async def _store(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        thing = draw.choice(THINGS)
        some: list[tuple[str, dict[str, Any]]] = [
            ("/v1/entities", {"name": thing}),
            ("/v1/facts", {"entity": thing, "limit": 20}),
            ("/v1/facts", {"entity": thing, "relation": "born"}),
            ("/v1/fusion", {"entity": thing, "places": True}),
            ("/v1/sources", {}),
            ("/v1/jobs", {}),
            ("/metrics", {}),
            ("/readyz", {}),
            ("/", {}),
            ("/assets/cytoscape.min.js", {}),
            ("/openapi.json", {}),
        ]
        path, params = draw.choice(some)
        await self._get(client, path, **params)

    async def _tool(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        tool, given = draw.choice(
            [
                ("find_entity", {"name": draw.choice(THINGS)}),
                ("facts_about", {"entity": draw.choice(THINGS)}),
                ("sources", {}),
                ("ask", self._asked(draw)),
            ]
        )
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}
        reply = await self._sent(client, "POST", "/mcp", 200, json=call, headers=MCP)
        assert not reply.json()["result"].get("isError"), reply.text[:80]

    async def _refused(self, client: httpx.AsyncClient, draw: random.Random) -> None:
        method, path, status, more = draw.choice(
            [
                ("GET", "/v1/answers/000000000000", 404, {}),
                ("GET", "/v1/facts?entity=nothing%20is%20called%20so", 404, {}),
                ("POST", "/v1/answers", 422, {"json": {"question": ""}}),
                ("POST", "/v1/answers", 422, {"content": b"{"}),
                ("POST", "/v1/answers", 413, {"content": b" " * 70_000}),
                ("GET", "/v1/sources", 421, {"headers": {"Host": "elsewhere"}}),
                ("GET", "/v1/inbox", 403, {}),
            ]
        )
        await self._sent(client, method, path, status, **more)


def all_ready(one: Service) -> None:
    """Until none of its workers still starts."""
    seen = 0
    while seen < 20:
        seen = seen + 1 if httpx.get(f"{one.url}/readyz", trust_env=False).status_code == 200 else 0
        time.sleep(0.2)


async def used(one: Service, questions: list[str], *, rate: float, seconds: float) -> tuple[Use, list[float]]:
    """The use, and MB before it and after each tenth of its time."""
    await Use(one, questions, rate=rate, until=time.monotonic() + seconds / 10).run()
    began = time.monotonic()
    use, samples = Use(one, questions, rate=rate, until=began + seconds), [memory(one)]
    running = asyncio.create_task(use.run())
    for n in range(1, 11):
        await asyncio.sleep(began + seconds * n / 10 - time.monotonic())
        samples.append(memory(one))
        print(f"{n}/10: {use.requests} requests, {samples[-1]:.0f} MB, failed {dict(use.failed)}", flush=True)
    await running
    return use, samples


def main() -> None:
    """Use, measure, save."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", type=Path, help="a store; it is written to, as every question is kept")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2_400)
    parser.add_argument("--rate", type=float, default=14.0, help="requests a second, of all clients")
    given = parser.parse_args()
    seconds = min(given.seconds, 3_600.0)
    with tempfile.TemporaryDirectory() as scratch:
        store = given.store or sample_store(Path(scratch) / "store")
        with service(
            store, Path(scratch) / "mixed", "--workers", str(given.workers), "--queue", "64", "--agent", "offline"
        ) as one:
            one.wait()
            all_ready(one)
            warmed(one, questions := sample_questions(), workers=given.workers)
            use, mb = asyncio.run(used(one, questions, rate=given.rate, seconds=seconds))
    row = {
        "workers": given.workers,
        "seconds": round(seconds),
        "requests": use.requests,
        "failed": sum(use.failed.values()),
        "left": use.kinds["left"],
        "stopped": use.kinds["stopped"],
        "MB by tenths": " ".join(f"{one:.0f}" for one in mb),
        "growth %": round(100 * (mb[-1] / mb[0] - 1), 1),
        "growth %, second half": round(100 * (mb[-1] / mb[5] - 1), 1),
    }
    print(json.dumps({"kinds": use.kinds, "failed": use.failed}))
    save(
        "serve_memory",
        title="Mixed use of the HTTP service: failures and memory",
        command=f"bench/faults/serve_mixed.py --seconds {seconds:g} --rate {given.rate:g}",
        about={**machine("fastapi", "uvicorn"), "commit": commit()},
        notes=(*NOTES, "Deeds: " + ", ".join(f"{n:,} {kind}" for kind, n in sorted(use.kinds.items())) + "."),
        rows=[row],
    )


if __name__ == "__main__":
    main()
