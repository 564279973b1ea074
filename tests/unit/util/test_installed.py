"""Entry points are read once in a process, and again where the folders of packages are others."""

from __future__ import annotations

from hydra_kg.util import installed
from hydra_kg.util.installed import entry_points


def test_all_packages_are_read_once(monkeypatch):
    installed._all.cache_clear()
    read, asked = installed.metadata.entry_points, []
    monkeypatch.setattr(installed.metadata, "entry_points", lambda: asked.append(1) or read())
    names = {e.name for e in entry_points("hydra_kg.strategies")}
    assert {"hydra", "tog-2"} <= names
    assert {e.name for e in entry_points("hydra_kg.strategies")} == names
    assert "freebase" in {e.name for e in entry_points("hydra_kg.loaders")}
    assert asked == [1]


def test_a_package_in_a_folder_that_comes_later_is_found(monkeypatch, tmp_path):
    assert "later" not in {e.name for e in entry_points("hydra_kg.strategies")}
    package = tmp_path / "later-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: later\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[hydra_kg.strategies]\nlater = later:Later\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "later" in {e.name for e in entry_points("hydra_kg.strategies")}
