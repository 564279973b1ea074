"""Questions over data that others brought: a film catalogue, a company, a supply network, folders of tables; each is
loaded as documented.

    python bench/accuracy/own.py --work DIR [--sets metaqa,ck25_corporate,…] [--half all|read|unread|a|b|c|d]
        [--wording question_syn] [--limit N] [--seed 0] [--model qwen1.5b [--url http://127.0.0.1:8765/v1]] [--out FILE]
        [--part pets_1 --server bolt://localhost:7687]

The sets lie in ``own/`` of the data pack; each one's README says what is right. Stores are made in DIR and used again,
one for each folder of tables, which is loaded as one feed. Questions are asked without the hints that some sets give.
``read``: the part whose misses may be looked at; ``unread``: the part that nobody reads, as `bench/behaviour/sets.py`
defines it. ``a`` to ``d``: batches of the
sets ``made`` and ``made_graphs``. ``--limit``: so many of them, drawn by the seed. ``--model``: with a language model
at the address, or with one that tests/helpers/servers/small_model.py serves. ``--server``: the database ``--part`` is
loaded into an empty Neo4j instead, of which the model writes Cypher (its user and password in the environment).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.behaviour.sets import chosen, read_items
from bench.generate import unseen_graphs, unseen_tables
from bench.measure import ROOT, data
from hydra_kg import Hydra, Settings
from hydra_kg.errors import HydraError
from hydra_kg.serialise import answer_json

sys.path.insert(0, str(ROOT / "tests"))
from helpers.servers.small_model import serving

SETS = ("metaqa", "ck25_corporate", "supplybench", "spider_tables", "bird_superhero", "defog_tables")
FOLDERS = ("spider_tables", "bird_superhero", "defog_tables", "made")
"""Sets whose databases are folders of CSV files."""

MADE = {"made": unseen_tables.written, "made_graphs": unseen_graphs.written}
"""Sets that are written here; their batches a and c are those that were read."""

SINGLE = ("wikitablequestions", "aitqa_airlines")
"""Sets of questions about one CSV file each."""

OUTCOMES = ("right", "partly", "wrong", "silent")
_DROPPED = str.maketrans("", "", "$,%")


def prepared(name: str, work: Path, part: str = "", server: str = "") -> str:
    """The address of a store that holds a set, or one database of it; it is loaded where it is not there yet."""
    if server:
        with Hydra(store=server) as hydra:
            with hydra.store.snapshot() as snapshot:
                loaded = bool(snapshot.manifest())
            if not loaded:
                hydra.load(_place(name, work) / "data" / part)
        return server
    store, source = work / (f"{name}-{part}" if part else name), _place(name, work) / "data" / part
    if store.is_dir():
        return str(store)
    try:
        _load(name, work, store, source)
    except HydraError:
        shutil.rmtree(store, ignore_errors=True)
        raise
    return str(store)


def _load(name: str, work: Path, store: Path, source: Path) -> None:
    with Hydra(store=store) as hydra:
        if name == "metaqa":
            table = work / "metaqa.txt"
            header = "subject|relation|object\n"
            table.write_text(header + (source / "kb.txt").read_text(encoding="utf-8"), encoding="utf-8")
            hydra.load(table, extra={"map": "subject=entity,relation=attribute,object=link"})
        elif name in FOLDERS + SINGLE:
            hydra.load(source)
        else:
            for file in sorted(source.iterdir()):
                hydra.load(file)


def _place(name: str, work: Path) -> Path:
    if name not in MADE:
        return data() / "own" / name
    if not (work / name).is_dir():
        MADE[name](work / name)
    return work / name


def questions(name: str, half: str, work: Path) -> list[dict[str, Any]]:
    """Return the development questions of a set, or one part of them; of made sets the part is some batches."""
    file = _place(name, work) / "questions.dev.jsonl"
    every = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    if half not in ("all", "read", "unread"):
        return [q for q in every if q["batch"] == half]
    if half != "all" and name in MADE:
        return [q for q in every if (q["batch"] in "ac") == (half == "read")]
    return every if half == "all" else [item.question for item in read_items(*chosen(name), part=half)]


def fits(said: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an answer is one of the gold names, ids or values."""
    texts = {str(said.get("name") or ""), _lexical(str(said.get("value") or ""))} - {""}
    ids = set(said.get("ids") or [said.get("id")])
    for one in gold:
        if one.get("id") in ids - {None}:
            return True
        wanted = one.get("name", one.get("value"))
        if isinstance(wanted, bool):
            wanted = "yes" if wanted else "no"
        if any(_same(text, str(wanted)) for text in texts):
            return True
    return False


def _lexical(literal: str) -> str:
    return literal.split("^^", maxsplit=1)[0].strip('"')


def _same(one: str, other: str) -> bool:
    a, b = _plain(one), _plain(other)
    try:
        return abs(float(one.translate(_DROPPED)) - float(other.translate(_DROPPED))) <= 1e-4
    except ValueError:
        return a == b


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in decomposed if not unicodedata.combining(c)).split())


