"""Every knob: its name, default and reason. Flags beat environment (``HYDRA_…``) beats ``hydra.toml`` beats default."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_type_hints

from hydra_kg.errors import SettingsError

Prices = tuple[tuple[str, float, float], ...]
"""(model, money for a million tokens of prompt, the same of reply), sorted."""

KINDS = frozenset({"kg", "wiki", "web"})
"""Kinds of source that a question may use."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a question. Comments are the reasons."""

    store: str = ""  # empty: the user's data folder
    embedder: str = "minilm-int8"  # or a folder with model.onnx and tokenizer.json, or a hub name
    d_max: int = 3  # HydraRAG App. C
    w1: int = 80  # paths kept at every level; HydraRAG App. C
    w2: int = 20  # paths that reach the last pruning step; PoG §5.2
    w_max: int = 3  # evidence paths that answer; HydraRAG App. C
    alpha_cross: float = 0.8  # weight of relevance against verification; webqsp_train. HydraRAG App. C has .7
    gamma: float = 0.8  # cosine at which two paths support each other; value of the published code
    lambda_sem: float = 1.0  # weight of likeness in relevance, the rest is overlap with the topics; HydraRAG: .7
    f2: Literal["support", "code"] = "support"  # min(|Supp|, W_max) / W_max, or the table of the published code
    f3: Literal["entities", "code"] = "entities"  # share of Ent(p) in G_q, or the code's likeness to paths of the graph
    mix_over: int = 0  # candidates above which verification counts beside relevance; 40 in the published code
    window: bool = False  # whether phase 1 wants over |Topic(q)| · (D − 1) hops; HydraRAG §4.2.1, not its Algorithm 1
    support: Literal["paths", "facts", "both"] = "facts"  # how Supp is found
    independence: Literal["origin", "kind"] = "origin"  # who counts as independent; the paper counts kinds
    hops: Literal["entity", "paper"] = "entity"  # whether a mediator costs a hop
    edge_budget: int = 1_000_000  # edges of one cut in the embedded store
    hub_cap: int = 10_000  # a non-topic class with more edges is kept, not expanded
    beam: int = 25  # relation paths that a level of the search grows from; more cost time and gained nothing
    frontier: int = 4_000  # nodes that a level of the search grows from
    topic_bonus: float = 0.2  # offline relevance: gain for each other topic that a path touches
    touch_weight: float = 0.2  # offline relevance: weight of what the hop to another topic says
    hint_coverage: float = 0.5  # share of the hint score that is the mean over groups of hints, the rest the best one
    noun_weight: float = 0.4  # offline relevance: weight of what the question asks for against the last relation
    learned_weight: float = 1.0  # offline relevance: weight of what labelled questions taught; fitted at 1, 0 is off
    hint_weight: float = 0.4  # offline relevance: weight of what the question's wording suggests
    composed_penalty: float = 0.25  # the same where one question stands inside another
    plan: bool = True  # whether operators of the question (compare, count, first, not …) are carried out over the graph
    clauses: bool = True  # whether each hop is compared with its own clause of a question that holds others
    hop_penalty: float = 0.4  # offline relevance: cost of each hop after the first
    answer_threshold: float = 0.17  # confidence below which "no answer in these sources" is the answer; webqsp_train
    max_answers: int = 100  # answers given; the command line prints fewer
    question_characters: int = 2_000  # of the longest question that is read
    link_candidates: int = 5  # shown as "did you mean"
    passages: int = 12  # passages read per question
    kinds: str = "kg,wiki,web"  # kinds of source that may be used: facts, stored text, the web; fewer is an ablation
    phases: int = 3  # explorations: initial, refined, predicted; HydraRAG §4.2
    refine: Literal["joined", "call", "off"] = "joined"  # path refinement: in the call that judges, or its own
    selector: Literal["joined", "call", "off"] = "joined"  # choice of sources: in the analysis' call, or its own
    selection: Literal["list", "point"] = "list"  # how a model selects paths: all at once, or each alone
    enough: float = 0.65  # selection=point: mean probability of yes from which paths are enough; 16 judgements read
    indicator: Literal["question", "skyline"] = "question"  # what paths are compared with; the paper: a model's skyline
    name_topics: bool = False  # whether the model names the topics before linking; HydraRAG does
    summarise: bool = False  # whether written paths are summarised in a call; Algorithm 2 line 11
    relations: Literal["all", "one"] = "all"  # of each edge of the graph; one is drawn for HydraRAG-E
    join_text: float = 0.6  # s_ver from which hops written from text join G_q; 0 joins none
    model: str = ""  # name of the language model; none: the offline agent
    base_url: str = ""  # of an OpenAI-compatible endpoint; empty: OPENAI_BASE_URL, else OpenAI's own
    model_alone: bool = False  # whether what only the model says may be the answer, as in the papers
    reply_tokens: int = 256  # longest reply; HydraRAG App. C
    explore_temperature: float = 0.0  # of what explores; HydraRAG has .4, which no run repeats exactly
    model_timeout: float = 60.0  # seconds for one reply
    model_retries: int = 3  # attempts after one that failed in passing
    model_rate: float = 0.0  # calls a second, 0 for no limit
    reply_cache: bool = True  # whether replies are kept beside the store; the same call is then paid for once
    prices: Prices = ()  # money for a million tokens, [prices] in hydra.toml: "model" = [in, out]; none is known
    budget_calls: int = 20  # of a question; design §7
    budget_tokens: int = 30_000  # of a question, prompts and replies; design §7
    budget_money: float = 0.0  # of a question by the table of prices, 0 for no limit
    budget_seconds: float = 0.0  # of a question, 0 for no limit
    web: Literal["", "searxng", "serpapi"] = ""  # search engine; none: the web is no source
    web_url: str = ""  # base address of the search engine; empty: the provider's own
    web_results: int = 8  # results asked of the search engine
    web_pages: int = 3  # pages read for a question; HydraRAG: top W_max
    web_timeout: float = 10.0  # seconds for one search or page
    web_days: int = 30  # after which a page that --keep-web kept is forgotten
    no_network: bool = False  # forbid every socket but the store's
    kg_share: float = 1.0  # share of the graphs' facts that can be found, drawn by seed: ablation; ToG-2 App. B.7
    history: Literal["moves", "frozen"] = "moves"  # whether hydra-kg confirm may move what is known of sources
    seed: int = 0

    def hash(self) -> str:
        """Twelve hex digits over everything that can change an answer (not ``store``)."""
        values = {k: v for k, v in asdict(self).items() if k != "store"}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def load_settings(
    overrides: dict[str, Any] | None = None, *, folder: Path | None = None, base: Settings | None = None
) -> Settings:
    """Settings from the user's file (:func:`user_file`), ``hydra.toml`` in ``folder`` (default: here), the environment,
    and ``overrides`` (None: unset), each over the one before; what none of them sets is as in ``base``, by default the
    defaults. A folder may come from anywhere, so its file may not name what a key or a question is sent to.

    Raises SettingsError for unknown names in a file, for values that do not fit, and for what a folder may not set.
    """
    kinds = get_type_hints(Settings)
    here = (folder or Path.cwd()) / "hydra.toml"
    found = _read(here)
    if refused := sorted(name for name, value in found.items() if _leads_out(name, value)):
        raise SettingsError(
            f"{here} sets {', '.join(refused)}: a folder may not say where keys and questions are sent.",
            remedy=f"Set it in {user_file()}, in the environment (HYDRA_{refused[0].upper()}), or as an option.",
        )
    values: dict[str, Any] = {**_read(user_file()), **found}
    for f in fields(Settings):
        if (text := os.environ.get(f"HYDRA_{f.name.upper()}")) is not None:
            values[f.name] = text
    values.update({k: v for k, v in (overrides or {}).items() if v is not None})
    known = {f.name: _convert(f.name, values[f.name], kinds[f.name]) for f in fields(Settings) if f.name in values}
    return replace(base or Settings(), **known)


