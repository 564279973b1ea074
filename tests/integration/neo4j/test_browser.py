"""What ``show`` prints opens in a real Neo4j Browser in a real Chromium, on exactly that explored graph."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from helpers.excerpt import about
from helpers.samples.answers import BIRTH, DEATH, SALZBURG, answer, evidence, hop
from helpers.servers import browser
from helpers.servers.neo4j_server import Server
from helpers.servers.neo4j_stores import opened
from helpers.servers.service import service

from hydra_kg import Hydra, Settings
from hydra_kg.serialise import answer_json
from hydra_kg.stores.neo4j.traces.browser_links import browser_link, make_explored_query
from hydra_kg.stores.trace_store import ServerTraces
from hydra_kg.text.quoting import cypher_text
from hydra_kg.util.package_data import find_content

QUESTION = "Which football clubs play in the city where John Lennon was born?"
STYLE = json.loads(find_content("docker", "style.json").read_text("utf-8"))
SHOWN = ("Question", "Exploration", "Path", "Pruned", "Answer", "Entity", "Mediator", "Mention")
LABELS = {STYLE[f"node.Hydra{label}"]["color"].lower(): label for label in SHOWN}
HOSTILE = "\x01 \x1b[31m & # ' \" ` \\ %26 %23 ; // </script><img src=x onerror=document.title='owned'> 日本"


@pytest.fixture(scope="module")
def program() -> str:
    """Chromium; without one nothing of this module is tested, and that is said."""
    found = browser.chromium()
    try:
        import playwright  # noqa: F401
    except ImportError:
        found = None
    if found is None:
        text = "no Chromium on the path, or no playwright: Neo4j Browser is not tried (apt-get install chromium)"
        if os.environ.get("CI") == "true" and os.environ.get("HYDRA_REQUIRE_BROWSER") != "0":
            pytest.fail(text, pytrace=False)
        print(f"\nNOT TESTED: {text}")
        pytest.skip(text)
    return found


@pytest.fixture
def hydra(neo4j_cleared: Server) -> Iterator[Hydra]:
    """An empty store on the server."""
    with Hydra(store=neo4j_cleared.uri, settings=Settings()) as hydra:
        yield hydra


def shown(page: browser.Page) -> Counter[str]:
    """How many nodes of each label are drawn, told by their colours."""
    return Counter(LABELS.get(node["fill"].lower(), node["fill"]) for node in page.nodes())


@pytest.mark.server
@pytest.mark.slow
def test_an_explored_question_is_seen_and_expanding_walks_into_the_knowledge(program, hydra, neo4j_cleared, tmp_path):
    hydra.load(about({"m.01vsl3_", "m.04lh6"}, "freebase.nt.gz", tmp_path))  # John Lennon, Liverpool
    asked = hydra.ask(QUESTION)
    assert isinstance(hydra.traces, ServerTraces)
    link = hydra.traces.browse(asked.id, paths=5)
    assert link is not None
    assert neo4j_cleared.password not in link["url"]
    with browser.browser(program) as page:
        page.open(link["url"], neo4j_cleared.password)
        assert f'"{asked.id}"' in page.editor()
        page.run()
        seen, captions = shown(page), " ".join(node["text"] for node in page.nodes())
        assert (seen["Question"], seen["Exploration"], seen["Answer"]) == (1, 1, len(asked.answers))
        assert seen["Path"] >= 5
        assert seen["Pruned"] == 5
        assert seen["Entity"] >= 4
        assert set(seen) <= set(LABELS.values())
        assert "Liverpool" in captions
        assert "football" in captions
        relations = " ".join(page.relationships())
        assert "person place" in relations, "hops read as words"
        assert "because" in relations
        page.expand("Lennon")
        assert shown(page)["Entity"] > seen["Entity"]


@pytest.mark.server
@pytest.mark.slow
def test_the_web_application_leads_to_neo4j_browser(program, hydra, neo4j_cleared, tmp_path):
    hydra.load(about({"m.01vsl3_", "m.04lh6"}, "freebase.nt.gz", tmp_path))  # John Lennon, Liverpool
    hydra.close()
    settings = {"environment": neo4j_cleared.environment()}
    with service(neo4j_cleared.uri, tmp_path / "home", "--allow-loading", **settings) as running:
        running.wait()
        with browser.browser(program) as page:
            page.page.goto(f"{running.url}/#/ask?q={QUESTION}")
            page.page.locator("article.answer:not(.running) .statement").wait_for()
            page.page.locator("article.answer").get_by_role("link", name="Explore", exact=True).click()
            link = page.page.get_by_role("link", name="Open in Neo4j Browser")
            link.wait_for()
            assert link.get_attribute("target") == "_blank"
            address = str(link.get_attribute("href"))
            assert neo4j_cleared.password not in address
            page.open(address, neo4j_cleared.password)
            page.run()
            assert (shown(page)["Question"], shown(page)["Exploration"]) == (1, 1)
            assert "Liverpool" in " ".join(node["text"] for node in page.nodes())


@pytest.mark.server
@pytest.mark.slow
def test_hostile_names_questions_and_ids_are_only_text(program, hydra, neo4j_cleared):
    evil = replace(SALZBURG, name=HOSTILE, key='"x"@en')
    paths = [evidence(hop(BIRTH.subject, HOSTILE, evil, *BIRTH.facts)), evidence(DEATH, kept=False)]
    doc = answer_json(replace(answer(id=f"x{HOSTILE}", explored=paths), question=HOSTILE, evidence=(paths[0],)))
    hydra.traces.save(doc)
    hydra.traces.save(answer_json(answer(id="x")))
    assert isinstance(hydra.traces, ServerTraces)
    link = hydra.traces.browse(doc["id"], paths=5)
    assert link is not None
    with browser.browser(program) as page:
        page.open(link["url"], neo4j_cleared.password)
        page.run()
        seen = shown(page)
        assert (seen["Question"], seen["Mention"], seen["Pruned"]) == (1, 3, 1)
        assert any("</script>" in node["text"].replace(" ", "") or "&" in node["text"] for node in page.nodes())
        assert "owned" not in page.page.title()


@pytest.mark.server
@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        "",
        "a" * 50,
        "🦆",
        "\n\r\t",
        "\\u0022}) DETACH DELETE n //",
        "\\\\u0022",
        '"',
        "\\n",
        "\\\\",
        "%u0022",
        "&quot;",
        "\x00\u2028",
    ],
)
def test_a_literal_is_letters_digits_and_escapes_and_means_the_text(neo4j_database, text):
    made = cypher_text(text)
    assert re.fullmatch(r'"([A-Za-z0-9]|\\u[0-9A-F]{4}|\\\\|\\")*"', made)
    with opened().session() as session:
        assert session.run(f"RETURN {made}").single(strict=True).value() == text


def test_an_address_is_whole_after_browser_decoded_it_and_split_it():
    query = make_explored_query(HOSTILE, paths=3) + ' RETURN "a&b#c+d%41 e"'
    url = browser_link(
        "http://localhost:7474/browser/", "neo4j+s://example.org:7687", query, username="me & you", database="my db"
    )
    split = parse_qs(urlsplit(url).query, strict_parsing=True)
    assert split["cmd"] == ["edit"]
    assert split["db"] == ["my db"]
    assert split["dbms"] == ["neo4j+s://me & you@example.org:7687"]
    assert split["arg"] == [query.replace("&", "\\u0026").replace("#", "\\u0023")]
    assert not {"&", "#"} & set(split["arg"][0])
