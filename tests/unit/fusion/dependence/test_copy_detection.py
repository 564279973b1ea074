"""Copies are found by the mistakes they share, merged to one voice, and independent sources are left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hydra_kg.fusion.conflicts.fuse import fuse
from hydra_kg.fusion.dependence.copy_detection import CopyDetector, merge_copies
from hydra_kg.fusion.model.beliefs import Copying, believed
from hydra_kg.fusion.model.claims import Claims, claims_of
from hydra_kg.fusion.truth_discovery.default_method import Default
from hydra_kg.fusion.truth_discovery.vote import Vote

GROUPS = 3000


def world(wrong: dict[str, float], copies: dict[str, str], seed: int = 0) -> Claims:
    """Sources that err at a rate, each in its own way, and copies of them."""
    random = np.random.default_rng(seed)
    said = {
        source: [f"{g}" if random.random() >= rate else f"{g} not {random.integers(9)}" for g in range(GROUPS)]
        for source, rate in wrong.items()
    }
    said |= {copy: said[original] for copy, original in copies.items()}
    return claims_of((f"e{g}", "a", source, values[g]) for source, values in said.items() for g in range(GROUPS))


def names(claims: Claims, groups: tuple[tuple[int, ...], ...]) -> list[set[str]]:
    return [{claims.sources[s] for s in group} for group in groups]


@pytest.mark.slow
def test_second_values_that_meet_by_chance_contest_nothing():
    """Two feeds of copies differ on one contested thing in thirty. Second values make much contested that is not: there
    the two agree, and would seem copies of each other."""
    random = np.random.default_rng(3)
    a = [f"{g}" if random.random() >= 0.3 else f"{g} not {random.integers(9)}" for g in range(GROUPS)]
    b = [f"{g} of b" if g % 30 == 0 else value for g, value in enumerate(a)]
    said = {"a": a, "a2": a, "b": b, "b2": b} | {f"right{n}": [f"{g}" for g in range(GROUPS)] for n in range(2)}
    said |= {s: [f"{g}" if random.random() >= 0.2 else f"{g} not {s}" for g in range(GROUPS)] for s in "cdefgh"}
    sure = [(f"e{g}", "a", source, values[g]) for source, values in said.items() for g in range(GROUPS)]
    sure += [(f"sure{g}", "a", source, "so") for source in said for g in range(GROUPS)]
    noisy = [(e, x, s, f"second {random.integers(9)}") for e, x, s, _ in sure if random.random() < 0.7]
    for claims in (claims_of(sure), claims_of(sure + noisy)):
        assert names(claims, CopyDetector().find(claims).groups) == [{"a", "a2"}, {"b", "b2"}]


def test_groups_of_copies_are_found_untold():
    claims = world({"a": 0.1, "b": 0.3, "c": 0.4, "d": 0.35, "e": 0.2, "f": 0.3}, {"b2": "b", "b3": "b", "c2": "c"})
    copying = CopyDetector().find(claims)
    assert names(claims, copying.groups) == [{"b", "b2", "b3"}, {"c", "c2"}]


def test_the_order_of_the_sources_decides_nothing():
    claims = world({"d": 0.1, "b": 0.3, "c": 0.4, "a": 0.35}, {"x": "b", "e": "b", "z": "c"})
    rows = [
        (*claims.keys[g], claims.sources[s], claims.texts[g][v])
        for g, s, v in zip(claims.group.tolist(), claims.source.tolist(), claims.value.tolist(), strict=True)
    ]
    turned = claims_of(sorted(rows, reverse=True))
    assert turned.sources != claims.sources
    copying = CopyDetector().find(turned)
    assert {frozenset(n) for n in names(turned, copying.groups)} == {frozenset("bxe"), frozenset("cz")}
    assert np.unique(copying.cluster, return_index=True)[1].tolist() == sorted(
        np.unique(copying.cluster, return_index=True)[1].tolist()
    ), "groups are numbered in the order of their first sources"


@pytest.mark.parametrize("second", [False, True], ids=["overwritten", "beside"])
def test_noise_of_its_own_does_not_hide_a_copy(second):
    """A third of what each source says is overwritten, or doubled, by a value that hardly any other gives."""
    claims, random = world(dict.fromkeys("abcdef", 0.3), {"b2": "b"}), np.random.default_rng(1)
    rows = []
    for g, s, v in zip(claims.group.tolist(), claims.source.tolist(), claims.value.tolist(), strict=True):
        noisy = claims.sources[s] in ("b2", "c") and random.random() < 0.33
        said = [claims.texts[g][v]] if not noisy or second else []
        said += [f"noise {random.integers(5000)}"] if noisy else []
        rows += [(*claims.keys[g], claims.sources[s], text) for text in said]
    noisy = claims_of(rows)
    assert names(noisy, CopyDetector().find(noisy).groups) == [{"b", "b2"}]


@pytest.mark.parametrize("what", ["holes", "second values"])
def test_holes_and_second_values_of_their_own_do_not_hide_copies(what):
    """Of each copy half is lost, or doubled by a value that some others happen to give too."""
    claims, random = world(dict.fromkeys("abcde", 0.3), {"b2": "b", "b3": "b"}), np.random.default_rng(2)
    rows = []
    for g, s, v in zip(claims.group.tolist(), claims.source.tolist(), claims.value.tolist(), strict=True):
        hit = random.random() < 0.5
        said = [claims.texts[g][v]] if what == "second values" or not hit else []
        said += [f"{g} noise {random.integers(4)}"] if what == "second values" and hit else []
        rows += [(*claims.keys[g], claims.sources[s], text) for text in said]
    noisy = claims_of(rows)
    assert names(noisy, CopyDetector().find(noisy).groups) == [{"b", "b2", "b3"}]


def test_groups_are_joined_by_what_all_their_members_say():
    """Two pairs of copies that differ on one thing in ten, but for two of them that by chance never did."""
    apart = np.array([[0, 0, 0, 10], [0, 0, 10, 10], [0, 10, 0, 0], [10, 10, 0, 0]], np.float64)
    agreed = 100 - apart
    assert CopyDetector()._joined(agreed, apart, agreed, 0.0).tolist() == [0, 0, 2, 2]
    few = np.array([[0, 0], [0, 0]], np.float64)
    assert CopyDetector()._joined(few + 70, few, few + 70, 0.0).tolist() == [0, 1], "70 without a difference"
    assert CopyDetector()._joined(few + 100, few, few + 4, 0.1).tolist() == [0, 1], "the vote may err as often"


def test_sources_that_are_right_together_are_no_copies():
    claims = world({"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.4, "e": 0.4}, {})
    assert CopyDetector().find(claims).groups == ()


def test_few_mistakes_prove_nothing():
    claims = world({"a": 0.3, "b": 0.3, "c": 0.3}, {"a2": "a"})
    small = claims_of(
        (*claims.keys[g], claims.sources[s], claims.texts[g][v])
        for g, s, v in zip(claims.group.tolist(), claims.source.tolist(), claims.value.tolist(), strict=True)
        if g < 200
    )
    assert CopyDetector().find(small).groups == ()


def test_a_flood_of_names_does_not_outvote_independent_sources():
    claims = world({"a": 0.1, "b": 0.15, "c": 0.2, "flood0": 0.6}, {f"flood{i}": "flood0" for i in range(1, 20)})
    copying = CopyDetector().find(claims)
    assert [len(group) for group in copying.groups] == [20]

    def right(kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        texts = [text for group in claims.texts for text in group]
        return sum(" not " not in text for text, k in zip(texts, kept.tolist(), strict=True) if k) / GROUPS

    assert right(believed(claims, Vote().judge(claims))) < 0.5
    assert right(believed(claims, Default(copies=False).judge(claims))) < right(
        believed(claims, Default().judge(claims))
    )
    assert right(believed(claims, Default().judge(claims))) > 0.9


def test_merged_copies_have_one_voice_and_the_same_slots():
    claims = world({"a": 0.3, "b": 0.3, "c": 0.3}, {"a2": "a"})
    own = merge_copies(claims, Copying(np.array([0, 1, 2, 0])))
    assert own.sources == ("a = a2", "b", "c")
    assert own.texts == claims.texts
    assert len(own) == 3 * GROUPS


def test_a_group_of_copies_says_what_most_of_it_say():
    rows = [("e", "a", s, "1") for s in "xyz"] + [("e", "a", "x", "2"), ("e", "a", "y", "3"), ("e", "a", "w", "4")]
    own = merge_copies(claims := claims_of(rows), Copying(np.array([0, 0, 0, 1])))
    assert claims.sources == ("x", "y", "z", "w")
    assert [(own.sources[s], own.texts[0][v]) for s, v in zip(own.source, own.value, strict=True)] == [
        ("x = y = z", "1"),
        ("w", "4"),
    ]
    lists = replace(claims, many=np.ones(1, np.bool_))
    assert len(merge_copies(lists, Copying(np.array([0, 0, 0, 1])))) == 4


def test_copies_are_looked_for_once(monkeypatch):
    asked = []
    monkeypatch.setattr(CopyDetector, "find", lambda self, claims: asked.append(1) or Copying(np.zeros(0, np.int64)))
    fused = fuse((), Default())
    assert fused.copying is fused.beliefs.copying
    assert fused.copies() == []
    assert len(asked) == 1
