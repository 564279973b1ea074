"""Each retriever beside its framework: the example of docs/integrations.md, and what the framework promises of its own.

Skipped where the framework is not installed. ``.ci/integrations`` runs it in an environment for each, without the other
files of the tests, where HYDRA_FRAMEWORK names the one that must be there.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
CLUBS = "Which football clubs play in the city where John Lennon was born?"
UNKNOWN = "who wrote Hey Jude Again?"


def needs(framework: str, module: str) -> None:
    if not module and not os.environ.get("HYDRA_FRAMEWORK"):
        pytest.skip("tests/unit/integrations tests what needs no framework")
    if module and os.environ.get("HYDRA_FRAMEWORK") == framework:
        import_module(module)
    elif module:
        pytest.importorskip(module, exc_type=ImportError)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of ``hydra-kg demo``."""
    from hydra_kg import Hydra, Settings
    from hydra_kg.cli.setup.demo import FILES
    from hydra_kg.util.package_data import find_content

    folder = tmp_path_factory.mktemp("frameworks") / "demo"
    with Hydra(store=folder, settings=Settings()) as hydra:
        hydra.load(*(find_content("sample", name) for name in FILES))
    return folder


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The framework that a test is for is there, and the store lies where the example looks for it."""
    needs(*request.param)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(request.getfixturevalue("demo"), "demo")
    return "demo"


def example(title: str) -> dict[str, object]:
    """What the names of an example are after it ran."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert section is not None
    (block,) = re.findall(r"^```python\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(block, f"{title} in docs/integrations.md", "exec"), names)
    return names


@pytest.mark.parametrize("store", [("none", "")], indirect=True)
def test_without_a_framework(store, capsys):
    example("Without a framework")
    assert "John Lennon — born in → Liverpool" in capsys.readouterr().out


@pytest.mark.parametrize("store", [("langchain", "langchain_core")], indirect=True)
def test_langchain(store, capsys):
    retriever = example("LangChain")["retriever"]
    said = capsys.readouterr().out
    assert "John Lennon — born in → Liverpool" in said
    assert "supported ['freebase', 'wikidata']" in said

    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda

    assert isinstance(retriever, BaseRetriever)
    documents = asyncio.run(retriever.ainvoke(CLUBS))
    assert all(isinstance(d, Document) and d.id and 0 <= d.metadata["score"] <= 1 for d in documents)
    assert len(documents) <= 6
    chain = retriever | RunnableLambda(lambda found: [d.page_content for d in found])
    assert chain.batch([CLUBS, UNKNOWN])[1] == []

    from langchain_core.callbacks import BaseCallbackHandler

    class Listening(BaseCallbackHandler):
        ended = 0

        def on_retriever_end(self, documents, **_):
            Listening.ended += len(documents)

    retriever.invoke(CLUBS, config={"callbacks": [Listening()]})
    assert Listening.ended == len(documents)


@pytest.mark.parametrize("store", [("llama-index", "llama_index.core")], indirect=True)
def test_llama_index(store, capsys):
    retriever = example("LlamaIndex")["retriever"]
    assert "John Lennon — born in → Liverpool" in capsys.readouterr().out

    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.schema import MetadataMode

    assert isinstance(retriever, BaseRetriever)
    nodes = asyncio.run(retriever.aretrieve(CLUBS))
    assert [n.text for n in nodes] == [n.text for n in retriever.retrieve(CLUBS)]
    shown = nodes[0].node.get_content(metadata_mode=MetadataMode.LLM)
    assert "verdict: supported" in shown
    assert "answer_id" not in shown
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    assert len(engine.query(CLUBS).source_nodes) == len(nodes)
    assert retriever.retrieve(UNKNOWN) == []


@pytest.mark.parametrize("store", [("haystack", "haystack")], indirect=True)
def test_haystack(store, capsys):
    pipeline = example("Haystack")["pipeline"]
    said = capsys.readouterr().out
    assert "John Lennon — born in → Liverpool" in said

    import haystack.version
    from haystack import Pipeline

    trusted = {"allowed_modules": ["hydra_kg.integrations.*"]} if haystack.version.__version__ >= "3" else {}
    again = Pipeline.loads(pipeline.dumps(), **trusted)
    given = again.run({"graph": {"query": CLUBS, "top_k": 2}})["graph"]
    assert len(given["documents"]) == 2
    assert given["answer"]["verdict"] == "supported"

    from hydra_kg.integrations import HaystackRetriever

    awaited = getattr(haystack, "AsyncPipeline", Pipeline)()  # before 3 a class of its own
    awaited.add_component("graph", HaystackRetriever(store=store))
    silent = asyncio.run(awaited.run_async({"graph": {"query": UNKNOWN}}))["graph"]
    assert silent["documents"] == []
    assert silent["answer"]["abstained"]


@pytest.mark.parametrize("store", [("neo4j-graphrag", "neo4j_graphrag")], indirect=True)
def test_neo4j_graphrag(store, capsys):
    retriever = example("neo4j-graphrag")["retriever"]
    said = capsys.readouterr().out
    assert "John Lennon — born in → Liverpool" in said
    assert "supported Liverpool F.C. and Everton F.C." in said

    from neo4j_graphrag.generation import GraphRAG
    from neo4j_graphrag.llm import LLMInterface, LLMResponse
    from neo4j_graphrag.retrievers.base import Retriever

    assert isinstance(retriever, Retriever)
    assert len(retriever.search(query_text=CLUBS, top_k=1).items) == 1
    tool = retriever.convert_to_tool("graph", "asks a knowledge graph")
    assert tool.execute(query_text=UNKNOWN).items == []

    class Echo(LLMInterface):
        """Says what it was handed."""

        def invoke(self, input, *_, **__):  # noqa: A002
            return LLMResponse(content=str(input))

        async def ainvoke(self, input, *_, **__):  # noqa: A002
            return LLMResponse(content=str(input))

    said = GraphRAG(retriever, Echo("echo")).search(CLUBS, retriever_config={"top_k": 3}, return_context=False).answer
    assert "Liverpool — home of the team → Liverpool F.C." in said
