"""Compare two ways of storing own tables for the executor: facts alone, or DuckDB columns next to them.

    python bench/speed/size/own_tables.py --work DIR [--rows 100000]

Print processor seconds: reading the tables of a store for the first question, and four questions over them, each the
median of five runs; and the size on disk. The answers of both ways are compared.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from hydra_kg import Hydra
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.ports import Snapshot
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.queries.executing import run_query
from hydra_kg.steps.tables.query import RowCondition, TableQuery
from hydra_kg.steps.tables.view import NAME, View, view_of
from hydra_kg.stores import open_store

COUNTRIES = [f"Country {n}" for n in range(40)]
RUNS = 5


def write_tables(folder: Path, rows: int) -> None:
    """Write customers and their orders as two CSV files."""
    chance = random.Random(7)
    folder.mkdir(parents=True)
    customers = [f"c{n},Customer {n},{chance.choice(COUNTRIES)}" for n in range(rows // 50)]
    orders = [
        f"o{n},c{chance.randrange(len(customers))},{chance.randrange(1, 900)}.{chance.randrange(10)},"
        f"20{chance.randrange(10, 26)}-0{chance.randrange(1, 9)}-11,{chance.choice(['open', 'sent', 'paid'])}"
        for n in range(rows)
    ]
    (folder / "customers.csv").write_text("\n".join(["customer_id,name,country", *customers, ""]), "utf-8")
    (folder / "orders.csv").write_text(
        "\n".join(["order_id,customer_id,amount,ordered_on,status", *orders, ""]), "utf-8"
    )


def spent(work: Callable[[], object], runs: int = RUNS) -> float:
    """Return the median of the processor seconds that some work takes."""
    times = []
    for _ in range(runs):
        before = time.process_time()
        work()
        times.append(time.process_time() - before)
    return statistics.median(times)


def store_columns(view: View, file: Path) -> None:
    """Write each table with the text, the number and the fact (segment and row) of each cell."""
    graph = view.graph
    with duckdb.connect(str(file)) as base:
        for table in view.tables:
            rows = table.rows
            table_columns = {"place": rows, "name": np.array([graph.name(r) for r in rows.tolist()])}
            for column in view.columns:
                if column.table != table.place or column.relation == NAME:
                    continue
                there, name = graph.relations[column.relation].there, "_".join(column.words)
                at = there.rows(rows)
                at = at[np.minimum(np.searchsorted(there.start[at], rows), len(at) - 1)]
                table_columns[f"{name}_link"] = there.end[at]
                table_columns[f"{name}_text"] = np.array([graph.name(e) for e in there.end[at].tolist()])
                table_columns[f"{name}_number"] = graph.numbers[there.end[at]]
                table_columns[f"{name}_segment"] = there.segment[at]
                table_columns[f"{name}_fact"] = there.row[at]
            base.register("table_columns", duckdb_table(table_columns))
            base.execute(f"create table {table.text}{'_' * (table.text == 'order')} as select * from table_columns")


def duckdb_table(columns: dict[str, np.ndarray]) -> pyarrow.Table:
    """Return columns in a form that DuckDB reads."""
    return pyarrow.table({name: pyarrow.array(values.tolist()) for name, values in columns.items()})


def queries(view: View) -> dict[str, tuple[TableQuery, str]]:
    """Return four queries over the tables, each also as SQL over the columns."""
    tables = {t.text: t.place for t in view.tables}
    columns = {"_".join(c.words): c for c in view.columns if c.relation != NAME}
    order, customer = tables["order"], tables["customer"]
    country, amount, status = columns["country"], columns["amount"], columns["status"]
    place = next(p for p in range(view.graph.size) if view.graph.name(p) == COUNTRIES[3])
    one = RowCondition(customer, country, np.array([place]))
    high = RowCondition(order, amount, low=800.0)
    join = "order_ o join customer c on o.customer_link = c.place"
    return {
        "mean over a join": (
            TableQuery(order, "avg", [amount], [one]),
            f"select avg(amount_number) from {join} where country_text = '{COUNTRIES[3]}'",
        ),
        "count with two conditions": (
            TableQuery(order, "count", where=[one, high]),
            f"select count(*) from {join} where country_text = '{COUNTRIES[3]}' and amount_number >= 800",
        ),
        "sum for each value": (
            TableQuery(order, "sum", [amount], group=status),
            "select status_text, sum(amount_number) from order_ group by 1 order by 1",
        ),
        "three with most rows": (
            TableQuery(customer, by_count=order, down=True, limit=3),
            f"select c.name, count(*) n from {join} group by 1 order by n desc limit 3",
        ),
    }


def compare(snapshot: Snapshot, folder: Path) -> None:
    """Print what both ways take, and check that they find the same."""
    graphs: list[tuple[OwnGraph, ...]] = []
    print(f"facts, read for the first question: {spent(lambda: graphs.append(read_own_graphs(snapshot)), 1):.2f} s")
    graph = graphs[0][0]
    views: list[View] = []
    print(f"facts, seen as tables: {spent(lambda: views.append(view_of(graph)), 1):.2f} s")
    file = folder / "columns.duckdb"
    print(f"columns, written: {spent(lambda: store_columns(views[0], file), 1):.2f} s")
    base = duckdb.connect(str(file), read_only=True)
    for name, (query, sql) in queries(views[0]).items():
        result = run_query(views[0], query).result
        found = base.execute(sql).fetchall()
        by_facts = spent(lambda query=query: run_query(views[0], query))
        by_columns = spent(lambda sql=sql: base.execute(sql).fetchall())
        print(f"{name}: facts {by_facts:.4f} s, columns {by_columns:.4f} s")
        print(f"  {result.number} {result.measures} {[graph.name(v) for v in result.values[:3]]} / {found[:3]}")
    size = sum(f.stat().st_size for f in (folder / "store").rglob("*") if f.is_file())
    print(f"store {size / 1e6:.1f} MB, columns {file.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    """Load, read, store as columns, ask both, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    write_tables(options.work / "shop", options.rows)
    store = options.work / "store"
    before = time.process_time()
    with Hydra(store=store, agent="offline") as hydra:
        hydra.load(options.work / "shop")
    print(f"load: {time.process_time() - before:.2f} s", flush=True)
    with open_store(store).snapshot() as snapshot:
        compare(snapshot, options.work)


if __name__ == "__main__":
    main()
