"""Run one SPARQL query over one file of RDF in an isolated process: request on stdin, rows on stdout."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from hydra_kg.util.sandbox import allow_seconds, confine


def main() -> int:
    """Read the request, run the query and write its rows."""
    import pyoxigraph

    request: dict[str, Any] = json.loads(sys.stdin.read())
    confine(memory=request["memory"])
    allow_seconds(request["seconds"])
    try:
        form = getattr(pyoxigraph.RdfFormat, request["form"])
        store = pyoxigraph.Store()
        store.load(Path(request["file"]).read_bytes(), form)
        found = store.query(request["query"], default_graph=None, use_default_graph_as_union=request["union"])
        reply = _reply(pyoxigraph, found, request["most"])
    except MemoryError:
        reply = {"error": "it needs more memory than a query may"}
    except Exception as e:  # what pyoxigraph raises is a fault of the file or the query
        reply = {"error": " ".join(str(e).split())[:500]}
    sys.stdout.write(json.dumps(reply))
    return 0


def _reply(pyoxigraph: Any, found: Any, most: int) -> dict[str, Any]:
    """Return columns and at most ``most`` rows of a query's result."""
    if isinstance(found, pyoxigraph.QueryBoolean):
        return {"columns": ["answer"], "rows": [["true" if bool(found) else "false"]], "more": False}
    if isinstance(found, pyoxigraph.QuerySolutions):
        names = [v.value for v in found.variables]
        rows = [[_text(solution[name]) for name in names] for solution in islice(found, most + 1)]
    else:
        names = ["subject", "predicate", "object"]
        rows = [[_text(t.subject), _text(t.predicate), _text(t.object)] for t in islice(found, most + 1)]
    return {"columns": names, "rows": rows[:most], "more": len(rows) > most}


def _text(term: Any) -> str | None:
    """Return a term as people read it: an IRI or the text of a literal."""
    return None if term is None else str(term.value) if hasattr(term, "value") else str(term)


if __name__ == "__main__":
    sys.exit(main())
