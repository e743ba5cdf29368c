"""`TargetFocus`: what an analysis says about the variable that it was made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arcwise.evaluate import FitCheck, PredictionScores
from arcwise.limits import Limits, Status
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.analysis.questions import Questions
    from arcwise.analysis.variable import VariableFinding
    from arcwise.deadline import Deadline
    from arcwise.progress import ProgressCallback

__all__ = ["FOLDS", "TargetFocus", "check_network", "focus_on", "is_quick_to_check", "seconds_to_check"]

FOLDS = 5
# Pairs times rows that an analysis tests without being asked: some seconds.
MOST_TESTED = 5e8
# What a test takes, and what each row adds to it.
SECONDS_A_TEST, SECONDS_A_ROW = 3e-4, 3e-8


@one_screen
@dataclass(frozen=True, eq=False)
class TargetFocus:
    """What the target depends on, and how well it is predicted by cross-validation."""

    variable: VariableFinding
    scores: PredictionScores


def focus_on(
    source: Questions, target: str, deadline: Deadline, *, seed: int, progress: bool | ProgressCallback | None
) -> TargetFocus:
    """Describe the target, and predict it by networks that are learned anew in every fold, in half of the time left."""
    scores = source.cross_validate(target, folds=FOLDS, seed=seed, limits=deadline.share(0.5).limits, progress=progress)
    return TargetFocus(source.variable(target), scores)


def is_quick_to_check(source: Questions) -> bool:
    """Say whether a network has few enough independences, and few enough rows, to be tested without being asked for.

    The size decides and not the clock, so that a report is the same on every machine.
    """
    return _tests(source) * source.one_copy.n_rows <= MOST_TESTED


def check_network(source: Questions, limits: Limits | None = None) -> FitCheck | None:
    """Test the independences that the network implies; None if the time did not suffice."""
    found = source.check_fit(replicates=0, limits=limits, progress=False)
    return found if found.status is Status.COMPLETE else None


def seconds_to_check(source: Questions) -> float:
    """Return about how long `check_network` takes, if it is made at all."""
    return _tests(source) * (SECONDS_A_TEST + source.one_copy.n_rows * SECONDS_A_ROW) * is_quick_to_check(source)


def _tests(source: Questions) -> float:
    n = source.network.n_variables
    return n * (n - 1) / 2
