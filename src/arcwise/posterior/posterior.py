"""`Posterior`: over all DAGs, summed exactly where possible and drawn by chains elsewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Call, OptionError, Remedy, UnfinishedError
from arcwise.base.run import NO_TIME, Limits, Run, Seed, Status, resolve_seed
from arcwise.credible.credible_set import CredibleSet
from arcwise.data.dataset import Dataset
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.networks.families import ArcShares
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble, NetworkOrigin
from arcwise.parent_sets.build import build_parent_sets
from arcwise.parent_sets.table import ParentSetTable
from arcwise.posterior.chain_posterior import ChainPosterior, Share
from arcwise.posterior.exact import LARGEST, ExactPosterior, check_size, draws_within, exact_posterior
from arcwise.posterior.sampling import run_of_file, sample_posterior
from arcwise.posterior.settings import ChainSettings, PosteriorSettings
from arcwise.posterior.walk import LARGEST_COUNT, RESAMPLED, count_families, slack_for
from arcwise.scores.score import Score

# A sum needs every parent set: beyond this many families the table alone is too much.
MOST_FAMILIES = 2**24
# What is summed before chains are tried instead: on one core, a minute for the terms and one for the parent sets, which
# cost what SCORED_ALWAYS cases cost and 0.2 ns a case. Counted, and not measured by the clock, nor by the memory that
# happens to be free: the same data are summed on every machine, or drawn on every machine.
MOST_TERMS, MOST_SCORED, SCORED_ALWAYS, EXACT_MEMORY = 5 * 10**9, 3 * 10**11, 5000, 2**31
SECONDS_A_CASE = 2e-10
# Scores of a list that differ by less, of their size, are ties: sums of the same numbers in another order.
TIES = 1e-11
# If there is a time limit, sums end after this share of it, and are not begun if it cannot suffice; then the clock
# decided, and the status says so.
EXACT_SHARE = 0.5
# Of the time that chains have, what the table that they walk on may take, and networks of resampled data to begin at:
# a table that ends at fewer parents, and draws, are an answer; a whole one without draws is none.
TABLE_SHARE, RESAMPLED_SHARE = 0.4, 0.2
# Draws from a posterior that was summed: an arc's share has a standard error of at most 0.005.
EXACT_DRAWS = 10_000
# The credible set that chains jump in: memory decides, and, if there is a limit, a share of the time. That of a smaller
# factor comes first: where even it does not fit, which is soon seen, the larger one, which costs more, is not tried.
JUMP_MEMORY, JUMP_SHARE, JUMP_FACTORS = 2**25, 0.2, (0.3, 1.0)


@dataclass(frozen=True, eq=False)
class Posterior(ArcShares):
    """The posterior over all DAGs: exact sums, or draws of chains with a verdict."""

    exact: ExactPosterior | None  # the sums; None if chains were used
    chains: ChainPosterior | None  # the draws; None if the sums were found
    why_chains: str = ""  # why there are no sums, a sentence

    @property
    def _found(self) -> ExactPosterior | ChainPosterior:
        found = self.exact if self.exact is not None else self.chains
        assert found is not None
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self._found.names

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are sums over all DAGs, without a Monte Carlo error."""
        return self.exact is not None

    @property
    def status(self) -> Status:
        """COMPLETE if the sums are exact or the chains converged; else what ended the work."""
        return self._found.status

    @property
    def complete(self) -> bool:
        """Whether the probabilities can be relied upon: exact, or of chains that converged."""
        return self.status is Status.COMPLETE

    def arc_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the posterior probabilities of the arcs p -> c, at [p, c]."""
        return self._found.arc_probabilities()

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the Monte Carlo standard errors of the edges' probabilities: 0 where they are exact."""
        return np.zeros((len(self.names),) * 2) if self.chains is None else self.chains.standard_errors()

    def share_of(self, credible: CredibleSet | NetworkSet) -> Share:
        """Return the posterior probability of a complete credible set of the same data and score, listed or not."""
        classes = credible.facts.get("by") == "mec"  # one member of each
        if not credible.complete or classes or not credible.origin.is_whole:
            raise OptionError(
                f"{credible!r} is no complete credible set, whose share of the posterior could be told.",
                remedies=Remedy("give what", Call("find_credible"), "returns, with limits that it does not reach"),
            )
        if self.exact is not None:
            return Share(self.exact.covered_by(credible.summed()), 0.0)
        assert self.chains is not None
        if credible.listed is not None:
            least = float(credible.listed.scores.min())
            return self.chains.share_within(least - TIES * abs(least))
        return self.chains.share_within(credible.opt - credible.slack - credible.tolerance)

    def networks(
        self, draws: int = EXACT_DRAWS, *, seed: Seed = None, threads: int | None = None, limits: Limits | None = None
    ) -> NetworkSet:
        """Return networks that were drawn from the posterior, all of the same weight; the origin is "posterior".

        Where it was summed, they are drawn now, independently of each other (see `ExactPosterior.sample`). Otherwise
        they are those of the chains, however many there are, and the arguments are not used.
        """
        if self.exact is not None:
            return replace(
                self.exact.sample(draws, seed=seed, threads=threads, limits=limits), origin=NetworkOrigin("posterior")
            )
        assert self.chains is not None
        return self.chains.networks()

    def report(self) -> str:
        """Return what is known of the error, in sentences: the certificate of the sums, or the chains' verdict."""
        if self.exact is not None:
            return self.exact.certificate()
        assert self.chains is not None
        return f"{self.why_chains} {self.chains.report()}".strip()

    def __repr__(self) -> str:
        return f"Posterior({self._found!r})"


