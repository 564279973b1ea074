"""Run a strategy with an agent on a store, and make the Answer. This is the only place with a clock."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from threadpoolctl import threadpool_limits

from hydra_kg.answer import Answer
from hydra_kg.citations import add_units, citations_of, label_of, sentence_for
from hydra_kg.domain import Analysis, Floats, Ids, Judgement, LoadInfo, Mention, Predicates
from hydra_kg.errors import NotFoundError, StoreError, UsageError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.extract.languages.question_translation import QuestionReading, in_english
from hydra_kg.fusion.truth_discovery.source_history import FILE, History, state
from hydra_kg.index.faiss_index import PathIndex
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.learned import load_relevance_matrix
from hydra_kg.plan.walk import with_spans
from hydra_kg.ports import Agent, CutChoosing, Embedder, NameIndexing, Snapshot, Store, TraceStore
from hydra_kg.questions.decision import check_outcome, decide, explain_silence
from hydra_kg.questions.plan_outcome import is_unjudged, offline_outcome, path_query
from hydra_kg.questions.relation_chosen_by_user import answer_by_relation
from hydra_kg.runtime import Tools, make_cached_embedder, reranker
from hydra_kg.runtime.question_run import QuestionRun
from hydra_kg.settings import KINDS, Settings
from hydra_kg.steps.answering.count_and_boolean import truth
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.steps.context import Context, Observers, Services
from hydra_kg.steps.crosscheck.graph_against_text import text_checked
from hydra_kg.steps.crosscheck.sentence_support import explored_with_text
from hydra_kg.steps.crosscheck.text_against_graph import facts_checked
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.linking.given_topics import given_topics
from hydra_kg.steps.linking.like_names import finder
from hydra_kg.steps.linking.noun_hints import classes_meant
from hydra_kg.steps.snapshots.caching_snapshot import CachingSnapshot
from hydra_kg.steps.snapshots.kg_sampling import SampledSnapshot
from hydra_kg.steps.snapshots.snapshot_proxy import ObservedSnapshot
from hydra_kg.steps.verification.verify import label, scoring
from hydra_kg.strategies.base import Outcome, Strategy
from hydra_kg.strategies.registry import make_strategy, refuse_undefined
from hydra_kg.text.plain_text import fold_compatibility, storable
from hydra_kg.util.cancelling import Cancellation, carry_to_thread, check, current, under
from hydra_kg.util.recording import RecordedAgent, Recorder
from hydra_kg.util.source_code import code_version, source_hash

THREADS = 2
"""Threads in addition to the question's own thread, so that two cores are used if there are two."""

SNAPSHOTS = 2
"""Number of relation spaces kept, by manifest: the current one and, while a load flips, the one before."""

MANY = 256
"""Relation texts to embed from which listeners are informed: about half a second of processor time."""


