"""The offline agent: analysis, judgement and answers by rules and vectors, without a language model or randomness."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.agents import answer_type_words
from hydra_kg.agents import confidence_model as sureness
from hydra_kg.agents.answer_type_words import as_question, is_claim
from hydra_kg.agents.planning import conditions, plan_of
from hydra_kg.domain import (
    UNSEARCHED,
    Analysis,
    Evidence,
    Excerpt,
    FollowUp,
    Judgement,
    Mention,
    Option,
    Picked,
    Prediction,
    SearchState,
    StatedInText,
    WebResult,
    WrittenPath,
)
from hydra_kg.extract.clauses import clauses
from hydra_kg.extract.mentions import RuleExtractor
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.form_notation import form_finder
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import base_verbs, is_plural
from hydra_kg.language.number_words import number_words
from hydra_kg.language.relation_phrases import suggest_dates, suggest_relations
from hydra_kg.phrases import phrase_relation
from hydra_kg.plan.walk import relations
from hydra_kg.ports import Composed, Pruned
from hydra_kg.settings import Settings
from hydra_kg.text.folding import fold, tokens

_RELEVANCE: Final = 0.1  # least relevance of a path of facts; below it, the path only joins two names (offline)
TEXT_RELEVANCE: Final = 0.45  # least relevance of a sentence to be about the question (offline); from webqsp_train
_UNEXPLAINED: Final = 0.2  # most relevance that the path may lack to the least explained clause (offline)
_BEHIND: Final = 0.15  # most relevance that the path may lack to the best fitting relation of all sources (offline)

_WHERE_IS: Final = re.compile(r"where (is|are|lies?) ", re.IGNORECASE)

NEAR_NAME: Final = 0.5  # probability that a nearly matching name is meant, 0 to 1; right three of six times
NAME = "offline"
_COUNT = re.compile(r"(?:(?:in|on|at|for|of|from|to|with|by) )?how many\b")
_WORD = r"(?!(?:is|was|does|has|words?)\b)[a-z]+"
_WANTED = re.compile(
    rf"(?:what|which|who|name|list)(?: are| were)?(?: the)?(?: names of)?(?: _ s| the)? "
    rf"({'|'.join(w for w, n in number_words('cardinal').items() if n > 1)}|[2-9]|1[0-9]) "
    rf"(?:{_WORD} ){{0,2}}(?:(?:{_WORD}s|children|people)\b|_$)"
)
_KINDS = {"date": "date", "number": "value", "boolean": "boolean", "claim": "boolean"}
_STATED = frozenset({"kg", "table"})
_SPACES = re.compile(r"\s+")
_nested = form_finder("~ (of|in|by|for) _|_ s ~|(that|which|whose|where|who) … _")
_NOUN = re.compile(
    r"(?:in |on |at |for |of |from |to )?(?:what|which)"
    r"(?: of the| (?:is|are|was|were) the (?:[a-z]+est|most [a-z]+|first|last))? ((?:[a-z]+ ?){1,4})"
)
_NOT_NOUN = list_words("not_a_noun") | {"should"}
_BEFORE = list_words("preposition_of_place")
_SELECT = re.compile(
    r"\b(first|second|third|fourth|fifth|[0-9]+(?:st|nd|rd|th)|last|latest|earliest|most|least|largest|biggest|smallest"
    r"|highest|lowest|longest|shortest|tallest|oldest|youngest|newest|[12][0-9]{3})\b"
)


class OfflineAgent:
    """Agent that analyses English questions by their wording (design: "The offline agent")."""

    name = NAME
    reads = False

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._extractor = RuleExtractor()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return an empty tuple, because no model can fail here."""
        return ()

    def analyse(
        self, question: str, mentions: Sequence[Mention], *, d_max: int, kinds: Sequence[str] = (), form: bool = False
    ) -> Analysis:
        """Return the indicator, answer type, predicted depth and hints of a question whose mentions are linked."""
        plain = mask(question, mentions, "")
        pattern = _SPACES.sub(" ", re.sub(r"[^\w]+", " ", mask(question, mentions, " _ ").casefold())).strip()
        chosen = tuple(m.chosen.node.id for m in mentions if m.chosen)
        kind = answer_type_words.answer_type(pattern)
        hints = (kind == "date" and suggest_dates(pattern)) or suggest_relations(pattern, "question")
        chain = (
            tuple(replace(c, hints=suggest_relations(c.text, "question")) for c in clauses(pattern))
            if len(chosen) == 1
            else ()
        )
        nearly = any(m.chosen is not None and m.chosen.how in ("near", "like") for m in mentions)
        if claim := is_claim(question):
            kind = "claim"
        plan, noun = plan_of(question, mentions), answer_noun(pattern)
        if plan is not None and plan.noun and noun.startswith(f"{plan.noun} "):
            noun = plan.noun  # "river flows through" of "which river flows through _"
        one_hop = plan is not None and relations(plan.root) == 1 and len(chosen) == 1
        return Analysis(
            question=as_question(question) if claim else question,
            indicator=plain or question,
            topics=chosen,
            d_predict=min(max(1 if one_hop else 2, len(chain)), d_max),
            answer_noun=noun,
            answer_kinds=answer_type_words.answer_kinds(pattern),
            composed=len(hints) > 1 and _nested(pattern),
            clauses=chain,
            sub_questions=tuple(f"{plain} {m.text}".strip() for m in mentions) if len(mentions) > 1 else (question,),
            answer_type=kind,
            kind="count" if _COUNT.match(pattern) else _KINDS.get(kind, "entity"),
            constraints=tuple(dict.fromkeys(m[0].casefold() for m in _SELECT.finditer(plain))),
            hints=hints,
            unknown=tuple(m.text for m in mentions if m.chosen is None),
            wanted=wanted(pattern),
            plan=plan,
            conditions=conditions(question, mentions),
            namesakes=_namesakes(mentions) if len(set(chosen)) > 1 else frozenset(),
            reading=NEAR_NAME if nearly else 1.0,
        )

    def parse(self, question: str, mentions: Sequence[Mention], *, d_max: int) -> Analysis:
        """Return the result of :meth:`analyse`, because parsing needs no model."""
        return self.analyse(question, mentions, d_max=d_max)

    def prune(self, analysis: Analysis, what: Pruned, options: Sequence[Option], *, most: int) -> tuple[Picked, ...]:
        """Return the first options with the scores that the vectors gave them, in their order.

        Topics stay as they were linked, and authority is not judged.
        """
        return tuple(Picked(i, o.score) for i, o in enumerate(options))[: max(0, most)]

    def know(self, analysis: Analysis, *, think: bool = False, sample: int = 0) -> Judgement:
        """Return a judgement without answers, because this agent has no knowledge of its own."""
        return Judgement(False, 0.0, "without a language model nothing is known but what the sources say")

    def compose(
        self, analysis: Analysis, what: Composed, evidence: Sequence[Evidence], *, notes: str = "", sample: int = 0
    ) -> tuple[str, ...]:
        """Return an empty tuple, because this agent writes no text."""
        return ()

    def judge(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState = UNSEARCHED
    ) -> Judgement:
        """Return whether the best path answers the question, with the confidence that it does.

        The evidence is sufficient if the confidence reaches the threshold and the best path is to the point. A path of
        facts must be relevant and must explain every clause. If one source states it and the best relation that any
        source has fits much better, something is missing although there is enough: what is asked is not stated here. A
        path from a text must be near to the question; if there are facts too, it also needs the threshold and more than
        one origin. The text must contain every name that no source knows.
        """
        if not evidence or not evidence[0].answers:
            return Judgement(False, 0.0, self._missing(analysis, state))
        first, settings = evidence[0], self._settings.answering
        confidence = round(analysis.reading * sureness.confidence(sureness.features(analysis, first, state)), 4)
        if sureness.stated(first):
            near = first.scores.relevance >= _RELEVANCE and state.unexplained <= _UNEXPLAINED
            enough = confidence >= settings.threshold and near
            if enough and _is_behind(analysis, first, state):
                return Judgement(True, confidence, self._missing(analysis, state))
        else:
            alone = state.competition is None and not any(sureness.stated(e) for e in evidence)
            backed = confidence >= settings.threshold and len(first.origins) > 1
            enough = (alone or backed) and sureness.to_the_point(analysis, first, least=TEXT_RELEVANCE)
        enough &= all(_says(first, name) for name in analysis.unknown)
        return Judgement(enough, confidence, "" if enough else self._missing(analysis, state))

    def _missing(self, analysis: Analysis, state: SearchState) -> str:
        if analysis.unknown:
            return f"no source knows the name “{analysis.unknown[0]}”"
        if not analysis.topics:
            return "no name in the question is known to these sources"
        near = state.competition.missing if state.competition else ""
        asked = phrase_relation(analysis.hints[0][0]) if analysis.hints else ""
        noun, said = analysis.plan.noun if analysis.plan is not None else "", tokens(fold(analysis.question))
        if noun and (near or asked) and (set(tokens(near or asked)) - FUNCTION).isdisjoint(said):
            near, asked = "", noun  # football clubs, not the words of a schema: "pro athlete teams team"
        if words := " ".join(dict.fromkeys(w for w in (near or asked).split() if len(w) > 1)):  # "spouse s spouse"
            if near and near != asked:
                return f"the sources state nothing like “{words}” for the names of the question"
            return f"the sources state no “{words}” for the names of the question"
        return "nothing that the sources state about the names of the question answers it"

    def topics(self, question: str) -> tuple[str, ...]:
        """Return an empty tuple, because entity linking finds the names."""
        return ()

    def select_sources(self, analysis: Analysis, kinds: Sequence[str]) -> tuple[str, ...]:
        """Return the kinds of source that state facts, or all kinds if there are none."""
        return tuple(k for k in kinds if k in _STATED) or tuple(kinds)

    def select_pages(self, analysis: Analysis, results: Sequence[WebResult], *, most: int) -> tuple[int, ...]:
        """Return the first results in the order of the search engine."""
        return tuple(i for i, r in enumerate(results) if not r.question)[:most]

    def write_paths(self, analysis: Analysis, excerpts: Sequence[Excerpt]) -> tuple[WrittenPath, ...]:
        """Return paths between neighbouring mentions, with the words between them as relations."""
        found = []
        for number, excerpt in enumerate(excerpts):
            words = {node: excerpt.text[start:end] or excerpt.passage.title for start, end, node in excerpt.mentions}
            for a, phrase, b in self._extractor.paths(excerpt.text, excerpt.mentions):
                found.append(WrittenPath(number, (words[a], phrase, words[b]), (a, b)))
        return tuple(found)

    def read_statements(
        self, analysis: Analysis, subject: str, relation: str, excerpts: Sequence[Excerpt]
    ) -> Sequence[StatedInText] | None:
        """Return None, so that rules read the texts."""
        return None

    def summarise(self, analysis: Analysis, paths: Sequence[WrittenPath]) -> tuple[WrittenPath, ...]:
        """Return all written paths, because nothing is summarised without a model."""
        return tuple(paths)

    def select_paths(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int, state: SearchState = UNSEARCHED
    ) -> tuple[Picked, ...]:
        """Return the paths in their order, facts before text unless only text suffices.

        The best sentence that agrees with the first answer is always included.
        """
        stated = [i for i, e in enumerate(evidence) if sureness.stated(e)]
        from_text = [i for i, e in enumerate(evidence) if not sureness.stated(e)]
        if from_text and self._better(analysis, [evidence[i] for i in from_text], [evidence[i] for i in stated], state):
            stated, from_text = from_text, stated
        first = evidence[stated[0]].answers[:1] if stated else ()
        backing = [i for i in from_text if any(a in first for a in evidence[i].answers)][:1]
        chosen = [*stated[: max(1, most - len(backing))], *backing, *stated[max(1, most - len(backing)) :], *from_text]
        return tuple(Picked(i, evidence[i].scores.cross) for i in list(dict.fromkeys(chosen))[:most])

    def _better(
        self, analysis: Analysis, one: Sequence[Evidence], other: Sequence[Evidence], state: SearchState
    ) -> bool:
        sufficient, rival = (self.judge(analysis, e, state=state).sufficient for e in (one, other))
        return sufficient and not rival

    def refine(self, analysis: Analysis, evidence: Sequence[Evidence]) -> str:
        """Return an empty text, because paths are not refined without a model."""
        return ""

    def follow_up(self, analysis: Analysis, evidence: Sequence[Evidence]) -> FollowUp | None:
        """Return None, because asking the same question at a greater depth finds next to nothing (research log)."""
        return None

    def predict(self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int = 3) -> tuple[Prediction, ...]:
        """Return an empty tuple, because this agent has no knowledge of its own."""
        return ()

    def answer(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState = UNSEARCHED
    ) -> Judgement:
        """Return the judgement of the evidence alone, because this agent has no knowledge of its own."""
        return self.judge(analysis, evidence, state=state)


