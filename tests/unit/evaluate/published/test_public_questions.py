"""Question sets in their published syntax, with records made up for these tests, read into the project's layout."""

from __future__ import annotations

import gzip
import json

import pytest

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.public_questions.file_records import MOST_LINE, json_records
from hydra_kg.evaluate.public_questions.questions_layout import convert, split_of
from hydra_kg.evaluate.public_questions.registry import QUESTION_SETS
from hydra_kg.evaluate.questions.datasets import read_questions

WEBQSP = {
    "Version": "1.0",
    "Questions": [
        {
            "QuestionId": "WebQTest-x1",
            "RawQuestion": "Which lake lies by Orle?",
            "ProcessedQuestion": "which lake lies by orle",
            "Parses": [
                {"TopicEntityMid": "m.0aa1", "TopicEntityName": "Orle", "Sparql": "", "Answers": []},
                {
                    "TopicEntityMid": "m.0aa1",
                    "TopicEntityName": "Orle",
                    "Sparql": "SELECT ?x WHERE { ns:m.0aa1 ns:location.lake ?x }",
                    "InferentialChain": ["location.lake"],
                    "Answers": [
                        {"AnswerType": "Entity", "AnswerArgument": "m.0bb2", "EntityName": "Vell"},
                        {"AnswerType": "Value", "AnswerArgument": "1901", "EntityName": None},
                    ],
                },
            ],
        },
        {"QuestionId": "WebQTest-x2", "RawQuestion": "Who painted Vell?", "ProcessedQuestion": "", "Parses": []},
    ],
}
CWQ = [
    {
        "ID": "WebQTest-x1_aa",
        "question": "Which lake lies by the town that Ada Torn founded?",
        "sparql": "SELECT ?x WHERE { FILTER (?x != ?c) ?c ns:town.founder ns:m.0cc3 . ?c ns:location.lake ?x . }",
        "compositionality_type": "composition",
        "answers": [{"answer_id": "m.0bb2", "answer": "Vell", "aliases": ["Lake Vell", "Vell"]}],
    },
    {"ID": "WebQTest-x2_aa", "question": "Who was she?", "sparql": ""},
]
GRAILQA = [
    {
        "qid": 3202,
        "question": "which bridge crosses the orle?",
        "answer": [{"answer_type": "Entity", "answer_argument": "m.0dd4", "entity_name": "Old Bridge"}],
        "function": "none",
        "num_edge": 1,
        "level": "zero-shot",
        "s_expression": "(AND a.bridge (JOIN a.bridge.crosses m.0ee5))",
        "graph_query": {
            "nodes": [
                {"nid": 0, "node_type": "class", "id": "a.bridge", "friendly_name": "Bridge", "question_node": 1},
                {"nid": 1, "node_type": "entity", "id": "m.0ee5", "friendly_name": "Orle", "question_node": 0},
            ],
            "edges": [{"start": 0, "end": 1, "relation": "a.bridge.crosses"}],
        },
        "sparql_query": "SELECT ?x0 WHERE { ?x0 :a.bridge.crosses :m.0ee5 }",
    }
]
WEBQUESTIONS = [
    {
        "url": "http://www.freebase.com/view/en/ada_torn",
        "targetValue": '(list (description "Torn \\"the Elder\\"") (description Orle))',
        "utterance": "who were ada torn's teachers?",
    },
    {"url": "", "targetValue": "(list)", "utterance": "what is nothing?"},
]
QALD = {
    "dataset": {"id": "qald-10-en"},
    "questions": [
        {
            "id": "7",
            "question": [
                {"language": "de", "string": "Wer leitete Orle?"},
                {"language": "en", "string": "Who led Orle?"},
            ],
            "query": {"sparql": "SELECT ?x WHERE { wd:Q990001 wdt:P6 ?x }"},
            "answers": [
                {
                    "head": {"vars": ["x"]},
                    "results": {
                        "bindings": [
                            {"x": {"type": "uri", "value": "http://www.wikidata.org/entity/Q990002"}},
                            {"x": {"type": "literal", "value": "1901-02-03"}},
                        ]
                    },
                }
            ],
        },
        {
            "id": "8",
            "question": [{"language": "en", "string": "Is Vell a lake?"}],
            "query": {"sparql": "ASK WHERE { <http://www.wikidata.org/entity/Q990003> ?p ?o }"},
            "answers": [{"head": {}, "boolean": True}],
        },
        {"id": "9", "question": [{"language": "de", "string": "Nur auf Deutsch?"}], "query": {}, "answers": []},
    ],
}
KGQAGEN = [
    {
        "id": 3,
        "seed": "Q990001",
        "question": "Which lake near Orle has two towns called Morr on its shore?",
        "answer": ["Vell", "Morr"],
        "sparql": 'SELECT ?xLabel WHERE { wd:Q990001 wdt:P206 ?x . SERVICE wikibase:label { bd:serviceParam "en" . } }',
        "proof": [
            ["Orle (Q990001)", "located next to body of water (P206)", "Vell (Q990002)"],
            ["Morr (Q990003)", "located next to body of water (P206)", "Vell (Q990002)"],
            ["Morr (Q990004)", "inception (P571)", "1901-02-03"],
        ],
    }
]
HOTPOTQA = [
    {
        "_id": "5abx",
        "question": "Which is deeper, Vell or Morr?",
        "answer": "Morr",
        "type": "comparison",
        "level": "hard",
        "supporting_facts": [["Vell", 0], ["Morr", 1], ["Vell", 2]],
        "context": [["Vell", ["Vell is a lake."]], ["Morr", ["Morr is one too."]]],
    }
]
ADVERSARIAL = [
    {
        "_id": "5aby",
        "question": "Who designed the bridge over the Orle?",
        "answer": "Ada Torn",
        "paragraphs": [{"title": "added", "context": "Bo Torn designed another bridge.", "is_supp": False}],
        "qid_topic_entity": {"Q990001": "Orle"},
        "topic_entity": {"m.0ee5": "Orle"},
    }
]
TWOWIKI = [
    {
        "_id": "0dd1",
        "question": "Who is the mother of the director of Low Water?",
        "answer": "Ina Torn",
        "answer_id": "Q990004",
        "entity_ids": "Q990005_Q990006",
        "type": "compositional",
        "evidences": [["Low Water", "director", "Ada Torn"], ["Ada Torn", "mother", "Ina Torn"]],
        "supporting_facts": [["Low Water", 0]],
        "context": [],
    }
]
FEVER = [
    {
        "id": 91198,
        "verifiable": "VERIFIABLE",
        "label": "REFUTES",
        "claim": "Vell is a river.",
        "evidence": [[[1, 2, "Vell_-LRB-lake-RRB-", 0]], [[1, 3, "Vell_-LRB-lake-RRB-", 2]]],
    },
    {"id": 91199, "label": "NOT ENOUGH INFO", "claim": "Vell froze.", "evidence": [[[1, None, None, None]]]},
    {"id": 91200, "claim": "A blind one."},
]
CREAK = [
    {
        "ex_id": "dev_x1",
        "sentence": "People swim in Vell.",
        "explanation": "It is a lake.",
        "label": "true",
        "entity": "Vell",
        "en_wiki_pageid": "1",
        "entity_mention_loc": [[15, 19]],
    }
]
ZSRE = [
    {
        "id": "42",
        "input": "Old Bridge [SEP] crosses",
        "output": [{"answer": "Orle", "provenance": [{"wikipedia_id": "1", "title": "Old Bridge"}]}, {"meta": {}}],
        "meta": {"template_questions": ["What does Old Bridge cross?", "Over what does Old Bridge go?"]},
    }
]
TREX = [
    {
        "id": "a-1",
        "input": "Vell [SEP] country",
        "output": [{"answer": "Norl"}, {"answer": "Kingdom of Norl"}],
        "meta": {"subj_aliases": ["Lake Vell"]},
    }
]


