"""Cited lines: shown only of the very file that a load of this user has read, and never through a link."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hydra_kg.errors import LoadError
from hydra_kg.ingest import cited
from hydra_kg.ingest.cited import CitedFile, CitedPlace, show_lines
from hydra_kg.ingest.loaded_files import LoadedFiles, state_of

TEXT = "one\ntwo\nthree\n"
LATER = 3_600_000_000_000


@pytest.fixture
def record(tmp_path: Path) -> LoadedFiles:
    """A record whose clock is an hour ahead, so that files are old enough to be remembered."""
    return LoadedFiles(tmp_path / "record.sqlite", clock=lambda: time.time_ns() + LATER)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of three lines in a folder of its own."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lines.nt").write_text(TEXT)
    return tmp_path / "data" / "lines.nt"


def place_of(file: Path, text: str = TEXT) -> CitedPlace:
    """Line 2 of a file that was loaded with a text."""
    data = text.encode()
    return CitedPlace(
        "load",
        "freebase",
        file.name,
        2,
        folder=str(file.parent),
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def loaded(record: LoadedFiles, place: CitedPlace) -> CitedPlace:
    """The same place, whose file a load of this user has read."""
    record.record([{"folder": place.folder, "name": place.file, "sha256": place.sha256}])
    return place


def test_lines_of_a_loaded_file_are_shown(record: LoadedFiles, file: Path) -> None:
    found, lines = show_lines(loaded(record, place_of(file)), record=record)
    assert (found.state, found.path, found.why) == ("as loaded", file, "")
    assert [(line.number, line.text) for line in lines if line.cited] == [(2, "two")]
    assert [line.number for line in lines] == [1, 2, 3]


def test_the_word_of_a_store_opens_nothing(record: LoadedFiles, file: Path) -> None:
    found, lines = show_lines(place_of(file), record=record)
    assert (found.state, lines) == ("not loaded here", [])
    assert "hydra-kg sources trust" in found.remedy
    assert str(file.parent) not in found.why + found.remedy


def test_a_name_that_leads_elsewhere_opens_nothing(record: LoadedFiles, file: Path) -> None:
    for name in ("../data/lines.nt", "/etc/passwd", "..", "", "a\0b", "\ud800"):
        place = CitedPlace("load", "freebase", name, 1, folder=str(file.parent), bytes=14, sha256="0" * 64)
        assert record.record([{"folder": place.folder, "name": name, "sha256": place.sha256}]) == 0
        assert show_lines(place, record=record)[0].state == "not loaded here"


def swap_for_link(file: Path) -> None:
    other = file.with_name("other")
    file.rename(other)
    file.symlink_to(other)


def swap_folder_for_link(file: Path) -> None:
    shutil.move(file.parent, file.parent.with_name("moved"))
    file.parent.symlink_to(file.parent.with_name("moved"))


def swap_for_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def swap_for_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("swap", [swap_for_link, swap_folder_for_link, swap_for_pipe, swap_for_folder])
def test_links_pipes_and_folders_are_not_opened(record: LoadedFiles, file: Path, swap: Callable[[Path], None]) -> None:
    place = loaded(record, place_of(file))
    swap(file)
    found, lines = show_lines(place, record=record)
    assert (found.state, lines) == ("unreadable", [])
    assert "link" in found.why
    assert found.remedy


def test_a_file_that_was_loaded_through_a_link_is_shown(record: LoadedFiles, file: Path) -> None:
    link = file.with_name("link.nt")
    link.symlink_to(file)
    assert show_lines(loaded(record, place_of(link)), record=record)[0].state == "as loaded"
    link.unlink()
    link.symlink_to("/etc/passwd")
    assert [line.text for line in show_lines(place_of(link), record=record)[1]] == ["one", "two", "three"]


@pytest.mark.parametrize("text", ["one\ntwo\nTHREE\n", "one\ntwo\n"])
def test_a_changed_file_is_not_shown_even_with_its_old_times(record: LoadedFiles, file: Path, text: str) -> None:
    place = loaded(record, place_of(file))
    assert show_lines(place, record=record)[0].state == "as loaded"
    about = file.stat()
    file.write_text(text)
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    found, lines = show_lines(place, record=record)
    assert (found.state, lines) == ("changed", [])
    assert "--replace" in found.remedy


def test_a_checksum_is_taken_once_until_the_file_changes(
    record: LoadedFiles, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, taken = loaded(record, place_of(file)), []
    real = cited._checksum
    monkeypatch.setattr(cited, "_checksum", lambda *args: taken.append(1) or real(*args))
    assert [show_lines(place, record=record)[0].state for _ in range(3)] == ["as loaded"] * 3
    assert len(taken) == 1
    os.utime(file)
    assert show_lines(place, record=LoadedFiles(record.path))[0].state == "as loaded"
    assert show_lines(place, record=LoadedFiles(record.path))[0].state == "as loaded"
    assert len(taken) == 3, "a file that changed a moment ago may change again within the same tick"


def test_a_load_takes_the_checksum_of_a_file_that_nobody_touches(
    record: LoadedFiles, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(file)
    entry = {"folder": place.folder, "name": place.file, "sha256": place.sha256}
    record.record([entry], states={file.resolve(): state_of(file.stat())})
    monkeypatch.setattr(cited, "_checksum", lambda *_: pytest.fail("the load read it already"))
    assert show_lines(place, record=record)[0].state == "as loaded"


def test_a_checksum_that_takes_too_long_is_said(
    record: LoadedFiles, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_time(*_: object) -> str:
        raise LoadError("late")

    place = loaded(record, place_of(file))
    monkeypatch.setattr(cited, "_checksum", out_of_time)
    found, lines = show_lines(place, record=record)
    assert (found.state, lines) == ("unchecked", [])
    assert "--seconds" in found.remedy


def test_a_file_that_the_user_names_must_be_what_was_loaded(record: LoadedFiles, file: Path, tmp_path: Path) -> None:
    place = place_of(tmp_path / "gone" / "lines.nt")
    link = tmp_path / "link"
    link.symlink_to(file)
    for given in (file, file.parent, link):
        assert show_lines(place, given, record=record)[0].state == "as loaded"
    file.write_text("one\nTWO\nthree\n")
    found, lines = show_lines(place, file, record=record)
    assert (found.state, lines) == ("changed", [])


def test_what_a_folder_of_the_user_holds_under_another_path_is_not_opened(record: LoadedFiles, file: Path) -> None:
    secret = file.with_name("secret")
    secret.write_text(TEXT)
    place = place_of(file)
    hostile = CitedPlace("load", "freebase", "sub/../../data/secret", 1, bytes=place.bytes, sha256=place.sha256)
    assert show_lines(hostile, file.parent, record=record)[0].path == file.with_name("secret")


def test_a_file_without_a_known_folder_is_not_looked_for(
    record: LoadedFiles, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    place = place_of(file)
    found, lines = show_lines(
        CitedPlace("load", "freebase", file.name, 2, bytes=place.bytes, sha256=place.sha256), record=record
    )
    assert (found, lines) == (CitedFile(Path(file.name), "gone", why=found.why, remedy=found.remedy), [])
    assert "--file PATH" in found.remedy


def test_the_record_is_readable_by_its_user_alone(record: LoadedFiles, file: Path) -> None:
    loaded(record, place_of(file))
    assert record.path.stat().st_mode & 0o077 == 0
