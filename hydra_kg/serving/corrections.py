"""Load tables again with corrections of how they are understood, and with columns that formulas define."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hydra_kg.client import Hydra
from hydra_kg.curation.teachings import SIGNS, Teaching, is_formula
from hydra_kg.errors import HydraError, NotFoundError, UsageError
from hydra_kg.ingest.appending import get_loaded_inputs
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.pending_load import discard_pending

Json = dict[str, Any]

_FIELDS: Final = (
    "name",
    "format",
    "read",
    "kept",
    "dropped",
    "rejected",
    "duplicates",
    "facts",
    "nodes",
    "names",
    "unit",
)
"""Fields of a load that clients may see; they disclose nothing about the machine."""

_APART: Final = str.maketrans(dict.fromkeys(f"{SIGNS}()=", "\n"))


def visible_loads(report: Mapping[str, Any]) -> list[Json]:
    """Return the loads of a report with the fields that clients may see."""
    return [{name: load.get(name) for name in _FIELDS} for load in report["loads"]]


def correctable(loads: Iterable[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """Return the load of tables with this name, the one that waits if there is one. Raise NotFoundError."""
    mine = [load for load in loads if load["name"] == name and (load.get("held") or load["state"] in ("ready", "held"))]
    found = next((load for load in mine if load.get("held")), mine[0] if mine else None)
    if found is None:
        raise NotFoundError(f"No load is called {name}.")
    described = found["details"].get("described") or {}
    if not (described.get("feed") or described.get("columns")):
        raise NotFoundError(f"{name} was not loaded from tables that are described.")
    return found


def load_corrected(hydra: Hydra, name: str, correction: Mapping[str, Any]) -> list[Json]:
    """Load the files of a load again with a corrected description, and return the reports.

    ``correction`` has the ``feed`` of a load of several tables, or the ``columns`` of a table that was loaded alone.
    The result waits to be flipped, in the place of a load that waits already. If the description cannot be used, that
    load is made again as it was, and the error is raised.
    """
    load = correctable(hydra.store.loads(), name)
    described = load["details"]["described"]
    part = "feed" if described.get("feed") else "columns"
    if not correction.get(part):
        raise UsageError(f"How {name} is understood is corrected by its {part}.")
    files, extra = get_loaded_inputs(load)
    waits = bool(load.get("held"))
    if waits:
        assert isinstance(hydra.store, Holdable)
        discard_pending(hydra.store, name)
    try:
        return _load(hydra, name, files, {**extra, part: correction[part]}, waits=True)
    except HydraError:
        if waits:
            _load(hydra, name, files, {**extra, part: described[part]}, waits=True)
        raise


def teach_formula(hydra: Hydra, phrase: str, formula: str, *, author: str = "") -> Teaching:
    """Add a column that ``formula`` ("= (price - cost) / price") computes for each row, and record who taught it.

    The table that has the columns of the formula is loaded again and used at once. Raise UsageError if no table has
    them all, or several tables do, NotFoundError if its files are gone.
    """
    if not is_formula(formula) or not formula.strip(" ="):
        raise UsageError("A formula begins with =.", remedy='hydra-kg teach "margin" "= (price - cost) / price"')
    if (alone := _table_alone(hydra.store.loads(), formula)) is not None:  # only feeds have metrics
        files, _ = get_loaded_inputs(alone)
        hydra.load(*files, source=str(alone["name"]), format="feed", replace=True)
    load, table = _table_of(hydra.store.loads(), formula)
    _load_with(hydra, load, table, {phrase: formula.strip().removeprefix("=").strip()})
    return hydra.teachings.teach(phrase, formula, author=author)


def undo_formula(hydra: Hydra, taught: Teaching) -> Teaching:
    """Take a formula out of use: load its table again without the column, and return the teaching."""
    for load in hydra.store.loads():
        for table, said in _tables(load).items():
            if taught.phrase in (said.get("metrics") or {}):
                _load_with(hydra, load, table, {taught.phrase: ""})
    return hydra.teachings.undo(taught.number)


def _load_with(hydra: Hydra, load: Mapping[str, Any], table: str, metrics: Mapping[str, str]) -> None:
    """Load files again, in use at once, with more metrics of one table. A metric without a formula is removed."""
    feed = load["details"]["described"]["feed"]
    old = feed["tables"][table]
    merged = {**(old.get("metrics") or {}), **metrics}
    columns = {name: said for name, said in old["columns"].items() if name not in merged}
    new = {**old, "columns": columns, "metrics": {name: text for name, text in merged.items() if text}}
    files, extra = get_loaded_inputs(load)
    corrected = {**feed, "tables": {**feed["tables"], table: new}}
    _load(hydra, str(load["name"]), files, {**extra, "feed": corrected}, waits=False)


def _table_alone(loads: Iterable[Mapping[str, Any]], formula: str) -> Mapping[str, Any] | None:
    """Return the only load of a table loaded alone that has all columns of a formula, if no feed has them."""
    names, ready = _column_names(formula), [load for load in loads if load["state"] == "ready"]
    if not names or any(_has_columns(said["columns"], names) for load in ready for said in _tables(load).values()):
        return None
    described = [(load, (load["details"].get("described") or {}).get("columns") or ()) for load in ready]
    found = [load for load, columns in described if _has_columns([c["name"] for c in columns], names)]
    return found[0] if len(found) == 1 else None


def _column_names(formula: str) -> set[str]:
    """Return the names of columns in a formula, in small letters."""
    names = {_fold_name(part) for part in formula.translate(_APART).split("\n")} - {""}
    return {name for name in names if not name.replace(".", "").isdigit()}


def _has_columns(columns: Iterable[str], names: set[str]) -> bool:
    return names <= {_fold_name(column) for column in columns}


def _table_of(loads: Iterable[Mapping[str, Any]], formula: str) -> tuple[Mapping[str, Any], str]:
    """Return the load and the table that has all columns which a formula names."""
    names = _column_names(formula)
    found = [
        (load, table)
        for load in loads
        for table, said in _tables(load).items()
        if names and _has_columns(said["columns"], names)
    ]
    listed = " and ".join(sorted(names)) or "nothing"
    if not found:
        remedy = "Name columns as the file does; hydra-kg schema lists them."
        raise UsageError(f"No loaded table has the columns of this formula: {listed}.", remedy=remedy)
    if len(found) > 1:
        tables = ", ".join(f"{table} of {load['name']}" for load, table in found)
        raise UsageError(f"Several tables have {listed}: {tables}.", remedy="Define it in feeds.yaml, under metrics.")
    return found[0]


def _tables(load: Mapping[str, Any]) -> Mapping[str, Any]:
    if load["state"] != "ready":
        return {}
    found: Mapping[str, Any] = ((load["details"].get("described") or {}).get("feed") or {}).get("tables") or {}
    return found


def _fold_name(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())


def _load(hydra: Hydra, name: str, files: Iterable[Path], choices: Mapping[str, Any], *, waits: bool) -> list[Json]:
    """Load the files again with the corrected description. Return the loads."""
    import yaml

    again = partial(hydra.load, *files, source=name, hold=waits, replace=not waits)
    extra = {key: value for key, value in choices.items() if key not in ("feed", "columns")}
    if "columns" in choices:
        given = {key: value for key, value in extra.items() if key not in ("entity", "source_column")}
        return visible_loads(again(format="tables", extra={**given, "map": _map_columns(choices["columns"])}).to_json())
    with TemporaryDirectory() as folder:
        described = Path(folder) / "feeds.yaml"
        described.write_text(yaml.safe_dump({"feeds": {name: choices["feed"]}}, allow_unicode=True), "utf-8")
        return visible_loads(again(format="feed", extra={**extra, "feeds": str(described)}).to_json())


def _map_columns(columns: Iterable[Mapping[str, Any]]) -> str:
    """Return the roles of all columns as ``--map`` takes them, each column by its place."""
    roles = (f"{column['role']}:{column.get('called') or ''}".rstrip(":") for column in columns)
    return ",".join(f"#{place}={role}" for place, role in enumerate(roles, 1))
