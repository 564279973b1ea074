"""Settings of the search: how names are linked, how far the graph is walked, what a path is worth, which paths stay.

This is one room because its groups are tuned together: relevance, pruning and verification share one scale.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hydra_kg.settings.group import Amount, SettingsGroup, Share, Whole
from hydra_kg.settings.project_rules import Fewer, Free, Limit, Lower, More, OnlyFalse, only

KINDS = frozenset({"kg", "wiki", "web"})
"""Kinds of source that a question may use."""


def _kinds(text: str) -> str:
    if not set(text.split(",")) <= KINDS:
        raise ValueError(f"some of {', '.join(sorted(KINDS))}, with commas")
    return text


class Linking(SettingsGroup):
    """How a question is read, and how its names are linked to entities."""

    question_characters: Lower[Whole] = Field(default=2_000, description="longest question that is read, in characters")
    candidates: Free[Whole] = Field(default=5, description='entities that a name may mean, shown as "did you mean"')
    entities_by: Free[Literal["letters", "meaning", "off"]] = Field(
        default="letters",
        description="what a name that no entity has is matched by, among those that the index of names proposes: its "
        "letters, the vector of its meaning (HydraRAG §4.1), or nothing",
    )
    like_letters: Free[Share] = Field(
        default=0.88, description="share of letters in their order from which a name is taken for another, 0 to 1"
    )
    like_meaning: Free[Share] = Field(default=0.8, description="cosine from which a name is taken for another, 0 to 1")
    near_name: Free[Share] = Field(
        default=0.5,
        description="how probable it is that a name is meant that was said nearly, 0 to 1; right three of six times",
    )
    other_reading: Free[Share] = Field(
        default=0.42,
        description="how probable it is that another reading of the names is meant; an answer surer than this ends it",
    )
    other_readings: Free[Whole] = Field(
        default=5, description="readings of the names that are tried beside the likeliest"
    )
    near_candidate: Free[Amount] = Field(
        default=0.23, description="worth that a candidate of a name may have less than the first, to be tried"
    )
    name: Free[Amount] = Field(default=1.0, description="worth of words that are a name as they stand")
    alias: Free[Amount] = Field(default=0.9, description="worth of words that are another name of the same")
    part: Free[Amount] = Field(default=0.5, description="worth of words that are part of a name")
    misspelt: Free[Amount] = Field(default=0.45, description="worth of words that are nearly a name")
    degree: Free[Amount] = Field(default=0.12, description="worth of ln(1 + number of facts)")
    further_word: Free[Amount] = Field(default=3.0, description="worth of each word of a name after the first")
    function_word: Free[Amount] = Field(default=0.25, description='worth of each function word in a name, such as "of"')
    capital: Free[Amount] = Field(default=0.3, description="worth of a capital")
    lowercase: Free[Amount] = Field(
        default=0.5, description="cost of no capital, where other names of the question have one"
    )
    relation_word: Free[Amount] = Field(default=1.0, description="cost of words by which relations are called")
    common_noun: Free[Amount] = Field(default=0.6, description="cost of a name that is written small")
    acronym: Free[Amount] = Field(
        default=0.5, description="cost of an acronym that is written small: a car is rarely CAR"
    )
    acronym_letters: Free[Whole] = Field(default=4, description="letters of an acronym, at most")
    short: Free[Amount] = Field(default=0.9, description="cost of a number, or of a word of one or two letters")
    least: Free[Amount] = Field(default=0.9, description="worth above which words are taken for a name")
    least_repaired: Free[Amount] = Field(default=0.6, description="the same of parts of names and misspelt ones")
    aside: Free[Amount] = Field(
        default=2.5, description="worth that a single uncapitalised word may lack to the best name of the question"
    )
    misspelt_ratio: Free[Amount] = Field(default=82.0, description="percent of letters that a misspelt name must share")
    misspelt_letters: Free[Whole] = Field(
        default=4, description="letters up to which a word is too short to be misspelt"
    )
    exact: Free[Amount] = Field(default=0.08, description="worth of a candidate whose main name is what was said")
    coherent: Free[Amount] = Field(default=0.2, description="worth of a fact that links candidates of two names")
    described_within: Free[Amount] = Field(
        default=0.25, description="worth within which candidates are compared by their descriptions"
    )
    described: Free[Amount] = Field(default=0.5, description="weight of the cosine of description and question")


class Retrieval(SettingsGroup):
    """Which sources are searched, how far, and how many edges and nodes a search may grow from."""

    kinds: Fewer[Annotated[str, AfterValidator(_kinds)]] = Field(
        default="kg,wiki,web",
        description="kinds of source that may be used: facts, stored text, the web; fewer is an ablation",
    )
    without: More[str] = Field(
        default="",
        description="sources, and kinds of source, that are left out, with commas; HydraRAG Table 5",
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
        description="paths between one topic and the next, searched from both ends: none, beside those from one topic, "
        "or nothing else where there are two topics or more; HydraRAG §4.2.1",
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
    hub_cap: Free[Whole] = Field(
        default=10_000, description="edges above which a class that is no topic is kept, not expanded"
    )
    beam: Free[Whole] = Field(
        default=25,
        description="relation paths that a level of the search grows from; more cost time and gained nothing",
    )
    frontier: Free[Whole] = Field(default=4_000, description="nodes that a level of the search grows from")
    bridge: Free[Annotated[int, Field(ge=1)]] = Field(
        default=10,
        description="times hub_cap where one question stands inside another, 1 or more: what is between may be a hub",
    )
    passages: Free[Whole] = Field(default=12, description="passages of text read for a question")
    sentences: Free[Whole] = Field(
        default=8,
        description="sentences that are embedded, 0 for all, of which 2 W_max are read; twice as many changed no "
        "answer of 100",
    )
    sentences_by: Free[Literal["question", "indicator"]] = Field(
        default="question",
        description="what sentences are compared with; HydraRAG §4.2.1 takes the skyline indicator",
    )
    earlier_pages: Free[bool] = Field(
        default=False,
        description="the follow-up question ranks the web pages of the first exploration again; HydraRAG §4.2.2 does",
    )
    sentence_names: Free[Whole] = Field(default=8, description="names that are linked in a sentence")
    documents: Free[Whole] = Field(default=120, description="passages read for the entities of one round (tog-2)")
    document_entities: Free[Whole] = Field(
        default=60, description="entities of one relation whose documents are looked at (tog-2)"
    )
    relation_entities: Free[Whole] = Field(
        default=100, description="entities of one relation that can become answers (tog, tog-2, pog)"
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
    """What a relation path is worth to a question, before anything is verified."""

    lambda_sem: Free[Share] = Field(
        default=1.0, description="weight of likeness in relevance, the rest is overlap with the topics; HydraRAG: .7"
    )
    learned_weight: Free[float] = Field(
        default=1.0, description="weight of what labelled questions taught; fitted at 1, 0 is off (offline)"
    )
    hint_weight: Free[float] = Field(
        default=0.4, description="weight of what the question's wording suggests (offline)"
    )
    hint_against: Free[Share] = Field(
        default=0.5, description="weight of a hint on a hop that is read against its direction, 0 to 1 (offline)"
    )
    hint_coverage: Free[Share] = Field(
        default=0.5, description="share of the hint score that is the mean over groups of hints, the rest the best one"
    )
    noun_weight: Free[float] = Field(
        default=0.4, description="weight of what the question asks for against the last relation (offline)"
    )
    topic_bonus: Free[float] = Field(default=0.2, description="gain for each other topic that a path touches (offline)")
    touch_weight: Free[float] = Field(default=0.2, description="weight of what the hop to another topic says (offline)")
    hop_penalty: Free[float] = Field(default=0.4, description="cost of each hop after the first (offline)")
    composed_penalty: Free[float] = Field(default=0.25, description="the same where one question stands inside another")
    clauses: Free[bool] = Field(
        default=True, description="whether each hop is compared with its own clause of a question that holds others"
    )
    clause_gain: Free[float] = Field(
        default=0.1, description="gain of a path that explains the clauses one after the other"
    )
    clause_merge: Free[float] = Field(default=0.1, description="cost of each further clause that one hop is to explain")
    clause_step: Free[float] = Field(
        default=0.1, description="cost of a hop that only leads to the kind of thing that a clause yields"
    )
    clause_kind: Free[float] = Field(
        default=0.5, description="cost of a path none of whose instances passes the kind of thing that a clause yields"
    )
    kind_paths: Free[Whole] = Field(
        default=20, description="paths, best first, whose nodes' kinds are compared with clauses"
    )
    kind_nodes: Free[Whole] = Field(default=100, description="nodes at one place of a path whose kinds are looked at")
    kind_facts: Free[Whole] = Field(default=6, description="facts on its kind that are read for a node, on average")
    answer_kind: Free[float] = Field(
        default=0.3, description="cost of a path whose ends are of another kind than the question asks for"
    )
    answer_kind_paths: Free[Whole] = Field(
        default=10, description="paths that are looked at until the best one is of no other kind than is asked for"
    )
    answer_kind_ends: Free[Whole] = Field(
        default=12, description="ends of a path whose kinds are compared with what is asked"
    )
    hearsay: Free[Share] = Field(
        default=0.75,
        description="what relevance of a written path counts beside that of facts, 0 to 1: right half as often",
    )


class Pruning(SettingsGroup):
    """How many paths stay."""

    w1: Free[Whole] = Field(default=80, description="paths kept at every level (W_1); HydraRAG App. C has 100")
    w2: Free[Whole] = Field(default=20, description="paths that reach the last pruning step (W_2); PoG §5.2")
    w_max: Free[Annotated[int, Field(ge=1)]] = Field(
        default=3, description="evidence paths that answer (W_max), 1 or more; HydraRAG App. C"
    )


class Verification(SettingsGroup):
    """How far independent sources back a path, and how that counts beside its relevance."""

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
    like_relation: Free[float] = Field(
        default=0.4, description="cosine of two relation texts from which facts that link the same pair say the same"
    )
    f2: Free[Literal["support", "code"]] = Field(
        default="support", description="min(|Supp|, W_max) / W_max, or the table of the published code"
    )
    f3: Free[Literal["entities", "code"]] = Field(
        default="entities", description="share of Ent(p) in G_q, or the published code's likeness to paths of the graph"
    )
    mix_over: Free[Whole] = Field(
        default=0, description="candidates above which verification counts beside relevance; 40 in the published code"
    )
    text: Free[bool] = Field(
        default=True, description="whether passages are read for what they state of an answer of the graph"
    )
    rivals: Free[bool] = Field(
        default=True,
        description="whether, of values that exclude each other, the one that more independent sources state comes "
        "first, whichever relation is nearer to the question",
    )
    rival_relevance: Free[Share] = Field(
        default=0.17, description="relevance that the path to another value may have less than the first, to be weighed"
    )
    reader: Annotated[Literal["rules", "model"], only("rules")] = Field(
        default="rules",
        description="who reads what texts state: rules and vectors, or the model, which must quote the sentence",
    )
    text_page: Free[Share] = Field(
        default=0.27, description="cosine from which a sentence says of its page's subject what was asked"
    )
    text_between: Free[Share] = Field(
        default=0.7, description="cosine from which words between two names say the relation that was asked"
    )
    text_measured: Free[Share] = Field(
        default=0.48, description="the same of the words that lead to a date or number on the subject's own page"
    )
    text_agrees: Free[Share] = Field(
        default=0.25, description="cosine from which a sentence that names subject and answer agrees with the answer"
    )
    text_aside: Free[Share] = Field(
        default=0.5, description="the same on a page about something else, of the words between subject and answer"
    )
    text_against: Free[Share] = Field(
        default=0.4, description="cosine from which text opposes what independent sources of the graph agree on"
    )
    text_statements: Free[Whole] = Field(
        default=24, description="clauses of text that are compared with what was asked"
    )
    text_agreed: Free[Whole] = Field(
        default=2, description="independent sources of an answer from which text must be as clear as text_against"
    )
    text_clearer: Free[Amount] = Field(
        default=0.05, description="by how much clearer text must state another value, where it states both"
    )
    text_far_clearer: Free[Amount] = Field(
        default=0.2, description="the same of several other values, where several are possible"
    )
    text_copied: Free[Share] = Field(
        default=0.8, description="share of common words from which one sentence is a copy of another, 0 to 1"
    )
    several: Free[Share] = Field(
        default=0.05, description="share of subjects with several values from which an attribute may have several"
    )
    several_share: Free[Share] = Field(
        default=0.5, description="share of subjects with one object up to which a relation has several (text)"
    )
    several_subjects: Free[Whole] = Field(default=5, description="subjects of which that share is taken, at least")
    single_share: Free[Share] = Field(
        default=0.8, description="share of subjects with one object from which a relation has one (text)"
    )
    single_subjects: Free[Whole] = Field(default=3, description="subjects below which nothing is known of that")
    homologous: Free[float] = Field(
        default=0.7, description="cosine of predicates from which one stands in for another (multirag); .5 was too low"
    )
    graph_level: Free[Share] = Field(
        default=0.0,
        description="what C(G) of a homologous group must exceed before its nodes are looked at, 0 for nothing; "
        "MultiRAG §IV.A: .5",
    )
    history: Annotated[Literal["moves", "frozen"], only("frozen")] = Field(
        default="moves", description="whether hydra-kg confirm may move what is known of sources"
    )


class Answering(SettingsGroup):
    """When there is an answer, and what it may hold."""

    threshold: Free[float] = Field(
        default=0.17,
        description='confidence below which "no answer in these sources" is the answer, 0 to 1; webqsp_train',
    )
    relevance: Free[Amount] = Field(
        default=0.1, description="relevance below which a path of facts joins two names and answers nothing (offline)"
    )
    text_relevance: Free[Amount] = Field(
        default=0.45,
        description="relevance below which a sentence is about something else (offline); webqsp_train",
    )
    unexplained: Free[Amount] = Field(
        default=0.2, description="relevance that an answer's path may lack to the least explained clause (offline)"
    )
    joined: Free[bool] = Field(
        default=True, description="whether graph and text are joined where neither answers alone"
    )
    joining: Free[Share] = Field(
        default=0.8, description="what confidence is multiplied by where a path goes through graph and text, 0 to 1"
    )
    joining_pages: Free[Whole] = Field(default=3, description="pages about a name that are read to join graph and text")
    joining_sentences: Free[Whole] = Field(default=8, description="sentences that are read of each, from its beginning")
    joining_order: Free[Amount] = Field(default=0.01, description="likeness that each later sentence loses")
    joining_called: Free[Amount] = Field(
        default=0.2,
        description='likeness that a sentence gains that says "musician Brad Paisley" of a musician',
    )
    joining_entities: Free[Whole] = Field(default=3, description="entities at which graph and text are joined")
    joining_passages: Free[Whole] = Field(default=16, description="passages that are read of each")
    joining_near: Free[Amount] = Field(
        default=0.1, description="how much less clearly a further value may be stated, to be an answer too"
    )
    partial: Free[Share] = Field(
        default=0.5, description="what confidence is multiplied by where a condition could not be checked, 0 to 1"
    )
    partial_from: Free[Share] = Field(
        default=0.3,
        description="confidence from which an answer with an unchecked condition is given as partial, 0 to 1",
    )
    in_doubt_at_most: Free[Share] = Field(
        default=0.45, description="confidence that an answer has at most which may not say a part of the question"
    )
    lacking_at_most: Free[Share] = Field(
        default=0.7, description="confidence that an answer has at most which what the sources may lack would change"
    )
    relation_from: Free[Share] = Field(
        default=0.35,
        description="confidence below which a path may not say the relation that is asked for, 0 to 1",
    )
    max_answers: Free[Whole] = Field(default=100, description="answers given; the command line prints fewer")
    like_path: Free[float] = Field(
        default=0.5, description="cosine of two paths of different sources from which they say the same"
    )
    candidate_ends: Free[Whole] = Field(
        default=40, description="ends of a relation path that are answers of its candidate"
    )
    candidate_values: Free[Whole] = Field(default=3, description="literal-ended paths that become candidates")
    value_paths: Free[Whole] = Field(default=10, description="literal-ended paths, best first, that are kept")
    value_from: Free[Whole] = Field(
        default=3, description="relation paths, best first, whose ends' literals are looked at"
    )
    value_ends: Free[Whole] = Field(default=5, description="ends of each of them")
    votes: Free[Whole] = Field(default=25, description="paths, best first, that vote on the order of answers")
    vote_sharpness: Free[Amount] = Field(
        default=60.0, description="how fast a vote counts less: exp(sharpness · (score − best score)), 0 or more"
    )
    specific: Free[Whole] = Field(
        default=20, description="answers, best first, of which the more specific ones come first"
    )
    value_fit: Free[float] = Field(default=0.15, description="gain of a literal where a date or number is asked for")
    value_unasked: Free[float] = Field(default=-0.1, description="gain of a literal where none is asked for: a cost")
    value_lag: Free[Amount] = Field(
        default=0.35, description="relevance that a like literal of another source may lack to the best one"
    )
    value_nodes: Free[Whole] = Field(default=2_000, description="nodes whose literals are looked at")
    property_cosine: Free[float] = Field(
        default=0.35, description="cosine of attribute and property from which a question computes with the property"
    )
    property_paths: Free[Whole] = Field(
        default=5, description="paths, best first, whose ends are tried until they have the property to compute with"
    )
    read: Free[bool] = Field(
        default=True,
        description="whether stored pages are read for an answer that the graph does not give (offline)",
    )
    said_plainly: Free[Share] = Field(
        default=0.6, description="how plainly a sentence must say it to be an answer (offline), 0 to 1"
    )
    said_nearly: Free[Amount] = Field(
        default=0.03, description="how much less plainly a further answer may be said, to be one too (offline)"
    )
    read_values: Free[Whole] = Field(default=8, description="answers, best first, that are taken from a page (offline)")
    read_pages: Free[Whole] = Field(
        default=6, description="pages about something else that are read for a name that has none (offline)"
    )
    reading: Free[Share] = Field(
        default=0.85, description="confidence in what a page says in the plainest words, 0 to 1 (offline)"
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
    cypher_confidence: Free[Share] = Field(default=0.7, description="confidence in what it finds, 0 to 1")
    path_stands: Free[Share] = Field(
        default=0.75,
        description="confidence from which a path stands where the plan leads elsewhere, 0 to 1",
    )
    plan_relevance: Free[Share] = Field(
        default=0.9, description="how surely these relations must say what is asked, 0 to 1"
    )
    plan_lead: Free[Share] = Field(default=0.4, description="how far they must be ahead of others, 0 to 1")
    plan_kinds: Free[Share] = Field(
        default=0.5, description="share of their ends that must be of the kind asked for, 0 to 1"
    )
    plan_confidence: Free[Share] = Field(
        default=0.6, description="most confidence in the plan where the path says otherwise"
    )
    plan_first: Free[Share] = Field(
        default=0.8, description="confidence from which operators come before a reading in the store's own words"
    )
    odds_slope: Free[float] = Field(
        default=0.67,
        description="weight of the log-odds of confidence in a path, beside the plan; fitted, with odds_*",
    )
    odds_start: Free[float] = Field(default=-0.69, description="what is added to them")
    odds_equal: Free[float] = Field(default=1.81, description="added where path and plan give the same answers")
    odds_first: Free[float] = Field(default=0.29, description="added where the plan gives the path's first answer too")
    odds_overlap: Free[float] = Field(default=0.29, description="added where they have other answers in common")
    odds_silent: Free[float] = Field(default=0.0, description="added where the plan's relations give nothing")
    odds_unplanned: Free[float] = Field(default=-0.15, description="added where there is no plan of one relation")
    odds_differ: Free[float] = Field(default=-0.54, description="added where they have no answer in common")
