"""`TargetFocus`: what an analysis says about the variable that it was made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arcwise.evaluate import FitCheck, PredictionScores
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.analysis.questions import Questions
    from arcwise.analysis.variable import VariableFinding
    from arcwise.deadline import Deadline
    from arcwise.progress import ProgressCallback

__all__ = ["FOLDS", "TargetFocus", "check_network", "focus_on"]

FOLDS = 5
# Pairs times rows that an analysis tests without being asked: some seconds.
MOST_TESTED = 5e8


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


def check_network(source: Questions) -> FitCheck | None:
    """Test the independences that the network implies; None where that would take long.

    What decides is the size and not the clock, so that a report is the same on every machine.
    """
    n, data = source.network.n_variables, source.one_copy
    if n * (n - 1) / 2 * data.n_rows > MOST_TESTED:
        return None
    return source.check_fit(replicates=0, progress=False)
