"""What agents are asked in tests, how their results must look, and replies as odd as models give them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, get_args

from helpers.samples.answers import AUSTRIA, BIRTH, DEATH, INSIDE, MOZART, PASSAGE, SALZBURG, VIENNA, evidence, spoken

from hydra_kg.domain import (
    Analysis,
    Candidate,
    Completion,
    Evidence,
    Excerpt,
    FollowUp,
    Judgement,
    Mention,
    Node,
    Option,
    WebResult,
    WrittenPath,
)
from hydra_kg.ports import Agent, Composed, Pruned
from hydra_kg.text.folding import fold

QUESTION = "Where was Mozart born, and did he die in Vienna?"
KINDS = ("kg", "wiki", "web")


def mention(question: str, words: str, node: Node = MOZART) -> Mention:
    """Words of a question linked to a node."""
    start = question.index(words)
    candidate = Candidate(node, 1.0, "name", "composer")
    return Mention(words, start, start + len(words), (candidate,), candidate)


MENTIONS = (mention(QUESTION, "Mozart"), mention(QUESTION, "Vienna", VIENNA))
FOUND = (
    replace(evidence(BIRTH), line="{Wolfgang Amadeus Mozart} → place of birth → {Salzburg}"),
    evidence(BIRTH, INSIDE),
    evidence(DEATH, relevance=0.4),
    spoken(),
)
EXCERPTS = (
    Excerpt(PASSAGE, PASSAGE.text, ((0, 6, MOZART.id), (19, 27, SALZBURG.id))),
    Excerpt(PASSAGE, "He died in Vienna.", ((0, 0, MOZART.id), (11, 17, VIENNA.id))),
    Excerpt(PASSAGE, "Salzburg lies in Austria.", ((0, 8, SALZBURG.id), (17, 24, AUSTRIA.id))),
)
WRITTEN = (
    WrittenPath(0, ("Mozart", "was born in", "Salzburg"), (MOZART.id, SALZBURG.id)),
    WrittenPath(1, ("Mozart", "died in", "Vienna"), (MOZART.id, 0)),
)
RESULTS = (
    WebResult("Mozart", "https://a.example/mozart", "He was born in Salzburg."),
    WebResult("Quiz", "https://b.example", "Where was Mozart born?"),
    WebResult("", "https://c.example", "in Salzburg", question="Where was Mozart born?"),
)

OPTIONS = (Option("{Mozart} → place of birth", 0.9), Option("{Mozart} → place of death", 0.4), Option("Zog", 0.1))
PRUNED: Sequence[Pruned] = ("topics", "relations", "entities", "chunks")

GOOD: Mapping[str, str] = {
    "topics": '{"names": ["Mozart", "Vienna"]}',
    "analyse": '{"parts": ["Where was Mozart born?"], "skyline": "Vienna - died in - Mozart - born in - answer", '
    '"sources": ["kg", "web"]}',
    "select_sources": '{"sources": ["wiki"]}',
    "select_pages": '{"pages": [2, 1]}',
    "write_paths": '{"paths": [{"n": 1, "chain": ["Mozart", "born in", "Salzburg"]}]}',
    "summarise": '{"keep": [2]}',
    "select_paths": '{"best": [{"n": 2, "score": 9}, {"n": 1, "score": 7}]}',
    "refine": '{"facts": "Mozart was born in Salzburg."}',
    "judge": '{"facts": "He was.", "parts": ["Salzburg"], "enough": "yes", "answers": ["Salzburg"], "missing": ""}',
    "follow_up": '{"question": "Where did Mozart die?", "skyline": "Mozart - place of death - answer"}',
    "select_paths yes/no": "Yes",
    "judge yes/no": " yes.",
    "predict": '{"predictions": [{"name": "Salzburg", "skyline": "Mozart - place of birth - Salzburg"}]}',
    "answer": '{"why": "The paths say so.", "answers": ["Salzburg"]}',
    "prune_topics": '{"best": [{"n": 1, "score": 9}]}',
    "prune_relations": '{"best": [{"n": 2, "score": 9}, {"n": 1, "score": 0}]}',
    "prune_entities": '{"best": [{"n": 2, "score": 9}]}',
    "prune_chunks": '{"best": [{"n": 1, "score": 8}]}',
    "read_statements": '{"statements": [{"n": 1, "value": "Salzburg"}]}',
    "prune_authority": '{"best": [{"n": 1, "score": 8}]}',
    **{f"compose_{what}": '{"lines": ["Mozart was born in Salzburg."]}' for what in get_args(Composed)},
    "know": '{"why": "He was a child of Salzburg.", "answers": ["Salzburg"]}',
}
"""A usable reply for each step."""


class ByStep:
    """A model that gives each step the reply that a function makes of its name (``judge``; ``judge yes/no`` where no
    object is asked for); keeps what it was asked."""

    name = "scripted"

    def __init__(self, reply: Callable[[str], str | Exception | Completion]) -> None:
        self.asked: list[tuple[str, list[dict[str, str]]]] = []
        self._reply = reply

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
        sample: int = 0,
        step: str = "",
        logprobs: int = 0,
    ) -> Completion:
        """The step's reply."""
        assert max_tokens > 0
        self.asked.append((step, [dict(m) for m in messages]))
        reply = self._reply(step if schema else f"{step} yes/no")
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Completion) else Completion(reply, 10, 5)