def posterior_of(
    problem: Problem, run: Run, *, seed: Seed = None, settings: PosteriorSettings | None = None
) -> Posterior:
    """Sum over all DAGs, or let chains draw from them: the way that the settings ask for, or the one that fits."""
    chosen = settings or PosteriorSettings()
    summed = Summed(None)
    if chosen.way != "chains":
        summed = sum_posterior(problem, run, always=chosen.way == "exact", drawing=chosen.drawing)
        if summed.exact is not None and (summed.exact.complete or chosen.way == "exact"):
            return Posterior(summed.exact, None)
    drawn = draw_posterior(problem, run, seed=seed, settings=chosen)
    if summed.by_time and drawn.status is Status.COMPLETE:  # they may be as good as any, but the clock chose them
        drawn = replace(drawn, status=Status.TIME_LIMIT)
    return Posterior(None, drawn, summed.why_not)


@dataclass(frozen=True, eq=False)
class Problem:
    """What the posterior is of.

    `resample` learns so many networks from resampled data by a seed, for chains to begin at; None for none.
    """

    data: Dataset
    score: Score
    max_parents: int | None = None
    constraints: Constraints | None = None
    resample: Callable[[Problem, int, int, Run], NetworkSet] | None = None

    def table(self, slack: float, run: Run) -> ParentSetTable:
        """Build the table of parent sets for this slack."""
        return build_parent_sets(
            self.data,
            self.score,
            slack=slack,
            max_parents=self.max_parents,
            constraints=self.constraints,
            threads=run.threads,
            limits=run.uncounted,
            progress=run.progress,
        )


@dataclass(frozen=True, eq=False)
class Summed:
    """What came of a sum over all DAGs: the sums, whole or not, None if none was begun, and why there is no whole one.

    `by_time`: whether it is a limit of time that was in the way.
    """

    exact: ExactPosterior | None
    why_not: str = ""
    by_time: bool = False


