"""Uploaded tables: each in a folder of its own, called like its source, and removed when no load names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hydra_kg.errors import FormatError, NotFoundError, UsageError
from hydra_kg.serving.inbox import OLD, TOGETHER, UPLOADS, files_of, store_upload


def stored(folder: Path, identity: str, *, used: list[str]) -> Path:
    return store_upload(folder, b"a,b\n1,2\n", name="My boats", kind="csv", identity=identity, used=used)


def test_a_table_is_called_like_its_source(tmp_path: Path):
    path = stored(tmp_path, "0123456789ab", used=[])
    assert path == tmp_path / UPLOADS / "0123456789ab" / "my_boats.csv"
    assert path.read_text() == "a,b\n1,2\n"


def test_old_tables_that_no_load_names_are_removed_wherever_the_store_is(tmp_path: Path):
    named, unnamed = (stored(tmp_path, identity, used=[]) for identity in ("000000000001", "000000000002"))
    (earlier := tmp_path / UPLOADS / "boats-000000000003.csv").write_text("a\n")
    (gone := tmp_path / UPLOADS / "boats-000000000004.csv").write_text("a\n")
    for path in (named.parent, unnamed.parent, earlier, gone):
        os.utime(path, (0, path.stat().st_mtime - 2 * OLD))
    files = [
        {"name": named.name, "folder": f"/moved/elsewhere/{named.parent.name}"},
        {"name": earlier.name, "folder": f"/moved/elsewhere/{UPLOADS}"},
    ]
    stored(tmp_path, "000000000005", used=files_of([{"details": {"files": files}}]))
    assert sorted(p.name for p in (tmp_path / UPLOADS).iterdir()) == sorted(
        [named.parent.name, earlier.name, "000000000005"]
    )


def joined(folder: Path, name: str, *, used: tuple[str, ...] = (), identity: str = "0123456789ab") -> Path:
    return store_upload(folder, b"a\n1\n", name=name, kind="csv", identity=identity, used=used, joins=True)


def test_more_files_join_an_upload_until_it_is_loaded(tmp_path: Path):
    first = stored(tmp_path, "0123456789ab", used=[])
    assert joined(tmp_path, "Members").parent == first.parent
    with pytest.raises(UsageError, match=r"called members\.csv"):
        joined(tmp_path, "members")
    with pytest.raises(NotFoundError):
        joined(tmp_path, "repairs", used=("0123456789ab/members.csv",))
    with pytest.raises(NotFoundError):
        joined(tmp_path, "repairs", identity="000000000000")
    for number in range(TOGETHER - 2):
        joined(tmp_path, f"table {number}")
    with pytest.raises(UsageError, match="together"):
        joined(tmp_path, "one more")


def test_documents_do_not_join_an_upload_of_tables(tmp_path: Path):
    stored(tmp_path, "0123456789ab", used=[])
    with pytest.raises(UsageError, match="sources of their own"):
        store_upload(tmp_path, b"Hello", name="letter", kind="txt", identity="0123456789ab", used=(), joins=True)


@pytest.mark.parametrize(
    "kind, body, says",
    [
        ("pdf", b"Hello", "no file of the kind pdf"),
        ("docx", b"Hello", "no file of the kind docx"),
        ("txt", b"%PDF-1.7 renamed", "Only plain text"),
        ("md", "caf\u00e9".encode("latin-1"), "not UTF-8"),
    ],
)
def test_a_document_is_what_its_name_says(tmp_path: Path, kind: str, body: bytes, says: str):
    with pytest.raises(FormatError, match=says):
        store_upload(tmp_path, body, name="letter", kind=kind, identity="0123456789ab", used=())
    assert not (tmp_path / UPLOADS).exists()
