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
    hop_penalty: float = 0.4  # offline relevance: cost of each hop after the first
    answer_threshold: float = 0.1  # confidence below which "no answer in these sources" is the answer; webqsp_train
    max_answers: int = 100  # answers given; the command line prints fewer
    link_candidates: int = 5  # shown as "did you mean"
    passages: int = 12  # passages read per question
    no_network: bool = False  # forbid every socket but the store's
    seed: int = 0

    def hash(self) -> str:
        """Twelve hex digits over everything that can change an answer (not ``store``)."""
        values = {k: v for k, v in asdict(self).items() if k != "store"}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def load_settings(overrides: dict[str, Any] | None = None, *, folder: Path | None = None) -> Settings:
    """Settings from ``hydra.toml`` in ``folder`` (default: here), the environment, and ``overrides`` (None: unset).

    Raises SettingsError for unknown names in the file and for values that do not fit.
    """
    kinds = get_type_hints(Settings)
    values: dict[str, Any] = {}
    path = (folder or Path.cwd()) / "hydra.toml"
    if path.is_file():
        try:
            values.update(tomllib.loads(path.read_text("utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
            raise SettingsError(f"{path.name} is not valid TOML: {e}", remedy="Correct the file.") from e
        unknown = sorted(set(values) - {f.name for f in fields(Settings)} - OTHER_NAMES)
        if unknown:
            raise SettingsError(
                f"{path.name} has unknown settings: {', '.join(unknown)}", remedy="hydra-kg settings lists all names."
            )
    for f in fields(Settings):
        if (text := os.environ.get(f"HYDRA_{f.name.upper()}")) is not None:
            values[f.name] = text
    values.update({k: v for k, v in (overrides or {}).items() if v is not None})
    known = {f.name: _convert(f.name, values[f.name], kinds[f.name]) for f in fields(Settings) if f.name in values}
    return replace(Settings(), **known)


OTHER_NAMES = frozenset({"model", "base_url", "prices"})
"""Settings of later parts that may stand in the same file."""


def default_store() -> Path:
    """The embedded store of this user (XDG data folder)."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "hydra-kg" / "store"


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
        return kind(value)
    except (TypeError, ValueError) as e:
        raise SettingsError(
            f"setting {name}: {value!r} does not fit ({e})",
            remedy=f"Set HYDRA_{name.upper()} or {name} in hydra.toml to a legal value.",
        ) from e
