"""The probability tables of a network as arrays: their sizes, their checks, and what a file declares of them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import Argument, FormatError, OptionError, UnknownNameError, errors_within, suggestion
from arcwise.base.files import is_unicode, parse_json
from arcwise.base.showing import WIDTH, clipped, data_frame, wrapped
from arcwise.graph.dag import Dag

if TYPE_CHECKING:
    import pandas as pd


# How far the sum of a table's row may be from 1. Published networks are printed with three to seven digits, so that
# (1/3, 1/3, 1/3) sums to 0.999. Tables are kept as given: sampling and inference scale rows, likelihoods do not.
ROW_TOLERANCE = 1e-3

# The most numbers that the tables of one network may hold, and the most cells of a query's largest clique: 1 GB.
MAX_CELLS = 2**27


class Parts(NamedTuple):
    """What a network is made of, checked: the structure, the states, and the numbers of all tables in order."""

    dag: Dag
    states: tuple[tuple[str, ...], ...]
    values: NDArray[np.float64]


def checked_parts(
    dag: Dag,
    states: Sequence[Sequence[str]] | Mapping[str, Sequence[str]],
    tables: Sequence[ArrayLike] | Mapping[str, ArrayLike],
) -> Parts:
    """Return the parts of a network; see `arcwise.model.BayesianNetwork` for what they may be."""
    names = dag.names
    if not names:
        raise OptionError("a network needs at least one variable.")
    listed_states = tuple(tuple(variable) for variable in _in_order("states", names, states))
    listed_tables = _in_order("tables", names, tables)
    _check_states(names, listed_states)
    sizes = table_sizes(dag, listed_states)
    offsets = np.concatenate([[0], np.cumsum([q * r for q, r in sizes])])
    values = np.empty(int(offsets[-1]), dtype=np.float64)
    for v, given in enumerate(listed_tables):
        values[offsets[v] : offsets[v + 1]] = flat_table(dag, v, given, sizes)
    parts = Parts(dag, listed_states, values)
    for v, table in enumerate(table_views(values, sizes)):
        _check_rows(parts, v, table)
    return parts


def describe_row(dag: Dag, states: Sequence[Sequence[str]], v: int, row: int) -> str:
    """Return a table's row in words, such as 'wet | rain=yes': for messages."""
    conditions = []
    for p in reversed(dag.parents[v]):
        row, code = divmod(row, len(states[p]))
        conditions.append(f"{dag.names[p]}={states[p][code]}")
    return " | ".join([dag.names[v], ", ".join(reversed(conditions))]) if conditions else dag.names[v]


def _check_states(names: Sequence[str], listed: Sequence[tuple[Any, ...]]) -> None:
    """Refuse variables without states, and states without names or with the same one."""
    for name, states in zip(names, listed, strict=True):
        if not states:
            raise OptionError(f"variable '{name}' has no states; it needs at least one.")
        if not all(isinstance(state, str) and state for state in states):
            raise OptionError(
                f"variable '{name}' has the states {states!r:.80}; a state's name is a string that is not empty."
            )
        if len(set(states)) < len(states):
            twice = next(state for i, state in enumerate(states) if state in states[:i])
            raise OptionError(f"variable '{name}' has the state '{twice}' twice; states must differ.")


