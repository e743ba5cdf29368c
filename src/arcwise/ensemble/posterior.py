"""`find_posterior`: the posterior over all DAGs, summed exactly where possible and drawn by chains elsewhere."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.ensemble.chains.chain_posterior import ChainPosterior, Share
from arcwise.ensemble.chains.checkpoint import run_of_file
from arcwise.ensemble.chains.sampling import sample_posterior
from arcwise.ensemble.chains.settings import MOST_CHAINS, ChainSettings
from arcwise.ensemble.chains.slack import count_families, slack_for
from arcwise.ensemble.chains.starts import RESAMPLED
from arcwise.ensemble.credible_set import CredibleSet
from arcwise.ensemble.exact_posterior import LARGEST, ExactPosterior, exact_posterior
from arcwise.ensemble.families import arc_frame
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.replicates.bootstrap import bootstrap_networks
from arcwise.errors import UnknownNameError, suggestion
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.option import check_options, option
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.progress import ProgressCallback
from arcwise.scores import Score, make_score
from arcwise.seeds import Seed, resolve_seed
from arcwise.settings import gather
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

__all__ = [
    "WAYS",
    "Posterior",
    "PosteriorSettings",
    "Problem",
    "Way",
    "draw_posterior",
    "find_posterior",
    "sum_posterior",
]

Way = Literal["auto", "exact", "chains"]
WAYS: tuple[Way, ...] = ("auto", "exact", "chains")
# A sum needs every parent set: beyond this many families the table alone is too much.
MOST_FAMILIES = 2**24
# What a person waits for before chains are tried instead; a share of the time, if there is a limit.
EXACT_SECONDS, EXACT_SHARE = 60.0, 0.5
# Draws from a posterior that was summed: an arc's share has a standard error of at most 0.005.
EXACT_DRAWS = 10_000
# The credible set that chains jump in.
JUMP_SECONDS, JUMP_SHARE, JUMP_MEMORY = 60.0, 0.3, 2**24


@one_screen
@dataclass(frozen=True)
class PosteriorSettings:
    """How the posterior is found.

    Parameters
    ----------
    way
        "exact" sums over all DAGs, "chains" draws from them; "auto" sums where that takes at most a minute (or half of
        the time that is allowed) and the memory that is free, and else draws.
    chains, most_draws, path, cluster
        See `arcwise.ensemble.chains.settings.ChainSettings`.
    jump_factor
        Chains jump among the networks within this Bayes factor of the best one, if that set is found in 16 MB and a
        minute (or 30 % of the time, if that is limited); 1 for no jumps.
    """

    way: Way = "auto"
    chains: int = option(4, "how many chains", low=2, high=MOST_CHAINS)
    most_draws: int = option(200_000, "how many draws of each chain at most", low=8)
    jump_factor: float = option(1000.0, "chains jump among the networks within this Bayes factor of the best", low=1)
    path: str | os.PathLike[str] | None = None
    cluster: Any = None  # str | Client | None: Dask is not there for everybody

    def __post_init__(self) -> None:
        check_options(self)
        if self.way not in WAYS:
            raise UnknownNameError(suggestion("way", str(self.way), WAYS))


class PosteriorKeywords(TypedDict, total=False):
    """`PosteriorSettings` as keywords."""

    settings: PosteriorSettings
    way: Way
    chains: int
    most_draws: int
    jump_factor: float
    path: str | os.PathLike[str] | None
    cluster: str | Client | None


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior over all DAGs: exact sums, or draws of chains with a verdict.

    Parameters
    ----------
    exact
        The sums; None if chains were used.
    chains
        The draws; None if the sums were found.
    why_chains
        Why there are no sums, a sentence; "" if there are.
    """

    exact: ExactPosterior | None
    chains: ChainPosterior | None
    why_chains: str = ""

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

    def edge_probabilities(self) -> NDArray[np.float64]:
        """Return the symmetric matrix of the posterior probabilities of an arc either way."""
        return self._found.edge_probabilities()

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the Monte Carlo standard errors of the edges' probabilities: 0 where they are exact."""
        return np.zeros((len(self.names),) * 2) if self.chains is None else self.chains.standard_errors()

    def share_of(self, credible: CredibleSet) -> Share:
        """Return the posterior probability of a complete credible set of the same data and score."""
        if self.exact is not None:
            return Share(self.exact.covered_by(credible.summary()), 0.0)
        assert self.chains is not None
        return self.chains.share_within(credible.opt - credible.slack - credible.tolerance)

    def networks(self, draws: int = EXACT_DRAWS, *, seed: Seed = None, limits: Limits | None = None) -> NetworkSet:
        """Return networks that were drawn from the posterior, all of the same weight.

        Where it was summed, they are drawn now, independently of each other (see `ExactPosterior.sample`). Otherwise
        they are those of the chains, however many there are, and the arguments are not used.

        Parameters
        ----------
        draws
            How many, where the posterior was summed.
        seed
            Fixes the random numbers of these draws.
        limits
            See `ExactPosterior.sample`.
        """
        if self.exact is not None:
            return self.exact.sample(draws, seed=seed, limits=limits)
        assert self.chains is not None
        return self.chains.networks()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per arc, with its probability, the likeliest first."""
        return arc_frame(self.names, self.arc_probabilities())

    def report(self) -> str:
        """Return what is known of the error, in sentences: the certificate of the sums, or the chains' verdict."""
        if self.exact is not None:
            return self.exact.certificate()
        assert self.chains is not None
        return f"{self.why_chains} {self.chains.report()}".strip()

    def __repr__(self) -> str:
        return f"Posterior({self._found!r})"


