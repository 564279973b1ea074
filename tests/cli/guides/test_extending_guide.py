"""docs/extending.md: every block runs as it is printed, on real files, a real store and a real server."""

from __future__ import annotations

import json
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from hydra_kg.fusion.truth_discovery import methods
from hydra_kg.ingest.contract import loader as contract
from hydra_kg.strategies import registry
from hydra_kg.util.package_data import find_content

PAGE = Path(__file__).resolve().parents[3] / "docs" / "extending.md"
Run = Callable[[str], ModuleType]


def blocks(title: str, language: str) -> list[str]:
    """The blocks of a section of the page."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert section is not None
    return re.findall(rf"^```{language}\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample_store: Path, call: object) -> Run:
    """Runs the Python of a section as a module, in a folder with the sample's store and tables."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sample_store, tmp_path / "my-store")
    for name in ("harbour.csv", "townsite.csv", "tourbook.csv"):
        shutil.copy(find_content("sample", name), name)

    def all_of(title: str) -> ModuleType:
        name = "example_" + re.sub(r"\W", "_", title.lower())
        file = tmp_path / f"{name}.py"
        file.write_text("\n\n".join(blocks(title, "python")), "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return import_module(name)

    return all_of


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A server that searches; the queries that it got."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        """Answers every search with one hit."""

        def do_GET(self) -> None:
            """One hit, whatever is asked."""
            asked.append(parse_qs(urlsplit(self.path).query)["q"][0])
            hit = {
                "title": "John Lennon, a biography",
                "link": "https://library.example/lennon",
                "abstract": "John Lennon was born in Liverpool.",
            }
            body = json.dumps({"hits": [hit]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("LIBRARY_URL", f"http://127.0.0.1:{server.server_port}")
    yield asked
    server.shutdown()
    server.server_close()
    thread.join()


def installed(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, made: object) -> None:
    """As if a package of the user's named an entry point."""
    ours = module.entry_points
    entry = SimpleNamespace(name=name, load=lambda: made)
    monkeypatch.setattr(module, "entry_points", lambda group: [*ours(group=group), entry])


def test_the_strategy_answers(run, capsys, monkeypatch, sample):
    left = run("A strategy")
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("graph-then-text ")
    assert "Liverpool" in said[0]
    assert "Liverpool" in said[1], "text alone, where the graph is never sure enough"
    installed(monkeypatch, registry, "graph-then-text", left.GraphThenText)
    answer = sample.ask("Where was John Lennon born?", strategy="graph-then-text+first=pog", keep=False)
    assert (answer.strategy, answer.answers[0].name) == ("graph-then-text+first=pog", "Liverpool")


def test_the_loader_loads(run, capsys, monkeypatch, call, tmp_path):
    (text,) = blocks("A loader", "text")
    Path("lind.ged").write_text(text, "utf-8")
    left = run("A loader")
    counts, answer = capsys.readouterr().out.splitlines()
    assert counts == "12 {'lines': 6} {'silent': 5} {'level': 1}"
    assert answer == "Borealis Bay lind.ged:6"
    contract.loaders.cache_clear()
    installed(monkeypatch, contract, "gedcom", left.GedcomLoader)
    try:
        done = call("load", "lind.ged", "--store", str(tmp_path / "other"))
        assert "rejected" in done.output
        assert "Borealis Bay" in call("ask", "Where was Mara Lind born?", "--store", str(tmp_path / "other")).output
    finally:
        contract.loaders.cache_clear()


def test_the_fusion_method_judges(run, capsys, monkeypatch, call):
    left = run("A fusion method")
    said = capsys.readouterr().out
    assert "Pier 3" in said
    assert "harbour" in said
    installed(monkeypatch, methods, "cautious", left.Cautious)
    assert "Lennon" in call("fuse", "John Lennon", "--method", "cautious", "--store", "my-store").output


def test_the_web_provider_is_asked(run, capsys, library):
    run("A web provider")
    assert capsys.readouterr().out.strip() == "Liverpool https://library.example/lennon"
    assert library == ["Where was John Lennon born?"]
