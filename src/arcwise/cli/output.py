"""What verbs print and write: results on stdout, remarks on stderr, files of graphs, tables and figures."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from arcwise.base.errors import FormatError, errors_within
from arcwise.base.files import GZIP_MAGIC, read_bytes, unpack_gzip, write_bytes, write_text
from arcwise.base.options import Group, load_figure, option, row
from arcwise.base.run import Status
from arcwise.cli.verb import Result, Verb
from arcwise.data.write import format_to_write
from arcwise.graph import files as graph_files
from arcwise.graph.dag import Dag, Pdag
from arcwise.model.files import NETWORK_FORMATS, known_format, network_format
from arcwise.model.mixed_network import MixedNetwork, is_mixed
from arcwise.model.network import BayesianNetwork, parse_network

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import Console

    from arcwise.analysis.saved import SavedAnalysis
    from arcwise.exact.proof import Optimum
    from arcwise.findings.edge_record import EdgeRecord
    from arcwise.local.problem import LocalSearchResult
    from arcwise.report.blocks import EdgeList
    from arcwise.report.report import Answer, Words


class ResultVerb(Verb):
    """A verb that writes its result to a file."""

    output: Path | None = option(
        None, "where to write the result; - for stdout", flags=("--output", "-o"), group=Group.OUTPUT
    )


class DataFileVerb(ResultVerb):
    """A verb whose result is a file of data; without -o, CSV on stdout."""

    @property
    def to_stdout(self) -> bool:
        """Whether the data go to stdout."""
        return self.stdout_is_taken(self.output, otherwise=True)

    def _check(self) -> None:
        format_to_write("-" if self.to_stdout else self.output or "-")


class GraphFileVerb(ResultVerb):
    """A verb that writes a graph."""

    def _check(self) -> None:
        if self.output is not None:
            check_output_name(self.output)


class NetworksFileVerb(ResultVerb):
    """A verb that writes a file of networks."""

    def _check(self) -> None:
        check_file_name(self.output, "networks")


@dataclass(frozen=True)
class FolderOptions:
    """Where the report goes."""

    output: Path | None = option(
        None,
        "the folder to write; without it, a summary only",
        flags=("--output", "-o"),
        group=Group.OUTPUT,
        metavar="DIR",
    )
    force: bool = option(False, "replace the result of an earlier run", group=Group.OUTPUT)


def score_shares(result: Optimum | LocalSearchResult) -> str:
    """Return the score; with prior odds also the data's part and the prior's."""
    if result.log_prior is None:
        return f"{result.score:.6f}"
    return f"{result.score:.6f} (data {result.data_score:.6f}, log prior {result.log_prior:.6f})"


def console() -> Console:
    """Return what prints words and tables on stdout: 100 columns wide where that is no terminal."""
    from rich.console import Console

    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=100)


def program() -> str:
    """Return how to call this program again: by its name if that is on the PATH, else as it was called now."""
    called = Path(sys.argv[0])
    return "arcwise" if called.name != "arcwise" or shutil.which("arcwise") else shlex.quote(str(called))


# The sections that are printed with --details next to a written report.
SHOWN = ("target", "prediction", "ensemble", "constraints", "cuts", "prior")


def print_found(
    words: Words, edges: EdgeList, folder: Path | None, *, target: str | None = None, details: bool = False
) -> None:
    """Print what was found: the answer or its details, where the report is, and what can be asked next."""
    from arcwise.report.report import print_answer, print_report  # not for verbs that print tables

    printed = console()
    with printed.capture() as captured:
        if details:
            print_report(words, edges, printed, sections=SHOWN if folder is not None else None)
        else:
            print_answer(words, edges, printed, target=target)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))
    for line in _next(edges.edges, folder, target):
        typer.echo(line)


def _next(edges: Sequence[EdgeRecord], folder: Path | None, target: str | None) -> list[str]:
    """Return where the report is, and three commands that work as they stand."""
    if folder is None:
        return ["Next    -o DIR writes the report and what questions need; --details prints all of it"]
    begin, quoted = program(), shlex.quote(str(folder))
    asked = [f"open {quoted}"]
    kept = [edge for edge in edges if edge.fate.in_network]
    kept = [edge for edge in kept if target in (edge.first, edge.second)] or kept
    edge = next((edge for edge in kept if edge.is_pointed), kept[0] if kept else None)
    if edge is not None:
        ends = (edge.first, edge.second)
        cause, outcome = sorted(ends, key=target.__eq__) if target in ends else (edge.tail, edge.head)
        asked += [f"explain {quoted} {shlex.quote(target or '--'.join(ends))}"]
        asked += [f"effect {quoted} {shlex.quote(cause)} {shlex.quote(outcome)}"]
    lines = [f"{'        ' if k else 'Next    '}{begin} {words}" for k, words in enumerate(asked)]
    return [f"Report  {folder / 'report.html'}", *lines]


# Names of files, refused before any work is done if they cannot be written

ANY = ("",)
# Suffixes of files that other programs, or other verbs, would take for something else.
MISLEADING = (".csv", ".tsv", ".json", ".txt", ".dot", ".graphml", ".bif", ".arff", ".jkl", ".arct", ".html", ".xlsx")


def check_file_name(output: Path | None, what: str, suffixes: Sequence[str] = ANY) -> None:
    """Refuse a name that cannot be written: stdout, another suffix, a missing folder."""
    if output is None:
        return
    if str(output) == "-":
        raise FormatError(f"cannot write {what} to stdout: give a file, e.g. -o {what}.parquet.")
    if suffixes == ANY and output.name.lower().removesuffix(".gz").endswith(MISLEADING):
        raise FormatError(
            f"cannot write {output}: {what} are written as .parquet, or under another name such as .{what} in a format "
            "of their own; this suffix means something else."
        )
    if not output.name.endswith(tuple(suffixes)):
        raise FormatError(f"cannot write {output}: the name of a file of {what} ends in {', '.join(suffixes)}.")
    check_writable(output)


def check_writable(output: Path) -> None:
    """Refuse a file whose folder is not there or may not be written to, or that is a folder itself.

    A device or a pipe is written to, not replaced: there only its own permissions count. For a link, those of the
    folder of what it points to do.
    """
    try:
        is_folder, has_folder = output.is_dir(), output.parent.is_dir()
        is_special = output.exists() and not is_folder and not output.is_file()
        folder = Path(os.path.realpath(output)).parent if output.is_symlink() else output.parent
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(f"cannot write {output}: {reason}.") from None
    if is_folder:
        raise FormatError(f"cannot write {output}: it is a folder. Give a file name.")
    if not has_folder:
        raise FormatError(f"cannot write {output}: there is no folder {output.parent}. Create it first.")
    if is_special and not os.access(output, os.W_OK):
        raise FormatError(f"cannot write {output}: you may not write to it.")
    if not is_special and not os.access(folder, os.W_OK | os.X_OK):
        raise FormatError(f"cannot write {output}: you may not write in the folder {folder.resolve()}.")


# Answers to questions about a folder

ConfidenceArgument = Annotated[Path, typer.Argument(help="Confidences from `arcwise confidence -o`.")]
FolderOrGraphArgument = Annotated[
    Path, typer.Argument(metavar="DIR|NETWORK", help="A folder of `arcwise learn`; or, with --data, a graph file.")
]
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `arcwise learn -o`.")]


@dataclass(frozen=True)
class LevelOptions:
    """How sure intervals are."""

    level: float = option(0.95, "the share of the posterior that intervals hold", low=0.01, high=0.9999)


@dataclass(frozen=True)
class AnswerOptions:
    """Where the table of an answer goes, and how the answer is printed."""

    output: Path | None = row(ResultVerb, "output")
    markdown: bool = option(False, "print the answer as Markdown, to be pasted into a report", group=Group.OUTPUT)


class AnswerVerb(Verb, AnswerOptions):
    """A verb that answers a question, in words and by a table."""

    def _check(self) -> None:
        if self.markdown and self.as_json:
            raise typer.BadParameter("--markdown and --json are two ways to print; give one.")
        self.stdout_is_taken(self.output)
        if self.output is not None and str(self.output) != "-":
            if not self.output.name.removesuffix(".gz").endswith(".csv"):
                raise FormatError(
                    f"cannot write {self.output}: tables are written as CSV; end the name in .csv or .csv.gz."
                )
            check_writable(self.output)

    def answer(self, answer: Answer, frame: pd.DataFrame, status: Status = Status.COMPLETE, **facts: Any) -> Result:
        """Return an answer, or its table for JSON, and write the table if a file was named."""
        if self.output is not None:
            write_frame(frame, self.output)
        payload = {**facts, "table": frame, "output": self.output}
        if str(self.output) == "-":
            return Result(payload, status=status)

        def show() -> None:
            typer.echo(answer.to_markdown() if self.markdown else answer.to_text(), nl=False)

        message = "" if self.output is None else f"wrote {len(frame):,} rows to {self.output}"
        return Result(payload, show, message=message, status=status)


def open_folder(folder: Path) -> SavedAnalysis:
    """Open the folder of an analysis; a file is refused with what to do."""
    from arcwise.analysis.saved import open as open_analysis

    if folder.is_file():
        raise FormatError(f"{folder} is a file: give the folder of `arcwise learn DATA -o DIR`.")
    return open_analysis(folder)


def prediction_frame(network: MixedNetwork, name: str, found: Any) -> pd.DataFrame:
    """Return one line per row: mean and interval, or the most probable state and the probability of each."""
    import pandas as pd

    if isinstance(found, tuple):
        return pd.DataFrame(dict(zip((name, "low", "high"), found, strict=True)))
    states = network.states[network.index(name)]
    frame = pd.DataFrame({name: np.array(states, dtype=object)[found.argmax(axis=1)]})
    for k, state in enumerate(states):
        frame[f"P({name}={state})"] = found[:, k]
    return frame


def write_frame(frame: pd.DataFrame, output: Path) -> None:
    """Write a table as CSV, to stdout for "-"."""
    text = frame.to_csv(index=False, lineterminator="\n")
    if str(output) == "-":
        typer.echo(text, nl=False)
    else:
        write_text(output, text)


# Figures: written whole or not at all, the format by the suffix

# Without the date, the same figure is the same bytes.
METADATA = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def check_figure_name(path: Path | None) -> None:
    """Refuse a name that cannot be written, before any work is done."""
    if path is None:
        return
    if _kind(path) not in METADATA:
        raise FormatError(f"cannot write {path}: a figure's name must end in .png, .svg or .pdf.")
    load_figure()
    check_writable(path)


def figure_of(ax: Axes) -> Figure:
    """Return the figure that axes are in."""
    from matplotlib.figure import Figure

    found = ax.get_figure()
    assert isinstance(found, Figure)
    return found


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as .png, .svg or .pdf."""
    kind = _kind(path)
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=150, metadata=METADATA[kind])
    write_bytes(path, content.getvalue())


