"""Define ``hydra-kg match``: find rows of two feeds about one thing; show them before writing, review, undo."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli import completing
from hydra_kg.cli.matching.match_output import document, format_count, preview_lines, question_lines
from hydra_kg.cli.options import common_options, done_before, file_option, settings_from, store_with, yes_option
from hydra_kg.cli.terminal import confirm_or_abort, json_text, note, out, out_all, store_suffix
from hydra_kg.errors import AlreadyDoneError
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.match.match_run import Matcher
    from hydra_kg.match.model import Matching, Pair
    from hydra_kg.stores.embedded.operations.abilities import Backupable

SERVER = "Feeds are matched in a store in a folder."
REMEDY = "Load them into one, match there, then hydra-kg db copy."


class _PairsByDefault(click.Group):
    """A group in which ``match FEED FEED2`` means ``match pairs FEED FEED2``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments: see :class:`click.Group`."""
        if args and args[0] not in {*self.commands, *self.get_help_option_names(ctx)}:
            args = ["pairs", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_PairsByDefault, short_help="Link rows of two feeds that describe the same thing.")
def match() -> None:
    """Find rows of feeds that describe the same thing under several names, and link them.

    hydra-kg match FEED FEED2 shows what it would link and why; the feeds themselves are not changed. It needs the extra
    match: pip install 'hydra-kg[match]'.
    """


def _feeds(function: Any) -> Any:
    first = click.argument("feed", shell_complete=completing.sources)
    return first(click.argument("feed2", required=False, default="", shell_complete=completing.sources)(function))


threshold_option = click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=None,
    metavar="P",
    show_default="the highest expected F1 across two feeds; 0.5 within one feed or after ten labels",
    help="Link pairs of at least this probability.",
)


@match.command("pairs", epilog="Example: hydra-kg match shop-a shop-b")
@_feeds
@threshold_option
@file_option("--out", "file", text="Write the pairs to this file as well, one JSON object a line.")
@yes_option
@common_options
def pairs(
    *, feed: str, feed2: str, threshold: float | None, file: Path | None, yes: bool, store: str, as_json: bool
) -> None:
    """Compare the rows of FEED and FEED2, and link those that are one thing.

    Shows the columns used, the number of pairs, and examples above and below the threshold. Then it asks, or with --yes
    writes, the links as a load of their own, match-FEED-FEED2, which replaces an earlier one. A row is linked to one
    row of the other feed at most; one that fits several equally well is listed and not linked. With FEED alone its own
    repeated rows are found.
    """
    from hydra_kg.match.same_as_links import drop_joined_rows, lines, links_file, load_name, sides_of

    feeds = _parse_feeds(feed, feed2)
    settings = settings_from(store=store)
    with _matching(settings.store, feeds, threshold) as (folder, matcher, found):
        sides = sides_of(matcher.pinned, feeds) if len(feeds) > 1 else {}
        accepted = drop_joined_rows(found, found.accepted, matcher.pinned, rows=sides)
        ends = [i for pair in accepted for i in (pair.left, pair.right)]
        links = list(lines(found, accepted, dict(zip(ends, matcher.keys(ends), strict=True))))
        shown = preview_lines(found, matcher, accepted=accepted, at=store_suffix(store))
        doc = document(found, matcher, accepted=accepted)
        if not as_json:
            out_all(shown)
    if file is not None:
        file.write_text("".join(links), "utf-8")
        note(f"Wrote {format_count(len(links), 'pair')} to {file}.")
    name = load_name(feeds)
    if not accepted or not (yes or _confirm_links(len(accepted), name, as_json=as_json)):
        if as_json:
            out(json_text({**doc, "load": None}))
        elif not accepted:
            out("Nothing to link. Lower the threshold with `--threshold P`, or label pairs first:")
            out(f"hydra-kg match review {clean(' '.join(feeds))}{store_suffix(store)}")
        return
    place = links_file(folder, feeds)
    _load_links(settings, place, links, name)
    if as_json:
        out(json_text({**doc, "load": name, "file": str(place)}))
    else:
        out(f"Wrote {format_count(len(accepted), 'link')} as {clean(name)}. The reasons for each are in {place}.")
        out(f"Remove them with: hydra-kg match undo {clean(' '.join(feeds))}{store_suffix(store)}")


@match.command("review", epilog="Example: hydra-kg match review shop-a shop-b --most 20")
@_feeds
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Ask N pairs at most.")
@common_options
def review(*, feed: str, feed2: str, most: int, store: str, as_json: bool) -> None:
    """Label the pairs nearest the threshold: the same, not the same, or skip.

    Your labels are stored next to the store, one JSON object a line. The next hydra-kg match of these feeds links these
    pairs as you said. From ten labels of both kinds on, it also learns from them how much each column counts.
    """
    from hydra_kg.match.pair_labels import nearest_pairs, read_labels, write_labels
    from hydra_kg.match.same_as_links import labels_file

    feeds = _parse_feeds(feed, feed2)
    with _matching(settings_from(store=store).store, feeds, None) as (folder, matcher, found):
        place = labels_file(folder, feeds)
        known = read_labels(place)
        asked = nearest_pairs(found, matcher.keys, known=set(known), most=most)
        said = list(write_labels(place, _answers(found, matcher, asked)))
    same = sum(same for _, _, same in said)
    if as_json:
        out(json_text({"file": str(place), "labels": len(known) + len(said), "same": same, "new": len(said)}))
    else:
        out(f"Saved {format_count(len(said), 'label')} ({same} the same); {len(known) + len(said)} in all in {place}.")
        out(f"Link with them: hydra-kg match {clean(' '.join(feeds))}{store_suffix(store)}")


@match.command("undo", epilog="Example: hydra-kg match undo shop-a shop-b")
@_feeds
@yes_option
@common_options
def undo(*, feed: str, feed2: str, yes: bool, store: str, as_json: bool) -> None:
    """Remove the links of FEED and FEED2. The labels of your reviews stay."""
    from hydra_kg.match.same_as_links import links_file, load_name
    from hydra_kg.stores import open_store, store_path

    feeds = _parse_feeds(feed, feed2)
    name = load_name(feeds)
    if not yes:
        confirm_or_abort(f"Remove the links of {clean(name)}?", remedy="Remove them with `--yes`.")
    settings = settings_from(store=store)
    file = links_file(store_path(settings.store), feeds)
    with closing(open_store(settings.store)) as opened, done_before(as_json=as_json):
        try:
            counts = opened.drop(name)
        except AlreadyDoneError:
            file.unlink(missing_ok=True)  # of a run that was killed between the two
            raise
    file.unlink(missing_ok=True)
    out(json_text(dict(counts)) if as_json else f"The links of {clean(name)} are gone.")


def _parse_feeds(feed: str, feed2: str) -> tuple[str, ...]:
    return (feed, feed2) if feed2 and feed2 != feed else (feed,)


@contextmanager
def _matching(address: str, feeds: Sequence[str], threshold: float | None) -> Iterator[tuple[Path, Matcher, Matching]]:
    """Yield the store's folder, the matcher, and its result."""
    from hydra_kg.match.match_run import Matcher
    from hydra_kg.match.pair_labels import read_labels
    from hydra_kg.match.same_as_links import labels_file
    from hydra_kg.stores.embedded.operations.abilities import Backupable

    ability: type[Backupable] = Backupable
    with (
        store_with(ability, address, SERVER, REMEDY) as opened,
        opened.pin() as pinned,
        TemporaryDirectory() as scratch,
        closing(Matcher(pinned, feeds, Path(scratch))) as matcher,
    ):
        note(f"Comparing {' and '.join(map(clean, feeds))}")
        said = read_labels(labels_file(opened.path, feeds))
        yield opened.path, matcher, matcher.run(said, threshold=threshold)