def lines(records):
    return "".join(json.dumps(r) + "\n" for r in records)


CASES = {
    "webqsp": (
        "WebQSP.test.json",
        json.dumps(WEBQSP, indent=2),
        {
            "id": "WebQTest-x1",
            "question": "which lake lies by orle",
            "kb": "freebase",
            "source_dataset": "WebQSP",
            "split": "test",
            "topic_entities": [{"id": "m.0aa1", "name": "Orle"}],
            "answers": [{"id": "m.0bb2", "name": "Vell"}, {"id": "", "name": "1901"}],
            "relation": ["location.lake"],
            "gold_sparql": "SELECT ?x WHERE { ns:m.0aa1 ns:location.lake ?x }",
        },
    ),
    "cwq": (
        "ComplexWebQuestions_test.json",
        json.dumps(CWQ),
        {
            "id": "WebQTest-x1_aa",
            "topic_entities": [{"id": "m.0cc3", "name": ""}],
            "answers": [{"id": "m.0bb2", "name": "Vell", "aliases": ["Lake Vell"]}],
            "compositionality_type": "composition",
        },
    ),
    "grailqa": (
        "grailqa_v1.0_dev.json",
        json.dumps(GRAILQA, indent=1),
        {
            "id": "grailqa-3202",
            "split": "dev",
            "topic_entities": [{"id": "m.0ee5", "name": "Orle"}],
            "answers": [{"id": "m.0dd4", "name": "Old Bridge"}],
            "relation": ["a.bridge.crosses"],
            "level": "zero-shot",
        },
    ),
    "simplequestions": (
        "annotated_fb_data_valid.txt",
        "www.freebase.com/m/0ee5\twww.freebase.com/a/river/bridge\twww.freebase.com/m/0dd4\twhich bridge is on orle\n",
        {
            "id": "simplequestions-valid-0",
            "question": "which bridge is on orle",
            "topic_entities": [{"id": "m.0ee5", "name": ""}],
            "answers": [{"id": "m.0dd4", "name": ""}],
            "relation": ["a.river.bridge"],
            "gold_sparql": "PREFIX ns: <http://rdf.freebase.com/ns/> "
            "SELECT DISTINCT ?x WHERE { ns:m.0ee5 ns:a.river.bridge ?x . }",
        },
    ),
    "webquestions": (
        "webquestions.examples.test.json",
        json.dumps(WEBQUESTIONS),
        {
            "id": "webquestions-0",
            "topic_entities": [{"id": "", "name": "ada torn"}],
            "answers": [{"id": "", "name": 'Torn "the Elder"'}, {"id": "", "name": "Orle"}],
        },
    ),
    "qald7": (
        "qald-7-train-en-wikidata.json",
        json.dumps(QALD),
        {
            "id": "qald-7-train-7",
            "question": "Who led Orle?",
            "topic_entities": [{"id": "Q990001", "name": ""}],
            "answers": [{"id": "Q990002", "name": ""}, {"id": "", "name": "1901-02-03"}],
        },
    ),
    "qald10": ("qald_10.json", json.dumps(QALD), {"id": "qald-10-7", "split": ""}),
    "kgqagen": (
        "test.jsonl",
        lines(KGQAGEN),
        {
            "id": "kgqagen-test-3",
            "kb": "wikidata",
            "topic_entities": [{"id": "Q990001", "name": "Orle"}],
            "answers": [{"id": "Q990002", "name": "Vell"}, {"id": "", "name": "Morr"}],
            "relation": ["P206", "P571"],
        },
    ),
    "hotpotqa": (
        "hotpot_dev_distractor_v1.json",
        json.dumps(HOTPOTQA),
        {"id": "hotpot-5abx", "answers": [{"id": "", "name": "Morr"}], "supporting_pages": ["Vell", "Morr"]},
    ),
    "hotpotadv": (
        "hotpotadv_dev.json",
        json.dumps(ADVERSARIAL),
        {
            "id": "hotpotadv-5aby",
            "topic_entities": [{"id": "Q990001", "name": "Orle"}],
            "freebase_topic_entities": [{"id": "m.0ee5", "name": "Orle"}],
            "answers": [{"id": "", "name": "Ada Torn"}],
        },
    ),
    "2wiki": (
        "dev.json",
        json.dumps(TWOWIKI),
        {
            "id": "2wiki-0dd1",
            "topic_entities": [{"id": "Q990005", "name": ""}, {"id": "Q990006", "name": ""}],
            "answers": [{"id": "Q990004", "name": "Ina Torn"}],
            "relation": ["director", "mother"],
        },
    ),
    "fever": (
        "paper_dev.jsonl",
        lines(FEVER),
        {"id": "fever-91198", "answers": [{"id": "", "name": "REFUTES"}], "evidence_pages": ["Vell (lake)"]},
    ),
    "creak": (
        "dev.json",
        lines(CREAK),
        {
            "id": "creak-dev_x1",
            "question": "People swim in Vell.",
            "topic_entities": [{"id": "", "name": "Vell"}],
            "answers": [{"id": "", "name": "true"}],
        },
    ),
    "zero_shot_re": (
        "structured_zeroshot-dev-kilt.jsonl",
        lines(ZSRE),
        {
            "id": "zsre-42",
            "question": "What does Old Bridge cross?",
            "topic_entities": [{"id": "", "name": "Old Bridge"}],
            "answers": [{"id": "", "name": "Orle"}],
            "relation": ["crosses"],
        },
    ),
    "trex": (
        "trex-dev-kilt.jsonl",
        lines(TREX),
        {
            "id": "trex-a-1",
            "question": "Vell | country",
            "topic_entities": [{"id": "", "name": "Vell", "aliases": ["Lake Vell"]}],
            "answers": [{"id": "", "name": "Norl"}, {"id": "", "name": "Kingdom of Norl"}],
        },
    ),
    "metaqa": (
        "2-hop/vanilla/qa_test.txt",
        "who acts with [Ada Torn]\tBo Torn|Cy Vell\n",
        {
            "id": "metaqa-2hop-test-0",
            "question": "who acts with Ada Torn",
            "topic_entities": [{"id": "", "name": "Ada Torn"}],
            "answers": [{"id": "", "name": "Bo Torn"}, {"id": "", "name": "Cy Vell"}],
            "hops": 2,
        },
    ),
}


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_every_set_has_a_case():
    assert sorted(CASES) == sorted(QUESTION_SETS)


