"""What the prior does to the answer, and whether more data would change it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.priors import Learning, Saturation, Sensitivity, analytic_ess, data_saturation, prior_sensitivity
from arcwise.progress import ProgressCallback

__all__ = ["PriorChecks", "check_prior"]

# Saturation learns an exact optimum from every subsample; with more variables that is an analysis of its own.
MOST_VARIABLES = 14
FEWEST_CASES = 41
REPETITIONS = 3


@dataclass(frozen=True, eq=False)
class PriorChecks:
    """Sensitivity of the consensus network, Steck's equivalent sample size for it, and saturation.

    Where something was not computed, it is None and `notes` say why.
    """

    sensitivity: Sensitivity
    alpha_star: float | None
    saturation: Saturation | None
    notes: tuple[str, ...] = ()


def check_prior(
    data: Dataset,
    dag: Dag,
    *,
    ess: float,
    seed: int,
    max_parents: int | None,
    constraints: Constraints | None,
    threads: int,
    limits: Limits,
    spent: bool,
    progress: bool | ProgressCallback | None,
) -> PriorChecks:
    """Ask how far the prior moves the score of a network, and how far more data still change the structure."""
    notes: list[str] = []
    sensitivity = prior_sensitivity(data, dag, ess=ess)
    try:
        alpha_star = analytic_ess(data, dag).value
    except OptionError:
        alpha_star = None
    saturation = None
    if data.n_variables > MOST_VARIABLES:
        notes.append(
            f"Saturation was not computed: it takes an exact search for each of many subsamples, and there are more "
            f"than {MOST_VARIABLES} variables. `arcwise prior saturation --max-parents 3` computes it."
        )
    elif data.n_cases < FEWEST_CASES:
        notes.append(f"Saturation was not computed: {data.n_cases} cases cannot be halved often enough.")
    elif spent:
        notes.append("Saturation was not computed: the time was over.")
    else:
        searches = 2 * REPETITIONS * math.ceil(math.log2(data.n_cases / 10))  # a table and a search each
        each = limits if limits.seconds is None else replace(limits, seconds=limits.seconds / searches)
        learning = Learning(max_parents=max_parents, constraints=constraints, limits=each, threads=threads)
        saturation = data_saturation(
            data, ess=ess, repetitions=REPETITIONS, seed=seed, learning=learning, progress=progress
        )
        if saturation.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if saturation.status is not Status.COMPLETE:
            saturation = None
            notes.append("Saturation was not computed: the time was over.")
    return PriorChecks(sensitivity, alpha_star, saturation, tuple(notes))
