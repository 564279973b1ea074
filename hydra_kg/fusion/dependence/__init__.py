"""Estimation of which sources copy from one another, from the errors that they share."""
