"""What the product sends when nobody asked it to: nothing, watched by strace in a network namespace of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

PLAIN = """
import subprocess, sys
run = lambda *words: subprocess.run([sys.executable, "-m", "hydra_kg", *words], check=True, stdout=subprocess.DEVNULL)
sample = sys.argv[1]
run("load", f"{sample}/freebase.nt.gz", f"{sample}/passages.jsonl", "--store", "store")
run("ask", "When was Steve Jobs born?", "--store", "store")
run("eval", "run", sys.argv[2], "--store", "store", "--limit", "2", "--out", "run", "--jobs", "2")
"""

RESTING = """
import sys, time
from hydra_kg import Hydra
with Hydra(store="store") as hydra:
    hydra.load(f"{sys.argv[1]}/freebase.nt.gz")
    assert hydra.ask("When was Steve Jobs born?").answers
    time.sleep(int(sys.argv[2]))
"""

_CALL = re.compile(r"\b(connect|sendto|sendmsg|sendmmsg)\(")
_INSIDE = re.compile(r"AF_UNIX|AF_NETLINK|127\.0\.0\.1|\"::1\"|\\0{15}\\1")


def watched(folder: Path, code: str, *arguments: str) -> list[str]:
    """Every call of a Python program, and of processes that it starts, that leaves this machine or would."""
    if shutil.which("strace") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("needs strace and the right to make a network namespace")
    home = folder / "home"
    home.mkdir()
    trace = folder / "trace"
    command = [
        "unshare",
        "-rn",
        "strace",
        "-f",
        "-qq",
        "-e",
        "trace=network",
        "-o",
        str(trace),
        sys.executable,
        "-c",
        code,
    ]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "PYTHONPATH": ":".join(sys.path)}
    subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, check=True, timeout=300, stdout=subprocess.DEVNULL
    )
    assert not [path for path in home.rglob("*") if "onnxruntime" in str(path) or "Microsoft" in str(path)]
    return [
        line
        for line in trace.read_text(errors="replace").splitlines()
        if _CALL.search(line) and not _INSIDE.search(line)
    ]


def test_loading_asking_and_evaluating_send_nothing(tmp_path):
    sample = ROOT / "hydra_kg" / "sample"
    assert watched(tmp_path, PLAIN, str(sample), str(sample / "questions.jsonl")) == []


@pytest.mark.slow
def test_a_process_at_rest_sends_nothing(tmp_path):
    # Reports of the library that runs the embedding model left ten seconds after its start.
    assert watched(tmp_path, RESTING, str(ROOT / "hydra_kg" / "sample"), "60") == []