@pytest.mark.parametrize("name", CASES)
def test_a_published_file_becomes_questions_that_a_run_can_read(name, tmp_path):
    file, text, wanted = CASES[name]
    out = tmp_path / "set.jsonl"
    convert(QUESTION_SETS[name], [put(tmp_path, file, text)], out)
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    assert {key: first.get(key) for key in wanted} == wanted
    question = read_questions(out)[0]
    assert (question.id, question.text) == (first["id"], first["question"])
    assert question.gold == tuple(first["answers"])


def test_what_has_no_gold_or_no_english_text_is_counted(tmp_path):
    count = convert(QUESTION_SETS["cwq"], [put(tmp_path, "a.json", json.dumps(CWQ))], tmp_path / "a.jsonl")
    assert (count.questions, count.without_gold, count.left_out) == (2, 1, 0)
    assert read_questions(tmp_path / "a.jsonl")[1].gold is None
    count = convert(QUESTION_SETS["qald10"], [put(tmp_path, "b.json", json.dumps(QALD))], tmp_path / "b.jsonl")
    assert (count.questions, count.left_out) == (2, 1)
    assert read_questions(tmp_path / "b.jsonl")[1].gold == ({"id": "", "name": "true"},)
    count = convert(QUESTION_SETS["fever"], [put(tmp_path, "c.jsonl", lines(FEVER))], tmp_path / "d.jsonl")
    assert (count.questions, count.without_gold) == (3, 1)


