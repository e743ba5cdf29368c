"""Networks with tables from and to files, the format by the name: BIF, XMLBIF, Hugin NET, GeNIe XDSL, UAI."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import FormatError, GraphError, OptionError, Remedy, errors_within
from arcwise.base.files import decode_text, format_of, place_in, read_bytes, write_text
from arcwise.base.options import load_networkx, load_package
from arcwise.base.showing import one_screen
from arcwise.graph.dag import Dag
from arcwise.model.formats import (
    net_lines,
    parse_net,
    parse_uai,
    parse_xdsl,
    parse_xmlbif,
    uai_lines,
    xdsl_lines,
    xmlbif_lines,
)
from arcwise.model.tables import ROW_TOLERANCE, Parts, checked_parts

if TYPE_CHECKING:
    import networkx

    from arcwise.model.network import BayesianNetwork


# Read and write BIF, the Bayesian Interchange Format.
#
# The reader is native (``cpp/core/model/bif_syntax.hpp`` gives the grammar); it takes what the format's version 0.15
# allows, in any order of blocks, and what bnlearn, pgmpy and JavaBayes write. Values are kept as the file has them.
#
# Names: a word is written bare if it consists of printable ASCII characters other than ``{ } ( ) [ ] | , ; "`` and
# the backslash, and does not begin with ``//`` or ``/*``. Any other name (spaces, commas, letters beyond ASCII) is
# written in double quotes, with the escapes ``\"``, ``\\``, ``\n``, ``\t``, ``\r`` and ``\xHH`` for other control
# characters; the reader takes both. Files are UTF-8.
#
# Undefined rows, for which the format has no word, are written as ``property undefined (state, ...);``, which other
# programs skip.


# The most numbers that the tables of one file may hold, 512 MB: a short file can ask for a table of any size.
MAX_FILE_CELLS = 2**26

_BARE = re.compile(r"(?!//|/\*)[!#-'*+\-./0-9:<-Z^-z~]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def bif_parts(
    text: str | bytes, source: str, tolerance: float = ROW_TOLERANCE, max_cells: int = MAX_FILE_CELLS
) -> Parts:
    """Return the parts of the network of a BIF file; see `arcwise.model.read_bif`."""
    content = _checked_text(text, source)
    names, states, parents, _, values, message, line, column = _core.model.read_bif(
        content, min(tolerance, ROW_TOLERANCE), max_cells
    )
    if line > 0:
        raise FormatError(f"{source}, line {line}, column {column}: {message}.")
    return Parts(Dag(names, parents), tuple(map(tuple, states)), values)


def write_bif(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a BIF file; a name that ends in .gz is compressed. Every number reads back unchanged."""
    write_text(path, format_bif(network))


def format_bif(network: BayesianNetwork) -> str:
    """Return the text of a network's BIF file."""
    return "".join(_lines(network))


def _lines(network: BayesianNetwork) -> Iterator[str]:
    names = [_bif_word(name) for name in network.names]
    states = [[_bif_word(state) for state in variable] for variable in network.states]
    yield "network unknown {\n}\n"
    for name, variable in zip(names, states, strict=True):
        yield f"variable {name} {{\n  type discrete [ {len(variable)} ] {{ {', '.join(variable)} }};\n}}\n"
    for v, table in enumerate(network.tables):
        parents = network.dag.parents[v]
        given = f" | {', '.join(names[p] for p in parents)}" if parents else ""
        yield f"probability ( {names[v]}{given} ) {{\n"
        rows = table.tolist()
        configurations = map(", ".join, itertools.product(*(states[p] for p in parents)))
        for configuration, row in zip(configurations, rows, strict=True):
            if row[0] != row[0]:  # NaN
                yield f"  property undefined ({configuration});\n"
            else:
                yield f"  {f'({configuration})' if parents else 'table'} {', '.join(map(repr, row))};\n"
        yield "}\n"


def _bif_word(name: str) -> str:
    if _BARE.fullmatch(name):
        return name
    quoted = "".join(
        _ESCAPES.get(c, c) if c >= " " and c != "\x7f" else _ESCAPES.get(c, f"\\x{ord(c):02x}") for c in name
    )
    return f'"{quoted}"'


