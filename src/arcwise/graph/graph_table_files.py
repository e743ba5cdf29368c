"""Graphs as CSV: an adjacency matrix, or a list of arcs.

An adjacency matrix has the node names as its header, with or without a first column that repeats them; entry (i, j) is
1 for an arc i -> j, and an undirected edge is there in both directions. An arc list has the columns ``from,to``; an
undirected edge is listed in both directions (bnlearn's way), or once with ``--`` in a third column ``kind``.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.errors import FormatError, GraphError
from arcwise.files import read_bytes, write_text
from arcwise.graph.dag import Dag
from arcwise.graph.pdag import Pdag
from arcwise.showing import one_screen

__all__ = [
    "ArcList",
    "format_arc_list",
    "parse_graph_csv",
    "read_arc_list",
    "read_graph_csv",
    "write_adjacency",
    "write_arc_list",
]

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
    return parse_graph_csv(_text(path), source=str(path))


def parse_graph_csv(text: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Read the text of a graph in CSV; `source` is what errors call it."""
    rows = _rows(text, source)
    if tuple(cell.lower() for cell in rows[0][1][:2]) == ("from", "to"):
        return _arc_list(source, rows)
    return _adjacency(source, rows)


def read_arc_list(path: str | os.PathLike[str]) -> ArcList:
    """Read a list of arcs with the columns from,to and perhaps kind."""
    rows = _rows(_text(path), str(path))
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


def _text(path: str | os.PathLike[str]) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None


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
    try:
        if (entries & entries.T).any():
            return Pdag.from_adjacency(entries, names=names)
        return Dag.from_adjacency(entries, names=names)
    except GraphError as error:
        raise error.within(f"{source}:", kind=FormatError) from None
