"""Formats of networks: Hugin NET and UAI, which are text, and XMLBIF and GeNIe XDSL, which are XML."""

from __future__ import annotations

import bisect
import itertools
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError
from arcwise.base.files import decode_text, parse_json
from arcwise.graph.files import Element, Tokens, read_xml
from arcwise.model.tables import PROPERTY, DeclaredNetwork, Parts, identifier, read_property, spell, spell_all

if TYPE_CHECKING:
    from arcwise.model.network import BayesianNetwork


# Every alternative is linear in the text: no backtracking.
_TOKEN = re.compile(
    r"(?P<skip>\s++|%[^\n]*+)"
    r'|(?P<quoted>"[^"\\]*+(?:\\.[^"\\]*+)*+")'
    r"|(?P<mark>[{}()=;|,])"
    r"|(?P<word>[^\s{}()=;|,\"%]++)",
    re.DOTALL,
)
# What is between `data =` and its semicolon; a comment may have any character.
_DATA = re.compile(r"(?:[^;{}\"%]++|%[^\n]*+)*+")
_RESERVED = re.compile(
    "net|class|node|potential|discrete|continuous|decision|utility|function|probability|inputs|"
    "outputs|data|states|label|position|normal|true|false|boolean|number|labelled|interval"
)
_NOT_READ = ("continuous", "decision", "utility", "function", "boolean")


def parse_net(content: bytes, *, source: str = "<text>") -> Parts:
    """Return the parts of the network of a Hugin NET file; `source` is its name in messages."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # what Hugin wrote before version 7
    return _NetReader(text, source).parts()


class _NetReader(Tokens):
    """The grammar's rules."""

    PATTERN = _TOKEN

    def __init__(self, text: str, source: str) -> None:
        self._declared = DeclaredNetwork(source)
        self._potentials: list[tuple[str, list[str], str, str]] = []
        super().__init__(text, source)

    def parts(self) -> Parts:
        if self.kind == "name" and self.text.startswith("net", self.start) and self.value == "net":
            self.advance()
            self._read_block()
        while self.kind != "end":
            word = self.take_name("'node' or 'potential'")
            if word in ("node", "discrete"):
                if word == "discrete" and self.take_name("'node'") != "node":
                    raise self.error("expected 'node'")
                self._read_node()
            elif word == "potential":
                self._read_potential()
            elif word == "class":
                raise self.error("an object-oriented network (class) is not read. Save it as a flat NET file in Hugin")
            elif word in _NOT_READ:
                raise self.error(f"a {word} node is not read, only chance nodes with tables are")
            else:
                raise self.error("expected 'node' or 'potential'")
        for child, parents, numbers, place in self._potentials:
            self._declared.add_table(child, parents, self._declared.numbers(numbers, place), place)
        return self._declared.parts()

    def _read_node(self) -> None:
        place = self.place
        key = self.take_name("the name of a node")
        facts = self._read_block()
        states = facts.get("states", [])
        name = key
        if PROPERTY in facts:
            text = unquote("".join(facts[PROPERTY]))
            name, states = read_property(text, len(states), f"{self.source}, {place}")
        self._declared.add_variable(key, name, states, place)

    def _read_potential(self) -> None:
        self.take("(")
        place = self.place
        left: list[str] = []
        right: list[str] = []
        side = left
        while self.kind != ")":
            if self.kind == "|" and side is left:
                side = right
                self.advance()
            elif self.kind == ",":
                self.advance()
            else:
                side.append(self.take_name("the name of a node"))
        self.advance()
        if len(left) != 1:
            raise self._declared.error(place, f"a potential is for one node; this one is for {len(left)}.")
        facts = self._read_block()
        if "model_data" in facts or "model_nodes" in facts:
            raise self._declared.error(place, f"the table of '{left[0]}' is an expression, which is not read.")
        if "data" not in facts:
            raise self._declared.error(place, f"the potential of '{left[0]}' has no data.")
        self._potentials.append((left[0], right, facts["data"][0], place))

    def _read_block(self) -> dict[str, list[str]]:
        """Read `{ attribute = value; ... }`: the names of every value."""
        self.take("{")
        facts: dict[str, list[str]] = {}
        while self.kind != "}":
            key = self.take_name("an attribute")
            if key == "data" and self.kind == "=":
                self._set_fact(facts, key, [self._read_data()])
                continue
            self.take("=")
            value: list[str] = []
            depth = 0
            while self.kind != ";":
                if self.kind in ("{", "}", "=", "end"):
                    raise self.error(f"the value of {key} does not end with ';'")
                depth += (self.kind == "(") - (self.kind == ")")
                if depth < 0:
                    raise self.error("a ')' without its '('")
                value += [self.value] if self.kind == "name" else []
                self.advance()
            if depth:
                raise self.error("a '(' without its ')'")
            self.advance()
            self._set_fact(facts, key, value)
        self.advance()
        return facts

    def _set_fact(self, facts: dict[str, list[str]], key: str, value: list[str]) -> None:
        if key in facts:
            raise self.error(f"{key} is there twice")
        facts[key] = value

    def _read_data(self) -> str:
        """Read `(numbers);` as one text without the brackets: a table can have a million numbers, and no strings."""
        end = _DATA.match(self.text, self._end)
        assert end is not None
        self.start, self._end = self._end, end.end()
        if not self.text.startswith(";", self._end):
            raise self.error("the value of data does not end with ';'")
        text = re.sub(r"%[^\n]*+", " ", end.group())
        if text.count("(") != text.count(")"):
            raise self.error("the brackets of data do not match")
        self.advance()
        self.advance()
        return re.sub(r"[(),]", " ", text)

    def take_name(self, what: str) -> str:
        """Pass a word; a string is none."""
        if self.text.startswith('"', self.start):
            raise self.error(f"expected {what}")
        return super().take_name(what)

    def unreadable(self) -> str:
        """Return why the text goes on with no token."""
        return "a string that does not end"

    def unquoted(self, token: str) -> str:
        """Return what a string stands for; a backslash escapes what follows."""
        return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)