def flat_table(dag: Dag, v: int, given: ArrayLike, sizes: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the numbers of one table in order; its shape is (q, r), or has an axis for each parent."""
    size = sizes[v]
    try:
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"table of '{dag.names[v]}': not an array of numbers ({error}).") from None
    parents = dag.parents[v]
    full = tuple(sizes[p][1] for p in (*parents, v))
    if table.shape not in (size, full):
        given_parents = f"given {', '.join(dag.names[p] for p in parents)}" if parents else "(no parents)"
        raise OptionError(
            f"table of '{dag.names[v]}' {given_parents} has shape {table.shape}; it must be {size}, one row per "
            f"parent configuration and one column per state{f', or {full}' if full != size else ''}."
        )
    return table.ravel()


def _check_rows(parts: Parts, v: int, table: NDArray[np.float64]) -> None:
    """Refuse rows that are no distribution."""
    name = parts.dag.names[v]
    undefined = np.isnan(table).all(axis=1)
    for row in np.flatnonzero(~undefined & ~((table >= 0) & (table <= 1 + ROW_TOLERANCE)).all(axis=1)).tolist():
        raise OptionError(
            f"table of '{name}', row {row} ({describe_row(parts.dag, parts.states, v, row)}): {table[row].tolist()}; "
            "probabilities lie between 0 and 1. An undefined row is NaN in every column."
        )
    sums = table.sum(axis=1)
    for row in np.flatnonzero(~undefined & (np.abs(sums - 1) > ROW_TOLERANCE)).tolist():
        raise OptionError(
            f"table of '{name}', row {row} ({describe_row(parts.dag, parts.states, v, row)}) sums to "
            f"{sums[row]:.6g}; a row must sum to 1 within {ROW_TOLERANCE}."
        )


def table_sizes(dag: Dag, states: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return (q, r) for each variable; tables beyond MAX_CELLS are refused before any memory is taken."""
    arities = [len(own) for own in states]
    sizes = [(math.prod(arities[p] for p in ps), arities[v]) for v, ps in enumerate(dag.parents)]
    total = sum(q * r for q, r in sizes)
    if total > MAX_CELLS:
        v = max(range(len(sizes)), key=lambda v: math.prod(sizes[v]))
        raise OptionError(
            f"the tables of this network hold {total:,} numbers; at most {MAX_CELLS:,} are supported. The largest is "
            f"that of '{dag.names[v]}', with {len(dag.parents[v])} parents and {sizes[v][0]:,} parent configurations. "
            "Give it fewer parents, or merge states."
        )
    return sizes


def table_views(values: NDArray[np.float64], sizes: list[tuple[int, int]]) -> tuple[NDArray[np.float64], ...]:
    """Cut flat values into read-only tables that share their memory."""
    values.setflags(write=False)
    tables = []
    start = 0
    for q, r in sizes:
        tables.append(values[start : start + q * r].reshape(q, r))
        start += q * r
    return tuple(tables)


def _in_order(what: str, names: tuple[str, ...], given: Any) -> list[Any]:
    """Return one entry per variable, in order, from a sequence or a mapping."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise UnknownNameError(f"{what}: " + suggestion("variable", str(name), names))
        missing = [name for name in names if name not in given]
        if missing:
            raise OptionError(f"{what} are missing for {', '.join(missing)}; give them for every variable.")
        return [given[name] for name in names]
    entries = list(given)
    if len(entries) != len(names):
        raise OptionError(f"{what} are given for {len(entries)} variables, but the DAG has {len(names)}.")
    return entries


# What inference answers: distributions, all marginals, the most probable explanation, one distribution per row.


@dataclass(frozen=True, eq=False)
class Distribution:
    """The joint distribution of some variables.

    Parameters
    ----------
    names, states
        The variables, and the names of their states.
    probabilities
        One axis per variable, in this order; sums to 1.
    log_evidence
        The natural logarithm of the probability of the evidence that was given (0 without evidence).
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    log_evidence: float = 0.0

    def __getitem__(self, states: object) -> float:
        """Return the probability of a state, or of a tuple of states, one per variable."""
        given = states if isinstance(states, tuple) else (states,)
        if len(given) != len(self.names):
            raise OptionError(f"{len(given)} states given for the variables {', '.join(self.names)}.")
        cell = []
        for name, known, state in zip(self.names, self.states, given, strict=True):
            text = state if isinstance(state, str) else str(state)
            if text not in known:
                raise OptionError(f"'{name}' has no state '{text}'; its states are {', '.join(known)}.")
            cell.append(known.index(text))
        return float(self.probabilities[tuple(cell)])

    @property
    def most_probable(self) -> tuple[str, ...]:
        """The most probable state of each variable, together; the first of several that are equally probable."""
        cell = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        return tuple(states[i] for states, i in zip(self.states, cell, strict=True))

    def to_series(self) -> pd.Series[float]:
        """Return a pandas Series indexed by the states; a MultiIndex for more than one variable."""
        import pandas as pd

        return pd.Series(self.probabilities.ravel(), index=state_labels(self.names, self.states), name="probability")

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame: one column per variable, and the probability of each combination of states."""
        return self.to_series().reset_index()

    def __repr__(self) -> str:
        cells = self.probabilities.size
        if len(self.names) == 1 and cells <= 12:
            shares = zip(self.states[0], self.probabilities.tolist(), strict=True)
            head = f"Distribution of {clipped(self.names[0], WIDTH // 2)} ("
            return wrapped(head, (f"{state}: {p:.4g}" for state, p in shares), ")")
        return wrapped("Distribution of ", self.names, f" ({cells:,} cells)")


class Marginals(Mapping[str, Distribution]):
    """The distribution of every variable that is not observed, by name; `log_evidence` as in `Distribution`."""

    __slots__ = ("_distributions", "log_evidence")

    def __init__(self, distributions: Mapping[str, Distribution], log_evidence: float) -> None:
        self._distributions = dict(distributions)
        self.log_evidence = log_evidence

    def __getitem__(self, name: str) -> Distribution:
        try:
            return self._distributions[name]
        except KeyError:
            raise UnknownNameError(
                suggestion("variable (or it is observed)", str(name), list(self._distributions))
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._distributions

    def __iter__(self) -> Iterator[str]:
        return iter(self._distributions)

    def __len__(self) -> int:
        return len(self._distributions)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the columns variable, state and probability."""
        rows = [
            (name, state, p)
            for name, one in self._distributions.items()
            for state, p in zip(one.states[0], one.probabilities.tolist(), strict=True)
        ]
        return data_frame(rows, columns=["variable", "state", "probability"])

    def __repr__(self) -> str:
        return f"Marginals of {len(self)} variables"


@dataclass(frozen=True, eq=False)
class Explanation:
    """The most probable states of all variables that are not observed, together.

    Parameters
    ----------
    states
        By variable; the observed ones are not repeated.
    log_joint
        The natural logarithm of the probability of these states and the evidence, together.
    log_evidence
        The natural logarithm of the probability of the evidence (0 without evidence).
    """

    states: Mapping[str, str]
    log_joint: float
    log_evidence: float

    def __getitem__(self, name: str) -> str:
        """Return the state of a variable."""
        try:
            return self.states[name]
        except KeyError:
            raise UnknownNameError(suggestion("variable (or it is observed)", str(name), list(self.states))) from None

    @property
    def probability(self) -> float:
        """The probability of these states given the evidence."""
        return math.exp(min(self.log_joint - self.log_evidence, 0.0))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the columns variable and state."""
        return data_frame(list(self.states.items()), columns=["variable", "state"])

    def __repr__(self) -> str:
        return f"Explanation of {len(self.states)} variables, probability {self.probability:.4g}"


@dataclass(frozen=True, eq=False)
class RowDistributions:
    """The joint distribution of some variables, for each of many rows of evidence.

    Parameters
    ----------
    names, states
        The variables and the names of their states.
    probabilities
        One row per row of evidence, then one axis per variable. NaN in a row whose evidence is impossible, or that
        meets an undefined entry, if such rows were allowed.
    log_evidence
        The natural logarithm of the probability of each row's evidence: -inf if it is impossible, NaN if it meets an
        undefined entry. None if it was not asked for.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    log_evidence: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.probabilities)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per row of evidence, a column per state or combination of states."""
        return data_frame(
            self.probabilities.reshape(len(self.probabilities), -1), columns=state_labels(self.names, self.states)
        )

    def __repr__(self) -> str:
        return wrapped("Distributions of ", self.names, f" for {len(self):,} rows")


def state_labels(names: Sequence[str], states: Sequence[tuple[str, ...]]) -> pd.Index[str]:
    """Return the index of the states of variables, or of their combinations, the first varying slowest."""
    import pandas as pd

    if len(names) == 1:
        return pd.Index(states[0], name=names[0])
    return pd.MultiIndex.from_product(states, names=list(names))


# `Question`: a query as one writes it, such as ``P(x, y | z=a)``.
#
#     P(x)            the distribution of x
#     P(x, y | z=a)   the joint distribution of x and y, given z=a
#     P(x=b | z=a)    one probability
#     P(x=b, z=a)     the probability of evidence
#     P(* | z=a)      the distribution of each variable that is not observed
#     MPE(z=a)        the most probable states of all other variables, together
#
# A number stands for the interval that holds it, where states are intervals. Of numbers as they are, ranges are asked
# for and observed: P(x>1 | age>40), P(x | 40<age<=50). Names and states with spaces, commas, parentheses, bars, equals
# or quotation marks, and names with < or >, stand in double quotes, where \" and \\ stand for a quotation mark and a
# backslash.


TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([(),|=])|([^\s(),|="]+))')
SIGNS = re.compile(r"[<>]|[^<>]+")
FORMS = "P(x), P(x, y | z=a), P(x=b | z=a), P(* | z=a) or MPE(z=a); of numbers also P(x>1 | 40<z<=50)"


@dataclass(frozen=True)
class Question:
    """A query in its parts, with the text as it was written."""

    text: str
    asked: tuple[str, ...]  # in order; none for all marginals and for the most probable explanation
    states: tuple[str, ...]  # of all variables that are asked for, or of none
    evidence: Mapping[str, str]
    explanation: bool = False  # whether the most probable explanation is asked for

    def in_states(self, state_of: Callable[[str, str], str]) -> Question:
        """Return the same question with the state that `state_of` has for each value of a variable that it names."""
        states = tuple(state_of(name, value) for name, value in zip(self.asked, self.states, strict=False))
        return replace(
            self, states=states, evidence={name: state_of(name, value) for name, value in self.evidence.items()}
        )


def parse_question(text: str) -> Question:
    """Read a question; see this module for the forms it may have."""
    reader = _Reader(text)
    kind = reader.word("P or MPE")
    if kind not in ("P", "MPE"):
        reader.fail(f"it begins with '{kind}'")
    reader.expect("(")
    if kind == "MPE":
        reader.skip("|")
        evidence = reader.terms(")") if not reader.at(")") else []
        reader.end()
        return Question(text, (), (), _as_evidence(reader, evidence), explanation=True)
    asked: list[tuple[str, str | None]] = [("*", None)] if reader.skip("*") else reader.terms("|", ")")
    evidence = reader.terms(")") if reader.skip("|") else []
    reader.end()
    if asked == [("*", None)]:
        return Question(text, (), (), _as_evidence(reader, evidence))
    names = tuple(name for name, _ in asked)
    states = tuple(state for _, state in asked if state is not None)
    if states and len(states) < len(names):
        reader.fail("give a state to each of the variables asked for, or to none")
    return Question(text, names, states, _as_evidence(reader, evidence))


def read_asked(
    variables: str | Sequence[str], evidence: Mapping[str, object] | None, names: Sequence[str]
) -> tuple[str | Sequence[str], Mapping[str, object] | None]:
    """Return the variables and the evidence of a query, which may be one text, such as "P(y | x=a)".

    >>> read_asked("P(cough | smoke=yes)", None, ["smoke", "cough"])
    (('cough',), {'smoke': 'yes'})
    """
    if evidence is not None and not isinstance(evidence, Mapping):
        raise OptionError(
            Argument("evidence", evidence),
            "must say what was observed of each variable, as in {'smoke': 'yes'}; to ask for several variables, give "
            "a list of them first.",
        )
    if not isinstance(variables, str) or variables in names or "(" not in variables:
        return variables, evidence
    question = parse_question(variables)
    if question.explanation or not question.asked:
        raise OptionError(
            f"'{variables}' is no distribution: ask for variables, as in 'P(y | x=a)'. "
            "network.marginals(evidence) is P(*), network.most_probable(evidence) is MPE."
        )
    return question.asked, {**question.evidence, **(evidence or {})}


class _Reader:
    """The words of a question, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, bool]] = []  # and whether it is a word
        position = 0
        while text[position:].strip():
            match = TOKEN.match(text, position)
            if match is None:
                self.fail("a quotation mark is not closed or stands within a word")
            quoted, sign, plain = match.groups()
            position = match.end()
            if plain is not None and self._tokens[-1:] != [("=", False)]:  # ">50K" behind an equals sign is a state
                self._tokens += [(part, part not in "<>") for part in SIGNS.findall(plain)]
                continue
            word = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            self._tokens.append((sign, False) if sign else (word, True))
        self._at = 0

    def fail(self, why: str) -> NoReturn:
        raise OptionError(f"cannot read the question '{self._text}': {why}. Write it as {FORMS}.")

    def miss(self, what: str) -> NoReturn:
        shown = f"'{self._tokens[self._at][0]}'" if self._at < len(self._tokens) else "its end"
        self.fail(f"{what} is missing before {shown}")

    def at(self, sign: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at] == (sign, sign == "*")

    def skip(self, sign: str) -> bool:
        found = self.at(sign)
        self._at += found
        return found

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            self.miss(f"'{sign}'")

    def word(self, what: str) -> str:
        if self._at == len(self._tokens) or not self._tokens[self._at][1]:
            self.miss(what)
        self._at += 1
        return self._tokens[self._at - 1][0]

    def term(self) -> tuple[str, str | None]:
        """Return a name with its state, with what it is compared with, as "> 40 <= 50", or with None."""
        words, signs = [self.word("a variable")], []
        if words == ["do"] and self.at("("):
            self.fail("what setting a variable does is another question: ask effect('x', 'y'), or `arcwise effect`")
        while self.at("<") or self.at(">"):
            sign = "<" if self.skip("<") else ">" if self.skip(">") else ""
            signs.append(f"{sign}=" if self.skip("=") else sign)
            words.append(self.word("a number"))
        if not signs:
            return words[0], self.word(f"a state of '{words[0]}'") if self.skip("=") else None
        if len(signs) > 2 or len({sign[0] for sign in signs}) > 1:
            self.fail("a comparison is written as x>1, x<=2 or 1<x<=2")
        if len(signs) == 1 and not (_is_number(words[0]) and not _is_number(words[1])):
            return words[0], f"{signs[0]} {words[1]}"
        turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        ends = [
            f"{turned[signs[0]]} {words[0]}",
            *(f"{sign} {word}" for sign, word in zip(signs[1:], words[2:], strict=True)),
        ]
        return words[1], " ".join(ends)

    def terms(self, *ends: str) -> list[tuple[str, str | None]]:
        found: list[tuple[str, str | None]] = []
        while True:
            found.append(self.term())
            if any(self.at(end) for end in ends):
                return found
            if not self.skip(","):
                self.miss(f"a comma or {' or '.join(map(repr, ends))}")

    def end(self) -> None:
        self.expect(")")
        if self._at < len(self._tokens):
            self.fail(f"'{self._tokens[self._at][0]}' follows the closing parenthesis")


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _as_evidence(reader: _Reader, terms: list[tuple[str, str | None]]) -> dict[str, str]:
    evidence: dict[str, str] = {}
    for name, state in terms:
        if state is None:
            reader.fail(f"the evidence needs a state of '{name}', as in {name}=a")
        if name in evidence:
            reader.fail(f"the evidence names '{name}' twice")
        evidence[name] = state
    return evidence


