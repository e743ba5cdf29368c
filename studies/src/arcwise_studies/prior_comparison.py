"""Learning with Min-BDeu, BDeu and Max-BDeu side by side (Scanagatta, de Campos and Zaffalon 2014, section 4.1).

Min-BDeu assumes the worst prior near the uniform one and learns sparse graphs, which predict well when data are few;
Max-BDeu assumes the best one and learns dense graphs. If the three agree, the prior no longer matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument
from arcwise.base.options import gather, load_figure
from arcwise.base.run import Seed
from arcwise.base.showing import one_screen
from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.evaluate import moral_distance
from arcwise.graph import Dag
from arcwise.limits import Status
from arcwise.model import BayesianNetwork, fit_parameters
from arcwise.model.fitting import FamilyCounts
from arcwise.priors.optima import LearnedNetwork, Learning, all_or_interrupt, find_optima, worst_status
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import Score, make_score
from arcwise.scores.dirichlet import MaxBdeu, MinBdeu
from arcwise.scores.score import Counts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "COMPARED",
    "ParameterPrior",
    "PredictionSettings",
    "PriorComparison",
    "compare_priors",
    "fit_under",
    "make_compared",
]

COMPARED = ("min_bdeu", "bdeu", "max_bdeu")

ParameterPrior = Literal["uniform", "own"]


@one_screen
@dataclass(frozen=True, eq=False)
class PriorComparison:
    """The networks learned under the three scores; arrays have one entry per score, in the order of `scores`.

    Parameters
    ----------
    scores
        "min_bdeu", "bdeu", "max_bdeu".
    dags, values
        The optimal network of all the data under each score, and its score.
    from_bdeu
        The moral distance of each network from that of BDeu: pairs of variables joined in one moral graph only.
    from_truth
        The same from the true network; NaN if none was given.
    held_out
        The mean log-likelihood of a case that was not used for learning, over all splits.
    held_out_error
        The standard error of its difference to BDeu's over the splits (0 for BDeu itself; NaN for one split).
    splits
        How often the data were split; 0 if `test` data were given, or if Ctrl-C or the time limit came before the first
        split was learned from, when nothing is known about held-out cases (NaN).
    status
        INTERRUPTED or TIME_LIMIT if Ctrl-C or the time limit ended the comparison after this many splits.
    """

    scores: tuple[str, ...]
    dags: tuple[Dag, ...]
    values: NDArray[np.float64]
    from_bdeu: NDArray[np.int64]
    from_truth: NDArray[np.float64]
    held_out: NDArray[np.float64]
    held_out_error: NDArray[np.float64]
    n_cases: int
    ess: float
    epsilon: float
    splits: int
    status: Status

    @property
    def n_arcs(self) -> NDArray[np.int64]:
        """The number of arcs of each network."""
        return np.array([dag.n_arcs for dag in self.dags], dtype=np.int64)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per score."""
        import pandas as pd

        return pd.DataFrame(
            {
                "score": self.scores,
                "value": self.values,
                "arcs": self.n_arcs,
                "moral distance from bdeu": self.from_bdeu,
                "moral distance from truth": self.from_truth,
                "held-out log-likelihood": self.held_out,
                "error of difference": self.held_out_error,
            }
        )

    def plot(self) -> Figure:
        """Plot the arcs, the moral distances and the held-out log-likelihoods of the three networks."""
        Figure = load_figure()
        figure = Figure(figsize=(10, 3.6), layout="constrained")
        left, middle, right = figure.subplots(1, 3)
        labels = ["Min-BDeu", "BDeu", "Max-BDeu"]
        left.bar(labels, self.n_arcs)
        left.set_title("arcs")
        for axes in (left, middle):
            axes.yaxis.get_major_locator().set_params(integer=True)
        known = bool(np.isfinite(self.from_truth).all())
        middle.bar(labels, self.from_truth if known else self.from_bdeu)
        middle.set_title("moral distance from " + ("the truth" if known else "BDeu's"))
        right.errorbar(labels, self.held_out, yerr=np.nan_to_num(self.held_out_error), fmt="o", capsize=4)
        right.margins(x=0.3)
        right.set_xlabel("bars: error of the difference to BDeu")
        right.set_title("held-out log-likelihood per case")
        figure.suptitle(f"{self.n_cases:,} cases, ESS {self.ess:g}, epsilon {self.epsilon:g}")
        return figure


@one_screen
@dataclass(frozen=True, slots=True)
class PredictionSettings:
    """How `compare_priors` judges predictions.

    Parameters
    ----------
    parameter_prior
        What the tables of the networks are fitted with. "uniform": the posterior mean under BDeu's prior for all three,
        so that the structures are compared; "own": under the prior that each score chose.
    splits, held_out
        How often the data are split at random, and which share is held out each time. Each split learns three networks.
    """

    parameter_prior: ParameterPrior = "uniform"
    splits: int = 10
    held_out: float = 0.3


