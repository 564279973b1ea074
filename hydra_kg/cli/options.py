"""Define options that several commands share, as decorators: one name, one help text, one meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hydra_kg.cli import completing
from hydra_kg.cli.terminal import json_text, out
from hydra_kg.errors import AlreadyDoneError
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def _note_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta["hydra_kg.debug"] = True


store_option = click.option(
    "--store", default="", metavar="FOLDER", show_default="HYDRA_STORE, or a folder of yours", help="The store to use."
)
"""Option ``--store``, passed on as text, "" for the setting."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
"""Option ``--json``, passed on as ``as_json``."""

debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_note_debug,
    help="Show where an error comes from.",
)
"""Option ``--debug``, not passed on; errors are then shown with their traceback."""


def number_option(name: str, kind: Any, default: float, text: str, *, metavar: str = "N") -> Callable[[F], F]:
    """Return an option that takes a number of a ``kind`` such as ``click.IntRange(1)`` and shows its default."""
    return click.option(name, type=kind, default=default, show_default=True, metavar=metavar, help=text)


def file_option(*names: str, text: str, required: bool = False) -> Callable[[F], F]:
    """Return an option that names a file to write, passed on as a path, None if it is not given."""
    kind = click.Path(dir_okay=False, writable=True, path_type=Path)
    return click.option(*names, type=kind, required=required, metavar="FILE", help=text)


sources_option = click.option(
    "--sources", default="", metavar="A,B", shell_complete=completing.sources, help="Use only these sources."
)
"""Option ``--sources``, passed on as text, "" for all."""


def common_options(function: F) -> F:
    """Add ``--store``, ``--json`` and ``--debug``, which most commands have."""
    return store_option(json_option(debug_option(function)))


yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
"""Option ``--yes``: do not ask for confirmation."""


def strategy_option_of(metavar: str, text: str) -> Callable[[F], F]:
    """Return the option ``--strategy`` for one strategy, or for several with commas, as ``metavar`` says."""
    return click.option(
        "--strategy",
        default="hydra",
        show_default=True,
        metavar=metavar,
        shell_complete=completing.strategies,
        help=text,
    )


strategy_option = strategy_option_of("NAME", "How to search and judge; hydra-kg strategies lists them.")
"""Option ``--strategy`` for one strategy."""

preset_option = click.option(
    "--preset",
    type=click.Choice(
        ["default", "paper", "paper:hydra", "paper:pog", "paper:tog", "paper:tog-2", "paper:multirag", "code"]
    ),
    metavar="NAME",
    default="default",
    show_default=True,
    help="Settings to start from: default; paper, the strategy's own paper as printed, or paper:hydra, paper:pog, "
    "paper:tog, paper:tog-2, paper:multirag; code, HydraRAG's published code. What hydra.toml, HYDRA_… or a flag sets "
    "comes after.",
)
"""Option ``--preset``, passed on as text, "default" for none."""

agent_option = click.option(
    "--agent",
    type=click.Choice(["auto", "llm", "offline"]),
    default="auto",
    show_default=True,
    help="Who judges: a language model (llm) or rules and vectors (offline). auto is offline until a model is "
    "named (HYDRA_MODEL_NAME, or model.name in your own hydra.toml).",
)
"""Option ``--agent``, passed on as one of auto, llm, offline; see ``chosen_agent``."""

no_network_option = click.option(
    "--no-network", is_flag=True, flag_value=True, default=None, help="Open no socket but the store's."
)
"""Option ``--no-network``, passed on as None if it is not given, so that the setting decides."""


def budget_options(function: F) -> F:
    """Add ``--budget-calls``, ``-tokens``, ``-money``, ``-seconds``, passed together as ``budget``."""
    names = ("calls", "tokens", "money", "seconds")

    @wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        budget = {f"budget.{name}": kwargs.pop(f"budget_{name}") for name in names}
        return function(*args, budget=budget, **kwargs)

    wholes, parts = click.IntRange(0), click.FloatRange(0)
    helps = {
        "calls": (wholes, "Most calls of the model", "20"),
        "tokens": (wholes, "Most tokens, prompts and replies together,", "30000"),
        "money": (parts, "Most money, by the table of prices in your own hydra.toml,", "no limit"),
        "seconds": (parts, "Most seconds until the model's last reply", "no limit"),
    }
    for name in reversed(names):
        kind, what, default = helps[name]
        gathered = click.option(
            f"--budget-{name}",
            type=kind,
            default=None,
            metavar="N",
            show_default=f"the setting, {default}",
            help=f"{what} for a question; 0 is no limit.",
        )(gathered)
    return gathered  # type: ignore[return-value]


def judging_options(function: F) -> F:
    """Add ``--strategy``, ``--preset``, ``--agent``, ``--budget-…`` and ``--no-network``."""
    return strategy_option(preset_option(agent_option(budget_options(no_network_option(function)))))


