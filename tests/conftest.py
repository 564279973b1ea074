"""The sample in a store, once for all tests."""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.run_once import once
from helpers.servers.neo4j_server import (  # noqa: F401  fixtures for all tests
    empty_neo4j,
    neo4j_cleared,
    neo4j_named,
    neo4j_server,
    neo4j_without_apoc,
)
from helpers.servers.neo4j_stores import SAMPLE, excerpt_files, neo4j_database, neo4j_sample  # noqa: F401
from helpers.servers.small_model import small_model  # noqa: F401
from helpers.waiting_for_seals import wait_for_seals
from hypothesis import HealthCheck, settings
from thorough import examples

if TYPE_CHECKING:
    from hydra_kg import Hydra

# Tests run beside each other: what is slow then is no fault of a test. The same inputs in every run, so that a change
# that fails did so itself; HYDRA_THOROUGH=5 draws five times as many, bench/faults/fuzz.py draws new ones.
settings.register_profile(
    "busy", parent=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("busy")

SERVERS = ("neo4j_", "empty_neo4j")
SHARED = ("both", "small_model")
"""Services and a model that start once: what needs one is a group, too."""
MEMORY = Path("/dev/shm")
ROOM = 8 << 30
"""Bytes of memory that must be free for the folders of the tests."""
PASSED = pytest.StashKey[bool]()


def _memory() -> int:
    """Bytes that a folder in memory may take here; 0 where there is none."""
    try:
        (free,) = re.findall(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text("ascii"))
        return min(int(free) << 10, shutil.disk_usage(MEMORY).free) if os.access(MEMORY, os.W_OK) else 0
    except (OSError, ValueError):
        return 0


def pytest_configure() -> None:
    """Give this run folders of its own for records and copies, in place of the user's."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = tempfile.mkdtemp(prefix="hydra-kg-tests-")
            atexit.register(shutil.rmtree, os.environ[name], ignore_errors=True)


def pytest_collectstart() -> None:
    """What is imported and collected lives until the end: there is no garbage to look for."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Garbage is looked for from here on, and only among what the tests make."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)  # 700 is usual; a test makes more than that of what lives
    gc.enable()


def pytest_unconfigure() -> None:
    """Modules that look at the end for what was not freed find nothing."""
    gc.unfreeze()


# Hundreds of small stores are written with fsync, for which a disk takes milliseconds each time.
if _memory() > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in this hook: marks that come later are not seen
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is run beside what: what needs a server is one group, whose tests share it, and so is what needs one of
    SHARED; else a file is one. The group of the server begins first, and who reads the sample on it comes before those
    who empty it; what only waits for something that began long before is last. What needs the sample loaded is
    slow."""
    for item in items:
        if item.get_closest_marker("server") or any(name.startswith(SERVERS) for name in _fixtures(item)):
            item.add_marker(pytest.mark.server)
        if "sample_store" in _fixtures(item):
            item.add_marker(pytest.mark.slow)
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=_turn)


def _fixtures(item: pytest.Item) -> Sequence[str]:
    return getattr(item, "fixturenames", ())


def _turn(item: pytest.Item) -> tuple[bool, ...]:
    late = bool(item.get_closest_marker("late"))
    return late, "neo4j_sample" not in _fixtures(item), not item.get_closest_marker("server")


def _group(item: pytest.Item) -> str:
    if item.get_closest_marker("late"):
        return item.nodeid
    if item.get_closest_marker("server"):
        return "server"
    if own := item.get_closest_marker("group"):
        return str(own.args[0])
    needed = [name for name in SHARED if name in _fixtures(item)]
    return needed[0] if needed else item.nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """As always, but emptied after a test that passed. The folder stays, so that no other test gets one of its name:
    what is remembered of a file is remembered by its path."""
    yield tmp_path
    if request.node.stash.get(PASSED, False):
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir(exist_ok=True)


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds the whole sample. Shared: tests that change a store copy it first.

    It is loaded once for all workers of pytest-xdist; each has a copy of its own.
    """
    from hydra_kg import Hydra, Settings
    from hydra_kg.util.package_data import find_content

    def load(folder: Path) -> None:
        with Hydra(store=folder, settings=Settings()) as hydra:
            hydra.load(*(find_content("sample", n) for n in SAMPLE))
        wait_for_seals()

    loaded = once("sample-loaded", load, factory=tmp_path_factory)
    return Path(shutil.copytree(loaded, tmp_path_factory.mktemp("sample") / "store"))


@pytest.fixture(scope="session")
def sample(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """The sample, opened and warm; its answers are not kept.

    It has a copy of its own: to copy an open SQLite file drops the locks of this process, and another process that
    closes the file then removes its journal.
    """
    from hydra_kg import Hydra, Settings

    store = shutil.copytree(sample_store, tmp_path_factory.mktemp("opened") / "store")
    with Hydra(store=store, settings=Settings()) as hydra:
        yield hydra


@pytest.fixture
def heeds_interrupts() -> Iterator[None]:
    """Programs that the test starts heed SIGINT, also where the shell that started the tests ignores it for jobs in
    the background: ignored signals are inherited, handled ones are reset."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
