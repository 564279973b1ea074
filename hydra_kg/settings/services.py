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
        description="Whether the model only checks what texts state (verification.reader) and the offline agent "
        "does the rest",
    )
    graph_first: Free[Share] = Field(
        default=0.6,
        description="Confidence (0 to 1) from which an answer found without a model is final; 1 always asks the "
        "model (hydra)",
    )
    name_topics: Free[bool] = Field(
        default=False, description="Whether the model names the topics before linking, as in HydraRAG"
    )
    indicator: Free[Literal["question", "skyline"]] = Field(
        default="question",
        description="Text that paths are compared with: the question, or a model's skyline as in the paper",
    )
    plan: Free[Literal["needed", "first", "off"]] = Field(
        default="needed",
        description="When a model writes the plan of a question: if the grammar has none, always first, or never",
    )
    selector: Free[Literal["joined", "call", "off"]] = Field(
        default="joined",
        description="Choice of sources: in the call that analyses the question, or in a call of its own",
    )
    selection: Free[Literal["list", "point"]] = Field(
        default="list", description="How a model selects paths: all in one call, or one call for each"
    )
    doubt: Higher[Share] = Field(
        default=0.05,
        description="Confidence of the offline agent (0 to 1) below which a model's yes about the same paths is "
        "not accepted, unless model.alone is set",
    )
    prompt_paths: Free[Whole] = Field(
        default=20, description="Paths in a prompt, best first (0: all); W_2, and in PoG W_1 = 80"
    )
    prompt_chars: Free[Whole] = Field(
        default=2_600, description="Characters of all that a prompt lists, about 950 tokens (0: no limit)"
    )
    choice_chars: Free[Whole] = Field(
        default=2_000,
        description="Characters of the paths in a prompt that selects paths, so that 13 calls stay below 14,000 "
        "tokens (0: no limit)",
    )
    options: Free[Whole] = Field(default=40, description="Options in a prompt, best by embedding (0: all)")
    excerpts: Free[Whole] = Field(default=12, description="Sentences in a prompt that writes paths from text (0: all)")
    shares: Free[bool] = Field(
        default=False,
        description="Whether the scores of one call are scaled to sum to 1, as the paper's prompts ask (tog)",
    )
    shots: Free[Whole] = Field(
        default=0, description="Worked examples in a prompt (0: the usual number); ToG-2: 3 or 6"
    )
    refine: Free[Literal["joined", "call", "off"]] = Field(
        default="joined", description="Path refinement: in the call that judges, or in a call of its own"
    )
    summarise: Free[bool] = Field(
        default=False, description="Whether a call summarises written paths; HydraRAG, Algorithm 2 line 11"
    )


class ModelSettings(SettingsGroup):
    """The language model: its name, its address, and how it is called."""

    name: OnlyEmpty[str] = Field(default="", description="Name of the language model. Empty: the offline agent")
    base_url: UserOnly[str] = Field(
        default="", description="Address of an OpenAI-compatible endpoint. Empty: OPENAI_BASE_URL, else OpenAI's own"
    )
    alone: OnlyFalse[bool] = Field(
        default=False, description="Whether an answer may come from the model alone, as in the papers"
    )
    reply_tokens: Lower[Annotated[int, Field(ge=1)]] = Field(
        default=256, description="Longest reply, in tokens; HydraRAG App. C"
    )
    explore_temperature: Free[Amount] = Field(
        default=0.0, description="Temperature of the exploring steps; HydraRAG's .4 gives different runs"
    )
    timeout: Limit[Amount] = Field(default=60.0, description="Seconds for one reply")
    retries: Lower[Whole] = Field(default=3, description="Further attempts after a temporary failure")
    rate: Limit[Amount] = Field(default=0.0, description="Most calls in a second (0: no limit)")
    reply_cache: UserOnly[bool] = Field(
        default=True, description="Whether replies are stored next to the store, so that no call is paid for twice"
    )
    prices: UserOnly[Annotated[Prices, BeforeValidator(_prices)]] = Field(
        default=(),
        description='Price of a million tokens, in your own hydra.toml under [model.prices]: "model" = [in, out]',
    )


class BudgetSettings(SettingsGroup):
    """The most that one question may cost."""

    calls: Limit[Whole] = Field(default=20, description="Most model calls for a question (0: no limit)")
    tokens: Limit[Whole] = Field(
        default=30_000, description="Most tokens for a question, prompts and replies (0: no limit)"
    )
    money: Limit[Amount] = Field(
        default=0.0, description="Most money for a question, by the table of prices (0: no limit)"
    )
    seconds: Limit[Amount] = Field(default=0.0, description="Most seconds for a question (0: no limit)")


class TelemetrySettings(SettingsGroup):
    """Spans of questions for OpenTelemetry. Nothing is sent unless ``spans`` says so."""

    spans: OnlyEmpty[Literal["", "otlp", "application"]] = Field(
        default="",
        description="Where spans of questions go: nowhere (empty), to a collector over OTLP/HTTP, or to the "
        "tracer provider of the application around hydra-kg",
    )
    endpoint: UserOnly[str] = Field(
        default="",
        description="Address of the collector. Empty: OTEL_EXPORTER_OTLP_ENDPOINT, else this machine, port 4318",
    )
    content: OnlyFalse[bool] = Field(
        default=False,
        description="Whether spans contain questions, answers, prompts and replies, which may reveal the sources",
    )


class Web(SettingsGroup):
    """The web as a source."""

    engine: OnlyEmpty[Literal["", "searxng", "serpapi"]] = Field(
        default="", description="Search engine. Empty: the web is not used"
    )
    url: UserOnly[str] = Field(default="", description="Base address of the search engine. Empty: the provider's own")
    results: Lower[Whole] = Field(default=8, description="Results requested from the search engine")
    pages: Lower[Whole] = Field(default=3, description="Pages read for a question; HydraRAG: top W_max")
    timeout: Limit[Amount] = Field(default=10.0, description="Seconds for one search or page")
    days: UserOnly[Whole] = Field(default=30, description="Days until a page stored by --keep-web is forgotten")


class ReaderSettings(SettingsGroup):
    """How a published store is read."""

    copy_folder: UserOnly[str] = Field(
        default="", description="Folder of the local copy of a published store. Empty: one in the user's cache folder"
    )
    poll: UserOnly[Amount] = Field(
        default=10.0, description="Seconds between checks for a newer publication (0: never)"
    )
