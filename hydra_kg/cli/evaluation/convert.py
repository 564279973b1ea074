"""Define ``hydra-kg eval convert``: convert published question sets and sets of claims to this project's layout."""

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
    from hydra_kg.evaluate.public_claims.claims_layout import convert as convert_claims
    from hydra_kg.evaluate.public_claims.registry import CLAIM_SETS
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
