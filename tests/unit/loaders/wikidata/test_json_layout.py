"""Wikidata JSON of any layout comes out with one entity a line, on the line where it begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hydra_kg.ingest.contract.loader import find_loader
from hydra_kg_loaders.wikidata import json_layout
from hydra_kg_loaders.wikidata.json_layout import entity_chunks, has_entity_lines

ENTITIES = [
    {"type": "item", "id": f"Q{n}", "labels": {"en": {"language": "en", "value": value}}, "claims": {}}
    for n, value in enumerate(('a "quoted" } name', "a\nline [", "back\\slash\\", "ﬁ ünï"), 1)
]
SHORT = [json.dumps(e) for e in ENTITIES]
LONG = [json.dumps(e, indent=2, ensure_ascii=False) for e in ENTITIES]
BY_ID = {str(e["id"]): e for e in ENTITIES}
LAYOUTS = {
    "single": LONG[0],
    "single short": SHORT[0],
    "array": json.dumps(ENTITIES, indent=4),
    "array on one line": json.dumps(ENTITIES),
    "array without commas": "[\n" + "\n".join(LONG) + "\n]\n",
    "array that begins with its first": "[" + ",\n".join(SHORT) + "]",
    "objects one after another": "".join(LONG),
    "objects on one line": "".join(SHORT),
    "EntityData": json.dumps({"entities": BY_ID}),
    "EntityData on many lines": json.dumps({"entities": BY_ID}, indent=1),
    "answer of the API": json.dumps({"success": 1, "entities": BY_ID}, indent=1),
}


def read(path: Path) -> list[tuple[int, object]]:
    """Return (line, entity) of each line that is not empty."""
    lines = b"".join(entity_chunks(path)).decode("utf-8-sig").split("\n")
    return [(n, json.loads(line)) for n, line in enumerate(lines, 1) if line.strip()]


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("block", [5, 1 << 20])
def test_every_layout_gives_the_entities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, block: int
) -> None:
    file = tmp_path / "data.json"
    file.write_text(LAYOUTS[name], "utf-8")
    plain = file.read_bytes()
    monkeypatch.setattr(
        json_layout, "chunks", lambda path, count: (plain[at : at + block] for at in range(0, len(plain), block))
    )
    monkeypatch.setattr(json_layout, "_HEAD", 10_000)
    expected = ENTITIES[:1] if name.startswith("single") else ENTITIES
    assert [entity for _, entity in read(file)] == expected
    assert find_loader(file, plain).name == "wikidata_json"


def test_entities_stay_on_the_line_where_they_begin(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text(LAYOUTS["EntityData on many lines"], "utf-8")
    lines = file.read_text("utf-8").split("\n")
    assert [lines[n - 1].strip() for n, _ in read(file)] == [f'"{key}": {{' for key in BY_ID]
    assert len(b"".join(entity_chunks(file)).split(b"\n")) == len(lines)


def test_the_layout_of_the_dump_is_passed_on_as_it_is(tmp_path: Path) -> None:
    text = "[\n" + ",\n".join(SHORT) + "\n]\n"
    file = tmp_path / "data.json"
    file.write_text(text)
    assert b"".join(entity_chunks(file)).decode() == text
    broken = '[\n{"id": "Q1", "type": \n' + SHORT[1] + "\n]\n"
    assert has_entity_lines(broken.encode()), "a broken line costs only itself"


def test_an_entity_without_an_end_is_the_last_line(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text("[\n" + LONG[0] + ",\n" + LONG[1][:-5] + "\n")
    lines = [line for line in b"".join(entity_chunks(file)).split(b"\n") if line]
    assert json.loads(lines[0]) == ENTITIES[0]
    assert [line[:1] for line in lines] == [b"{", b"{"]