def _checked_text(text: str | bytes, source: str) -> bytes:
    """Return the text as UTF-8 without a byte-order mark; what cannot be text is an error with its place."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    content = content.removeprefix(b"\xef\xbb\xbf")
    decode_text(content, source=source)
    zero = content.find(b"\0")
    if zero >= 0:
        raise FormatError(f"{source}, {place_in(content, zero)}: a NUL byte; this is not a text file.")
    return content


# The formats, and how a file's name chooses one.


@one_screen
@dataclass(frozen=True)
class NetworkFormat:
    """A format of files: what it is called, the suffixes that stand for it, its reader and its writer."""

    title: str
    suffixes: tuple[str, ...]
    parse: Callable[..., Parts]
    format: Callable[[BayesianNetwork], str]


def _writer(name: str, lines: Callable[[BayesianNetwork], Iterable[str]]) -> Callable[[BayesianNetwork], str]:
    """Return the writer of a format that has no word for rows without probabilities."""

    def format_lines(network: BayesianNetwork) -> str:
        for v, table in enumerate(network.tables):
            count = int(np.isnan(table[:, 0]).sum())
            if count:
                raise FormatError(
                    f"{name} has no word for undefined rows, and the table of '{network.names[v]}' has {count:,}. Fit "
                    "the parameters with an estimator that defines them, such as bd or laplace, or write BIF."
                )
        return "".join(lines(network))

    return format_lines


NETWORK_FORMATS: dict[str, NetworkFormat] = {
    "bif": NetworkFormat("BIF", (".bif",), bif_parts, format_bif),
    "xmlbif": NetworkFormat("XMLBIF", (".xmlbif", ".bifxml", ".xml"), parse_xmlbif, _writer("XMLBIF", xmlbif_lines)),
    "net": NetworkFormat("Hugin NET", (".net",), parse_net, _writer("NET", net_lines)),
    "xdsl": NetworkFormat("GeNIe XDSL", (".xdsl",), parse_xdsl, _writer("XDSL", xdsl_lines)),
    "uai": NetworkFormat("UAI", (".uai",), parse_uai, _writer("UAI", uai_lines)),
}


def network_format(path: str | os.PathLike[str]) -> str | None:
    """Return the format that a file's name stands for, a key of `NETWORK_FORMATS`, or None.

    >>> network_format("asia.net.gz"), network_format("asia.csv")
    ('net', None)
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return next((kind for kind, form in NETWORK_FORMATS.items() if name.endswith(form.suffixes)), None)


