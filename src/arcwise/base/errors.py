"""Every error that a user can cause, each a sentence that says what, where, what is allowed, and the remedy.

An error is made of parts: what is wrong, in words and mentions of arguments, and remedies. `str(error)` is Python's
spelling; the command line spells the same parts as options (`arcwise.cli.spelling`).
"""

from __future__ import annotations

import contextlib
import difflib
import enum
import errno
import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

# Arguments and calls that a message speaks of, which Python and the command line spell each in its own way.
#
# A message is a sequence of parts, words and mentions. `str()` of a mention is Python's spelling, ``trust_table=True``
# or ``impute(..., method='knn')``; the command line writes ``--trust-table`` and ``arcwise impute --method knn``.


class _Unsaid(enum.Enum):
    """What stands for a value that the message does not name: one object, also after pickling."""

    UNSAID = enum.auto()


UNSAID: Final = _Unsaid.UNSAID


@dataclass(frozen=True)
class Argument:
    """An argument, with or without a value: ``Argument("trust_table", True)``, ``Argument("target")``."""

    name: str
    value: Any = UNSAID
    shown: str | None = None  # how the value is written if not as `repr` has it, such as "math.inf" or "..."

    def __str__(self) -> str:
        if self.shown is not None:
            return f"{self.name}={self.shown}"
        return f"{self.name}=" if self.value is UNSAID else f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class Call:
    """A function with the arguments that matter: ``Call("impute", Argument("method", "knn"))``."""

    function: str
    arguments: tuple[Argument, ...]

    def __init__(self, function: str, *arguments: Argument) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)

    def __str__(self) -> str:
        return f"{self.function}({', '.join(['...', *map(str, self.arguments)])})"


@dataclass(frozen=True)
class Either:
    """Something that Python does in its own words and the command line by an option.

    ``Either("table.vouched()", Argument("trust_table", True))`` is ``--trust-table`` on the command line.
    """

    python: str
    option: Argument

    def __str__(self) -> str:
        return self.python


Mention = Argument | Call | Either
Speller = Callable[[Mention], str]


@dataclass(frozen=True)
class Remedy:
    """One thing to do about an error, in the imperative, without a capital and a full stop.

    >>> str(Remedy("vouch for it with", Argument("trust_table", True)))
    'vouch for it with trust_table=True'
    >>> str(Remedy("give", Argument("header", False), only_if="the first line holds data"))
    'if the first line holds data, give header=False'
    """

    parts: tuple[str | Mention, ...]
    only_if: str = ""  # the condition under which it is one, a clause: "the first line holds data"

    def __init__(self, *parts: str | Mention, only_if: str = "") -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "only_if", only_if)

    def spelled(self, spell: Speller = str) -> str:
        """Return it with every mention spelled as `spell` does."""
        condition = f"if {self.only_if}, " if self.only_if else ""
        return f"{condition}{spell_parts(self.parts, spell)}"

    def __str__(self) -> str:
        return self.spelled()


def spell_parts(parts: Iterable[str | Mention], spell: Speller = str) -> str:
    """Return words and mentions as one text, with a space between parts unless punctuation or a line's end forbids."""
    text = ""
    for part in parts:
        own = part if isinstance(part, str) else spell(part)
        joined = not text or text.endswith(("(", "\n")) or own.startswith((",", ".", ";", ":", ")", "\n"))
        text += own if joined else f" {own}"
    return text