def _kind(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()


# Graphs from and to files of any format: networks with tables, and graphs alone

GRAPH_FILES = (
    "a network (.bif, .xmlbif, .net, .xdsl, .uai), .txt or .str (lines such as M [B, L]), .csv (from,to or an "
    "adjacency matrix), .dot or .gv, .graphml, .json (what --json prints), or .modelstring ([A][B|A])"
)
NETWORK_FILES = (
    "A network with tables: .bif, .xmlbif, .net, .xdsl or .uai, each also with .gz; - for stdin; or network.json, over "
    "numbers as they are."
)
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
    content: Dag | Pdag | graph_files.ArcList
    network: BayesianNetwork | None = None
    mixed: MixedNetwork | None = None  # a network over numbers as they are

    def graph(self, names: Sequence[str] | None = None) -> Dag | Pdag:
        """Return the graph; a list of arcs takes its nodes from `names`."""
        if not isinstance(self.content, graph_files.ArcList):
            return self.content
        with errors_within(f"{self.path}:", kind=FormatError):
            return self.content.graph(names)

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
        return None if isinstance(self.content, graph_files.ArcList) else self.content.names


def open_graph_file(path: Path) -> GraphFile:
    """Read what a file holds, or stdin if it is called -; each format may be compressed."""
    if str(path) == "-":
        content = sys.stdin.buffer.read()
        content = unpack_gzip(content, source="<stdin>") if content.startswith(GZIP_MAGIC) else content
        plain = content.removeprefix(b"\xef\xbb\xbf")
        kind = next((name for name, begins in BEGINNINGS.items() if begins.match(plain)), "structure")
        return _parsed(Path("<stdin>"), content, kind)
    try:
        kind = network_format(path) or graph_files.graph_format(path)
    except FormatError:
        raise FormatError(
            f"{path}: the suffix does not say what kind of graph file it is; known are {GRAPH_FILES}."
        ) from None
    return _parsed(path, read_bytes(path), kind)


def _parsed(path: Path, content: bytes, kind: str) -> GraphFile:
    if kind in NETWORK_FORMATS:
        network = parse_network(content, kind, source=str(path))
        return GraphFile(path, network.dag, network)
    if kind == "json" and is_mixed(content):
        mixed = MixedNetwork.parse(content.decode("utf-8", "replace"), source=str(path))
        return GraphFile(path, mixed.dag, None, mixed)
    return GraphFile(path, graph_files.parse_graph(content, kind, source=str(path)))


def open_network(path: Path) -> BayesianNetwork:
    """Read a network with its tables; a graph without them is refused with what to do."""
    network = open_any_network(path)
    if isinstance(network, BayesianNetwork):
        return network
    raise FormatError(
        f"{path}: a network over numbers as they are; here one of tables is needed. `arcwise query`, `sample` and "
        "`evaluate` take both."
    )


def open_any_network(path: Path) -> BayesianNetwork | MixedNetwork:
    """Read a network of tables, or one over numbers as they are; a graph without either is refused with what to do."""
    file = open_graph_file(path)
    network = file.network if file.mixed is None else file.mixed
    if network is None:
        raise FormatError(
            f"{path}: this is a graph without probability tables. Estimate them from data first: "
            f"arcwise fit {path} DATA -o network.bif"
        )
    return network


def check_network_name(path: Path) -> None:
    """Refuse a name that says no format of networks, before the work; on stdout, "-", a network is BIF."""
    if str(path) == "-":
        return
    with errors_within("cannot write"):
        known_format(path)
    check_writable(path)


def read_two_graphs(first: Path, second: Path) -> tuple[GraphFile, GraphFile]:
    """Read two graphs over the same nodes: a list of arcs has the nodes of the other file, or those of both lists."""
    if str(first) == str(second) == "-":
        raise typer.BadParameter("only one of two graphs can come from stdin.")
    files = open_graph_file(first), open_graph_file(second)
    if all(isinstance(file.content, graph_files.ArcList) for file in files):
        names = tuple(sorted({name for file in files for name in file.content.names}))
    else:
        names = next(file.content.names for file in files if not isinstance(file.content, graph_files.ArcList))
    one, two = (GraphFile(file.path, file.graph(names), file.network) for file in files)
    return one, two


# How a graph is written, by suffix; the last two are for DAGs.
WRITERS: dict[str, Callable[[Path, Any, Mapping[tuple[str, str], float] | None], None]] = {
    ".csv": lambda path, graph, labels: graph_files.write_arc_list(path, graph),
    ".dot": lambda path, graph, labels: graph_files.write_dot(path, graph, labels=labels),
    ".graphml": lambda path, graph, labels: graph_files.write_graphml(path, graph, labels=labels),
    ".txt": lambda path, graph, labels: graph_files.write_structure(path, graph),
    ".modelstring": lambda path, graph, labels: write_text(path, f"{graph.to_model_string()}\n"),
}


def check_output_name(path: Path, *, partly_directed: bool = False) -> str:
    """Return the suffix of a graph file to write; a verb asks before its work, so that none is lost to a wrong name.

    For stdout, "-", the format is CSV.
    """
    if str(path) == "-":
        return ".csv"
    check_writable(path)
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    known = tuple(WRITERS)[: 3 if partly_directed else None]
    if suffix not in known:
        tables = " A network with tables is made by arcwise fit, of a graph and data." if network_format(path) else ""
        raise FormatError(
            f"cannot write {path}: the name must end in {', '.join(known)}, or one of these and .gz.{tables}"
        )
    return suffix


def write_graph_file(path: Path, graph: Dag | Pdag, *, labels: Mapping[tuple[str, str], float] | None = None) -> None:
    """Write a graph as its suffix says, with labels where the format has them; to stdout for "-"."""
    suffix = check_output_name(path, partly_directed=not isinstance(graph, Dag))
    if str(path) == "-":
        typer.echo(graph_files.format_arc_list(graph), nl=False)
    else:
        WRITERS[suffix](path, graph, labels)
