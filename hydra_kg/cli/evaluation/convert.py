"""Define ``hydra-kg eval convert`` and ``describe``: bring published sets into our layout, and count what they hold."""

from __future__ import annotations

from pathlib import Path

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, note, out, out_all, table


@click.command(epilog="Example: hydra-kg eval convert webqsp WebQSP.test.json --out webqsp_test.jsonl")
@click.argument("name", metavar="SET", required=False)
@click.argument("files", nargs=-1, metavar="FILE...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    "target",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The question file (.jsonl), or for a set of claims the folder, to write.",
)
@click.option("--list", "listing", is_flag=True, help="List the sets and the files of each.")
@json_option
@debug_option
def convert(name: str | None, files: tuple[Path, ...], *, target: Path | None, listing: bool, as_json: bool) -> None:
    """Convert the published FILEs of SET to what eval run, or for claims eval fusion, takes.

    FILEs may be gzipped; unpack other archives first. They are read piece by piece, and a record of another kind is an
    error that names its line. A set of questions has the name of the file that is written. docs/data.md lists where
    each set is published and under which licence.
    """
    from hydra_kg.evaluate.public_claims.claim_formats import CLAIM_SETS
    from hydra_kg.evaluate.public_claims.claims_layout import convert as convert_claims
    from hydra_kg.evaluate.public_questions.questions_layout import convert as convert_questions
    from hydra_kg.evaluate.public_questions.registry import QUESTION_SETS

    if listing:
        sets = [("set", "writes", "files")]
        sets += [(s.name, "questions", s.files) for s in QUESTION_SETS.values()]
        sets += [(s.name, "claims", s.files) for s in CLAIM_SETS.values()]
        out_all(table(sets))
        return
    if name is None or (name not in QUESTION_SETS and name not in CLAIM_SETS):
        known = ", ".join((*QUESTION_SETS, *CLAIM_SETS))
        raise click.UsageError(f"There is no set {name!r}. Sets: {known}." if name else f"Name a SET: {known}.")
    if not files or target is None:
        raise click.UsageError("Name the published FILEs, and with --out what is to be written.")
    if name in CLAIM_SETS:
        if target.is_file():
            raise click.UsageError(f"{target} is a file: a set of claims becomes a folder.")
        done = dict(convert_claims(CLAIM_SETS[name], files, target))
    else:
        if target.is_dir() or ".jsonl" not in target.suffixes[-2:]:
            raise click.UsageError("--out names a file that ends in .jsonl.")
        count = convert_questions(QUESTION_SETS[name], files, target)
        done = {"questions": count.questions, "without_gold": count.without_gold, "left_out": count.left_out}
    if as_json:
        out(json_text({"set": name, "out": str(target), **done}))
        return
    out(", ".join(f"{value:,} {key.replace('_', ' ')}" for key, value in done.items() if value or key == "questions"))
    note(f"Written: {target}")


@click.command(epilog="Example: hydra-kg eval describe webqsp_test cwq movies")
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@json_option
@debug_option
def describe(sets: tuple[str, ...], *, as_json: bool) -> None:
    """Print the size of each SET, a question file or a set of claims, by name or path.

    For questions: their number, those with gold answers, answers a question and their kind (an entity has an id),
    questions with one topic or several, gold queries and their relations. For claims: sources, entities and claims, by
    the format of the sources if that is known, and queries.
    """
    from hydra_kg.errors import NotFoundError
    from hydra_kg.evaluate.fusion.claim_sets import describe_formats as described_claims
    from hydra_kg.evaluate.fusion.claim_sets import files_of
    from hydra_kg.evaluate.questions.datasets import describe_set, read_questions

    questions, claims = [], []
    for name in sets:
        try:
            read = read_questions(name)
        except NotFoundError as missing:
            try:
                claims += list(described_claims(files_of(name)))
            except NotFoundError:
                raise missing from None
        else:
            questions.append(describe_set(read[0].dataset if read else name, read))
    if as_json:
        out(json_text({"questions": questions, "claims": claims}))
        return
    if questions:
        head = ("set", "answers are", "questions", "gold", "answers", "1 topic", "more", "queries", "relations")
        rows = [
            (
                d["set"],
                "/".join(d["kinds"]) or "–",
                *(f"{d[k]:,}" for k in ("questions", "gold")),
                _mean(d["answers"]),
                *(f"{d[k]:,}" for k in ("single_topic", "multi_topic", "queries")),
                _mean(d["relations"]),
            )
            for d in questions
        ]
        out_all(table([head, *rows], right=tuple(range(2, 9))))
    if claims:
        if questions:
            out("")
        rows = [(c["set"], c["format"] or "all", *(f"{v:,}" for v in list(c.values())[2:])) for c in claims]
        out_all(table([tuple(claims[0]), *rows], right=tuple(range(2, 6))))


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
