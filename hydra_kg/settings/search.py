"""Settings of the search: linking, graph depth, relevance, pruning and verification, on one scale."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hydra_kg.settings.group import Amount, SettingsGroup, Share, Whole
from hydra_kg.settings.project_rules import Fewer, Free, Limit, Lower, More, OnlyFalse, allow_only

KINDS = frozenset({"kg", "wiki", "web"})
"""Kinds of source that a question may use."""


def _kinds(text: str) -> str:
    if not set(text.split(",")) <= KINDS:
        raise ValueError(f"some of {', '.join(sorted(KINDS))}, with commas")
    return text


class Linking(SettingsGroup):
    """How a question is read, and how its names are linked to entities."""

    question_characters: Lower[Whole] = Field(default=2_000, description="Longest accepted question, in characters")
    entities_by: Free[Literal["letters", "meaning", "off"]] = Field(
        default="letters",
        description="How a name without an exact entity is matched to indexed names: by letters, by embedding "
        "(HydraRAG §4.1), or not at all",
    )


class Retrieval(SettingsGroup):
    """Which sources are searched, how far, and how many edges and nodes a search may grow from."""

    kinds: Fewer[Annotated[str, AfterValidator(_kinds)]] = Field(
        default="kg,wiki,web",
        description="Kinds of source to search: kg (facts), wiki (stored text), web. Fewer is an ablation",
    )
    without: More[str] = Field(
        default="", description="Sources, or kinds of source, to leave out, separated by commas; HydraRAG Table 5"
    )
    d_max: Free[Whole] = Field(default=3, description="Longest path, in hops; HydraRAG App. C")
    phases: Free[Whole] = Field(
        default=3,
        description="Explorations: initial, refined, predicted. All but the first need a language model; HydraRAG §4.2",
    )
    hops: Free[Literal["entity", "paper"]] = Field(
        default="entity", description="Whether a mediator counts as a hop: no (entity), or yes (paper)"
    )
    window: Free[bool] = Field(
        default=False,
        description="Whether phase 1 accepts only paths of more than |Topic(q)| · (D − 1) hops; HydraRAG §4.2.1, "
        "not its Algorithm 1",
    )
    joint: Free[Literal["off", "also", "only"]] = Field(
        default="off",
        description="Search paths between consecutive topics from both ends: never, in addition to paths from one"
        " topic, or instead of them if there are several topics; HydraRAG §4.2.1",
    )
    level_score: Free[Literal["relevance", "cross"]] = Field(
        default="relevance",
        description="Score that prunes a level of the search between topics: that of HydraRAG's Algorithm 1, or of "
        "its §4.2.1",
    )
    predictions: Free[Literal["name", "similarity"]] = Field(
        default="name",
        description="How a predicted answer is matched to entities: by name, or by its embedding in G_q; HydraRAG "
        "§4.2.3",
    )
    relations: Free[Literal["all", "one"]] = Field(
        default="all", description="Relations between two classes: all, or one drawn at random (HydraRAG-E)"
    )
    edge_budget: Lower[Whole] = Field(default=1_000_000, description="Most edges of one subgraph in the embedded store")
    server_cut: Free[Literal["levels", "pattern", "subgraph", "spanning-tree"]] = Field(
        default="levels",
        description="How a Neo4j server finds a subgraph: level by level, or first by a variable-length pattern "
        "or an APOC procedure. The result is the same",
    )
    beam: Free[Whole] = Field(
        default=25, description="Relation paths that each level extends; more cost time and gained nothing"
    )
    sentences: Free[Whole] = Field(
        default=8,
        description="Sentences to embed (0: all), of which 2 W_max are read; twice as many changed no answer of 100",
    )
    sentences_by: Free[Literal["question", "indicator"]] = Field(
        default="question",
        description="Text that sentences are compared with; HydraRAG §4.2.1 uses the skyline indicator",
    )
    earlier_pages: Free[bool] = Field(
        default=False,
        description="Whether the follow-up question ranks the web pages of the first exploration again; HydraRAG "
        "§4.2.2 does",
    )
    ranked_texts: Free[Whole] = Field(
        default=16, description="Texts, best by BM25, that a dense ranker or the agent sees (0: all); for tog-2"
    )
    join_text: Free[Share] = Field(
        default=0.6,
        description="Least verification score (s_ver, 0 to 1) at which hops written from text join G_q; 0 joins none",
    )
    kg_share: Free[Share] = Field(
        default=1.0,
        description="Share of the graphs' facts that can be found, drawn with the seed; ablation of ToG-2 App. B.7",
    )


class RelevanceSettings(SettingsGroup):
    """How relevant a relation path is to a question, before anything is verified."""

    path_vectors: Free[Literal["relations", "text"]] = Field(
        default="relations",
        description="Vector of a path: composed of its relations, or the embedding of its text with names "
        "(HydraRAG §4.3, PoG §4.3)",
    )

    lambda_sem: Free[Share] = Field(
        default=1.0, description="Weight of the cosine in relevance; the rest is overlap with the topics. HydraRAG: .7"
    )
    learned_weight: Free[float] = Field(
        default=1.0,
        description="Weight of the relation matrix that was learned from labelled questions; 0: off (offline agent)",
    )
    hint_weight: Free[float] = Field(
        default=0.4, description="Weight of relations that the question's wording suggests (offline agent)"
    )
    noun_weight: Free[float] = Field(
        default=0.4, description="Weight of the match of the asked noun and the last relation (offline agent)"
    )
    topic_bonus: Free[float] = Field(default=0.2, description="Bonus for each other topic on the path (offline agent)")
    touch_weight: Free[float] = Field(
        default=0.2, description="Weight of the relation of the hop to another topic (offline agent)"
    )
    hop_penalty: Free[float] = Field(default=0.4, description="Penalty for each hop after the first (offline agent)")
    composed_penalty: Free[float] = Field(
        default=0.25, description="Penalty for each hop after the first, if one question contains another"
    )
    clauses: Free[bool] = Field(
        default=True,
        description="Whether each hop is compared with its own clause of a question with subordinate clauses",
    )
    hearsay: Free[Share] = Field(
        default=0.75,
        description="Factor of the relevance of paths read from text; such paths are right half as often as facts",
    )


class Pruning(SettingsGroup):
    """How many paths are kept."""

    w1: Free[Whole] = Field(default=80, description="Paths selected at every level (W_1); HydraRAG App. C: 100")
    w2: Free[Whole] = Field(default=20, description="Paths that reach the last pruning step (W_2); PoG §5.2")
    w_max: Free[Annotated[int, Field(ge=1)]] = Field(
        default=3, description="Evidence paths of an answer (W_max), at least 1; HydraRAG App. C"
    )


class Verification(SettingsGroup):
    """How far independent sources support a path, and how that counts compared with its relevance."""

    alpha_cross: Free[Share] = Field(
        default=0.8, description="Weight of relevance against verification, fitted on webqsp_train; HydraRAG App. C: .7"
    )
    support: Free[Literal["paths", "facts", "both"]] = Field(
        default="facts", description="How support (Supp) is counted: by similar paths, or by the facts on them"
    )
    independence: Free[Literal["origin", "kind"]] = Field(
        default="origin", description="What counts as an independent source: its origin, or its kind as in the paper"
    )
    gamma: Free[float] = Field(
        default=0.8, description="Cosine from which two paths support each other; value of the published code"
    )
    f2: Free[Literal["support", "code"]] = Field(
        default="support", description="Formula of f2: min(|Supp|, W_max) / W_max, or the table of the published code"
    )
    f3: Free[Literal["entities", "code"]] = Field(
        default="entities",
        description="Formula of f3: share of Ent(p) in G_q, or the published code's similarity to paths of the graph",
    )
    mix_over: Free[Whole] = Field(
        default=0,
        description="Number of candidates above which verification counts in addition to relevance; published code: 40",
    )
    text: Free[bool] = Field(
        default=True, description="Whether passages are checked for what they state about an answer of the graph"
    )
    rivals: Free[bool] = Field(
        default=True,
        description="Whether, of values that exclude each other, the one with more independent sources comes "
        "first, even if its relation is less similar to the question",
    )
    reader: Annotated[Literal["rules", "model"], allow_only("rules")] = Field(
        default="rules",
        description="Who checks what texts state: rules and vectors, or the model, which must quote the sentence",
    )
    graph_level: Free[Share] = Field(
        default=0.0,
        description="Least confidence C(G) of a homologous group whose nodes are examined, 0 for all; MultiRAG "
        "§IV.A: .5",
    )
    printed: Free[bool] = Field(
        default=False, description="Whether confidence follows MultiRAG's Eq. 5 and 10 as printed (multirag)"
    )
    history: Annotated[Literal["moves", "frozen"], allow_only("frozen")] = Field(
        default="moves", description="Whether hydra-kg confirm changes the stored reliability of sources"
    )


class Answering(SettingsGroup):
    """When an answer is given, and what it may contain."""

    threshold: Free[float] = Field(
        default=0.17,
        description=(
            'Confidence (0 to 1) below which the answer is "no answer in these sources"; fitted on webqsp_train'
        ),
    )
    joined: Free[bool] = Field(default=True, description="Whether facts and text are combined if neither answers alone")
    max_answers: Free[Whole] = Field(default=100, description="Most answers returned; the command line prints fewer")
    read: Free[bool] = Field(
        default=True,
        description="Whether stored pages are read for answers that the graph does not have (offline agent)",
    )
    plan: Free[bool] = Field(
        default=True,
        description="Whether operators of the question (compare, count, first, not …) are executed over the graph",
    )
    own_words: Free[bool] = Field(
        default=True,
        description="Whether questions over your own data are understood in the words of its schema (offline agent)",
    )
    sql: OnlyFalse[bool] = Field(
        default=True,
        description="Whether the model writes a query over tables if no reading accounts for the whole question",
    )
    cypher: OnlyFalse[bool] = Field(
        default=False, description="Whether the model first writes a read-only query, if the store is a Neo4j server"
    )
    cypher_seconds: Limit[Amount] = Field(default=10.0, description="Seconds after which the server stops such a query")
    cypher_rows: Limit[Whole] = Field(default=200, description="Most rows read from such a query")
    cypher_estimate: Limit[Amount] = Field(
        default=2_000_000.0,
        description="Most rows that such a query may process by the server's estimate; larger queries do not run",
    )