# `DeclaredNetwork`: what a file declares, variable by variable and table by table, checked as it comes.
#
# Four formats write a table in the same order: one row per configuration of the parents, the first parent of the list
# varying slowest, and in a row the states of the child. Only the order of the parents is the file's own; a network
# has them ascending.


# What numbers consist of; without it float() would take "nan", "1_000" and the digits of all scripts.
_NUMERIC = re.compile(r"[0-9+\-.eE \t\r\n\f\v]*+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")


@dataclass(slots=True)
class _Variable:
    name: str
    states: list[str]
    place: str
    parents: list[int] = field(default_factory=list)
    values: NDArray[np.float64] | None = None


class DeclaredNetwork:
    """The variables and tables of a file; `key` is what the file calls a variable, which may differ from its name."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._variables: list[_Variable] = []
        self._positions: dict[Hashable, int] = {}
        self._names: set[str] = set()

    def error(self, place: str, message: str) -> FormatError:
        """Return the error that something is wrong at a place, such as "line 3"."""
        return FormatError(f"{self._source}{f', {place}' if place else ''}: {message}")

    def numbers(self, text: str, place: str) -> NDArray[np.float64]:
        """Return the numbers of a text, with white space between them; Python's own spellings, such as 1_000, are none.

        Words are looked at one by one only where `float` refuses one, or might take what is no number.
        """
        words = text.split()
        try:
            found = list(map(float, words)) if _NUMERIC.fullmatch(text) else []
        except ValueError:
            found = []
        wrong = next((word for word in words if not _NUMBER.fullmatch(word)), None) if not found else None
        if wrong is not None:
            raise self.error(place, f"{wrong[:40]!r} is not a number.")
        return np.array(found or list(map(float, words)), dtype=np.float64)

    def add_variable(self, key: Hashable, name: str, states: Sequence[str], place: str) -> None:
        """Declare a variable with its states."""
        if key in self._positions or name in self._names:
            raise self.error(place, f"the variable '{name}' is declared twice.")
        if not name:
            raise self.error(place, "a variable has no name.")
        if not states:
            raise self.error(place, f"the variable '{name}' has no states.")
        for text in (name, *states):
            if not text:
                raise self.error(place, f"a state of '{name}' has no name.")
            if not is_unicode(text):
                raise self.error(place, f"the name {text!r} is not valid Unicode.")
        if len(set(states)) < len(states):
            twice = Counter(states).most_common(1)[0][0]
            raise self.error(place, f"the variable '{name}' has the state '{twice}' twice.")
        self._positions[key] = len(self._variables)
        self._names.add(name)
        self._variables.append(_Variable(name, list(states), place))

    def add_table(self, key: Hashable, parents: Sequence[Hashable], values: NDArray[np.float64], place: str) -> None:
        """Give a variable its parents and its table, whose rows are in the order of these parents."""
        variable = self._variables[self._position(key, place)]
        if variable.values is not None:
            raise self.error(place, f"'{variable.name}' has two tables.")
        positions = [self._position(parent, place) for parent in parents]
        if len(set(positions)) < len(positions):
            raise self.error(place, f"a parent of '{variable.name}' is there twice.")
        shape = [len(self._variables[p].states) for p in positions] + [len(variable.states)]
        if len(values) != math.prod(shape):
            numbers = " x ".join(map(str, shape))
            raise self.error(place, f"the table of '{variable.name}' has {len(values):,} numbers; it needs {numbers}.")
        self._check_rows(variable, values.reshape(-1, len(variable.states)), place)
        variable.parents, variable.values = positions, values

    def parts(self, order: Sequence[Hashable] | None = None) -> Parts:
        """Return the parts of the network, its variables as they were declared or in another order."""
        if not self._variables:
            raise self.error("", "there is no variable in this file.")
        for variable in self._variables:
            if variable.values is None:
                raise self.error(variable.place, f"the variable '{variable.name}' has no table.")
        total = sum(len(variable.values) for variable in self._variables if variable.values is not None)
        if total > MAX_CELLS:
            raise self.error("", f"the tables hold {total:,} numbers; at most {MAX_CELLS:,} are supported.")
        chosen = list(range(len(self._variables))) if order is None else [self._positions[key] for key in order]
        moved = {position: number for number, position in enumerate(chosen)}
        ordered = [self._variables[v] for v in chosen]
        with errors_within(f"{self._source}:", kind=FormatError):
            dag = Dag([own.name for own in ordered], [[moved[p] for p in own.parents] for own in ordered])
        values = np.concatenate([self._table(own, moved).ravel() for own in ordered])
        return Parts(dag, tuple(tuple(own.states) for own in ordered), values)

    def _table(self, variable: _Variable, moved: dict[int, int]) -> NDArray[np.float64]:
        """Return a variable's table with the parents in the ascending order of their new positions."""
        assert variable.values is not None
        rows = len(variable.states)
        ascending = sorted(range(len(variable.parents)), key=lambda k: moved[variable.parents[k]])
        if ascending == list(range(len(variable.parents))):
            return variable.values.reshape(-1, rows)
        shape = [*(len(self._variables[p].states) for p in variable.parents), rows]
        return variable.values.reshape(shape).transpose([*ascending, len(ascending)]).reshape(-1, rows)

    def _position(self, key: Hashable, place: str) -> int:
        try:
            return self._positions[key]
        except KeyError:
            raise self.error(place, f"the variable '{key}' is not declared.") from None

    def _check_rows(self, variable: _Variable, rows: NDArray[np.float64], place: str) -> None:
        wrong = ~((rows >= 0) & (rows <= 1 + ROW_TOLERANCE))
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise self.error(
                place,
                f"the table of '{variable.name}', row {row + 1}: {rows[row, column]:.6g} is not a probability.",
            )
        sums = rows.sum(axis=1)
        far = np.flatnonzero(np.abs(sums - 1) > ROW_TOLERANCE)
        if len(far):
            raise self.error(
                place,
                f"the table of '{variable.name}', row {int(far[0]) + 1}, sums to {sums[far[0]]:.6g}; a row must sum "
                f"to 1 within {ROW_TOLERANCE}.",
            )


