"""Fits hydra_kg/models/embedding/learned.npz: how questions speak of relations, learned from webqsp_train and
wordings.tsv.

    python bench/training/fit_relevance.py STORE [--out FILE] [--folds 5]

STORE holds freebase.nt.gz, wikidata.nt.gz, fb2w.nt.gz and wikipedia.jsonl.gz of the data pack (``hydra-kg load``).
With ``--folds`` it fits nothing for good, but says what the matrix is worth on questions that it was not fitted on.

One matrix M is fitted so that score(q, path) = base + mean over hops of h(q)ᵀ M h(r) ranks, by three softmax losses:
the W_1 relation paths that the search finds for a question, by the F1 of their ends against the gold answers (the F1
expected of a path drawn, and a share of the likelihood of F1²); for all labelled questions, whether or not the slice
holds their answer, the relation of the gold query among all relation texts; and for questions that we wrote for the
relations that people ask about, whichever set they are from (``wordings.tsv``), one of those among all relation texts.
Adam, weight decay, fixed seeds, the mean of several fits: the same store gives the same matrix.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, stored
from hydra_kg.domain import Floats, Ids, Judgement
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.phrases import relation_text
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.relevance.path_relevance import relevance_of
from hydra_kg.steps.retrieval.graph_retrieval import retrieve
from hydra_kg.stores import open_store
from hydra_kg.strategies.base import Outcome

DECAY, RATE, EPOCHS, BATCH = 1e-3, 2e-3, 10, 32
SHARP_PATHS, SHARP_RELATIONS = 12.0, 20.0  # inverse temperatures of the two losses
GOLD_POWER = 2.0
EXPECTED, LIKELY, WRITTEN = 4.0, 0.25, 0.5  # weights of the expected F1, of the likelihood, of what we wrote
NEARLY = 0.75  # cosine from which two relation texts say nearly the same
FITS = 2  # of which the mean is taken
WORDINGS = Path(__file__).with_name("wordings.tsv")
NAMES = frozenset("the of in and a an".split())


@dataclass
class Pool:
    """One question: its vector (d,), what its paths score without the matrix (n,), the mean vectors of their hops
    (n, d), the classes at their ends; later the F1 of each path (n,)."""

    question: Floats
    base: Floats
    hops: Floats
    ends: list[frozenset[int]]
    f1: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


@dataclass
class Collect:
    """A strategy that answers nothing and keeps the pool of the search."""

    name: str = "collect"
    paper: str = ""
    steps: tuple[str, ...] = ()
    pool: Pool | None = None
    space: RelationSpace | None = None

    def run(self, context: Context) -> Outcome:
        """Search as HydraRAG's first phase does."""
        mentions = mentions_of(context)
        analysis = context.agent.analyse(context.question, mentions, d_max=context.settings.retrieval.d_max)
        relevance = relevance_of(context, analysis)
        found = retrieve(context, analysis, relevance, depth=analysis.d_predict)
        self.space, self.pool = context.space, None
        if found.paths:
            hops = [context.space.vectors(np.array(p.codes, np.int64)).mean(axis=0) for p in found.paths]
            ends = [frozenset(found.hops.ids[p.ends].tolist()) for p in found.paths]
            asked = context.space.embedder.embed([analysis.indicator])[0]
            self.pool = Pool(asked, np.array([p.score for p in found.paths], np.float32), np.stack(hops), ends)
        nothing = Conclusion((), (), {}, {}, frozenset(), ())
        return Outcome(mentions, analysis, nothing, Judgement(False, 0.0), ())


def collect(reasoner: Reasoner, strategy: Collect, question: Question) -> Pool | None:
    """The pool of one question with its gold topics; None where the store knows none of them or no answer."""
    with reasoner.store.snapshot() as snapshot:
        topics = stored(snapshot, question.topics)
        gold = [
            {n for n in snapshot.lookup([g["id"]] if g.get("id") else list(g.get("candidate_ids", ()))) if n}
            for g in question.gold
        ]
    if not topics or not any(gold):
        return None
    reasoner.ask(question.text, topics=topics)
    pool = strategy.pool
    if pool is None:
        return None
    pool.f1 = np.array([_f1(ends, gold) for ends in pool.ends], np.float32)
    return pool if pool.f1.max() > 0 else None