def user_file() -> Path:
    """The settings of this user (XDG configuration folder); no other file may name models and addresses."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "hydra-kg" / "hydra.toml"


def _read(path: Path) -> dict[str, Any]:
    """What a file sets, {} where there is none. Raises SettingsError."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise SettingsError(f"{path} is not valid TOML: {e}", remedy="Correct the file.") from e
    if unknown := sorted(set(values) - {f.name for f in fields(Settings)}):
        raise SettingsError(
            f"{path} has unknown settings: {', '.join(unknown)}", remedy="hydra-kg settings lists all names."
        )
    return values


def _leads_out(name: str, value: object) -> bool:
    """Whether a setting names an address, a service, or what is fetched or paid for."""
    if name == "store":
        return "://" in str(value) and not str(value).startswith("file://")
    if name == "embedder":
        return value != Settings().embedder and not Path(str(value)).is_dir()
    return name in {"base_url", "model", "web", "web_url"} and bool(value)


def default_store() -> Path:
    """The embedded store of this user (XDG data folder)."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "hydra-kg" / "store"


def _prices(table: Any) -> Prices:
    """The table of prices from TOML or JSON: {model: [in, out]}."""
    if not isinstance(table, dict):
        raise ValueError('a table: "model" = [in, out]')
    rows = []
    for model, pair in table.items():
        if not isinstance(pair, list) or len(pair) != 2 or not all(float(p) >= 0 for p in pair):
            raise ValueError(f"{model}: two numbers, [in, out]")
        rows.append((str(model), float(pair[0]), float(pair[1])))
    return tuple(sorted(rows))


def _convert(name: str, value: Any, kind: Any) -> Any:
    choices = getattr(kind, "__args__", ()) if getattr(kind, "__origin__", None) is Literal else ()
    try:
        if choices:
            if value not in choices:
                raise ValueError(f"one of {', '.join(map(str, choices))}")
            return value
        if kind is bool:
            text = str(value).lower()
            if text not in {"1", "0", "true", "false", "yes", "no"}:
                raise ValueError("true or false")
            return text in {"1", "true", "yes"}
        if kind == Prices:
            return _prices(json.loads(value) if isinstance(value, str) else value)
        if name == "kinds" and not set(str(value).split(",")) <= KINDS:
            raise ValueError(f"some of {', '.join(sorted(KINDS))}, with commas")
        return kind(value)
    except (TypeError, ValueError) as e:
        raise SettingsError(
            f"setting {name}: {value!r} does not fit ({e})",
            remedy=f"Set HYDRA_{name.upper()} or {name} in hydra.toml to a legal value.",
        ) from e
