"""Every metric against examples worked by hand."""

from __future__ import annotations

import gzip
import json
import math

import pytest

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.questions.datasets import Answerable, read_answerable, read_questions
from hydra_kg.evaluate.scoring.metrics import matches, score
from hydra_kg.evaluate.scoring.statistics import bootstrap_paired, estimate, mcnemar


def given(*answers: dict, text: str | None = None, **more: object) -> dict:
    names = ", ".join(str(a.get("name", "")) for a in answers)
    return {"answers": list(answers), "answer_text": names if text is None else text, "abstained": not answers, **more}


def entity(key: str, name: str = "", *others: str) -> dict:
    return {"id": key, "name": name, "ids": [key, *others]}


OBAMA, BIDEN = {"id": "m.1", "name": "Barack Obama"}, {"id": "m.2", "name": "Joe Biden"}


def test_sets_by_hand():
    # Three answers, two of them among four gold ones: P 2/3, R 2/4, F1 = 2·(2/3)(1/2)/(2/3 + 1/2) = 4/7.
    gold = [{"id": f"m.{i}", "name": f"gold {i}"} for i in range(1, 5)]
    scores = score(given(entity("m.9", "wrong"), entity("m.1", "gold 1"), entity("m.2", "gold 2")), gold)
    assert scores == pytest.approx(
        {
            "hits1": 0,
            "precision": 2 / 3,
            "recall": 0.5,
            "f1": 4 / 7,
            "recall_at_5": 0.5,
            "paper_match": 1,
            "answered": 1,
        }
    )


def test_first_answer_decides_hits():
    assert score(given(entity("m.2"), entity("m.1")), [OBAMA])["hits1"] == 0
    assert score(given(entity("m.1"), entity("m.2")), [OBAMA])["hits1"] == 1


@pytest.mark.parametrize(
    "answer, gold, same",
    [
        (entity("m.1", "other name"), OBAMA, True),
        (entity("m.9", "Barack Obama"), OBAMA, False),  # a namesake is not the gold entity
        (entity("m.9", "x", "m.1"), OBAMA, True),  # a member of its same-as class is
        ({"id": None, "name": "barack  OBAMA", "ids": []}, OBAMA, True),  # from text: no id to compare
        ({"id": None, "name": "Obama", "ids": []}, OBAMA, False),  # strict: no containment
        (entity("m.7", "?"), {"id": "", "name": "2014 World Series", "candidate_ids": ["m.7"]}, True),
        (entity("m.8", "2014 World Series"), {"id": "", "name": "2014 World Series", "candidate_ids": ["m.7"]}, True),
        (entity("m.8", "2010 World Series"), {"id": "", "name": "2014 World Series", "candidate_ids": ["m.7"]}, False),
        (entity("m.3", "Málaga"), {"id": "", "name": "malaga"}, True),
        (entity("m.3", "JFK"), {"id": "", "name": "John F. Kennedy", "aliases": ["J.F.K.", "JFK"]}, True),
        ({"id": None, "name": "13 October", "value": '"1971-10-13"^^xsd:date'}, {"id": "", "name": "1971-10-13"}, True),
        ({"id": None, "name": "Oct", "value": '"say ""hi"""'}, {"id": "", "name": "x"}, False),
        ({"id": None, "name": ""}, {"id": "", "name": ""}, False),
    ],
)
def test_an_answer_is_a_gold_answer_strictly(answer, gold, same):
    assert matches(answer, gold) is same


@pytest.mark.parametrize(
    "said, gold, same",
    [
        ("1516-06-12", "12 June 1516", True),
        ("11 February 1929", "1929-02-11T00:00:00Z", True),
        ("May 11, 1981", "1981-05-11", True),
        ("+1981-05-11T00:00:00Z", "11 May 1981", True),
        ("12 June 1517", "1516-06-12", False),
        ("June 1516", "1516-06-12", False),
        ("1516", "12 June 1516", False),
        ("30 February 1929", "30 February 1929", True),
        ("30 February 1929", "1929-02-28", False),
    ],
)
def test_a_day_is_the_same_however_it_is_written(said, gold, same):
    assert matches({"id": None, "name": said, "ids": []}, {"id": "", "name": gold}) is same


@pytest.mark.parametrize(
    "claim, gold, hit",
    [("true", "SUPPORTS", 1), ("false", "REFUTES", 1), ("true", "false", 0), ("unknown", "NOT ENOUGH INFO", 1)],
)
def test_claims_are_compared_as_truth_values(claim, gold, hit):
    answer = given(entity("m.5", "noise"), claim=claim)
    assert score(answer, [{"id": "", "name": gold}])["hits1"] == hit


@pytest.mark.parametrize(
    "text, right",
    [
        ("It was Barack Obama.", 1),  # contains a gold name
        ("obama", 1),  # is contained in one
        ("BarackObama", 1),  # spaces do not count
        ("Joe", 0),
    ],
)
def test_paper_match_is_two_way_containment(text, right):
    assert score(given(entity("m.9", text), text=text), [OBAMA])["paper_match"] == right


def test_an_empty_answer_is_wrong_even_for_paper_match():
    assert score(given(), [OBAMA]) == dict.fromkeys(
        ("hits1", "precision", "recall", "f1", "recall_at_5", "paper_match", "answered"), 0.0
    )
    assert score(given(entity("m.9", ""), text=""), [OBAMA])["paper_match"] == 0
    assert score(given(entity("m.9", "x"), text="x"), [{"id": "Q1", "name": ""}])["paper_match"] == 0