class PredictionKeywords(TypedDict, total=False):
    """`PredictionSettings` as keywords."""

    settings: PredictionSettings
    parameter_prior: ParameterPrior
    splits: int
    held_out: float


def compare_priors(
    data: Dataset,
    *,
    test: Dataset | None = None,
    truth: Dag | None = None,
    ess: float = 1.0,
    epsilon: float = 0.5,
    seed: Seed = 0,
    learning: Learning = Learning(),  # noqa: B008
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[PredictionKeywords],
) -> PriorComparison:
    """Learn the optimal network under Min-BDeu, BDeu and Max-BDeu, and say how the three differ.

    Parameters
    ----------
    data
        Discrete data.
    test
        Cases to judge the predictions by; without them, the data are split.
    truth
        The true network, where it is known.
    ess, epsilon
        Of the scores; epsilon says how far the priors may move.
    seed
        Of the splits: an integer or a numpy generator.
    learning, progress
        How networks are learned; see `Learning` and `arcwise.progress.show_progress`.
    settings
        The fields of `PredictionSettings` by keyword, such as ``splits=20``, or a whole one as ``settings=``.

    Ctrl-C and the time limit end it with the splits that are finished; before the three networks of all the data are
    learned, Ctrl-C raises KeyboardInterrupt.
    """
    chosen = gather(PredictionSettings, compare_priors, settings)
    splits, held_out, parameter_prior = chosen.splits, chosen.held_out, chosen.parameter_prior
    if splits < 1:
        raise OptionError(Argument("splits", splits), "must be at least 1.")
    if not 0 < held_out < 1:
        raise OptionError(
            Argument("held_out", held_out), "must be between 0 and 1: the share that is not used for learning."
        )
    if not 0 < epsilon < 1:
        raise OptionError(
            Argument("epsilon", epsilon), "must be above 0 and below 1: the share of the prior that may move."
        )
    if parameter_prior not in ("uniform", "own"):
        raise OptionError(Argument("parameter_prior", parameter_prior), "must be 'uniform' or 'own'.")
    scores = make_compared(ess, epsilon)
    rng = np.random.default_rng(seed)
    found: list[LearnedNetwork] = []
    deadline = learning.run
    steps = 1 if test is not None else splits + 1
    with show_progress(progress) as callback:

        def learn(part: Dataset, done: int) -> list[LearnedNetwork]:
            callback(ProgressEvent("learning side by side", done, steps))
            share = learning.within(deadline.part(steps - done))
            optima = all_or_interrupt(find_optima(part, scores, share, progress=False))
            found.extend(optima)
            return optima

        whole = learn(data, 0)
        likelihoods: list[list[float]] = []
        cut = Status.COMPLETE
        try:
            for number, (train, unseen) in enumerate(_parts(data, test, splits, held_out, rng)):
                if deadline.is_over:
                    break
                optima = whole if train is data else learn(train, number + 1)
                networks = [fit_under(s, o.dag, train, parameter_prior) for s, o in zip(scores, optima, strict=True)]
                likelihoods.append([network.log_likelihood(unseen) / unseen.n_cases for network in networks])
        except KeyboardInterrupt:
            cut = Status.INTERRUPTED
    if cut is Status.COMPLETE and len(likelihoods) < (1 if test is not None else splits):
        cut = Status.TIME_LIMIT
    by_split = np.array(likelihoods).reshape(-1, len(scores))
    unknown = np.full(len(scores), np.nan)
    plain = whole[COMPARED.index("bdeu")].dag
    with_error = len(by_split) > 1
    differences = by_split - by_split[:, [COMPARED.index("bdeu")]]
    return PriorComparison(
        scores=COMPARED,
        dags=tuple(optimum.dag for optimum in whole),
        values=np.array([optimum.score for optimum in whole]),
        from_bdeu=np.array([moral_distance(plain, optimum.dag) for optimum in whole], dtype=np.int64),
        from_truth=np.array([np.nan if truth is None else moral_distance(truth, o.dag) for o in whole]),
        held_out=by_split.mean(axis=0) if len(by_split) else unknown,
        held_out_error=differences.std(axis=0, ddof=1) / np.sqrt(len(by_split)) if with_error else unknown,
        n_cases=data.n_cases,
        ess=ess,
        epsilon=epsilon,
        splits=0 if test is not None else len(by_split),
        status=cut if cut is not Status.COMPLETE else worst_status(found),
    )