def sum_posterior(problem: Problem, run: Run, *, always: bool = False, drawing: bool = False) -> Summed:
    """Sum over all DAGs, or return why not; unless `always`, only if the work to be done is small.

    `drawing`: and if there is memory to draw networks from the sums.
    """
    n = problem.data.n_variables
    limits = run.uncounted
    if always:
        check_size(n)
    else:
        families = count_families(n, problem.max_parents)
        cases = problem.score.data_score.cases_read(problem.data)
        if n > LARGEST or families > MOST_FAMILIES or families * (SCORED_ALWAYS + cases) > MOST_SCORED:
            about = f"{families:.2g}" if families < LARGEST_COUNT else f"1e+{math.floor(math.log10(families))}"
            return Summed(None, f"A sum over all DAGs of {n} variables, with {about} parent sets, is out of reach.")
        run = run.share(EXACT_SHARE)
        if families * (SCORED_ALWAYS + cases) * SECONDS_A_CASE > run.seconds_left:
            return Summed(None, "A sum over all DAGs would take longer than its share of the time limit.", True)
        limits = replace(run.limits, memory_bytes=limits.memory_bytes or EXACT_MEMORY, count=MOST_TERMS)
    table = problem.table(math.inf, run.replace(limits=limits))
    if table.status.unless_interrupted() is not Status.COMPLETE:
        return Summed(
            ExactPosterior.unfinished(table, table.status),
            f"The parent sets for a sum over all DAGs could not all be scored ({table.status}).",
            table.status is Status.TIME_LIMIT,
        )
    if drawing and not always and draws_within(table, limits) < EXACT_DRAWS:
        short = ExactPosterior.unfinished(table, Status.MEMORY_LIMIT)
        return Summed(short, "Draws from a sum over all DAGs take too much memory.")
    left = replace(limits, seconds=run.limits.seconds)
    found = exact_posterior(table, threads=run.threads, limits=left, progress=run.progress)
    if found.status.unless_interrupted() is Status.COMPLETE:
        return Summed(found)
    ended = "would take too long" if found.status is Status.COUNT_LIMIT else f"was not finished ({found.status})"
    why = f"The sum over all DAGs {ended}. {found.needed()}"
    return Summed(found, why, found.status is Status.TIME_LIMIT)


def draw_posterior(
    problem: Problem,
    run: Run,
    *,
    credible: CredibleSet | None = None,
    seed: Seed = None,
    settings: PosteriorSettings | None = None,
) -> ChainPosterior:
    """Let chains draw from the posterior; `credible` is the set to jump in, if it is at hand."""
    chosen = settings or PosteriorSettings()
    known = run_of_file(chosen.path)
    slack = slack_for(problem.data.n_variables, problem.max_parents)
    table = _walked(problem, slack if credible is None else max(slack, credible.slack), chosen, run)
    by_clock = False
    if credible is None and table.status is Status.COMPLETE:
        credible, by_clock = _jump_set(problem, chosen, run)
        if credible is not None and credible.slack > table.slack:
            table = _walked(problem, credible.slack, chosen, run)
    if table.status is not Status.COMPLETE:  # it lacks parent sets that networks to jump to may have
        credible = None
    used = known.seed if seed is None and known is not None else resolve_seed(seed)
    resampled: tuple[Dag, ...] = ()
    if known is None:
        resampled, short = _resampled(problem, chosen.chains, used, run.share(RESAMPLED_SHARE))
        by_clock = by_clock or short
    # Networks that lack arcs only because parent sets are missing are no answer: none is drawn.
    nothing = table.status is not Status.COMPLETE and not table.max_parents and problem.max_parents != 0
    found = sample_posterior(
        table,
        constraints=problem.constraints,
        credible=credible,
        seed=used,
        threads=run.threads,
        limits=replace(run.limits, seconds=NO_TIME) if nothing else run.limits,
        progress=run.progress,
        settings=ChainSettings(
            chains=chosen.chains,
            most_draws=chosen.most_draws,
            # No later run would have the same table, cut short by the clock, to resume from.
            path=None if table.status is Status.TIME_LIMIT else chosen.path,
            cluster=chosen.cluster,
            resampled=resampled,
            by_clock=by_clock,
        ),
    )
    if table.status is not Status.COMPLETE:  # of a lower parent limit than was asked for
        status = found.status if found.status is Status.INTERRUPTED else table.status
        found = replace(found, status=status, verdict=replace(found.verdict, most_parents=table.max_parents))
    return found


