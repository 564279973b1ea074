"""Loads as a user types them, next to what else could read the same file: processor time in turns, memory, disk.

    python bench/speed/size/load_rivals.py [--only dump,generated,table,large_table,text] [--runs 3]
        [--lines 10000000] [--rows 200000] [--folder DIR]

Each case runs every program once, then again, so that all meet the same load of the machine. Processor seconds are user
and system time of the process and its children, start of Python included. Python keeps compiled modules from run to
run, as it does for users, whatever the environment says. Cases that are not run keep their rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.generate.freebase_dump import generate
from bench.measure import ROOT, data, machine, save

HYDRA = """
import sys
from hydra_kg.__main__ import main
sys.argv[1:] = ["load", sys.argv[2], "--yes", "--store", sys.argv[1]]
main()
"""
OXIGRAPH = """
import sys
from isal import igzip
from pyoxigraph import RdfFormat, Store
with igzip.open(sys.argv[2]) as file:
    Store(sys.argv[1]).bulk_load(input=file, format=RdfFormat.N_TRIPLES)
"""
DUCKDB_DUMP = """
import duckdb, sys
db = duckdb.connect(sys.argv[1])
db.execute("SET threads = 2")
db.execute(f'''CREATE TEMP TABLE t AS SELECT * FROM read_csv('{sys.argv[2]}', delim='\\t', quote='', escape='',
    header=false, columns={{'s': 'VARCHAR', 'p': 'VARCHAR', 'o': 'VARCHAR', 'e': 'VARCHAR'}}, null_padding=true,
    ignore_errors=true, strict_mode=false)''')
db.execute("CREATE TABLE term AS SELECT row_number() OVER () AS id, x FROM"
           " (SELECT s AS x FROM t UNION SELECT p FROM t UNION SELECT o FROM t)")
db.execute("CREATE TEMP TABLE f AS SELECT DISTINCT a.id AS s, b.id AS p, c.id AS o FROM t JOIN term a ON a.x = t.s"
           " JOIN term b ON b.x = t.p JOIN term c ON c.x = t.o")
db.execute("CREATE TABLE forward AS FROM f ORDER BY s, p, o")
db.execute("CREATE TABLE backward AS FROM f ORDER BY o, p, s")
db.close()
"""
DUCKDB_TABLE = """
import duckdb, sys
db = duckdb.connect(sys.argv[1])
db.execute("SET threads = 2")
db.execute(f"CREATE TABLE t AS FROM read_csv('{sys.argv[2]}')")
db.execute("CREATE INDEX by_id ON t (part_id)")
db.execute("CREATE INDEX by_name ON t (name)")
db.close()
"""
NAMES = """
import json, sqlite3
full = sqlite3.connect(sys.argv[1] + ".names")
full.execute("CREATE VIRTUAL TABLE name USING fts5(fold, content='')")
rows = db.execute("SELECT fold FROM name")
while found := rows.fetchmany(1000000):
    names = json.dumps([fold for fold, in found])
    full.execute("INSERT INTO name (fold) SELECT value FROM json_each(?)", (names,))
full.commit()
db.close()
"""
"""Full text of names. Every store whose questions name things by their words needs one."""
DUCKDB_FACTS = (
    """
import duckdb, sys
db = duckdb.connect(sys.argv[1])
db.execute("SET threads = 2")
db.execute(f'''CREATE TEMP TABLE t AS SELECT ('0x' || left(sha256(part_id), 15))::BIGINT AS node,
    row_number() OVER () AS line, * FROM read_csv('{sys.argv[2]}', all_varchar = true)''')
db.execute("CREATE TEMP TABLE f AS UNPIVOT (SELECT * EXCLUDE (part_id, name) FROM t)"
           " ON * EXCLUDE (node, line) INTO NAME p VALUE o")
db.execute("CREATE TABLE term AS SELECT row_number() OVER () AS id, o FROM (SELECT DISTINCT o FROM f)")
db.execute("CREATE TABLE forward AS SELECT node, p, id, line FROM f JOIN term USING (o) ORDER BY node, p, id")
db.execute("CREATE TABLE backward AS SELECT id, p, node FROM forward ORDER BY id, p, node")
db.execute("CREATE TABLE name AS SELECT lower(name) AS fold, name, node FROM t ORDER BY fold")
"""
    + NAMES
)
DUCKDB_NAMED_DUMP = (
    DUCKDB_DUMP.replace("row_number() OVER ()", "('0x' || left(sha256(x), 15))::BIGINT").replace("db.close()\n", "")
    + """
db.execute('''CREATE TABLE name AS SELECT lower(t.o) AS fold, t.o AS name, a.id FROM t JOIN term a ON a.x = t.s
    WHERE t.p LIKE '%type.object.name%' ORDER BY fold''')
"""
    + NAMES
)
PANDAS = """
import pandas, sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    pandas.read_csv(sys.argv[2]).to_sql("t", db, index=False)
    db.execute("CREATE INDEX by_id ON t (part_id)")
    db.execute("CREATE INDEX by_name ON t (name)")
"""
FTS5 = """
import gzip, json, sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db, gzip.open(sys.argv[2], "rt") as file:
    db.execute("CREATE VIRTUAL TABLE page USING fts5(title, text, tokenize='porter unicode61')")
    rows = (json.loads(line) for line in file)
    db.executemany("INSERT INTO page VALUES (?, ?)", ((row.get("title", ""), row.get("text", "")) for row in rows))
