"""Asking from several processes never fails or waits while loads, replacements and drops run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from helpers.programs import own_environment

from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores import open_store
from hydra_kg.util.package_data import find_content

ASKS = int(os.environ.get("HYDRA_ASKS", "20"))
"""In all; the figures in the documentation come from 200."""

PROCESSES = 2

ASKER = """
import json, sys
from hydra_kg import Hydra, Settings
from hydra_kg.util.package_data import find_content

lines = find_content("sample", "questions.jsonl").read_text("utf-8").splitlines()
questions = [json.loads(line)["question"] for line in lines]
with Hydra(store=sys.argv[1], settings=Settings()) as hydra:
    print("ready", flush=True)
    for n in range(int(sys.argv[2])):
        answer = hydra.ask(questions[n % len(questions)], keep=n % 5 == 0)
        loads = tuple(load["name"] for load in answer.manifest["loads"])
        cited = {fact.source.name for e in answer.evidence for h in e.path.hops for fact in h.facts}
        print(json.dumps({"loads": loads, "cited": sorted(cited)}), flush=True)
"""


def test_asks_while_a_load_runs(sample_store, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(sample_store, store)
    environment = own_environment(drop=())
    askers = [
        subprocess.Popen(
            [sys.executable, "-c", ASKER, str(store), str(ASKS // PROCESSES)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(PROCESSES)
    ]
    assert [a.stdout.readline() for a in askers if a.stdout] == ["ready\n"] * PROCESSES
    loader = open_store(store)
    rounds = 0
    while any(a.poll() is None for a in askers) and rounds < 200:
        _change(loader, rounds)
        rounds += 1
    lines = []
    for asker in askers:
        out, err = asker.communicate(timeout=120)
        assert asker.returncode == 0, err[-2000:]
        lines += [json.loads(line) for line in out.splitlines()]
    loader.close()
    assert len(lines) == ASKS // PROCESSES * PROCESSES
    assert rounds >= 2, "loads ran while questions were asked"
    seen = {tuple(line["loads"]) for line in lines}
    assert seen <= {("fb2w", "freebase", "passages", "wikidata"), ("fb2w", "freebase", "wikidata")}
    for line in lines:
        assert set(line["cited"]) <= set(line["loads"]), "an answer rests on what its manifest says"


def _change(store: object, number: int) -> None:
    """Drop and load passages, or replace Wikidata: each is one flip."""
    from hydra_kg.stores.embedded.store import EmbeddedStore

    assert isinstance(store, EmbeddedStore)
    match number % 3:
        case 0:
            store.drop("passages")
        case 1:
            load_files(store, [Path(find_content("sample", "passages.jsonl"))])
        case _:
            load_files(store, [Path(find_content("sample", "wikidata.nt.gz"))], LoadOptions(replace=True))
