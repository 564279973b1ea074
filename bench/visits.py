"""Count what one question visits, and how large the code is: packages, modules, functions, lines, settings, word lists.

    python bench/visits.py [--question "who directed inception"] [--store STORE] [--json] [--log TEXT]

Without ``--store`` the sample is loaded into a temporary store first, and its vectors and names are indexed, as the
first question would do. A visit is a call of a function of `hydra_kg` or the loaders between asking and the answer, in
any thread. ``--log`` appends the counts to `bench/results/size.jsonl`.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pydantic import BaseModel

from bench.measure import ROOT, append_to_log
from hydra_kg import Hydra, Settings
from hydra_kg.util.package_data import find_content

PRODUCT = (ROOT / "hydra_kg", ROOT / "loaders")
ANSWERING = ("agents", "steps", "strategies", "questions", "extract", "dialogue", "plan", "language")
"""The packages that read and answer questions."""
LOG = ROOT / "bench" / "results" / "size.jsonl"
QUESTION = "who directed inception"


def count_visits(run: Callable[[], object]) -> dict[str, int]:
    """Return the number of packages, modules and functions of the product that run during a call, in all threads."""
    seen: set[tuple[str, str]] = set()
    roots = tuple(f"{root}/" for root in PRODUCT)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED  # neither a module nor a class body
        if event == "call" and is_function and code.co_filename.startswith(roots):
            seen.add((code.co_filename, code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    files = {Path(file) for file, _ in seen}
    return {"packages": len({f.parent for f in files}), "modules": len(files), "functions": len(seen)}


def count_code() -> dict[str, int]:
    """Return lines and settings of the product; of the answering packages lines, regular expressions and words.

    Rows of all word lists of `hydra_kg` count, wherever they lie; tables of the loaders describe formats.
    """
    modules = [path for root in PRODUCT for path in sorted(root.rglob("*.py"))]
    lists = [p for p in sorted(PRODUCT[0].rglob("*.tsv")) if p.parent.name != "wording"]  # sentences decide no answer
    answering = [path for path in modules if _is_answering(path)]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in answering]
    return {
        "lines": sum(map(_lines, modules)),
        "answering_lines": sum(map(_lines, answering)),
        "settings": count_settings(Settings),
        "regular_expressions": sum(map(_compiled, trees)) + sum(map(_patterns, lists)),
        "lexicon_rows": sum(map(_lines, lists)),
        "words_in_python": sum(map(_words, trees)),
    }


def count_settings(group: type[BaseModel]) -> int:
    """Return the number of fields, those of nested groups counted one by one."""
    total = 0
    for field in group.model_fields.values():
        inner = field.annotation
        nested = isinstance(inner, type) and issubclass(inner, BaseModel)
        total += count_settings(inner) if nested else 1
    return total


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _is_answering(path: Path) -> bool:
    return path.is_relative_to(PRODUCT[0]) and path.relative_to(PRODUCT[0]).parts[0] in ANSWERING


def _compiled(tree: ast.AST) -> int:
    """Return the calls of functions of `re` in a module, compiled or not."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in {"compile", "match", "search", "sub", "split", "findall", "finditer", "fullmatch"}
        for node in ast.walk(tree)
    )


def _patterns(path: Path) -> int:
    """Return the rows of a word list that hold a regular expression."""
    signs = ("(?:", "(?P", "\\b", "\\w", "\\d", ".*", ".+", "[^")
    return sum(any(sign in line for sign in signs) for line in path.read_text(encoding="utf-8").splitlines())


def _words(tree: ast.AST) -> int:
    """Return the words in the constant collections of at least five words that a module assigns at its top level."""
    return sum(len(words) for statement in ast.iter_child_nodes(tree) for words in _word_tables(statement))


def _word_tables(statement: ast.AST) -> Iterator[list[str]]:
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return
    split = any(map(_is_split, ast.walk(statement.value)))
    texts = [n.value for n in ast.walk(statement.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    words = [w for text in texts for w in (text.split() if split else [text]) if w.isalpha() and w.islower()]
    if len(words) >= 5:
        yield words


def _is_split(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--store", default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--log", default="", help="append the counts to the log, with this remark")
    options = parser.parse_args()
    counts: dict[str, Any] = {"question": options.question, **_visited(options.question, options.store), **count_code()}
    print(json.dumps(counts) if options.json else "\n".join(f"{name}: {count}" for name, count in counts.items()))
    if options.log:
        append_to_log(LOG, options.log, counts)


def _visited(question: str, store: str) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as scratch, Hydra(store=store or scratch, agent="offline") as hydra:
        if not store:
            hydra.load(*(p for p in find_content("sample").iterdir() if p.name.endswith((".nt.gz", "passages.jsonl"))))
            hydra.reasoner.warm()
        return count_visits(lambda: hydra.ask(question, keep=False))


if __name__ == "__main__":
    main()
