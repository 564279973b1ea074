"""The committed files of the web application: complete, small, and without a request to anywhere else."""

from __future__ import annotations

import gzip
import json
import re

from hydra_kg.serving.web.site import FOLDER, built_files

BUDGET = 350_000
"""Bytes that the whole application may have when it is compressed."""


def test_the_page_names_files_that_are_there_and_holds_no_code():
    files = built_files()
    page = files["index.html"].plain.decode()
    assert set(re.findall(r'(?:src|href)="/([^"]+)"', page)) < set(files)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


def test_the_application_is_small():
    assert sum(len(file.packed) for file in built_files().values()) < BUDGET
    assert all(gzip.decompress(file.packed) == file.plain for file in built_files().values())


def test_nothing_is_asked_of_other_hosts():
    calls = re.compile(rb"""(?:fetch|import|src=|href=|url)\(?\s*["'`](?:https?:)?//""")
    assert [name for name, file in built_files().items() if calls.search(file.plain)] == []


def test_the_lock_file_names_no_host_and_every_package_has_a_checksum():
    lock = json.loads((FOLDER.parent / "package-lock.json").read_text("utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert [name for name, one in packages.items() if "resolved" in one or "integrity" not in one] == []
