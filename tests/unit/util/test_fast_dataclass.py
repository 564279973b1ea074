"""Data classes of ours behave as those of the standard library, and compile fewer functions."""

from __future__ import annotations

import builtins
import dataclasses
import pickle
import sys

import pytest

from hydra_kg.util import fast_dataclass

OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "kw_only": True},
]


def make(dataclass, options):
    @dataclass(**options)
    class Fact:
        subject: str
        sources: list[str] = dataclasses.field(default_factory=list)
        score: float = dataclasses.field(default=0.0, compare=False, repr=False)
        note: str = dataclasses.field(default="", kw_only=True)
        size: int = dataclasses.field(init=False, default=3)

        def __post_init__(self):
            object.__setattr__(self, "score", self.score + 1)

    Fact.__qualname__ = "Fact"
    return Fact


def outcome(do):
    try:
        return do()
    except Exception as error:
        return type(error), str(error).replace("Fact.__init__()", "__init__()")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "do",
    [
        lambda c: repr(c(subject="a")),
        lambda c: repr(c(subject="a", sources=["b"], score=2.0, note="n")),
        lambda c: c(subject="a", score=1.0) == c(subject="a", score=2.0),
        lambda c: c(subject="a", note="x") == c(subject="a"),
        lambda c: c(subject="a") == "a",
        lambda c: c(subject="a").score,
        lambda c: c(subject="a").sources is c(subject="a").sources,
        lambda c: c("a", ["b"]).sources,
        lambda c: c(),
        lambda c: c(subject="a", size=4),
        lambda c: c("a", [], 0.0, "n"),
        lambda c: setattr(c(subject="a"), "subject", "b"),
        lambda c: delattr(c(subject="a"), "note"),
        lambda c: repr(dataclasses.replace(c(subject="a"), note="m")),
        lambda c: dataclasses.asdict(c(subject="a")),
        lambda c: isinstance(hash(c(subject="a", sources=())), int),
        lambda c: len({hash(each) for each in [c("a", (), 1.0, note=note) for note in ("n", "n", "m")]}),
        lambda c: c.__match_args__,
        lambda c: [f.name for f in dataclasses.fields(c)],
        lambda c: sorted(getattr(c, "__slots__", ())),
    ],
)
def test_a_class_does_what_one_of_the_standard_library_does(options, do):
    ours, theirs = make(fast_dataclass.dataclass, options), make(dataclasses.dataclass, options)
    assert outcome(lambda: do(ours)) == outcome(lambda: do(theirs))


@fast_dataclass.dataclass(frozen=True, slots=True)
class Base:
    name: str

    def __hash__(self):
        return 7


@fast_dataclass.dataclass(frozen=True, slots=True)
class Sub(Base):  # noqa: PLW1641  the decorator adds __hash__
    size: int = 2

    def __repr__(self):
        return f"Sub {self.name}"

    def __eq__(self, other):
        return self.name == other.name


def test_methods_of_the_class_itself_are_left_alone_and_others_are_inherited():
    assert (repr(Sub("a")), repr(Base("a")), hash(Base("b"))) == ("Sub a", "Base(name='a')", 7)
    assert Sub("a", 3) == Sub("a", 4)
    assert hash(Sub("a", 3)) == hash(Sub("a", 3)) != 7


@pytest.mark.parametrize("dataclass", [fast_dataclass.dataclass, dataclasses.dataclass], ids=["ours", "standard"])
def test_a_plain_subclass_of_a_frozen_class_may_add_attributes(dataclass):
    class Plain(make(dataclass, {"frozen": True})):
        pass

    plain = Plain("a")
    plain.more = 1
    assert plain.more == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.subject = "b"


def test_a_frozen_class_with_slots_is_pickled():
    again = pickle.loads(pickle.dumps(Sub("a", 5)))
    assert (again.name, again.size) == ("a", 5)


def test_a_class_is_compiled_at_once(monkeypatch):
    made, run = [], builtins.exec
    monkeypatch.setattr(builtins, "exec", lambda *given: (made.append(given), run(*given)))
    make(fast_dataclass.dataclass, {"frozen": True, "slots": True})
    ours = len(made)
    make(dataclasses.dataclass, {"frozen": True, "slots": True})
    assert ours == 1
    assert sys.version_info >= (3, 13) or len(made) - ours == 6
