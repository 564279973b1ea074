"""Names say what they mean to somebody who knows the field: no private words, no class name for two things, no tuned
number outside the settings."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted([*(ROOT / "hydra_kg").rglob("*.py"), *(ROOT / "loaders" / "hydra_kg_loaders").rglob("*.py")])

PRIVATE = frozenset("held told beside written standing heard face blame stretches tidying voiced".split())
"""Words that meant several things each, and nothing to a reader from outside; docs and comments may use them. So did
``kept`` alone: where, by whom?"""

ALLOWED = {
    "kept": "a field of documents (Evidence.kept in ask --json, counts of lines in the report of a load)",
    "WrittenPath": "a path that an agent writes from text, as HydraRAG App. E says",
}

TUNED = ("steps", "agents", "strategies")
"""Where a number that was tuned belongs among the settings, so that settings.hash() names the behaviour."""

FIXED = {
    "steps/graph/graph_reduction.py:FAR": "infinity of a small integer",
    "steps/linking/given_topics.py:_ALIKE": "a bound that is no setting: per cent of letters",
    "steps/linking/given_topics.py:_alike": "all letters, in per cent",
    "steps/linking/own_names.py:_SIMILAR": "a bound that is no setting: per cent of letters",
    "steps/operators/relations/grouping.py:EQUAL": "cosine of a text with itself, but for rounding",
    "steps/operators/results/spans.py:CLOSE": "rounding of stated numbers",
    "steps/operators/results/spans.py:DAY": "a day in years",
    "steps/operators/results/spans.py:MONTH": "a month in years",
    "steps/operators/values/attributes.py:_TALLEST": "metres, over which nobody is tall",
    "steps/operators/values/attributes.py:_FEET": "what no height in centimetres is below",
    "steps/crosscheck/by_model.py:READ": "the greatest likeness there is, of what a model quoted word for word",
    "steps/crosscheck/values.py:NEAR": "rounding of stated numbers",
    "steps/relevance/path_relevance.py:CEILING": "part of the shipped weights of confidence",
    "steps/relevance/path_relevance.py:SHARP": "part of the shipped weights of relevance",
    "steps/text/text_ranking.py:K1": "BM25",
    "steps/text/text_ranking.py:B": "BM25",
    "steps/verification/relation_competition.py:SAME": "part of the shipped weights of confidence",
    "steps/verification/verify.py:ALPHAS": "HydraRAG App. C",
    "steps/verification/verify.py:SUPPORTED": "the table of the published code",
    "agents/confidence_model.py:LIMIT": "where a probability is rounded to 1",
    "agents/planning/comparisons.py:_tested": "the moment before a year begins",
    "agents/replies/lenient_parsing.py:count": "bounds of what a reply may say",
    "agents/replies/lenient_parsing.py:score": "the scale of a score that a reply gives",
    "steps/operators/results/spans.py:exact": "a day in years, but for rounding",
    "steps/queries/measures.py:interval": "the moment before a year ends",
    "steps/tables/query.py:whole": "per cent",
    "strategies/two_readings.py:_surer": "what keeps a logarithm finite",
    "strategies/rivals/metarag.py:similarity": "MetaRAG §4, a parameter of the strategy",
    "strategies/tog2/strategy.py:threshold": "ToG-2 §4.3, a parameter of the strategy",
    "strategies/tog2/strategy.py:alpha": "of ToG-2 Eq. 6, where the paper gives none: a parameter of the strategy",
}
"""Fractions that may stand in a module, by the constant, field or function that has them, and why."""

PLAIN = (-1.0, 0.0, 0.5, 1.0, 2.0)
"""Numbers that decide nothing by how large they are: none, all, half, twice."""

ROUNDING = 1e-6
"""Differences up to this make up for rounding."""


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix().removeprefix("hydra_kg/")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def identifiers(tree: ast.Module) -> Iterator[tuple[str, int, bool]]:
    """All names that are made, each with its line and whether documents show it: fields of classes, parameters."""
    fields = {
        id(n.target) for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for n in c.body if hasattr(n, "target")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno, isinstance(node, ast.ClassDef)
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno, True
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno, id(node) in fields
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno, False


def private(path: Path) -> list[str]:
    found = []
    for name, line, shown in identifiers(tree(path)):
        words = {w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
        if (words & PRIVATE or name.strip("_") == "kept") and not (shown and name in ALLOWED):
            found.append(f"{relative(path)}:{line}: {name}")
    return found


def test_no_name_is_a_private_word():
    assert [name for path in MODULES for name in private(path)] == []


@pytest.mark.parametrize(
    "text, count",
    [
        ("def f(x):\n    kept = [x]\n    return kept\n", 1),
        ("class A:\n    kept: int\n    standing: int\n", 1),
        ("def told(held): ...\n", 2),
        ("class WrittenPath: ...\nclass Bystanding: ...\nheading = 1\n", 0),
        ("self._beside = 1\n", 1),
    ],
)
def test_the_test_sees_every_kind_of_name(tmp_path, monkeypatch, text, count):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "m.py").write_text(text)
    assert len(private(tmp_path / "m.py")) == count


def test_a_class_name_is_one_thing():
    places = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(relative(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def fractions(path: Path) -> Iterator[str]:
    """Constants of a module that are, or hold, a number between whole ones."""
    for node in tree(path).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        if any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in ast.walk(node.value)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        yield f"{relative(path)}:{name.id}"


def tuned(value: object) -> bool:
    """Whether a constant may be a weight, cost or threshold."""
    return isinstance(value, float) and value not in PLAIN and not 0 < value <= ROUNDING


def inline(path: Path) -> Iterator[str]:
    """Functions, and fields of classes, with a number in them that is neither plain nor made for rounding."""

    def numbers(node: ast.AST, owner: str) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            owner = node.name
        elif isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.Assign | ast.AnnAssign):
                    target = field.targets[0] if isinstance(field, ast.Assign) else field.target
                    yield from numbers(field, ast.unparse(target))
                else:
                    yield from numbers(field, owner)
            return
        elif owner and isinstance(node, ast.Constant) and tuned(node.value):
            yield f"{relative(path)}:{owner}"
        for inner in ast.iter_child_nodes(node):
            yield from numbers(inner, owner)

    yield from numbers(tree(path), "")


def test_tuned_numbers_are_settings():
    paths = [path for path in MODULES if relative(path).startswith(TUNED)]
    found = {name for path in paths for name in (*fractions(path), *inline(path))}
    found = {name for name in found if not name.startswith("steps/crosscheck/values.py:_SCALE")}
    assert found - set(FIXED) == set(), "a weight, cost or threshold belongs in hydra_kg/settings"
    made = {f"{relative(path)}:{name}" for path in paths for name, *_ in identifiers(tree(path))}
    assert set(FIXED) - made == set(), "no longer there"


@pytest.mark.parametrize(
    "text, names",
    [
        ("def f(x):\n    return x + 0.16\n", ["f"]),
        ("def f(x, weight=0.3): ...\n", ["f"]),
        ("def f(x):\n    return max(0.0, 1.0 - x / 2.0) > 0.5 + 1e-9\n", []),
        ("def f(xs):\n    def g(x):\n        return -0.12 if x else 0.5\n    return max(xs, key=g)\n", ["g"]),
        ("def f(xs):\n    return max(xs, key=lambda x: 0.25 * x)\n", ["f"]),
        ("class A:\n    weight: float = 0.4\n    async def f(self):\n        return 9.0\n", ["weight", "f"]),
    ],
)
def test_the_test_sees_a_number_in_a_function_or_a_field(tmp_path, monkeypatch, text, names):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "m.py").write_text(text)
    assert list(inline(tmp_path / "m.py")) == [f"m.py:{name}" for name in names]
