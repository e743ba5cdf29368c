"""`Score`: what every score is, how it is computed from data, and the facts about it.

Facts come with the examples that prove what a score is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.base.errors import Argument, Call, DataError, OptionError, Remedy
from arcwise.base.showing import one_screen
from arcwise.counts import contingency
from arcwise.data.cases import Cases
from arcwise.data.dataset import Dataset, Frame, Incomplete, incomplete_of, is_frame
from arcwise.graph.dag import Dag

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData
    from arcwise.graph.beliefs import Beliefs, FamilyPrior

    Whole: TypeAlias = Dataset | MixedData
    Scored: TypeAlias = Whole | Incomplete

PackedFamilies = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]  # children, offsets, parents
Counts = NDArray[np.int64]
"""Counts n_jk of a family: one row per parent configuration (all q of them), one column per state."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a score: its name, meaning and range."""

    name: str
    meaning: str
    low: float = 0.0
    high: float = math.inf
    low_allowed: bool = False
    high_allowed: bool = False
    whole: bool = False

    @property
    def range(self) -> str:
        """The range in the usual notation, e.g. ``(0, inf)``."""
        return f"{'[' if self.low_allowed else '('}{self.low:g}, {self.high:g}{']' if self.high_allowed else ')'}"

    def check(self, score: str, value: Any) -> None:
        """Raise an OptionError unless `value` is a number in the range."""
        kinds = (int, np.integer) if self.whole else (int, float, np.integer, np.floating)
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        above = is_number and (value > self.low or (self.low_allowed and value == self.low))
        below = is_number and (value < self.high or (self.high_allowed and value == self.high))
        if not (above and below):  # not a number (NaN) is neither
            noun = "a whole number" if self.whole else "a number"
            raise OptionError(
                f"score '{score}':", Argument(self.name, value), f"({self.meaning}) must be {noun} in {self.range}."
            )


@dataclass(frozen=True, slots=True)
class Asymmetry:
    """Data for which two Markov equivalent networks score differently."""

    shape: tuple[int, ...]  # the number of states of each variable
    counts: tuple[int, ...]  # of each combination of states, the first variable varying slowest
    first: tuple[tuple[int, ...], ...]  # a network: the parents of each variable
    second: tuple[tuple[int, ...], ...]
    gaps: bool = False  # whether the last state of each variable stands for a missing value


def two_way(counts: tuple[tuple[int, ...], ...]) -> Asymmetry:
    """Make the asymmetry of X -> Y and Y -> X from a table of X (rows) and Y (columns)."""
    flat = tuple(n for row in counts for n in row)
    return Asymmetry((len(counts), len(counts[0])), flat, first=((), (0,)), second=((1,), ()))


# Two complete networks over three binary variables, in opposite orders.
THREE_WAY = Asymmetry((2, 2, 2), (6, 3, 0, 0, 0, 3, 1, 3), first=((), (0,), (0, 1)), second=((1, 2), (2,), ()))


@dataclass(frozen=True, slots=True)
class Irregularity:
    """A parent set and a superset with the same empirical entropy of the child, of which the superset scores better."""

    smaller: tuple[tuple[int, ...], ...]
    larger: tuple[tuple[int, ...], ...]


