"""XDSL, the XML format of GeNIe and SMILE.

Nodes come with parents before children, as SMILE wants them; the order of the variables is that of the nodes in the
part for GeNIe, if that lists the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FormatError
from arcwise.model.formats.declared_network import DeclaredNetwork, read_numbers
from arcwise.model.formats.defined import require_defined
from arcwise.model.formats.names import PROPERTY, identifier, read_property, spell_all
from arcwise.model.formats.xml_tree import Element, parse_xml
from arcwise.model.network import BayesianNetwork

__all__ = ["format_xdsl", "parse_xdsl"]

# What GeNIe draws: the size of a node and the room between two.
WIDTH, HEIGHT, ROOM = 96, 48, 40


def parse_xdsl(content: bytes, *, source: str = "<text>") -> BayesianNetwork:
    """Return the network of an XDSL file: chance nodes with tables, and deterministic nodes; `source` is its name."""
    root = parse_xml(content, source)
    nodes = root.first("nodes") if root.tag == "smile" else None
    if nodes is None:
        raise FormatError(f"{source}: an XDSL file has the elements smile and nodes; this one begins <{root.tag}>.")
    if root.first("dynamic") is not None:
        raise FormatError(f"{source}: a dynamic network is not read. Unroll it in GeNIe first.")
    declared = DeclaredNetwork(source)
    states: dict[str, list[str]] = {}
    for node in nodes.children:
        if node.tag not in ("cpt", "deterministic"):
            raise declared.error(
                f"line {node.line}",
                f"a node of the kind '{node.tag}' is not read, only chance nodes with tables (cpt) and deterministic "
                "ones. Change its type in GeNIe.",
            )
        key = _id(declared, node)
        states[key] = [_id(declared, state) for state in node.named("state")]
        name, own = key, states[key]
        for note in node.named("property"):
            if note.attributes.get("id") == PROPERTY:
                name, own = read_property(note.text, len(own), f"{source}, line {note.line}")
        declared.add_variable(key, name, own, f"line {node.line}")
    for node in nodes.children:
        key = node.attributes["id"]
        above = node.first("parents")
        declared.add_table(
            key,
            above.text.split() if above is not None else [],
            _values(declared, node, states[key]),
            f"line {node.line}",
        )
    return declared.network(_drawn_order(root, states))


def format_xdsl(network: BayesianNetwork) -> str:
    """Return the text of a network's XDSL file."""
    require_defined(network, "XDSL")
    return "".join(_lines(network))


def _id(declared: DeclaredNetwork, element: Element) -> str:
    if "id" not in element.attributes:
        raise declared.error(f"line {element.line}", f"an element '{element.tag}' has no id.")
    return element.attributes["id"]


def _values(declared: DeclaredNetwork, node: Element, states: list[str]) -> NDArray[np.float64]:
    what = "probabilities" if node.tag == "cpt" else "resultingstates"
    given = node.first(what)
    place = f"line {node.line}"
    if given is None:
        raise declared.error(place, f"the node '{node.attributes['id']}' has no {what}.")
    if node.tag == "cpt":
        return read_numbers(given.text, lambda message: declared.error(f"line {given.line}", message))
    words = given.text.split()
    positions = {state: number for number, state in enumerate(states)}
    values = np.zeros((len(words), len(states)))
    for row, word in enumerate(words):
        if word not in positions:
            raise declared.error(place, f"the node '{node.attributes['id']}' has no state '{word}'.")
        values[row, positions[word]] = 1.0
    return values.ravel()


def _drawn_order(root: Element, states: dict[str, list[str]]) -> list[str] | None:
    extensions = root.first("extensions")
    genie = extensions.first("genie") if extensions is not None else None
    if genie is None:
        return None
    drawn = [node.attributes.get("id", "") for node in genie.named("node")]
    return drawn if len(drawn) == len(states) and set(drawn) == set(states) else None


def _lines(network: BayesianNetwork) -> Iterator[str]:
    spellings = spell_all(network.names, network.states, identifier, identifier)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<smile version="1.0" id="Network" numsamples="10000" discsamples="10000">\n\t<nodes>\n'
    for v in network.dag.topological_order:
        spelling = spellings[v]
        yield f'\t\t<cpt id="{spelling.name}">\n'
        for state in spelling.states:
            yield f'\t\t\t<state id="{state}" />\n'
        if network.dag.parents[v]:
            yield f"\t\t\t<parents>{' '.join(spellings[p].name for p in network.dag.parents[v])}</parents>\n"
        if spelling.note is not None:
            yield f"\t\t\t<property id={quoteattr(PROPERTY)}>{escape(spelling.note)}</property>\n"
        values = " ".join(map(repr, network.tables[v].ravel().tolist()))
        yield f"\t\t\t<probabilities>{values}</probabilities>\n\t\t</cpt>\n"
    yield "\t</nodes>\n\t<extensions>\n"
    yield '\t\t<genie version="1.0" app="arcwise" name="Network" faultnameformat="nodestate">\n'
    for spelling, name, (left, top) in zip(spellings, network.names, _positions(network), strict=True):
        shown = escape(name if name.isprintable() else spelling.name)
        yield f'\t\t\t<node id="{spelling.name}">\n\t\t\t\t<name>{shown}</name>\n'
        yield '\t\t\t\t<interior color="e5f6f7" />\n\t\t\t\t<outline color="000080" />\n'
        yield '\t\t\t\t<font color="000000" name="Arial" size="8" />\n'
        yield f"\t\t\t\t<position>{left} {top} {left + WIDTH} {top + HEIGHT}</position>\n\t\t\t</node>\n"
    yield "\t\t</genie>\n\t</extensions>\n</smile>\n"


def _positions(network: BayesianNetwork) -> list[tuple[int, int]]:
    """Where each node is drawn: a layer below the lowest of its parents, layers filled from the left."""
    layers = [0] * network.n_variables
    for v in network.dag.topological_order:
        layers[v] = max((layers[p] + 1 for p in network.dag.parents[v]), default=0)
    filled: dict[int, int] = {}
    found = []
    for layer in layers:
        column = filled.get(layer, 0)
        filled[layer] = column + 1
        found.append((ROOM + column * (WIDTH + ROOM), ROOM + layer * (HEIGHT + ROOM)))
    return found