def _is_name(text: str) -> bool:
    return identifier(text) and not _RESERVED.fullmatch(text)


def _is_string(text: str) -> bool:
    return text.isprintable() and '"' not in text and "\\" not in text


def net_lines(network: BayesianNetwork) -> Iterator[str]:
    """Yield the lines of a network's NET file."""
    spellings = spell_all(network.names, network.states, _is_name, _is_string)
    yield "net\n{\n}\n"
    for spelling, name in zip(spellings, network.names, strict=True):
        states = " ".join(f'"{state}"' for state in spelling.states)
        label = name if _is_string(name) else spelling.name
        yield f'node {spelling.name}\n{{\n  label = "{label}";\n  states = ({states});\n'
        if spelling.note is not None:
            yield f'  {PROPERTY} = "{quote(spelling.note)}";\n'
        yield "}\n"
    for v, table in enumerate(network.tables):
        parents = network.dag.parents[v]
        given = f" | {' '.join(spellings[p].name for p in parents)}" if parents else ""
        yield f"potential ({spellings[v].name}{given})\n{{\n  data =\n"
        yield from _nested(table.tolist(), [len(network.states[p]) for p in parents])
        yield ";\n}\n"


def _nested(rows: list[list[float]], sizes: list[int]) -> Iterator[str]:
    """The rows as nested lists, one level per parent: how many open before a row and close after it."""
    last = len(rows) - 1
    for number, row in enumerate(rows):
        yield f"    {'(' * _levels(number, sizes)}({' '.join(map(repr, row))}){')' * _levels(number + 1, sizes)}"
        yield "\n" if number < last else ""


def _levels(number: int, sizes: list[int]) -> int:
    """How many of the innermost lists begin at a row: as long as its number is a multiple of their length."""
    count = 0
    for size in reversed(sizes):
        if number % size:
            break
        number //= size
        count += 1
    return count


# UAI, the text format of the UAI inference evaluations: numbers only.
#
# Variables and states have no names there. Those of arcwise are kept in a last line, `# arcwise {...}`; without it
# variables are called X0, X1, ... and states 0, 1, ... In the scope of a function the child is last and varies
# fastest.


_MARK = "# arcwise "


