"""A calibrated confidence keeps its label and its order."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg.citations import how_sure
from hydra_kg.questions.calibration import calibrate

CONFIDENCES = [c / 1000 for c in range(1001)]


def test_no_answer_changes_its_label_or_its_place():
    given = [calibrate(c) for c in CONFIDENCES]
    assert [how_sure(g) for g in given] == [how_sure(c) for c in CONFIDENCES]
    assert given == sorted(given)
    assert len(set(given)) > len(given) / 2


@pytest.mark.parametrize("confidence,probability", [(0.0, 0.0), (0.25, 0.475), (0.65, 0.785), (0.9, 0.945)])
def test_what_was_mostly_right_is_probable_within_its_label(confidence, probability):
    points = np.array([[0, 0], [0.2, 1], [0.8, 1], [1, 0.9]])
    assert calibrate(confidence, points) == pytest.approx(probability, abs=0.01)
