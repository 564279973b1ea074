"""Spans of questions reach a collector over real HTTP, if the settings say so, and say nothing of what was asked."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from helpers.programs import own_environment
from helpers.servers.collector import Collector, attributes
from helpers.servers.model_server import ModelServer, Say

from hydra_kg import AsyncHydra, Hydra, Settings, StoppedError, load_settings
from hydra_kg.errors import SettingsError
from hydra_kg.telemetry.spans import flush
from hydra_kg.util import tracing
from hydra_kg.util.cancelling import Cancellation, carry_to_thread

CLUBS = "Which football clubs play in the city where John Lennon was born?"


@pytest.fixture
def collector():
    with Collector() as one:
        yield one


def to(collector: Collector, **more: object) -> dict[str, object]:
    return {"telemetry.spans": "otlp", "telemetry.endpoint": collector.url, **more}


def asked(store, question, options, **how):
    with Hydra(store=store, settings=Settings(**options), **how) as hydra:
        answer = hydra.ask(question, keep=False)
    assert flush()
    return answer


def children(spans, parent):
    return [s for s in spans if s.parent_span_id == parent.span_id]


def test_a_question_is_a_trace_with_its_steps(sample_store, collector):
    answer = asked(sample_store, CLUBS, to(collector))
    spans = collector.spans
    (root,) = (s for s in spans if not s.parent_span_id)
    about = attributes(root)
    assert set(collector.paths) == {"/v1/traces"}
    assert root.name == "invoke_workflow hydra-kg"
    assert about["gen_ai.operation.name"] == "invoke_workflow"
    assert about["hydra.answer.id"] == answer.id
    assert about["hydra.answer.verdict"] == answer.verdict
    assert {s.trace_id for s in spans} == {root.trace_id}
    names = {s.name for s in spans}
    assert names >= {"link", "explore", "cut", "prune", "verify", "retrieve_text", "judge", "answer"}
    (explore,) = (s for s in spans if s.name == "explore")
    assert attributes(explore)["gen_ai.operation.name"] == "retrieval"
    assert {s.name for s in children(spans, explore)} >= {"cut", "constrain"}
    known = {s.span_id: s for s in spans}
    for span in spans:
        if span.parent_span_id:
            parent = known[span.parent_span_id]
            assert parent.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= parent.end_time_unix_nano
    pruned = [attributes(e) for s in spans for e in s.events if e.name == "ask.pruned"]
    assert pruned[0]["hydra.kept"] > 0
    resource = {a.key: a.value.string_value for a in collector.requests[0].resource_spans[0].resource.attributes}
    assert resource["service.name"] == "hydra-kg"


def test_nothing_of_question_or_sources_is_said_unless_wanted(sample_store, collector):
    asked(sample_store, CLUBS, to(collector))
    words = ("Lennon", "Liverpool", "football", "m.0", "home of", "born")
    assert [word for word in words if word in collector.text] == []
    asked(sample_store, CLUBS, to(collector, **{"telemetry.content": True}))
    roots = [s for s in collector.spans if not s.parent_span_id]
    assert CLUBS in attributes(roots[-1])["gen_ai.input.messages"]
    assert "Everton F.C." in attributes(roots[-1])["gen_ai.output.messages"]


@pytest.mark.parametrize("more", [{}, {"telemetry.spans": ""}, {"no_network": True}])
def test_nothing_goes_out_unasked(sample_store, collector, monkeypatch, more):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    options = to(collector) | more if more else {}
    asked(sample_store, CLUBS, options)
    assert collector.requests == []


def test_the_address_of_the_environment_is_taken_once_spans_are_wanted(sample_store, collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    command = [sys.executable, "-m", "hydra_kg", "ask", CLUBS, "--store", str(sample_store)]
    env = own_environment(drop=(), HYDRA_TELEMETRY_SPANS="otlp")
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "Everton" in done.stdout
    assert len([s for s in collector.spans if not s.parent_span_id]) == 1, "a command delivers before it ends"


def test_a_folder_may_not_send_spans(tmp_path):
    (tmp_path / "hydra.toml").write_text('[telemetry]\nspans = "otlp"\nendpoint = "http://elsewhere.example"\n')
    with pytest.raises(SettingsError, match=r"telemetry\.endpoint .*, telemetry\.spans"):
        load_settings(folder=tmp_path)


def test_settings_of_telemetry_change_no_answer():
    assert Settings().hash() == Settings(**{"telemetry.spans": "otlp", "telemetry.content": True}).hash()


def test_each_call_of_a_model_is_a_span_of_the_conventions(sample_store, collector, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ModelServer([Say("no idea", tokens=(11, 2))], key="") as model:
        options = to(collector) | {"model.name": "tiny", "model.base_url": model.url, "model.reply_cache": False}
        options["agent.graph_first"] = 1
        answer = asked(sample_store, CLUBS, options, agent="llm")
        calls = [s for s in collector.spans if s.name == "chat tiny"]
        assert len(calls) == len(model.bodies) == answer.usage.calls > 0
    about = attributes(calls[0])
    assert calls[0].kind == 3, "CLIENT"
    assert about["gen_ai.operation.name"] == "chat"
    assert about["gen_ai.provider.name"] == "openai"
    assert about["gen_ai.request.model"] == "tiny"
    assert (about["gen_ai.usage.input_tokens"], about["gen_ai.usage.output_tokens"]) == (11, 2)
    assert about["server.address"] == "127.0.0.1"
    assert "gen_ai.input.messages" not in about
    (root,) = (s for s in collector.spans if not s.parent_span_id)
    assert attributes(root)["gen_ai.usage.input_tokens"] == 11 * len(calls)
    assert "no idea" not in collector.text


def test_what_ends_a_question_is_named_by_its_type_alone(sample_store, collector):
    stop = Cancellation()
    stop.cancel("because of Lennon")
    with Hydra(store=sample_store, settings=Settings(**to(collector))) as hydra, pytest.raises(StoppedError):
        hydra.ask(CLUBS, cancellation=stop)
    assert flush()
    (root,) = (s for s in collector.spans if not s.parent_span_id)
    assert attributes(root)["error.type"] == "StoppedError"
    assert root.status.code == 2, "ERROR"
    assert "Lennon" not in collector.text


def test_a_span_of_the_application_is_the_parent_also_from_asyncio(sample_store):
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    settings = Settings(**{"telemetry.spans": "application"})

    async def ask():
        async with AsyncHydra(store=sample_store, settings=settings) as hydra:
            with trace.get_tracer("application").start_as_current_span("request"):
                await hydra.ask(CLUBS, keep=False)

    asyncio.run(ask())
    done = {s.name: s for s in spans.get_finished_spans()}
    assert done["invoke_workflow hydra-kg"].parent.span_id == done["request"].context.span_id


def test_a_collector_that_is_not_there_or_refuses_costs_one_warning(sample_store):
    said: list[str] = []
    with Collector(status=400) as collector:
        options = to(collector)
        for _ in range(2):
            with Hydra(store=sample_store, settings=Settings(**options), warn=said.append) as hydra:
                assert not hydra.ask(CLUBS, keep=False).abstained
            flush()
    assert len(said) == 1
    assert "could not be delivered" in said[0]


def test_a_command_answers_although_its_collector_is_gone(sample_store):
    with Collector() as gone:
        pass
    command = [sys.executable, "-m", "hydra_kg", "ask", CLUBS, "--store", str(sample_store)]
    more = {"HYDRA_TELEMETRY_SPANS": "otlp", "HYDRA_TELEMETRY_ENDPOINT": gone.url}
    env = own_environment(drop=(), **more)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300)
    assert "Everton" in done.stdout
    assert "Traceback" not in done.stderr


def test_another_thread_works_in_the_same_span():
    seen = []

    class Listing:
        """Notes what begins in which."""

        def span(self, name, attributes, *, client):
            seen.append((name, tracing._OPEN.get()))
            return tracing._NOBODY

        def event(self, name, data):
            """Nothing."""

    with tracing.trace_with(Listing()), tracing.span("outer"):
        work = carry_to_thread(lambda: [tracing.span("inner").__enter__(), tracing.span("outer").__enter__()])
    work()
    assert [name for name, _ in seen] == ["outer", "inner"]
    assert tracing.tracer() is None