class Reasoner:
    """Answers questions over a store.

    It is safe for threads. Keep it, because it is warm after its first question. Making one limits numpy's matrix
    multiplication to one thread in the whole process.

    ``folder`` is where vectors of relations are stored (created if needed), by default the store's own if it has one.
    ``strategy`` is one of your own, or a name. ``tools`` make the agent of each question, in place of ``agent``.
    Raise UsageError for an unknown strategy or agent, SettingsError for a model that is not named.
    """

    def __init__(
        self,
        store: Store,
        *,
        settings: Settings | None = None,
        strategy: str | Strategy = "hydra",
        agent: str = "offline",
        listener: Listener = ignore,
        traces: TraceStore | None = None,
        embedder: Embedder | None = None,
        folder: Path | None = None,
        tools: Tools | None = None,
    ) -> None:
        # A question multiplies many small matrices, and threads woken for each wait busily for the next: half of its
        # processor time. The sums of one thread do not depend on the number of cores either.
        threadpool_limits(1, user_api="blas")
        self.store = store
        self.settings = settings or Settings()
        self.strategy = make_strategy(strategy)
        self.listener = listener
        self.traces = traces
        self.watch: Callable[[str, Ids], None] | None = None  # see Context.watch
        self.recorder: Recorder | None = None  # see Context.recorder
        if folder is not None:
            with suppress(OSError):  # without it nothing is kept
                folder.mkdir(parents=True, exist_ok=True)
        side_folder = folder or Path(store.url.removeprefix("file://"))
        self.records = History(side_folder / FILE).records
        self.tools = tools or Tools(self.settings, agent, side_folder if side_folder.is_dir() else None)
        refuse_undefined([self.strategy], model=self.tools.judged_by_model)
        self.embedder = embedder or make_cached_embedder(side_folder, self.settings)
        self._rerank = reranker(self.settings)
        self._background = ThreadPoolExecutor(THREADS, "hydra-kg background")
        self._spaces: dict[tuple[tuple[str, str], ...], RelationSpace] = {}

    def ask(
        self,
        question: str,
        *,
        topics: Sequence[str] = (),
        sources: Sequence[str] = (),
        depth: int = 0,
        strategy: str | Strategy = "",
        tools: Tools | None = None,
        listener: Listener | None = None,
        cancellation: Cancellation | None = None,
        answer_id: str = "",
        meant: Mapping[str, str] | None = None,
        unresolved: str = "",
        relation: str = "",
    ) -> Answer:
        """Answer one question.

        Args:
            topics: keys of entities to use for names, alone or with the words of the question ("Germany=m.0345h").
            sources: names of the only sources to use.
            depth: number of hops; 0 lets the strategy decide.
            strategy, tools, listener: for this question alone.
            cancellation, answer_id: what stops the question; the id of the answer, by default a new one.
            meant: keys by name, for names whose meaning the last answer settles.
            unresolved: why the question is not asked.
            relation: key of the relation that answers, followed from the only topic; the question is not read.

        Raise UsageError for an empty question, NotFoundError for unknown topics or sources, StoppedError.
        """
        if not (question := fold_compatibility(storable(question))).strip():
            raise UsageError("The question is empty.", remedy="Write a question after ask.")
        if len(question) > (most := self.settings.linking.question_characters):
            raise UsageError(
                f"The question has {len(question):,} characters, and {most:,} are read.",
                remedy="Ask something shorter, or set linking.question_characters higher.",
            )
        chosen, tools = make_strategy(strategy) if strategy else self.strategy, tools or self.tools
        refuse_undefined([chosen], model=tools.judged_by_model)
        run = QuestionRun(listener or self.listener, tools)
        with under(cancellation or current() or Cancellation()), self.store.snapshot() as snapshot, run.phase("ask"):
            reading = QuestionReading(question) if relation else in_english(question)
            if tools.judged_by_model and not (reading.understood and reading.language):
                reading = QuestionReading(question)
            observed = ObservedSnapshot(self._thinned(snapshot), run.tell)

            def prepare(text: str, agent: Agent) -> Context:
                return self._context(text, observed, run, agent, topics, sources, depth, meant or {})

            def answered(context: Context, reading: QuestionReading) -> Outcome:
                if relation:
                    return answer_by_relation(context, relation)
                if why := unresolved or _not_understood(reading):
                    return check_outcome(context, _nothing_asked(context, reading.text, why))
                return explain_silence(context, check_outcome(context, chosen.run(context)))

            context = prepare(reading.text, run.judge.agent)
            outcome = answered(context, reading)
            offline = run.judge.without_model
            if offline is not None and is_unjudged(outcome, failed=run.judge.failed()):
                run.tell = None  # listeners were told what the sources say
                reading = in_english(question)
                context = prepare(reading.text, offline)
                needs_model = getattr(chosen, "needs_model", False)
                outcome = offline_outcome(outcome, partial(answered, context, reading), needs_model=needs_model)
            outcome = self._checked(context, outcome)
            manifest = self._manifest(snapshot.manifest(), run) | ({"relation": relation} if relation else {})
            check()
        answer = self._answer(question, chosen.name, outcome, manifest, run)
        answer = replace(answer, id=answer_id or answer.id)
        if run.pages:
            tools.web.remember(run.pages, answer.evidence, question=answer.id, agent=answer.agent)
        if self.traces is not None:
            from hydra_kg.serialise import answer_json

            self.traces.save(answer_json(answer))
        return answer

    @contextmanager
    def prepared(self, question: str) -> Iterator[Context]:
        """Yield the context of a question without a model, to look at a saved answer again."""
        run = QuestionRun(ignore, replace(self.tools, agent="offline"))
        with self.store.snapshot() as snapshot:
            yield self._context(question, self._thinned(snapshot), run, run.judge.agent, (), (), 0, {})

    def warm(self, listener: Listener = ignore) -> int:
        """Embed every relation text of the ready loads, index their names, and return the number of texts.

        Questions would do this themselves when needed. Call it first so that none of them waits.
        """
        with self.store.snapshot() as snapshot:
            texts = self._space(snapshot).all_texts(snapshot.relation_pairs())
        self._keep(texts, listener)
        if isinstance(self.store, NameIndexing):
            with suppress(OSError, StoreError):  # a question that needs the index makes it
                self.store.index_names(listener)
        return len(texts)

    def _context(
        self,
        question: str,
        snapshot: Snapshot,
        run: QuestionRun,
        agent: Agent,
        topics: Sequence[str],
        sources: Sequence[str],
        depth: int,
        meant: Mapping[str, str],
    ) -> Context:
        """Return the context of one question: snapshot, settings, tools and budget."""
        given = given_topics(snapshot, topics)
        kinds = {s.name: s.kind for m in snapshot.manifest() for s in m.sources}
        names = set(kinds)
        without = {name.strip() for name in self.settings.retrieval.without.split(",")} - {""}
        if missing := sorted((without - KINDS | set(sources)) - names):
            raise NotFoundError(
                f"No source is called {', '.join(missing)}.",
                remedy=f"Ready sources: {', '.join(sorted(names)) or 'none'}.",
            )
        return Context(
            question,
            QuestionGraph(CachingSnapshot(snapshot), self._space(snapshot).question()),
            self.settings,
            agent if self.recorder is None else cast("Agent", RecordedAgent(agent, self.recorder)),
            run.phase,
            Services(
                lambda: PathIndex(self.embedder.dimension),
                web=run.tools.web.start(agent, run.notes, run.pages),
                snippets=run.tools.web.snippets(run.notes, run.pages),
                records=lambda: run.read(self.records),
                like=finder(snapshot, run.listener),
                rerank=self._rerank,
                background=lambda work: self._background.submit(carry_to_thread(work)).result,
                without_model=run.judge.without_model,
            ),
            Observers(self.watch, run.tell, self.recorder, run.notes.append),
            given,
            _allowed_sources(sources, kinds, without),
            depth,
            classes_meant(meant, snapshot),
        )

    def _thinned(self, snapshot: Snapshot) -> Snapshot:
        if isinstance(snapshot, CutChoosing):
            snapshot = snapshot.cutting(self.settings.retrieval.server_cut)
        share = self.settings.retrieval.kg_share
        return snapshot if share == 1 else SampledSnapshot(snapshot, share=share, seed=self.settings.seed)

    def _space(self, snapshot: Snapshot) -> RelationSpace:
        key = tuple((m.name, m.checksum) for m in snapshot.manifest())
        space = self._spaces.get(key)
        if space is None:
            space = self._new_space(snapshot.predicates())
            self._spaces = dict([*self._spaces.items(), (key, space)][-SNAPSHOTS:])
        return space

    def _new_space(self, predicates: Predicates) -> RelationSpace:
        learned = load_relevance_matrix(self.embedder.checksum)
        return RelationSpace(predicates, self.embedder, embed=self._keep, learned=learned)

    def _keep(self, texts: Sequence[str], listener: Listener | None = None) -> Floats:
        """Return vectors of relation texts, which are stored next to the data because every question needs them."""
        if not isinstance(self.embedder, CachedEmbedder):
            return self.embedder.embed(texts)
        started, listener = time.perf_counter(), listener or self.listener

        def progress(done: int, total: int) -> None:
            if total >= MANY:
                counts = {"done": done, "total": total, "unit": "relations"}
                listener(Event("load.embed", counts, time.perf_counter() - started))

        return self.embedder.keep(texts, progress)

    def _manifest(self, loads: Sequence[LoadInfo], run: QuestionRun) -> dict[str, object]:
        """Return what an answer depends on: loads, settings, model and version."""
        prompts = getattr(run.judge.agent, "prompts", None)
        return {
            "loads": [{"name": m.name, "checksum": m.checksum, "facts": m.facts} for m in loads],
            "settings": self.settings.hash(),
            "scoring": scoring(self.settings),
            "code": code_version(),
            "source": source_hash(),
            "model": self.settings.model.name if prompts else None,
            "prompts": prompts,
            "embedder": {"name": self.embedder.name, "checksum": self.embedder.checksum},
            "seed": self.settings.seed,
            "history": state(run.history) if run.history is not None else None,
            "repeatable": not run.judge.late() and (not self.settings.web.engine or bool(run.tools.replay)),
        }

    def _answer(
        self, question: str, strategy: str, outcome: Outcome, manifest: dict[str, object], run: QuestionRun
    ) -> Answer:
        """Return the answer of an outcome, with paths, citations and manifest."""
        end = outcome.conclusion
        decision = decide(outcome, self.settings, by_model=run.tools.judged_by_model, noted=bool(run.notes))
        answers = add_units(decision.answers, end.evidence, outcome.query)
        plan, query = outcome.analysis.plan, outcome.query
        claim = truth(outcome.analysis, answers)
        if query is None and answers and claim is None and outcome.analysis.kind != "boolean":
            query = path_query(end)
        if plan is not None:
            root = with_spans(plan.root, outcome.analysis.question)
            plan, query = replace(plan, root=root), root if query == root else query
        if decision.note:
            run.notes.append(decision.note)
        return Answer(
            id=uuid.uuid4().hex[:12],
            question=question,
            strategy=strategy,
            agent=run.judge.agent.name,
            answers=tuple(replace(a, name=label_of(a.name)) for a in answers),
            answer_text=label_of((end.sentence if answers else "") or sentence_for(answers)),
            label=label(end.kinds) if answers else "",
            verdict=decision.verdict,
            agreement=decision.agreement,
            amount=decision.amount,
            confidence=decision.confidence,
            abstained=not answers,
            truncated=any(x.truncated for x in outcome.explorations),
            citations=citations_of(end.evidence, [f.passage for f in end.findings] if answers else ()),
            evidence=end.evidence,
            explorations=tuple(replace(x, seconds=run.seconds.get(x.phase, 0.0)) for x in outcome.explorations),
            mentions=_place_mentions(outcome.mentions, question),
            usage=run.judge.usage(),
            seconds=run.seconds,
            manifest=manifest,
            dissent=end.dissent,
            missing=label_of(decision.missing),
            computation=label_of(end.computation) if answers else "",
            table=end.table if answers else None,
            claim=claim,
            notes=run.all_notes(),
            plan=plan,
            steps=tuple(replace(step, text=label_of(step.text)) for step in outcome.steps),
            query=query,
            unchecked=tuple(map(label_of, decision.unchecked)),
            findings=end.findings if answers else (),
            perhaps=decision.perhaps,
            checked=decision.checked,
        )

    def _checked(self, context: Context, outcome: Outcome) -> Outcome:
        """Return the outcome of any strategy with what texts state about its answer.

        The result of a plan's operators is not the value of one relation, so it is not checked. A plan that only looks
        up one relation is checked.
        """
        unread = outcome.recalled or (outcome.planned and not outcome.looked_up) or not outcome.judgement.sufficient
        if unread or not (context.settings.verification.text or context.settings.verification.rivals):
            return outcome
        with context.phase("check"):
            end = text_checked(context, outcome.analysis, outcome.conclusion, looked_up=outcome.looked_up)
            end = facts_checked(context, outcome.analysis, end)
            explorations = explored_with_text(outcome.explorations, end.backed, context.settings)
        return replace(outcome, conclusion=end, explorations=tuple(explorations))


