"""Load, ask and show in a few lines of Python with ``Hydra``, on which the command line is built.

This is one room because all methods of ``Hydra`` share one store, one reasoner and the kept answers.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hydra_kg.errors import HydraError, PartialLoadError, UsageError
from hydra_kg.events import Answered, Event, Listener, ignore
from hydra_kg.settings import Settings, load_settings
from hydra_kg.stores import index_many_names, is_apart, is_server, is_store, open_store, store_path
from hydra_kg.telemetry.question_span import trace_question

if TYPE_CHECKING:
    from typing import Self

    from hydra_kg.answer import Answer
    from hydra_kg.curation.saved_questions import SavedQuestions
    from hydra_kg.curation.teachings import Teachings
    from hydra_kg.dialogue.follow_ups import AskedAfter
    from hydra_kg.ingest.contract.choices import Engine
    from hydra_kg.ingest.contract.loader import Loader
    from hydra_kg.ingest.report import LoadReport
    from hydra_kg.ports import PageFetcher, Store, TraceStore, WebSearch
    from hydra_kg.reasoner import Reasoner
    from hydra_kg.stores.neo4j.bulk.bulk_choice import Way
    from hydra_kg.stores.trace_store import OpenedTraces
    from hydra_kg.strategies.base import Strategy
    from hydra_kg.util.cancelling import Cancellation

TURNS = 4
"""How many answers, the last included, a follow-up question may refer to for entities."""


class Hydra:
    """A store, a way to ask it, and the answers that it gave.

    >>> with Hydra(store="my-store") as hydra:             # doctest: +SKIP
    ...     hydra.load("freebase.nt.gz", "fb2w.nt.gz")
    ...     answer = hydra.ask("where was mozart born?")
    ...     print(answer.answer_text, answer.verdict, answer.evidence[0].path.text)

    Nothing is opened before it is needed. :mod:`hydra_kg.plugins` says how to supply a strategy, a loader or a search
    of your own.

    Args:
        store: a folder, a Store of your own, or "" for the store that the settings name.
        settings: settings to use; by default those of ``hydra.toml`` and the environment.
        agent: ``offline``, ``llm`` or ``auto``, which uses the language model if the settings name one.
        record, replay: a file to write a model's replies to, or to take them from.
        prompts: a folder of prompts that replaces the built-in one.
        keep_web: whether what a question found on the web is kept for later questions.
        search, fetcher: a search engine and a fetcher of pages that replace those of the settings.
    """

    def __init__(
        self,
        *,
        store: str | Path | Store = "",
        settings: Settings | None = None,
        strategy: str | Strategy = "hydra",
        agent: str = "offline",
        listener: Listener = ignore,
        traces: TraceStore | None = None,
        warn: Callable[[str], None] | None = None,
        record: str = "",
        replay: str = "",
        prompts: str = "",
        keep_web: bool = False,
        search: WebSearch | None = None,
        fetcher: PageFetcher | None = None,
    ) -> None:
        self.settings = settings or load_settings()
        self.strategy, self.agent, self.listener = strategy, agent, listener
        self._address = (store or self.settings.store) if isinstance(store, str | Path) else ""
        self._store = None if isinstance(store, str | Path) else store
        self._traces = traces
        self._own_traces: OpenedTraces | None = None
        self._record, self._replay, self._prompts, self._keep_web = record, replay, prompts, keep_web
        self._search, self._fetcher, self._warn = search, fetcher, warn
        self._reasoner: Reasoner | None = None

    @property
    def path(self) -> Path:
        """Return the folder of the store. Raise UsageError if its address is not a folder."""
        own = getattr(self._store, "path", None)  # of a store in a folder that was handed over
        return own if isinstance(own, Path) else store_path(self._address)

    @property
    def _on_server(self) -> bool:
        return is_server(self._address if self._store is None else self._store.url)

    @property
    def _apart(self) -> bool:
        return is_apart(self._address if self._store is None else self._store.url)

    @property
    def store(self) -> Store:
        """Return the opened store. Raise NotFoundError if there is none yet."""
        if self._store is None:
            self._store = open_store(self._address, readers=self.settings.readers)
        return self._store

    @property
    def traces(self) -> TraceStore:
        """Return the kept answers."""
        if self._traces is None:
            from hydra_kg.stores.trace_store import open_traces

            self._traces = self._own_traces = open_traces(
                lambda: self.store, self._folder, server=self._on_server, warn=self._warn
            )
        return self._traces

    @property
    def teachings(self) -> Teachings:
        """Return what people taught this store about the words of questions."""
        from hydra_kg.curation.teachings import FILE, Teachings

        return Teachings(self._folder / FILE)

    @property
    def saved(self) -> SavedQuestions:
        """Return the questions that people saved with their answers."""
        from hydra_kg.curation.saved_questions import FILE, SavedQuestions

        return SavedQuestions(self._folder / FILE)

    @property
    def reasoner(self) -> Reasoner:
        """Return the reasoner over the store, which is made once and warm after its first question."""
        if self._reasoner is None:
            store = self.store  # what is wrong with it is said before the heavy imports
            from hydra_kg.reasoner import Reasoner
            from hydra_kg.runtime import Tools
            from hydra_kg.stores.page_cache import FILE, SqlitePageCache

            tools = Tools(
                self.settings,
                self.agent,
                self._folder,
                self._record,
                self._replay,
                self._prompts,
                self._warn,
                search=self._search,
                fetcher=self._fetcher,
                page_cache=SqlitePageCache(self._folder / FILE, warn=self._warn),
                keep_web=self._keep_web,
            )
            self._reasoner = Reasoner(
                store,
                settings=self.settings,
                strategy=self.strategy,
                listener=self._emit,
                folder=self._folder if self._apart else None,
                tools=tools,
            )
        return self._reasoner

    def load(
        self,
        *files: str | Path,
        format: str | Loader = "auto",  # noqa: A002
        source: str = "",
        replace: bool = False,
        append: bool = False,
        hold: bool = False,
        dry_run: bool = False,
        strict: bool = False,
        limit: int = 0,
        keep_reverse: bool = False,
        rules: Mapping[str, bool] | None = None,
        languages: Sequence[str] = ("en",),
        extra: Mapping[str, str] | None = None,
        origins: Mapping[Path, str] | None = None,
        beginnings: Mapping[Path, float] | None = None,
        engine: Engine | None = None,
        memory: str = "1GB",
        bulk: bool = False,
        bulk_way: Way = "auto",
        bulk_files: str | Path | None = None,
        keep_stage: bool = True,
    ) -> LoadReport:
        """Load files into the store (created if needed) and prepare it for asking.

        Args:
            format: a name, or a loader of your own.
            choices: those of :class:`hydra_kg.ingest.contract.choices.LoadOptions`. With ``hold``, the load of that
                name that is in use stays in use until
                :func:`hydra_kg.stores.embedded.operations.pending_load.flip_pending`. ``bulk`` and the three options
                after it are those of :func:`hydra_kg.stores.neo4j.bulk.bulk_choice.bulk_load`.

        Raise FormatError, NotFoundError, LoadError or StoreError. The report lists what a load could not read.
        """
        from hydra_kg.ingest.contract.choices import LoadOptions
        from hydra_kg.ingest.load import load_files

        options = LoadOptions(
            format=format,
            source=source,
            replace=replace,
            append=append,
            strict=strict,
            limit=limit,
            keep_reverse=keep_reverse,
            rules=rules or {},
            languages=languages,
            extra=extra or {},
            origins=origins or {},
            beginnings=beginnings or {},
            engine=engine,
            memory=memory,
        )

        partial: PartialLoadError | None = None

        def run(store: Store, dry_run: bool) -> LoadReport:
            own = dataclasses.replace(options, dry_run=dry_run)
            try:
                return load_files(store, [Path(f) for f in files], own, listener=self._emit)
            except PartialLoadError as e:
                if bulk:  # which lands all or nothing
                    raise e.failed[0][1] from None
                raise

        if hold and (bulk or self._on_server):
            raise UsageError(
                "Only a store in a folder can hold a load.",
                remedy="Load it into one, compare there, then hydra-kg db copy --replace.",
            )
        if bulk:
            from hydra_kg.stores.neo4j.bulk.bulk_choice import bulk_load

            begun = time.monotonic()
            if self._store is not None:  # its server goes when the data is swapped
                self._store.close()
                self._store = self._reasoner = self._traces = None
            report, landed = bulk_load(
                str(self._address),
                run,
                expected=lambda report: sum(round(load.forecast["facts"]) for load in report.loads),
                way="import" if bulk_way == "auto" and "-" in map(str, files) else bulk_way,  # which is read once
                folder=Path(bulk_files) if bulk_files is not None else None,
                keep=keep_stage,
                dry_run=dry_run,
                listener=self._emit,
                tell=self._warn or (lambda _: None),
            )
            report = dataclasses.replace(report, seconds=time.monotonic() - begun)
        else:
            with self._store_to_load(dry_run) as store:
                try:
                    report = run(_holding(store) if hold else store, dry_run)
                except PartialLoadError as e:
                    partial, report = e, e.report
            landed = not dry_run and not hold
        if landed and report.loads:
            index_many_names(self.store, self._emit)
        if partial is not None:
            raise partial
        return report

    @contextmanager
    def _store_to_load(self, dry_run: bool) -> Iterator[Store]:
        """Yield the store, created if needed. A dry run creates none, but checks the disk on which it would be."""
        if dry_run and self._store is None and not is_store(self.path):
            with (
                TemporaryDirectory(dir=_writable(self.path), prefix=".hydra-kg-") as scratch,
                closing(open_store(Path(scratch), create=True)) as store,
            ):
                yield store
            return
        if self._store is None:
            self._store = open_store(self._address, create=True)
        yield self._store

    def ask(
        self,
        question: str,
        *,
        topics: Sequence[str] = (),
        sources: Sequence[str] = (),
        depth: int = 0,
        keep: bool = True,
        strategy: str | Strategy = "",
        agent: str = "",
        listener: Listener | None = None,
        cancellation: Cancellation | None = None,
        answer_id: str = "",
        after: Answer | Mapping[str, Any] | str = "",
        relation: str = "",
    ) -> Answer:
        """Answer a question.

        Args:
            topics: ids that replace those of the question's names, alone or after the name ("Germany=m.0345h").
            sources: names of the only sources to use.
            depth: number of hops; 0 lets the strategy decide.
            keep: whether to store the answer for ``show``.
            strategy, agent, listener: for this question only, in place of those of this Hydra.
            cancellation: stops the question from another thread. ``ask`` then raises StoppedError and stores nothing.
            answer_id: 12 hexadecimal digits to use as the id.
            after: the answer that the question follows, its ``to_dict()``, or the id of a kept one. "And when did he
                die?" is then asked in full; the answer has this as ``understood_as``.
            relation: key of the relation that answers, as ``GET /v1/relations`` lists it. It is followed from the only
                topic; the words of the question are not read.

        If the sources do not support an answer, the result is an Answer with ``abstained``, not an error.
        """
        from hydra_kg.util.cancelling import Cancellation, current, under

        begun = time.perf_counter()
        reasoner = self.reasoner
        tools = dataclasses.replace(reasoner.tools, agent=agent) if agent else None
        readable = len(question) <= self.settings.linking.question_characters
        cancellation = cancellation or current() or Cancellation()
        with under(cancellation):
            follow_up = self._resolved(question, after) if after and readable else None
        in_full = follow_up.text if follow_up else question
        taught = (
            self.teachings.read(in_full, pinned=[topic.rpartition("=")[0] for topic in topics])
            if readable and not relation
            else None
        )
        ask = partial(
            reasoner.ask,
            taught.text if taught else in_full,
            topics=(*topics, *(taught.topics if taught else ())),
            sources=tuple(sources),
            depth=depth,
            strategy=strategy,
            tools=tools,
            listener=listener or self.listener,
            cancellation=cancellation,
            answer_id=answer_id,
            meant=dict(follow_up.meant) if follow_up else None,
            unresolved=follow_up.unresolved if follow_up else "",
            relation=relation,
        )
        answer = trace_question(self.settings, question, ask, warn=self._warn)
        if follow_up:
            answer = follow_up.said_of(answer, question)
        if taught:
            answer = taught.marked_on(answer, question)
        if keep:
            self.keep(answer)
        event = Answered(answer.id, answer.answer_text, answer.verdict, round(answer.confidence, 4), answer.abstained)
        (listener or self.listener)(Event.of(event, time.perf_counter() - begun))
        return answer

    def _resolved(self, question: str, after: Answer | Mapping[str, Any] | str) -> AskedAfter:
        """Return a follow-up question in full. Raise NotFoundError for an unknown id."""
        from hydra_kg.answer import Answer
        from hydra_kg.dialogue.follow_ups import follow

        last = after.to_dict() if isinstance(after, Answer) else self.show(after) if isinstance(after, str) else after
        turns = [last]
        with suppress(HydraError):  # an answer before it that was not kept, or was removed
            while len(turns) < TURNS and (key := str(turns[-1].get("after", ""))):
                turns.append(self.show(key))
        with self.store.snapshot() as snapshot:
            return follow(question, turns, snapshot)

    def keep(self, answer: Answer) -> None:
        """Store an answer for ``show``; warn once if that is not possible."""
        from hydra_kg.serialise import answer_json

        self.traces.save(answer_json(answer))

    def show(self, key: str = "") -> Mapping[str, Any]:
        """Return a kept answer as ``ask --json`` gives it, by id or unique prefix; the newest for "".

        Raise NotFoundError if there is no such answer.
        """
        if self._traces is None and self._store is None and not is_store(self.path):
            _ = self.store  # says what is missing and how to get it
        return self.traces.get(key)

    @cached_property
    def _folder(self) -> Path:
        """Return the folder of what is kept next to the store."""
        return store_path(self._store.url) if self._store is not None and self._apart else self.path

    def _emit(self, event: Event) -> None:
        """Send an event to ``listener``, which may change between a load and a question."""
        self.listener(event)

    def close(self) -> None:
        """Release files and connections."""
        if self._own_traces is not None:
            self._own_traces.close()
        if self._store is not None:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _holding(store: Store) -> Store:
    from hydra_kg.stores.embedded.operations.abilities import Holdable
    from hydra_kg.stores.embedded.operations.pending_load import HoldingStore

    if not isinstance(store, Holdable):
        raise UsageError("Only a store in a folder can hold a load.", remedy="Leave hold out.")
    return HoldingStore(store)


def _writable(path: Path) -> Path | None:
    """Return the nearest existing folder above a path, or None if it cannot be written to.

    None stands for the system's own folder for temporary files.
    """
    folder = next(p for p in path.absolute().parents if p.is_dir())
    return folder if os.access(folder, os.W_OK) else None
