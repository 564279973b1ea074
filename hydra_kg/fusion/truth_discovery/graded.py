"""One truth for each group, claimed or not: each source and value is exact, less specific or wrong, by EM."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from hydra_kg.fusion.model.beliefs import (
    Beliefs,
    Flags,
    Ints,
    Reals,
    Slots,
    believed,
    best_of,
    broader_slots,
    membership,
    per_group,
    slots_of,
    sum_weights,
)
from hydra_kg.fusion.model.claims import Claims, Numbered, part_of
from hydra_kg.fusion.truth_discovery.vote import Vote
from hydra_kg.util.fast_dataclass import dataclass, replace

# Weights of the slots of claims, (V,), positive: what is known of the values beforehand (1 for nothing).
Prior = Callable[[Claims], Reals]
# All values that repeat words of their entity's name count as one text: "Leigh" as a town of Leigh Taylor-Young.
OWN_NAME = "\0own name"
NONE = np.zeros(0, np.bool_)


@dataclass(frozen=True, slots=True)
class Graded:
    """TDH (``hierarchical``) with six changes.

    1. The truth may be a value that nobody claims, below a claimed one: "Missouri" can be all that is said of a birth
       in a town there. Without that, a source that is always vague looks exact. Only if the claims have a hierarchy.
    2. Values have rates as well: how often a text was the truth, a less specific form of it, or wrong, in all groups of
       the attribute. Texts that are mostly wrong (a middle name taken for a town) have a lower prior weight.
    3. Only groups of two or more sources teach anything: a source that nobody checks does not confirm itself.
    4. Without a hierarchy the number n of wrong values to choose from is estimated for each attribute: n of them make
       two wrong claims of a group agree once in n times, where the vote decides what is wrong. If errors are systematic
       (a board shows the runway instead of the gate), n is near 1 and agreement proves little. With a hierarchy the
       vote, which prefers general values, calls too many specific claims wrong, and n stays ``falsehoods``.
    5. A source that gives k values has said once that the truth is one of them: each may be what it meant with
       probability 1 / k, and the source is wrong only if none is the truth.
    6. A text counts as wrong with the probability that the text was at fault, given that either it or all sources that
       state it were (a noisy or). What one careless source states makes no text suspect.

    ``falsehoods`` is the prior n, with the weight of one agreement among that many pairs. ``strength`` and
    ``value_strength`` are the numbers of claims for which the rates of all sources (all texts of an attribute) together
    count in the rates of one; ``start`` is their first guess. The constants are those that keep the most of both sets
    with a hierarchy when these are corrupted (docs/research-log.md).
    """

    start: tuple[float, float, float] = (0.6, 0.2, 0.2)
    falsehoods: float = 500.0
    strength: float = 3.0
    value_strength: float = 5.0
    tolerance: float = 1e-3
    rounds: int = 30
    prior: Prior | None = None
    name: str = "graded"

    def judge(self, claims: Claims) -> Beliefs:
        """Return the probability of each value, and the reliability of each source.

        The reliability is the share of its claims that are exact or less specific.
        """
        speakers = np.bincount(membership(claims).group, minlength=len(claims.keys))
        if not len(claims.broader) and (speakers < 2).any() and (speakers > 1).any():  # the rest teaches nothing
            slots, wanted = slots_of(claims), speakers > 1
            weights = self.prior(claims)[wanted[slots.group]] if self.prior else None
            found = self._judge(part_of(claims, wanted), weights)
            probability = 1.0 / np.maximum(slots.size, 1)[slots.group]
            probability[wanted[slots.group]] = found.probability
            return Beliefs(probability, found.reliability)
        return self._judge(claims, self.prior(claims) if self.prior else None)

    def _judge(self, claims: Claims, prior: Reals | None) -> Beliefs:
        """Estimate source rates and value probabilities in turns until they are stable."""
        model = _Model.of(claims, prior)
        pooled = np.array(self.start)
        rates = np.tile(pooled, (len(claims.sources), 1))
        texts = np.tile(pooled, (int(model.text.max(initial=-1)) + 1, 1))
        alike, kind = np.zeros(len(rates), np.int64), np.zeros(len(texts), np.int64)
        kind[model.text] = model.attribute
        exact = below = np.zeros(len(model.slots))
        wrong = np.full(len(model.slots), self.falsehoods)
        if not len(claims.broader):
            won = believed(replace(claims, many=NONE), Vote().judge(claims))
            wrong = model.wrong_values(won.astype(np.float64), self.falsehoods)
        for _ in range(self.rounds):
            exact, below = model.posterior(rates, texts, wrong)
            before, rates = rates, _smooth_rates(model.counts(rates, exact, below), pooled, self.strength, alike)
            texts = _smooth_rates(model.text_counts(exact, below, rates, texts), pooled, self.value_strength, kind)
            if np.abs(rates - before).max(initial=0) < self.tolerance:
                break
        return Beliefs(exact, rates[:, 0] + rates[:, 1])


def _smooth_rates(counts: Reals, start: Reals, strength: float, kind: Ints) -> Reals:
    """Return rates (n, 3) from counts, smoothed towards the common rates of all rows of a ``kind`` (n,)."""
    kinds = int(kind.max(initial=-1)) + 1
    pooled = np.column_stack([sum_weights(kind, column, kinds) for column in counts.T]) + start
    pooled /= pooled.sum(1, keepdims=True)
    return np.asarray((counts + strength * pooled[kind]) / (counts.sum(1, keepdims=True) + strength))


@dataclass(frozen=True, slots=True)
class _Model:
    """Parts that do not change between rounds.

    E counts the pairs of a possible truth and a claim of a less specific form of it.
    """

    claims: Claims
    slots: Slots
    truth: Ints  # (E,) slot
    source: Ints  # (E,) who states the form
    form_options: Reals  # (E,) log of how many values that source gives
    options: Ints  # (N,) how many values the source of a claim gives in its group
    n_sources: Ints  # (G,) sources
    pairs: tuple[Ints, Ints]  # (B,), (B,) slot and the slot of a less specific form
    forms: Reals  # (V,) how many less specific forms of a slot are claimed
    attribute: Ints  # (V,) number of the attribute
    text: Ints  # (V,) number of the attribute and text
    prior: Reals  # (V,) log weights

    @staticmethod
    def of(claims: Claims, prior: Reals | None) -> _Model:
        slots = slots_of(claims)
        narrow, broad = broader_slots(claims, slots)
        forms = np.bincount(narrow, minlength=len(slots)).astype(np.float64)
        order = np.argsort(slots.of, kind="stable")
        starts = np.searchsorted(slots.of[order], np.arange(len(slots) + 1))
        length = starts[broad + 1] - starts[broad]
        at = np.repeat(starts[broad] - np.concatenate(([0], np.cumsum(length)))[:-1], length) + np.arange(length.sum())
        codes, worded = Numbered[tuple[str, str]](), lru_cache(maxsize=1 << 18)(lambda value: f" {value.lower()} ")
        names = ((f" {entity.lower().replace(',', ' ')} ", attribute) for entity, attribute in claims.keys)
        text = codes.column(
            (attribute, OWN_NAME if worded(value) in name else value)
            for (name, attribute), texts in zip(names, claims.texts, strict=True)
            for value in texts
        ).astype(np.int64)
        numbers = {attribute: n for n, attribute in enumerate(dict.fromkeys(a for _, a in claims.keys))}
        attribute_of = np.fromiter((numbers[a] for _, a in claims.keys), np.int64, len(claims.keys))
        known = np.zeros(len(slots)) if prior is None else np.log(np.maximum(prior, 1e-9))
        speakers = membership(claims)
        options = np.bincount(speakers.of)[speakers.of]
        return _Model(
            claims,
            slots,
            np.repeat(narrow, length),
            claims.source[order[at]].astype(np.int64),
            np.log(options[order[at]]),
            options,
            np.bincount(speakers.group, minlength=len(claims.keys)),
            (narrow, broad),
            forms,
            attribute_of[slots.group],
            text,
            known,
        )

    @property
    def checked(self) -> Flags:
        """The groups with two or more sources (G,)."""
        return np.asarray(self.n_sources > 1)

    def posterior(self, rates: Reals, texts: Reals, wrong: Reals) -> tuple[Reals, Reals]:
        """Return two probabilities of each slot, (V,) and (V,); ``wrong`` (V,) is n.

        The first is that the slot is the truth, the second that an unclaimed value below it is the truth.
        """
        slots, source, n = self.slots, self.claims.source, len(self.slots)
        logs, likely = np.log(rates), np.log(texts)
        blamed = (
            sum_weights(self.claims.group, logs[source, 2] / self.options, len(slots.size))[slots.group] + self.prior
        )
        n_sources, gain, options = self.n_sources[slots.group], np.log(wrong), np.log(self.options)
        right = logs[source, 0] - logs[source, 2] + gain[slots.of] - options
        exact = (
            likely[self.text, 0] - likely[self.text, 2] + blamed - n_sources * gain + np.bincount(slots.of, right, n)
        )
        if not len(self.truth):
            top = best_of(slots, exact + 1e9) - 1e9
            weights = np.exp(exact - top[slots.group])
            return weights / per_group(slots, weights)[slots.group], np.zeros(n)
        vague = logs[:, 1] - logs[:, 2]
        form = np.log(np.maximum(self.forms, 1))
        log_ratio = vague[self.source] + gain[self.truth] - self.form_options
        exact = exact + np.bincount(self.truth, log_ratio - form[self.truth], n)
        form = np.log(self.forms + 1)
        below = likely[self.text, 1] - likely[self.text, 2] + blamed - n_sources * gain
        below = below + np.bincount(slots.of, vague[source] - form[slots.of] + gain[slots.of] - options, n)
        below = below + np.bincount(self.truth, log_ratio - form[self.truth], n)
        top = np.maximum(best_of(slots, exact + 1e9), best_of(slots, below + 1e9)) - 1e9
        exact, below = np.exp(exact - top[slots.group]), np.exp(below - top[slots.group])
        total = per_group(slots, exact + below)[slots.group]
        return exact / total, below / total

    def counts(self, rates: Reals, exact: Reals, below: Reals) -> Reals:
        """Return how often each source was exact, less specific or wrong (S, 3), in groups with two or more sources."""
        n, source, of = len(rates), self.claims.source, self.slots.of
        checked = self.checked[self.claims.group].astype(np.float64)
        vague = np.bincount(source, below[of] * checked, n) + np.bincount(self.source, (exact + below)[self.truth], n)
        found = np.column_stack((np.bincount(source, exact[of] * checked, n), vague, np.zeros(n)))
        found[:, 2] = np.maximum(np.bincount(source, checked / self.options, n) - found.sum(1), 0)
        return np.asarray(found, np.float64)

    def text_counts(self, exact: Reals, below: Reals, rates: Reals, texts: Reals) -> Reals:
        """Return how often each text was the truth, a less specific form of it, or wrong and at fault (T, 3)."""
        n, checked = len(texts), self.checked[self.slots.group].astype(np.float64)
        narrow, broad = self.pairs
        vague = below * checked + sum_weights(broad, ((exact + below) * checked)[narrow], len(self.slots))
        text, every = texts[self.text, 2], sum_weights(self.slots.of, np.log(rates[self.claims.source, 2]), len(vague))
        blamed = text / (text + np.exp(every) * (1 - text))
        wrong = np.maximum(checked * (1 - exact) - vague, 0) * blamed
        return np.column_stack([sum_weights(self.text, column, n) for column in (exact * checked, vague, wrong)])

    def wrong_values(self, truth: Reals, start: float) -> Reals:
        """Return n of each slot's attribute (V,): the pairs of wrong claims divided by the pairs that agree.

        ``start`` pairs with one agreement are added as the prior.
        """
        claims = np.bincount(self.slots.of, minlength=len(self.slots)).astype(np.float64)
        agreeing = claims * (claims - 1) / 2
        others = np.diff(self.claims.starts)[self.slots.group] - claims
        pairs = np.bincount(self.attribute, truth * others * np.maximum(others - 1, 0) / 2)
        agree = np.bincount(self.attribute, truth * (per_group(self.slots, agreeing)[self.slots.group] - agreeing))
        return np.asarray(np.maximum((pairs + start) / (agree + 1), 1.0)[self.attribute])
