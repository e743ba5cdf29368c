"""Graphs from files of every format that the package writes, by one function."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.base.errors import FormatError, errors_within
from arcwise.base.files import decode_text, parse_json, read_bytes, read_text, write_text
from arcwise.base.showing import one_screen
from arcwise.graph.dag import Dag, Pdag, parse_model_string
from arcwise.graph.drawings import Tokens, make_graph, parse_dot, parse_graphml

# Graphs as CSV: an adjacency matrix, or a list of arcs.
#
# An adjacency matrix has the node names as its header, with or without a first column that repeats them; entry (i, j)
# is 1 for an arc i -> j, and an undirected edge is there in both directions. An arc list has the columns ``from,to``;
# an undirected edge is listed in both directions (bnlearn's way), or once with ``--`` in a third column ``kind``.


# What Python's reader of CSV takes for a field.
LONGEST_CELL = 131_072
ENTRIES = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}
KINDS = {"->": True, "--": False, "-": False}


@one_screen
@dataclass(frozen=True)
class ArcList:
    """Arcs and undirected edges by name. It does not say which nodes have no edge: `graph` takes all the names."""

    arcs: tuple[tuple[str, str], ...]
    edges: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The nodes that occur, sorted."""
        return tuple(sorted({name for pair in (*self.arcs, *self.edges) for name in pair}))

    def graph(self, names: Sequence[str] | None = None) -> Dag | Pdag:
        """Return the graph over the given nodes: a `Dag` if all edges are arcs."""
        nodes = self.names if names is None else names
        return Pdag.from_edges(nodes, self.arcs, self.edges) if self.edges else Dag.from_arcs(nodes, self.arcs)


def read_graph_csv(path: str | os.PathLike[str]) -> Dag | Pdag | ArcList:
    """Read a graph from CSV, plain or gzip: an arc list if the header is from,to[,kind], else an adjacency matrix."""
    return parse_graph_csv(read_text(path), source=str(path))