def _confirm_links(count: int, name: str, *, as_json: bool) -> bool:
    if as_json or not sys.stdin.isatty():
        note("No links were written. Write them with `--yes`.")
        return False
    return click.confirm(f"Write {format_count(count, 'same-as link')} as {clean(name)}?", default=False, err=True)


def _load_links(settings: Any, place: Path, links: Sequence[str], name: str) -> None:
    from hydra_kg.client import Hydra
    from hydra_kg.match.same_as_links import write_links

    with Hydra(settings=settings, warn=note) as hydra:
        hydra.load(write_links(place, links), format="matches", source=name, replace=True)


def _answers(found: Matching, matcher: Matcher, asked: Sequence[Pair]) -> Iterator[tuple[str, str, bool]]:
    """Yield (left id, right id, whether they are the same) as a person decides about each pair."""
    rows = matcher.rows(i for pair in asked for i in (pair.left, pair.right))
    choices = click.Choice(["y", "n", "s", "q"])
    for place, pair in enumerate(asked, 1):
        out_all(question_lines(found, pair, rows, place=place, of=len(asked)))
        said = click.prompt("The same? (y/n, s to skip, q to leave)", type=choices, show_choices=False, err=True)
        if said == "q":
            return
        if said != "s":
            yield rows[pair.left].key, rows[pair.right].key, said == "y"