def every_step(
    agent: Agent,
    *,
    found: Sequence[Evidence] = FOUND,
    excerpts: Sequence[Excerpt] = EXCERPTS,
    results: Sequence[WebResult] = RESULTS,
    mentions: Sequence[Mention] = MENTIONS,
) -> dict[str, Any]:
    """The results of all steps of one question, checked."""
    topics = agent.topics(QUESTION)
    analysis = agent.analyse(QUESTION, mentions, d_max=3, kinds=KINDS)
    done = {
        "topics": topics,
        "analyse": analysis,
        "select_sources": agent.select_sources(analysis, KINDS),
        "select_pages": agent.select_pages(analysis, results, most=2),
        "write_paths": agent.write_paths(analysis, excerpts),
        "summarise": agent.summarise(analysis, WRITTEN),
        "select_paths": agent.select_paths(analysis, found, most=3),
        "refine": agent.refine(analysis, found),
        "judge": agent.judge(analysis, found, refined="Mozart was born in Salzburg."),
        "judge joined": agent.judge(analysis, found),
        "follow_up": agent.follow_up(analysis, found),
        "predict": agent.predict(analysis, found, most=2),
        "answer": agent.answer(analysis, found),
        "parse": agent.parse(QUESTION, mentions, d_max=3),
        "prune": [agent.prune(analysis, what, OPTIONS, most=2) for what in PRUNED],
        "compose": [agent.compose(analysis, what, found, notes="He was a child.") for what in get_args(Composed)],
        "know": [agent.know(analysis), agent.know(analysis, think=True, sample=2)],
    }
    check(done, found=found, excerpts=excerpts, results=results, mentions=mentions)
    assert all(isinstance(n, str) and n for n in agent.notes)
    return done


def check(
    done: Mapping[str, Any],
    *,
    found: Sequence[Evidence],
    excerpts: Sequence[Excerpt],
    results: Sequence[WebResult],
    mentions: Sequence[Mention],
) -> None:
    """Types and bounds of all results of a question."""
    assert all(fold(name) in fold(QUESTION) for name in done["topics"])
    analysis: Analysis = done["analyse"]
    assert analysis.question == QUESTION
    assert sorted(analysis.topics) == sorted({m.chosen.node.id for m in mentions if m.chosen})
    assert 1 <= analysis.d_predict <= 3
    assert 1 <= len(analysis.sub_questions) <= 4
    plain(analysis.indicator, *analysis.sub_questions)
    assert set(analysis.sources) <= set(KINDS)
    assert done["select_sources"]
    assert set(done["select_sources"]) <= set(KINDS)
    distinct(done["select_pages"], len(results), most=2)
    for path in done["write_paths"]:
        nodes = {node for _, _, node in excerpts[path.excerpt].mentions}
        assert len(path.chain) == 2 * len(path.nodes) - 1 >= 3
        assert set(path.nodes) <= nodes | {0}
        assert all(a != b or not a for a, b in pairwise(path.nodes))
        plain(*path.chain)
    assert [p for p in WRITTEN if p in done["summarise"]] == list(done["summarise"])
    distinct([p.place for p in done["select_paths"]], len(found), most=3)
    assert len(done["select_paths"]) == min(3, len(found))
    assert all(0 <= p.score <= 1 for p in done["select_paths"])
    plain(done["refine"], empty=True)
    judged(done["judge"], found)
    judged(done["judge joined"], found)
    judged(done["answer"], found, own=True)
    parsed: Analysis = done["parse"]
    assert (parsed.question, parsed.skyline, parsed.sources) == (QUESTION, "", ())
    assert sorted(parsed.topics) == sorted(analysis.topics)
    for picked in done["prune"]:
        assert picked
        distinct([p.place for p in picked], len(OPTIONS), most=2)
        assert all(0 <= p.score <= 1 for p in picked)
        assert [p.score for p in picked] == sorted((p.score for p in picked), reverse=True)
    for lines in done["compose"]:
        assert len(lines) <= 5
        plain(*lines)
    for known in done["know"]:
        judged(known, (), own=True)
        assert known.own_knowledge == known.sufficient
    follow: FollowUp | None = done["follow_up"]
    if follow is not None:
        plain(follow.question, follow.indicator)
    assert len(done["predict"]) <= 2
    assert len({fold(p.name) for p in done["predict"]}) == len(done["predict"])
    for prediction in done["predict"]:
        plain(prediction.name, prediction.indicator)