def find_posterior(
    data: Dataset,
    score: str | Score = "bic",
    *,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    seed: Seed = None,
    threads: int = 1,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[PosteriorKeywords],
) -> Posterior:
    """Find the posterior probability of every arc and edge over all DAGs, each of which weighs exp(score).

    A sum over all DAGs is tried first: up to 20 variables in most cases, up to 26 where cases are many. Otherwise,
    Markov chains draw networks until they agree, or until a limit; then `status` is not COMPLETE, and `report` says
    where they differ.

    Parameters
    ----------
    data
        The data.
    score
        Any score.
    max_parents
        The largest number of parents; None for the limit that the score needs, if any.
    constraints
        Only networks that satisfy them.
    seed
        Fixes the random numbers of chains.
    threads
        The result does not depend on it.
    limits
        `seconds` and `memory_bytes`; `count`, the draws of each chain.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `PosteriorSettings` by keyword: ``way=``, ``chains=``, ``most_draws=``, ``jump_factor=``,
        ``path=``, ``cluster=``. A whole one as ``settings=``.

    Examples
    --------
    >>> from arcwise import datasets
    >>> found = find_posterior(datasets.load("balance-scale"), "bdeu:ess=1")
    >>> found.is_exact, round(float(found.edge_probabilities()[0, 1]), 3)
    (True, 1.0)
    """
    chosen = gather(PosteriorSettings, find_posterior, settings)
    if constraints is not None:
        constraints.refuse_ancestors("the posterior")
    scorer = make_score(score)
    most = scorer.facts.parent_limit if max_parents is None else max_parents
    problem = Problem(data, scorer, most, constraints, threads, progress)
    deadline = Deadline.of(limits)
    why = ""
    if chosen.way != "chains":
        exact, why = sum_posterior(problem, deadline, always=chosen.way == "exact")
        if exact is not None and (exact.complete or chosen.way == "exact"):
            return Posterior(exact, None)
    return Posterior(None, draw_posterior(problem, deadline, seed=seed, settings=chosen), why)


@dataclass(frozen=True, eq=False)
class Problem:
    """What the posterior is of, and the circumstances of finding it."""

    data: Dataset
    score: Score
    max_parents: int | None = None
    constraints: Constraints | None = None
    threads: int = 1
    progress: bool | ProgressCallback | None = None

    def table(self, slack: float, limits: Limits) -> ParentSetTable:
        """Build the table of parent sets for this slack."""
        return build_parent_sets(
            self.data,
            self.score,
            slack=slack,
            max_parents=self.max_parents,
            constraints=self.constraints,
            threads=self.threads,
            limits=limits,
            progress=self.progress,
        )


