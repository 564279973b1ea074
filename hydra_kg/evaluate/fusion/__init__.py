"""Evaluation of truth discovery: data sets, corruption, scores, curves, stages and their page."""
