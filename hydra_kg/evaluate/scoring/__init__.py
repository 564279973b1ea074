"""Metrics of answers, their confidence intervals, and calibration."""