class ArcwiseError(ValueError):
    """The user's mistake, explained in one message: the command line prints it and exits with code 1.

    Parameters
    ----------
    problem
        What is wrong: words and mentions, each ``Argument("seed", -1)`` or ``Call("impute", ...)``.
    remedies
        What can be done about it, the alternatives in their order.

    Examples
    --------
    >>> raise OptionError(Argument("seed", -1), "must be an integer >= 0.")
    Traceback (most recent call last):
    arcwise.errors.OptionError: seed=-1 must be an integer >= 0.
    """

    def __init__(self, *problem: str | Mention, remedies: Remedy | Sequence[Remedy] = ()) -> None:
        super().__init__(*problem)
        self.problem = problem
        self.remedies = (remedies,) if isinstance(remedies, Remedy) else tuple(remedies)

    @property
    def argument(self) -> str | None:
        """The argument that is wrong, if the error is about one."""
        return next((part.name for part in self.problem if isinstance(part, Argument)), None)

    @property
    def value(self) -> Any:
        """The value of the argument that is wrong; None if the error is about no argument or names no value."""
        values = (part.value for part in self.problem if isinstance(part, Argument))
        found = next(values, UNSAID)
        return None if found is UNSAID else found

    def within(self, *place: str | Mention, kind: type[ArcwiseError] | None = None) -> ArcwiseError:
        """Return the same error with the place before it: ``error.within(f"{path}:")``; `kind` changes its class."""
        return (kind or type(self))(*place, *self.problem, remedies=self.remedies)

    def spelled(self, spell: Speller = str, remedies: Sequence[Remedy] | None = None) -> str:
        """Return the message with every mention spelled as `spell` does, and the given remedies instead of all."""
        chosen = self.remedies if remedies is None else remedies
        problem = spell_parts(self.problem, spell)
        if not chosen:
            return problem
        *first, last = (remedy.spelled(spell) for remedy in chosen)
        joint = "or," if chosen[-1].only_if else "or"  # a condition is a clause of its own
        text = f"{', '.join(first)}, {joint} {last}." if first else f"{last}."
        return f"{problem} {text[0].upper()}{text[1:]}"

    def __str__(self) -> str:
        return self.spelled()


@contextlib.contextmanager
def errors_within(*place: str | Mention, kind: type[ArcwiseError] | None = None) -> Iterator[None]:
    """Put the place before every error of a block, see `ArcwiseError.within`."""
    try:
        yield
    except ArcwiseError as error:
        raise error.within(*place, kind=kind) from None


class DataError(ArcwiseError):
    """The data cannot be used as they are."""


class DataWarning(UserWarning):
    """The data can be used, but probably not for what was intended."""


class FormatError(ArcwiseError):
    """A file is not what it should be: truncated, malformed, edited, or of another kind than its suffix says."""


# What reading a damaged or foreign file raises.
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


@contextlib.contextmanager
def reading(what: str, remedy: str = "") -> Iterator[None]:
    """While inside, say of what a file holds that it cannot be read, unless the error says why already."""
    try:
        yield
    except FormatError:
        raise
    except (*UNREADABLE, IndexError, OverflowError) as error:
        raise FormatError(f"{what} cannot be read ({error!r}).{remedy and ' '}{remedy}") from error


class CertificateError(ArcwiseError):
    """A certificate that does not prove what it states, or that is about another table."""


class GraphError(ArcwiseError):
    """An invalid graph, such as one with a cycle in a DAG or an unknown node."""


class ConstraintError(ArcwiseError):
    """Constraints that contradict each other, or that no table entry can satisfy."""


class ConfigError(ArcwiseError):
    """A study's configuration that cannot be run: an unknown key, a wrong type, a network that is not there."""


class OptionError(ArcwiseError):
    """An argument outside its range."""


class UnknownNameError(OptionError):
    """A name that is not in a list of known names; the message suggests the nearest one."""


class UnknownScoreError(UnknownNameError):
    """A score that arcwise does not know."""


class GuaranteeError(ArcwiseError):
    """A result was asked for that the given table cannot guarantee."""


class UnfinishedError(ArcwiseError):
    """A limit ended the computation of a requested number; the message says what it would take."""


# A message lists at most this many names.
LISTED_NAMES = 30


