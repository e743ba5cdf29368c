"""NET, the text format of Hugin: nodes with states, and potentials with nested lists of numbers.

Only chance nodes with tables are read. A node is called by its identifier, not by its label, which need not be unique.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

from arcwise.errors import FormatError
from arcwise.model.formats.declared_network import DeclaredNetwork, read_numbers
from arcwise.model.formats.defined import require_defined
from arcwise.model.formats.names import PROPERTY, identifier, read_property, spell_all
from arcwise.model.network import BayesianNetwork

__all__ = ["format_net", "parse_net"]

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
_RESERVED = frozenset(
    (
        "net",
        "class",
        "node",
        "potential",
        "discrete",
        "continuous",
        "decision",
        "utility",
        "function",
        "probability",
        "inputs",
        "outputs",
        "data",
        "states",
        "label",
        "position",
        "normal",
        "true",
        "false",
        "boolean",
        "number",
        "labelled",
        "interval",
    )
)
_NOT_READ = ("continuous", "decision", "utility", "function", "boolean")


def parse_net(content: bytes, *, source: str = "<text>") -> BayesianNetwork:
    """Return the network of a Hugin NET file; `source` is its name in messages."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # what Hugin wrote before version 7
    return _Reader(text, source).network()


def format_net(network: BayesianNetwork) -> str:
    """Return the text of a network's NET file."""
    require_defined(network, "NET")
    return "".join(_lines(network))


class _Reader:
    """The grammar's rules, one token ahead: `kind` is "word", "quoted", a mark, or "end"."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source
        self._start = self._next = 0  # where the current token begins and ends
        self._line, self._line_end, self._counted = 1, -1, 0
        self._declared = DeclaredNetwork(source)
        self._potentials: list[tuple[str, list[str], str, str]] = []
        self.kind = self.value = ""
        self._advance()

    def network(self) -> BayesianNetwork:
        if self.kind == "word" and self.value == "net":
            self._advance()
            self._read_block()
        while self.kind != "end":
            word = self._take_word("'node' or 'potential'")
            if word in ("node", "discrete"):
                if word == "discrete":
                    self._take_exactly("node")
                self._read_node()
            elif word == "potential":
                self._read_potential()
            elif word == "class":
                raise self._error("an object-oriented network (class) is not read. Save it as a flat NET file in Hugin")
            elif word in _NOT_READ:
                raise self._error(f"a {word} node is not read, only chance nodes with tables are")
            else:
                raise self._error("expected 'node' or 'potential'")
        for child, parents, numbers, place in self._potentials:
            values = read_numbers(numbers, lambda message, at=place: self._declared.error(at, message))  # type: ignore[misc]
            self._declared.add_table(child, parents, values, place)
        return self._declared.network()

    def _read_node(self) -> None:
        place = self._place()
        key = self._take_word("the name of a node")
        facts = self._read_block()
        states = [_unquoted(word) for word in facts.get("states", ()) if word not in ("(", ")", ",")]
        name = key
        if PROPERTY in facts:
            text = unquote("".join(map(_unquoted, facts[PROPERTY])))
            name, states = read_property(text, len(states), f"{self._source}, {place}")
        self._declared.add_variable(key, name, states, place)

    def _read_potential(self) -> None:
        self._take("(")
        place = self._place()
        left: list[str] = []
        right: list[str] = []
        side = left
        while self.kind != ")":
            if self.kind == "|" and side is left:
                side = right
                self._advance()
            elif self.kind == ",":
                self._advance()
            else:
                side.append(self._take_word("the name of a node"))
        self._advance()
        if len(left) != 1:
            raise self._declared.error(place, f"a potential is for one node; this one is for {len(left)}.")
        facts = self._read_block()
        if "model_data" in facts or "model_nodes" in facts:
            raise self._declared.error(place, f"the table of '{left[0]}' is an expression, which is not read.")
        if "data" not in facts:
            raise self._declared.error(place, f"the potential of '{left[0]}' has no data.")
        self._potentials.append((left[0], right, facts["data"][0], place))

    def _read_block(self) -> dict[str, list[str]]:
        """Read `{ attribute = value; ... }`: the tokens of every value."""
        self._take("{")
        facts: dict[str, list[str]] = {}
        while self.kind != "}":
            key = self._take_word("an attribute")
            if key == "data" and self.kind == "=":
                self._set_fact(facts, key, [self._read_data()])
                continue
            self._take("=")
            value: list[str] = []
            depth = 0
            while self.kind != ";":
                if self.kind in ("{", "}", "=", "end"):
                    raise self._error(f"the value of {key} does not end with ';'")
                depth += (self.kind == "(") - (self.kind == ")")
                if depth < 0:
                    raise self._error("a ')' without its '('")
                value.append(self.value)
                self._advance()
            if depth:
                raise self._error("a '(' without its ')'")
            self._advance()
            self._set_fact(facts, key, value)
        self._advance()
        return facts

    def _set_fact(self, facts: dict[str, list[str]], key: str, value: list[str]) -> None:
        if key in facts:
            raise self._error(f"{key} is there twice")
        facts[key] = value

    def _read_data(self) -> str:
        """Read `(numbers);` as one text without the brackets: a table can have a million numbers, and no strings."""
        end = _DATA.match(self._text, self._next)
        assert end is not None
        self._start, self._next = self._next, end.end()
        if not self._text.startswith(";", self._next):
            raise self._error("the value of data does not end with ';'")
        text = re.sub(r"%[^\n]*+", " ", end.group())
        if text.count("(") != text.count(")"):
            raise self._error("the brackets of data do not match")
        self._advance()
        self._advance()
        return re.sub(r"[(),]", " ", text)

    def _take(self, mark: str) -> None:
        if self.kind != mark:
            raise self._error(f"expected '{mark}'")
        self._advance()

    def _take_exactly(self, word: str) -> None:
        if self._take_word(f"'{word}'") != word:
            raise self._error(f"expected '{word}'")

    def _take_word(self, what: str) -> str:
        if self.kind != "word":
            raise self._error(f"expected {what}")
        word = self.value
        self._advance()
        return word

    def _advance(self) -> None:
        while self._next < len(self._text):
            match = _TOKEN.match(self._text, self._next)
            self._start = self._next
            if match is None:
                raise self._error("a string that does not end")
            self._next = match.end()
            self.value = match.group()
            if match.lastgroup != "skip":
                self.kind = self.value if match.lastgroup == "mark" else str(match.lastgroup)
                return
        self._start = len(self._text)
        self.kind, self.value = "end", ""

    def _place(self) -> str:
        """Where the current token begins; lines are counted from the last place on: all of them cost one pass."""
        self._line += self._text.count("\n", self._counted, self._start)
        self._line_end = max(self._line_end, self._text.rfind("\n", self._counted, self._start))
        self._counted = self._start
        return f"line {self._line}, column {self._start - self._line_end}"

    def _error(self, message: str) -> FormatError:
        found = repr(self._text[self._start : self._start + 20]) if self._start < len(self._text) else "the end"
        return FormatError(f"{self._source}, {self._place()}: {message}, found {found}.")


def _unquoted(token: str) -> str:
    """Return what a token stands for; a backslash in a string escapes what follows."""
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL) if token.startswith('"') else token


def _is_name(text: str) -> bool:
    return identifier(text) and text not in _RESERVED


def _is_string(text: str) -> bool:
    return text.isprintable() and '"' not in text and "\\" not in text


def _lines(network: BayesianNetwork) -> Iterator[str]:
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
