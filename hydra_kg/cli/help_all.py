"""Commands with many options: ``--help`` lists the ten that most people need, ``--help-all`` every one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

MOST: Final = 10
"""Most options that ``--help`` lists, including itself and ``--help-all``."""

_EVERYTHING: Final = "help_all"


class LongCommand(click.Command):
    """A command whose ``--help`` lists only the options in ``shown``. All options are accepted and completed."""

    def __init__(self, *args: Any, shown: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shown = frozenset(shown) | {"--help", "--help-all"}
        if missing := frozenset(shown) - {o for p in self.params for o in p.opts}:
            raise ValueError(f"{self.name} has no option {', '.join(sorted(missing))}")
        if len(self.shown) > MOST:
            raise ValueError(f"{self.name} would list more than {MOST} options")

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options and ``--help-all``, which shows them all."""
        everything = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help=f"Show all {sum(isinstance(p, click.Option) for p in self.params)} options and exit.",
        )
        *own, last = super().get_params(ctx)
        return [*own, everything, last]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the listed options in the order in which they are declared."""
        records = [
            record
            for p in self.get_params(ctx)
            if (ctx.meta.get(_EVERYTHING) or self.shown.intersection(p.opts)) and (record := p.get_help_record(ctx))
        ]
        with formatter.section("Options"):
            formatter.write_dl(records)


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_EVERYTHING] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