@one_screen
@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a score. The contract tests check every entry.

    Parameters
    ----------
    title
        The score as papers write it: "BDeu".
    in_words
        What the title stands for.
    sources
        Where it comes from: the first is the one to cite.
    equivalent
        Whether networks of one Markov equivalence class always score the same.
    log_bayes_factor
        Whether a difference of two scores is the logarithm of a Bayes factor (else it is an information criterion).
    asymptotic
        Whether it becomes one, relative to it, as the data grow: BIC (Kass and Raftery 1995; Liao section 3.4),
        normalised maximum likelihood (Rissanen 1996) and qBDJ (Suzuki 2017).
    regular
        Whether a smaller parent set never scores worse than a superset that explains the child no better (Suzuki
        2017; Liao 2022, section 4.2); None if that is not known.
    bound
        The theorem, in one line, behind the bound that neither a family nor one with more parents exceeds, or "".
    asymmetric
        Proof that the score is not equivalent.
    irregular
        Proof that the score is not regular.
    parent_limits
        The most parents that a variable may have if networks are to be averaged and nothing else was asked for, by the
        number of cases from which each limit holds (see `most_parents`), and the smaller one from which some of the
        networks of a bootstrap may have it; none where the score itself keeps parents few.
    keeps_parents_few
        Whether every cell of a family's table costs something, seen or not, so that no search needs a limit of parents.
    number_of_cases
        What N is in the score of a variable that was set in some cases (`Dataset.targets`), which are then left out.
    """

    title: str
    in_words: str
    sources: tuple[Citation, ...]
    equivalent: bool
    regular: bool | None
    bound: str
    log_bayes_factor: bool = False
    asymptotic: bool = False
    asymmetric: Asymmetry | None = None
    irregular: Irregularity | None = None
    parent_limits: tuple[tuple[int, int, int], ...] = ()
    keeps_parents_few: bool = False
    number_of_cases: str = "no N: the counts of the rows in which the variable was not set"

    def most_parents(self, n_cases: int | None, arities: Sequence[int] = (), *, growing: bool = False) -> int | None:
        """Return the limit on parents for a number of cases, None for no limit; if it is not known, for a few hundred.

        `growing`: the next limit as soon as some networks of a bootstrap may have it (`share_below`).

        Variables of many states have large tables: a family of as many parents, of average variables, must have three
        cases for two cells.

        >>> from arcwise.scores import make_score
        >>> [make_score("qnml").facts.most_parents(cases) for cases in (100, 200, 1_000, 5_000, 50_000)]
        [2, 3, 4, 5, 6]
        """
        known = FEW_HUNDRED if n_cases is None else n_cases
        fitting = [limit for some, every, limit in self.parent_limits if (some < known if growing else every <= known)]
        if not fitting or not len(arities):
            return max(fitting, default=None)
        states = math.fsum(math.log(max(int(arity), 2)) for arity in arities) / len(arities)
        carried = math.floor(math.log(max(known / CASES_PER_CELL, 2)) / states + 1e-9) - 1
        return max(1, min(max(fitting), carried))

    def share_below(self, limit: int, n_cases: int) -> float:
        """Return the share of the networks of a bootstrap whose variables have a parent less than the limit at most.

        With more cases it falls, from all of them to none, so that nothing jumps where a larger limit begins.

        >>> from arcwise.scores import make_score
        >>> [round(make_score("qnml").facts.share_below(3, cases), 2) for cases in (100, 110, 125, 149, 150)]
        [1.0, 0.76, 0.45, 0.02, 0.0]
        """
        for some, every, own in self.parent_limits:
            if own == limit and n_cases < every:
                return 1 - math.log(max(n_cases, some) / some) / math.log(every / some)
        return 0.0

    @property
    def reads_as_odds(self) -> bool:
        """Whether a difference of two scores may be read as the logarithm of a Bayes factor."""
        return self.log_bayes_factor or self.asymptotic

    @property
    def citation(self) -> str:
        """The key in the bibliography of the work to cite for the score."""
        return self.sources[0].key

    @property
    def reference(self) -> str:
        """All sources in one line: "Schwarz 1978; Liao 2022, section 4.2"."""
        return "; ".join(map(str, self.sources))


# With q r much larger than N the penalty of qNML, log C(N, q r) - log C(N, q), stays below N log r, while a table with
# at most one case per row fits perfectly: a variable with even shares then gains by having many parents, whatever they
# are. (qBDJ alike.) In the 958 boards of tic-tac-toe with their columns shuffled, the networks of the credible set have
# 20 edges without a limit and hardly one with at most 3 or 4 parents.
# More cases carry larger tables, and a limit that is too low is as wrong: a variable with five parents of which three
# may be found has edges to what stands for the others. On 35 samples of 5,000 cases (random networks, bnRep, parts of
# large networks; none of them in a study) the log loss of a credible set fell by a third between 3 and 5 parents, at
# 200 cases it rose by 70 %; at 100 the best limit was 2, at 1,000 it was 4, at 20,000 it was 6
# (docs/benchmarks/calibration.md). Each entry is the number of cases from which some networks of a bootstrap have a
# limit, that from which all have it and other sources take it, and the limit. (Where all networks had a limit of three
# at once, pairs without an edge were twice as probable with 150 cases as with 149.)
QUOTIENT_LIMITS = ((0, 0, 2), (100, 150, 3), (400, 500, 4), (1_000, 2_000, 5), (5_000, 10_000, 6))
FEW_HUNDRED = 200
# The score of a family is about as large as the number of cases, and exact to two or three units of a double's last
# place: 1e-8 nats at 10^7 cases, 5e-4 at 10^12. Beyond, differences between scores would be rounding.
MOST_CASES = 10**12
CASES_PER_CELL = 1.5

# X is a function of its parent; a second parent that never varies on its own changes no count, but halves the
# hyperparameters of a score that divides its sample size by q, and pure rows gain by that.
DILUTED = Irregularity(smaller=((5, 0), (0, 5)), larger=((5, 0), (0, 0), (0, 0), (0, 5)))


@dataclass(frozen=True)
class Score:
    """A decomposable score: the sum over variables of a local score; natural logarithm, higher is better.

    A score is a frozen dataclass of its parameters. `native` gives the compiled score that tables and searches use;
    tests/twins/scores.py has its readable twin. Where variables were set (`Dataset.targets`), a family is scored
    without the cases in which its child was (Cooper and Yoo 1999), and N is the number of the others. The score of a
    family has the digits of a double: data of more than 10^12 cases, whose differences would be lost, are refused.
    """

    name: ClassVar[str]
    kernel: ClassVar[str] = ""  # of `_core.scores`, what makes the compiled score from N and the parameters
    constants: ClassVar[tuple[float, ...]] = ()  # what else the kernel takes, before the parameters
    FACTS: ClassVar[Facts]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    own_alphas: ClassVar[bool] = False  # whether hyperparameters come from a prior network or the data, not from counts
    takes_gaps: ClassVar[bool] = False  # whether it scores data with gaps, each family by the cases that have it whole
    holds_data: ClassVar[bool] = (
        False  # whether it scores `MixedData`, which its compiled form holds: it needs no counts
    )

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            parameter.check(self.name, getattr(self, parameter.name))

    @property
    def facts(self) -> Facts:
        """What is known about the score with these parameters; `FACTS` is that of the defaults."""
        return self.FACTS

    @property
    def data_score(self) -> Score:
        """The score of the data alone: the score itself, unless it has a prior (`BelievedScore`)."""
        return self

    @property
    def prior_odds(self) -> Beliefs | None:
        """The prior that it adds to the score of the data; None if there is none."""
        return None

    @property
    def title(self) -> str:
        """The score as papers write it, with its parameters: "BDeu (ess 1)"."""
        values = {name: value for name, value in self.describe().items() if name != "name"}
        shown = ", ".join(
            f"{name} {value}" if isinstance(value, str) else f"{name} {value:g}"
            for name, value in values.items()
            if isinstance(value, int | float | str)
        )
        return self.facts.title + (f" ({shown})" if shown else "")

    def native(self, data: Any) -> _core.scores.LocalScore:
        """Return the compiled score for a data set; it may be used by several threads at once."""
        parameters = (getattr(self, field.name) for field in fields(self))
        made: _core.scores.LocalScore = getattr(_core.scores, self.kernel)(
            data.n_effective, *self.constants, *parameters
        )
        return made

    def describe(self) -> dict[str, Any]:
        """Return the name and the parameters, as tables record them: ``{"name": "bdeu", "ess": 1.0}``."""
        return {"name": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}

    def identity(self) -> dict[str, Any]:
        """Return what tells the score from every other one: the key of work that is resumed or kept."""
        return self.describe()

    def score_family(self, data: Scored, child: int, parents: Iterable[int] = ()) -> float:
        """Return the local score of a variable given parents (all by position), counted from the data."""
        return float(self.score_families(data, [(child, parents)])[0])

    def score_families(self, data: Scored, families: Iterable[tuple[int, Iterable[int]]]) -> NDArray[np.float64]:
        """Return the local scores of several (child, parents) pairs, each counted from the data on its own.

        Where variables were set, a family is counted without the cases in which its child was, and their number is
        the family's N. Of a child that was set in every case the data say nothing: see `score_without_cases`. Data may
        have gaps if the score takes them (`takes_gaps`).
        """
        whole: Whole = scored_data(data, self)
        found = check_cases(whole).child_groups
        if len(found) == 1 and found[0].n_cases:
            return self._score_packed(found[0], pack_families(whole, families))
        listed = [(child, sorted(set(parents))) for child, parents in families]
        groups = whole.group_of_child[pack_families(whole, listed)[0]]
        result = np.zeros(len(listed))
        for g, group in enumerate(found):
            chosen = np.flatnonzero(groups == g)
            if group.n_cases == 0:
                result[chosen] = [self.score_without_cases(whole, *listed[i]) for i in chosen]
            elif len(chosen):
                packed = pack_families(whole, [listed[i] for i in chosen])
                result[chosen] = self._score_packed(group, packed)
        return result

    def _score_packed(self, group: Any, packed: PackedFamilies) -> NDArray[np.float64]:
        if self.data_score.holds_data:
            return _core.scores.score_held_families(self.native(group), *packed)
        return _core.scores.score_families(
            self.native(group), group.codes, group.arities, group.native_weights, *packed
        )

    def score_without_cases(self, data: Cases, child: int, parents: Iterable[int]) -> float:
        """Return the score of a family without a case: the likelihood of no case is 1, so that it is the log prior."""
        return 0.0

    def silent_arcs(self, data: Whole) -> NDArray[np.bool_]:
        """Return about which arcs the data tell this score nothing, at [child, parent]: `Cases.silent_arcs`."""
        return data.silent_arcs

    def cases_read(self, data: Any) -> float:
        """Return how many cases are looked at for a family: at most the configurations that there can be."""
        return min(float(data.n_cases), math.exp(min(data.log_configurations, 700.0)))

    def score_network(self, data: Scored | Frame, dag: Dag) -> float:
        """Return the score of a network, counted from the data: the sum of its families' local scores.

        It shares no code with the builder of tables, so it also serves to check what a search returns.
        """
        given: Scored = scored_of(data, self)
        return math.fsum(self.score_families(given, families_of(given, dag)))


@dataclass(frozen=True)
class BelievedScore(Score):
    """The score of the data plus the log prior of the network, which is a sum over families, too.

    Whatever takes a score takes it; ``make_score("bdeu", beliefs=...)`` makes it. If the score is a log marginal
    likelihood, this is the log posterior probability of a network, up to a constant.

    Pruning keeps its guarantee because its rules are applied to the sum, with bounds of the sum: no superset of P
    scores more than the bound of the data's part for P plus the largest prior of a superset of P. See
    tests/twins/pruning.py for the rules of BIC and AIC, which compare the data's part alone.
    """

    name = "believed"

    score: Score
    beliefs: Beliefs

    def __post_init__(self) -> None:
        if isinstance(self.score, BelievedScore):
            raise OptionError(Argument("beliefs"), "were given twice: the score has some already.")

    @property
    def facts(self) -> Facts:
        """Those of the score; but classes have one score only if the prior does not depend on directions either.

        Regularity is a property of the data's part: with odds above 1 a larger set may be preferred for its own sake.
        """
        facts = self.score.facts
        if self.beliefs.is_symmetric:
            return facts
        return replace(facts, equivalent=False)

    @property
    def data_score(self) -> Score:
        """The score of the data alone."""
        return self.score

    @property
    def prior_odds(self) -> Beliefs:
        """The beliefs."""
        return self.beliefs

    @property
    def title(self) -> str:
        """The score's, and that there is a prior: "BDeu (ess 1) with prior odds"."""
        return f"{self.score.title} with prior odds"

    def silent_arcs(self, data: Whole) -> NDArray[np.bool_]:
        """Return about which arcs the data tell nothing."""
        return self.score.silent_arcs(data)

    def prior(self, data: Cases) -> FamilyPrior:
        """Return the prior over the variables of the data."""
        return _prior_on(self.beliefs, data.names)

    def native(self, data: Any) -> _core.scores.LocalScore:
        """Return the compiled score with its prior."""
        prior = self.prior(data)
        return _core.scores.make_believed(self.score.native(data), prior.weights, prior.sizes)

    def describe(self) -> dict[str, Any]:
        """Return the score's description with one more parameter, `beliefs`."""
        return {**self.score.describe(), "beliefs": self.beliefs.describe()}

    def identity(self) -> dict[str, Any]:
        """Return the score's identity and the beliefs."""
        return {**self.score.identity(), "beliefs": self.beliefs.describe()}

    def score_without_cases(self, data: Cases, child: int, parents: Iterable[int]) -> float:
        """Return the prior alone."""
        return self.prior(data).family(child, parents)


