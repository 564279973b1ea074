"""Ask the model for one step: send the prompt, repair the reply, ask once more, or give up with a note."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from hydra_kg.agents.prompting.escaping import quote
from hydra_kg.agents.prompting.prompts import STEPS, Message, Prompt
from hydra_kg.agents.replies.lenient_json import parse_reply, parse_yes_no
from hydra_kg.agents.replies.schemas import ModelReply, schema_of
from hydra_kg.domain import Completion
from hydra_kg.errors import BudgetError, ModelError, NetworkError
from hydra_kg.ports import LanguageModel

R = TypeVar("R", bound=ModelReply)
T = TypeVar("T")

ALTERNATIVES: Final = 20
"""Number of alternatives of the first token that a call asks for: the most that endpoints give."""
_YES_NO_TOKENS: Final = 4
_DECIDING: Final = frozenset({"judge", "answer", "know"})
"""Steps whose reply counts only if it is complete, because half of it is no judgement."""
_EXPLORING: Final = frozenset(
    "topics analyse select_sources select_pages write_paths summarise follow_up predict "
    "prune_topics prune_relations prune_entities prune_chunks prune_authority".split()
)


class Asker:
    """Client that prompts a model and parses its replies for one question; threads may share it.

    notes: one text for each unusable reply and for what was done instead.
    failed: True if any call failed. After a BudgetError the model is not asked again.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: Mapping[str, Prompt],
        *,
        reply_tokens: int,
        temperature: float,
        sampling: float,
        shots: int = 0,
    ) -> None:
        self.spent = False
        self.failed = False
        self._model = model
        self._prompts = prompts
        self._reply_tokens = reply_tokens
        self._temperature = temperature
        self._sampling = sampling
        self._shots = shots
        self._notes: dict[tuple[int, str], None] = {}
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return each note once, in the order of the steps, whichever thread was faster."""
        with self._lock:
            return tuple(text for _, text in sorted(self._notes))

    def ask(
        self,
        name: str,
        kind: type[R],
        question: str,
        *,
        values: Mapping[str, str],
        data: Mapping[str, str],
        sample: int = 0,
    ) -> R | None:
        """Return the reply to a prompt as a ``kind``, or None; ``sample`` > 0 draws another reply."""
        chat = self._prompts[name].messages(question, values, data, shots=self._shots)
        schema = schema_of(kind)
        found = self._twice(name, chat, lambda c: parse_reply(c.text, kind, cut=c.cut), schema=schema, sample=sample)
        return found[0] if found else None

    def remark(self, name: str, what: str, then: str) -> None:
        """Add a note that a reply to the prompt ``name`` could be parsed but was not used.

        what: why it was not used.
        then: what was done instead.
        """
        self._note(name, ModelError(what), then)

    def yes(self, name: str, question: str, *, data: Mapping[str, str]) -> float | None:
        """Return the probability of yes, or None if there is no usable reply.

        It is computed from the alternatives of the first token. Where there are none, it is 1 for yes and 0 for no.
        """
        chat = self._prompts[name].messages(question, {}, data, shots=self._shots)
        found = self._twice(name, chat, _yes, schema=None)
        return found[0] if found else None

    def _twice(
        self,
        name: str,
        chat: Sequence[Message],
        read: Callable[[Completion], T],
        *,
        schema: Mapping[str, Any] | None,
        sample: int = 0,
    ) -> tuple[T] | None:
        if self.spent:
            self.failed = True
            return None
        try:
            completion = self._call(name, chat, schema, sample)
            try:
                return (read(completion),)
            except ModelError as e:
                form = "a JSON object of the form shown" if schema else "yes or no"
                again = [
                    *chat,
                    {"role": "assistant", "content": quote(completion.text, 300) or "-"},
                    {"role": "user", "content": f"That cannot be used: {e}. Reply again with {form}, nothing else."},
                ]
                return (read(self._call(name, again, schema, sample)),)
        except BudgetError as e:
            self.spent = self.failed = True
            self._note(name, e, "the rest was done without the model")
        except (ModelError, NetworkError) as e:
            self.failed = True
            self._note(name, e, "this step was done without the model")
        return None

    def _call(
        self, name: str, chat: Sequence[Message], schema: Mapping[str, Any] | None, sample: int = 0
    ) -> Completion:
        step = step_of(name)
        drawn = self._sampling if sample else 0.0
        found = self._model.complete(
            chat,
            max_tokens=self._reply_tokens if schema else _YES_NO_TOKENS,
            schema=schema,
            temperature=self._temperature if step in _EXPLORING else drawn,
            sample=sample,
            step=step,
            logprobs=0 if schema else ALTERNATIVES,
        )
        if found.late and step in _DECIDING:
            raise ModelError("time was up in the middle of the reply")
        return found

    def _note(self, name: str, error: Exception, then: str) -> None:
        what = quote(str(error).partition("\n")[0], 200).rstrip(".")
        if isinstance(error, BudgetError):
            key = (len(STEPS), f"{what}; {then}")
        else:
            key = (list(STEPS).index(name), f"{step_of(name)}: {what}; {then}")
        with self._lock:
            self._notes[key] = None


def step_of(name: str) -> str:
    """Return the step to which a prompt belongs, under the name that the accounting of calls uses."""
    whole = {"select_path": "select_paths", "know_chain": "know", "analyse_plan": "analyse"}
    return whole.get(name, name.partition("_")[0] if name.startswith("judge") else name)


def _yes(completion: Completion) -> float:
    weights = {"yes": 0.0, "no": 0.0}
    for token, logprob in completion.first:
        word = token.strip(" \t\n▁Ġ*\"'.,").casefold()  # " yes", "Yes", "▁YES"
        if word in weights and logprob <= 0:
            weights[word] += math.exp(logprob)
    total = weights["yes"] + weights["no"]
    if total > 0:
        return weights["yes"] / total
    return 1.0 if parse_yes_no(completion.text) else 0.0
