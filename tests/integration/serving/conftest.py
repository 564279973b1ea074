"""Two services, started at once: one with keys and two workers, one whose model never answers."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.browser import FLAGS, chromium
from helpers.servers.service import Service, service, trust_files

from hydra_kg import Hydra, Settings
from hydra_kg.serving.shared.day_budget import DayBudget
from hydra_kg.serving.shared.service_keys import Keys
from hydra_kg.util.package_data import find_content

SCRIPT = "<script>alert(1)</script>"


@dataclass
class Keyed:
    """A service with keys. ``key``: by name · ``store``: alice's · ``inbox``: bob's, whose administrator is boss."""

    service: Service
    keys: Keys
    key: dict[str, str]
    store: Path
    inbox: Path


@dataclass
class Stuck:
    """A service whose questions hang in the call of a model. ``model``: where that would be."""

    service: Service
    model: socket.socket


@pytest.fixture(scope="package")
def both(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Keyed, Stuck]]:
    """Both of them."""
    folder = tmp_path_factory.mktemp("services")
    mine = Path(shutil.copytree(sample_store, folder / "alice"))
    table = folder / "ferries.csv"
    table.write_text(f'ferry,pier,captain\n{SCRIPT},Pier 3,"Eve ""]]>"" \\r\\n Injected: 1"\nAurora,Pier 7,Ann Lee\n')
    with Hydra(store=folder / "bob", settings=Settings()) as hydra:
        hydra.load(
            table, *(find_content("sample", n) for n in ("harbour.csv", "tourbook.csv")), extra={"entity": "ferry"}
        )
    trust_files(mine, folder / "a")
    inbox, own = folder / "inbox", folder / "own inbox"
    for place, captain in ((inbox, "Bo Berg"), (own, "nobody")):
        place.mkdir()
        (place / "barges.csv").write_text(f"barge,captain\n{captain}'s barge,{captain}\n")
    (own / "private.csv").write_text("a,b\n1,2\n")
    keys = Keys(folder / "keys.sqlite")
    key = {
        "alice": keys.add("alice", per_minute=0),
        "bob": keys.add("bob", store=str(folder / "bob"), per_minute=0),
        "reader": keys.add("reader", scopes=["read"], per_minute=0),
        "scraper": keys.add("scraper", scopes=["metrics"], per_minute=0),
        "slow": keys.add("slow", per_minute=2),
        "gone": keys.add("gone"),
        "admin": keys.add("admin", scopes=["admin"], per_minute=0),
        "boss": keys.add("boss", scopes=["admin"], store=str(folder / "bob"), per_minute=0, inbox=str(inbox)),
        "curator": keys.add("curator", scopes=["ask", "admin"], per_minute=0),
        "poor": keys.add("poor", per_minute=0, budget=DayBudget(questions=2)),
    }
    model = socket.create_server(("127.0.0.1", 0))
    at = f"http://127.0.0.1:{model.getsockname()[1]}/v1"
    stuck_with = {
        "HYDRA_MODEL_NAME": "m",
        "OPENAI_BASE_URL": at,
        "OPENAI_API_KEY": "none",
        "HYDRA_AGENT_GRAPH_FIRST": "1",
    }
    bounds = ("--threads", "1", "--queue", "1", "--seconds", "120", "--agent", "llm", "--grace", "1")
    with (
        model,
        service(
            mine, folder / "a", "--workers", "2", "--keys", str(keys.path), "--patience", "1", "--inbox", str(own)
        ) as keyed,
        service(sample_store, folder / "b", *bounds, environment=stuck_with) as stuck,
    ):
        keyed.wait()
        stuck.wait()
        yield Keyed(keyed, keys, key, mine, inbox), Stuck(stuck, model)


@pytest.fixture(scope="package")
def keyed(both: tuple[Keyed, Stuck]) -> Keyed:
    """The one with keys."""
    return both[0]


@pytest.fixture(scope="package")
def stuck(both: tuple[Keyed, Stuck]) -> Stuck:
    """The one that hangs."""
    return both[1]


@pytest.fixture(scope="module")
def started_browser() -> Iterator[Any]:
    """A browser, where there is one."""
    program = chromium()
    if program is None:
        pytest.skip("no Chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        one = p.chromium.launch(executable_path=program, args=FLAGS)
        yield one
        one.close()


@pytest.fixture
def browser(started_browser: Any) -> Iterator[Any]:
    """The browser of a module without the pages of earlier tests, which would go on drawing and asking."""
    yield started_browser
    for context in started_browser.contexts:
        context.close()