def test_a_gzipped_file_with_a_mark_of_its_encoding_is_read(tmp_path):
    path = tmp_path / "dev.json.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + lines(CREAK).encode()))
    assert convert(QUESTION_SETS["creak"], [path], tmp_path / "x.jsonl").questions == 1


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("creak", lines(CREAK) + '{"ex_id": "x"}\n', "line 2: it is not a record of CREAK: 'sentence' is missing"),
        ("creak", lines(CREAK) + "[1]\n", "line 2: .* not an object"),
        ("creak", lines([{**CREAK[0], "label": "perhaps"}]), "line 1: .* neither true nor false"),
        ("fever", lines([{**FEVER[0], "label": "MAYBE"}]), "line 1: .*label is 'MAYBE'"),
        ("fever", lines(FEVER[:1]) + '{"id": 1,, "claim": "x"}' + " " * 100, "line 2: it is no JSON"),
        ("grailqa", json.dumps(GRAILQA, indent=1)[:-3], r"line \d\d: it is no JSON"),
        ("grailqa", json.dumps(GRAILQA, indent=1)[:-1], "the array has no end"),
        ("webqsp", '{"Version": "1.0"}', "there is no list 'Questions'"),
        ("webqsp", json.dumps({"Questions": [{"QuestionId": "a", "RawQuestion": ""}]}), "RawQuestion is empty"),
        ("cwq", "[" * 200_000, "nested too deeply|it is no JSON"),
        ("cwq", "[" + "9" * 10_000 + "]", "it is no JSON"),
        ("simplequestions", "www.freebase.com/m/1\tb\n", "line 1: .*2 columns instead of 4"),
        ("simplequestions", "a\tb\tc\td\n", "line 1: .*not an address on www.freebase.com"),
        ("kgqagen", '{"id": 1, "question": "q", "answer": ["a"], "proof": ["p"]}', "line 1: .*not a list of three"),
        ("metaqa", "\n\nno answers here\n", "line 3: .*no tab"),
        ("metaqa", "x" * (MOST_LINE + 5), "line 1: it is longer than"),
        ("zero_shot_re", lines([{**ZSRE[0], "input": "no sign"}]), "line 1: .*input is not SUBJECT"),
        ("webquestions", json.dumps([{"utterance": "q", "targetValue": "nonsense"}]), "not a list of descriptions"),
        ("trex", lines([TREX[0], TREX[0]]), "line 2: the question 'trex-a-1' was there before"),
    ],
)
def test_a_broken_file_is_refused_with_the_line_and_leaves_nothing(name, text, said, tmp_path):
    path = put(tmp_path, "broken.json", text)
    out = tmp_path / "set.jsonl"
    with pytest.raises(FormatError, match=said):
        convert(QUESTION_SETS[name], [path], out)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_other_bytes_and_missing_files_are_said(tmp_path):
    (tmp_path / "x.json").write_bytes(b'[{"a": "\xff\xfe"}]')
    with pytest.raises(FormatError, match="cannot be read"):
        list(json_records(tmp_path / "x.json"))
    (tmp_path / "y.json.gz").write_bytes(gzip.compress(lines(CREAK).encode())[:-12])
    with pytest.raises(FormatError, match="cannot be read"):
        list(json_records(tmp_path / "y.json.gz"))
    with pytest.raises(NotFoundError):
        list(json_records(tmp_path / "none.json"))


