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

    question_characters: Lower[Whole] = Field(default=2_000, description="longest question that is read, in characters")
    entities_by: Free[Literal["letters", "meaning", "off"]] = Field(
        default="letters",
        description="what a name that no entity has is matched by, among those that the index of names proposes: its "
        "letters, the vector of its meaning (HydraRAG §4.1), or nothing",
    )


class Retrieval(SettingsGroup):
    """Which sources are searched, how far, and how many edges and nodes a search may grow from."""

    kinds: Fewer[Annotated[str, AfterValidator(_kinds)]] = Field(
        default="kg,wiki,web",
        description="kinds of source that may be used: facts, stored text, the web; fewer is an ablation",
    )
    without: More[str] = Field(
        default="", description="sources, and kinds of source, that are left out, with commas; HydraRAG Table 5"
    )
    d_max: Free[Whole] = Field(default=3, description="longest path, in hops; HydraRAG App. C")
    phases: Free[Whole] = Field(default=3, description="explorations: initial, refined, predicted; HydraRAG §4.2")
    hops: Free[Literal["entity", "paper"]] = Field(
        default="entity", description="whether a mediator costs a hop: in the paper"
    )
    window: Free[bool] = Field(
        default=False,
        description="whether phase 1 wants more than |Topic(q)| · (D − 1) hops; HydraRAG §4.2.1, not its Algorithm 1",
    )
    joint: Free[Literal["off", "also", "only"]] = Field(
        default="off",
        description="paths between one topic and the next, searched from both ends: off, in addition to those from one "
        "topic, or alone if there are two topics or more; HydraRAG §4.2.1",
    )
    level_score: Free[Literal["relevance", "cross"]] = Field(
        default="relevance",
        description="what a level of the search between topics is pruned by: HydraRAG's Algorithm 1, or its §4.2.1",
    )
    predictions: Free[Literal["name", "similarity"]] = Field(
        default="name",
        description="how a predicted answer is found among the entities: by its name, or by the likeness of its vector "
        "in G_q; HydraRAG §4.2.3",
    )
    relations: Free[Literal["all", "one"]] = Field(
        default="all", description="relations of each edge of the graph; one is drawn for HydraRAG-E"
    )
    edge_budget: Lower[Whole] = Field(default=1_000_000, description="edges of one cut in the embedded store")
    server_cut: Free[Literal["levels", "pattern", "subgraph", "spanning-tree"]] = Field(
        default="levels",
        description="how a Neo4j server is asked for a cut: by level, or first by a pattern of variable length or a "
        "procedure of APOC; the cut is the same",
    )
    beam: Free[Whole] = Field(
        default=25,
        description="relation paths that a level of the search grows from; more cost time and gained nothing",
    )
    sentences: Free[Whole] = Field(
        default=8,
        description="sentences that are embedded, 0 for all, of which 2 W_max are read; twice as many changed no "
        "answer of 100",
    )
    sentences_by: Free[Literal["question", "indicator"]] = Field(
        default="question", description="what sentences are compared with; HydraRAG §4.2.1 takes the skyline indicator"
    )
    earlier_pages: Free[bool] = Field(
        default=False,
        description="the follow-up question ranks the web pages of the first exploration again; HydraRAG §4.2.2 does",
    )
    ranked_texts: Free[Whole] = Field(
        default=16, description="texts that a dense ranker or the agent looks at, the best by BM25, 0 for all (tog-2)"
    )
    join_text: Free[Share] = Field(
        default=0.6, description="verification (s_ver) from which hops written from text join G_q, 0 to 1; 0 joins none"
    )
    kg_share: Free[Share] = Field(
        default=1.0, description="share of the graphs' facts that can be found, drawn by seed: ablation; ToG-2 App. B.7"
    )


class RelevanceSettings(SettingsGroup):
    """How relevant a relation path is to a question, before anything is verified."""

    path_vectors: Free[Literal["relations", "text"]] = Field(
        default="relations",
        description="vector of a path: composed of its relations without names, or the embedding of its text with "
        "names, for graph, text and web alike (HydraRAG §4.3, PoG §4.3)",
    )

    lambda_sem: Free[Share] = Field(
        default=1.0, description="weight of likeness in relevance, the rest is overlap with the topics; HydraRAG: .7"
    )
    learned_weight: Free[float] = Field(
        default=1.0, description="weight of what labelled questions taught; fitted at 1, 0 is off (offline)"
    )
    hint_weight: Free[float] = Field(
        default=0.4, description="weight of what the question's wording suggests (offline)"
    )
    noun_weight: Free[float] = Field(
        default=0.4, description="weight of what the question asks for against the last relation (offline)"
    )
    topic_bonus: Free[float] = Field(default=0.2, description="gain for each other topic that a path touches (offline)")
    touch_weight: Free[float] = Field(default=0.2, description="weight of what the hop to another topic says (offline)")
    hop_penalty: Free[float] = Field(default=0.4, description="cost of each hop after the first (offline)")
    composed_penalty: Free[float] = Field(default=0.25, description="the same for a question inside another one")
    clauses: Free[bool] = Field(
        default=True, description="whether each hop is compared with its own clause of a question that contains others"
    )
    hearsay: Free[Share] = Field(
        default=0.75,
        description="weight of the relevance of a path read from text, against 1 for facts: right half as often",
    )