def _allowed_sources(sources: Sequence[str], kinds: Mapping[str, str], without: Set[str]) -> frozenset[str]:
    """Return the sources that may be used; empty for all. ``kinds`` has the kind of every source by name."""
    if not without:
        return frozenset(sources)
    found = frozenset(name for name in sources or kinds if name not in without and kinds[name] not in without)
    return found or frozenset({""})  # a name that none has: nothing may be used


def _not_understood(reading: QuestionReading) -> str:
    """Return why a question is not asked: in some languages its words would only be taken for names."""
    if reading.understood:
        return ""
    return f"this question seems to be in {reading.language} and is not understood: ask in English, or with a model"


def _nothing_asked(context: Context, question: str, why: str) -> Outcome:
    """Return an outcome without an answer, but with the names of the question, for the next question."""
    analysis = Analysis(question=question, indicator=question, topics=(), d_predict=0)
    return Outcome(mentions_of(context), analysis, NOTHING, Judgement(False, 0.0, why))


def _place_mentions(mentions: Sequence[Mention], question: str) -> tuple[Mention, ...]:
    """Return the mentions at their positions in the original question, if it was read in another language."""
    found = [m.start if question[max(m.start, 0) : m.end].endswith(m.text) else question.find(m.text) for m in mentions]
    return tuple(
        m if m.start < 0 or at == m.start else replace(m, start=at, end=at + len(m.text) if at >= 0 else -1)
        for m, at in zip(mentions, found, strict=True)
    )