@lru_cache(maxsize=8)
def _prior_on(beliefs: Beliefs, names: tuple[str, ...]) -> FamilyPrior:
    """Return the prior; a search asks for it again and again."""
    return beliefs.on(names)


def family_counts(data: Dataset, child: int, parents: Sequence[int]) -> Counts:
    """Count a family densely, without the cases in which the child was set: (q, r), the first parent slowest."""
    if data.targets is not None:
        data = data.cases_without(data.names[child])
    return contingency(data, [*parents, child]).reshape(-1, int(data.arities[child]))


def scored_of(data: Any, score: Score) -> Any:
    """Return data as they are, and of a table or a frame the data that a score takes."""
    if is_frame(data) and score.data_score.holds_data:
        raise _other_data(score)
    return incomplete_of(data)


def scored_data(given: Scored | Frame, score: Score) -> Any:
    """Return data as a score takes them: with gaps as states of their own, if it is an available-case score.

    It is a `Dataset`, or `MixedData` if the score takes these (`Score.holds_data`); other data are refused.
    """
    data: Scored = scored_of(given, score)
    held = data.held if isinstance(data, Incomplete) else data
    if held.HOLDS_NUMBERS is not score.data_score.holds_data:
        raise _other_data(score)
    cases = held.n_cases
    if cases > MOST_CASES:
        raise DataError(
            f"the weights of the rows add up to {cases:.3g} rows; scores of up to {MOST_CASES:.0e} have digits enough "
            "to be compared. Divide all weights by the same number."
        )
    if not isinstance(data, Incomplete):
        return data
    if not data.missing.any():
        return data.held
    if score.data_score.takes_gaps:
        return data.with_gap_states()
    raise DataError(
        f"{int(data.missing.sum()):,} values are missing, and {score.title} needs complete rows.",
        remedies=(
            Remedy("score each family by the rows that have it whole, with", Argument("score", "pnal")),
            Remedy("average over completions, with", Call("learn")),
            Remedy("fill the gaps first, with", Call("impute")),
        ),
    )


