"""Metrics of answers, their confidence intervals, and calibration."""

from __future__ import annotations
