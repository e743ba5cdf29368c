"""XMLBIF, the XML form of the Bayesian Interchange Format (0.3), as JavaBayes, Weka, pgmpy and pyAgrum use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from arcwise.errors import FormatError
from arcwise.model.formats.declared_network import DeclaredNetwork, read_numbers
from arcwise.model.formats.defined import require_defined
from arcwise.model.formats.names import PROPERTY, read_property, spell_all
from arcwise.model.formats.xml_tree import Element, parse_xml
from arcwise.model.network import BayesianNetwork

__all__ = ["format_xmlbif", "parse_xmlbif"]

# The characters that XML 1.0 can hold and readers leave as they are; a carriage return becomes a line end.
_CHARACTERS = re.compile("[\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*+")


def parse_xmlbif(content: bytes, *, source: str = "<text>") -> BayesianNetwork:
    """Return the network of an XMLBIF file; `source` is its name in messages."""
    root = parse_xml(content, source)
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
        values = read_numbers(table.text, lambda message, at=inside: declared.error(at, message))  # type: ignore[misc]
        declared.add_table(children[0], [_word(given) for given in element.named("GIVEN")], values, inside)
    return declared.network()


def format_xmlbif(network: BayesianNetwork) -> str:
    """Return the text of a network's XMLBIF file."""
    require_defined(network, "XMLBIF")
    return "".join(_lines(network))


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


def _lines(network: BayesianNetwork) -> Iterator[str]:
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
