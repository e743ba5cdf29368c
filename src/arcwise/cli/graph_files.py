"""Graphs from and to files of any format that a verb takes: networks with tables, and graphs alone."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.output_file import check_writable
from arcwise.errors import FormatError, GraphError
from arcwise.files import GZIP_MAGIC, read_bytes, unpack_gzip, write_text
from arcwise.graph import (
    ArcList,
    Dag,
    Pdag,
    format_arc_list,
    graph_format,
    parse_graph,
    write_arc_list,
    write_dot,
    write_graphml,
    write_structure,
)

if TYPE_CHECKING:
    from arcwise.model import BayesianNetwork

__all__ = [
    "GRAPH_FILES",
    "GraphArgument",
    "GraphFile",
    "NetworkArgument",
    "check_network_name",
    "check_output_name",
    "open_graph_file",
    "open_network",
    "read_two_graphs",
    "write_graph_file",
]

GRAPH_FILES = (
    "a network (.bif, .xmlbif, .net, .xdsl, .uai), .txt or .str (lines such as M [B, L]), .csv (from,to or an "
    "adjacency matrix), .dot or .gv, .graphml, .json (what --json prints), or .modelstring ([A][B|A])"
)
NETWORK_FILES = "A network with tables: .bif, .xmlbif, .net, .xdsl or .uai, each also with .gz; - for stdin."
NetworkArgument = Annotated[Path, typer.Argument(help=NETWORK_FILES)]
GraphArgument = Annotated[Path, typer.Argument(help=f"A graph: {GRAPH_FILES}; .gz too; - for stdin.")]
# What a graph on stdin begins with, by format; what is none of these is a structure file.
BEGINNINGS: dict[str, re.Pattern[bytes]] = {
    "uai": re.compile(rb"\s*BAYES\s+[0-9]", re.IGNORECASE),
    "net": re.compile(rb"(\s|%[^\n]*\n)*(net\s*\{|(discrete\s+)?node\s+\w+\s*\{|class\s+\w+\s*\{)"),
    "xdsl": re.compile(rb"\s*(?=<).{0,4000}?<smile\b", re.DOTALL),
    "xmlbif": re.compile(rb"\s*(?=<).{0,4000}?<BIF\b", re.DOTALL),
    "model_string": re.compile(rb"\s*\["),
    "bif": re.compile(rb"\s*((network|variable|probability)\b(?!\s*[\[,])|//|/\*)"),
    "graphml": re.compile(rb"\s*<"),
    "json": re.compile(rb"\s*\{"),
    "dot": re.compile(rb"\s*(strict\s+)?(di)?graph\b[^,\[\n]*\{", re.IGNORECASE),
    "csv": re.compile(rb"[^\[\]\n]*,"),
}


@dataclass(frozen=True)
class GraphFile:
    """What a file holds: a graph, or a list of arcs (which does not name all nodes), and perhaps parameters."""

    path: Path
    content: Dag | Pdag | ArcList
    network: BayesianNetwork | None = None

    def graph(self, names: Sequence[str] | None = None) -> Dag | Pdag:
        """Return the graph; a list of arcs takes its nodes from `names`."""
        if not isinstance(self.content, ArcList):
            return self.content
        try:
            return self.content.graph(names)
        except GraphError as error:
            raise error.within(f"{self.path}:", kind=FormatError) from None

    def dag(self, names: Sequence[str] | None = None) -> Dag:
        """Return the graph, which must be a DAG; a list of arcs takes its nodes from `names`."""
        graph = self.graph(names)
        if not isinstance(graph, Dag):
            raise FormatError(
                f"{self.path}: the graph has undirected edges; a DAG is needed. `arcwise consensus` without --cpdag "
                "writes one; in Python Pdag.extend() gives one of its class."
            )
        return graph

    @property
    def names(self) -> tuple[str, ...] | None:
        """All nodes, or None for a list of arcs."""
        return None if isinstance(self.content, ArcList) else self.content.names


def open_graph_file(path: Path) -> GraphFile:
    """Read what a file holds, or stdin if it is called -; each format may be compressed."""
    if str(path) == "-":
        content = sys.stdin.buffer.read()
        content = unpack_gzip(content, source="<stdin>") if content.startswith(GZIP_MAGIC) else content
        plain = content.removeprefix(b"\xef\xbb\xbf")
        kind = next((name for name, begins in BEGINNINGS.items() if begins.match(plain)), "structure")
        return _parsed(Path("<stdin>"), content, kind)
    from arcwise.model import network_format

    network_kind = network_format(path)
    if network_kind is not None:
        return _parsed(path, read_bytes(path), network_kind)
    try:
        kind = graph_format(path)
    except FormatError:
        raise FormatError(
            f"{path}: the suffix does not say what kind of graph file it is; known are {GRAPH_FILES}."
        ) from None
    return _parsed(path, read_bytes(path), kind)


def _parsed(path: Path, content: bytes, kind: str) -> GraphFile:
    from arcwise.model import NETWORK_FORMATS, parse_network

    if kind in NETWORK_FORMATS:
        network = parse_network(content, kind, source=str(path))
        return GraphFile(path, network.dag, network)
    return GraphFile(path, parse_graph(content, kind, source=str(path)))


def open_network(path: Path) -> BayesianNetwork:
    """Read a network with its tables; a graph without them is refused with what to do."""
    file = open_graph_file(path)
    if file.network is None:
        raise FormatError(
            f"{path}: this is a graph without probability tables. Estimate them from data first: "
            f"arcwise fit {path} DATA -o network.bif"
        )
    return file.network


def check_network_name(path: Path) -> str:
    """Return the format of a network file to write, asked before the work; for stdout, "-", it is BIF."""
    from arcwise.model import NETWORK_FORMATS, network_format

    if str(path) == "-":
        return "bif"
    kind = network_format(path)
    if kind is None:
        listed = ", ".join(suffix for form in NETWORK_FORMATS.values() for suffix in form.suffixes)
        raise FormatError(
            f"cannot write {path}: the name of a network's file ends in {listed}, or one of these and .gz."
        )
    check_writable(path)
    return kind


def read_two_graphs(first: Path, second: Path) -> tuple[GraphFile, GraphFile]:
    """Read two graphs over the same nodes: a list of arcs has the nodes of the other file, or those of both lists."""
    if str(first) == str(second) == "-":
        raise typer.BadParameter("only one of two graphs can come from stdin.")
    files = open_graph_file(first), open_graph_file(second)
    if all(isinstance(file.content, ArcList) for file in files):
        names = tuple(sorted({name for file in files for name in file.content.names}))
    else:
        names = next(file.content.names for file in files if not isinstance(file.content, ArcList))
    one, two = (GraphFile(file.path, file.graph(names), file.network) for file in files)
    return one, two


def check_output_name(path: Path, *, partly_directed: bool = False) -> str:
    """Return the suffix of a graph file to write; a verb asks before its work, so that none is lost to a wrong name.

    For stdout, "-", the format is CSV.
    """
    if str(path) == "-":
        return ".csv"
    check_writable(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    known = (".csv", ".dot", ".graphml") if partly_directed else (".csv", ".dot", ".graphml", ".txt", ".modelstring")
    if suffix not in known:
        raise FormatError(f"cannot write {path}: the name must end in {', '.join(known)}, or one of these and .gz.")
    return suffix


def write_graph_file(path: Path, graph: Dag | Pdag, *, labels: Mapping[tuple[str, str], float] | None = None) -> None:
    """Write a graph as its suffix says: .csv, .dot, .graphml (both with labels), or a DAG as .txt or .modelstring."""
    suffix = check_output_name(path, partly_directed=not isinstance(graph, Dag))
    if str(path) == "-":
        typer.echo(format_arc_list(graph), nl=False)
    elif suffix == ".csv":
        write_arc_list(path, graph)
    elif suffix == ".dot":
        write_dot(path, graph, labels=labels)
    elif suffix == ".graphml":
        write_graphml(path, graph, labels=labels)
    else:
        assert isinstance(graph, Dag)
        if suffix == ".modelstring":
            write_text(path, f"{graph.to_model_string()}\n")
        else:
            write_structure(path, graph)
