"""Files of a store that are cut or have bits turned: an error that names the file, or the doctor finds it; no crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from helpers.programs import own_environment
from helpers.samples import small_disk

from hydra_kg.stores.embedded.store import EmbeddedStore

CHILD = Path(__file__).resolve().parents[2] / "helpers" / "samples" / "damage.py"
REBUILT = "pairs.npy"  # made anew where it is missing or does not fit


def test_every_damaged_file_is_told(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "store") as store:
        for name in "ab":
            small_disk.put(store, name, 1, links=60)
        store.compact(more_than=1, everything=True)
    command = [sys.executable, str(CHILD), str(tmp_path / "store"), "7", "1"]
    env = own_environment(drop=())
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]  # no signal; the last file that stands there did it
    told = json.loads(done.stdout)
    assert told["same"]
    assert len(told["cut"]) > 100
    assert len(told["turned"]) > 40
    for one in (o for o in told["cut"] if o["file"] != REBUILT):
        assert one["end"] == "error", one
        assert one["folder"] in one["said"], one
        assert "\n" in one["said"], one  # with a remedy
        assert one["found"], one
    for one in (o for o in told["turned"] if o["file"] != REBUILT):
        assert one["end"] != "fault", one
        assert any(one["file"] in text for text in one["found"]), one
