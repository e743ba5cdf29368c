"""The exact posterior over all DAGs, and how much of it a credible set holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, GuaranteeError, OptionError, Remedy, UnfinishedError, check_argument
from arcwise.base.machine import available_memory
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import HasStatus, Limits, Run, Seed, Status, native_seed
from arcwise.base.showing import one_screen
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.networks.families import ArcShares, Families
from arcwise.networks.network_list import NetworkSet, NetworkSummary, check_count
from arcwise.networks.recipe import NetworkOrigin, known_facts, make_facts
from arcwise.parent_sets.build import joint_constraints
from arcwise.parent_sets.table import ParentSetTable

# The sums keep this many bytes for each of the 2^n sets of nodes: 28 variables take 6.5 GB, 30 take 26.
SET_BYTES, LARGEST = 24, 30
# How far below the best network terms are left out, in nats.
CUT = 40.0
# Beyond this nothing is left of a double's exponent.
WIDEST_CUT = 600.0
# By rounding, a set of networks may seem to weigh this much more than all DAGs.
ROUNDING = 1e-9
# How long a term takes on one core, there and back, and what each set and node takes whatever is within the cut: for
# the message that says what would be needed.
TERM_SECONDS, SET_SECONDS = 1.2e-8, 2.5e-8


@one_screen
@dataclass(frozen=True, eq=False)
class DagTotals:
    """The sums over all DAGs, each probability with the same certificate."""

    log_total: float  # the log of the sum of exp(score): the log marginal likelihood up to the number of DAGs
    shares: NDArray[np.float64]  # of each family, by the rows of the table
    arcs: NDArray[np.float64]  # of the arc p -> c, at [p, c]
    ancestors: NDArray[np.float64]  # of a directed path from p to c, at [p, c]
    blankets: NDArray[np.float64] | None  # that each is in the other's Markov blanket; None if not asked for
    left_out: float  # by the cut, of the sum, or added, at most; infinite if no share below 0.1 % can be proved
    defect: float  # how far the families of a node were from summing to one, at most: the numerical error


@dataclass(frozen=True, eq=False)
class ExactPosterior(HasStatus, ArcShares):
    """Posterior probabilities of families, arcs, edges, ancestors and blankets, summed over every DAG.

    The prior over DAGs is uniform, unless the table's scores hold the log prior of each family as well.

    Parameters
    ----------
    table
        The parent sets that the sum is over: those that the constraints allow.
    status
        COMPLETE, or the limit that stopped the sum; then there are no probabilities, and asking for one raises
        an UnfinishedError that says what would be needed.
    totals
        The sums; None if a limit stopped them.
    cut
        Networks are left out only if they lie more than this many nats below the best one.
    n_sets, n_terms
        How many sets of nodes, and how many terms of the sum, were within the cut; of an unfinished sum, estimates,
        and 0 if it did not get so far.
    needed_bytes
        The memory that the sums take.
    constraints
        Only the DAGs that satisfy them were summed; None for all.
    """

    table: ParentSetTable = field(repr=False)
    status: Status
    totals: DagTotals | None
    cut: float
    n_sets: int
    n_terms: float
    needed_bytes: int
    constraints: Constraints | None = None

    @classmethod
    def unfinished(cls, table: ParentSetTable, status: Status) -> ExactPosterior:
        """Return the posterior of a table that a limit ended: no sum was begun."""
        return cls(table, status, None, CUT, 0, 0.0, SET_BYTES * 2**table.n_variables)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.table.names

    @cached_property
    def families(self) -> Families:
        """The parent sets that the sum is over."""
        return Families(self.table.node_offsets, self.table.set_offsets, self.table.members)

    @property
    def max_parents(self) -> int | None:
        """The parent limit of the table: the sum is over the DAGs within it."""
        return self.table.max_parents

    @property
    def log_total(self) -> float:
        """The log of the sum of exp(score) over all DAGs."""
        return self._finished.log_total

    @property
    def left_out(self) -> float:
        """The share of the sum that the cut left out, at most: a bound, and not an estimate."""
        return self._finished.left_out

    @property
    def largest_error(self) -> float:
        """How far any probability is from the truth because of the cut, at most: 2 b / (1 - b), b being `left_out`."""
        share = self.left_out
        return min(1.0, 2 * share / (1 - share)) if share < 1 else 1.0

    @property
    def defect(self) -> float:
        """How far the families of a node were from summing to one, at most: the numerical error."""
        return self._finished.defect

    def family_probabilities(self) -> NDArray[np.float64]:
        """Return, for every row of `families`, the posterior probability of this family."""
        return self._finished.shares

    def arc_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the posterior probabilities of the arcs p -> c, at [p, c]."""
        return self._finished.arcs

    def ancestor_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the posterior probabilities of a directed path from p to c, at [p, c]."""
        return self._finished.ancestors

    def blanket_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the posterior probabilities that two variables are in each other's Markov blanket."""
        blankets = self._finished.blankets
        if blankets is None:
            raise OptionError(
                "the posterior of Markov blankets was not asked for: exact_posterior(..., blankets=True)."
            )
        return blankets

    def covered_by(self, networks: NetworkSet | NetworkSummary) -> float:
        """Return the posterior probability of a set of networks: how much of the posterior it holds.

        Raises
        ------
        OptionError
            If the networks are of other variables, have no scores, or weigh more than all DAGs together, so that
            they were not found in the table of this posterior.
        """
        if networks.names != self.names:
            raise OptionError("the networks have other variables than the posterior.")
        share = math.exp(min(1.0, _log_mass(networks) - self.log_total))
        if share > 1 + ROUNDING + self.largest_error:
            raise OptionError(
                "the networks weigh more than all DAGs of the posterior together: they were found with another score, "
                "other data or a higher parent limit. Use one table for both."
            )
        return min(share, 1.0)

    def sample(
        self,
        count: int,
        *,
        seed: Seed = None,
        threads: int | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> NetworkSet:
        """Draw networks from the posterior, each independently of the others; the origin is "draws".

        For whatever sums do not tell: paths, classes, d-separations, effects, predictions. No chain has to converge. A
        network may come several times; all have the same weight, and their order is that of the draws, so that the
        first thousand are a sample too.

        Before the first draw half of the sums are found again, and kept: 14 variables take 0.04 s, and then less than
        0.1 ms a draw. Memory is about (6 n + 56) 2^n bytes, 0.2 GB for 20 variables, and 40 2^n more for each further
        thread; if that is more than the limit, nothing is drawn.

        Draws depend on the seed alone, which ``facts["seed"]`` has: fewer are the first of more. What was drawn before
        a limit is returned, with the status; by default three quarters of the available memory may be used.

        Raises
        ------
        UnfinishedError
            If the sum over all DAGs was not finished.

        Examples
        --------
        >>> import math
        >>> from arcwise import build_parent_sets, datasets
        >>> table = build_parent_sets(datasets.load("balance-scale"), "bdeu:ess=1", slack=math.inf)
        >>> drawn = exact_posterior(table).sample(1000, seed=1)
        >>> drawn.count, bool(abs(drawn.arc_probabilities() - exact_posterior(table).arc_probabilities()).max() < 0.05)
        (1000, True)
        """
        _ = self._finished
        check_count(count)
        limits = _with_memory(limits)
        most = min(count, limits.native_count)
        rows, scores = np.empty(0, dtype=np.uint32), np.empty(0)
        with Run.begin(limits, progress, threads, seed=seed) as run:
            crew = run.thread_count
            while crew > 1 and draws_within(self.table, limits, crew) < most:  # each takes memory, and changes no draw
                crew -= 1
            allowed = min(most, draws_within(self.table, limits, crew))
            status = Status.MEMORY_LIMIT if allowed < most else Status.COMPLETE
            if allowed > 0:
                sampler, stopped = self._prepared(run.replace(threads=crew))
                if sampler is not None:
                    report = run.native_report("exact posterior: draws")
                    code, rows, scores = sampler.draw(allowed, native_seed(run.seed), crew, run.seconds_left, report)
                    stopped = Status.from_native(code)
                if stopped is not Status.COMPLETE:
                    status = stopped
        if status is Status.COMPLETE and allowed < count:
            status = Status.COUNT_LIMIT
        return self._networks(rows, scores, status, run)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_samplers"}

    @cached_property
    def _samplers(self) -> list[_core.posterior.DagSampler]:
        return []  # the one that is prepared: what draws are made from is kept from call to call

    def _prepared(self, run: Run) -> tuple[_core.posterior.DagSampler | None, Status]:
        """Return what draws by the sums, or None and why finding these was stopped.

        How it draws, and why the draws are exact, is explained in cpp/core/posterior/all_dags/dag_sampler.hpp.
        """
        if self._samplers:
            return self._samplers[0], Status.COMPLETE
        sampler = _core.posterior.DagSampler(self.table.native, self.cut, run.thread_count)
        ready, code = sampler.prepare(run.seconds_left, run.native_report("exact posterior: sums"))
        if ready:
            self._samplers.append(sampler)
            return sampler, Status.COMPLETE
        stopped = Status.from_native(code)
        if stopped is Status.COMPLETE:
            raise UnfinishedError(
                "there is nothing to draw from: the sum over all DAGs is not a positive number.",
                remedies=Remedy("raise", Argument("cut", self.cut)),
            )
        return None, stopped

    def _networks(self, rows: Any, scores: Any, status: Status, run: Run) -> NetworkSet:
        table = self.table
        obeyed = joint_constraints(table.names, table.constraints, self.constraints)
        return NetworkSet(
            names=table.names,
            families=self.families,
            choices=rows.reshape(len(scores), table.n_variables).astype(self.families.choice_type),
            scores=scores,
            log_weights=np.full(len(scores), -math.log(max(1, len(scores)))),
            origin=NetworkOrigin("draws"),
            status=status,
            max_parents=table.max_parents,
            score=dict(table.score),
            data_digest=table.data_digest,
            facts=make_facts(drawn_by="posterior", seed=run.seed, seconds=run.seconds)
            | known_facts(obeyed, table.targets),
        ).compact()

    def certificate(self) -> str:
        """Return what is known of the error, in a sentence."""
        totals = self._finished
        if not math.isfinite(totals.left_out):
            return (
                f"Summed over all DAGs; what the cut of {self.cut:g} nats left out could not be shown to be small. "
                "Raise cut."
            )
        return (
            f"Summed over all DAGs ({self.n_terms:,.0f} terms over {self.n_sets:,} sets of variables); networks more "
            f"than {self.cut:g} nats below the best may be left out: at most {totals.left_out:.1e} of the sum, "
            f"which moves no probability by more than {self.largest_error:.1e}; rounding about {totals.defect:.0e}."
        )

    def needed(self) -> str:
        """Return what the whole sum takes, as far as it is known, in a sentence."""
        n = len(self.names)
        seconds = SET_SECONDS * n * 2**n + self.n_terms * TERM_SECONDS
        size = f"The sums over {n} variables take {self.needed_bytes / 1e9:.3g} GB"
        if self.n_terms == 0:
            return f"{size} and at least {seconds:.2g} s on one core."
        state = "" if self.complete else "about "
        return (
            f"{size} and {state}{self.n_terms:.2g} terms, some {seconds:.2g} s on one core; "
            "more data or fewer parents make them fewer."
        )

    def __repr__(self) -> str:
        if self.totals is None:
            return f"ExactPosterior({len(self.names)} variables, not complete: {self.status}. {self.needed()})"
        return (
            f"ExactPosterior({len(self.names)} variables, log total {self.totals.log_total:.6f}, "
            f"left out at most {self.totals.left_out:.1e})"
        )

    @property
    def _finished(self) -> DagTotals:
        if self.totals is None:
            raise UnfinishedError(
                f"the sum over all DAGs was not finished ({self.status}), so there are no probabilities. "
                f"{self.needed()} Raise the limit, lower cut (now {self.cut:g}), or average over a credible set: "
                "count_credible."
            )
        return self.totals


def exact_posterior(
    table: ParentSetTable,
    *,
    cut: float = CUT,
    blankets: bool = False,
    constraints: GivenConstraints | None = None,
    threads: int | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> ExactPosterior:
    """Sum over all DAGs: the exact posterior probability of every family, arc, edge and ancestor.

    Each DAG weighs exp(score), so the prior over DAGs is uniform; for any other that is a product over families, add
    its log to the table's scores. Terms of networks far below the best one are left out, and a bound on what that
    changes is part of the result (`left_out`, `certificate`). With a thousand cases or more, 20 variables take about
    a second, 24 some 20 seconds and 0.5 GB, 28 some minutes and 6.5 GB; where cases are few, most of the 3^n terms
    count: half a minute for 20 variables, hours for 24. `find_posterior` sums where that is quick and draws elsewhere.

    Parameters
    ----------
    table
        All parent sets: built with ``slack=math.inf``. With a parent limit the sum is over the DAGs within it.
    cut
        Leave out what lies more than this many nats below the best network; at most 600. Read the certificate.
    blankets
        Find the probability of every pair being in each other's Markov blanket, too: another forward sum per pair,
        over the DAGs in which neither is a parent of the other and no node has both as parents.
    constraints
        Sum over the DAGs that satisfy them alone.
    threads
        The result does not depend on them, to the last bit.
    limits
        Limits of time and memory (by default three quarters of what is available) show in `status`. If it is clear
        beforehand that the time will not do, no time is spent. `count` is the work that the sum may take in terms, by
        an estimate made beforehand that is the same on every machine: 80 million take about a second on one core.

    Raises
    ------
    GuaranteeError
        If parent sets were pruned: their weight would be missing.
    OptionError
        If there are more than 30 variables, an option is out of its range, or the sum is not a finite number.
    """
    constraints = Constraints.of(table.names, constraints)
    limits = _with_memory(limits)
    check_size(table.n_variables)
    check_argument(0 < cut <= WIDEST_CUT, "cut", cut, f"must be positive and at most {WIDEST_CUT:g} nats.")
    if table.slack != math.inf:
        raise GuaranteeError(
            f"the exact posterior needs a table with all parent sets (slack=inf); this one has slack {table.slack:.4g}."
            " Rebuild it with build_parent_sets(..., slack=math.inf)."
        )
    if constraints is not None:
        constraints.refuse_ancestors("the exact posterior")
        table = table.filter(constraints)
    most_terms = math.inf if limits.count is None else float(limits.count)
    with Run.begin(limits, progress, threads) as run:
        crew, memory = run.thread_count, limits.native_memory
        options = _core.posterior.DagSumOptions(float(cut), blankets, crew, memory, most_terms)
        report = run.native_report("exact posterior")
        sums = _core.posterior.sum_all_dags(table.native, options, run.seconds_left, report)
    status = Status.from_native(sums.status)
    return ExactPosterior(
        table=table,
        status=status,
        totals=_totals(sums, table.n_variables, blankets) if status is Status.COMPLETE else None,
        cut=float(cut),
        n_sets=sums.sets,
        n_terms=sums.terms,
        needed_bytes=sums.bytes,
        constraints=constraints,
    )


def draw_bytes(table: ParentSetTable, threads: int = 1) -> int:
    """Return the memory that draws take, without the networks themselves."""
    return _core.posterior.DagSampler.bytes_for(table.native, threads)


def draws_within(table: ParentSetTable, limits: Limits, threads: int = 1) -> int:
    """Return how many networks there is memory to draw."""
    return max(0, limits.native_memory - draw_bytes(table, threads)) // (4 * table.n_variables + 8)


def _with_memory(limits: Limits | None) -> Limits:
    """Return limits of which that of memory is, if none was given, what is available."""
    given = limits or Limits()
    return replace(given, memory_bytes=available_memory()) if given.memory_bytes is None else given


def check_size(n_variables: int) -> None:
    """Refuse no variables, and more than sums over all DAGs serve."""
    if n_variables < 1:
        raise OptionError("a posterior over networks needs at least one variable; here is none.")
    if n_variables > LARGEST:
        raise OptionError(
            f"the exact posterior keeps sums for all 2^n sets of variables and serves up to {LARGEST}; here are "
            f"{n_variables}. Average over a credible set instead: count_credible."
        )


def _totals(sums: _core.posterior.DagSums, n: int, blankets: bool) -> DagTotals:
    if sums.too_wide:
        raise OptionError(
            "the scores of the table are too far apart to be summed: two DAGs may differ by at most 180 million "
            "nats. With this many rows the best networks are all there is: count_credible."
        )
    if sums.log_total == -math.inf:
        raise OptionError("the parent sets of the table, or the constraints, leave no DAG to sum over.")
    if not math.isfinite(sums.log_total):
        raise OptionError("the sum over all DAGs is not a positive number: the cut left out too much of it. Raise cut.")
    return DagTotals(
        log_total=sums.log_total,
        shares=sums.take_shares(),
        arcs=sums.take_arcs().reshape(n, n),
        ancestors=sums.take_ancestors().reshape(n, n),
        blankets=sums.take_blankets().reshape(n, n) if blankets else None,
        left_out=sums.left_out,
        defect=sums.defect,
    )


def _log_mass(networks: NetworkSet | NetworkSummary) -> float:
    """Return the log of the sum of exp(score) over the networks."""
    if isinstance(networks, NetworkSummary):
        log_mass = networks.opt + networks.log_mass
    elif networks.count == 0:
        return -math.inf
    else:
        top = float(networks.scores.max())
        log_mass = top + math.log(float(np.exp(networks.scores - top).sum()))
    if math.isnan(log_mass):
        raise OptionError("the networks have no scores, so their posterior probability is not known.")
    return log_mass