def suggestion(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the message that `name` is not a known `kind`, suggest the nearest known name, and list the first ones.

    >>> suggestion("score", "bdue", ["aic", "bdeu"])
    "unknown score 'bdue'; did you mean 'bdeu'? Known: aic, bdeu."
    """
    names = sorted(known)
    # Letters in the wrong order are the commonest slip, and difflib thinks a missing letter nearer.
    swapped = [known for known in names if sorted(known) == sorted(name)]
    near = swapped or difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean '{near[0]}'?" if near else "."
    more = f" and {len(names) - LISTED_NAMES:,} more" if len(names) > LISTED_NAMES else ""
    return f"unknown {kind} '{name}'{guess} Known: {', '.join(names[:LISTED_NAMES])}{more}."


# The checks of arguments, for every room: each says what is wrong in the words of its caller, or does nothing.


def check_known(kind: str, name: object, known: Collection[str], *, more: str = "") -> None:
    """Refuse a name that is not a known one, and suggest the nearest; `more` is what else is allowed, a sentence.

    >>> check_known("score", "bdue", ["aic", "bdeu"])
    Traceback (most recent call last):
    arcwise.errors.UnknownNameError: unknown score 'bdue'; did you mean 'bdeu'? Known: aic, bdeu.
    """
    if name not in known:
        raise UnknownNameError(f"{suggestion(kind, str(name), known)}{more and ' '}{more}")


def check_argument(holds: bool, name: str, value: object, rule: str) -> None:
    """Refuse the value of an argument unless the rule, which the message states, holds.

    >>> check_argument(-1 >= 0, "slack", -1, "must be 0 or more.")
    Traceback (most recent call last):
    arcwise.errors.OptionError: slack=-1 must be 0 or more.
    """
    if not holds:
        raise OptionError(Argument(name, value), rule)


def check_count(name: str, value: Any, least: int, most: int = 2**31 - 1) -> int:
    """Return the value of an argument that must be a whole number in a range, also one of numpy's, as an int."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    check_argument(whole and value >= least, name, value, f"must be an integer >= {least}.")
    check_argument(value <= most, name, value, f"must be an integer <= {most:,}.")
    return int(value)


# At most this many names in a folder are compared with one that is not there.
MOST_NAMES = 5_000


def unreadable(path: str | os.PathLike[str], error: OSError) -> str:
    """Return why a file cannot be read; if it does not exist, name the file next to it whose name is closest."""
    message = f"cannot read {path}: {error.strerror}."
    if error.errno == errno.ENOENT:
        with contextlib.suppress(OSError):
            beside = [entry.name for entry in itertools.islice(os.scandir(Path(path).parent), MOST_NAMES)]
            near = difflib.get_close_matches(Path(path).name, beside, n=1)
            if near:
                message += f" Did you mean {Path(path).with_name(near[0])}?"
    return message


# What people look for under a name that pandas, networkx, bnlearn or pgmpy taught them: one table of guesses. Whatever
# has no such name asks it before it raises: a class by inheriting `Hinted`, `arcwise` itself and the keywords of
# `learn` by calling `hint`.


PAGE = "save('report.html') writes the page, show() opens it"
GRAPH = "network.to_networkx() of the network, cpdag.to_networkx() with open directions"
DRAWN = "plot()"
BIF = "arcwise.write_bif('network.bif', analysis.network)"

TIERS = "arcwise.Constraints(data.names, tiers=[['a', 'b'], ['c']])"
GROUPS = "arcwise.Constraints(data.names, groups=[['a', 'b', 'c']])"
REQUIRED = "constraints={'required': ['a->b']}"
FORBIDDEN = "constraints={'forbidden': ['a->b']}"

# By what is asked, the guess, and what to call instead.
HINTS: dict[str, dict[str, str]] = {
    "arcwise": {
        "load": "arcwise.open('folder') for an analysis, arcwise.datasets.load('survey') for data",
        "open_analysis": "arcwise.open('folder')",
        "read_csv": "arcwise.read_data('file.csv'), or arcwise.learn('file.csv')",
        "fit": "arcwise.learn(data)",
        "hc": "arcwise.hill_climb(data)",
        "tabu": "arcwise.tabu_search(data)",
        "boot_strength": "arcwise.edge_confidence(arcwise.bootstrap_networks(data))",
        "averaged_network": "arcwise.consensus_network(confidence, threshold)",
        "bn_fit": "arcwise.fit_parameters(dag, data)",
        "cpquery": "learn(data).query('P(y | x=a)')",
        "VariableElimination": "learn(data).query('y', {'x': 'a'}), or network.query",
        "HillClimbSearch": "arcwise.hill_climb(data)",
        "BNLearner": "arcwise.learn(data)",
        "learnBN": "arcwise.learn(data)",
        "PC": "arcwise.learn(data), which scores networks",
        "blacklist": "learn(data, forbidden=['a->b'])",
        "whitelist": "learn(data, required=['a->b'])",
        "BicScore": "arcwise.scores.make_score('bic')",
        "ExpertKnowledge": "learn(data, tiers=..., required=..., forbidden=...), or arcwise.Constraints",
        "cpdag": "dag.cpdag",
        "arc_strength": "arcwise.edge_confidence(networks).to_frame(), of networks = arcwise.bootstrap_networks(data)",
        "modelstring": "dag.to_model_string()",
        "model2network": "arcwise.Dag.from_model_string('[a][b|a]')",
        "tiers2blacklist": TIERS,
        "ordering2blacklist": TIERS,
        "set_blacklist": GROUPS,
        "set2blacklist": GROUPS,
        "mmhc": "arcwise.hill_climb(data): no search here is hybrid",
        "pc_stable": "arcwise.learn(data), which scores networks: no search here tests independences",
        "ci_test": "arcwise.evaluate.check_fit(network, data), which tests all claims; none tests one",
        "plot": "learn(data).plot(), or arcwise.plotting",
        "predict": "learn(data, target='y').predict(rows)",
        "query": "learn(data).query('P(y | x=a)')",
    },
    "analysis": {
        "to_pandas": "to_frame()",
        "to_df": "to_frame()",
        "to_dataframe": "to_frame()",
        "to_networkx": GRAPH,
        "graph": GRAPH,
        "nodes": "network.names",
        "to_csv": "to_frame(full=True).to_csv('edges.csv'), or save('folder')",
        "open": "show(); arcwise.open('folder') opens a saved analysis",
        "view": "show()",
        "html": PAGE,
        "to_file": PAGE,
        "write": PAGE,
        "describe": "summary()",
        "draw": DRAWN,
        "show_network": DRAWN,
        "strength": "confidence",
        "cpt": "network.cpt('x')",
        "get_cpds": "network.cpt('x')",
        "cpds": "network.cpt('x')",
        "sample": "network.sample(5)",
        "do": "effect('x', 'y'), or network.do({'x': 'state'})",
        "score": "cross_validate('y')",
        "parents": "dag.parents('x')",
        "children": "dag.children('x')",
        "arcs": "dag.arcs, or edges with their verdicts",
        "adjacency": "dag.to_adjacency()",
        "averaged_network": "consensus",
        "causal_effect": "effect('x', 'y')",
        "map_query": "predict(rows, 'y')",
        "marginals": "network.marginals()",
        "feature_importances_": "variable('y'): what the others tell about it",
        "to_bif": BIF,
        "write_bif": BIF,
        "markov_blanket": "variable('x').blanket",
    },
    "graph": {
        "nodes": "names",
        "to_nx": "to_networkx()",
        "get_parents": "parents('x')",
        "get_children": "children('x')",
        "predecessors": "parents('x')",
        "successors": "children('x')",
        "fit": "arcwise.fit_parameters(dag, data)",
        "draw": "plot()",
        "to_cpdag": "cpdag, without parentheses",
        "shd": "arcwise.evaluate.shd(true, learned)",
        "compare": "arcwise.evaluate.compare(true, learned)",
        "to_dot": "arcwise.graph.write_dot('graph.dot', dag)",
        "has_arc": "('a', 'b') in dag.arcs",
        "has_edge": "('a', 'b') in dag.arcs",
        "modelstring": "to_model_string()",
        "score": "arcwise.scores.make_score('bic').score_network(data, dag)",
    },
    "network": {
        "nodes": "names",
        "edges": "dag.edges",
        "arcs": "dag.arcs",
        "get_cpds": "cpt('x')",
        "cpds": "cpt('x')",
        "loglik": "log_likelihood(data)",
        "infer": "query('y', {'x': 'a'})",
        "simulate": "sample(100)",
        "save": "arcwise.write_bif('network.bif', network)",
        "to_bif": "arcwise.write_bif('network.bif', network)",
    },
    "data": {
        "columns": "names",
        "head": "to_dataframe().head()",
        "describe": "to_dataframe().describe()",
        "to_frame": "to_dataframe()",
        "to_pandas": "to_dataframe()",
        "to_csv": "to_file('data.csv')",
        "values": "codes",
    },
    "estimator": {
        "dag": "dag_",
        "network": "network_",
        "classes": "classes_",
        "predict": "BayesianNetworkEstimator(target='y').fit(X, y)",
        "predict_proba": "BayesianNetworkEstimator(target='y').fit(X, y)",
    },
    "learn": {
        "blacklist": "forbidden=['a->b']",
        "tier": "tiers='a, b | c'",
        "whitelist": "required=['a->b']",
        "fixed_edges": "required=['a->b']",
        "black_list": "forbidden=['a->b']",
        "white_list": "required=['a->b']",
        "time_order": "tiers='age | smoke | ill'",
        "temporal_order": "tiers='age | smoke | ill'",
        "n_jobs": "threads=4",
        "random_state": "seed=1",
        "R": "replicates=200",
        "n_bootstrap": "replicates=200",
        "outcome": "target='y'",
        "y": "target='y'",
        "algorithm": "method='bootstrap'",
        "timeout": "limit_seconds=60",
        "maxp": "max_parents=3",
        "max_indegree": "max_parents=3",
    },
    "search": {
        "whitelist": REQUIRED,
        "white_list": REQUIRED,
        "fixed_edges": REQUIRED,
        "required": REQUIRED,
        "blacklist": FORBIDDEN,
        "black_list": FORBIDDEN,
        "forbidden": FORBIDDEN,
        "tiers": "constraints={'tiers': 'a, b | c'}",
        "temporal_order": "constraints={'tiers': 'a, b | c'}",
        "expert_knowledge": "constraints={'required': ['a->b'], 'forbidden': ['c->a']}",
        "maxp": "max_parents=3",
        "max_indegree": "max_parents=3",
        "R": "replicates=200",
        "n_boot": "replicates=200",
        "n_bootstrap": "replicates=200",
        "algorithm": "learner='tabu'",
        "algorithm_args": "options={'refine': 0}",
        "n_jobs": "workers=4",
        "random_state": "seed=1",
        "timeout": "limits=arcwise.Limits(seconds=60)",
        "scoring_method": "score='bic'",
    },
}


def hint(kind: str, name: str) -> str:
    """Return what to call instead of a guessed name, as the end of a message; "" for a name that is not in the table.

    >>> hint("analysis", "to_pandas")
    '; use to_frame()'
    """
    found = HINTS[kind].get(name)
    return "" if found is None else f"; use {found}"


class Hinted:
    """What tells those who ask for a name that it does not have which one to ask for; `_KIND` is a key of `HINTS`."""

    __slots__ = ()
    _KIND: ClassVar[str]

    if not TYPE_CHECKING:  # type checkers would take any name then

        def __getattr__(self, name: str) -> object:
            if hasattr(type(self), name):  # the property exists and its computation raised: show that error
                return object.__getattribute__(self, name)
            advice = "" if name.startswith("_") else hint(self._KIND, name)
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'{advice}", name=name, obj=self)
