"""Graphs from files of any format that a verb takes: the structure of a BIF file, a structure file, or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arcwise.errors import FormatError
from arcwise.graph import ArcList, Dag, Pdag, read_graph_csv, read_structure

__all__ = ["GRAPH_FILES", "read_dag_file", "read_graph_file"]

GRAPH_FILES = ".bif (its structure), .txt or .str (lines such as M [B, L]), or .csv (from,to or an adjacency matrix)"


def read_graph_file(path: Path, *, names: Sequence[str] | None = None) -> Dag | Pdag:
    """Read a graph; each format may be compressed (.gz). `names` are all nodes, which a list of arcs does not tell."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix == ".bif":
        from arcwise.model import read_bif

        return read_bif(path).dag
    if suffix in (".txt", ".str"):
        return read_structure(path)
    if suffix == ".csv":
        found = read_graph_csv(path)
        return found.graph(names) if isinstance(found, ArcList) else found
    raise FormatError(f"{path}: the suffix does not tell what kind of graph file it is; known are {GRAPH_FILES}.")


def read_dag_file(path: Path, *, names: Sequence[str] | None = None) -> Dag:
    """Read a graph that must be a DAG."""
    graph = read_graph_file(path, names=names)
    if not isinstance(graph, Dag):
        raise FormatError(
            f"{path}: the graph has undirected edges; a DAG is needed. Extend it: Cpdag has dag_extension."
        )
    return graph