def parse_graph_csv(text: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Read the text of a graph in CSV; `source` is what errors call it."""
    rows = _rows(text, source)
    if tuple(cell.lower() for cell in rows[0][1][:2]) == ("from", "to"):
        return _arc_list(source, rows)
    return _adjacency(source, rows)


def read_arc_list(path: str | os.PathLike[str]) -> ArcList:
    """Read a list of arcs with the columns from,to and perhaps kind."""
    rows = _rows(read_text(path), str(path))
    if tuple(cell.lower() for cell in rows[0][1][:2]) != ("from", "to"):
        raise FormatError(f"{path}: the header of an arc list is from,to or from,to,kind.")
    return _arc_list(str(path), rows)


def write_adjacency(path: str | os.PathLike[str], graph: Dag | Pdag) -> None:
    """Write the adjacency matrix as CSV, with the names as header and as first column."""
    _check_names(graph.names)
    lines = [
        ["", *graph.names],
        *([n, *row] for n, row in zip(graph.names, graph.to_adjacency().tolist(), strict=True)),
    ]
    write_text(path, _csv_text(lines))


def write_arc_list(path: str | os.PathLike[str], graph: Dag | Pdag) -> None:
    """Write the arcs as CSV with the columns from,to,kind; nodes without an edge are not in it."""
    write_text(path, format_arc_list(graph))


def format_arc_list(graph: Dag | Pdag) -> str:
    """Return the arcs as CSV with the columns from,to,kind."""
    _check_names(graph.names)
    edges = () if isinstance(graph, Dag) else graph.edges
    arcs = [[a, b, "->"] for a, b in graph.arcs]
    return _csv_text([["from", "to", "kind"], *arcs, *([a, b, "--"] for a, b in edges)])


def _csv_text(lines: Sequence[Sequence[object]]) -> str:
    return "".join(",".join(_cell(str(value)) for value in line) + "\n" for line in lines)


def _cell(text: str) -> str:
    """Return a cell in quotes if it needs them. (Python 3.11's own writer leaves a carriage return bare.)"""
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def _check_names(names: Sequence[str]) -> None:
    """Refuse names that would not be read back as they are: blanks around a cell do not count."""
    for name in names:
        if name != name.strip() or len(name) > LONGEST_CELL:
            raise FormatError(
                f"cannot write the node {name[:40]!r} to CSV: a name must not begin or end with a blank, nor have more "
                f"than {LONGEST_CELL:,} characters. Rename it, or write .graphml, .dot or a structure file."
            )


def _rows(text: str, source: str) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, with their numbers; at least a header."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise FormatError(f"{source}, line {reader.line_num}: {error}.") from None
    if not rows:
        raise FormatError(f"{source}: the file is empty; an adjacency matrix or an arc list was expected.")
    return rows


def _arc_list(source: str, rows: list[tuple[int, list[str]]]) -> ArcList:
    arcs: dict[tuple[str, str], int] = {}
    edges: dict[tuple[str, str], int] = {}
    for line, row in rows[1:]:
        if len(row) not in (2, 3) or not (row[0] and row[1]):
            raise FormatError(f"{source}, line {line}: expected from,to or from,to,kind; found {','.join(row)}.")
        kind = row[2] if len(row) == 3 and row[2] else "->"
        if kind not in KINDS:
            raise FormatError(f"{source}, line {line}: unknown kind '{kind}'; '->' is an arc, '--' an undirected edge.")
        pair = (row[0], row[1])
        target = arcs if KINDS[kind] else edges
        if pair in target:
            raise FormatError(f"{source}, line {line}: {row[0]},{row[1]} was given on line {target[pair]} already.")
        target[pair] = line
    both = [(a, b) for a, b in arcs if (b, a) in arcs and arcs[a, b] < arcs[b, a]]
    directed = tuple(arc for arc in arcs if arc[::-1] not in arcs)
    return ArcList(directed, (*both, *edges))


def _adjacency(source: str, rows: list[tuple[int, list[str]]]) -> Dag | Pdag:
    header = rows[0][1]
    first = rows[1][1] if len(rows) > 1 else []
    corner = header[0] == "" or (len(header) == len(rows) and first[:1] != [] and first[0] not in ENTRIES)
    names = header[1:] if corner else header
    labelled = corner or len(first) == len(header) + 1  # R leaves the corner out
    if len(rows) - 1 != len(names):
        raise FormatError(
            f"{source}: {len(names)} names in the header but {len(rows) - 1} rows; the matrix is square. A graph is "
            "asked for here, not data."
        )
    entries = np.zeros((len(names), len(names)), dtype=np.uint8)
    for v, (line, row) in enumerate(rows[1:]):
        cells = row[1:] if labelled else row
        if labelled and row[0] != names[v]:
            raise FormatError(f"{source}, line {line}: row '{row[0]}' where '{names[v]}' was expected.")
        if len(cells) != len(names):
            raise FormatError(f"{source}, line {line}: {len(cells)} entries, expected {len(names)}.")
        for u, cell in enumerate(cells):
            if cell not in ENTRIES:
                raise FormatError(f"{source}, line {line}: entry '{cell}' for {names[v]} -> {names[u]}; write 0 or 1.")
            entries[v, u] = ENTRIES[cell]
    with errors_within(f"{source}:", kind=FormatError):
        if (entries & entries.T).any():
            return Pdag.from_adjacency(entries, names=names)
        return Dag.from_adjacency(entries, names=names)


# Read graphs from JSON: what the verbs print with ``--json``, and the node-link form of networkx and D3.


FORM = '{"variables": ["a", "b"], "arcs": [["a", "b"]], "undirected": []}'


def parse_json_graph(text: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Return the graph of an object with `arcs`, and perhaps `variables` (or `nodes`) and `undirected` edges.

    Without a list of variables it is a list of arcs, which does not say which nodes have no edge. The record that
    ``arcwise learn`` writes, run.json, has its arcs under `result`.
    """
    found = parse_json(text, source=source)
    if isinstance(found, dict) and isinstance(found.get("result"), dict):
        found = found["result"]
    if not isinstance(found, dict):
        raise FormatError(f"{source}: a graph is an object such as {FORM}.")
    links = found.get("links", found.get("edges"))
    if "arcs" not in found and isinstance(links, list) and isinstance(found.get("nodes"), list):
        return _node_link(found, links, source)
    arcs = _pairs(found.get("arcs"), "arcs", source)
    edges = _pairs(found.get("undirected", []), "undirected", source)
    names = found.get("variables", found.get("nodes"))
    if not isinstance(names, list):  # `arcwise optimal` counts the nodes of its search
        return ArcList(arcs, edges)
    if not all(isinstance(name, str) for name in names):
        raise FormatError(f"{source}: the variables are a list of names.")
    return make_graph(names, arcs, edges, source=source)


def _node_link(found: dict[str, Any], links: list[Any], source: str) -> Dag | Pdag:
    try:
        names = [str(node["id"]) for node in found["nodes"]]
        pairs = tuple((str(link["source"]), str(link["target"])) for link in links)
    except (TypeError, KeyError, ValueError):  # the last: a number too long to be printed
        raise FormatError(f"{source}: a node needs an 'id', a link a 'source' and a 'target'.") from None
    arcs, edges = (pairs, ()) if found.get("directed", False) is True else ((), pairs)
    return make_graph(names, arcs, edges, source=source)


def _pairs(value: Any, key: str, source: str) -> tuple[tuple[str, str], ...]:
    if value is None:
        raise FormatError(f"{source}: there is no key '{key}'; a graph is an object such as {FORM}.")
    ok = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in value
    )
    if not ok:
        raise FormatError(f"{source}: '{key}' must be a list of pairs of names, such as {FORM}.")
    return tuple((a, b) for a, b in value)


# Lau's structure files: one line per node, its name and its parents in square brackets.
#
#     G [B]
#     B []
#     M [B, L]
#     L []
#
# Lau and Bush (2004), section 1.1. A name that could be misread (it holds a bracket, a comma, a quotation mark or
# white space at an end) is written as a JSON string in double quotes, which the paper's files never need.


# Every alternative is linear in the text: no backtracking.
TOKEN = re.compile(
    r'\s*+(?:(?P<mark>[\[\],])|(?P<quoted>"[^"\\\n]*(?:\\.[^"\\\n]*)*")|(?P<plain>[^\[\],"\n][^\[\],\n]*))'
)


def read_structure(path: str | os.PathLike[str]) -> Dag:
    """Read a structure file, plain or gzip."""
    return parse_structure(read_text(path), source=str(path))


def write_structure(path: str | os.PathLike[str], dag: Dag) -> None:
    """Write a structure file; a name that ends in .gz is compressed."""
    write_text(path, format_structure(dag))


def format_structure(dag: Dag) -> str:
    """Return the text of a structure file.

    >>> format_structure(Dag.from_parents({"M": ["B"], "B": []}))
    'M [B]\\nB []\\n'
    """
    quoted = [_quote(name) for name in dag.names]
    lines = (f"{quoted[v]} [{', '.join(quoted[p] for p in ps)}]\n" for v, ps in enumerate(dag.parents))
    return "".join(lines)


def parse_structure(text: str, *, source: str = "structure") -> Dag:
    """Read the text of a structure file; `source` is what errors call it."""
    parents: dict[str, list[str]] = {}
    where: dict[str, int] = {}
    tokens = _StructureTokens(text.rstrip(), source)
    while tokens.kind != "end":
        start = tokens.start
        node = tokens.take_name("a node")
        if node in parents:
            raise FormatError(f"{source}, line {tokens.line_of(start)}: node '{node}' is described twice.")
        where[node] = start
        parents[node] = []
        tokens.take("[", f" after '{node}'")
        if tokens.kind != "]":
            parents[node].append(tokens.take_name(f"a parent of '{node}'"))
            while tokens.kind == ",":
                tokens.take(",")
                parents[node].append(tokens.take_name(f"a parent of '{node}'"))
        tokens.take("]", f" after the parents of '{node}'")
    if not parents:
        raise FormatError(f"{source}: no node; a line has the form: M [B, L].")
    for node, names in parents.items():
        for name in names:
            if name not in parents:
                line = tokens.line_of(where[node])
                raise FormatError(f"{source}, line {line}: parent '{name}' of '{node}' has no line of its own.")
    with errors_within(f"{source}:", kind=FormatError):
        return Dag.from_parents(parents)


class _StructureTokens(Tokens):
    PATTERN = TOKEN

    def unreadable(self) -> str:
        return "a quotation mark is not closed"

    def unquoted(self, token: str) -> str:
        try:
            return str(json.loads(token))
        except json.JSONDecodeError:
            raise self.error("a name in quotation marks is not a JSON string") from None


def _quote(name: str) -> str:
    if name != name.strip() or re.search(r'[\[\],"\r\n\v\f\x1c-\x1e\x85\u2028\u2029]', name):
        return json.dumps(name, ensure_ascii=False)
    return name


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
    text = decode_text(content, source=source)
    if kind == "structure" and text.lstrip().startswith("["):  # a structure file begins with the name of a node
        kind = "model_string"
    return _PARSERS[kind](text, source=source)