def _other_data(score: Score) -> DataError:
    """Return the error for a score that was given states where it needs numbers, or the reverse."""
    if score.data_score.holds_data:
        return DataError(
            f"{score.title} scores numbers, scales and categories as they are, and these data are not MixedData.",
            remedies=(
                Remedy("give MixedData, e.g. MixedData.from_dataframe(frame)"),
                Remedy("score states, with", Argument("score", "bic")),
            ),
        )
    return DataError(
        f"{score.title} counts states, and these data hold numbers as they are.",
        remedies=(
            Remedy("score them as they are, with", Argument("score", "bic-dg")),
            Remedy("cut the numbers first: data.as_dataset()"),
        ),
    )


def check_cases(data: Any) -> Any:
    """Raise a DataError if the data have no case."""
    if data.n_cases < 1:
        raise DataError("the data have no rows: a score needs at least one row with a weight above 0.")
    return data


def families_of(data: Scored, dag: Dag) -> list[tuple[int, list[int]]]:
    """Return the families of a network as positions in the data; the network's nodes may be in any order."""
    if set(dag.names) != set(data.names):
        differing = sorted(set(dag.names) ^ set(data.names))
        raise DataError(f"the network and the data have different variables: {', '.join(differing)}.")
    position = [data.index(name) for name in dag.names]
    return [(position[v], [position[p] for p in parents]) for v, parents in enumerate(dag.parents)]


def pack_families(data: Cases, families: Iterable[tuple[int, Iterable[int]]]) -> PackedFamilies:
    """Check families and pack them into arrays: children, offsets, parents."""
    children: list[int] = []
    offsets = [0]
    members: list[int] = []
    for child, parents in families:
        ordered = sorted(set(parents))
        for v in (child, *ordered):
            if not 0 <= v < data.n_variables:
                raise DataError(f"no variable at position {v}; the positions are 0 to {data.n_variables - 1}.")
        if child in ordered:
            raise DataError(f"variable '{data.names[child]}' cannot be its own parent.")
        children.append(child)
        members.extend(ordered)
        offsets.append(len(members))
    return np.array(children, dtype=np.int32), np.array(offsets, dtype=np.int64), np.array(members, dtype=np.int32)
