"""Run loading, flipping and fusing in a process: an order in, JSON messages of progress and the result out."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from hydra_kg.client import Hydra
from hydra_kg.curation.asking_again import ask_saved, count_changes
from hydra_kg.errors import HydraError, LoadedAlreadyError, UsageError
from hydra_kg.events import Event
from hydra_kg.events.progress import Throttle
from hydra_kg.fusion.truth_discovery.methods import method_named
from hydra_kg.fusion.truth_discovery.source_history import FILE, History
from hydra_kg.serving.conflict_search import EVERY, ConflictSearch
from hydra_kg.serving.corrections import load_corrected, teach_formula, undo_formula, visible_loads
from hydra_kg.serving.inbox import inbox_file
from hydra_kg.serving.row_matching import link_rows, review_pairs
from hydra_kg.settings import Settings
from hydra_kg.stores import open_store, store_path
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.pending_load import discard_pending, flip_pending, pending_difference

Json = dict[str, Any]
Tell = Callable[[Json], None]

FUSED: Final = 2_000_000
"""Most facts of a store whose attributes are all fused in one job."""


def load(order: Json, tell: Tell) -> Json:
    """Load inbox or uploaded files so that they wait to be flipped.

    The result has the differences from the loads in use.
    """
    uploaded = sorted(Path(order["upload"]).iterdir()) if order["upload"] else []
    paths = uploaded or [inbox_file(order["inbox"], n) for n in order["files"]]
    extra = {"entity": order["entity"]} if order["entity"] else {}
    with Hydra(store=order["store"], settings=Settings(**order["settings"]), listener=_listener(tell)) as hydra:
        options: Json = {name: order[name] for name in ("source", "format", "strict")}
        try:
            report = hydra.load(*paths, hold=True, extra=extra, **options).to_json()
        except LoadedAlreadyError as e:
            raise UsageError("A load of that name is waiting already.", remedy="Flip it or discard it first.") from e
        return _compare_loads(hydra, visible_loads(report))


def _compare_loads(hydra: Hydra, loads: list[Json]) -> Json:
    """Return waiting loads, each with its difference from the load in use."""
    return {"loads": [{**one, "difference": _difference(hydra.store, str(one["name"]))} for one in loads]}


def flip(order: Json, tell: Tell) -> Json:
    """Put a waiting load into use, and embed its relations, so that no question has to wait for that."""
    with _holding(order["store"]) as store:
        done = dict(flip_pending(store, order["name"]))
    with Hydra(store=order["store"], settings=Settings(**order["settings"])) as hydra:
        hydra.reasoner.warm(_listener(tell))
    return done


def discard(order: Json, tell: Tell) -> Json:
    """Remove a waiting load."""
    with _holding(order["store"]) as store:
        return dict(discard_pending(store, order["name"]))


def drop(order: Json, tell: Tell) -> Json:
    """Drop a load that is in use."""
    with closing(open_store(order["store"])) as store:
        return dict(store.drop(order["name"]))


def fusion(order: Json, tell: Tell) -> Json:
    """Fuse an attribute of all things, or all attributes if none is named.

    Return the counts, the sources, and the groups with a conflict, hardest first.
    """
    records = History(store_path(order["store"]) / FILE).records()
    method = method_named(order["method"], records=records)
    with closing(open_store(order["store"])) as store, store.snapshot() as snapshot:
        if not order["attribute"] and sum(load["facts"] for load in store.loads()) > FUSED:
            raise UsageError(f"More than {FUSED:,} facts are too many to compare at once.", remedy="Name a relation.")
        return ConflictSearch(snapshot, method, tell).run(order["attribute"], limit=order["limit"])


def ask_saved_questions(order: Json, tell: Tell) -> Json:
    """Ask all saved questions again, over the store as it is or after a change.

    The result says which answers change.
    """
    settings = Settings(**order["settings"])
    with Hydra(store=order["store"], settings=settings) as hydra:
        opened = partial(Hydra, settings=settings)
        asked = ask_saved(
            hydra, lambda s: opened(store=s), flip=order["flip"], drop=order["drop"], listener=_listener(tell)
        )
    return {"counts": count_changes(asked), "questions": [one.to_json() for one in asked]}


def correct(order: Json, tell: Tell) -> Json:
    """Load the files of a load again with corrections of how its tables are understood; the result waits."""
    with Hydra(store=order["store"], settings=Settings(**order["settings"]), listener=_listener(tell)) as hydra:
        return _compare_loads(hydra, load_corrected(hydra, order["name"], order))


def formula(order: Json, tell: Tell) -> Json:
    """Teach a formula, or take one out of use (``number``)."""
    with Hydra(store=order["store"], settings=Settings(**order["settings"]), listener=_listener(tell)) as hydra:
        if number := order["number"]:
            taught = next((one for one in hydra.teachings.all() if one.number == number), None)
            return undo_formula(hydra, taught).to_json() if taught else hydra.teachings.undo(number).to_json()
        done = teach_formula(hydra, order["phrase"], order["meaning"], author=order["author"]).to_json()
        hydra.reasoner.warm(_listener(tell))
        return done


def match(order: Json, tell: Tell) -> Json:
    """Return pairs of rows of two loads that may be the same thing."""
    return review_pairs(order["store"], order["feeds"])


def link(order: Json, tell: Tell) -> Json:
    """Store judged pairs, and link the rows that are the same thing."""
    with Hydra(store=order["store"], settings=Settings(**order["settings"]), listener=_listener(tell)) as hydra:
        return link_rows(hydra, order["store"], order["feeds"], order["judged"])


WORK: Final[Mapping[str, Callable[[Json, Tell], Json]]] = {
    "load": load,
    "flip": flip,
    "discard": discard,
    "drop": drop,
    "fusion": fusion,
    "saved": ask_saved_questions,
    "correct": correct,
    "formula": formula,
    "match": match,
    "link": link,
}


def carry_out(order: Json, pipe: Connection) -> None:
    """Carry out one order, in a process that leads a group of its own. What libraries print goes nowhere."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    lock = threading.Lock()

    def tell(doc: Json) -> None:
        with lock:
            pipe.send_bytes(json.dumps(doc).encode())

    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    try:
        tell({"result": WORK[order["kind"]](order, tell)})
    except HydraError as e:
        tell({"problem": type(e).__name__, "text": str(e)})
    except Exception as e:
        tell({"fault": type(e).__name__, "text": str(e)[:300]})


