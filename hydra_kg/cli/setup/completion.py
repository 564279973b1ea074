"""Define ``hydra-kg completion``: print the script with which a shell completes the command."""

from __future__ import annotations

import sys

import click

from hydra_kg.cli.options import debug_option
from hydra_kg.cli.terminal import note, out

PROGRAM = "hydra-kg"
_PLACES = {
    "bash": 'eval "$(hydra-kg completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(hydra-kg completion zsh)" in ~/.zshrc, behind compinit',
    "fish": "hydra-kg completion fish > ~/.config/fish/completions/hydra-kg.fish",
}


@click.command(epilog='Example: eval "$(hydra-kg completion bash)"')
@click.argument("shell", type=click.Choice(list(_PLACES)))
@debug_option
@click.pass_context
def completion(ctx: click.Context, *, shell: str) -> None:
    """Print what makes SHELL complete hydra-kg.

    It completes commands and options, names of strategies and of the store's sources, and ids of stored answers.
    """
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    assert maker is not None  # click knows the three
    out(maker(ctx.find_root().command, {}, PROGRAM, "_HYDRA_KG_COMPLETE").source())
    if sys.stdout.isatty():
        note(f"For good: {_PLACES[shell]}")
