"""``eval convert`` and ``eval describe``: files made, counted and refused, as a person meets it."""

from __future__ import annotations

import gzip
import json

import pytest
from click.testing import CliRunner

from hydra_kg.cli.main import main

FILM = "who acts with [Ada Torn]\tBo Torn|Cy Vell\nwhen was [Low Water] released\t1999\n"


def call(*words):
    return CliRunner().invoke(main, ["eval", *map(str, words)])


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "1-hop" / "qa_test.txt"
    path.parent.mkdir()
    path.write_text(FILM)
    return path


def test_converted_questions_are_described(published, tmp_path):
    out = tmp_path / "metaqa_test.jsonl"
    result = call("convert", "metaqa", published, "--out", out)
    assert result.exit_code == 0, result.output
    assert "2 questions" in result.stdout
    doc = json.loads(call("describe", out, "--json").stdout)
    assert doc["questions"] == [
        {
            "set": "metaqa_test",
            "questions": 2,
            "gold": 2,
            "answers": 1.5,
            "kinds": {"Date": 1, "Text": 1},
            "single_topic": 0,
            "multi_topic": 0,
            "queries": 0,
            "relations": None,
        }
    ]
    assert "Date/Text" in call("describe", out).stdout


def test_a_set_of_claims_is_described_by_format(tmp_path):
    folder = tmp_path / "prices"
    folder.mkdir()
    with gzip.open(folder / "claims.tsv.gz", "wt") as file:
        file.write("source\tentity\tvalue\na\tX\t1\na\tY\t2\nb\tX\t1\nhidden\tX\t9\n")
    (folder / "queries.jsonl").write_text(json.dumps({"id": "1", "entity": "X", "attribute": "", "gold": ["1"]}))
    (folder / "set.toml").write_text('rule = "numbers"\nleft_out = ["hidden"]\n[formats]\nJSON = ["a"]\nCSV = ["b"]\n')
    rows = json.loads(call("describe", folder, "--json").stdout)["claims"]
    assert [tuple(row.values()) for row in rows] == [("prices", "JSON", 1, 2, 2, 1), ("prices", "CSV", 1, 1, 1, 1)]
    shown = call("describe", folder)
    assert shown.exit_code == 0
    assert "relations" in shown.stdout


def test_sets_and_their_files_are_listed():
    shown = call("convert", "--list").stdout
    assert "webqsp" in shown
    assert "WebQSP.test.json" in shown
    assert "nasdaq_truth" in shown


@pytest.mark.parametrize(
    "words, said",
    [
        (["convert"], "Name a SET: webqsp"),
        (["convert", "nosuch"], "There is no set 'nosuch'"),
        (["convert", "metaqa", "FILE"], "with --out"),
        (["convert", "metaqa", "FILE", "--out", "questions.txt"], "ends in .jsonl"),
        (["convert", "movies", "FILE", "--out", "FILE"], "becomes a folder"),
        (["describe", "nosuch"], "no question file nosuch"),
    ],
)
def test_a_wrong_call_says_what_to_write(words, said, published):
    result = call(*(published if word == "FILE" else word for word in words))
    assert result.exit_code != 0
    assert said in result.output


def test_a_broken_file_names_the_line(published, tmp_path):
    published.write_text(FILM + "nothing here\n")
    result = call("convert", "metaqa", published, "--out", tmp_path / "x.jsonl")
    assert result.exit_code == 1
    assert "qa_test.txt, line 3: it is not a record of MetaQA: no tab between question and answers" in result.output
    assert not (tmp_path / "x.jsonl").exists()