def test_a_record_that_never_ends_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("hydra_kg.evaluate.public_questions.file_records.MOST_CHARACTERS", 1 << 18)
    path = put(tmp_path, "long.json", '[{"text": "' + "x" * (1 << 20))
    with pytest.raises(FormatError, match="line 1: the record is longer than"):
        list(json_records(path))


def test_records_are_read_one_by_one_wherever_the_text_is_cut(tmp_path, monkeypatch):
    records = [{"n": n, "text": 'a "quoted" \\ word é' * (n % 7), "list": [1.5, -2, None, True]} for n in range(60)]
    for indent in (None, 2):
        path = put(tmp_path, "many.json", json.dumps({"other": [{}], "data": records, "end": 1}, indent=indent))
        for chunk in (1, 7, 64, 1 << 16):
            monkeypatch.setattr("hydra_kg.evaluate.public_questions.file_records._CHUNK", chunk)
            found = list(json_records(path, key="data"))
            assert [row.value for row in found] == records
            assert [row.number for row in found] == list(range(60))
    text = path.read_text().splitlines()
    assert all(text[row.line - 1].strip() == "{" for row in found)


@pytest.mark.parametrize(
    "path, split",
    [
        ("WebQSP.train.json", "train"),
        ("3-hop/vanilla/qa_dev.txt", "dev"),
        ("test/part.json", "test"),
        ("qald.json", ""),
    ],
)
def test_the_split_is_told_by_the_name(path, split, tmp_path):
    assert split_of(tmp_path / "sub" / path) == split
