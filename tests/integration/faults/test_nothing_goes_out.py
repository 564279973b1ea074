"""What the product sends when nobody asked it to: nothing, watched by strace in a network namespace of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.excerpt import about
from helpers.run_once import once

SAMPLE = Path(__file__).resolve().parents[3] / "hydra_kg" / "sample"

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


def run(folder: Path, code: str, *arguments: str, wait: bool = True) -> None:
    """A Python program in a network of its own. Every call that concerns it goes to the file ``trace``, what it says of
    faults to ``said``, its exit status to ``status``."""
    if shutil.which("strace") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("needs strace and the right to make a network namespace")
    home = folder / "home"
    home.mkdir()
    # It stops at what it watches, not at every call.
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=network", "-o", str(folder / "trace")]
    command = ["unshare", "-rn", *strace, sys.executable, "-c", code, *arguments]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "PYTHONPATH": ":".join(sys.path)}
    script = '{ "$@" >/dev/null 2>said; echo $? >status; }' + ("" if wait else " &")
    subprocess.run(["sh", "-c", script, "sh", *command], cwd=folder, env=environment, check=True, timeout=300)


def sent(folder: Path) -> list[str]:
    """Every call of a program that has ended, and of processes that it started, that left this machine or would."""
    assert int((folder / "status").read_text()) == 0, (folder / "said").read_text()
    home = folder / "home"
    prepared = home / ".cache" / "hydra-kg" / "prepared"  # our own copy of the model, named after the library
    files = [path for path in home.rglob("*") if not path.is_relative_to(prepared)]
    left = [path for path in files if "onnxruntime" in str(path) or "Microsoft" in str(path)]
    assert left == []
    return [
        line
        for line in (folder / "trace").read_text(errors="replace").splitlines()
        if _CALL.search(line) and not _INSIDE.search(line)
    ]


def test_the_watch_sees_what_a_process_of_the_program_sends(tmp_path):
    """Else all that follows proves nothing."""
    connect = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect_ex(('192.0.2.1', 53))"
    run(tmp_path, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {connect!r}], check=True)")
    (line,) = sent(tmp_path)
    assert "192.0.2.1" in line


def few(folder: Path) -> str:
    """A folder with what the sample's graph says of Steve Jobs, and its passages."""
    about({"m.06y3r"}, "freebase.nt.gz", folder)
    shutil.copy(SAMPLE / "passages.jsonl", folder)
    return str(folder)


@pytest.fixture
def resting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a program that rests for a minute after its work. It began when a test first asked for it, and
    others run meanwhile."""

    def start(shared: Path) -> None:
        folder = tmp_path_factory.mktemp("resting")
        run(folder, RESTING, few(folder / "few"), "60", wait=False)
        shared.mkdir()
        (shared / "folder").write_text(str(folder))

    return Path((once("resting", start, factory=tmp_path_factory) / "folder").read_text())


@pytest.mark.usefixtures("resting")
def test_loading_asking_and_evaluating_send_nothing(tmp_path):
    run(tmp_path, PLAIN, few(tmp_path / "few"), str(SAMPLE / "questions.jsonl"))
    assert sent(tmp_path) == []


@pytest.mark.slow
@pytest.mark.late
def test_a_process_at_rest_sends_nothing(resting):
    # Reports of the library that runs the embedding model left ten seconds after its start.
    until = time.monotonic() + 300
    while not (resting / "status").exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert sent(resting) == []
