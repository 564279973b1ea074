"""Define ``hydra-kg sparql``: a query over an exported file of RDF."""

from __future__ import annotations

from pathlib import Path

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, note, out, out_all, table


@click.command(
    epilog="Example: hydra-kg sparql part.nq 'SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g'"
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 100_000), default=1_000, show_default=True, help="Rows that are shown.")
@click.option("--seconds", type=click.IntRange(1, 600), default=10, show_default=True, help="Time that it may take.")
@json_option
@debug_option
def sparql(*, file: Path, query: str, limit: int, seconds: int, as_json: bool) -> None:
    """Ask an exported FILE a QUERY in SPARQL.

    FILE was written by hydra-kg export: .nq, .trig, .ttl or .jsonld. A pattern without GRAPH matches in every source.
    Nothing outside the file is reached: SERVICE is refused.
    """
    from hydra_kg.export.sparql import sparql as asked

    found = asked(file, query, most=limit, seconds=seconds)
    if as_json:
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        out(json_text({"columns": found.columns, "rows": rows, "more": found.more}))
        return
    out_all(table([found.columns, *(["" if c is None else c for c in row] for row in found.rows)]))
    if found.more:
        note(f"More than {limit:,} rows: --limit N shows more.")
