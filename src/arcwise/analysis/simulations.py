"""`SimulationPlan`: how many data sets a report is worth that are simulated from the networks found.

They show how often confidences are right for data like these. Learning from one takes as long as from the data,
so that large problems get fewer sets and fewer networks of each, which is enough: they have more pairs. How many is
decided by an estimate of the work and not by the clock, so that a report is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SimulationPlan", "plan_simulations"]

FULL = (10, 30)  # data sets, and networks of each: one and a half times the work of 200 replicates
FEW = (5, 20)  # half of that of 200 replicates
# Up to so much estimated work of 200 replicates the former, and up to so much the latter.
MOST_FULL, MOST_FEW = 15.0, 120.0
# Sources other than samples of networks are as quick as that for so many variables only.
MOST_EXACT = 40


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """How many data sets are simulated, how many networks are learned from each, and why none are; else ""."""

    sets: int
    networks: int
    refusal: str = ""


def plan_simulations(n_variables: int, n_cases: int, *, is_sample: bool) -> SimulationPlan:
    """Plan by the size of the data, and by whether the networks are a sample, of which fewer can be drawn.

    >>> plan_simulations(37, 5_000, is_sample=True)
    SimulationPlan(sets=10, networks=30, refusal='')
    >>> plan_simulations(223, 5_000, is_sample=True)
    SimulationPlan(sets=5, networks=20, refusal='')
    >>> plan_simulations(223, 50_000, is_sample=True).refusal
    'with 223 variables and 50,000 cases it would take too long'
    """
    work = _work(n_variables, n_cases)
    if work <= MOST_FULL and (is_sample or n_variables <= MOST_EXACT):
        return SimulationPlan(*FULL)
    if work <= MOST_FEW and is_sample:
        return SimulationPlan(*FEW)
    return SimulationPlan(0, 0, f"with {n_variables:,} variables and {n_cases:,} cases it would take too long")


def _work(n_variables: int, n_cases: int) -> float:
    """Return about how many seconds of one core 200 replicates with qNML take; within a factor of two.

    Measured on networks of 20 to 223 variables with 500 to 50,000 cases (benchmarks/learn_accuracy.py).
    """
    return n_variables**2 / 1_000 + n_variables * n_cases / 60_000
