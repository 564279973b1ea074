"""Query an exported file with SPARQL by pyoxigraph, in a process without a network and with bounds.

Time, memory and rows are bounded.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hydra_kg.errors import FormatError, UsageError
from hydra_kg.util.fast_dataclass import dataclass

_FORMS: Final[Mapping[str, str]] = {
    ".nq": "N_QUADS",
    ".trig": "TRIG",
    ".ttl": "TURTLE",
    ".nt": "N_TRIPLES",
    ".jsonld": "JSON_LD",
    ".rdf": "RDF_XML",
}
_TOKEN: Final = re.compile(
    r"#[^\n]*|<[^<>\s]*>|\"\"\".*?\"\"\"|'''.*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    r"|[?$]\w+|[\w.-]*:[\w.%\\-]*|(?P<word>\w+)",
    re.DOTALL,
)
LARGEST: Final = 64 << 20
"""Most bytes of a file that is queried."""

LONGEST: Final = 20_000
"""Most characters of a query."""

_MEMORY: Final = 2 << 30


@dataclass(frozen=True, slots=True)
class SparqlRows:
    """Rows of a result; None means unbound. ``more`` says whether there were more rows than requested."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    more: bool


def sparql(file: Path, query: str, *, most: int, seconds: int, union: bool = True) -> SparqlRows:
    """Return at most ``most`` rows of a SPARQL query over a file, within ``seconds``.

    With ``union``, patterns without GRAPH cover all named graphs. Raise UsageError for SERVICE, a query that is too
    long or a timeout, and FormatError for a file that cannot be read or is too large.
    """
    form = _FORMS.get(file.suffix.lower())
    if form is None:
        raise FormatError(
            f"{file} does not have the ending of an RDF file.", remedy=f"It should end in {', '.join(_FORMS)}."
        )
    if file.stat().st_size > LARGEST:
        raise FormatError(f"{file} has more than {LARGEST >> 20} MB.", remedy="Load it into a database of RDF.")
    if len(query) > LONGEST:
        raise UsageError(f"The query has more than {LONGEST:,} characters.")
    if any((m["word"] or "").upper() == "SERVICE" for m in _TOKEN.finditer(query)):
        raise UsageError("The query would call another server (SERVICE).", remedy="Only the file is queried.")
    request = {
        "file": str(file.absolute()),
        "form": form,
        "query": query,
        "most": most,
        "seconds": seconds,
        "union": union,
        "memory": _MEMORY,
    }
    return _asked(request, seconds)


def _asked(request: Mapping[str, object], seconds: int) -> SparqlRows:
    """Run a query in a process of its own. Raises UsageError."""
    slow = UsageError(f"The query did not end in {seconds} s.", remedy="Ask for less, or allow more with --seconds.")
    command = [sys.executable, "-m", "hydra_kg.export.sparql_process"]
    try:
        done = subprocess.run(
            command, input=json.dumps(request).encode(), capture_output=True, timeout=seconds + 2, check=False
        )
    except subprocess.TimeoutExpired:
        raise slow from None
    if done.returncode < 0 or not done.stdout:
        raise slow if done.returncode in {-9, -24} else UsageError("The query ended without a result.")
    reply = json.loads(done.stdout)
    if "error" in reply:
        raise UsageError(f"The query failed: {reply['error']}")
    return SparqlRows(tuple(reply["columns"]), tuple(tuple(r) for r in reply["rows"]), bool(reply["more"]))
