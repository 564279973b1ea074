"""The agent with a language model (HydraRAG §4, App. E): each step is one prompt and one checked reply.

Where a reply cannot be used, the offline agent does the step. The agent is one room because each method is one prompt
of the port ``Agent``, and all methods share limits, notes and fallback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hydra_kg.agents.answer_grounding import is_computed_answer, on_paths, without_names
from hydra_kg.agents.model_chains import chain_paths, order_and_depth, relation_words, within
from hydra_kg.agents.model_plans import model_plan
from hydra_kg.agents.model_requests import Asker
from hydra_kg.agents.prompting.escaping import numbered, quote
from hydra_kg.agents.prompting.prompt_rendering import first, limits_of, line_of
from hydra_kg.agents.prompting.prompts import checksum, load_prompts
from hydra_kg.agents.replies.lenient_json import chosen, missed, places
from hydra_kg.agents.replies.lenient_parsing import is_name
from hydra_kg.agents.replies.schemas import (
    AnalysePlanReply,
    AnalyseReply,
    AnswerReply,
    AuthorityReply,
    ComposeReply,
    FollowUpReply,
    JudgeJoinedReply,
    JudgeReply,
    KeepReply,
    KnowReply,
    PagesReply,
    PlanStep,
    PredictReply,
    RefineReply,
    SelectReply,
    SourcesReply,
    StatementsReply,
    TopicsReply,
    WriteReply,
)
from hydra_kg.domain import (
    UNSEARCHED,
    UNSURE,
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
from hydra_kg.plan.serialise import PlanError
from hydra_kg.ports import Agent, Composed, LanguageModel, Pruned
from hydra_kg.settings import Settings
from hydra_kg.text.folding import fold, tokens

_ENOUGH: Final = 0.65
"""Mean probability of yes from which paths are enough if ``selection="point"`` (0 to 1; chosen on 16 judgements)."""
_TOPICS: Final = 8  # names of topics that a prompt shows, or that the model may name
_SAMPLING_TEMPERATURE: Final = 0.7  # temperature of drawn samples (self-consistency, Wang et al. 2023)
_NOTES: Final[Mapping[Composed, int]] = {"cypher": 6_000, "sql": 6_000}
"""Characters of notes that a prompt shows for what the model writes, where they are more than a few lines."""

NOT_ENOUGH: Final = "the paths do not answer the question"


class LlmAgent:
    """Agent that judges one question with a model (port Agent).

    Make one for each question, because its notes and its spent budget belong to that question. Threads may share it.

    offline: the agent whose result every step starts from and falls back on.
    prompts: a folder of prompts that replace those of the package. As an attribute, it is the checksum of all
    prompts in use. SettingsError is raised for prompts that cannot be used.

    Confidence is (p + c) / 2. Here c is the offline agent's confidence in the same paths, and p is the model's
    probability of "yes" if it was asked for that alone (``selection="point"``, from logprobs if there are any), else
    1 for yes and 0 for no. In :meth:`answer`, where no phase found enough, p = ½ for names on the paths; an answer
    from the model's own knowledge gets a confidence of ¼. Where c is below ``agent.doubt``, a "yes" of the model does
    not make the paths enough.
    """

    def __init__(
        self, model: LanguageModel, offline: Agent, settings: Settings, *, prompts: Path | None = None
    ) -> None:
        self.name = "llm"
        self.reads = True
        self._offline = offline
        self._settings = settings
        self._limits = limits_of(settings)
        loaded = load_prompts(prompts)
        self.prompts = checksum(loaded)
        self._asker = Asker(
            model,
            loaded,
            reply_tokens=settings.model.reply_tokens,
            temperature=settings.model.explore_temperature,
            sampling=_SAMPLING_TEMPERATURE,
            shots=settings.agent.shots,
        )

    @property
    def notes(self) -> Sequence[str]:
        """Return the steps that were done without the model, and why."""
        return (*self._offline.notes, *self._asker.notes)

    @property
    def failed(self) -> bool:
        """Return True if a request to the model gave no usable reply, or if the model's budget was spent."""
        return self._asker.failed

    def topics(self, question: str) -> Sequence[str]:
        """Return the names that the model finds in the question, if they occur there word for word."""
        reply = self._asker.ask("topics", TopicsReply, question, values={}, data={})
        if reply is None:
            return self._offline.topics(question)
        words = tokens(question)
        return tuple(name for name in reply.names if within(tokens(name), words))[:_TOPICS]

    def analyse(
        self, question: str, mentions: Sequence[Mention], *, d_max: int, kinds: Sequence[str] = (), form: bool = False
    ) -> Analysis:
        """Return the offline analysis with the model's skyline, topic order, depth, parts, sources and ``plan``.

        The parts are sub-questions. The ``indicator`` becomes the skyline if ``agent.indicator`` is "skyline".
        """
        base = self._offline.analyse(question, mentions, d_max=d_max, kinds=kinds)
        linked = [m.chosen for m in mentions if m.chosen is not None][:_TOPICS]
        names = [f"{c.node.name} ({quote(c.description, 80)})" if c.description else c.node.name for c in linked]
        values = {"kinds": ", ".join(kinds) or "none to choose", "d_max": str(d_max)}
        data = {"topics": numbered(names, budget=1_000, most=160)}
        reply: AnalyseReply | AnalysePlanReply | None
        if form or self._asks_for_plan(base, mentions):
            reply = self._asker.ask("analyse_plan", AnalysePlanReply, base.question, values=values, data=data)
        else:
            reply = self._asker.ask("analyse", AnalyseReply, base.question, values=values, data=data)
        if reply is None:
            return base
        if isinstance(reply, AnalysePlanReply):
            base = self._planned(base, reply.plan, mentions, free=form)
        topics, depth = order_and_depth(reply.skyline, mentions, base.topics)
        skyline = self._settings.agent.indicator == "skyline" and reply.skyline
        return replace(
            base,
            skyline=reply.skyline,
            indicator=reply.skyline if skyline else base.indicator,
            topics=topics,
            d_predict=max(1, min(depth or base.d_predict, d_max)),
            sub_questions=tuple(p for p in reply.parts if p) or base.sub_questions,
            sources=chosen(reply.sources, kinds) or base.sources,
        )

    def _asks_for_plan(self, base: Analysis, mentions: Sequence[Mention]) -> bool:
        """Return True if the model is asked for a plan: plans are executed, and at least one name is linked."""
        wanted = self._settings.agent.plan
        of_use = self._settings.answering.plan and any(m.chosen for m in mentions)
        return of_use and (wanted == "first" or (wanted == "needed" and base.plan is None))

    def _planned(
        self, base: Analysis, steps: Sequence[PlanStep], mentions: Sequence[Mention], *, free: bool
    ) -> Analysis:
        """Return the analysis with the model's plan, or unchanged if the model wrote no plan that fits the question."""
        if not steps:
            return base
        try:
            return replace(base, plan=model_plan(steps, base, mentions, free=free))
        except PlanError as e:
            then = "the plan is the grammar's" if base.plan is not None else "there is no plan"
            self._asker.remark("analyse_plan", f"the model's plan is refused, {e}", then)
            return base

    def parse(self, question: str, mentions: Sequence[Mention], *, d_max: int) -> Analysis:
        """Return the offline analysis."""
        return self._offline.parse(question, mentions, d_max=d_max)

    def prune(self, analysis: Analysis, what: Pruned, options: Sequence[Option], *, most: int) -> tuple[Picked, ...]:
        """Return the model's choice among the first options, or the offline choice if the model chooses none.

        Nothing is added to what the model chose. If it leaves out all topics, all are retained.
        """
        if not options or most < 1:
            return ()
        limits = self._limits
        most_of_one = 0 if what in {"relations", "chunks"} else limits.line(400)
        asked = [quote(o.text, most_of_one) for o in first(options, limits.options)]
        if what == "chunks":
            data = {"options": limits.listed(asked, most=240, times=2)}
        else:
            asked = limits.options_of(asked, times=2 if what == "authority" else 1)
            data = {"options": numbered(asked, budget=0, most=0)}
        values = {} if what == "topics" else {"most": str(min(most, len(asked)))}
        kind: type[SelectReply] = AuthorityReply if what == "authority" else SelectReply
        reply = self._asker.ask(f"prune_{what}", kind, analysis.question, values=values, data=data)
        best: dict[int, Picked] = {}
        for scored in reply.best if reply else ():
            if 1 <= scored.n <= len(asked):
                best.setdefault(scored.n, Picked(scored.n - 1, scored.score / 10))
        picked = tuple(sorted(best.values(), key=lambda p: (-p.score, p.place)))[:most]
        return picked or self._offline.prune(analysis, what, options, most=most)

    def know(self, analysis: Analysis, *, think: bool = False, sample: int = 0) -> Judgement:
        """Return the model's answers without any evidence; ``clues`` is its chain of thought."""
        name, kind = ("know_chain", KnowReply) if think else ("know", AnswerReply)
        chain = self._asker.ask(name, kind, analysis.question, values={}, data={}, sample=sample)
        if chain is None:
            return self._offline.know(analysis, think=think, sample=sample)
        sound = bool(chain.answers)
        missing = "" if sound else "the model does not know it"
        half = UNSURE / 2
        return Judgement(
            sound, half if sound else 0.0, missing, tuple(chain.answers), (), sound, chain.why, by_model=True
        )

    def compose(
        self, analysis: Analysis, what: Composed, evidence: Sequence[Evidence], *, notes: str = "", sample: int = 0
    ) -> tuple[str, ...]:
        """Return the lines that the model writes, each once, or () if its reply cannot be used."""
        data = {
            "notes": quote(notes, self._limits.line(_NOTES.get(what, 1_200))) or "-",
            "paths": self._limits.paths_of(evidence),
        }
        name = f"compose_{what}"
        reply = self._asker.ask(name, ComposeReply, analysis.question, values={}, data=data, sample=sample)
        lines = [quote(line, 300) for line in reply.lines] if reply else []
        return tuple(dict.fromkeys(line for line in lines if tokens(line)))

    def select_sources(self, analysis: Analysis, kinds: Sequence[str]) -> tuple[str, ...]:
        """Return the kinds of source that the model chooses.

        A single kind is returned without a call, unless the setting ``agent.selector`` asks for the paper's calls.
        """
        if len(kinds) < 2 and self._settings.agent.selector != "call":
            return tuple(kinds)
        values = {"kinds": ", ".join(kinds)}
        shown = self._limits.plan(analysis)
        reply = self._asker.ask("select_sources", SourcesReply, analysis.question, values=values, data=shown)
        found = chosen(reply.sources, kinds) if reply else ()
        return found or self._offline.select_sources(analysis, kinds)

    def select_pages(self, analysis: Analysis, results: Sequence[WebResult], *, most: int) -> tuple[int, ...]:
        """Return the places of the search results that the model would read; () if it would read none."""
        if not results or most < 1:
            return ()
        lines = [f"{r.title} ({r.url[:80]}): {f'{r.question} ' if r.question else ''}{r.snippet}" for r in results]
        limits = self._limits
        shown = first(lines, limits.paths)
        data = {**limits.plan(analysis), "results": limits.listed(shown, most=320)}
        values = {"most": str(most)}
        reply = self._asker.ask("select_pages", PagesReply, analysis.question, values=values, data=data)
        if reply is None:
            return self._offline.select_pages(analysis, results, most=most)
        return places(reply.pages, len(shown))[:most]

    def write_paths(self, analysis: Analysis, excerpts: Sequence[Excerpt]) -> Sequence[WrittenPath]:
        """Return the model's chains whose ends occur in the sentence, or the offline paths if its reply has none.

        The relations of the chains are checked later.
        """
        if not excerpts:
            return ()
        asked = first(excerpts, self._limits.sentences)
        lines = [f"{quote(e.passage.title, 60)}: {e.text}" for e in asked]
        data = {**self._limits.plan(analysis), "sentences": self._limits.listed(lines, most=400)}
        reply = self._asker.ask("write_paths", WriteReply, analysis.question, values={}, data=data)
        found = [path for c in reply.paths for path in chain_paths(c.n, c.chain, asked)] if reply else []
        if not found and (reply is None or reply.paths):
            return self._offline.write_paths(analysis, excerpts)
        return tuple(dict.fromkeys(found))

    def read_statements(
        self, analysis: Analysis, subject: str, relation: str, excerpts: Sequence[Excerpt]
    ) -> Sequence[StatedInText] | None:
        """Return the values that the model reads in the sentences, or None without a reply.

        It is None as well if rules are the reader. The prompt lets the model answer "none" for a sentence, since small
        models need that. Such values are left out.
        """
        if self._settings.verification.reader != "model" or not excerpts:
            return None
        lines = [f"{quote(e.passage.title, 60)}: {e.text}" for e in excerpts]
        data = {
            "subject": quote(subject, 80),
            "relation": quote(relation, 80),
            "sentences": self._limits.listed(lines, most=400),
        }
        reply = self._asker.ask("read_statements", StatementsReply, analysis.question, values={}, data=data)
        if reply is None:
            return None
        return [StatedInText(s.n - 1, s.value) for s in reply.statements if s.value.casefold() != "none"]

    def summarise(self, analysis: Analysis, paths: Sequence[WrittenPath]) -> Sequence[WrittenPath]:
        """Return the written paths that the model keeps, and all those that it was not shown."""
        if not paths:
            return ()
        limits = self._limits
        lines = [_path_line(p) for p in first(paths, limits.paths)]
        data = {**limits.plan(analysis), "paths": limits.listed(lines, most=240)}
        reply = self._asker.ask("summarise", KeepReply, analysis.question, values={}, data=data)
        if reply is None:
            return self._offline.summarise(analysis, paths)
        retained = sorted(places(reply.keep, len(lines)))
        return (*(paths[i] for i in retained), *paths[len(lines) :])

    def select_paths(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int, state: SearchState = UNSEARCHED
    ) -> tuple[Picked, ...]:
        """Return the model's choice of paths, best first.

        All paths are scored in one call, as in the paper, or each is judged by yes or no (``selection="point"``).
        """
        if not evidence or most < 1:
            return ()
        asked = first(evidence, self._limits.paths)
        picked = (
            self._each(analysis, asked)
            if self._settings.agent.selection == "point"
            else self._list(analysis, asked, most)
        )
        if not picked:
            return self._offline.select_paths(analysis, evidence, most=most, state=state)
        chosen_places = {p.place for p in picked}
        others = self._offline.select_paths(analysis, evidence, most=len(evidence), state=state)
        return (*picked, *(Picked(o.place, 0.0) for o in others if o.place not in chosen_places))[:most]

    def _list(self, analysis: Analysis, evidence: Sequence[Evidence], most: int) -> list[Picked]:
        values = {"most": str(most)}
        data = {**self._limits.plan(analysis), "paths": self._limits.paths_of(evidence, choosing=True)}
        reply = self._asker.ask("select_paths", SelectReply, analysis.question, values=values, data=data)
        best: dict[int, Picked] = {}
        for scored in reply.best if reply else ():
            if 1 <= scored.n <= len(evidence):
                best.setdefault(scored.n, Picked(scored.n - 1, scored.score / 10))
        return sorted(best.values(), key=lambda p: -p.score)

    def _each(self, analysis: Analysis, evidence: Sequence[Evidence]) -> list[Picked]:
        """Return the paths by the probability of yes; paths that were not judged count as undecided."""
        found, judged = [], False
        for place, e in enumerate(evidence):
            data = {**self._limits.plan(analysis), "path": quote(line_of(e), self._limits.line(400))}
            p = self._asker.yes("select_path", analysis.question, data=data)
            judged = judged or p is not None
            found.append(Picked(place, UNSURE if p is None else round(p, 4)))
        return sorted(found, key=lambda p: (-p.score, p.place)) if judged else []

    def refine(self, analysis: Analysis, evidence: Sequence[Evidence]) -> str:
        """Return the content of the paths in the model's words."""
        if not evidence:
            return ""
        data = self._limits.evidence(analysis, evidence)
        reply = self._asker.ask("refine", RefineReply, analysis.question, values={}, data=data)
        return self._offline.refine(analysis, evidence) if reply is None else reply.facts

    def judge(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState = UNSEARCHED
    ) -> Judgement:
        """Return the model's verdict on the paths.

        Answers that are on no path are dropped, and a "yes" without other answers becomes a "no". With
        ``selection="point"`` the model is first asked for yes or no alone, which decides. Without paths the model is
        not asked.
        """
        base = self._offline.judge(analysis, evidence, refined=refined, state=state)
        if not evidence:
            return base
        data = self._limits.evidence(analysis, evidence, refined)
        p = self._enough(analysis, evidence, data) if self._settings.agent.selection == "point" else None
        if p is not None and p < _ENOUGH:
            return Judgement(False, _mixed(p, base), base.missing or NOT_ENOUGH, by_model=True)
        reply: JudgeReply | JudgeJoinedReply | None
        if self._settings.agent.refine == "joined":
            name = "judge_clues" if refined else "judge_joined"
            reply = self._asker.ask(name, JudgeJoinedReply, analysis.question, values={}, data=data)
        else:
            reply = self._asker.ask("judge", JudgeReply, analysis.question, values={}, data=data)
        if reply is None:
            return base if p is None else replace(base, sufficient=True, confidence=_mixed(p, base), missing="")
        answers = on_paths(reply.answers, analysis, evidence)
        parts = zip(self._limits.parts_of(analysis), reply.parts, strict=False)
        subs = tuple((q, a if is_name(a) else "") for q, a in parts)
        lost = bool(reply.answers) and not answers
        enough = (p is not None or reply.enough == "yes") and not lost and not self._doubted(base, answers, evidence)
        missing = "" if enough else missed(reply.missing) or base.missing or NOT_ENOUGH
        yes = (1.0 if p is None else p) if enough else 0.0
        clues = reply.facts if isinstance(reply, JudgeJoinedReply) else ""
        return Judgement(
            enough, _mixed(yes, base), missing, answers if enough else (), subs, clues=clues, by_model=True
        )

    def _doubted(self, base: Judgement, answers: Sequence[str], evidence: Sequence[Evidence]) -> bool:
        """Return True if the offline confidence is too low for a "yes" of the model to count.

        The "yes" counts all the same if a text contains one of the answers, or if there are texts and no answer is a
        name.
        """
        if self._settings.model.alone or base.confidence >= self._settings.agent.doubt:
            return False
        texts = [f" {fold(e.path.passage.text)} " for e in evidence if e.path.passage is not None]
        names = [a for a in answers if not is_computed_answer(a, "boolean")]
        return not any(not names or any(f" {fold(a)} " in text for a in names) for text in texts)

    def _enough(self, analysis: Analysis, evidence: Sequence[Evidence], data: Mapping[str, str]) -> float | None:
        """Return the mean of two probabilities: that all paths, and that the best path, answer the question."""
        p = self._asker.yes("judge_enough", analysis.question, data=data)
        alone = [e.scores.llm for e in evidence if e.scores.llm is not None]
        return p if p is None or not alone else (p + max(alone)) / 2

    def follow_up(self, analysis: Analysis, evidence: Sequence[Evidence]) -> FollowUp | None:
        """Return the model's next question, or None if it has none.

        Its indicator is the question without the names on the paths, or its skyline if ``agent.indicator`` is
        "skyline".
        """
        data = self._limits.evidence(analysis, evidence)
        reply = self._asker.ask("follow_up", FollowUpReply, analysis.question, values={}, data=data)
        if reply is None:
            return self._offline.follow_up(analysis, evidence)
        if not tokens(reply.question):
            return None
        if fold(reply.question) == fold(analysis.question):  # only the depth and the sources change then
            return FollowUp(analysis.question, analysis.indicator)
        if self._settings.agent.indicator == "skyline" and reply.skyline:
            return FollowUp(reply.question, reply.skyline)
        return FollowUp(reply.question, without_names(reply.question, evidence))

    def predict(self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int = 3) -> tuple[Prediction, ...]:
        """Return the model's guesses; the indicator of each is the relations of its chain, or the whole chain."""
        data = self._limits.evidence(analysis, evidence)
        values = {"most": str(most)}
        reply = self._asker.ask("predict", PredictReply, analysis.question, values=values, data=data)
        if reply is None:
            return self._offline.predict(analysis, evidence, most=most)
        whole = self._settings.agent.indicator == "skyline"
        found: dict[str, Prediction] = {}
        for guess in reply.predictions:
            if tokens(guess.name) and is_name(guess.name):
                indicator = guess.skyline if whole else relation_words(guess.skyline)
                found.setdefault(fold(guess.name), Prediction(guess.name, indicator or analysis.indicator))
        return tuple(found.values())[: max(0, most)]

    def answer(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState = UNSEARCHED
    ) -> Judgement:
        """Return the model's final answers: those on the paths, or, if there are none, all, as its own knowledge."""
        base = self._offline.answer(analysis, evidence, refined=refined, state=state)
        data = self._limits.evidence(analysis, evidence, refined)
        reply = self._asker.ask("answer", AnswerReply, analysis.question, values={}, data=data)
        if reply is None:
            return base
        if not reply.answers:
            missing = base.missing or "neither the paths nor the model know it"
            return Judgement(False, _mixed(0.0, base), missing, by_model=True)
        if answers := on_paths(reply.answers, analysis, evidence):
            if self._doubted(base, answers, evidence):
                return Judgement(False, _mixed(0.0, base), base.missing or NOT_ENOUGH, by_model=True)
            return Judgement(True, _mixed(UNSURE, base), answers=answers, by_model=True)
        return Judgement(True, UNSURE / 2, answers=tuple(reply.answers), own_knowledge=True, by_model=True)


def _path_line(path: WrittenPath) -> str:
    return " - ".join(path.chain) + ("" if path.checked else " (relation not checked)")


def _mixed(p: float, base: Judgement) -> float:
    return round((p + base.confidence) / 2, 4)
