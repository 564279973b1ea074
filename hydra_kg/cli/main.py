"""Define the command ``hydra-kg``: a group that imports a command's module only when it is used."""

from __future__ import annotations

import _thread
import errno
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from hydra_kg.cli.private_files import make_files_private
from hydra_kg.cli.terminal import note, tolerate_any_encoding
from hydra_kg.errors import HydraError, UserError
from hydra_kg.text.plain_text import clean_lines

GROUPS = {
    "Ask": {
        "ask": ("hydra_kg.cli.asking.ask:ask", "Answer QUESTION and show why."),
        "chat": ("hydra_kg.cli.chatting.chat:chat", "Ask one question after another."),
        "describe": ("hydra_kg.cli.asking.describe:describe", "Describe what is in a store and what can be asked."),
        "show": ("hydra_kg.cli.asking.show:show", "List saved answers; show one with the paths explored."),
        "check": ("hydra_kg.cli.asking.check:check", "Check every sentence of a text against the sources."),
        "why-not": ("hydra_kg.cli.asking.why_not:why_not", "Say why an answer does not name an expected one."),
        "demo": ("hydra_kg.cli.setup.demo:demo", "Load the bundled sample and ask it a few questions."),
    },
    "Load": {
        "load": ("hydra_kg.cli.loading.load:load", "Load FILEs into the store."),
        "sources": ("hydra_kg.cli.loading.sources:sources", "List, show and drop sources; say what depends on them."),
        "match": ("hydra_kg.cli.matching.match:match", "Link rows of two feeds that describe the same thing."),
        "extract": ("hydra_kg.cli.loading.extract:extract", "Have a language model write the facts of texts."),
    },
    "Correct and compare": {
        "confirm": ("hydra_kg.cli.asking.confirm:confirm", "Say whether a saved answer was right."),
        "teach": ("hydra_kg.cli.curation.teach:teach", "Say once what words of questions mean."),
        "saved": ("hydra_kg.cli.curation.saved:saved", "Save questions with their answers, and see which change."),
        "fuse": ("hydra_kg.cli.fusion.fuse:fuse", "Say which values to believe where sources differ."),
    },
    "Export": {
        "export": ("hydra_kg.cli.exporting.export:export", "Write an answer in other formats, or all claims."),
        "sparql": ("hydra_kg.cli.exporting.sparql:sparql", "Ask an exported FILE a QUERY in SPARQL."),
    },
    "Serve": {
        "serve": ("hydra_kg.cli.serving.serve:serve", "Serve the store over HTTP, with a page in the browser."),
        "keys": ("hydra_kg.cli.serving.keys:keys", "Make, list and revoke keys of the HTTP service."),
        "mcp": ("hydra_kg.cli.serving.mcp:mcp", "Serve the store over MCP (standard input and output)."),
    },
    "Maintain": {
        "db": ("hydra_kg.cli.database.db:db", "Inspect and maintain a store."),
        "up": ("hydra_kg.cli.setup.up:up", "Start a Neo4j server on this machine."),
        "down": ("hydra_kg.cli.setup.up:down", "Stop the server that hydra-kg up started; its data stays."),
        "settings": ("hydra_kg.cli.setup.settings:settings", "List all settings with default and reason."),
        "completion": ("hydra_kg.cli.setup.completion:completion", "Print what makes SHELL complete hydra-kg."),
    },
    "Research": {
        "strategies": ("hydra_kg.cli.setup.strategies:strategies", "List the strategies: their papers and defaults."),
        "eval": ("hydra_kg.cli.evaluation.evaluate:evaluate", "Score answers against gold answers."),
    },
}
"""Commands by the group under which ``--help`` lists them, with module and summary, so that help imports none."""

COMMANDS = {name: place for group in GROUPS.values() for name, place in group.items()}


INTERRUPTED = 130
"""Exit status of a command that Ctrl-C ended, as in shells."""

_AFTER_INTERRUPT = {
    "load": "Nothing of what was being loaded is visible. Run the same command again to go on where it stopped.",
    "extract": "What was read is stored. Run the same command again to go on from there.",
    "eval": "What was answered is stored. Run the same command again to go on from there.",
    "db": "No store is left half done. Run the same command again.",
    "ask": "No answer was stored.",
    "chat": "The answers so far are stored.",
    "match": "Your answers to the review are stored. No link was changed, unless a line above reports one.",
}
_REMEDIES = {
    errno.EROFS: "Nothing can be written there: name another place, or make it writable.",
    errno.EACCES: "Name another place, or ask its owner for the right to use it.",
    errno.EPERM: "Name another place, or ask its owner for the right to use it.",
    errno.ENOSPC: "Free space on that disk and run the same command again.",
    errno.EDQUOT: "Free space within your quota and run the same command again.",
    errno.EMFILE: "Allow more open files (ulimit -n) and run the same command again.",
}


