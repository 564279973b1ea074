"""One function behind all retrievers: what an answer rests on, bounded, with citations that open."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest

from hydra_kg import UsageError
from hydra_kg.integrations import GraphRetriever, retrieve

CLUBS = "Which football clubs play in the city where John Lennon was born?"
COUNT = "How many of the Beatles were born in Liverpool?"

FRAMEWORKS = {
    "LangChainRetriever": "langchain-core",
    "LlamaIndexRetriever": "llama-index-core",
    "HaystackRetriever": "haystack-ai",
    "Neo4jGraphRagRetriever": "neo4j-graphrag",
}


def installed(package):
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def test_an_answer_its_paths_and_the_passages_that_agree_have_citations_that_open(sample):
    found = retrieve(sample, CLUBS)
    kinds = [item.kind for item in found.items]
    assert kinds == sorted(kinds, key=("answer", "path", "passage").index)
    answer, path, passage = (next(i for i in found.items if i.kind == kind) for kind in ("answer", "path", "passage"))
    assert "Liverpool F.C. and Everton F.C." in answer.text
    assert path.text == "John Lennon — born in → Liverpool — home of the team → Liverpool F.C."
    assert path.sources == ("freebase", "wikidata")
    assert passage.stance == "agrees"
    assert passage.sources == ("passages",)
    places = {c.n: (c.source, str(c.locator)) for c in found.answer.citations}
    for item in found.items:
        assert 0 <= item.score <= 1
        assert {places[n][0] for n in item.citations} == set(item.sources)
    assert passage.locator == places[passage.citations[0]][1]
    about = found.metadata(path)
    assert about["verdict"] == "supported"
    assert about["answer_id"] == found.answer.id
    assert json.loads(json.dumps(about)) == about


def test_facts_are_the_hops_each_once(sample):
    facts = retrieve(sample, CLUBS, kinds=["fact"]).items
    assert [fact.text for fact in facts] == [
        "John Lennon — born in → Liverpool",
        "Liverpool — home of the team → Liverpool F.C.",
        "Liverpool — home of the team → Everton F.C.",
    ]


def test_what_was_computed_stands_in_the_answer(sample):
    (item,) = retrieve(sample, COUNT, kinds=["answer"]).items
    assert item.text.startswith(f"{COUNT} — 4 (4 counted: ")


def test_every_kind_has_its_turn_before_one_has_a_second(sample):
    found = retrieve(sample, CLUBS, limit=3, characters=20)
    assert [item.kind for item in found.items] == ["answer", "path", "passage"]
    assert max(len(item.text) for item in found.items) == 20
    assert found.left_out == len(retrieve(sample, CLUBS, limit=100).items) - 3


def test_silence_gives_nothing_unless_asked_for(sample):
    question = "who wrote Hey Jude Again?"
    assert retrieve(sample, question).items == ()
    explored = retrieve(sample, question, unanswered=True)
    assert explored.about()["missing"]
    assert "answer" not in {item.kind for item in explored.items}


@pytest.mark.parametrize("choices", [{"limit": 0}, {"characters": 0}, {"kinds": ["paths"]}])
def test_bounds_and_kinds_that_are_none_are_refused(sample, choices):
    with pytest.raises(UsageError):
        retrieve(sample, CLUBS, **choices)
    with pytest.raises(UsageError):
        GraphRetriever(sample, **choices)


def test_an_address_is_opened_and_asyncio_gives_the_same(sample_store, sample):
    retriever = GraphRetriever(str(sample_store), limit=4, options={"keep": False})
    try:
        found = asyncio.run(retriever.aretrieve(CLUBS, limit=2))
        assert len(found.items) == 2
        assert [i.text for i in found.items] == [i.text for i in retriever.retrieve(CLUBS, limit=2).items]
        assert len(retriever.retrieve(CLUBS).items) == 4
    finally:
        retriever.close()


@pytest.mark.parametrize("name, package", FRAMEWORKS.items())
def test_a_framework_that_is_not_there_is_one_clear_line(name, package):
    if installed(package):
        pytest.skip(f"{package} is installed; tests/frameworks has its test")
    import hydra_kg.integrations

    with pytest.raises(UsageError, match=r"is not installed") as raised:
        getattr(hydra_kg.integrations, name)
    assert "pip install 'hydra-kg[" in str(raised.value)


def test_the_package_loads_no_framework():
    code = "import sys, hydra_kg.integrations; print([m for m in sys.modules if 'lang' in m or 'haystack' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
