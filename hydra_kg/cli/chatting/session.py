"""Run one conversation: follow-up questions, commands, and Ctrl-C that stops only the question."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.cli.asking.show import list_answers, print_answer
from hydra_kg.cli.printing import answer_lines, number_citations
from hydra_kg.cli.terminal import json_text, note, out, out_all, store_suffix
from hydra_kg.errors import HydraError, StoppedError
from hydra_kg.ports import NameCompleting
from hydra_kg.text.plain_text import clean, clean_lines
from hydra_kg.util.cancelling import Cancellation

if TYPE_CHECKING:
    from hydra_kg.client import Hydra

COMMANDS: Final[Mapping[str, str]] = {
    "/help": "this list",
    "/why": "the last answer: the paths selected and pruned, and every source of every hop",
    "/sources": "where the last answer is stated, place by place",
    "/cite": "N: open citation [N] of the last answer",
    "/topic": "NAME=ID: ask the last question again, with a name linked to the entity of that id",
    "/show": "[ID]: a stored answer; without ID the last ones",
    "/new": "forget what was said, so that nothing takes it up",
    "/quit": "end (so does Ctrl-D)",
}
_PATHS: Final = 10
_PROPOSED: Final = 20


class ChatSession:
    """The commands and questions of ``hydra-kg chat``. ``last``: the answer (``ask --json``) to follow up, or None."""

    def __init__(self, hydra: Hydra, *, sources: str = "", as_json: bool = False) -> None:
        self.hydra = hydra
        self.last: Mapping[str, Any] | None = None
        self._sources = tuple(name.strip() for name in sources.split(",") if name.strip())
        self._json = as_json
        self._choices: Sequence[str] = ()

    def say(self, line: str, *, echo: bool = False) -> bool:
        """Answer a question or run a command; return False to end the chat. Errors take one line.

        ``echo``: whether to print the line first.
        """
        text = line.strip()
        if not text:
            return True
        if echo and not self._json:
            out(f"> {clean(text)}", bold=True)
        try:
            if text.startswith("/"):
                return self._command(text)
            self._ask(self._chosen(text), after=self.last)
        except StoppedError:
            note("Stopped. No answer was stored.")
        except HydraError as e:
            note(clean_lines(f"error: {e}"), fg="red")
        return True

    def names(self, begun: str) -> list[str]:
        """Return names of the store that begin with this text, or none if the store cannot complete names."""
        with suppress(HydraError, OSError), self.hydra.store.snapshot() as snapshot:
            if isinstance(snapshot, NameCompleting):
                return [clean(name) for name in snapshot.starting(begun, limit=_PROPOSED)]
        return []

    def _chosen(self, text: str) -> str:
        """Return the question that a number stands for if several were offered."""
        if text.isdecimal() and 0 < int(text) <= len(self._choices):
            return self._choices[int(text) - 1]
        return text

    def _ask(self, question: str, *, after: Mapping[str, Any] | None = None, topics: Sequence[str] = ()) -> None:
        """Ask a question, print the answer and remember it for follow-ups."""
        token = Cancellation()
        with _interrupt_stops(token.cancel):
            answer = self.hydra.ask(
                question, sources=self._sources, cancellation=token, after=after or "", keep=False, topics=topics
            )
        doc = answer.to_dict()
        self._choices = answer.choices
        if answer.understood_as or not answer.missing.startswith("not understood"):
            self.last = doc
        try:
            if self._json:
                out(json_text(doc, indent=None))
            else:
                out_all(answer_lines(doc, at=store_suffix(self.hydra.settings.store)))
        finally:
            self.hydra.traces.save(doc)

    def _command(self, text: str) -> bool:
        """Run a command such as ``/why``. Return False if the chat ends."""
        name, _, rest = text.partition(" ")
        rest = rest.strip()
        if name in {"/quit", "/exit"}:
            return False
        if name == "/help":
            out_all(f"  {command:9} {what}" for command, what in COMMANDS.items())
        elif name == "/new":
            self.last, self._choices = None, ()
            note("Forgotten.")
        elif name == "/show":
            self._show(rest)
        elif name not in COMMANDS:
            note(f"There is no command {clean(name)}; /help lists them.")
        elif self.last is None:
            note("There is no answer yet.")
        elif name == "/topic":
            self._ask_about(self.last, rest)
        elif name == "/why":
            print_answer(self.last, why=True, paths=_PATHS, verbose=False)
        elif name == "/cite":
            self._cite(self.last, rest)
        else:
            out_all(_places(self.last))
        return True

    def _ask_about(self, last: Mapping[str, Any], topic: str) -> None:
        """Ask the last question again with a topic. Entities that were chosen before stay chosen."""
        if not topic:
            note("/topic NAME=ID: for example /topic Germany=m.0345h.")
            return
        earlier = [m for m in last["mentions"] if m["chosen"] and m["chosen"]["how"] == "given" and m["start"] >= 0]
        named = topic.rpartition("=")[0].strip().casefold()
        topics = [f"{m['text']}={m['chosen']['id']}" for m in earlier if m["text"].casefold() != named]
        self._ask(str(last.get("understood_as") or last["question"]), topics=(*topics, topic))

    def _show(self, key: str) -> None:
        if key:
            print_answer(self.hydra.show("" if key == "last" else key), why=False, paths=_PATHS, verbose=False)
        else:
            list_answers(self.hydra.traces.list(limit=_PATHS), as_json=False)

    def _cite(self, doc: Mapping[str, Any], number: str) -> None:
        from hydra_kg.cli.citing import show_citation

        if not number.isdecimal():
            note("/cite N opens citation [N].")
            return
        show_citation(doc, int(number), store=self.hydra.settings.store, file=None, seconds=10, as_json=False)


def _places(doc: Mapping[str, Any]) -> Iterator[str]:
    cited = number_citations(doc).used()
    if not cited:
        yield "No source states it."
    for place in cited:
        where = "  ".join(filter(None, (clean(place["locator"]), clean(place.get("url") or ""))))
        yield f"  [{place['n']}] {clean(place['source'])}  {where}"


@contextmanager
def _interrupt_stops(stop: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C in the block call ``stop`` in a thread, which may need a lock; a second one is raised."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def once(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        threading.Thread(target=stop, name="hydra-kg stop", daemon=True).start()

    signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
