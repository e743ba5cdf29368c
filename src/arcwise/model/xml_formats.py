"""XDSL and XMLBIF: the elements of an XML file from anywhere, read with limits, and the networks that they describe.

Entities are refused, so that none can grow without bound or name a file, and nothing outside the file is ever fetched.
A document type is skipped, since XMLBIF files begin with one; the attributes for which it gives default values, which
an XML reader adds to every element, are limited in number and length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError
from arcwise.model.declared import PROPERTY, DeclaredNetwork, identifier, read_property, spell_all
from arcwise.model.tables import Parts

if TYPE_CHECKING:
    from arcwise.model.network import BayesianNetwork


MOST_DEPTH = 64
MOST_DEFAULTS = 64
LONGEST_DEFAULT = 256


@dataclass(slots=True)
class Element:
    """An element: its tag without namespace, attributes, children, the line where it begins, and its own text."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly inside the element."""
        return "".join(self.texts)

    def named(self, tag: str) -> Iterator[Element]:
        """Yield the children with a tag, in any case of letters."""
        return (child for child in self.children if child.tag.lower() == tag.lower())

    def first(self, tag: str) -> Element | None:
        """Return the first child with a tag, or None."""
        return next(self.named(tag), None)


class _TreeReader:
    """Reads the root element; what is not XML, or asks for more than it may, is a FormatError with its line."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._root: Element | None = None
        self._open: list[Element] = []
        self._defaults = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.AttlistDeclHandler = self._check_default

    def read(self, content: bytes) -> Element:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            raise FormatError(
                f"{self._source}, line {error.lineno}, column {error.offset + 1}: {expat.ErrorString(error.code)}."
            ) from None
        except (ValueError, LookupError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{self._source}: {error}.") from None  # an encoding that nobody knows
        assert self._root is not None
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag.rpartition(":")[2], attributes, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)
        if len(self._open) > MOST_DEPTH:
            raise self._error(f"more than {MOST_DEPTH} elements inside each other")

    def _end(self, _: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].texts.append(text)

    def _refuse_entity(self, *_: object) -> None:
        raise self._error("entities are not read. Remove the lines <!ENTITY ...>")

    def _check_default(self, element: str, attribute: str, kind: str, default: str | None, required: int) -> None:
        del element, attribute, kind, required
        self._defaults += default is not None
        if self._defaults > MOST_DEFAULTS or (default is not None and len(default) > LONGEST_DEFAULT):
            raise self._error(
                "a document type with so many or so long default values is not read. Remove <!ATTLIST ...>"
            )

    def _error(self, message: str) -> FormatError:
        return FormatError(f"{self._source}, line {self._parser.CurrentLineNumber}: {message}.")


# XDSL, the XML format of GeNIe and SMILE.
#
# Nodes come with parents before children, as SMILE wants them; the order of the variables is that of the nodes in the
# part for GeNIe, if that lists the same ones.


# What GeNIe draws: the size of a node and the room between two.
WIDTH, HEIGHT, ROOM = 96, 48, 40


def parse_xdsl(content: bytes, *, source: str = "<text>") -> Parts:
    """Return the parts of the network of an XDSL file: chance nodes with tables, and deterministic ones."""
    root = _TreeReader(source).read(content)
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
    return declared.parts(_drawn_order(root, states))


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
        return declared.numbers(given.text, f"line {given.line}")
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


def xdsl_lines(network: BayesianNetwork) -> Iterator[str]:
    """Yield the lines of a network's XDSL file."""
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


# XMLBIF, the XML form of the Bayesian Interchange Format (0.3), as JavaBayes, Weka, pgmpy and pyAgrum use it.


# The characters that XML 1.0 can hold and readers leave as they are; a carriage return becomes a line end.
_CHARACTERS = re.compile("[\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*+")


def parse_xmlbif(content: bytes, *, source: str = "<text>") -> Parts:
    """Return the parts of the network of an XMLBIF file; `source` is its name in messages."""
    root = _TreeReader(source).read(content)
    found = root.first("NETWORK") if root.tag.upper() == "BIF" else None
    if found is None:
        raise FormatError(f"{source}: an XMLBIF file has the elements BIF and NETWORK; this one begins <{root.tag}>.")
    declared = DeclaredNetwork(source)
    for element in found.named("VARIABLE"):
        _declare(declared, element, source)
    for element in found.named("DEFINITION"):
        children = [_word(child) for child in element.named("FOR")]
        place = f"line {element.line}"
        if len(children) != 1:
            raise declared.error(place, f"a definition is for one variable; this one is for {len(children)}.")
        table = element.first("TABLE")
        if table is None:
            raise declared.error(place, f"the definition of '{children[0]}' has no TABLE.")
        inside = f"line {table.line}"
        parents = [_word(given) for given in element.named("GIVEN")]
        declared.add_table(children[0], parents, declared.numbers(table.text, inside), inside)
    return declared.parts()


def _declare(declared: DeclaredNetwork, element: Element, source: str) -> None:
    place = f"line {element.line}"
    kind = element.attributes.get("TYPE", "nature").lower()
    called = element.first("NAME")
    if called is None:
        raise declared.error(place, "a variable has no NAME.")
    name = _word(called)
    if kind != "nature":
        raise declared.error(place, f"'{name}' is of the type '{kind}'; only chance nodes ('nature') are read.")
    states = [_word(outcome) for outcome in element.named("OUTCOME")]
    key = name
    for note in element.named("PROPERTY"):
        words, sign, text = note.text.strip().partition(" = ")
        if sign and words == PROPERTY:
            name, states = read_property(text, len(states), f"{source}, line {note.line}")
    declared.add_variable(key, name, states, place)


def _word(element: Element) -> str:
    return element.text.strip()


def _is_word(text: str) -> bool:
    return text == text.strip() and _CHARACTERS.fullmatch(text) is not None


def xmlbif_lines(network: BayesianNetwork) -> Iterator[str]:
    """Yield the lines of a network's XMLBIF file."""
    spellings = spell_all(network.names, network.states, _is_word, _is_word)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n<NAME>unknown</NAME>\n'
    for spelling in spellings:
        yield f'<VARIABLE TYPE="nature">\n  <NAME>{escape(spelling.name)}</NAME>\n'
        for state in spelling.states:
            yield f"  <OUTCOME>{escape(state)}</OUTCOME>\n"
        if spelling.note is not None:
            yield f"  <PROPERTY>{PROPERTY} = {escape(spelling.note)}</PROPERTY>\n"
        yield "</VARIABLE>\n"
    for v, table in enumerate(network.tables):
        yield f"<DEFINITION>\n  <FOR>{escape(spellings[v].name)}</FOR>\n"
        for parent in network.dag.parents[v]:
            yield f"  <GIVEN>{escape(spellings[parent].name)}</GIVEN>\n"
        yield "  <TABLE>\n"
        for row in table.tolist():
            yield f"    {' '.join(map(repr, row))}\n"
        yield "  </TABLE>\n</DEFINITION>\n"
    yield "</NETWORK>\n</BIF>\n"
