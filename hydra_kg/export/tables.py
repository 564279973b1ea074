"""Write the explored part of an answer as GraphML or as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, Final
from xml.etree import ElementTree as ET

from hydra_kg.export.answer_statements import nodes, safe_text, statements
from hydra_kg.text.literals import is_literal, literal_text
from hydra_kg.text.quoting import disarm_formula

COLUMNS: Final = tuple(
    "subject subject_name predicate text object object_name source fact place url kept citation".split()
)
_NAMESPACE: Final = "http://graphml.graphdrawing.org/xmlns"
_KEYS: Final = {
    "node": ("name", "kind"),
    "edge": ("predicate", "text", "source", "fact", "place", "kept"),
    "graph": ("question", "answer", "verdict"),
}


def graphml(answer: Mapping[str, Any]) -> str:
    """Return GraphML with a node for every entity and value, and an edge for every statement of every source."""
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for where, names in _KEYS.items():
        for name in names:
            kind = "boolean" if name == "kept" else "string"
            ET.SubElement(root, "key", {"id": f"{where}_{name}", "for": where, "attr.name": name, "attr.type": kind})
    graph = ET.SubElement(root, "graph", {"id": f"answer-{answer['id']}", "edgedefault": "directed"})
    _data(graph, "graph", question=answer["question"], answer=answer["answer_text"], verdict=answer["verdict"])
    stated = statements(answer)
    for node in nodes(stated).values():
        value = is_literal(node.id)
        element = ET.SubElement(graph, "node", {"id": node.id})
        name = literal_text(node.id) if value else node.name
        _data(element, "node", name=name, kind="value" if value else "entity")
    for i, s in enumerate(stated):
        edge = ET.SubElement(graph, "edge", {"id": f"e{i}", "source": s.subject.id, "target": s.object.id})
        own = "true" if s.on_kept_path else "false"
        _data(edge, "edge", predicate=s.predicate, text=s.text, source=s.source, fact=s.fact, place=s.place, kept=own)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def csv_table(answer: Mapping[str, Any]) -> str:
    """Return CSV with a row for every statement of every source. No cell begins with a formula for a spreadsheet."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for s in statements(answer):
        ends = (s.subject.id, s.subject.name, s.predicate, s.text, s.object.id, s.object.name)
        row = (*ends, s.source, s.fact, s.place, s.url, "yes" if s.on_kept_path else "no", s.cited or "")
        writer.writerow([disarm_formula(cell) for cell in row])
    return file.getvalue()


def _data(element: ET.Element, where: str, **values: str) -> None:
    for name, value in values.items():
        ET.SubElement(element, "data", key=f"{where}_{name}").text = safe_text(value)
