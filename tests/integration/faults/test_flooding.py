"""One source under many names does not outvote independent ones: neither in ``fuse`` nor where it is asked."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner
from helpers.samples.scripted import asked

from hydra_kg import Hydra
from hydra_kg.cli.main import main
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

SHIPS = 800
FLOOD = [f"flood{n}" for n in range(4)]
QUESTION = "Which pier does the Ship 7 leave from?"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two sources that err now and then, and one under four names that is wrong about every second ship."""
    folder, random_ = tmp_path_factory.mktemp("flood"), random.Random(0)

    def says(error: float) -> list[str]:
        return [f"Pier {n % 50 if random_.random() >= error else 50 + random_.randrange(40)}" for n in range(SHIPS)]

    said = {"harbour": says(0.03), "townsite": says(0.03), "flood0": says(0.6)}
    said["harbour"][7] = said["townsite"][7] = "Pier 7"
    said["flood0"][7] = "Pier 66"
    said |= dict.fromkeys(FLOOD, said["flood0"])
    for name, piers in said.items():
        rows = "".join(f"https://example.org/ship/{n},Ship {n},{pier}\n" for n, pier in enumerate(piers))
        (folder / f"{name}.csv").write_text(f"same_as,ship,pier\n{rows}", "utf-8")
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(*(folder / f"{name}.csv" for name in said), extra={"entity": "ship"})
    return folder / "store"


def told(*words):
    result = CliRunner().invoke(main, [*map(str, words), "--json"], prog_name="hydra-kg")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_fuse_finds_the_flood(store):
    doc = told("fuse", "--store", store)
    assert doc["copies"] == [FLOOD]


@pytest.mark.parametrize("strategy", ["multirag", "hydra"])
def test_asking_gives_the_flood_one_voice(store, strategy):
    doc = told("ask", QUESTION, "--strategy", strategy, "--store", store)
    assert doc["answers"][0]["name"] == "Pier 7"
    assert doc["verdict"] == "contested"
    assert (doc["agreement"], doc["amount"]) == pytest.approx((1 / 3, 2.4)), "two voices against one"
    assert doc["dissent"] == [f"{', '.join(FLOOD)} say Pier 66"]


SHIP = "Which port does the Ship 7 leave from?"
HONEST = ["agency", "harbour", "townsite"]
NAMES = sorted(f"flood{n:02}" for n in range(20))


@pytest.fixture(scope="module", params=["value", "link"])
def feed(request, tmp_path_factory):
    """One table with a source column, its ports values or entities: three that err now and then, one under twenty
    names."""
    folder, random_ = tmp_path_factory.mktemp(f"feed-{request.param}"), random.Random(0)

    def says(error: float) -> list[str]:
        return [f"Port {n % 50 if random_.random() >= error else 50 + random_.randrange(40)}" for n in range(300)]

    said = {name: says(0.03) for name in HONEST}
    wrong = says(0.6)
    for ports in said.values():
        ports[7] = "Port 7"
    wrong[7] = "Port 66"
    said |= dict.fromkeys(NAMES, wrong)
    rows = "".join(f"{name},Ship {n},{port}\n" for name, ports in said.items() for n, port in enumerate(ports))
    (folder / "feed.csv").write_text(f"source,ship,port\n{rows}", "utf-8")
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(folder / "feed.csv", extra={"entity": "ship", "map": f"port={request.param}"})
    return folder / "store"


def test_fuse_of_one_entity_knows_the_flood(feed):
    doc = told("fuse", "Ship 7", "--store", feed)
    assert doc["copies"] == [NAMES]
    (group,) = doc["values"]
    assert [(v["value"], v["believed"], v["sources"]) for v in group["values"]] == [
        ("Port 7", True, HONEST),
        ("Port 66", False, NAMES),
    ]


ASKED = [(kind, name) for kind in ("value", "link") for name in ("multirag", "hydra", "pog")]
ASKED += [("link", name) for name in ("tog", "tog-r", "tog-2")]  # these walk to entities alone


@pytest.mark.parametrize("feed, strategy", ASKED, indirect=["feed"])
def test_three_outweigh_a_flood_of_twenty_names(feed, strategy):
    doc = told("ask", SHIP, "--strategy", strategy, "--store", feed)
    assert doc["answers"][0]["name"] == "Port 7"
    assert doc["verdict"] == "supported"
    assert doc["amount"] == pytest.approx(3.2), "three voices against one"
    assert doc["dissent"] == [f"{', '.join(NAMES)} say Port 66"]


@pytest.mark.parametrize("feed", ["link"], indirect=True)
@pytest.mark.parametrize("strategy", ["hydra", "pog", "tog", "tog-2"])
def test_a_flood_has_one_voice_where_a_model_believes_it(feed, strategy):
    said = {"facts": "", "parts": [], "enough": "yes", "answers": ["Port 66"], "missing": ""}
    with EmbeddedStore(feed) as store:
        answer, _ = asked(store, make_embedder(), strategy, {"judge": said}, question=SHIP)
    assert [a.name for a in answer.answers] == ["Port 66"]
    assert (answer.verdict, answer.amount) == ("single-source", pytest.approx(0.8))
