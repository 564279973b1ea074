"""What the papers call the steps, and where they say so: the words of docs/strategies.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STEPS: Final[Mapping[str, str]] = {
    "topics": "the agent names the topic entities",
    "link": "names of the question become entities",
    "parse": "the question is analysed by its wording alone",
    "analyse": "the question is analysed: indicator, order of topics, depth, sub-questions",
    "select_sources": "the agent chooses the kinds of source to consult",
    "prune_topics": "the agent chooses the entities to start from",
    "know": "the agent answers from its own knowledge",
    "cut": "the subgraph around the topics is fetched",
    "explore": "relation paths are searched from a topic, pruned at every hop",
    "joint_paths": "paths from one topic to the next are searched from both ends, in the reduced graph",
    "constrain": "paths through the other topics come first",
    "expand": "the relations of a few entities are fetched, one hop",
    "prune_relations": "the agent scores relations",
    "prune_entities": "the agent scores the entities of a relation",
    "draw_entities": "entities of a relation are drawn with the seed",
    "retrieve_text": "stored text is searched",
    "search_web": "a search engine is asked",
    "select_pages": "the agent chooses the pages to read",
    "entity_contexts": "the documents about each entity are read and ranked",
    "rank_text": "pieces of text are ranked",
    "text_paths": "texts become paths",
    "write_paths": "the agent writes the paths that a text states",
    "summarise": "the agent keeps the written paths that matter",
    "verify": "paths are verified across sources",
    "support": "the paths of one pool support each other",
    "check_text": "passages are read for what they state of the answer",
    "check_facts": "facts are read for what they state of an answer that text gave",
    "read_statements": "the agent reads sentences for what they state of the answer",
    "prune": "candidates are pruned to W_2",
    "path_pruning": "paths are pruned to W_max",
    "branch_reduced": "paths are selected by their first steps",
    "select_paths": "the agent selects paths",
    "refine": "the agent summarises the paths",
    "judge": "the agent judges whether the evidence suffices",
    "read_pages": "stored pages are read for a sentence that answers, where the graph has none",
    "follow_up": "the agent asks a new question",
    "predict": "the agent predicts answers, which are then looked for",
    "compose_thought": "the agent writes the next sentence of its reasoning",
    "compose_rewrite": "the agent words the question anew",
    "compose_decompose": "the agent takes the question apart",
    "compose_disambiguate": "the agent writes a query for each thing that may be meant",
    "compose_evidence": "the agent writes what the next passage would say",
    "compose_query": "the agent writes queries for facts and for text",
    "compose_critique": "the agent criticises an answer",
    "compose_cypher": "the agent writes a query in the language of the store",
    "homologous": "all that the sources state of the attribute is grouped",
    "prune_authority": "the agent scores the authority of sources for what they say",
    "confidence": "the groups are weighed",
    "answer": "the agent answers, from its own knowledge too",
    "conclude": "answers are joined with their evidence",
}
"""Every step, in the order of the rows."""

Terms = Mapping[str, tuple[str, str]]
"""By step what a paper calls it, and where."""

_HYDRA: Final[Terms] = {
    "topics": ("topic entity recognition", "§4.1"),
    "analyse": ("question analysis: skyline indicator, predicted depth", "§4.1"),
    "select_sources": ("agentic source selector, S_a", "§4.1"),
    "cut": ("evidence subgraph detection, 𝒢_q", "§4.1, Algorithm 1"),
    "explore": ("tree-based path retrieval", "§4.2.1, Algorithm 1"),
    "joint_paths": ("tree-structured bidirectional search of paths through all topics, graph reduction", "§4.2.1"),
    "constrain": ("paths that cover all topics", "§4.2.1, Algorithm 1"),
    "retrieve_text": ("wiki document retrieval", "§4.2.1, Algorithm 2"),
    "search_web": ("web document retrieval", "§4.2.1, Algorithm 2"),
    "select_pages": ("top web pages, selected by the LLM", "§4.2.1, Algorithm 2"),
    "text_paths": ("unstructured retrieval", "Algorithm 2"),
    "write_paths": ("from paragraph to knowledge path", "Algorithm 2, App. E"),
    "summarise": ("summary of the knowledge paths", "Algorithm 2"),
    "verify": ("relevance and multi-source verification", "§4.3, Algorithm 4"),
    "prune": ("source-aware pruning by cross-score, to W_2", "§4.3, Algorithm 4"),
    "select_paths": ("LLM-aware path selection, to W_max", "§4.3, Algorithm 4"),
    "refine": ("path refinement", "§4.4"),
    "judge": ("CoT answering: evaluation", "§4.4"),
    "follow_up": ("refined exploration: new question and skyline", "§4.2.2, Algorithm 3"),
    "predict": ("predict exploration: predicted answers", "§4.2.3, Algorithm 3"),
    "answer": ("CoT answering: generation", "§4.4"),
}
_POG: Final[Terms] = {
    "topics": ("topic entity recognition", "§4.1"),
    "analyse": ("LLM indicator, predicted depth D_predict, split questions", "§4.1"),
    "cut": ("subgraph detection, 𝒢_q", "§4.1"),
    "explore": ("topic entity path exploration; LLM supplement path exploration", "§4.2, Algorithm 1"),
    "joint_paths": ("topic entity paths by bidirectional search, graph pruning", "§4.1, §4.2"),
    "constrain": ("paths through all topic entities", "§4.2, Algorithm 1"),
    "verify": ("cosine of each path to the indicator", "§4.3"),
    "prune": ("fuzzy selection, to W_1", "§4.3, Algorithm 2"),
    "path_pruning": ("path pruning", "§4.3, Algorithm 2"),
    "branch_reduced": ("branch reduced selection", "§4.3, Algorithm 2"),
    "select_paths": ("precise path selection, to W_max", "§4.3, Algorithm 2"),
    "refine": ("path summarizing", "§4.4"),
    "judge": ("question answering: are the paths sufficient?", "§4.4"),
    "predict": ("LLM supplement: predicted answers", "§4.2, Algorithm 1"),
    "expand": ("node expand exploration, in 𝒢", "§4.2, Algorithm 1"),
    "answer": ("question answering over all paths", "§4.4, Algorithm 1"),
}
_TOG: Final[Terms] = {
    "link": ("initialization of the topic entities", "§2.1"),
    "expand": ("exploration: search of relations and entities", "§2.2"),
    "prune_relations": ("relation prune", "§2.2"),
    "prune_entities": ("entity prune", "§2.2"),
    "draw_entities": ("random entity prune", "§2.3"),
    "judge": ("reasoning: is it enough?", "§2.2"),
    "answer": ("reasoning: the answer at D_max", "§2.2"),
}
_TOG2: Final[Terms] = {
    "link": ("entity linking", "§3.1"),
    "prune_topics": ("topic prune, TP", "§3.1"),
    "expand": ("edge search: relations of the topic entities", "§3.2.1, Eq. 1"),
    "prune_relations": ("relation prune, RP_cmb", "§3.2.1, Eq. 3"),
    "entity_contexts": ("entity-guided context retrieval", "§3.2.2, Eq. 5"),
    "rank_text": ("scores of the chunks, by which entities are pruned", "§3.2.2, Eq. 5–6"),
    "judge": ("reasoning with hybrid knowledge, and clues", "§3.3, Eq. 7"),
    "follow_up": ("the clue-optimised query of the next round", "§3.3, Algorithm 1"),
    "answer": ("reasoning of the last iteration", "§3.3, Algorithm 1"),
}
_MULTIRAG: Final[Terms] = {
    "topics": ("logic form generation: E_q", "§III-E, Algorithm 2 line 2"),
    "analyse": ("logic form generation: intent", "§III-E, Algorithm 2 line 2"),
    "cut": ("multi-document extraction, D_q", "§III-E, Algorithm 2 line 3"),
    "explore": ("logic form generation: R_q, as a path of the graph", "§III-E, Algorithm 2 line 2"),
    "retrieve_text": ("multi-document extraction: stored text", "§III-E, Algorithm 2 line 3"),
    "search_web": ("multi-document extraction: the web", "§III-E, Algorithm 2 line 3"),
    "write_paths": ("triples of the documents", "§III-B"),
    "homologous": ("homologous subgraph matching", "§III-C, Algorithm 2 line 4"),
    "prune_authority": ("authority of a node, C_LLM", "§III-D, Eq. 10"),
    "confidence": ("multi-level confidence computing, MCC", "§III-D, Algorithm 1"),
    "judge": ("prompt with the trusted nodes", "§III-E, Algorithm 2 line 6"),
    "conclude": ("generating trustworthy answers", "§III-E, Algorithm 2 line 7"),
}
_COK: Final[Terms] = {
    "know": ("reasoning preparation: rationales, drawn", "arXiv:2305.13269"),
    "select_sources": ("knowledge domain selection", "arXiv:2305.13269"),
    "rank_text": ("knowledge retrieval", "arXiv:2305.13269"),
    "retrieve_text": ("knowledge retrieval", "arXiv:2305.13269"),
    "explore": ("knowledge retrieval", "arXiv:2305.13269"),
    "compose_query": ("adaptive query generation", "arXiv:2305.13269"),
    "refine": ("rationale correction", "arXiv:2305.13269"),
    "answer": ("answer consolidation", "arXiv:2305.13269"),
}

_IRCOT: Final[Terms] = {
    "retrieve_text": ("retrieve step", "arXiv:2212.10509"),
    "rank_text": ("retrieve step: K paragraphs", "arXiv:2212.10509"),
    "compose_thought": ("reason step: the next sentence", "arXiv:2212.10509"),
    "answer": ("reader", "arXiv:2212.10509"),
}
_RQRAG: Final[Terms] = {
    "compose_rewrite": ("query rewriting", "arXiv:2404.00610"),
    "compose_decompose": ("query decomposition", "arXiv:2404.00610"),
    "compose_disambiguate": ("query disambiguation", "arXiv:2404.00610"),
    "retrieve_text": ("retrieval for each refined query", "arXiv:2404.00610"),
    "answer": ("the end of a trajectory", "arXiv:2404.00610"),
}
_METARAG: Final[Terms] = {
    "retrieve_text": ("cognition: retrieval", "arXiv:2402.11626"),
    "answer": ("cognition: the answer", "arXiv:2402.11626"),
    "know": ("monitoring: the expert; evaluating: inner knowledge", "arXiv:2402.11626"),
    "judge": ("evaluating: outer knowledge", "arXiv:2402.11626"),
    "compose_decompose": ("planning: new queries", "arXiv:2402.11626"),
    "compose_critique": ("evaluating: kinds of error; planning: what to do about them", "arXiv:2402.11626"),
}
_MDQA: Final[Terms] = {
    "retrieve_text": ("seeds and neighbours in the graph of passages", "arXiv:2308.11730"),
    "compose_evidence": ("graph traversal agent", "arXiv:2308.11730"),
    "answer": ("the answer from what was visited", "arXiv:2308.11730"),
}
_GRAPHRAG: Final[Terms] = {
    "link": ("entities of the query", "arXiv:2404.16130"),
    "expand": ("relationships around them", "arXiv:2404.16130"),
    "retrieve_text": ("text units", "arXiv:2404.16130"),
    "answer": ("the answer from one context", "arXiv:2404.16130"),
}
_CHATKBQA: Final[Terms] = {
    "link": ("entity retrieval", "arXiv:2310.08975"),
    "analyse": ("logical form generation", "arXiv:2310.08975"),
}

_FIDELIS: Final[Terms] = {
    "expand": ("Path-RAG: candidate steps", "arXiv:2405.13873"),
    "select_paths": ("beam search: the top candidates", "arXiv:2405.13873"),
    "judge": ("deductive verification of one path", "arXiv:2405.13873"),
    "answer": ("the answer from the verified paths", "arXiv:2405.13873"),
}

TERMS: Final[Mapping[str, Terms]] = {
    "hydra": _HYDRA,
    "hydra-e": _HYDRA,
    "pog": _POG,
    "pog-e": _POG,
    "tog": _TOG,
    "tog-r": _TOG,
    "tog-2": _TOG2,
    "multirag": _MULTIRAG,
    "cok": _COK,
    "ircot": _IRCOT,
    "rq-rag": _RQRAG,
    "metarag": _METARAG,
    "mdqa": _MDQA,
    "graphrag": _GRAPHRAG,
    "chatkbqa": _CHATKBQA,
    "fidelis": _FIDELIS,
}
"""By strategy; baselines have no terms of their own."""
