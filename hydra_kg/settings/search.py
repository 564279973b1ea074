"""Settings of the search: how names are linked, how far the graph is walked, what a path is worth, which paths stay."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hydra_kg.settings.group import Group, Share, Whole

KINDS = frozenset({"kg", "wiki", "web"})
"""Kinds of source that a question may use."""


def _kinds(text: str) -> str:
    if not set(text.split(",")) <= KINDS:
        raise ValueError(f"some of {', '.join(sorted(KINDS))}, with commas")
    return text


class Linking(Group):
    """How a question is read, and how its names are linked to entities."""

    question_characters: Whole = Field(default=2_000, description="longest question that is read, in characters")
    candidates: Whole = Field(default=5, description='entities that a name may mean, shown as "did you mean"')


class Retrieval(Group):
    """Which sources are searched, how far, and how many edges and nodes a search may grow from."""

    kinds: Annotated[str, AfterValidator(_kinds)] = Field(
        default="kg,wiki,web",
        description="kinds of source that may be used: facts, stored text, the web; fewer is an ablation",
    )
    d_max: Whole = Field(default=3, description="longest path, in hops; HydraRAG App. C")
    phases: Whole = Field(default=3, description="explorations: initial, refined, predicted; HydraRAG §4.2")
    hops: Literal["entity", "paper"] = Field(
        default="entity", description="whether a mediator costs a hop: in the paper"
    )
    window: bool = Field(
        default=False,
        description="whether phase 1 wants more than |Topic(q)| · (D − 1) hops; HydraRAG §4.2.1, not its Algorithm 1",
    )
    relations: Literal["all", "one"] = Field(
        default="all", description="relations of each edge of the graph; one is drawn for HydraRAG-E"
    )
    edge_budget: Whole = Field(default=1_000_000, description="edges of one cut in the embedded store")
    hub_cap: Whole = Field(
        default=10_000, description="edges above which a class that is no topic is kept, not expanded"
    )
    beam: Whole = Field(
        default=25,
        description="relation paths that a level of the search grows from; more cost time and gained nothing",
    )
    frontier: Whole = Field(default=4_000, description="nodes that a level of the search grows from")
    passages: Whole = Field(default=12, description="passages of text read for a question")
    join_text: Share = Field(
        default=0.6, description="verification (s_ver) from which hops written from text join G_q, 0 to 1; 0 joins none"
    )
    kg_share: Share = Field(
        default=1.0, description="share of the graphs' facts that can be found, drawn by seed: ablation; ToG-2 App. B.7"
    )


class Relevance(Group):
    """What a relation path is worth to a question, before anything is verified."""

    lambda_sem: Share = Field(
        default=1.0, description="weight of likeness in relevance, the rest is overlap with the topics; HydraRAG: .7"
    )
    learned_weight: float = Field(
        default=1.0, description="weight of what labelled questions taught; fitted at 1, 0 is off (offline)"
    )
    hint_weight: float = Field(default=0.4, description="weight of what the question's wording suggests (offline)")
    hint_coverage: Share = Field(
        default=0.5, description="share of the hint score that is the mean over groups of hints, the rest the best one"
    )
    noun_weight: float = Field(
        default=0.4, description="weight of what the question asks for against the last relation (offline)"
    )
    topic_bonus: float = Field(default=0.2, description="gain for each other topic that a path touches (offline)")
    touch_weight: float = Field(default=0.2, description="weight of what the hop to another topic says (offline)")
    hop_penalty: float = Field(default=0.4, description="cost of each hop after the first (offline)")
    composed_penalty: float = Field(default=0.25, description="the same where one question stands inside another")
    clauses: bool = Field(
        default=True, description="whether each hop is compared with its own clause of a question that holds others"
    )


class Pruning(Group):
    """How many paths stay."""

    w1: Whole = Field(default=80, description="paths kept at every level (W_1); HydraRAG App. C has 100")
    w2: Whole = Field(default=20, description="paths that reach the last pruning step (W_2); PoG §5.2")
    w_max: Annotated[int, Field(ge=1)] = Field(
        default=3, description="evidence paths that answer (W_max), 1 or more; HydraRAG App. C"
    )


class Verification(Group):
    """How far independent sources back a path, and how that counts beside its relevance."""

    alpha_cross: Share = Field(
        default=0.8, description="weight of relevance against verification; webqsp_train. HydraRAG App. C has .7"
    )
    support: Literal["paths", "facts", "both"] = Field(
        default="facts", description="how Supp is found: by like paths or facts"
    )
    independence: Literal["origin", "kind"] = Field(
        default="origin", description="who counts as independent; the paper counts kinds of source"
    )
    gamma: float = Field(
        default=0.8, description="cosine at which two paths support each other; value of the published code"
    )
    f2: Literal["support", "code"] = Field(
        default="support", description="min(|Supp|, W_max) / W_max, or the table of the published code"
    )
    f3: Literal["entities", "code"] = Field(
        default="entities", description="share of Ent(p) in G_q, or the published code's likeness to paths of the graph"
    )
    mix_over: Whole = Field(
        default=0, description="candidates above which verification counts beside relevance; 40 in the published code"
    )
    history: Literal["moves", "frozen"] = Field(
        default="moves", description="whether hydra-kg confirm may move what is known of sources"
    )


class Answering(Group):
    """When there is an answer, and what it may hold."""

    threshold: float = Field(
        default=0.17,
        description='confidence below which "no answer in these sources" is the answer, 0 to 1; webqsp_train',
    )
    max_answers: Whole = Field(default=100, description="answers given; the command line prints fewer")
    plan: bool = Field(
        default=True,
        description="whether operators of the question (compare, count, first, not …) are carried out over the graph",
    )