class Pruning(SettingsGroup):
    """How many paths are kept."""

    w1: Free[Whole] = Field(default=80, description="paths selected at every level (W_1); HydraRAG App. C has 100")
    w2: Free[Whole] = Field(default=20, description="paths that reach the last pruning step (W_2); PoG §5.2")
    w_max: Free[Annotated[int, Field(ge=1)]] = Field(
        default=3, description="evidence paths that answer (W_max), 1 or more; HydraRAG App. C"
    )


class Verification(SettingsGroup):
    """How far independent sources support a path, and how that counts compared with its relevance."""

    alpha_cross: Free[Share] = Field(
        default=0.8, description="weight of relevance against verification; webqsp_train. HydraRAG App. C has .7"
    )
    support: Free[Literal["paths", "facts", "both"]] = Field(
        default="facts", description="how Supp is found: by like paths or facts"
    )
    independence: Free[Literal["origin", "kind"]] = Field(
        default="origin", description="who counts as independent; the paper counts kinds of source"
    )
    gamma: Free[float] = Field(
        default=0.8, description="cosine at which two paths support each other; value of the published code"
    )
    f2: Free[Literal["support", "code"]] = Field(
        default="support", description="min(|Supp|, W_max) / W_max, or the table of the published code"
    )
    f3: Free[Literal["entities", "code"]] = Field(
        default="entities", description="share of Ent(p) in G_q, or the published code's likeness to paths of the graph"
    )
    mix_over: Free[Whole] = Field(
        default=0,
        description="number of candidates above which verification counts in addition to relevance; 40 in the "
        "published code",
    )
    text: Free[bool] = Field(
        default=True, description="whether passages are read for what they state of an answer of the graph"
    )
    rivals: Free[bool] = Field(
        default=True,
        description="whether, of values that exclude each other, the one that more independent sources state comes "
        "first, whichever relation is nearer to the question",
    )
    reader: Annotated[Literal["rules", "model"], allow_only("rules")] = Field(
        default="rules",
        description="who reads what texts state: rules and vectors, or the model, which must quote the sentence",
    )
    graph_level: Free[Share] = Field(
        default=0.0,
        description="what C(G) of a homologous group must exceed before its nodes are looked at, 0 for nothing; "
        "MultiRAG §IV.A: .5",
    )
    printed: Free[bool] = Field(
        default=False, description="whether confidence follows MultiRAG's Eq. 5 and 10 as printed (multirag)"
    )
    history: Annotated[Literal["moves", "frozen"], allow_only("frozen")] = Field(
        default="moves", description="whether hydra-kg confirm may move what is known of sources"
    )


class Answering(SettingsGroup):
    """When an answer is given, and what it may contain."""

    threshold: Free[float] = Field(
        default=0.17,
        description='confidence below which "no answer in these sources" is the answer, 0 to 1; webqsp_train',
    )
    joined: Free[bool] = Field(
        default=True, description="whether graph and text are joined where neither answers alone"
    )
    max_answers: Free[Whole] = Field(default=100, description="answers given; the command line prints fewer")
    read: Free[bool] = Field(
        default=True, description="whether stored pages are read for an answer that the graph does not give (offline)"
    )
    plan: Free[bool] = Field(
        default=True,
        description="whether operators of the question (compare, count, first, not …) are carried out over the graph",
    )
    own_words: Free[bool] = Field(
        default=True,
        description="whether questions over data of your own are read in the words of its schema (offline)",
    )
    sql: OnlyFalse[bool] = Field(
        default=True,
        description="whether the model writes a query over tables where no reading of the question accounts for it",
    )
    cypher: OnlyFalse[bool] = Field(
        default=False,
        description="whether the model writes a query first, where the store is a Neo4j server; it is only read",
    )
    cypher_seconds: Limit[Amount] = Field(default=10.0, description="seconds after which the server ends such a query")
    cypher_rows: Limit[Whole] = Field(default=200, description="rows of it that are read")
    cypher_estimate: Limit[Amount] = Field(
        default=2_000_000.0, description="rows that a part of it may look at as the server expects, else it is not run"
    )
