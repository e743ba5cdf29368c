"""Graphs: the nouns that the stages share."""

from arcwise.graph.dag import Dag

__all__ = ["Dag"]