def distinct(places: Sequence[int], count: int, *, most: int) -> None:
    """Places of a list, each once."""
    assert len(set(places)) == len(places) <= most
    assert all(0 <= p < count for p in places)


def plain(*texts: str, empty: bool = False) -> None:
    """Lines that a person may be shown."""
    for text in texts:
        assert empty or text.strip()
        assert text.isprintable()
        assert len(text) <= 600


def judged(judgement: Judgement, found: Sequence[Evidence], *, own: bool = False) -> None:
    """A judgement that pretends to nothing."""
    assert 0 <= judgement.confidence <= 1
    assert judgement.sufficient or judgement.missing
    assert judgement.sufficient or not judgement.answers
    plain(*judgement.answers, *(a for _, a in judgement.sub_answers if a))
    assert len(judgement.answers) <= 10
    assert own or not judgement.own_knowledge
    if not judgement.own_knowledge:
        names = {n.name for e in found for n in (*e.answers, *e.path.entities)}
        assert set(judgement.answers) <= names


ODD: Sequence[str] = (
    "",
    " \n\t",
    "I'm sorry, but I can't help with that.",
    "null",
    "[]",
    "{}",
    "{",
    "}{",
    "[[[[[[",
    "0",
    '"yes"',
    "yes",
    "No, because the paths do not say.",
    '<think>{"enough": "no"}</think>',
    "``````",
    "```json\n```",
    '{"error": {"message": "overloaded", "code": 529}}',
    '{"names": {"a": [1, {"b": null}]}, "best": "3", "enough": 1}',
    '{"best": [{"n": 1e400}, {"n": NaN}, {"n": -5}, {"n": true}, {"n": 99999999999999999999}, 2.7, "4", [1], null]}',
    '{"enough": "yes", "answers": ["' + "x" * 5000,
    '{"enough": "YES!", "answers": {"name": "salzburg"}, "parts": "Salzburg"}',
    '{"paths": [["Mozart", "born in"], "Mozart -> born in -> Salzburg", {"chain": []}, {"n": 9, "chain": "- - -"}]}',
    '{"skyline": ["Mozart", "born in", "answer"], "parts": [null, "", 3], "sources": "KG, web"}',
    '{"question": "Where was Mozart born, and did he die in Vienna?", "names": ["\\u202ednaZ", "\\ud800"]}',
    '{"predictions": [{"name": "unknown"}, {"name": "-", "skyline": ""}, {"name": "\\u0000"}, "Salzburg", "salzburg"]}',
    '{"answers": ["</data-00000000>", "=== system", "{{question}}", "Zog"], "enough": "yes", "names": ["Zog"]}',
    "{'answers': ('Salzburg',), 'enough': True, 'parts': None}",
    '\x00\x1b[31m{"enough": "yes"}',
    "{" * 3000,
    '{"a":' * 3000,
    "\\" * 3000,
)
"""Replies that endpoints and models have given, and worse ones."""


def odd_replies(count: int, *, seed: int = 0) -> Iterator[str]:
    """Good and odd replies: as they are, then spoilt in one to four ways. The same for the same seed."""
    draw = random.Random(seed)
    sound = [*GOOD.values(), *ODD]
    for n in range(count):
        text = sound[n % len(sound)]
        for _ in range(0 if n < len(sound) else draw.randint(1, 4)):
            text = _spoilt(text, sound, draw)[:6000]
        yield text


def _spoilt(text: str, sound: Sequence[str], draw: random.Random) -> str:
    at, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
    marks = "{}[]\",:'\\\n<>-0159 \u202e\ud800é"
    return draw.choice(
        [
            lambda: text[:at],
            lambda: text[at:],
            lambda: text[:at] + text[end:],
            lambda: text[:at] + draw.choice(marks) + text[at:],
            lambda: text[:at] + "".join(draw.choices(marks, k=draw.randint(1, 40))) + text[end:],
            lambda: text.replace('"', "'"),
            lambda: text.replace("]", ",]").replace("}", ",}"),
            lambda: text.replace('"', "“", 3),
            text.upper,
            lambda: f"Sure! Here it is:\n```json\n{text}\n```\nI hope that helps.",
            lambda: f"<think>Hm, {text}</think>{text}",
            lambda: text + draw.choice(sound),
            lambda: json.dumps({"reply": text}),
            lambda: text.replace(draw.choice("abceins"), draw.choice(marks)),
            lambda: text * 2,
        ]
    )()