def make_compared(ess: float, epsilon: float) -> list[Score]:
    """Return the three scores, in the order of `COMPARED`."""
    return [make_score("bdeu", ess=ess) if n == "bdeu" else make_score(n, ess=ess, epsilon=epsilon) for n in COMPARED]


def fit_under(score: Score, dag: Dag, data: Dataset, prior: ParameterPrior) -> BayesianNetwork:
    """Return the network with the posterior mean of its parameters, under BDeu's prior or the one the score chose.

    The paper estimates them "using the same Dirichlet prior parameters", which can be read either way.
    """
    ess = getattr(score, "ess", 1.0)
    if prior == "own" and isinstance(score, MinBdeu | MaxBdeu):

        def chosen(family: FamilyCounts) -> NDArray[np.float64]:
            return worst_prior(score, family.counts) if isinstance(score, MinBdeu) else best_prior(score, family.counts)

        return fit_parameters(dag, data, alpha=chosen)
    return fit_parameters(dag, data, ess=ess)


def worst_prior(score: MinBdeu, counts: Counts) -> NDArray[np.float64]:
    """Return the hyperparameters at which the minimum is attained."""
    q, r = counts.shape
    beta = score.ess / q
    alphas = np.full(counts.shape, beta * (1 - score.epsilon) / r)
    alphas[np.arange(q), counts.argmin(axis=1)] += beta * score.epsilon
    return alphas


def best_prior(score: MaxBdeu, counts: Counts) -> NDArray[np.float64]:
    """Return the hyperparameters at which the maximum is attained.

    The objective sum_k [lnG(alpha_k + n_k) - lnG(alpha_k)] is concave, its slopes are
    psi(alpha_k + n_k) - psi(alpha_k). So at the optimum one multiplier equals the slope of every state above its
    lower end, and no slope at a lower end exceeds it. A state that does not occur has slope 0 and stays at its
    lower end. Here by bisection on the inverse of the multiplier, for all configurations at once.
    """
    from scipy.special import psi

    q, r = counts.shape
    beta = score.ess / q
    low, free = beta * (1 - score.epsilon) / r, beta * score.epsilon
    seen = counts > 0
    states = np.maximum(seen.sum(axis=1, keepdims=True), 1)
    even = np.broadcast_to(low + free / states, counts.shape)
    # At the smallest inverse slope of the even split no alpha exceeds its share; at the largest none is below it.
    levels = 1 / np.where(seen, psi(even + counts) - psi(even), 1.0)
    left = np.where(seen, levels, np.inf).min(axis=1, keepdims=True)
    right = np.where(seen, levels, 0.0).max(axis=1, keepdims=True)
    solution = even
    for _ in range(60):
        level = np.where(np.isfinite(left), (left + right) / 2, 1.0)
        solution = _alpha_at_level(counts, level, low, solution)
        enough = np.where(seen, solution, low).sum(axis=1, keepdims=True) >= beta
        left, right = np.where(enough, left, level), np.where(enough, level, right)
    alphas = np.where(seen, solution, low)
    # What rounding leaves over goes to the largest; near the optimum that costs only its square.
    alphas[np.arange(q), alphas.argmax(axis=1)] += beta - alphas.sum(axis=1)
    return alphas


def _alpha_at_level(
    counts: Counts, level: NDArray[np.float64], low: float, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the alpha >= low with 1 / (psi(alpha + n) - psi(alpha)) = level, or low if there is none.

    By Newton's method: 1 / slope is concave and increasing in alpha, so the steps settle from the left of the root.
    """
    from scipy.special import polygamma, psi

    alpha = np.maximum(start, low)
    n = np.maximum(counts, 1)
    for _ in range(50):
        inverse = 1 / (psi(alpha + n) - psi(alpha))
        rate = inverse**2 * (polygamma(1, alpha) - polygamma(1, alpha + n))
        step = (level - inverse) / rate
        following = np.maximum(alpha + step, low if low > 0 else alpha / 2)
        settled = np.abs(following - alpha) <= 1e-15 * alpha
        alpha = following
        if settled.all():
            break
    return alpha


def _parts(
    data: Dataset, test: Dataset | None, splits: int, held_out: float, rng: np.random.Generator
) -> Iterator[tuple[Dataset, Dataset]]:
    """Return pairs of what to learn from and what to predict."""
    if test is not None:
        if set(test.names) != set(data.names):
            raise DataError("the test data have different variables from the data.")
        yield data, test
        return
    if not 1 <= round(data.n_cases * (1 - held_out)) < data.n_cases:
        raise DataError(f"{data.n_cases} cases are too few to hold out {held_out:.0%} of them.")
    for _ in range(splits):
        yield data.split(1 - held_out, rng)