def parse_uai(content: bytes, *, source: str = "<text>") -> Parts:
    """Return the parts of the network of a UAI file of the type BAYES; `source` is its name in messages."""
    text = decode_text(content, source=source)
    words = _Words(text, source)
    kind = words.take("the type of the network")
    if kind.upper() != "BAYES":
        raise words.error(f"expected BAYES, found {kind[:40]!r}; other kinds of models are not read")
    count = words.whole("the number of variables", 1)
    sizes = [words.whole("the number of states of a variable", 1) for _ in range(words.at_most(count))]
    functions = words.whole("the number of functions", 0)
    if functions != count:
        raise words.error(f"there are {count:,} variables, but {functions:,} functions; each variable needs one")
    scopes = []
    for _ in range(functions):
        length = words.whole("the number of variables of a function", 1)
        scopes.append([words.whole("a variable", 0, count - 1) for _ in range(words.at_most(length))])
    tables = []
    for scope in scopes:
        place = words.place()
        length = words.whole("the number of entries of a function", 1)
        tables.append((scope, words.several(length), place))
    names, states = _names(text, sizes, {scope[-1]: len(numbers) for scope, numbers, _ in tables}, source)
    declared = DeclaredNetwork(source)
    for v in range(count):
        declared.add_variable(v, names[v], states[v], "")
    for scope, numbers, place in tables:
        declared.add_table(scope[-1], scope[:-1], declared.numbers(" ".join(numbers), place), place)
    if words.left():
        raise words.error("there is more after the last function")
    return declared.parts()


class _Words:
    """The words of a text, one after the other; a comment runs from # to the end of the line."""

    def __init__(self, text: str, source: str) -> None:
        lines = [line.partition("#")[0].split() for line in text.splitlines()]
        self._words = list(itertools.chain.from_iterable(lines))
        self._ends = list(itertools.accumulate(map(len, lines)))
        self._next = 0
        self._source = source

    def take(self, what: str) -> str:
        if self._next >= len(self._words):
            raise self.error(f"the file ends where {what} should be")
        self._next += 1
        return self._words[self._next - 1]

    def whole(self, what: str, least: int, most: int | None = None) -> int:
        word = self.take(what)
        if not (word.isascii() and word.isdigit() and len(word) < 16):
            raise self.error(f"expected {what}, found {word[:40]!r}")
        number = int(word)
        if number < least or (most is not None and number > most):
            allowed = f"at least {least}" if most is None else f"{least} to {most}"
            raise self.error(f"{what} is {number}; it must be {allowed}")
        return number

    def at_most(self, count: int) -> int:
        """Return a count of words to come; one that is more than there are is refused before anything is made."""
        if count > len(self._words) - self._next:
            raise self.error(f"{count:,} numbers should follow; the file has {len(self._words) - self._next:,} more")
        return count

    def several(self, count: int) -> list[str]:
        found = self._words[self._next : self._next + self.at_most(count)]
        self._next += count
        return found

    def left(self) -> bool:
        return self._next < len(self._words)

    def place(self) -> str:
        return f"line {bisect.bisect_right(self._ends, max(self._next - 1, 0)) + 1}"

    def error(self, message: str) -> FormatError:
        return FormatError(f"{self._source}, {self.place()}: {message}.")


def _names(text: str, sizes: list[int], entries: dict[int, int], source: str) -> tuple[list[str], list[list[str]]]:
    """Return the names of variables and states: those that the last line says, or numbers."""
    for v, size in enumerate(sizes):  # before a list of states is made: a short file can name any number of them
        if size > entries.get(v, 0):
            raise FormatError(f"{source}: variable {v} has {size:,} states, but no function with as many entries.")
    last = text.rstrip().rpartition("\n")[2]
    if not last.startswith(_MARK):
        return [f"X{v}" for v in range(len(sizes))], [[str(state) for state in range(size)] for size in sizes]
    found: Any = parse_json(last.removeprefix(_MARK), source=f"{source}, last line")
    names: Any = found.get("names") if isinstance(found, dict) else None
    states: Any = found.get("states") if isinstance(found, dict) else None
    if not _are_texts(names) or not isinstance(states, list) or not all(map(_are_texts, states)):
        raise FormatError(f"{source}, last line: names and states must be lists of texts.")
    if len(names) != len(sizes) or [len(own) for own in states] != sizes:
        raise FormatError(f"{source}, last line: names and states do not fit the {len(sizes):,} variables above.")
    return names, states


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def uai_lines(network: BayesianNetwork) -> Iterator[str]:
    """Yield the lines of a network's UAI file."""
    for texts in (network.names, *network.states):
        spell(texts, lambda _: True)
    yield f"BAYES\n{network.n_variables}\n{' '.join(str(len(states)) for states in network.states)}\n"
    yield f"{network.n_variables}\n"
    for v, parents in enumerate(network.dag.parents):
        yield f"{len(parents) + 1} {' '.join(map(str, (*parents, v)))}\n"
    for table in network.tables:
        yield f"\n{table.size}\n"
        for row in table.tolist():
            yield f"{' '.join(map(repr, row))}\n"
    yield f"\n{_MARK}{json.dumps({'names': list(network.names), 'states': [list(own) for own in network.states]})}\n"