def sum_posterior(problem: Problem, deadline: Deadline, *, always: bool = False) -> tuple[ExactPosterior | None, str]:
    """Sum over all DAGs, or say why not; unless `always`, only if that is quick."""
    n = problem.data.n_variables
    if not always:
        families = count_families(n, problem.max_parents)
        if n > LARGEST or families > MOST_FAMILIES:
            return None, f"A sum over all DAGs of {n} variables, with {families:.2g} parent sets, is out of reach."
        left = deadline.share(EXACT_SHARE).limits
        seconds = EXACT_SECONDS if left.seconds is None else min(EXACT_SECONDS, left.seconds)
        deadline = Deadline(replace(left, seconds=seconds))
    table = problem.table(math.inf, deadline.uncounted)
    if table.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if table.status is not Status.COMPLETE:
        return None, f"The parent sets for a sum over all DAGs could not all be scored ({table.status})."
    found = exact_posterior(table, threads=problem.threads, limits=deadline.uncounted, progress=problem.progress)
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return found, "" if found.complete else f"The sum over all DAGs was not finished ({found.status}). {found.needed()}"


def draw_posterior(
    problem: Problem,
    deadline: Deadline,
    *,
    credible: CredibleSet | None = None,
    seed: Seed = None,
    settings: PosteriorSettings | None = None,
) -> ChainPosterior:
    """Let chains draw from the posterior; `credible` is the set to jump in, if it is at hand."""
    chosen = settings or PosteriorSettings()
    if credible is None:
        credible = _jump_set(problem, chosen, deadline)
    slack = slack_for(problem.data.n_variables, problem.max_parents)
    if credible is not None:
        slack = max(slack, credible.slack)
    table = problem.table(slack, deadline.uncounted)
    if table.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if table.status is not Status.COMPLETE:  # it lacks parent sets that networks to jump to may have
        credible = None
    known = run_of_file(chosen.path)
    used = known.seed if seed is None and known is not None else resolve_seed(seed)
    found = sample_posterior(
        table,
        constraints=problem.constraints,
        credible=credible,
        seed=used,
        threads=problem.threads,
        limits=deadline.limits,
        progress=problem.progress,
        settings=ChainSettings(
            chains=chosen.chains,
            most_draws=chosen.most_draws,
            path=chosen.path,
            cluster=chosen.cluster,
            resampled=_resampled(problem, chosen.chains, used, deadline),
        ),
    )
    if table.status is not Status.COMPLETE:  # of a lower parent limit than was asked for
        found = replace(found, status=table.status)
    return found


def _resampled(problem: Problem, chains: int, seed: int, deadline: Deadline) -> tuple[Dag, ...]:
    """Return networks of resampled data for the chains that begin there."""
    wanted = sum(chain % 4 == RESAMPLED for chain in range(chains))
    if not wanted:
        return ()
    found = bootstrap_networks(
        problem.data,
        problem.score,
        replicates=wanted,
        constraints=problem.constraints,
        max_parents=problem.max_parents,
        seed=seed,
        limits=deadline.uncounted,
        progress=problem.progress,
    )
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return tuple(found)


def _jump_set(problem: Problem, settings: PosteriorSettings, deadline: Deadline) -> CredibleSet | None:
    """Return the set that chains jump in; None if it takes too much, or is not wanted.

    Memory decides, which does not depend on how busy a machine is; time only where the limit is tight. A run that is
    resumed does as it did before, however much time it has now.
    """
    slack = math.log(settings.jump_factor)
    known = run_of_file(settings.path)
    if settings.jump_factor <= 1 or (known is not None and known.jump_slack is None):
        return None
    left = deadline.share(JUMP_SHARE).limits.seconds
    seconds = JUMP_SECONDS if left is None else min(JUMP_SECONDS, left)
    limits = Deadline(Limits(seconds if known is None else None, JUMP_MEMORY))
    table = problem.table(slack, limits.limits)
    if table.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if table.status is not Status.COMPLETE:
        return None
    found = CredibleSet.build(
        table, log_slack=slack, constraints=problem.constraints, limits=limits.limits, progress=problem.progress
    )
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return found if found.complete else None
