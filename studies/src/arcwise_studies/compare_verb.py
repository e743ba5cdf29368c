"""`arcwise prior compare`: learning under three scores, as an analysis of the verb `prior`."""

from __future__ import annotations

import typer

from arcwise.base.options import Common, option, row
from arcwise.cli.prior import Answer, PriorOptions, Request, analysis, table_text

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the analysis to the verb."""
    analysis("compare")(compare)


def compare(
    request: Request,
    prior: PriorOptions,
    splits: int = option(10, "how often the data are split", low=1, high=100_000),
    held_out: float = option(0.3, "the share of the cases that are held out"),
    seed: int = row(Common, "seed"),
) -> Answer:
    """Learn with Min-BDeu, BDeu and Max-BDeu side by side: arcs, moral distance, held-out likelihood.

    Example: arcwise prior compare survey.csv --seed 1
    """
    from arcwise_studies.prior_comparison import compare_priors

    found = compare_priors(
        request.data,
        ess=prior.ess,
        epsilon=prior.epsilon,
        splits=splits,
        held_out=held_out,
        seed=seed,
        learning=request.learning,
        progress=request.progress,
    )
    frame = found.to_frame().drop(columns="moral distance from truth")
    return Answer(
        {
            "table": frame.to_dict(orient="records"),
            "arcs": {score: dag.arcs for score, dag in zip(found.scores, found.dags, strict=True)},
            "splits": found.splits,
        },
        table_text(frame),
        found.plot,
        found.status,
    )
