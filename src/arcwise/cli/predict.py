"""`arcwise predict`: a variable of new rows, and how well it is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.base.run import Status
from arcwise.cli.options import TableOptions, TimeLimit
from arcwise.cli.output import AnswerOptions, FolderArgument, finish, open_folder, print_json, write_frame

if TYPE_CHECKING:
    from arcwise.analysis.folder import SavedAnalysis


@dataclass(frozen=True)
class PredictOptions:
    """What to predict, and how."""

    target: str = option(REQUIRED, "the variable to predict")
    average: bool = option(False, "average over all networks instead of asking the one network")
    unseen: str = option("missing", "a state that no training row had: missing (taken as not observed), or error")
    folds: int = option(10, "without new rows: the folds of cross-validation", low=2, high=100_000)
    seed: int = row(Common, "seed")


def predict(
    folder: FolderArgument,
    data: Annotated[
        Path | None,
        typer.Argument(
            help="New rows: a data file, - for stdin; without it, how well the variable is predicted.",
            show_default=False,
        ),
    ] = None,
    *,
    asked: PredictOptions,
    reading: TableOptions,
    limit: TimeLimit,
    printing: AnswerOptions,
) -> None:
    """Predict a variable of new rows from all others, or say how well it is predicted.

    Rows are cut and coded as the training data were; a missing value is not observed. One line per row: the most
    probable state, and the probability of each. Without new rows: accuracy, log loss and calibration by
    cross-validation, with networks learned anew in every fold.

    Example: arcwise predict survey-report new.csv --target cough
    """
    printing.check()
    target, average = asked.target, asked.average
    if asked.unseen not in ("missing", "error"):
        raise typer.BadParameter(f"--unseen is missing or error, not '{asked.unseen}'.")
    saved = open_folder(folder)
    saved.network.index(target)  # refuses an unknown name
    if data is None:
        if average:
            raise OptionError("--average is for new rows; cross-validation learns the consensus network of every fold.")
        _cross_validate(saved, asked, limit, printing)
        return
    import numpy as np
    import pandas as pd

    table = reading.read_table(data, printing.progress)
    coded = saved.coding.apply(table, unseen=asked.unseen)  # type: ignore[arg-type]
    for remark in coded.without(target).remarks():  # that it is not known is why it is predicted
        printing.remark(remark)
    options: dict[str, Any] = {"seed": asked.seed} if average else {}
    model = saved.average if average else saved.network
    found = model.predict_proba(coded.table, target, progress=printing.progress, **options)
    states = saved.network.states[saved.network.index(target)]
    frame = pd.DataFrame({target: np.array(states, dtype=object)[found.argmax(axis=1)]})
    for k, state in enumerate(states):
        frame[f"P({target}={state})"] = found[:, k]
    facts = _scored(coded.table, target, states, found)
    if printing.as_json:
        print_json({"source": folder, "target": target, "rows": len(frame), "states": states, **facts})
        if printing.output is not None:
            write_frame(frame, printing.output)
        return
    write_frame(frame, printing.output or Path("-"))
    if printing.output is not None and str(printing.output) != "-":
        printing.remark(f"wrote {len(frame):,} rows to {printing.output}")
    if facts:
        printing.remark(
            f"{target} is known in {facts['known']:,} of these rows: predicted right in {facts['accuracy']:.1%}, log "
            f"loss {facts['log_loss']:.3f}"
        )


def _scored(table: object, target: str, states: tuple[str, ...], probabilities: object) -> dict[str, float]:
    """Return how good the predictions are where the rows know the answer; nothing if they do not."""
    import numpy as np

    from arcwise.data.table import Table
    from arcwise.evaluate.predictions import score_predictions

    assert isinstance(table, Table)
    if target not in table.names:
        return {}
    column = table.column(target)
    known = ~column.is_missing
    if not known.any():
        return {}
    scores = score_predictions(
        np.asarray(probabilities)[known], column.codes[known].astype(np.int64), target=target, states=states
    )
    return {"known": scores.n_cases, "accuracy": scores.accuracy, "log_loss": scores.log_loss}


def _cross_validate(saved: SavedAnalysis, asked: PredictOptions, limit: TimeLimit, printing: AnswerOptions) -> None:
    from arcwise.report.page import prediction_answer

    found = saved.cross_validate(
        asked.target, folds=asked.folds, seed=asked.seed, limits=limit.limits, progress=printing.progress
    )
    facts = {str(name): value for name, value in found.to_frame().iloc[0].items()}
    printing.give(prediction_answer(found), found.calibration_frame(), source=saved.folder, folds=asked.folds, **facts)
    finish(Status.TIME_LIMIT if found.by_time else Status.COMPLETE)
