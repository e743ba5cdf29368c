"""`arcwise prior`: what the equivalent sample size does to the answer, and which one to choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from arcwise import priors
from arcwise.base.errors import UnfinishedError
from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.base.run import Run, Status
from arcwise.cli.options import DataArgument, DataVerb, MemoryLimit, RuleOptions
from arcwise.cli.output import check_figure_name, figure_of, save_figure
from arcwise.cli.verb import Result, VerbGroup, add_verb, facts
from arcwise.data.dataset import Dataset
from arcwise.scores.registry import make_score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

app_of_prior = typer.Typer(
    cls=VerbGroup, help="Analyse the prior: which equivalent sample size, how sensitive, is there enough data?"
)


@dataclass(frozen=True)
class LearningOptions:
    """How an analysis learns networks, apart from the rules and limits."""

    threads: int | None = row(Common, "threads")
    search: str = option(
        "exact",
        "exact; or, for many variables, hill-climbing or tabu, which prove nothing",
        choices=("exact", "hill-climbing", "tabu"),
    )


@dataclass(frozen=True)
class PriorOptions:
    """The prior that is asked about."""

    ess: float = option(1.0, "the equivalent sample size of BDeu")
    epsilon: float = option(0.5, "how far the priors may move: above 0, at most 1")


class PriorVerb(DataVerb):
    """An analysis of the prior: what it finds can also be drawn."""

    data: DataArgument
    plot: Path | None = option(None, "write the figure to this file (.png, .svg, .pdf)")

    def _check(self) -> None:
        check_figure_name(self.plot)

    def found(
        self, payload: dict[str, Any], text: str, figure: Callable[[], Figure], status: Status = Status.COMPLETE
    ) -> Result:
        """Return what was found, and write the figure if a file was named."""
        if self.plot is not None:
            save_figure(figure(), self.plot)
        remark = "" if status is Status.COMPLETE else f"not complete: {status}"
        return Result({**payload, "status": status}, text, remark, status=status)


class LearningPriorVerb(RuleOptions, LearningOptions, MemoryLimit, PriorVerb):
    """An analysis of the prior that learns networks."""

    def read_learning(self) -> tuple[Dataset, priors.Learning]:
        """Read the data, and return how networks are learned from them; reading is a part of the time."""
        run = Run.of(self.limits)
        data, known = self.read_known(self.data, self)
        return data, priors.Learning(self.max_parents, known, run, self.threads, self.search)  # type: ignore[arg-type]


def table_text(frame: Any) -> str:
    """Return a DataFrame as text, with four digits."""
    return str(frame.to_string(index=False, float_format=lambda value: f"{value:.4g}"))


class EssVerb(LearningPriorVerb):
    """Find the equivalent sample size: Steck's alpha*, and the exact maximiser with its interval.

    Example: arcwise prior ess survey.csv
    """

    tolerance: float = option(0.1, "stop when alpha* changes by less")

    def _run(self) -> Result:
        data, learning = self.read_learning()
        half = learning.within(learning.run.share(0.5))
        ascent = priors.ascend_ess(data, tolerance=self.tolerance, learning=half, progress=self.progress)
        spread = "" if ascent.spread is None else f" (its class: {ascent.spread[0]:.4g} to {ascent.spread[1]:.4g})"
        payload = facts(ascent, "alpha_star", "rounds", "history", "spread", "converged")
        text = f"analytic, alpha*: {ascent.alpha_star:.4g} after {ascent.rounds} rounds{spread}"
        maximum, why = None, Status.INTERRUPTED  # the ascent is an answer of its own
        if ascent.status is not Status.INTERRUPTED:
            try:
                maximum = priors.maximise_ess(data, learning=learning, progress=self.progress)
            except KeyboardInterrupt:
                why = Status.INTERRUPTED
            except UnfinishedError:
                why = Status.TIME_LIMIT
        if maximum is None:
            missing = dict.fromkeys(("alpha_max", "alpha_interval", "alpha_integers", "best_integer", "score"))
            text = f"{text}\nexact, alpha^M: not found ({why})"
            return self.found({**payload, **missing, "arcs": ascent.dag.arcs}, text, ascent.plot, why)
        low, high = maximum.interval
        exact = {
            "alpha_max": maximum.alpha_max,
            "alpha_interval": maximum.interval,
            "alpha_integers": maximum.integers,
            "best_integer": maximum.best_integer,
            "score": maximum.score,
            "arcs": maximum.dag.arcs,
        }
        same = f"the same network is optimal from {low:.4g} to {high:.4g}"
        text = f"{text}\nexact, alpha^M: {maximum.alpha_max:.4g}; {same}"
        status = maximum.status if ascent.status is Status.COMPLETE else ascent.status
        return self.found({**payload, **exact}, text, maximum.plot, status)


class EssPathVerb(LearningPriorVerb):
    """Follow the optimal network over the equivalent sample size from 0.001 to 100,000.

    Example: arcwise prior path survey.csv --plot path.png
    """

    values: int = option(60, "how many values from 0.001 to 100,000", low=2, high=100_000)

    def _run(self) -> Result:
        data, learning = self.read_learning()
        found = priors.ess_path(data, ess=np.logspace(-3, 5, self.values), learning=learning, progress=self.progress)
        payload = {
            **facts(found, "ess", "scores", "n_arcs", "best_ess"),
            "intervals": [{"from": i.low, "to": i.high, "arcs": i.dag.arcs} for i in found.intervals],
            "averaged": None if found.averaged is None else found.averaged.dag.arcs,
        }
        text = found.to_frame().to_string(index=False)
        return self.found(payload, text, lambda: figure_of(found.plot()[0]), found.status)


class SensitivityVerb(LearningPriorVerb):
    """Return how sensitive the BDeu-optimal network is to the prior, and which variables are most sensitive.

    Example: arcwise prior sensitivity survey.csv --ess 1 --epsilon 0.5
    """

    ess: float = row(PriorOptions, "ess")
    epsilon: float = row(PriorOptions, "epsilon")

    def _run(self) -> Result:
        data, learning = self.read_learning()
        optimum = priors.find_optima(data, [make_score("bdeu", ess=self.ess)], learning, progress=self.progress)[0]
        found = priors.prior_sensitivity(data, optimum.dag, ess=self.ess, epsilon=self.epsilon)
        payload = {
            "sensitivity": found.value,
            **facts(found, "relative", "per_case"),
            "min_bdeu": found.lower,
            "bdeu": found.score,
            "max_bdeu": found.upper,
            "by_node": dict(zip(found.names, found.by_node.tolist(), strict=True)),
            **facts(found, "epsilons", "sweep"),
        }
        text = f"Max-BDeu - Min-BDeu: {found.value:.4g}, {found.relative:.3g} of the score"
        return self.found(payload, f"{text}\n{table_text(found.to_frame())}", found.plot, optimum.status)


class SaturationVerb(LearningPriorVerb):
    """Return whether more data would change the structure, from growing subsamples.

    Example: arcwise prior saturation survey.csv --seed 1
    """

    ess: float = row(PriorOptions, "ess")
    epsilon: float = row(PriorOptions, "epsilon")
    repetitions: int = option(5, "how often the rows are shuffled", low=1, high=100_000)
    seed: int = row(Common, "seed")

    def _run(self) -> Result:
        data, learning = self.read_learning()
        found = priors.data_saturation(
            data,
            ess=self.ess,
            epsilon=self.epsilon,
            repetitions=self.repetitions,
            seed=self.seed,
            learning=learning,
            progress=self.progress,
        )
        frame = found.to_frame()
        payload = {**facts(found, "settled", "repetitions", "changed_share", "advice"), "table": frame}
        return self.found(payload, f"{found.advice}\n{table_text(frame)}", found.plot, found.status)


class EdgePriorVerb(PriorVerb):
    """Follow one edge over the equivalent sample size: will a large one favour it, and why?

    Example: arcwise prior edge survey.csv --parent smoke --child cough
    """

    parent: str = option(REQUIRED, "the tail of the edge")
    child: str = option(REQUIRED, "the head of the edge")
    given: tuple[str, ...] = option((), "another parent of the child; may be repeated", metavar="")

    def _run(self) -> Result:
        found = priors.edge_prior(self.read(self.data), child=self.child, parent=self.parent, given=self.given)
        text = f"A large equivalent sample size does not favour {self.parent} -> {self.child}."
        if found.favoured_by_large_ess:
            reasons = {
                "dependence": "the two depend on each other",
                "skewness": "both are skewed, not because they depend",
            }
            above = "" if found.alpha_plus is None else f" above {found.alpha_plus:.4g}"
            favoured = f"favours {self.parent} -> {self.child}, since {reasons[found.cause]}."
            text = f"A large equivalent sample size{above} {favoured}"
        payload = {
            "ess": found.ess,
            "log_bayes_factor": found.exact,
            "leading_order": found.approximate,
            **facts(found, "uniformity", "degrees_of_freedom", "dependence_p_value"),
            **facts(found, "sign_changes", "alpha_plus", "cause"),
        }
        return self.found(payload, text, found.plot)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    add_verb(app_of_prior, "ess", EssVerb)
    add_verb(app_of_prior, "path", EssPathVerb)
    add_verb(app_of_prior, "sensitivity", SensitivityVerb)
    add_verb(app_of_prior, "saturation", SaturationVerb)
    add_verb(app_of_prior, "edge", EdgePriorVerb)
    app.add_typer(app_of_prior, name="prior")