def describe_system_error(error: OSError) -> OSError | UserError:
    """Return an error of the system as one line that names the file, with a remedy if there is one."""
    if error.errno is None or not error.strerror:
        return error
    place = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes | os.PathLike) else ""
    return UserError(f"{error.strerror}{place}", remedy=_REMEDIES.get(error.errno, ""))


@contextmanager
def no_interrupt_lost() -> Iterator[None]:
    """Send a Ctrl-C again that arrives in a finaliser or a weak reference's callback, where Python drops it."""
    before = sys.unraisablehook

    def again(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            threading.Timer(0.05, _thread.interrupt_main).start()  # at once, it would come here
        else:
            before(lost)

    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = before


class LazyGroup(click.Group):
    """Finds commands by name in ``COMMANDS`` and turns errors into message, remedy and exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which people need them, not the alphabet's."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of the command and return it."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each group with one line each."""
        width = max(map(len, COMMANDS))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, (_, summary) in verbs.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command.

        A HydraError ends with its exit status, anything unexpected with 1. No traceback is shown unless asked for.
        """
        try:
            with no_interrupt_lost():
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except click.Abort as e:
            if not isinstance(e.__context__, KeyboardInterrupt):  # a question was answered with no
                raise
            note("\nInterrupted. Nothing was done.")
            ctx.exit(INTERRUPTED)
        except KeyboardInterrupt:
            note(f"\nInterrupted. {_AFTER_INTERRUPT.get(ctx.invoked_subcommand or '', '')}".rstrip())
            ctx.exit(INTERRUPTED)
        except HydraError as e:
            self._explain(ctx, "error: ", e)
            ctx.exit(e.exit_code)
        except OSError as e:
            self._explain(ctx, "error: ", describe_system_error(e))
            ctx.exit(1)
        except Exception as e:
            if _says_full(e):
                self._explain(ctx, "error: ", UserError(f"No space left ({e}).", remedy=_REMEDIES[errno.ENOSPC]))
                ctx.exit(1)
            self._explain(ctx, f"error: unexpected {type(e).__name__}: ", e)
            if not _debug(ctx):
                note("This is a fault of hydra-kg; --debug shows where.")
            ctx.exit(1)

    @staticmethod
    def _explain(ctx: click.Context, prefix: str, error: Exception) -> None:
        if _debug(ctx):
            import traceback  # imported late, as below

            note(clean_lines("".join(traceback.format_exception(error))))
        note(clean_lines(f"{prefix}{error}"), fg="red")


def _says_full(error: Exception) -> bool:
    """Return True if SQLite met a full disk and no more precise error is known."""
    from hydra_kg.util.sidecar_db import is_full  # imported late: starting must not wait for it

    return is_full(error)


def _debug(ctx: click.Context) -> bool:
    return bool(ctx.find_root().meta.get("hydra_kg.debug"))


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the version and exit."""
    if value and not ctx.resilient_parsing:
        from hydra_kg import __version__

        click.echo(f"hydra-kg {__version__}")
        if ctx.meta.get("hydra_kg.verbose"):
            from hydra_kg.util.source_code import source_hash

            click.echo(f"source {source_hash()}")
        ctx.exit()


def _verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta["hydra_kg.verbose"] = value


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Exit status: 0 done, 1 the run failed, 2 wrong usage, 3 no answer in these sources, 130 interrupted.
Completion:  eval "$(hydra-kg completion bash)"   (or zsh, fish)
Start here:  hydra-kg demo""",
)
@click.option("--version", is_flag=True, expose_value=False, callback=_version, help="Print the version and exit.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_verbose,
    help="With --version: the hash of the source as well, as in the manifest of an answer.",
)
@click.pass_context
def main(context: click.Context) -> None:
    """Ask questions over several knowledge sources at once, and see why.

    Every answer comes with the paths that lead to it, every hop with the sources that state it.
    """
    make_files_private(context)
    tolerate_any_encoding()