# Names that a format cannot hold: an identifier stands for each, and what it stands for is kept beside it.
#
# Hugin and GeNIe ask for identifiers, GeNIe for states as well, XML strips blanks and knows no control characters. A
# name that a format takes is written as it is. For a variable with any other name the file also has a property of
# ours, `arcwise_names`, with the variable's name and states as JSON; other programs skip it and show the identifiers.


PROPERTY = "arcwise_names"

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a variable is written: its identifier, those of its states, and the property with what they stand for."""

    name: str
    states: tuple[str, ...]
    note: str | None


def identifier(text: str) -> bool:
    """Return whether a text is a letter followed by letters, digits and underscores, all ASCII."""
    return _IDENTIFIER.fullmatch(text) is not None


def spell_all(
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    is_name: Callable[[str], bool],
    is_state: Callable[[str], bool],
) -> list[Spelling]:
    """Return how the variables of a network are written, given which names and states the format takes."""
    written = spell(names, is_name)
    found = []
    for name, own, called in zip(names, states, written, strict=True):
        words = spell(own, is_state)
        same = called == name and list(own) == words
        note = None if same else json.dumps({"name": name, "states": list(own)})
        found.append(Spelling(called, tuple(words), note))
    return found


def spell(texts: Sequence[str], is_taken: Callable[[str], bool]) -> list[str]:
    """Return a text for each that the format takes, all different; those that it takes stay as they are."""
    for text in texts:
        if not is_unicode(text):
            raise FormatError(f"the name {text!r} is not valid Unicode. Rename it.")
    used = {text for text in texts if is_taken(text)}
    found = []
    for text in texts:
        if is_taken(text):
            found.append(text)
            continue
        plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:60]
        stem = plain if identifier(plain) and is_taken(plain) else f"x_{plain}".rstrip("_")
        number, chosen = 1, stem
        while chosen in used:
            number += 1
            chosen = f"{stem}_{number}"
        used.add(chosen)
        found.append(chosen)
    return found


def read_property(text: str, count: int, source: str) -> tuple[str, list[str]]:
    """Return the name and the `count` states that a property says."""
    found = parse_json(text, source=source)
    name = found.get("name") if isinstance(found, dict) else None
    states = found.get("states") if isinstance(found, dict) else None
    if not isinstance(name, str) or not isinstance(states, list) or not all(isinstance(s, str) for s in states):
        raise FormatError(f"{source}: the property {PROPERTY} must have a name and a list of states.")
    if len(states) != count:
        raise FormatError(f"{source}: the property {PROPERTY} names {len(states)} states of '{name}'; it has {count}.")
    return name, states