# XDSL, the XML format of GeNIe and SMILE.
#
# Nodes come with parents before children, as SMILE wants them; the order of the variables is that of the nodes in the
# part for GeNIe, if that lists the same ones.


# What GeNIe draws: the size of a node and the room between two.
WIDTH, HEIGHT, ROOM = 96, 48, 40


def parse_xdsl(content: bytes, *, source: str = "<text>") -> Parts:
    """Return the parts of the network of an XDSL file: chance nodes with tables, and deterministic ones."""
    root = read_xml(content, source, with_type=True)
    nodes = root.first("nodes") if root.tag == "smile" else None
    if nodes is None:
        raise FormatError(f"{source}: an XDSL file has the elements smile and nodes; this one begins <{root.tag}>.")
    if root.first("dynamic") is not None:
        raise FormatError(f"{source}: a dynamic network is not read. Unroll it in GeNIe first.")
    declared = DeclaredNetwork(source)
    states: dict[str, list[str]] = {}
    for node in nodes.children:
        if node.tag not in ("cpt", "deterministic"):
            raise node.error(
                f"a node of the kind '{node.tag}' is not read, only chance nodes with tables (cpt) and deterministic "
                "ones. Change its type in GeNIe."
            )
        key = node.attribute("id")
        states[key] = [state.attribute("id") for state in node.named("state")]
        name, own = key, states[key]
        for note in node.named("property"):
            if note.attributes.get("id") == PROPERTY:
                name, own = read_property(note.text, len(own), f"{source}, line {note.line}")
        declared.add_variable(key, name, own, f"line {node.line}")
    for node in nodes.children:
        key = node.attributes["id"]
        above = node.first("parents")
        parents = above.text.split() if above is not None else []
        declared.add_table(key, parents, _values(declared, node, states[key]), f"line {node.line}")
    return declared.parts(_drawn_order(root, states))


def _values(declared: DeclaredNetwork, node: Element, states: list[str]) -> NDArray[np.float64]:
    what = "probabilities" if node.tag == "cpt" else "resultingstates"
    given = node.first(what)
    if given is None:
        raise node.error(f"the node '{node.attributes['id']}' has no {what}.")
    if node.tag == "cpt":
        return declared.numbers(given.text, f"line {given.line}")
    words = given.text.split()
    positions = {state: number for number, state in enumerate(states)}
    values = np.zeros((len(words), len(states)))
    for row, word in enumerate(words):
        if word not in positions:
            raise node.error(f"the node '{node.attributes['id']}' has no state '{word}'.")
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
    root = read_xml(content, source, with_type=True)
    found = root.first("NETWORK") if root.tag.upper() == "BIF" else None
    if found is None:
        raise FormatError(f"{source}: an XMLBIF file has the elements BIF and NETWORK; this one begins <{root.tag}>.")
    declared = DeclaredNetwork(source)
    for element in found.named("VARIABLE"):
        _declare(declared, element, source)
    for element in found.named("DEFINITION"):
        children = [_word(child) for child in element.named("FOR")]
        if len(children) != 1:
            raise element.error(f"a definition is for one variable; this one is for {len(children)}.")
        table = element.first("TABLE")
        if table is None:
            raise element.error(f"the definition of '{children[0]}' has no TABLE.")
        inside = f"line {table.line}"
        parents = [_word(given) for given in element.named("GIVEN")]
        declared.add_table(children[0], parents, declared.numbers(table.text, inside), inside)
    return declared.parts()


def _declare(declared: DeclaredNetwork, element: Element, source: str) -> None:
    kind = element.attributes.get("TYPE", "nature").lower()
    called = element.first("NAME")
    if called is None:
        raise element.error("a variable has no NAME.")
    name = _word(called)
    if kind != "nature":
        raise element.error(f"'{name}' is of the type '{kind}'; only chance nodes ('nature') are read.")
    states = [_word(outcome) for outcome in element.named("OUTCOME")]
    key = name
    for note in element.named("PROPERTY"):
        words, sign, text = note.text.strip().partition(" = ")
        if sign and words == PROPERTY:
            name, states = read_property(text, len(states), f"{source}, line {note.line}")
    declared.add_variable(key, name, states, f"line {element.line}")


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
