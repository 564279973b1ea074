"""Ctrl-C while a library is loaded is heard afterwards."""

from __future__ import annotations

import signal

import pytest

from hydra_kg.util.interrupts import interrupts_later


def test_ctrl_c_is_heard_at_the_end():
    passed = []

    def interrupted():
        with interrupts_later():
            signal.raise_signal(signal.SIGINT)
            passed.append("the rest of the block")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert passed == ["the rest of the block"]


def test_without_it_the_block_ends_as_ever():
    before = signal.getsignal(signal.SIGINT)
    with interrupts_later():
        pass
    assert signal.getsignal(signal.SIGINT) is before
