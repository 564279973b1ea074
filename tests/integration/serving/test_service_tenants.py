"""Several tenants of one worker: the jobs of one do not delay those of another, and one that is stopped never runs."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.servers.service import PATIENCE, Service, service

from hydra_kg.serving.shared.service_keys import Keys

from .test_service_loading import finished

HOLD = """
import os, sys, time

def hold():
    try:
        os.rename(os.environ["HOLD"], os.environ["HOLD"] + ".held")  # by the first process only
    except FileNotFoundError:
        return
    while os.path.exists(os.environ["HOLD"] + ".held"):
        time.sleep(0.02)

if "multiprocessing.forkserver" in " ".join(sys.orig_argv):
    os.register_at_fork(after_in_child=hold)
"""
"""``sitecustomize.py``: the first job that begins while the file HOLD is there waits until ``HOLD.held`` is removed."""

FUSION = {"attribute": "place of birth", "limit": 1}


@dataclass
class Tenants:
    """A service with one worker and two tenants, ann and ben. ``hold``: see HOLD."""

    service: Service
    key: dict[str, str]
    hold: Path


@pytest.fixture(scope="module")
def tenants(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    folder = tmp_path_factory.mktemp("tenants")
    (folder / "sitecustomize.py").write_text(HOLD)
    keys, key = Keys(folder / "keys.sqlite"), {}
    for name in ("ann", "ben"):
        store = shutil.copytree(sample_store, folder / name)
        key[name] = keys.add(name, scopes=["ask", "admin"], store=str(store), per_minute=0)
    hold = folder / "hold"
    environment = {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "HOLD": str(hold)}
    own = folder / "own"
    with service(folder / "ann", own, "--keys", str(keys.path), environment=environment) as one:
        one.wait()
        yield Tenants(one, key, hold)


@pytest.mark.slow
def test_the_jobs_of_one_tenant_do_not_delay_those_of_another(tenants: Tenants):
    held = Path(f"{tenants.hold}.held")
    with tenants.service.client(tenants.key["ann"]) as ann, tenants.service.client(tenants.key["ben"]) as ben:
        tenants.hold.touch()
        first = ann.post("/v1/fusion", json=FUSION)
        last = time.monotonic() + PATIENCE
        while not held.exists():
            assert time.monotonic() < last, tenants.service.log.read_text()
            time.sleep(0.02)
        others = [ann.post("/v1/fusion", json=FUSION) for _ in range(3)]
        try:
            upload = ben.post("/v1/uploads?source=ships", content="ship,captain\nAurora,Ann Lee\n")
            assert finished(ben, upload)["state"] == "done"
            assert finished(ben, ben.post("/v1/loads/ships/flip"))["state"] == "done"
            states = [ann.get(job.headers["location"]).json()["state"] for job in (first, *others)]
            assert states == ["running", "waiting", "waiting", "waiting"]

            stopped = ann.delete(others[1].headers["location"])
            assert (stopped.status_code, stopped.json()["state"]) == (202, "stopped")
            job = ann.get(others[1].headers["location"]).json()
            assert (job["state"], job["why"]) == ("stopped", "It was stopped.")
            assert ann.delete(others[1].headers["location"]).status_code == 409
        finally:
            held.unlink()
        states = [finished(ann, job)["state"] for job in (first, *others)]
        assert states == ["done", "done", "stopped", "done"]