def wanted(pattern: str) -> int:
    """Return how many answers a question asks for: ``which five countries border _`` → 5; 0 if it names no number."""
    m = _WANTED.match(pattern)
    return 0 if m is None else number_words("cardinal").get(m[1]) or int(m[1])


def _is_behind(analysis: Analysis, first: Evidence, state: SearchState) -> bool:
    """Return True if another relation of the sources fits the question much better than this path of facts.

    Nested questions, what several sources state, and answers of the type of "when", "where" or "who" are not compared.
    """
    if state.competition is None or analysis.composed or len(first.origins) > 1:
        return False
    dated = analysis.answer_type == "date" and first.answers[0].key.startswith('"')
    placed = analysis.answer_type == "location" and _WHERE_IS.match(analysis.question) is not None
    does = analysis.answer_type == "person" and first.path.hops[-1].text in next(iter(analysis.hints), ())
    return not (dated or placed or does) and state.competition.expected - first.scores.relevance > _BEHIND


def _namesakes(mentions: Sequence[Mention]) -> frozenset[int]:
    """Return the entities that the mentions may mean but are not linked to."""
    return frozenset(c.node.id for m in mentions for c in m.candidates if m.chosen and c.node != m.chosen.node)


def _says(evidence: Evidence, name: str) -> bool:
    """Return True if the text from which a path was written contains a name."""
    return evidence.path.passage is not None and fold(name) in fold(evidence.path.passage.text)