def test_a_question_without_gold_is_right_when_nothing_is_answered():
    assert score(given(), [])["f1"] == 1
    assert score(given(OBAMA), [])["f1"] == 0


def test_a_failed_question_scores_nothing():
    assert set(score({"error": "boom"}, [OBAMA]).values()) == {0.0}


def test_interval_of_a_mean():
    values = [1.0] * 60 + [0.0] * 40
    e = estimate(values, seed=1)
    # Normal approximation: 0.6 ± 1.96 · sqrt(0.6 · 0.4 / 100) = 0.6 ± 0.096.
    assert (e.mean, e.n) == (0.6, 100)
    assert e.low == pytest.approx(0.504, abs=0.02)
    assert e.high == pytest.approx(0.696, abs=0.02)
    assert estimate(values, seed=1) == e
    assert estimate([]).n == 0
    none = estimate([0.0] * 6)  # Wilson by hand: 0 and 1.96² / (6 + 1.96²)
    assert (none.low, none.high) == (pytest.approx(0, abs=1e-9), pytest.approx(0.3903, abs=1e-4))
    constant = estimate([0.5] * 7)
    assert (constant.low, constant.high) == (0.5, 0.5)


def test_paired_bootstrap_knows_noise_from_gain():
    a = [float(i % 2) for i in range(200)]
    same = bootstrap_paired(a, list(a))
    assert (same.mean, same.p) == (0.0, 1.0)
    noise = bootstrap_paired(a, a[1:] + a[:1], seed=3)  # as many won as lost
    assert noise.p > 0.5
    gain = bootstrap_paired(a, [1.0] * 200, seed=3)
    assert gain.mean == 0.5
    assert gain.p < 0.01
    assert gain.low > 0.4
    assert bootstrap_paired(a, [1.0] * 200, seed=3) == gain
    with pytest.raises(ValueError, match="same questions"):
        bootstrap_paired([1.0], [])


def test_mcnemar_by_hand():
    # 2 against 8 of 10: 2 · (1 + 10 + 45) / 1024.
    assert mcnemar(2, 8) == pytest.approx(112 / 1024)
    assert mcnemar(8, 2) == mcnemar(2, 8)
    assert mcnemar(0, 0) == mcnemar(5, 5) == 1
    assert math.isfinite(mcnemar(2000, 2500))


def write(path, *docs, packed=False):
    text = "".join(json.dumps(d) + "\n" for d in docs)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return path


QUESTIONS = [
    {"id": f"q{i}", "question": f"what is {i}?", "topic_entities": [{"id": f"m.{i}"}], "answers": [OBAMA]}
    for i in range(50)
]


@pytest.mark.parametrize("packed", [False, True])
def test_reads_question_files(tmp_path, packed):
    path = write(tmp_path / ("set.jsonl.gz" if packed else "set.jsonl"), *QUESTIONS, packed=packed)
    questions = read_questions(path)
    assert [q.key for q in questions] == [("set", f"q{i}") for i in range(50)]
    assert questions[3].topics == ("m.3",)
    assert questions[3].gold == (OBAMA,)


def test_a_draw_is_seeded_and_keeps_the_order(tmp_path):
    path = write(tmp_path / "set.jsonl", *QUESTIONS)
    draws = [[q.id for q in read_questions(path, limit=10, seed=s)] for s in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert sorted(draws[0], key=lambda k: int(k[1:])) == draws[0]
    assert len(read_questions(path, limit=500)) == 50


def test_finds_sets_by_name(tmp_path, monkeypatch):
    (tmp_path / "questions" / "dev").mkdir(parents=True)
    write(tmp_path / "questions" / "dev" / "webqsp.jsonl", *QUESTIONS[:2])
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    assert len(read_questions("webqsp")) == 2
    with pytest.raises(NotFoundError, match="no question file nothing"):
        read_questions("nothing")


@pytest.mark.parametrize(
    "line", ["not json", "[]", '{"id": "x"}', '{"question": "x"}', '{"id": 1, "question": "x", "answers": [1]}']
)
def test_a_line_that_is_no_question_is_named(tmp_path, line):
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(QUESTIONS[0]) + "\n" + line + "\n")
    with pytest.raises(FormatError, match=r"set\.jsonl:2"):
        read_questions(path)


def test_the_same_id_twice_is_refused(tmp_path):
    with pytest.raises(FormatError, match="twice"):
        read_questions(write(tmp_path / "set.jsonl", QUESTIONS[0], QUESTIONS[0]))


def test_reads_what_a_slice_can_answer(tmp_path):
    path = tmp_path / "answerable.tsv"
    path.write_text(
        "dataset\tpart\tid\thops_core\tgold_sparql_f1_core\n"
        "s\tdev\ta\t1\t0\ns\tdev\tb\t3\t0.5\ns\tdev\tc\tNone\tNone\ns\tdev\td\t0\t1\ns\tdev\te\t4\t\n"
    )
    assert read_answerable(path) == {
        ("s", "a"): Answerable(True, False),
        ("s", "b"): Answerable(True, True),
        ("s", "c"): Answerable(False, False),
        ("s", "d"): Answerable(False, True),
        ("s", "e"): Answerable(False, False),
    }
    with pytest.raises(FormatError, match="hops_core"):
        read_answerable(write(tmp_path / "x.tsv", {}))
