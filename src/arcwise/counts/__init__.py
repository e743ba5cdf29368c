"""Counts: contingency tables of a data set."""

from arcwise.counts.contingency import contingency, contingency_twin

__all__ = ["contingency", "contingency_twin"]
