"""What the prior does to the answer, and whether more data would change it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from arcwise.analysis.options import LearnOptions
from arcwise.analysis.remark import Remark
from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.limits import Status
from arcwise.priors import Learning, Saturation, Sensitivity, analytic_ess, data_saturation, prior_sensitivity
from arcwise.progress import ProgressCallback
from arcwise.showing import one_screen

__all__ = ["PriorChecks", "add_saturation", "check_prior"]

# Saturation learns an exact optimum from every subsample; with more variables that is an analysis of its own.
MOST_VARIABLES = 14
FEWEST_CASES = 41
# Cases are shuffled, not distinct rows: of more that takes more memory than a large file does.
MOST_CASES = 10**8
REPETITIONS = 3


@one_screen
@dataclass(frozen=True, eq=False)
class PriorChecks:
    """Sensitivity of the consensus network, Steck's equivalent sample size for it, and saturation.

    Where something was not computed, it is None and `notes` say why.
    """

    sensitivity: Sensitivity
    alpha_star: float | None
    saturation: Saturation | None
    notes: tuple[Remark, ...] = ()


def check_prior(data: Dataset, dag: Dag, *, ess: float) -> PriorChecks:
    """Ask how far the prior moves the score of a network, and which prior a formula suggests."""
    sensitivity = prior_sensitivity(data, dag, ess=ess)
    alpha_star = None
    if data.targets is None:  # the formula has one number of cases
        with contextlib.suppress(OptionError):
            alpha_star = analytic_ess(data, dag).value
    return PriorChecks(sensitivity, alpha_star, None)


def add_saturation(
    found: PriorChecks,
    data: Dataset,
    options: LearnOptions,
    *,
    ess: float,
    deadline: Deadline,
    progress: bool | ProgressCallback | None,
) -> PriorChecks:
    """Add how much more data would still change the structure."""
    saturation, note = _saturation(data, options, ess, deadline, progress)
    return replace(found, saturation=saturation, notes=() if note is None else (note,))


def _saturation(
    data: Dataset, options: LearnOptions, ess: float, deadline: Deadline, progress: bool | ProgressCallback | None
) -> tuple[Saturation | None, Remark | None]:
    """Learn from growing parts of the data, where that is quick; if not, say why there is nothing."""
    if data.n_variables > MOST_VARIABLES:
        return None, Remark(
            f"Saturation was not computed: it needs an exact search for each of many subsamples, and there are more "
            f"than {MOST_VARIABLES} variables. `arcwise prior saturation --max-parents 3` computes it."
        )
    if options.constraints is not None and options.constraints.is_ancestral:
        return None, Remark("Saturation was not computed: it learns without constraints on ancestors.")
    if data.n_cases < FEWEST_CASES:
        return None, Remark(f"Saturation was not computed: {data.n_cases} cases cannot be halved often enough.")
    if data.n_cases > MOST_CASES:
        return None, Remark(
            f"Saturation was not computed: to shuffle them, each of the {data.n_cases:,} cases would have to be in "
            "memory."
        )
    if deadline.is_over:
        return None, _stopped(Status.TIME_LIMIT)
    learning = Learning(
        max_parents=options.max_parents,
        constraints=options.constraints,
        limits=deadline,
        threads=options.threads,
    )
    found = data_saturation(
        data, ess=ess, repetitions=REPETITIONS, seed=options.seed, learning=learning, progress=progress
    )
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return (found, None) if found.status is Status.COMPLETE else (None, _stopped(found.status))


def _stopped(status: Status) -> Remark:
    """Say which limit stopped it."""
    return Remark(f"Saturation was not computed: the {status} was reached.", by_time=status is Status.TIME_LIMIT)