def outcome(document: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> str:
    """``right``: the first answer is; ``wrong``: none is; ``partly``: another one is; ``silent``: there is none."""
    said = document.get("answers") or []
    if document.get("abstained") or not said:
        return "silent"
    good = [fits(one, gold) for one in said]
    return "right" if good[0] else "partly" if any(good) else "wrong"


def outcome_of_rows(document: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> str:
    """Judge answers with several columns: ``right`` if the rows of the table are the gold rows, ``partly`` if some are.

    The order of rows and columns does not count. Answers without a table are ``partly`` if gold rows have one of them.
    """
    said = document.get("answers") or []
    if document.get("abstained") or not said:
        return "silent"
    wanted = [row for one in gold if (row := _cells(one["row"]))]
    shown = [_cells(row) for row in (document.get("table") or {}).get("rows") or []]
    if not shown:
        cells = {cell for row in wanted for cell in row}
        return "partly" if any(_cells([one.get("name")])[0] in cells for one in said) else "wrong"
    good = sum(row in wanted for row in shown)
    return "right" if good == len(shown) and all(row in shown for row in wanted) else "partly" if good else "wrong"


def _cells(row: Sequence[object]) -> list[str]:
    """Return the cells of a row as they are compared: sorted, numbers rounded to four places."""
    return sorted(_cell(str(cell)) for cell in row if cell is not None and cell != "")


def _cell(text: str) -> str:
    try:
        return f"{float(text.translate(_DROPPED)):.4f}"
    except ValueError:
        return _plain(text)


def f1(document: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> float:
    """F1 of the answers as a set."""
    said = [] if document.get("abstained") else document.get("answers") or []
    good = sum(fits(one, gold) for one in said)
    return 2 * good / (len(said) + len(gold)) if said else 0.0


def drawn(some: Sequence[dict[str, Any]], limit: int, seed: int) -> list[dict[str, Any]]:
    """So many of some questions, all for 0; a lower limit is a part of a higher one."""
    return random.Random(seed).sample(list(some), len(some))[: limit or None] if limit else list(some)


def asked(
    name: str,
    half: str,
    work: Path,
    wording: str = "question",
    *,
    limit: int = 0,
    seed: int = 0,
    settings: Settings | None = None,
    only: str = "",
    server: str = "",
) -> list[dict[str, Any]]:
    """A record of each question: what was said, and how that was judged. With the model that the settings name."""
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    every = questions(name, half, work)
    for question in drawn([q for q in every if only in ("", q.get("db"))], limit, seed):
        part = question.get("table", question.get("db", ""))
        parts[part if name != "bird_superhero" else ""].append(question)
    records = []
    for part, mine in parts.items():
        try:
            store = prepared(name, work, part, server)
        except HydraError as error:
            print(f"not loaded: {part}: {error}", file=sys.stderr)
            records += [_unasked(name, question, wording) for question in mine]
            continue
        with Hydra(store=store, settings=settings, agent="llm" if settings else "offline") as hydra:
            for question in mine:
                records.append(_record(hydra, name, question, wording))
                print(json.dumps(records[-1], ensure_ascii=False), file=sys.stderr, flush=True)
    return records


def _unasked(name: str, question: Mapping[str, Any], wording: str) -> dict[str, Any]:
    gold = [a.get("name", a.get("value")) for a in question["answers"]]
    return {"set": name, "id": question["id"], "question": question.get(wording, question["question"]), "said": []} | {
        "gold": gold,
        "confidence": 0.0,
        "outcome": "silent",
        "f1": 0.0,
        "missing": "not loaded",
        "planned": [],
    }


def _record(hydra: Hydra, name: str, question: Mapping[str, Any], wording: str) -> dict[str, Any]:
    document = answer_json(hydra.ask(question.get(wording, question["question"]), keep=False))
    gold = question["answers"]
    said = [a.get("name") for a in document["answers"]]
    return (
        {"set": f"{name} {question['hops']} hops" if name == "metaqa" else name, "id": question["id"]}
        | {
            "question": question.get(wording, question["question"]),
            "said": said,
            "gold": [a.get("name", a.get("value")) for a in gold],
        }
        | {"confidence": document["confidence"], "outcome": outcome(document, gold), "f1": f1(document, gold)}
        | {"missing": document.get("missing"), "planned": [s["text"] for s in document.get("steps") or []]}
        | {"calls": document["usage"]["calls"], "notes": document.get("notes", [])}
    )


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Shares of each set as a table in Markdown."""
    parts = defaultdict(list)
    for record in records:
        parts[record["set"]].append(record)
    lines = ["| set | n | first right | another right | all wrong | silent | F1 |", "|---|---|---|---|---|---|---|"]
    for part, mine in parts.items():
        counts = Counter(r["outcome"] for r in mine)
        shares = [f"{counts[o] / len(mine):.2f}" for o in OUTCOMES]
        score = sum(r["f1"] for r in mine) / len(mine)
        lines.append(f"| {part} | {len(mine)} | {' | '.join(shares)} | {score:.2f} |")
    return "\n".join(lines)


@contextmanager
def _model(name: str, url: str) -> Iterator[Settings | None]:
    """Settings that name a model at an address, or one that is served as long as they are needed; none without one."""
    if not name:
        yield None
        return
    with ExitStack() as stack:
        if not url:
            url = stack.enter_context(serving(name)).url
        yield Settings().changed(model={"name": name, "base_url": url, "timeout": 900.0})


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, print the table, and write what was said as JSON lines where ``--out`` names a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--half", choices=("all", "read", "unread", *"abcd"), default="all")
    parser.add_argument("--wording", default="question", help="the field of a question that is asked: question_syn")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="")
    parser.add_argument("--url", default="", help="the address of the model; without it one is served")
    parser.add_argument("--part", default="", help="one database of a set")
    parser.add_argument("--server", default="", help="an empty Neo4j for that database")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    with _model(options.model, options.url) as settings:
        records = [
            record
            for name in options.sets.split(",")
            for record in asked(
                name,
                options.half,
                options.work,
                options.wording,
                limit=options.limit,
                seed=options.seed,
                settings=settings.changed(answering={"cypher": bool(options.server)}) if settings else None,
                only=options.part,
                server=options.server,
            )
        ]
    if options.out:
        options.out.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
    print(table(records))


if __name__ == "__main__":
    main()
