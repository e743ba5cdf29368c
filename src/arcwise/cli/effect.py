"""`arcwise effect`: what would happen if a variable were set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import option, row
from arcwise.cli.options import DataVerb, TimeLimit
from arcwise.cli.output import AnswerVerb, FolderOrGraphArgument, LevelOptions, open_folder
from arcwise.cli.verb import Result
from arcwise.effects.possible_effects import PossibleEffects, possible_effects
from arcwise.effects.search import usable_cases
from arcwise.report.effects import effect_answer, effects_answer, possible_answer

HIDDEN = ("none", "possible")
ASSUMES = "no common cause is missing from the data"


class Effect(DataVerb, TimeLimit, AnswerVerb):
    """Say what would happen to Y if X were set: P(Y | do(X)) over all networks of an analysis.

    For each network the parents of X are adjusted for; the answer is the mixture over all of them, with the probability
    that there is no effect at all. It assumes that no common cause is missing from the data; --hidden-causes possible
    says what holds without. Without Y, the effects of X on all others; without X, all pairs.

    Example: arcwise effect survey-report smoke cough
    """

    source: FolderOrGraphArgument
    cause: Annotated[
        str | None, typer.Argument(metavar="X", help="The variable to set; without it, all.", show_default=False)
    ] = None
    outcome: Annotated[
        str | None,
        typer.Argument(metavar="Y", help="What it may change; without it, all others.", show_default=False),
    ] = None
    hidden_causes: str = option(
        "none",
        "common causes that the data do not have: none (the assumption behind every estimate), or possible, which "
        "adds the bounds that hold whatever is missing",
    )
    within_class: bool = option(False, "the range of the effect within the class of the one network (IDA)")
    level: float = row(LevelOptions, "level")
    data: Path | None = option(None, "for a graph file: the data to estimate effects from")

    def _check(self) -> None:
        if self.hidden_causes not in HIDDEN:
            raise typer.BadParameter(f"--hidden-causes is {' or '.join(HIDDEN)}, not '{self.hidden_causes}'.")
        super()._check()

    def _run(self) -> Result:
        cause, outcome = self.cause, self.outcome
        if self.data is not None or self.within_class:
            if cause is None or outcome is None:
                raise OptionError("the range within one class is that of one effect: give X and Y.")
            found = self._within_class(cause, outcome)
            return self.answer(
                possible_answer(found),
                found.to_frame(),
                source=self.source,
                cause=cause,
                outcome=outcome,
                possible_parents=found.parents,
            )
        saved = open_folder(self.source)
        if cause is not None and outcome is not None:
            one = saved.effect(cause, outcome, level=self.level)
            return self.answer(
                effect_answer(one, hidden_causes=self.hidden_causes == "possible"),
                one.to_frame(),
                source=self.source,
                cause=cause,
                outcome=outcome,
                no_effect=one.no_effect,
                standard_error=one.standard_error,
                level=self.level,
                changes=one.changes(),
                assumes=ASSUMES,
            )
        if cause is not None:
            saved.network.index(cause)  # refuses an unknown name
            usable_cases(saved.stacked, cause)  # refuses one of which no case tells
        matrix = saved.effects(level=self.level, limits=self.limits, progress=self.progress)
        frame = matrix.to_frame()
        if cause is not None:
            frame = frame[frame["cause"] == cause].reset_index(drop=True)
        return self.answer(
            effects_answer(matrix, cause),
            frame,
            matrix.status,
            source=self.source,
            cause=cause,
            level=self.level,
            untold=matrix.untold,
            assumes=ASSUMES,
        )

    def _within_class(self, cause: str, outcome: str) -> PossibleEffects:
        """Return the range of an effect within the class of one network: that of a folder, or of a file and data."""
        if self.data is None:
            return open_folder(self.source).possible_effects(cause, outcome, level=self.level)
        if self.source.is_dir():
            raise OptionError(
                f"--data is for a graph file; {self.source} is a folder, which has its data. Leave it out."
            )
        given, cases = self.open_with_data(self.source, self.data)
        return possible_effects(given.graph(cases.names), cases, cause, outcome, level=self.level)