def answer_noun(pattern: str) -> str:
    """Return the noun phrase that a question asks for, or "".

    Examples: ``which football clubs play in …`` → ``football clubs``; ``what sea borders _`` → ``sea``;
    ``which country s capital is _`` → ``country``.
    """
    m = _NOUN.match(pattern)
    words: list[str] = []
    for word in m[1].split() if m else ():
        if word in _NOT_NOUN:
            return " ".join(words)
        words.append(word)
    last = next((i for i, w in enumerate(words) if w in _BEFORE), len(words))
    if m and pattern[m.end() :].startswith("_") and last > 1:
        noun, verb = words[last - 2 : last]
        if verb.endswith("s") or (is_plural(noun) and verb in base_verbs()):  # "river crosses _", "countries speak _"
            words = words[: last - 1]
    return " ".join(words)


def mask(question: str, mentions: Sequence[Mention], blank: str) -> str:
    """Return the question with its mentions replaced by ``blank`` and its spaces collapsed."""
    text = question
    for m in sorted(mentions, key=lambda m: -m.start):
        if m.start >= 0:
            text = text[: m.start] + (blank or " ") + text[m.end :]
        elif m.chosen:
            text = re.sub(re.escape(m.chosen.node.name), blank or " ", text, flags=re.IGNORECASE)
    return _SPACES.sub(" ", text).strip()
