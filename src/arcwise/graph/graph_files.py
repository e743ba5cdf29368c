"""Graphs from files of every format that the package writes, by one function."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from arcwise.errors import FormatError
from arcwise.files import read_bytes
from arcwise.graph.dag import Dag
from arcwise.graph.dot_reader import parse_dot
from arcwise.graph.graph_table_files import ArcList, parse_graph_csv
from arcwise.graph.graphml_reader import parse_graphml
from arcwise.graph.json_graph import parse_json_graph
from arcwise.graph.model_string import parse_model_string
from arcwise.graph.pdag import Pdag
from arcwise.graph.structure_file import parse_structure

__all__ = ["GRAPH_FORMATS", "graph_format", "parse_graph", "read_graph"]

# Formats, and the suffixes that stand for them.
GRAPH_FORMATS: dict[str, tuple[str, ...]] = {
    "structure": (".txt", ".str"),
    "csv": (".csv",),
    "dot": (".dot", ".gv"),
    "graphml": (".graphml",),
    "json": (".json",),
    "model_string": (".modelstring",),
}
_PARSERS: dict[str, Callable[..., Dag | Pdag | ArcList]] = {
    "structure": parse_structure,
    "csv": parse_graph_csv,
    "dot": parse_dot,
    "json": parse_json_graph,
    "model_string": parse_model_string,
}


def read_graph(path: str | os.PathLike[str]) -> Dag | Pdag | ArcList:
    """Read a graph, plain or gzip; the suffix (before .gz) says how it is written.

    - .txt, .str: Lau's structure file, lines such as ``M [B, L]``;
    - .csv: an arc list with the columns from,to (an `ArcList`, which does not name all nodes) or an adjacency matrix;
    - .dot, .gv: Graphviz; .graphml: GraphML;
    - .modelstring: bnlearn's model string, ``[A][B|A]``, which a .txt file may hold, too;
    - .json: what ``arcwise optimal --json`` and other verbs print, or networkx's node-link form.

    Returns a `Dag` if all edges are arcs, else a `Pdag`.
    """
    kind = graph_format(path)
    return parse_graph(read_bytes(path), kind, source=str(path))


def graph_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a name stands for."""
    suffix = Path(Path(path).name.removesuffix(".gz")).suffix.lower()
    for kind, suffixes in GRAPH_FORMATS.items():
        if suffix in suffixes:
            return kind
    listed = ", ".join(suffix for suffixes in GRAPH_FORMATS.values() for suffix in suffixes)
    raise FormatError(f"{path}: the suffix does not say what kind of graph file it is; known are {listed}.")


def parse_graph(content: bytes, kind: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Return the graph that a file's content describes in the given format, a key of `GRAPH_FORMATS`."""
    if kind == "graphml":
        return parse_graphml(content, source=source)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: not UTF-8 at byte {error.start}.") from None
    if kind == "structure" and text.lstrip().startswith("["):  # a structure file begins with the name of a node
        kind = "model_string"
    return _PARSERS[kind](text, source=source)
