"""The picture in docs/: one kept answer of a server as Neo4j Browser draws it, in a headless Chromium.

hydra-kg up && export HYDRA_STORE=neo4j://localhost:7687
hydra-kg load hydra_kg/sample/*.nt.gz && hydra-kg ask "Which football clubs play in the city where John Lennon was
born?" python bench/generate/browser_shot.py --out docs/browser.png --paths 6
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from helpers.servers import browser

from hydra_kg import Hydra
from hydra_kg.stores.neo4j.connection.connect import credentials
from hydra_kg.stores.trace_store import ServerTraces
from hydra_kg.util.package_data import find_content

STYLE = json.loads(find_content("docker", "style.json").read_text("utf-8"))
LABELS = {
    STYLE[f"node.Hydra{label}"]["color"].lower(): label
    for label in ("Question", "Exploration", "Path", "Pruned", "Answer", "Mediator")
}


def _spread(n: int, of: int, low: float, high: float) -> float:
    return low + (high - low) * (n + 0.5) / of


# Where the n-th of so many goes, in pixels of the window.
PLACES: dict[str, Callable[[int, int], tuple[float, float]]] = {
    "Question": lambda n, of: (150, 440),
    "Answer": lambda n, of: (390, _spread(n, of, 100, 440)),
    "Exploration": lambda n, of: (390, _spread(n, of, 470, 750)),
    "Pruned": lambda n, of: (_spread(n, of, 180, 700), 830 - 25 * (n % 2)),
    "Path": lambda n, of: (640 + 50 * (n % 2), _spread(n, of, 80, 760)),
    "Topic": lambda n, of: (880, _spread(n, of, 680, 880)),
    "Entity": lambda n, of: (1270 - 250 * (n % 2), _spread(n, of, 90, 760)),
    "Mediator": lambda n, of: (1160, _spread(n, of, 700, 880)),
}


def tidy(page: browser.Page) -> None:
    """Drag the nodes into columns: question, answers and phases, paths, entities; pruned paths below."""
    page.page.get_by_label("Collapse the node properties display").click()
    nodes = page.nodes()
    kinds = [LABELS.get(node["fill"].lower(), "Entity") for node in nodes]
    question = next(n["text"].lower() for n, kind in zip(nodes, kinds, strict=True) if kind == "Question")
    columns: dict[str, list[int]] = {}
    for i, (node, kind) in enumerate(zip(nodes, kinds, strict=True)):
        if kind == "Entity" and all(word in question for word in node["text"].lower().split()):
            kind = "Topic"
        columns.setdefault(kind, []).append(i)
    for kind, members in 2 * list(columns.items()):  # twice, because nodes push one another on their way
        members.sort(key=lambda i: nodes[i]["text"])
        for n, i in enumerate(members):
            page.move(page.places()[i], PLACES[kind](n, len(members)))
    page.page.mouse.click(760, 860)  # nothing is selected
    page.rest()


def main() -> None:
    """Take the picture."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--store", default=os.environ.get("HYDRA_STORE", ""), help="neo4j://host:port")
    options.add_argument("--id", default="", help="a kept answer; the newest by default")
    options.add_argument("--paths", type=int, default=6, help="kept and pruned paths of each phase")
    options.add_argument("--out", type=Path, default=Path("docs/browser.png"))
    chosen = options.parse_args()
    program = browser.chromium()
    if program is None:
        sys.exit("There is no Chromium on the path.")
    with Hydra(store=chosen.store) as hydra:
        if not isinstance(hydra.traces, ServerTraces):
            sys.exit("The store is on no server.")
        link = hydra.traces.browse(hydra.show(chosen.id)["id"], paths=chosen.paths)
    if link is None:
        sys.exit("The answer is not kept on the server.")
    with browser.browser(program, width=1400, height=900) as page:
        page.open(link["url"], credentials(chosen.store).password)
        page.run()
        page.fill_window()
        tidy(page)
        page.page.screenshot(path=str(chosen.out))
        print(f"{chosen.out}: {len(page.nodes())} nodes, {chosen.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
