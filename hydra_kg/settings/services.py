"""Settings of services other than the graph: language model, agents, budget, web, published stores."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from hydra_kg.settings.group import Amount, SettingsGroup, Share, Whole
from hydra_kg.settings.project_rules import Free, Higher, Limit, Lower, OnlyEmpty, OnlyFalse, OnlyTrue, UserOnly

Prices = tuple[tuple[str, float, float], ...]
"""(model, price of a million prompt tokens, price of a million reply tokens), sorted."""


def _prices(table: Any) -> Any:
    """Return the table of prices from TOML or JSON, {model: [in, out]}. A tuple is returned unchanged."""
    if isinstance(table, str):
        table = json.loads(table)
    if isinstance(table, tuple):
        return table
    if not isinstance(table, dict):
        raise ValueError('a table: "model" = [in, out]')
    rows = []
    for model, pair in table.items():
        if not isinstance(pair, list) or len(pair) != 2 or not all(float(p) >= 0 for p in pair):
            raise ValueError(f"{model}: two numbers, [in, out]")
        rows.append((str(model), float(pair[0]), float(pair[1])))
    return tuple(sorted(rows))


class AgentSettings(SettingsGroup):
    """Which steps a language model is asked for, and how."""

    reading_only: OnlyTrue[bool] = Field(
        default=False,
        description="whether a model only reads what texts state (verification.reader), and all else is judged offline",
    )
    graph_first: Free[Share] = Field(
        default=0.6,
        description="confidence from which the answer found without a model is final, 0 to 1; 1 always asks the "
        "model (hydra)",
    )
    name_topics: Free[bool] = Field(
        default=False, description="whether the model names the topics before linking; HydraRAG does"
    )
    indicator: Free[Literal["question", "skyline"]] = Field(
        default="question", description="what paths are compared with; the paper: a model's skyline"
    )
    plan: Free[Literal["needed", "first", "off"]] = Field(
        default="needed",
        description="a model's plan of the question: asked for where the grammar has none, used first, or off",
    )
    selector: Free[Literal["joined", "call", "off"]] = Field(
        default="joined", description="choice of sources: in the call that analyses, or one of its own"
    )
    selection: Free[Literal["list", "point"]] = Field(
        default="list", description="how a model selects paths: all at once, or each alone"
    )
    doubt: Higher[Share] = Field(
        default=0.05,
        description="confidence of the offline agent in the same paths below which a model does not say yes, 0 to 1; "
        "unless the model may answer alone",
    )
    prompt_paths: Free[Whole] = Field(
        default=20, description="paths that a prompt shows, the best ones, 0 for all; W_2, and W_1 = 80 in PoG"
    )
    prompt_chars: Free[Whole] = Field(
        default=2_600, description="characters of all that a prompt lists, up to 950 tokens; 0 for no limit"
    )
    choice_chars: Free[Whole] = Field(
        default=2_000,
        description="the same where paths are only chosen from: so 13 calls stay below 14,000 tokens; 0 for no limit",
    )
    options: Free[Whole] = Field(default=40, description="options that a prompt shows, the best by vectors, 0 for all")
    excerpts: Free[Whole] = Field(
        default=12, description="sentences that a prompt shows to write paths from, 0 for all"
    )
    shares: Free[bool] = Field(
        default=False,
        description="tog: whether the scores of one call are made to sum to 1, as the paper's prompts ask",
    )
    shots: Free[Whole] = Field(
        default=0,
        description="worked examples in a prompt as far as it has so many, 0 for the usual ones; ToG-2: 3 or 6",
    )
    refine: Free[Literal["joined", "call", "off"]] = Field(
        default="joined", description="path refinement: in the call that judges, or one of its own"
    )
    summarise: Free[bool] = Field(
        default=False, description="whether written paths are summarised in a call; HydraRAG, Algorithm 2 line 11"
    )


class ModelSettings(SettingsGroup):
    """The language model: its name, its address, and how it is called."""

    name: OnlyEmpty[str] = Field(default="", description="name of the language model; none: the offline agent")
    base_url: UserOnly[str] = Field(
        default="", description="address of an OpenAI-compatible endpoint; empty: OPENAI_BASE_URL, else OpenAI's own"
    )
    alone: OnlyFalse[bool] = Field(
        default=False, description="whether what only the model says may be the answer, as in the papers"
    )
    reply_tokens: Lower[Annotated[int, Field(ge=1)]] = Field(
        default=256, description="longest reply, in tokens; HydraRAG App. C"
    )
    explore_temperature: Free[Amount] = Field(
        default=0.0, description="temperature of the steps that explore; HydraRAG has .4, which no run repeats exactly"
    )
    timeout: Limit[Amount] = Field(default=60.0, description="seconds for one reply")
    retries: Lower[Whole] = Field(default=3, description="attempts after one that failed in passing")
    rate: Limit[Amount] = Field(default=0.0, description="calls a second, 0 for no limit")
    reply_cache: UserOnly[bool] = Field(
        default=True, description="whether replies are stored next to the store, so that the same call is paid for once"
    )
    prices: UserOnly[Annotated[Prices, BeforeValidator(_prices)]] = Field(
        default=(), description='money for a million tokens, [model.prices] in your own hydra.toml: "model" = [in, out]'
    )


class BudgetSettings(SettingsGroup):
    """The most that one question may cost."""

    calls: Limit[Whole] = Field(default=20, description="calls of a model for a question, 0 for no limit")
    tokens: Limit[Whole] = Field(
        default=30_000, description="tokens of a question, prompts and replies, 0 for no limit"
    )
    money: Limit[Amount] = Field(default=0.0, description="money for a question by the table of prices, 0 for no limit")
    seconds: Limit[Amount] = Field(default=0.0, description="seconds for a question, 0 for no limit")


class TelemetrySettings(SettingsGroup):
    """Spans of questions for OpenTelemetry. Nothing is sent unless ``spans`` says so."""

    spans: OnlyEmpty[Literal["", "otlp", "application"]] = Field(
        default="",
        description="who gets spans of questions: none (empty), a collector over OTLP/HTTP, or the tracer provider of "
        "the application that hydra-kg is a part of",
    )
    endpoint: UserOnly[str] = Field(
        default="",
        description="address of the collector; empty: OTEL_EXPORTER_OTLP_ENDPOINT, else this machine, port 4318",
    )
    content: OnlyFalse[bool] = Field(
        default=False, description="whether spans have questions, answers, prompts and replies, which sources may show"
    )


class Web(SettingsGroup):
    """The web as a source."""

    engine: OnlyEmpty[Literal["", "searxng", "serpapi"]] = Field(
        default="", description="search engine; none: the web is not used"
    )
    url: UserOnly[str] = Field(default="", description="base address of the search engine; empty: the provider's own")
    results: Lower[Whole] = Field(default=8, description="results asked of the search engine")
    pages: Lower[Whole] = Field(default=3, description="pages read for a question; HydraRAG: top W_max")
    timeout: Limit[Amount] = Field(default=10.0, description="seconds for one search or page")
    days: UserOnly[Whole] = Field(default=30, description="days after which a page stored by --keep-web is forgotten")


class ReaderSettings(SettingsGroup):
    """How a published store is read."""

    copy_folder: UserOnly[str] = Field(
        default="", description="folder of the local copy of a published store; empty: one in the user's cache folder"
    )
    poll: UserOnly[Amount] = Field(
        default=10.0, description="seconds after which a reader looks for a newer publication, 0 for never"
    )
