"""The part of the sample that a quarter of its questions are about: a fifth of the lines of both graphs."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from pathlib import Path

from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.util.package_data import find_content

PASSAGES = find_content("sample", "passages.jsonl")
MANY = 8
"""Lines about what is next to a topic: a country has hundreds."""
_THING = re.compile(r"<[^>]*/((?:[mg]\.|[QP]\d)[^>/]*)>")


def questions() -> list[Question]:
    """Every fourth question of the sample: all kinds are among them."""
    return list(read_questions(find_content("sample", "questions.jsonl")))[::4]


def excerpt(folder: Path, asked: Sequence[Question] = (), *, many: int = MANY) -> list[Path]:
    """Files for one load each: all that the sample says of the topics of questions, by default those of
    :func:`questions`, in either graph, and something of what is next to them; the links between the two; and the
    passages, which are whole."""
    links = find_content("sample", "fb2w.nt.gz")
    topics = {topic for question in asked or questions() for topic in question.topics}
    topics |= {key for line in _lines(links) if topics.intersection(keys := _THING.findall(line)) for key in keys}
    graphs = [about(topics, name, folder, many=many) for name in ("freebase.nt.gz", "wikidata.nt.gz")]
    known = {key for graph in graphs for line in _lines(graph) for key in _THING.findall(line)}
    between = [line for line in _lines(links) if known.issuperset(_THING.findall(line))]
    return [*graphs, _written(folder / links.name, between), PASSAGES]


def about(topics: Set[str], name: str, folder: Path, *, many: int = MANY) -> Path:
    """A file of all that a file of the sample says of some things, and of something of what is next to them."""
    lines = [(line, _THING.findall(line)) for line in _lines(find_content("sample", name))]
    near = {key for _, keys in lines if topics.intersection((keys[0], keys[-1])) for key in (keys[0], keys[-1])}
    told = Counter[str]()
    said = []
    for line, keys in lines:
        told[keys[0]] += 1
        if keys[0] in topics or (keys[0] in near and told[keys[0]] <= many):
            said.append((line, keys))
    properties = {key for _, keys in said for key in keys if key.startswith("P")}
    said += [(line, keys) for line, keys in lines if keys[0] in properties]
    return _written(folder / name, [line for line, _ in said])


def _written(file: Path, lines: Iterable[str]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress("".join(lines).encode(), 1))
    return file


def _lines(file: Path) -> Iterable[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from (line for line in lines if _THING.search(line))
