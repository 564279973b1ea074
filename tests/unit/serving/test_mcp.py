"""The MCP tools in one process: how many threads use them at a time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hydra_kg.serving.mcp import McpTools


class Meeting:
    """A Hydra whose questions end when two of them are asked at the same time."""

    def __init__(self, seconds: float) -> None:
        self._barrier = threading.Barrier(2, timeout=seconds)

    def ask(self, question: str, **options: Any) -> Any:
        """Wait for the other question."""
        self._barrier.wait()
        return self

    def to_dict(self) -> dict[str, Any]:
        """A silent answer."""
        empty: dict[str, Any] = {"answers": [], "paths": [], "citations": [], "abstained": True}
        return {**empty, "id": "1", "answer_text": "", "verdict": "unsupported", "confidence": 0.0}


def test_shared_tools_answer_several_questions_at_a_time() -> None:
    tools = McpTools(lambda: Meeting(20), shared=True)  # type: ignore[arg-type,return-value]
    with ThreadPoolExecutor(2) as pool:
        assert [doc["verdict"] for doc in pool.map(tools.ask, ["one", "two"])] == ["unsupported"] * 2


def test_other_tools_answer_one_question_at_a_time() -> None:
    tools = McpTools(lambda: Meeting(0.2))  # type: ignore[arg-type,return-value]
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(tools.ask, text) for text in ("one", "two")]
        for one in asked:
            with pytest.raises(threading.BrokenBarrierError):
                one.result()
