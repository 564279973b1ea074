"""Uploaded tables: each in a folder of its own, called like its source, and removed when no load names it."""

from __future__ import annotations

import os
from pathlib import Path

from hydra_kg.serving.inbox import OLD, UPLOADS, files_of, store_upload


def stored(folder: Path, identity: str, *, used: list[str]) -> Path:
    return store_upload(folder, b"a,b\n1,2\n", source="My boats", kind="csv", identity=identity, used=used)


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