def write_network(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network with its tables as the suffix says; a name that ends in .gz is compressed.

    What is written reads back equal, number for number; what a format cannot hold is refused. See
    `arcwise.model.read_network`.
    """
    kind = known_format(path)
    with errors_within(f"cannot write {path}:"):
        text = format_network(network, kind)
    write_text(path, text)


def network_parts(path: str | os.PathLike[str]) -> Parts:
    """Return the parts of the network in a file; see `arcwise.model.read_network`."""
    return NETWORK_FORMATS[known_format(path)].parse(read_bytes(path), source=str(path))


def format_network(network: BayesianNetwork, kind: str) -> str:
    """Return the text of a network's file in the given format, a key of `NETWORK_FORMATS`."""
    return NETWORK_FORMATS[kind].format(network)


def known_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name stands for; a name that stands for none is an error."""
    return format_of(
        path, {kind: form.suffixes for kind, form in NETWORK_FORMATS.items()}, "how the network is written"
    )


# Networks in the classes of other libraries: networkx graphs with attributes, pgmpy's and pyAgrum's networks.


def to_networkx(network: BayesianNetwork) -> networkx.DiGraph[str]:
    """Return a networkx graph with one node per variable, in order, and these attributes on each node.

    ``states``: the list of state names; ``parents``: the parents in the order of the table's axes; ``table``: the
    table as nested lists with one level per parent and the states innermost; undefined entries are NaN. All of them
    are plain lists, so that networkx can write the graph as JSON (node-link) as well.
    """
    graph: networkx.DiGraph[str] = load_networkx().DiGraph()
    for v, name in enumerate(network.names):
        graph.add_node(
            name,
            states=list(network.states[v]),
            parents=list(network.parents(name)),
            table=network.table(name).tolist(),
        )
    graph.add_edges_from(network.dag.arcs)
    return graph


def from_networkx(graph: networkx.DiGraph[Any]) -> Parts:
    """Return the parts of a network from a directed graph whose nodes have the attributes that `to_networkx` writes.

    ``parents`` may be missing: the table's axes are then the parents in the order of the graph's nodes.
    """
    names = [str(node) for node in graph.nodes]
    if not graph.is_directed():
        raise GraphError("the graph is undirected; a Bayesian network needs a networkx.DiGraph.")
    for node, attributes in graph.nodes(data=True):
        for attribute in ("states", "table"):
            if attribute not in attributes:
                raise GraphError(f"node '{node}' has no attribute '{attribute}'; it needs 'states' and 'table'.")
    dag = Dag.from_arcs(names, [(str(a), str(b)) for a, b in graph.edges])
    states = {str(node): [str(state) for state in attributes["states"]] for node, attributes in graph.nodes(data=True)}
    tables = []
    for v, (_, attributes) in enumerate(graph.nodes(data=True)):
        own = [names[p] for p in dag.parents[v]]
        axes = [str(parent) for parent in attributes.get("parents", own)]
        tables.append(_reordered(names[v], np.asarray(attributes["table"], dtype=np.float64), axes, own, states))
    return checked_parts(dag, states, tables)


def _reordered(
    name: str,
    table: NDArray[np.float64],
    axes: list[str],
    wanted: list[str],
    states: dict[str, list[str]],
) -> NDArray[np.float64]:
    """Return a table whose axes are the parents `axes` with the parents in the order `wanted`."""
    if sorted(axes) != sorted(wanted):
        raise GraphError(
            f"node '{name}' lists the parents {', '.join(axes) or '(none)'}, but its arcs come from "
            f"{', '.join(wanted) or '(none)'}."
        )
    shape = tuple(len(states[member]) for member in (*axes, name))
    if table.size != np.prod(shape):
        raise OptionError(f"table of '{name}' has {table.size} entries; its parents' states and its own need {shape}.")
    return table.reshape(shape).transpose([*(axes.index(parent) for parent in wanted), len(axes)])


def to_pgmpy(network: BayesianNetwork) -> Any:
    """Return the network as a pgmpy network; needs pgmpy (``pip install arcwise[peers]``)."""
    network_class, table_class = _pgmpy()
    _require_defined(network, "pgmpy")
    model = network_class()
    model.add_nodes_from(network.names)
    model.add_edges_from(network.dag.arcs)
    for v, name in enumerate(network.names):
        parents = network.dag.parents[v]
        # pgmpy keeps (r, q): one column per parent configuration, the first parent varying slowest.
        model.add_cpds(
            table_class(
                name,
                len(network.states[v]),
                network.tables[v].T.copy(),
                evidence=[network.names[p] for p in parents] or None,
                evidence_card=[len(network.states[p]) for p in parents] or None,
                state_names={network.names[m]: list(network.states[m]) for m in (v, *parents)},
            )
        )
    return model


def from_pgmpy(model: Any) -> Parts:
    """Return the parts of a network from a pgmpy network; states become strings, the order of nodes is kept."""
    names = [str(node) for node in model.nodes]
    dag = Dag.from_arcs(names, [(str(a), str(b)) for a, b in model.edges])
    tables = {str(table.variable): table for table in model.cpds}
    missing = [name for name in names if name not in tables]
    if missing:
        raise OptionError(f"the pgmpy network has no table (CPD) for {', '.join(missing)}; fit it first.")
    states = {name: [str(state) for state in tables[name].state_names[tables[name].variable]] for name in names}
    arrays = []
    for v, name in enumerate(names):
        table = tables[name]
        axes = [str(variable) for variable in table.variables[1:]]
        array = _reordered(
            name, np.moveaxis(np.asarray(table.values), 0, -1), axes, [names[p] for p in dag.parents[v]], states
        )
        # pgmpy lets every table number its parents' states in an order of its own.
        for axis, p in enumerate(dag.parents[v]):
            parent = names[p]
            own = [str(state) for state in table.state_names[table.variables[1 + axes.index(parent)]]]
            array = array.take([own.index(state) for state in states[parent]], axis=axis)
        arrays.append(array)
    return checked_parts(dag, states, arrays)


def to_pyagrum(network: BayesianNetwork) -> Any:
    """Return the network as a pyAgrum network; needs pyAgrum (``pip install arcwise[peers]``)."""
    library = load_package("pyagrum", "this conversion needs pyAgrum", Remedy("install it: pip install pyagrum"))
    _require_defined(network, "pyAgrum")
    model = library.BayesNet()
    nodes = [
        model.add(library.LabelizedVariable(name, name, list(states)))
        for name, states in zip(network.names, network.states, strict=True)
    ]
    for v, parents in enumerate(network.dag.parents):
        for p in parents:
            model.addArc(nodes[p], nodes[v])
    for v, name in enumerate(network.names):
        own = [network.names[p] for p in network.dag.parents[v]] + [name]
        table = model.cpt(nodes[v])
        # pyAgrum's first variable varies fastest: its axes are those of an array, read backwards.
        axes = [own.index(axis) for axis in reversed(table.names)]
        table.fillWith(network.table(name).transpose(axes).ravel().tolist())
    return model


def from_pyagrum(model: Any) -> Parts:
    """Return the parts of a network from a pyAgrum network; states are its labels, the order of nodes is kept."""
    nodes = sorted(model.nodes())
    names = [model.variable(node).name() for node in nodes]
    positions = {node: v for v, node in enumerate(nodes)}
    dag = Dag(names, [[positions[parent] for parent in model.parents(node)] for node in nodes])
    states = {
        name: [str(label) for label in model.variable(node).labels()] for name, node in zip(names, nodes, strict=True)
    }
    arrays = []
    for v, node in enumerate(nodes):
        table = model.cpt(node)
        axes = list(reversed(table.names))
        array = np.asarray(table.tolist(), dtype=np.float64).reshape([len(states[axis]) for axis in axes])
        own = [names[p] for p in dag.parents[v]] + [names[v]]
        arrays.append(array.transpose([axes.index(axis) for axis in own]))
    return checked_parts(dag, states, arrays)


def _require_defined(network: BayesianNetwork, library: str) -> None:
    if not network.is_defined:
        raise OptionError(
            f"{library} has no undefined entries, and this network has some. Fit the parameters with an estimator that "
            "defines them, such as 'laplace' or 'bd'."
        )


def _pgmpy() -> tuple[Any, Any]:
    """pgmpy's classes for a network (renamed in its version 1) and for a table."""
    parts = ("pgmpy.models", "pgmpy.factors.discrete")
    models, factors = (
        load_package(name, "this conversion needs pgmpy", Remedy("install it: pip install pgmpy")) for name in parts
    )
    return getattr(models, "DiscreteBayesianNetwork", None) or models.BayesianNetwork, factors.TabularCPD