def _end_with(pipe: Connection) -> None:
    """End the process when the other end of its pipe is closed, because nobody needs it any more.

    A load treats that like a power cut.
    """
    with suppress(EOFError, OSError):
        pipe.recv_bytes()
    os._exit(3)


def _listener(tell: Tell) -> Callable[[Event], None]:
    """Return a listener that tells progress now and then."""
    throttle = Throttle(EVERY, at_once=True)

    def listen(event: Event) -> None:
        done, total = event.data.get("done"), event.data.get("total")
        if isinstance(done, int | float) and isinstance(total, int | float) and throttle.due(finished=done >= total):
            unit = str(event.data.get("unit", ""))
            tell({"progress": {"phase": event.kind.partition(".")[2], "done": done, "total": total, "unit": unit}})

    return listen


@contextmanager
def _holding(address: str) -> Iterator[Holdable]:
    with closing(open_store(address)) as store:
        if not isinstance(store, Holdable):
            raise UsageError("Only a store in a folder holds loads.")
        yield store


def _difference(store: object, name: str) -> Json | None:
    if not isinstance(store, Holdable):
        return None
    doc = pending_difference(store, name)
    counts: Json = {what: doc[what] for what in ("facts", "entities", "names", "passages") if what in doc}
    return {"in_force": doc["old"] is not None, **counts}
