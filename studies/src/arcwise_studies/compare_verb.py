"""`arcwise prior compare`: learning under three scores, as an analysis of the verb `prior`."""

from __future__ import annotations

import typer

from arcwise.base.options import Common, option, row
from arcwise.cli.prior import LearningPriorVerb, PriorOptions, app_of_prior, table_text
from arcwise.cli.verb import Result, add_verb

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the analysis to the verb."""
    add_verb(app_of_prior, "compare", CompareVerb)


class CompareVerb(LearningPriorVerb):
    """Learn with Min-BDeu, BDeu and Max-BDeu side by side: arcs, moral distance, held-out likelihood.

    Example: arcwise prior compare survey.csv --seed 1
    """

    ess: float = row(PriorOptions, "ess")
    epsilon: float = row(PriorOptions, "epsilon")
    splits: int = option(10, "how often the data are split", low=1, high=100_000)
    held_out: float = option(0.3, "the share of the cases that are held out")
    seed: int = row(Common, "seed")

    def _run(self) -> Result:
        from arcwise_studies.prior_comparison import compare_priors

        data, learning = self.read_learning()
        found = compare_priors(
            data,
            ess=self.ess,
            epsilon=self.epsilon,
            splits=self.splits,
            held_out=self.held_out,
            seed=self.seed,
            learning=learning,
            progress=self.progress,
        )
        frame = found.to_frame().drop(columns="moral distance from truth")
        payload = {
            "table": frame,
            "arcs": {score: dag.arcs for score, dag in zip(found.scores, found.dags, strict=True)},
            "splits": found.splits,
        }
        return self.found(payload, table_text(frame), found.plot, found.status)