def _f1(ends: frozenset[int], gold: Sequence[set[int]]) -> float:
    precision = len(ends & set().union(*gold)) / len(ends)
    recall = sum(bool(ends & g) for g in gold) / len(gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def labelled(path: Path) -> dict[str, tuple[str, list[str]]]:
    """Question id → (question without its topic's words, relation texts of its gold queries of at most two legs)."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        doc = json.loads(line)
        texts = {_chain(p["chain"]) for p in doc["parses"] if 0 < len(p.get("chain") or ()) <= 2}
        names = " ".join(t.get("name") or "" for t in doc["topic_entities"])
        masked = _masked(doc["question"], set(re.findall(r"\w+", names.casefold())) - NAMES)
        if texts and masked != doc["question"]:
            found[doc["id"]] = masked, sorted(texts)
    return found


def _chain(chain: Sequence[str]) -> str:
    return " ".join([relation_text(chain[0]), *(c.rsplit(".", 1)[-1].replace("_", " ") for c in chain[1:])])


def _masked(question: str, names: set[str]) -> str:
    """The question without its longest run of words that begin like words of the name."""
    words = list(re.finditer(r"\w+", question.casefold()))
    like = [any(w[0] == n or (len(n) > 4 and w[0][:4] == n[:4]) for n in names) for w in words]
    best, start = (0, 0), 0
    for i in range(len(words) + 1):
        if i == len(words) or not like[i]:
            if start < i and words[i - 1].end() - words[start].start() > best[1] - best[0]:
                best = words[start].start(), words[i - 1].end()
            start = i + 1
    return re.sub(r"\s+", " ", f"{question[: best[0]]} {question[best[1] :]}").strip()


@dataclass
class Labels:
    """Questions (n, d), all relation texts (v, d), and for each question the places of the right ones, and of those
    that say nearly the same, which are neither right nor wrong."""

    questions: Floats
    relations: Floats
    right: list[list[int]]
    near: list[list[int]] = field(default_factory=list)

    def slope(self, matrix: Floats, share: Ids, *, each: bool) -> Floats:
        """Of the loss, (d, d), for a share of the questions. ``each``: all right relations are to be as likely; else
        it is enough that one of them is."""
        asked = self.questions[share]
        scores = SHARP_RELATIONS * ((asked + asked @ matrix) @ self.relations.T)
        if self.near:
            for row, i in enumerate(share.tolist()):
                scores[row, self.near[i]] = -np.inf
        off = _softmax(scores)
        for row, i in enumerate(share.tolist()):
            right = self.right[i]
            off[row, right] -= 1 / len(right) if each else off[row, right] / off[row, right].sum()
        return np.asarray(SHARP_RELATIONS / len(share) * (asked.T @ (off @ self.relations)), np.float32)


def fit(pools: Sequence[Pool], labels: Labels, written: Labels, *, seed: int = 0) -> Floats:
    """float32 (d, d)."""
    rng = np.random.default_rng(seed)
    d = labels.relations.shape[1]
    matrix, first, second = (np.zeros((d, d), np.float32) for _ in range(3))
    batches = -(-len(pools) // BATCH)
    for step in range(EPOCHS * batches):
        if step % batches == 0:
            order, others, ours = (rng.permutation(len(x)) for x in (pools, labels.right, written.right))
        at = step % batches
        slope = np.asarray(DECAY * SHARP_PATHS * matrix, np.float32)
        chosen = order[at * BATCH : (at + 1) * BATCH]
        for pool in (pools[i] for i in chosen):
            slope += SHARP_PATHS / len(chosen) * np.outer(pool.question, _off(pool, matrix) @ pool.hops)
        slope += labels.slope(matrix, _share(others, at, batches), each=True)
        slope += WRITTEN * written.slope(matrix, _share(ours, at, batches), each=False)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        rate = RATE / (1 - 0.9 ** (step + 1))
        matrix = np.asarray(matrix - rate * first / (np.sqrt(second / (1 - 0.999 ** (step + 1))) + 1e-8), np.float32)
    return np.asarray(matrix, np.float32)


def _share(order: Ids, at: int, batches: int) -> Ids:
    return order[at * len(order) // batches : (at + 1) * len(order) // batches]


def _off(pool: Pool, matrix: Floats) -> Floats:
    """The slope of a pool's loss by the scores of its paths (n,)."""
    drawn, gold = _softmax(SHARP_PATHS * scored(pool, matrix)), pool.f1**GOLD_POWER
    expected = drawn * (drawn @ pool.f1 - pool.f1)
    return np.asarray(EXPECTED * expected + LIKELY * (drawn - gold / gold.sum()), np.float32)


def scored(pool: Pool, matrix: Floats) -> Floats:
    """float32 (n,)."""
    return np.asarray(pool.base + pool.hops @ (pool.question @ matrix), np.float32)


def _softmax(scores: Floats) -> Floats:
    power = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(power / power.sum(axis=-1, keepdims=True), np.float32)


@dataclass(frozen=True)
class Taught:
    """What the labelled questions teach: by question id its pool, its masked text with the texts of its gold relations,
    and the vector of the former; the vectors of all relation texts, and the place of each; what we wrote; the
    embedder's checksum."""

    pools: dict[str, Pool]
    known: dict[str, tuple[str, list[str]]]
    vectors: dict[str, Floats]
    relations: Floats
    place: dict[str, int]
    written: Labels
    embedder: str

    def fitted(self, without: frozenset[str]) -> Floats:
        """The matrix, fitted on the questions but for some."""
        keep = [i for i in self.known if i not in without]
        right = [[self.place[t] for t in self.known[i][1]] for i in keep]
        labels = Labels(np.stack([self.vectors[i] for i in keep]), self.relations, right)
        pools = [p for i, p in self.pools.items() if i not in without]
        fits = [fit(pools, labels, self.written, seed=seed) for seed in range(FITS)]
        return np.asarray(np.mean(fits, axis=0), np.float32)


def teach(store: Path) -> Taught:
    """Search for all questions of webqsp_train in a store, and embed their labels."""
    path = data() / "questions" / "dev" / "webqsp_train.jsonl"
    reasoner = Reasoner(open_store(store), settings=Settings().changed(relevance={"learned_weight": 0.0}))
    reasoner.strategy = strategy = Collect()
    pools = {q.id: p for q in read_questions(path) if (p := collect(reasoner, strategy, q)) is not None}
    assert strategy.space is not None
    with reasoner.store.snapshot() as snapshot:
        texts = set(strategy.space.all_texts(snapshot.relation_pairs()))
    known = labelled(path)
    ordered = sorted(texts.union(*(t for _, t in known.values())))
    embed = reasoner.embedder.embed
    relations = np.concatenate([embed(ordered[i : i + 512]) for i in range(0, len(ordered), 512)])
    vectors = dict(zip(known, embed([m for m, _ in known.values()]), strict=True))
    place = {t: i for i, t in enumerate(ordered)}
    ours = wordings(place)
    space, turned = strategy.space, defaultdict[int, list[int]](list)
    for leg in range(2 * len(space.predicates.ids)):
        turned[place[space.text(leg)]].append(place[space.text(leg ^ 1)])
    near = []
    for right in ours.values():
        like = np.flatnonzero((relations @ relations[right].T).max(axis=1) >= NEARLY)
        near.append(np.setdiff1d(like, [*right, *(t for r in right for t in turned[r])]).tolist())
    written = Labels(embed(list(ours)), relations, list(ours.values()), near)
    return Taught(pools, known, vectors, relations, place, written, reasoner.embedder.checksum)


def wordings(place: Mapping[str, int]) -> dict[str, list[int]]:
    """The questions of wordings.tsv without their topic, and the places of the relation texts that may be meant."""
    found: dict[str, list[int]] = {}
    for line in WORDINGS.read_text("utf-8").splitlines():
        texts, _, questions = line.partition("\t")
        if right := [place[t] for t in texts.split("; ") if t in place]:
            for question in questions.split(" | "):
                found.setdefault(" ".join(question.replace("_'s", "").replace("_", "").split()), []).extend(right)
    return {question: sorted(set(right)) for question, right in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, or say what fitting is worth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--out", type=Path, default=Path("hydra_kg/models/embedding/learned.npz"))
    parser.add_argument("--folds", type=int, default=0)
    options = parser.parse_args(arguments)
    taught = teach(options.store)
    pools = taught.pools
    gold, texts = len(taught.known), len(taught.place)
    print(f"{len(pools)} questions with paths, {gold} with a gold relation, {texts} relation texts")
    if not options.folds:
        matrix = taught.fitted(frozenset())
        np.savez_compressed(options.out, matrix=matrix.astype(np.float16), embedder=np.array(taught.embedder))
        return
    got = []
    for k in range(options.folds):
        held = frozenset(list(pools)[k :: options.folds])
        matrix = taught.fitted(held)
        got += [(p.f1[p.base.argmax()], p.f1[scored(p, matrix).argmax()]) for i, p in pools.items() if i in held]
    before, after = np.mean(got, axis=0) * 100
    print(
        f"F1 of the best path, {len(got)} questions not fitted on: {before:.1f} without the matrix, {after:.1f} with it"
    )


if __name__ == "__main__":
    main()
