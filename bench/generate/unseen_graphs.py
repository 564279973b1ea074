"""Three small made-up RDF graphs with an ontology each, with questions as analysts type them and answers by SPARQL.

    python bench/generate/unseen_graphs.py DIR

writes ``DIR/data/NAME/graph.ttl`` and ``DIR/questions.dev.jsonl`` in the form of the sets in ``own/`` of the data pack.
Ontologies and questions were written before anything was asked of them: ``batch`` c (two graphs) was read after its
first measurement, batch d (one) was kept unread. Everything is made up from a seed.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph

from bench.generate.unseen_tables import day, people

Graph = tuple[str, Callable[[random.Random], str], list[tuple[str, str]]]

_PREFIXES = (
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("", "http://data.example/onto#"),
    ("d", "http://data.example/id/"),
)
_LABEL = "?x rdfs:label ?answer ."


def institute(r: random.Random) -> str:
    """Researchers, units within units, rooms on campuses, projects with roles and grants."""
    lines = [_ontology(INSTITUTE_CLASSES, INSTITUTE_PROPERTIES)]
    units = ["Faculty of Sciences", "Faculty of Medicine", "School of Physics", "School of Biology", "Optics Group"]
    units += ["Plasma Group", "Genetics Group", "Virology Group"]
    for i, (unit_name, up) in enumerate(zip(units, [-1, -1, 0, 0, 2, 2, 3, 1], strict=True)):
        kind = "Faculty" if i < 2 else "School" if i < 4 else "ResearchGroup"
        part = f" ; :partOf d:unit{up}" if up >= 0 else ""
        lines.append(f'd:unit{i} a :{kind} ; rdfs:label "{unit_name}"@en{part} .')
    for i, campus in enumerate(["North Campus", "Harbour Campus"]):
        lines.append(f'd:campus{i} a :Campus ; rdfs:label "{campus}" .')
    for i in range(4):
        lines.append(f'd:building{i} a :Building ; rdfs:label "Building {"ABCD"[i]}" ; :locatedIn d:campus{i // 2} .')
    for i in range(12):
        lines.append(f'd:room{i} a :Room ; rdfs:label "{"ABCD"[i % 4]}2.{i + 10}" ; :locatedIn d:building{i % 4} .')
    kinds = ["Professor", "Postdoc", "PhdStudent", "Postdoc", "Technician"]
    for i, name in enumerate(people(r, 20)):
        unit = 4 + i % 4
        head = f" ; :headOf d:unit{unit}" if i < 4 else ""
        lines.append(
            f'd:p{i} a :{kinds[0] if i < 4 else kinds[i % 4 + 1]} ; rdfs:label "{name}" ; :memberOf d:unit{unit}{head}'
            f" ; :hasOffice d:room{r.randint(0, 11)} ; :birthYear {r.randint(1955, 1999)} ."
        )
    for i in range(4, 20):
        lines.append(f"d:p{i % 4} :supervises d:p{i} .")
    for i, title in enumerate(["Lumen", "Helix", "Corona", "Tokamak Walls", "Gene Drift", "Deep Lens"]):
        lines.append(
            f'd:project{i} a :Project ; rdfs:label "{title}" ; :startDate "{day(r, 2018, 2023)}"^^xsd:date ; '
            f":fundedBy d:grant{i} ."
        )
        lines.append(
            f'd:grant{i} a :Grant ; rdfs:label "GR-{300 + 7 * i}" ; :amount {r.randint(60, 900) * 1000} ; '
            f":grantedBy d:funder{i % 3} ."
        )
        for n, person in enumerate(r.sample(range(20), 4)):
            role = "leader" if n == 0 else r.choice(["analyst", "experimenter"])
            lines.append(f'[] a :Participation ; :participant d:p{person} ; :inProject d:project{i} ; :role "{role}" .')
    for i, (funder, country) in enumerate(
        [("Nordic Science Fund", "Denmark"), ("Alma Foundation", "Chile"), ("Terra Trust", "Canada")]
    ):
        lines.append(f'd:funder{i} a :Funder ; rdfs:label "{funder}" ; :country d:country{i} .')
        lines.append(f'd:country{i} a :Country ; rdfs:label "{country}" .')
    return "\n".join(lines)


INSTITUTE_CLASSES = [
    ("Person", "", "Person"),
    ("Researcher", "Person", "Researcher"),
    ("Professor", "Researcher", "Professor"),
    ("Postdoc", "Researcher", "Postdoc"),
    ("PhdStudent", "Researcher", "PhD student"),
    ("Technician", "Person", "Technician"),
    ("Unit", "", "Unit"),
    ("Faculty", "Unit", "Faculty"),
    ("School", "Unit", "School"),
    ("ResearchGroup", "Unit", "Research group"),
    ("Place", "", "Place"),
    ("Room", "Place", "Room"),
    ("Building", "Place", "Building"),
    ("Campus", "Place", "Campus"),
    ("Project", "", "Project"),
    ("Grant", "", "Grant"),
    ("Funder", "", "Funding body"),
    ("Participation", "", "Participation"),
    ("Country", "", "Country"),
]
INSTITUTE_PROPERTIES = [
    ("memberOf", "member of", "Person", "Unit", ""),
    ("headOf", "head of", "Person", "Unit", "rdfs:subPropertyOf :memberOf"),
    ("partOf", "part of", "Unit", "Unit", "a owl:TransitiveProperty"),
    ("locatedIn", "located in", "Place", "Place", "a owl:TransitiveProperty"),
    ("hasOffice", "has office", "Person", "Room", ""),
    ("birthYear", "birth year", "Person", "", ""),
    ("supervises", "supervises", "Researcher", "Person", ""),
    ("supervisedBy", "supervised by", "Person", "Researcher", "owl:inverseOf :supervises"),
    ("startDate", "start date", "Project", "", ""),
    ("fundedBy", "funded by", "Project", "Grant", ""),
    ("amount", "amount", "Grant", "", ""),
    ("grantedBy", "granted by", "Grant", "Funder", ""),
    ("participant", "participant", "Participation", "Person", ""),
    ("inProject", "in project", "Participation", "Project", ""),
    ("role", "role", "Participation", "", ""),
    ("country", "country", "Funder", "Country", ""),
]
INSTITUTE = [
    ("Members of the Optics Group", f'?x :memberOf|:headOf ?u . ?u rdfs:label "Optics Group"@en . {_LABEL}'),
    ("Head of the Virology Group", f'?x :headOf ?u . ?u rdfs:label "Virology Group"@en . {_LABEL}'),
    ("Participants in Lumen", f'?n :participant ?x ; :inProject ?p . ?p rdfs:label "Lumen" . {_LABEL}'),
    (
        "Who is the leader of Deep Lens?",
        f'?n :participant ?x ; :inProject ?p ; :role "leader" . ?p rdfs:label "Deep Lens" . {_LABEL}',
    ),
    (
        "Research groups in the Faculty of Sciences",
        f'?x a :ResearchGroup ; :partOf+ ?u . ?u rdfs:label "Faculty of Sciences"@en . {_LABEL}',
    ),
    ("Rooms on the Harbour Campus", f'?x a :Room ; :locatedIn+ ?c . ?c rdfs:label "Harbour Campus" . {_LABEL}'),
    ("Amount of grant GR-314", '?g rdfs:label "GR-314" ; :amount ?answer .'),
    (
        "Projects funded by the Alma Foundation",
        f'?x :fundedBy ?g . ?g :grantedBy ?f . ?f rdfs:label "Alma Foundation" . {_LABEL}',
    ),
    (
        "Funding bodies of projects that started after 2020",
        f"?p :startDate ?s ; :fundedBy ?g . ?g :grantedBy ?x . FILTER(YEAR(?s) > 2020) {_LABEL}",
    ),
    (
        "PhD students in the School of Physics",
        f'?x a :PhdStudent ; :memberOf ?g . ?g :partOf* ?u . ?u rdfs:label "School of Physics"@en . {_LABEL}',
    ),
    ("Projects with Canadian funding", f'?x :fundedBy/:grantedBy/:country ?c . ?c rdfs:label "Canada" . {_LABEL}'),
    ("Project with the largest grant", f"?x :fundedBy ?g . ?g :amount ?a . {_LABEL} ORDER BY DESC(?a) LIMIT 1"),
]


def works(r: random.Random) -> str:
    """Machines made of components, on sites within sites, maintenance, readings, makers."""
    lines = [_ontology(WORKS_CLASSES, WORKS_PROPERTIES)]
    sites = ["Delta Refinery", "Lakeside Mill", "Unit 100", "Unit 200", "Pulp Line", "Boiler House"]
    for i, (site, up) in enumerate(zip(sites, [-1, -1, 0, 0, 1, 1], strict=True)):
        inside = f" ; :within d:site{up}" if up >= 0 else ""
        lines.append(f'd:site{i} a :Site ; rdfs:label "{site}"{inside} .')
    for i, (maker, country) in enumerate(
        [("Hartmann Pumpen", "Germany"), ("Torino Meccanica", "Italy"), ("Ostrava Drives", "Czechia")]
    ):
        lines.append(f'd:maker{i} a :Manufacturer ; rdfs:label "{maker}" ; :basedIn d:land{i} .')
        lines.append(f'd:land{i} a :Country ; rdfs:label "{country}" .')
    kinds = ["CentrifugalPump", "Compressor", "Conveyor", "GearPump"]
    codes = {"CentrifugalPump": "P", "GearPump": "P", "Compressor": "K", "Conveyor": "V"}
    engineers = people(r, 5)
    for i, name in enumerate(engineers):
        lines.append(f'd:eng{i} a :Engineer ; rdfs:label "{name}" ; :responsibleFor d:site{2 + i % 4} .')
    for i in range(16):
        kind = kinds[i % 4]
        lines.append(
            f'd:m{i} a :{kind} ; rdfs:label "{codes[kind]}-{101 + i}" ; :installedAt d:site{r.randint(2, 5)} ; '
            f":madeBy d:maker{r.randint(0, 2)} ; :powerKw {r.randint(4, 250)} ; "
            f':commissioningDate "{day(r, 1995, 2022)}"^^xsd:date .'
        )
        for n, part in enumerate(["Motor", "Bearing"]):
            lines.append(
                f'd:c{i}_{n} a :{part} ; rdfs:label "{part[0]}{500 + 10 * i + n}" ; :componentOf d:m{i} ; '
                f":madeBy d:maker{r.randint(0, 2)} ."
            )
        for quantity, low, high in (("temperature", 20, 110), ("vibration", 1, 12)):
            lines.append(
                f'[] a :Reading ; :readingOf d:m{i} ; :quantity "{quantity}" ; :value {r.randint(low, high)} ; '
                f":readingYear {r.choice([2022, 2023])} ."
            )
    for _ in range(14):
        kind = r.choice(["inspection", "overhaul", "lubrication"])
        lines.append(
            f"[] a :MaintenanceEvent ; :onMachine d:m{r.randint(0, 11)} ; :performedBy d:eng{r.randint(0, 4)} ; "
            f':maintenanceType "{kind}" ; :performedOn "{day(r, 2021, 2023)}"^^xsd:date .'
        )
    return "\n".join(lines)


WORKS_CLASSES = [
    ("Asset", "", "Asset"),
    ("Machine", "Asset", "Machine"),
    ("Pump", "Machine", "Pump"),
    ("CentrifugalPump", "Pump", "Centrifugal pump"),
    ("GearPump", "Pump", "Gear pump"),
    ("Compressor", "Machine", "Compressor"),
    ("Conveyor", "Machine", "Conveyor"),
    ("Component", "Asset", "Component"),
    ("Motor", "Component", "Motor"),
    ("Bearing", "Component", "Bearing"),
    ("Site", "", "Site"),
    ("Manufacturer", "", "Manufacturer"),
    ("Country", "", "Country"),
    ("Engineer", "", "Engineer"),
    ("Reading", "", "Reading"),
    ("MaintenanceEvent", "", "Maintenance event"),
]
WORKS_PROPERTIES = [
    ("within", "within", "Site", "Site", "a owl:TransitiveProperty"),
    ("basedIn", "based in", "Manufacturer", "Country", ""),
    ("responsibleFor", "responsible for", "Engineer", "Site", ""),
    ("installedAt", "installed at", "Machine", "Site", ""),
    ("madeBy", "made by", "Asset", "Manufacturer", ""),
    ("makes", "makes", "Manufacturer", "Asset", "owl:inverseOf :madeBy"),
    ("powerKw", "power (kW)", "Machine", "", ""),
    ("commissioningDate", "commissioning date", "Machine", "", ""),
    ("componentOf", "component of", "Component", "Machine", ""),
    ("hasComponent", "has component", "Machine", "Component", "owl:inverseOf :componentOf"),
    ("readingOf", "reading of", "Reading", "Machine", ""),
    ("quantity", "quantity", "Reading", "", ""),
    ("value", "value", "Reading", "", ""),
    ("readingYear", "reading year", "Reading", "", ""),
    ("onMachine", "on machine", "MaintenanceEvent", "Machine", ""),
    ("performedBy", "performed by", "MaintenanceEvent", "Engineer", ""),
    ("maintenanceType", "maintenance type", "MaintenanceEvent", "", ""),
    ("performedOn", "performed on", "MaintenanceEvent", "", ""),
]
_PUMP = "?x a ?k . ?k rdfs:subClassOf* :Pump ."
WORKS = [
    ("Manufacturer of P-101", f'?m rdfs:label "P-101" ; :madeBy ?x . {_LABEL}'),
    (
        "Pumps in the Delta Refinery",
        f'{_PUMP} ?x :installedAt/:within* ?s . ?s rdfs:label "Delta Refinery" . {_LABEL}',
    ),
    ("Components of K-102", f'?x :componentOf ?m . ?m rdfs:label "K-102" . {_LABEL}'),
    (
        "Machines that contain a motor made by Torino Meccanica",
        f'?c a :Motor ; :componentOf ?x ; :madeBy ?f . ?f rdfs:label "Torino Meccanica" . {_LABEL}',
    ),
    ("German manufacturers", f'?x a :Manufacturer ; :basedIn ?l . ?l rdfs:label "Germany" . {_LABEL}'),
    (
        "Vibration of V-103",
        '?n :readingOf ?m ; :quantity "vibration" ; :value ?answer . ?m rdfs:label "V-103" .',
    ),
    (
        "Engineers who performed an overhaul",
        f'?n :performedBy ?x ; :maintenanceType "overhaul" . {_LABEL}',
    ),
    (
        "Machines that were never maintained",
        f"?x a ?k . ?k rdfs:subClassOf+ :Machine . FILTER NOT EXISTS {{ ?n :onMachine ?x }} {_LABEL}",
    ),
    (
        "Engineer in charge of the Boiler House",
        f'?x :responsibleFor ?s . ?s rdfs:label "Boiler House" . {_LABEL}',
    ),
    ("Most powerful compressor", f"?x a :Compressor ; :powerKw ?p . {_LABEL} ORDER BY DESC(?p) LIMIT 1"),
    (
        "Machines commissioned before 2005",
        f"?x :commissioningDate ?c . FILTER(YEAR(?c) < 2005) {_LABEL}",
    ),
    (
        "Machines inspected in 2023",
        f'?n :onMachine ?x ; :maintenanceType "inspection" ; :performedOn ?d . FILTER(YEAR(?d) = 2023) {_LABEL}',
    ),
]


def railway(r: random.Random) -> str:
    """Lines with stops, stations in regions, operators, rolling stock, incidents."""
    lines = [_ontology(RAILWAY_CLASSES, RAILWAY_PROPERTIES)]
    regions = ["Westland", "Upper Valley", "Lower Valley", "Coast District", "Port District"]
    for i, (region, up) in enumerate(zip(regions, [-1, 0, 0, -1, 3], strict=True)):
        inside = f" ; :belongsTo d:region{up}" if up >= 0 else ""
        lines.append(f'd:region{i} a :Region ; rdfs:label "{region}"{inside} .')
    names = "Arden,Birchwood,Calder,Dunley,Eastmere,Fallow,Gorsey,Hythe,Inverley,Kelso Road".split(",")
    for i, name in enumerate(names):
        kind = "Junction" if i % 4 == 0 else "Station"
        lines.append(
            f'd:st{i} a :{kind} ; rdfs:label "{name}" ; :situatedIn d:region{1 + i % 4} ; '
            f":platforms {r.randint(1, 9)} ; :openingYear {r.randint(1840, 1990)} ."
        )
    for i, (firm, country) in enumerate([("Vale Rail", "Wales"), ("Coastline", "Norway"), ("Transalpina", "Italy")]):
        lines.append(f'd:op{i} a :Operator ; rdfs:label "{firm}" ; :registeredIn d:land{i} .')
        lines.append(f'd:land{i} a :Country ; rdfs:label "{country}" .')
    for i in range(5):
        lines.append(f'd:line{i} a :Line ; rdfs:label "L{i + 1}" ; :operatedBy d:op{i % 3} .')
        for n, station in enumerate(r.sample(range(10), 4)):
            lines.append(f"[] a :Stop ; :onLine d:line{i} ; :atStation d:st{station} ; :stopNumber {n + 1} .")
    kinds = ["ElectricLocomotive", "DieselLocomotive", "Railcar"]
    for i in range(12):
        lines.append(
            f'd:v{i} a :{kinds[i % 3]} ; rdfs:label "E{i % 3}-{220 + i}" ; :ownedBy d:op{r.randint(0, 2)} ; '
            f":builtBy d:works{r.randint(0, 1)} ; :topSpeed {r.choice([80, 100, 120, 160, 200])} ."
        )
    for i, maker in enumerate(["Brenner Works", "Halden Loco"]):
        lines.append(f'd:works{i} a :Builder ; rdfs:label "{maker}" .')
    for _ in range(12):
        lines.append(
            f"[] a :Incident ; :involves d:v{r.randint(0, 9)} ; :occurredAt d:st{r.randint(0, 8)} ; "
            f':incidentType "{r.choice(["derailment", "signal failure", "brake defect"])}" ; '
            f':occurredOn "{day(r, 2020, 2023)}"^^xsd:date .'
        )
    return "\n".join(lines)


RAILWAY_CLASSES = [
    ("Region", "", "Region"),
    ("Station", "", "Station"),
    ("Junction", "Station", "Junction"),
    ("Operator", "", "Operator"),
    ("Country", "", "Country"),
    ("Line", "", "Line"),
    ("Stop", "", "Stop"),
    ("Vehicle", "", "Vehicle"),
    ("Locomotive", "Vehicle", "Locomotive"),
    ("ElectricLocomotive", "Locomotive", "Electric locomotive"),
    ("DieselLocomotive", "Locomotive", "Diesel locomotive"),
    ("Railcar", "Vehicle", "Railcar"),
    ("Builder", "", "Builder"),
    ("Incident", "", "Incident"),
]
RAILWAY_PROPERTIES = [
    ("belongsTo", "belongs to", "Region", "Region", "a owl:TransitiveProperty"),
    ("situatedIn", "situated in", "Station", "Region", ""),
    ("platforms", "platforms", "Station", "", ""),
    ("openingYear", "opening year", "Station", "", ""),
    ("registeredIn", "registered in", "Operator", "Country", ""),
    ("operatedBy", "operated by", "Line", "Operator", ""),
    ("operates", "operates", "Operator", "Line", "owl:inverseOf :operatedBy"),
    ("onLine", "on line", "Stop", "Line", ""),
    ("atStation", "at station", "Stop", "Station", ""),
    ("stopNumber", "stop number", "Stop", "", ""),
    ("ownedBy", "owned by", "Vehicle", "Operator", ""),
    ("builtBy", "built by", "Vehicle", "Builder", ""),
    ("topSpeed", "top speed", "Vehicle", "", ""),
    ("involves", "involves", "Incident", "Vehicle", ""),
    ("occurredAt", "occurred at", "Incident", "Station", ""),
    ("incidentType", "incident type", "Incident", "", ""),
    ("occurredOn", "occurred on", "Incident", "", ""),
]
_LOCOMOTIVE = "?x a ?k . ?k rdfs:subClassOf* :Locomotive ."
RAILWAY = [
    ("Operator of line L2", f'?l rdfs:label "L2" ; :operatedBy ?x . {_LABEL}'),
    ("Stations on L3", f'?n :onLine ?l ; :atStation ?x . ?l rdfs:label "L3" . {_LABEL}'),
    ("Stations in Westland", f'?x :situatedIn/:belongsTo* ?g . ?g rdfs:label "Westland" . {_LABEL}'),
    (
        "Locomotives owned by Coastline",
        f'{_LOCOMOTIVE} ?x :ownedBy ?o . ?o rdfs:label "Coastline" . {_LABEL}',
    ),
    ("Italian operators", f'?x a :Operator ; :registeredIn ?l . ?l rdfs:label "Italy" . {_LABEL}'),
    ("Lines that stop at Birchwood", f'?n :onLine ?x ; :atStation ?s . ?s rdfs:label "Birchwood" . {_LABEL}'),
    ("Vehicles without an incident", f"?x :ownedBy ?o . FILTER NOT EXISTS {{ ?n :involves ?x }} {_LABEL}"),
    (
        "Vehicles involved in a derailment",
        f'?n :involves ?x ; :incidentType "derailment" . {_LABEL}',
    ),
    ("Fastest railcar", f"?x a :Railcar ; :topSpeed ?t . {_LABEL} ORDER BY DESC(?t) LIMIT 1"),
    ("Builders of the vehicles of Vale Rail", f'?v :ownedBy ?o ; :builtBy ?x . ?o rdfs:label "Vale Rail" . {_LABEL}'),
]

BATCHES: dict[str, list[Graph]] = {
    "c": [("institute", institute, INSTITUTE), ("works", works, WORKS)],
    "d": [("railway", railway, RAILWAY)],
}


def _ontology(classes: list[tuple[str, str, str]], properties: list[tuple[str, str, str, str, str]]) -> str:
    """Classes (name, above, label) and properties (name, label, domain, range, more) as Turtle."""
    lines = [f"@prefix {prefix}: <{address}> ." for prefix, address in _PREFIXES]
    for name, above, label in classes:
        up = f" ; rdfs:subClassOf :{above}" if above else ""
        lines.append(f':{name} a owl:Class ; rdfs:label "{label}"@en{up} .')
    for name, label, start, end, more in properties:
        kind = "owl:ObjectProperty" if end else "owl:DatatypeProperty"
        to = f" ; rdfs:range :{end}" if end else ""
        further = f" ; {more}" if more else ""
        lines.append(f':{name} a {kind} ; rdfs:label "{label}"@en ; rdfs:domain :{start}{to}{further} .')
    return "\n".join(lines)


def written(folder: Path) -> list[dict[str, Any]]:
    """Write every graph, and its questions with their answers; of ties at the end of an order all are answers, and
    questions without an answer are left out."""
    questions = []
    for batch, graphs in BATCHES.items():
        for name, make, asked in graphs:
            place = folder / "data" / name
            place.mkdir(parents=True, exist_ok=True)
            text = make(random.Random(f"{name} 20261126"))
            (place / "graph.ttl").write_text(text + "\n", encoding="utf-8")
            store = pyoxigraph.Store()
            store.load(text.encode(), format=pyoxigraph.RdfFormat.TURTLE)
            for number, (question, pattern) in enumerate(asked):
                answers = _asked(store, pattern)
                if answers and len(answers) <= 20:
                    questions.append(
                        {"id": f"{name}-{number}", "db": name, "batch": batch, "question": question, "sparql": pattern}
                        | {"answers": [{"value": a} for a in answers]}
                    )
    lines = "".join(json.dumps(q) + "\n" for q in questions)
    (folder / "questions.dev.jsonl").write_text(lines, encoding="utf-8")
    return questions


def _asked(store: pyoxigraph.Store, pattern: str) -> list[str]:
    """Different answers of a pattern; ``ORDER BY DESC(?y) LIMIT 1`` is all that are first."""
    where, _, order = pattern.partition(" ORDER BY DESC(")
    key = order.split(")")[0]
    prefixes = "".join(f"PREFIX {p}: <{a}> " for p, a in _PREFIXES)
    rows = list(store.query(f"{prefixes} SELECT DISTINCT ?answer {key} WHERE {{ {where} }}"))  # type: ignore[arg-type]
    if key:
        most = max(float(row[1].value) for row in rows)
        rows = [row for row in rows if float(row[1].value) == most]
    return sorted({row[0].value for row in rows})


if __name__ == "__main__":
    written(Path(sys.argv[1]))