def model_options(function: F) -> F:
    """Add ``--record``, ``--replay`` and ``--prompts``, passed together as ``model`` by name; "" if not given."""
    names = ("record", "replay", "prompts")

    @wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        return function(*args, model={name: kwargs.pop(name) or "" for name in names}, **kwargs)

    for option in (
        click.option(
            "--prompts",
            type=click.Path(exists=True, file_okay=False),
            metavar="DIR",
            help="Prompts of your own, in place of those of the same file name.",
        ),
        click.option(
            "--replay",
            type=click.Path(exists=True, dir_okay=False),
            metavar="FILE",
            help="Take the model's replies from a file that --record wrote, and open no connection to it.",
        ),
        click.option(
            "--record",
            type=click.Path(dir_okay=False, writable=True),
            metavar="FILE",
            callback=_new_file,
            help="Write what the model is asked and replies into a new file, one JSON object a line.",
        ),
    ):
        gathered = option(gathered)
    return gathered  # type: ignore[return-value]


def _new_file(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value and Path(value).is_file() and Path(value).stat().st_size:
        raise click.BadParameter(f"{value} is there already; remove it, or name another file.", ctx=ctx, param=param)
    return value


keep_web_option = click.option(
    "--keep-web", is_flag=True, help="Keep what is found on the web as facts, with page and date, until they expire."
)
"""Option ``--keep-web``."""


def chosen_agent(agent: str, settings: Settings, *, model: Mapping[str, str] | None = None) -> str:
    """Return ``llm`` or ``offline``; ``auto`` is ``llm`` if a ``model`` may be asked. Raise UsageError."""
    from hydra_kg.errors import UsageError

    given = {name: value for name, value in (model or {}).items() if value}
    forbidden = settings.no_network and "replay" not in given
    if agent == "auto":
        agent = "llm" if settings.model.name and not forbidden else "offline"
    elif agent == "llm" and not settings.model.name:
        raise UsageError(
            "--agent llm needs a model, and none is named.",
            remedy="Set HYDRA_MODEL_NAME, or model.name in your own hydra.toml, to a name that the endpoint "
            "(OPENAI_BASE_URL) knows; or use --agent offline, which needs no model, no key and no network.",
        )
    elif agent == "llm" and forbidden:
        raise UsageError(
            "--agent llm asks a model, and --no-network forbids it.",
            remedy="Leave one of them out, or take the replies from a file with --replay FILE.",
        )
    if given and agent != "llm":
        raise UsageError(
            f"--{next(iter(given))} is about a language model, and none is asked.",
            remedy="Name one: set HYDRA_MODEL_NAME or model.name in your own hydra.toml; leave out --agent offline and "
            "--no-network.",
        )
    return agent


@contextmanager
def done_before(*, as_json: bool) -> Iterator[None]:
    """Report that an earlier run of the command did the work of the block, and end with exit status 0."""
    try:
        yield
    except AlreadyDoneError as e:
        out(json_text({"name": e.name, "already": str(e)}) if as_json else clean(str(e)))
        click.get_current_context().exit(0)


@contextmanager
def store_with(ability: type[T], address: str, refusal: str, remedy: str) -> Iterator[T]:
    """Open and close a store that has an ability of folder stores.

    Raise UsageError with these words, before opening a server, which would migrate it.
    """
    from hydra_kg.errors import UsageError
    from hydra_kg.stores import is_server, open_store

    if is_server(address):
        raise UsageError(refusal, remedy=remedy)
    with closing(open_store(address)) as opened:
        if not isinstance(opened, ability):
            raise UsageError(refusal, remedy=remedy)
        yield opened


def settings_from(
    *,
    store: str = "",
    no_network: bool | None = None,
    budget: Mapping[str, float | None] | None = None,
    preset: str = "default",
    strategy: str = "",
    writes: bool = False,
) -> Settings:
    """Return the settings from the preset, hydra.toml, the environment and flags.

    If the demonstration's store is the only one, the settings name it, unless the command ``writes``. ``strategy`` is
    the strategy that the preset ``paper`` applies to. Raise SettingsError for an invalid setting.
    """
    from hydra_kg.cli.terminal import note, warn
    from hydra_kg.presets import with_preset
    from hydra_kg.settings import Settings, load_settings
    from hydra_kg.stores import demo_store, is_only_demo

    flags = {"store": store or None, "no_network": no_network, **(budget or {})}
    settings = load_settings(flags, base=with_preset(Settings(), preset, strategy=strategy), warn=warn)
    if not writes and is_only_demo(settings.store):
        note("(the demo store; load your own data with: hydra-kg load FILE)")
        return settings.changed(store=str(demo_store()))
    return settings


def settings_by_strategy(preset: str, settings: Settings, **given: Any) -> dict[str, Settings]:
    """Return the settings of each strategy whose paper has its own preset; {} unless ``preset`` is ``paper``.

    ``settings``: those of the run, which names the store. ``given``: as for :func:`settings_from`.
    """
    from hydra_kg.presets import PAPER, PAPER_OF

    if preset != PAPER:
        return {}
    return {s: settings_from(**given, store=settings.store, preset=preset, strategy=s) for s in PAPER_OF}
