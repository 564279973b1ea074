"""The question sets that development measures: their family, their data, and which part nobody reads."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import data

SLICES = "slices"
"""The store of the real slices (Freebase, Wikidata, links, Wikipedia passages); its address is an option."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """One set of questions and the data that each question is asked of."""

    name: str
    family: str
    file: str
    """The questions, relative to the data pack; or the path of a committed file."""
    store: str
    """A folder or file of the data pack with ``{db}`` or ``{table}`` from the question, or `SLICES`."""
    unread: str = ""
    """How the unread part is chosen: ``id`` (sha1 of the id is odd), ``db`` (every second database), ``half`` or none.

    ``half`` stands in the question: its failures were not read before the mending of the others was finished.
    """
    limit: int = 0
    """How many questions are drawn, with a fixed seed; 0 means all."""
    rows: bool = False
    """Whether the questions are those whose gold is only rows of several columns; other sets leave these out."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its gold answers."""

    set: QuestionSet
    question: dict[str, Any]
    unread: bool

    @property
    def key(self) -> str:
        """Identify the question without repeating its text."""
        text = f"{self.set.name}\n{self.question['id']}\n{self.question['question']}"
        return hashlib.sha1(text.encode()).hexdigest()[:16]

    @property
    def store(self) -> str:
        """Return the data that the question is asked of, relative to the data pack."""
        names = {"db": self.question.get("db", ""), "table": self.question.get("table", "")}
        return self.set.store.format(**names)


def _dev(name: str, family: str, limit: int = 100) -> QuestionSet:
    return QuestionSet(name, family, f"questions/dev/{name}.jsonl", SLICES, limit=limit)


def _own(name: str, family: str, store: str, unread: str = "") -> QuestionSet:
    return QuestionSet(name, family, f"own/{name}/questions.dev.jsonl", f"own/{name}/data{store}", unread)


def _train(name: str, family: str, store: str, limit: int, unread: str = "") -> QuestionSet:
    shown = f"{name}_ttl" if "_ttl" in store else name
    return QuestionSet(shown, family, f"train/{name}/questions.train.jsonl", f"train/{name}/{store}", unread, limit)


def _rows(name: str, family: str, limit: int, unread: str = "") -> QuestionSet:
    file, store = f"train/{name}/questions.train.jsonl", f"train/{name}/data/{{db}}"
    return QuestionSet(f"{name}_rows", family, file, store, unread, limit, rows=True)


SETS = (
    QuestionSet("plain", "ordinary", "plain/plain.dev.jsonl", SLICES, unread="id"),
    QuestionSet("slice_questions", "ordinary", str(Path(__file__).parent / "slice_questions.jsonl"), SLICES, "half"),
    _dev("webqsp_train", "freebase"),
    _dev("webqsp_test", "freebase"),
    _dev("cwq", "freebase"),
    _dev("webquestions", "freebase"),
    _dev("rubq", "simple relations"),
    _dev("simplequestions_named", "simple relations"),
    _dev("qald7_wikidata", "simple relations"),
    _dev("creak", "multi-hop text", 150),
    _dev("fever", "multi-hop text", 150),
    _own("metaqa", "films", "/kb.txt", "id"),
    _own("spider_tables", "spider", "/{db}", "db"),
    _own("bird_superhero", "spider", ""),
    _own("defog_tables", "spider", "/{db}"),
    _own("wikitablequestions", "single tables", "/{table}", "id"),
    _own("aitqa_airlines", "single tables", "/{table}", "id"),
    _own("ck25_corporate", "enterprise graphs", ""),
    _own("supplybench", "enterprise graphs", ""),
    _train("spider_more", "spider", "data/{db}", 400, "db"),
    _train("spider_dev_dbs_more", "spider", "data/{db}", 100),
    _train("chinook_spider", "spider", "data/{db}", 60),
    _train("wikitablequestions_train", "single tables", "data/{table}", 150),
    _train("tatqa_tables", "single tables", "data/{table}", 100),
    _train("overnight", "overnight", "data/{db}", 120),
    _train("overnight", "overnight", "data_ttl/{db}.ttl", 120),
    _train("clegr_metro", "metro networks", "data/{db}", 60),
    _train("clegr_metro", "metro networks", "data_ttl/{db}.ttl", 60),
    _train("pathquestion", "people paths", "data/{db}", 60),
    _train("northwind", "demo graphs", "data", 80),
    _train("movies_graph", "demo graphs", "data", 60),
    _train("movies_graph", "demo graphs", "data_ttl", 60),
    _train("fincen", "demo graphs", "data", 20),
    _train("restaurants_ca", "restaurants", "data", 40),
    _rows("spider_more", "spider", 120, "db"),
    _rows("spider_dev_dbs_more", "spider", 60),
    _rows("chinook_spider", "spider", 30),
)


def read_items(some: QuestionSet, *, part: str = "all") -> Iterator[Item]:
    """Yield the questions of a set in a fixed order; `part` is ``all``, ``read`` or ``unread``."""
    lines = (data() / some.file).read_text(encoding="utf-8").splitlines()
    every = [q for q in map(json.loads, lines) if q.get("answers") != [] or "expect" in q]
    databases = sorted({q.get("db", "") for q in every if not has_only_rows(q)})
    unread_databases = set(databases[1::2]) if some.unread == "db" else set()
    every = [q for q in every if has_only_rows(q) == some.rows]
    if some.limit:
        every = random.Random(0).sample(every, len(every))[: some.limit]
    for question in every:
        item = Item(some, question, _is_unread(some, question, unread_databases))
        if part == "all" or (part == "unread") == item.unread:
            yield item


def _is_unread(some: QuestionSet, question: dict[str, Any], databases: set[str]) -> bool:
    if some.unread == "id":
        return int(hashlib.sha1(question["id"].encode()).hexdigest(), 16) % 2 == 1
    if some.unread == "half":
        return question["half"] == "unread"
    return some.unread == "db" and question["db"] in databases


def has_only_rows(question: Mapping[str, Any]) -> bool:
    """Return True if the gold answers of a question are only rows of several columns."""
    return "expect" not in question and not all({"name", "value", "id"} & set(one) for one in question["answers"])


def chosen(names: str) -> list[QuestionSet]:
    """Return the sets named in a comma-separated list; all sets for an empty one."""
    wanted = [name for name in names.split(",") if name]
    unknown = set(wanted) - {one.name for one in SETS}
    if unknown:
        raise SystemExit(f"Unknown set: {', '.join(sorted(unknown))}. Known: {', '.join(one.name for one in SETS)}.")
    return [one for one in SETS if not wanted or one.name in wanted]


def question_files(work: Path, store: str) -> Path:
    """Return the file or folder to load for a store; MetaQA's triples get the header that its loader needs."""
    source = data() / store
    if source.name != "kb.txt":
        return source
    table = work / "metaqa.txt"
    if not table.is_file():
        table.write_text("subject|relation|object\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    return table
