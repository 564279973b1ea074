"""Log the candidates of every reader of own data for the questions that may be trained on.

    python bench/training/reading_questions.py --work DIR --out LOG [--sets a,b] [--most 60]

One line per question: its set and family, what is answered today, and for every distinct result the readers that
propose it, its features, and whether it is the gold answer. Only the part of a set that may be read is asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from dataclasses import replace

from bench.accuracy.answer_outcome import f1, outcome
from bench.behaviour.asking import _load_once
from bench.behaviour.sets import Item, chosen, read_items
from bench.training.reading_candidates import Candidate, merge, proposers
from bench.training.reading_features import describe
from bench.training.sheet_questions import is_right
from hydra_kg import Hydra
from hydra_kg.domain import Analysis, Mention
from hydra_kg.errors import HydraError
from hydra_kg.serialise import answer_json
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.own_names import spelled
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.steps.schema.question_words import WHETHER
from hydra_kg.strategies.base import Outcome

QUESTIONS = {
    "spider_tables": 50,
    "overnight": 36,
    "ck25_corporate": 16,
    "wikitablequestions_train": 50,
    "metaqa": 30,
    "movies_graph": 25,
    "clegr_metro_ttl": 16,
    "pathquestion": 20,
    "restaurants_ca": 20,
    "bird_superhero": 26,
    "overnight_ttl": 36,
    "spider_more": 50,
    "northwind": 24,
    "movies_graph_ttl": 25,
    "defog_tables": 20,
    "clegr_metro": 16,
    "tatqa_tables": 30,
    "chinook_spider": 12,
    "spider_dev_dbs_more": 24,
    "fincen": 8,
}
"""How many questions of each set are asked."""


def candidates_of(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> dict[str, Any] | None:
    """Return the candidates of a question with their features; None if it is not read over an own graph."""
    graph = own_graph(context)
    if graph is None or WHETHER.match(context.question):
        return None
    said = spelled(context, graph, mentions)
    if said is None:
        return None
    asking = replace(context, question=said.text)
    proposals, stages, seconds = [], [], []
    for some in proposers(said.graph, asking, analysis):
        start = time.process_time()
        proposals += [one for propose in some for one in propose()]
        found = merge(proposals)
        stages.append((found, describe(found, said.graph, said.text, unknown=bool(said.unknown))))
        seconds.append(round(time.process_time() - start, 4))
    return {"stages": stages, "seconds": seconds, "unknown": said.unknown}


def log_items(items: list[Item], work: Path) -> Iterator[dict[str, Any]]:
    """Yield one record per question."""
    by_store: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_store[item.store].append(item)
    from hydra_kg.strategies.hydra import strategy

    original = strategy.answer_from_graph
    seen: list[dict[str, Any] | None] = []

    def answer_from_graph(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
        start = time.process_time()
        done = original(context, mentions, analysis)
        today = time.process_time() - start
        if not seen:
            seen.append(candidates_of(context, mentions, analysis))
            if seen[0] is not None:
                seen[0]["seconds"].append(round(today, 4))
        return done

    for store, mine in by_store.items():
        try:
            address = _load_once(work, store)
        except HydraError as error:
            print(f"not loaded: {store}: {error}", file=sys.stderr)
            continue
        with (
            Hydra(store=address, agent="offline") as hydra,
            patch.object(strategy, "answer_from_graph", answer_from_graph),
        ):
            for item in mine:
                seen.clear()
                gold = item.question["answers"]
                try:
                    document = answer_json(hydra.ask(item.question["question"], keep=False))
                except HydraError as error:
                    print(f"{store}: {error}", file=sys.stderr)
                    document = {}
                names = [str(a.get("name") or a.get("value")) for a in document.get("answers") or []]
                silent = bool(document.get("abstained")) or not names
                record = {
                    "set": item.set.name,
                    "family": item.set.family,
                    "db": store,
                    "key": item.key,
                    "gold": len(gold),
                    "small": str(gold[0].get("name") or gold[0].get("value")) in ("1", "2", "yes", "no", "0"),
                    "today": "silent" if silent else outcome(document, gold),
                    "today_set": not silent and is_right(names, gold),
                    "confidence": 0.0 if silent else float(document.get("confidence") or 0.0),
                    "question": item.question["question"],
                    "gold_names": [str(g.get("name") or g.get("value")) for g in gold][:12],
                    "today_names": names[:12],
                    "candidates": [],
                }
                if not seen or seen[0] is None:
                    continue
                record["seconds"], record["unknown"] = seen[0]["seconds"], seen[0]["unknown"]
                for place, (found, features) in zip(("first", "candidates"), seen[0]["stages"], strict=True):
                    record[place] = [_judged(o, f, gold, names) for o, f in zip(found, features, strict=True)]
                yield record


def _judged(one: Candidate, features: dict[str, float], gold: list[dict[str, Any]], today: list[str]) -> dict[str, Any]:
    said = {"answers": [{"name": n} for n in one.names]}
    return {
        "names": list(one.names[:12]),
        "size": one.size,
        "by": {r: round(p.cost, 4) for r, p in one.by.items()},
        "right": outcome(said, gold) == "right",
        "set": is_right(one.names, gold) if one.size == len(one.names) else False,
        "f1": round(f1(said, gold), 3),
        "today": sorted(one.names) == sorted(today),
        "features": {k: round(v, 4) for k, v in features.items() if v},
    }


def main() -> None:
    """Ask and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(QUESTIONS))
    parser.add_argument("--most", type=int, default=0, help="questions of each set; 0 for the usual number")
    options = parser.parse_args()
    with options.out.open("w", encoding="utf-8") as out:
        for name in options.sets.split(","):
            some, start, count = chosen(name)[0], time.process_time(), 0
            items, most = list(read_items(some, part="read")), options.most or QUESTIONS[name]
            step = max(1, len(items) // most)
            for record in log_items(items[::step][:most], options.work):
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
            out.flush()
            print(f"{some.name}: {count} questions, {time.process_time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
