"""UAI, the text format of the UAI inference evaluations: numbers only.

Variables and states have no names there. Those of arcwise are kept in a last line, `# arcwise {...}`; without it
variables are called X0, X1, ... and states 0, 1, ... In the scope of a function the child is last and varies fastest.
"""

from __future__ import annotations

import bisect
import itertools
import json
from collections.abc import Iterator
from typing import Any

from arcwise.errors import FormatError
from arcwise.files import parse_json
from arcwise.model.formats.declared_network import DeclaredNetwork, read_numbers
from arcwise.model.formats.defined import require_defined
from arcwise.model.formats.names import spell
from arcwise.model.network import BayesianNetwork

__all__ = ["format_uai", "parse_uai"]

_MARK = "# arcwise "


def parse_uai(content: bytes, *, source: str = "<text>") -> BayesianNetwork:
    """Return the network of a UAI file of the type BAYES; `source` is its name in messages."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: not UTF-8 at byte {error.start}.") from None
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
        values = read_numbers(" ".join(numbers), lambda message, at=place: declared.error(at, message))  # type: ignore[misc]
        declared.add_table(scope[-1], scope[:-1], values, place)
    if words.left():
        raise words.error("there is more after the last function")
    return declared.network()


def format_uai(network: BayesianNetwork) -> str:
    """Return the text of a network's UAI file."""
    require_defined(network, "UAI")
    for texts in (network.names, *network.states):
        spell(texts, lambda _: True)
    return "".join(_lines(network))


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


def _lines(network: BayesianNetwork) -> Iterator[str]:
    yield f"BAYES\n{network.n_variables}\n{' '.join(str(len(states)) for states in network.states)}\n"
    yield f"{network.n_variables}\n"
    for v, parents in enumerate(network.dag.parents):
        yield f"{len(parents) + 1} {' '.join(map(str, (*parents, v)))}\n"
    for table in network.tables:
        yield f"\n{table.size}\n"
        for row in table.tolist():
            yield f"{' '.join(map(repr, row))}\n"
    yield f"\n{_MARK}{json.dumps({'names': list(network.names), 'states': [list(own) for own in network.states]})}\n"
