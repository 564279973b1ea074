"""Evaluation: question sets, metrics, the runner that saves raw outputs, and reports made from those alone."""