"""
RIVALS: Mapping[str, Mapping[str, str]] = {
    "dump": {
        "hydra-kg load": HYDRA,
        "pyoxigraph, fed by isal": OXIGRAPH,
        "DuckDB: ids, two sorts": DUCKDB_DUMP,
        "DuckDB, FTS5: hashed ids, two sorts, names": DUCKDB_NAMED_DUMP,
    },
    "generated": {"hydra-kg load": HYDRA, "DuckDB: ids, two sorts": DUCKDB_DUMP},
    "table": {
        "hydra-kg load": HYDRA,
        "DuckDB: import, indexes": DUCKDB_TABLE,
        "DuckDB, FTS5: hashed ids, facts both ways, names": DUCKDB_FACTS,
        "pandas to SQLite, indexes": PANDAS,
    },
    "large_table": {
        "hydra-kg load": HYDRA,
        "DuckDB: import, indexes": DUCKDB_TABLE,
        "DuckDB, FTS5: hashed ids, facts both ways, names": DUCKDB_FACTS,
    },
    "text": {"hydra-kg load": HYDRA, "SQLite FTS5": FTS5},
}


def write_table(path: Path, rows: int) -> Path:
    """Write a CSV of parts with names, suppliers, numbers and dates."""
    draw = random.Random(1)
    kinds = ["bolt", "nut", "screw", "washer", "hinge", "bracket", "gear", "belt"]
    words = ["alpha", "carbon", "delta", "graphite", "iron", "jade", "nickel", "oxide", "quartz", "steel", "titan"]
    with path.open("w", encoding="utf-8") as out:
        out.write("part_id,name,supplier,category,price,weight,introduced\n")
        for n in range(rows):
            kind, supplier = draw.choice(kinds), draw.randrange(500)
            name = f"{draw.choice(words).title()} {draw.choice(words)} {kind} {n}"
            day = f"{draw.randint(1990, 2024)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            price, weight = f"{draw.uniform(0.1, 900):.2f}", draw.randint(1, 5000)
            out.write(f"P{n:07},{name},Supplier {supplier},{kind},{price},{weight},{day}\n")
    return path


def files(case: str, folder: Path, *, lines: int, rows: int) -> Path:
    """Return the file of a case, made if need be."""
    if case == "dump":
        return data() / "freebase.nt.gz"
    if case == "text":
        return data() / "wikipedia.jsonl.gz"
    if case == "table":
        return write_table(folder / "parts.csv", rows)
    if case == "large_table":
        return write_table(folder / "large.csv", 5 * rows)
    if not (made := folder / f"generated-{lines}.nt.gz").exists():
        generate(made, lines=lines, seed=1, bad_share=0.02)
    return made


def measure(code: str, target: Path, file: Path) -> tuple[float, int, int]:
    """Run a program in a fresh Python; return its processor seconds, peak MB, and MB on disk."""
    shutil.rmtree(target, ignore_errors=True)
    names = target.with_name(f"{target.name}.names")
    for path in (target, names):
        path.unlink(missing_ok=True)
    command = [sys.executable, "-c", code, str(target), str(file)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = str(target.with_name("compiled"))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=kept)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[3:]} failed with status {process.returncode}.")
    parts = [target, names] if target.is_file() else [path for path in target.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in parts if path.exists())
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, size // 1_000_000


def case_rows(case: str, file: Path, folder: Path, *, runs: int) -> list[dict[str, Any]]:
    """Return a row for each program of a case."""
    done: dict[str, list[tuple[float, int, int]]] = {name: [] for name in RIVALS[case]}
    if find_spec("pandas") is None:
        done.pop("pandas to SQLite, indexes", None)
    for _ in range(runs):
        for name, code in RIVALS[case].items():
            if name not in done:
                continue
            done[name].append(measure(code, folder / "target", file))
    own = statistics.median(seconds for seconds, *_ in done["hydra-kg load"])
    return [
        {
            "case": case,
            "file": f"{file.name}, {file.stat().st_size / 1e6:.0f} MB",
            "with": name,
            "runs": runs,
            "processor s": f"{(seconds := statistics.median(one[0] for one in found)):.1f}",
            "hydra-kg / it": f"{own / seconds:.2f}",
            "peak MB": max(one[1] for one in found),
            "disk MB": found[-1][2],
        }
        for name, found in done.items()
    ]


def main() -> None:
    """Measure the cases and write bench/results/load_rivals.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default=",".join(RIVALS), help="cases (default %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (default %(default)s)")
    parser.add_argument("--lines", type=int, default=10_000_000, help="lines of the generated dump")
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the table; a fifth of the large one")
    parser.add_argument("--folder", type=Path, help="where to put the files (default: a temporary folder)")
    args = parser.parse_args()
    about = machine("duckdb", "numpy", "pyoxigraph", "pandas")
    chosen = [name for name in args.only.split(",") if name]
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for case in chosen:
            file = files(case, folder, lines=args.lines, rows=args.rows)
            rows += case_rows(case, file, folder, runs=args.runs)
    old = ROOT / "bench" / "results" / "load_rivals.json"
    if old.exists():
        rows += [row for row in json.loads(old.read_text("utf-8"))["rows"] if row["case"] not in chosen]
    save(
        "load_rivals",
        title="Loads as typed, next to what else could read the file",
        command="python bench/speed/size/load_rivals.py",
        about=about,
        notes=[
            "hydra-kg cleans, stores where each fact stands, and makes names and full text; "
            "of the others only the rows with FTS5 make names.",
            "The index of names and vectors of relations that are not shipped are left to the first question.",
            f"Load of the machine: {about['load']} at the start, {os.getloadavg()[0]:.1f} at the end.",
        ],
        rows=sorted(rows, key=lambda row: list(RIVALS).index(row["case"])),
    )


if __name__ == "__main__":
    main()
