"""``load --append``: new rows beside old ones, keyed rows replaced, provenance kept, all at once or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import hydra_kg.sample
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.fusion.gathering.store_claims import statements
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.report import LoadResult
from hydra_kg.stores.embedded.store import EmbeddedStore

FIRST = "code,name,price,maker\na1,Lamp,10,Kest\na2,Bowl,20,Kest\n"
SECOND = "code,name,price,maker\na2,Bowl,25,Ald\na3,Chair,7,Ald\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "p1.csv", tmp_path / "p2.csv"
    first.write_text(FIRST)
    second.write_text(SECOND)
    return first, second


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "store") as opened:
        yield opened


def facts(store: EmbeddedStore, key: str) -> dict[tuple[str, str], str]:
    """What is stated of a thing, with its place."""
    with store.snapshot() as snapshot:
        (node,) = snapshot.lookup([key])
        assert node is not None
        return {(s.attribute, s.value.name): str(s.fact.locator) for s in statements(snapshot, [node])}


def load(
    store: EmbeddedStore, *paths: Path, append: bool = False, source: str = "stock", listener: Listener = ignore
) -> LoadResult:
    options = LoadOptions(append=append, source=source)
    (result,) = load_files(store, list(paths), options, listener=listener).loads
    return result


def test_a_later_row_replaces_an_earlier_one_and_places_stay(store, files):
    load(store, files[0])
    report = load(store, files[1], append=True)
    assert report.dropped["replaced"] == 1
    assert facts(store, "stock:a1")["price", "10"] == "column price (p1.csv + p2.csv:2)"
    changed = facts(store, "stock:a2")
    assert set(changed) == {("code", "a2"), ("price", "25"), ("maker", "Ald")}
    assert changed["price", "25"] == "column price (p1.csv + p2.csv:5)"
    before = store.loads()[-1]["checksum"]
    again = load(store, files[1], append=True)
    assert (again.read, len(again.files)) == (6, 2)
    assert store.loads()[-1]["checksum"] == before


def test_what_is_gone_or_changed_is_named_and_nothing_is_lost(store, files):
    load(store, files[0])
    files[0].write_text(SECOND)
    with pytest.raises(NotFoundError, match=r"p1\.csv.*has changed"):
        load(store, files[1], append=True)
    files[0].unlink()
    with pytest.raises(NotFoundError, match=r"p1\.csv.*is gone"):
        load(store, files[1], append=True)
    assert set(facts(store, "stock:a2")) == {("code", "a2"), ("price", "20"), ("maker", "Kest")}


def test_a_load_that_ends_in_between_leaves_what_was_and_is_taken_up(store, files):
    def dies(event: Event) -> None:
        if event.kind == "load.flip":
            raise InterruptedError

    load(store, files[0])
    with pytest.raises(InterruptedError):
        load(store, files[1], append=True, listener=dies)
    assert ("price", "20") in facts(store, "stock:a2")
    assert "read" in load(store, files[1], append=True).resumed
    assert ("price", "25") in facts(store, "stock:a2")


def test_a_folder_of_tables_takes_rows_that_refer_to_old_ones(store, tmp_path, shop):
    more = tmp_path / "more"
    more.mkdir()
    (more / "products.csv").write_text(
        "code,title,supplier_id,material,price\nLMP-10,Harbour Lamp,2,glass,€99.50\nNEW-1,Cliff Lamp,1,glass,€12.00\n"
    )
    load(store, shop, source="shop")
    report = load(store, more, source="shop", append=True)
    assert report.dropped["replaced"] == 1
    assert ("supplier", "Kestrel Glassworks") in facts(store, "shop:products/NEW-1")
    old = facts(store, "shop:products/LMP-10")
    assert ("supplier", "Alder & Finch") in old
    assert ("supplier", "Kestrel Glassworks") not in old


def test_only_tables_are_appended_to(store, files, tmp_path):
    text = tmp_path / "note.txt"
    text.write_text("The lamp was made in Bergen in 1987 by Kestrel Glassworks.\n")
    load(store, files[0])
    with pytest.raises(UsageError, match="Only tables"):
        load(store, text, append=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = Path(next(iter(hydra_kg.sample.__path__))) / "shop"
    return Path(shutil.copytree(folder, tmp_path / "shop"))