def _walked(problem: Problem, slack: float, settings: PosteriorSettings, run: Run) -> ParentSetTable:
    """Return the table that chains walk on, in a share of the time; a run that is resumed needs the one that it had."""
    known = run_of_file(settings.path)
    table = problem.table(slack, run if known is not None else run.share(TABLE_SHARE))
    if table.status.unless_interrupted() is Status.TIME_LIMIT and known is not None:
        raise _over_before("parent sets", "walk on", settings.path)
    return table


def _resampled(problem: Problem, chains: int, seed: int, run: Run) -> tuple[tuple[Dag, ...], bool]:
    """Return networks of resampled data for the chains that begin there, and whether time left some of them out."""
    wanted = sum(chain % 4 == RESAMPLED for chain in range(chains))
    if problem.resample is None or not wanted:
        return (), False
    found = problem.resample(problem, wanted, seed, run)
    return tuple(found), found.status.unless_interrupted() is Status.TIME_LIMIT


def _jump_set(problem: Problem, settings: PosteriorSettings, run: Run) -> tuple[CredibleSet | None, bool]:
    """Return the set that chains jump in, None if it takes too much or is not wanted, and whether time decided that.

    Memory decides, which does not depend on how busy a machine is; time only where it is limited. A run that is
    resumed needs the set that it had, and is given all of the time.
    """
    known = run_of_file(settings.path)
    if settings.jump_factor <= 1 or (known is not None and known.jump_slack is None):
        return None, False
    left = run if known is not None else run.share(JUMP_SHARE)
    slacks = [math.log(settings.jump_factor * share) for share in JUMP_FACTORS if settings.jump_factor * share > 1]
    if known is not None:
        slacks = [slack for slack in slacks if slack == known.jump_slack] or slacks[-1:]
    largest, status = None, Status.COMPLETE
    for slack in slacks:
        limits = Limits(left.limits.seconds, JUMP_MEMORY)
        table = problem.table(slack, run.replace(limits=limits))
        status = table.status
        if status is Status.COMPLETE:
            found = CredibleSet.within(table, slack, problem.constraints, run.replace(limits=limits).here)
            status = found.status
        if status.unless_interrupted() is not Status.COMPLETE:
            break
        largest = found
    if known is not None and status is Status.TIME_LIMIT:
        raise _over_before("networks", "jump among", settings.path)
    return largest, status is Status.TIME_LIMIT


def _over_before(what: str, use: str, path: str | os.PathLike[str] | None) -> UnfinishedError:
    return UnfinishedError(
        f"time ran out before the {what} that the chains of {path} {use} were found again:",
        "nothing was drawn, and the file is as it was.",
        remedies=Remedy("allow more time"),
    )


def as_ensemble(networks: Ensemble | Posterior | ExactPosterior | ChainPosterior, *, seed: int = 0) -> Ensemble:
    """Return networks as they are; of a posterior, those of its chains, or 10,000 draws where it was summed.

    `seed` is that of these draws. Anything else is refused with what it could be.
    """
    if isinstance(networks, Posterior):
        return networks.networks(seed=seed)
    if isinstance(networks, ExactPosterior):
        return networks.sample(EXACT_DRAWS, seed=seed)
    if isinstance(networks, ChainPosterior):
        return networks.networks()
    if not hasattr(networks, "arc_probabilities"):  # a method of every ensemble
        finders = [Call(name) for name in ("find_credible", "find_posterior", "bootstrap_networks")]
        raise OptionError(
            f"expected a set of networks, got {type(networks).__name__}.",
            remedies=Remedy("give what", finders[0], ",", finders[1], "or", finders[2], "returns"),
        )
    return networks
