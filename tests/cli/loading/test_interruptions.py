"""A kill, Ctrl-C, a full disk and a folder that only reads, from the command line: one clear line, and what to do."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.programs import OWN_MOUNTS, own_environment, why_no_mounts

from hydra_kg.util.package_data import find_content


@pytest.fixture
def started(tmp_path: Path, heeds_interrupts: None) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the command as a program of its own that heeds Ctrl-C; ended with the test."""
    environment = own_environment(tmp_path / "home", drop=("HYDRA_", "OPENAI_", "COVERAGE_"))
    all_: list[subprocess.Popen[str]] = []

    def start(*words: object, through: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        command = [*through, sys.executable, "-m", "hydra_kg", *map(str, words)]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(command, **pipes, text=True, cwd=tmp_path, env=environment)
        all_.append(process)
        return process

    yield start
    for process in all_:
        process.kill()
        process.communicate()


def within(program: Callable[..., subprocess.Popen[str]], setup: str, *words: object) -> tuple[int, str]:
    """Exit status and stderr of the command after ``setup``, in a name space of mounts of its own."""
    if why := why_no_mounts():
        pytest.skip(f"nothing can be mounted: {why}")
    process = program(*words, through=(*OWN_MOUNTS, "sh", "-c", f'{setup}; exec "$0" "$@"'))
    said = process.communicate(timeout=120)[1]
    return process.returncode, said


def test_after_a_kill_the_same_command_says_at_once_that_it_goes_on(tmp_path, started):
    file = tmp_path / "many.csv"
    file.write_text("name,height\n" + "".join(f"Tower {n},{n}\n" for n in range(80_000)))
    load = ("load", file, "--yes", "--store", tmp_path / "store")
    killed = started(*load)
    assert killed.stderr is not None
    for line in killed.stderr:
        if line.startswith("many: sort"):  # what was read is noted as done
            killed.kill()
    assert killed.wait() == -signal.SIGKILL
    again = started(*load)
    out, said = again.communicate(timeout=120)
    assert again.returncode == 0, said
    assert "many: goes on where an earlier run stopped, which had done: read" in said
    assert "taken up after an earlier run, which had done: read" in out


def test_ctrl_c_before_the_command_is_imported_is_one_line(tmp_path, started):
    interrupt = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(9)"
    (tmp_path / "click.py").write_text(interrupt)  # what is imported first of the working folder, in place of the real
    starting = started("--version")
    assert starting.communicate(timeout=60) == ("", "\nInterrupted. Nothing was done.\n")
    assert starting.returncode == 130


def test_ctrl_c_in_an_operation_on_a_store_says_how_it_was_left(tmp_path, started, sample_store):
    shutil.copytree(sample_store, tmp_path / "store")
    backup = started("db", "backup", tmp_path / "b.tar.zst", "--store", tmp_path / "store")
    while backup.poll() is None and not list(tmp_path.glob("*.part.b.tar.zst")):
        time.sleep(0.002)
    backup.send_signal(signal.SIGINT)
    said = backup.communicate()[1]
    assert backup.returncode == 130, said
    assert said.strip().endswith("Interrupted. No store is left half done. Run the same command again.")
    assert not list(tmp_path.glob("*b.tar.zst"))


def test_ctrl_c_at_a_question_is_an_interruption(tmp_path, started, program):
    assert program("load", find_content("sample", "harbour.csv"), "--yes", "--store", "store").returncode == 0
    asking = started("sources", "drop", "harbour", "--store", "store")
    assert asking.stderr is not None
    while asking.stderr.read(1) not in ("", "]"):  # ... [y/N]:
        pass
    time.sleep(0.1)
    asking.send_signal(signal.SIGINT)
    said = asking.communicate()[1]
    assert asking.returncode == 130, said
    assert said.strip().endswith("Interrupted. Nothing was done.")
    assert "harbour" in program("sources", "list", "--store", "store").stdout


def test_a_store_in_a_folder_that_only_reads_is_backed_up_and_not_called_damaged(tmp_path, started, program):
    loaded = program("load", find_content("sample", "harbour.csv"), "--entity", "ferry", "--yes", "--store", "store")
    assert loaded.returncode == 0
    setup = f"mount --bind {tmp_path}/store {tmp_path}/store && mount -o remount,ro,bind {tmp_path}/store"
    code, said = within(started, setup, "db", "backup", "b.tar", "--store", "store")
    assert code == 0, said
    code, said = within(started, setup, "db", "doctor", "--store", "store")
    assert code == 0, said
    assert program("db", "restore", "b.tar", "--store", "anew").returncode == 0
    assert "harbour" in program("sources", "list", "--store", "anew").stdout


@pytest.mark.parametrize("room", [0, 16, 48])
def test_without_room_for_the_first_file_of_a_store_the_disk_is_named(tmp_path, started, room):
    """``room``: in KiB. An earlier try has left a catalog that holds nothing."""
    (tmp_path / "disk").mkdir()
    file = find_content("sample", "harbour.csv")
    disk = tmp_path / "disk"
    setup = f"mount -t tmpfs -o size=1M tmpfs {disk}; mkdir {disk}/s; : > {disk}/s/catalog.sqlite;"
    setup += f" head -c {(1020 - room) * 1024} /dev/zero > {disk}/ballast"
    code, said = within(started, setup, "load", file, "--entity", "ferry", "--yes", "--store", disk / "s")
    assert code == 1
    assert "ree space" in said
    assert "Traceback" not in said
    assert "permissions" not in said
