"""`arcwise predict`: a variable of new rows, and how well it is predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from arcwise.base.errors import OptionError
from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.base.run import Status
from arcwise.cli.options import TableVerb, TimeLimit
from arcwise.cli.output import AnswerVerb, FolderArgument, open_folder, write_frame
from arcwise.cli.verb import Result
from arcwise.data.table import Table
from arcwise.evaluate.predictions import score_predictions
from arcwise.report.page import prediction_answer


class Predict(TableVerb, TimeLimit, AnswerVerb):
    """Predict a variable of new rows from all others, or say how well it is predicted.

    Rows are cut and coded as the training data were; a missing value is not observed. One line per row: the most
    probable state, and the probability of each. Without new rows: accuracy, log loss and calibration by
    cross-validation, with networks learned anew in every fold.

    Example: arcwise predict survey-report new.csv --target cough
    """

    folder: FolderArgument
    data: Annotated[
        Path | None,
        typer.Argument(
            help="New rows: a data file, - for stdin; without it, how well the variable is predicted.",
            show_default=False,
        ),
    ] = None
    target: str = option(REQUIRED, "the variable to predict")
    average: bool = option(False, "average over all networks instead of asking the one network")
    unseen: str = option("missing", "a state that no training row had: missing (taken as not observed), or error")
    folds: int = option(10, "without new rows: the folds of cross-validation", low=2, high=100_000)
    seed: int = row(Common, "seed")

    def _check(self) -> None:
        super()._check()
        if self.unseen not in ("missing", "error"):
            raise typer.BadParameter(f"--unseen is missing or error, not '{self.unseen}'.")

    def _run(self) -> Result:
        import pandas as pd

        target = self.target
        saved = open_folder(self.folder)
        states = saved.network.states[saved.network.index(target)]
        if self.data is None:
            if self.average:
                raise OptionError(
                    "--average is for new rows; cross-validation learns the consensus network of every fold."
                )
            limits, progress = self.limits, self.progress
            scores = saved.cross_validate(target, folds=self.folds, seed=self.seed, limits=limits, progress=progress)
            status = Status.TIME_LIMIT if scores.by_time else Status.COMPLETE
            measured = {str(name): value for name, value in scores.to_frame().iloc[0].items()}
            answer, frame = prediction_answer(scores), scores.calibration_frame()
            return self.answer(answer, frame, status, source=saved.folder, folds=self.folds, **measured)
        table = self.read_table(self.data)
        coded = saved.coding.apply(table, unseen=self.unseen)  # type: ignore[arg-type]
        for remark in coded.without(target).remarks():  # that it is not known is why it is predicted
            self.remark(remark)
        options: dict[str, Any] = {"seed": self.seed} if self.average else {}
        model = saved.average if self.average else saved.network
        found = model.predict_proba(coded.table, target, progress=self.progress, **options)
        frame = pd.DataFrame({target: np.array(states, dtype=object)[found.argmax(axis=1)]})
        for k, state in enumerate(states):
            frame[f"P({target}={state})"] = found[:, k]
        if self.output is not None or not self.as_json:
            write_frame(frame, self.output or Path("-"))
        facts = _scored(coded.table, target, states, found)
        told = [] if self.output is None or str(self.output) == "-" else [f"wrote {len(frame):,} rows to {self.output}"]
        if facts:
            told.append(
                f"{target} is known in {facts['known']:,} of these rows: predicted right in {facts['accuracy']:.1%}, "
                f"log loss {facts['log_loss']:.3f}"
            )
        payload = {"source": self.folder, "target": target, "rows": len(frame), "states": states, **facts}
        return Result(payload, told="\n".join(told))


def _scored(table: Table, target: str, states: tuple[str, ...], probabilities: NDArray[np.float64]) -> dict[str, float]:
    """Return how good the predictions are where the rows know the answer; nothing if they do not."""
    if target not in table.names:
        return {}
    column = table.column(target)
    known = ~column.is_missing
    if not known.any():
        return {}
    scores = score_predictions(probabilities[known], column.codes[known].astype(np.int64), target=target, states=states)
    return {"known": scores.n_cases, "accuracy": scores.accuracy, "log_loss": scores.log_loss}
