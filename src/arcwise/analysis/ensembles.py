"""The sets of networks that an analysis averages: the credible set where it can be completed, else the bootstrap."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from arcwise.confidence import EdgeConfidence, edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import (
    Ensemble,
    NetworkSet,
    NetworkSummary,
    bootstrap_networks,
    class_sizes,
    count_credible,
    exact_posterior,
    find_credible,
)
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import build_parent_sets
from arcwise.progress import ProgressCallback
from arcwise.scores import Score

__all__ = ["Averaged", "CredibleFacts", "EnsembleTask", "Method", "average_bootstrap", "average_credible"]

Method = Literal["credible", "bootstrap"]

# Up to so many DAGs a credible set is listed as it is; beyond, up to so many classes, one DAG for each class. A set
# with more is averaged from its counts alone, which leaves out what equivalence classes say about directions.
MOST_DAGS = 200_000
MOST_CLASSES = 100_000
# 3^n steps: at most a second.
LARGEST_POSTERIOR = 14
# With q r much larger than N the penalty of qNML, log C(N, q r) - log C(N, q), stays below N log r, while a table with
# at most one case per row fits perfectly: a variable with even shares then gains by having many parents, whatever they
# are. (qBDJ alike.) In the 958 boards of tic-tac-toe with their columns shuffled, the networks of the credible set have
# 20 edges without a limit and hardly one with at most 3 or 4 parents. The studies use the same limit.
NEEDED_LIMIT = {"qnml": 3, "qbdj": 3}


@dataclass(frozen=True, slots=True)
class EnsembleTask:
    """What all ensembles of an analysis share."""

    data: Dataset
    bayes_factor: float = 20.0
    replicates: int = 200
    max_parents: int | None = None
    constraints: Constraints | None = None
    seed: int = 0
    threads: int = 1
    progress: bool | ProgressCallback | None = None

    def most_parents(self, score: Score) -> int | None:
        """Return the limit that was asked for, else the one that the score needs."""
        return self.max_parents if self.max_parents is not None else NEEDED_LIMIT.get(score.name)


@dataclass(frozen=True, eq=False)
class CredibleFacts:
    """What there is to say about a credible set.

    Parameters
    ----------
    count, classes
        How many DAGs and equivalence classes it has; classes are None if they were too many to count.
    deviations
        opt - score of the listed networks, rising, the first thousand-odd points of the curve; empty if not listed.
    by_class
        Whether the curve is of classes rather than of DAGs.
    covered
        The share of the posterior over all DAGs that the set holds; None if it could not be computed.
    best_share
        The share of the set's posterior weight that one best DAG has.
    """

    count: int
    classes: int | None
    bayes_factor: float
    optimum: float
    deviations: tuple[float, ...]
    by_class: bool
    covered: float | None
    best_share: float


@dataclass(frozen=True, eq=False)
class Averaged:
    """One set of networks, averaged into the confidence of each edge.

    Parameters
    ----------
    method, score
        How the networks were found.
    confidence
        None if the set could not be completed; `reason` then says why.
    status
        COMPLETE, or the limit that was reached.
    max_parents
        The most parents that a variable could have; None for any number.
    """

    method: Method
    score: Score
    confidence: EdgeConfidence | None
    status: Status
    reason: str = ""
    credible: CredibleFacts | None = None
    max_parents: int | None = None

    @property
    def title(self) -> str:
        """Such as "credible set, qNML"."""
        return f"{METHOD_TITLES[self.method]}, {score_title(self.score)}"


METHOD_TITLES: dict[str, str] = {"credible": "credible set", "bootstrap": "bootstrap"}
SCORE_TITLES = {
    "aic": "AIC",
    "bic": "BIC",
    "bdeu": "BDeu",
    "qnml": "qNML",
    "fnml": "fNML",
    "qbdj": "qBDJ",
    "bdj": "BDJ",
    "k2": "K2",
    "bde": "BDe",
    "ll": "LL",
}


def score_title(score: Score) -> str:
    """Return a score as papers write it, with its parameters: "BDeu (ess 1)"."""
    facts = score.describe()
    name = str(facts.pop("name"))
    plain = {key: value for key, value in facts.items() if isinstance(value, int | float | str)}
    parameters = ", ".join(f"{key} {value:g}" if isinstance(value, float | int) else f"{key} {value}"
                           for key, value in plain.items())  # fmt: skip
    return SCORE_TITLES.get(name, name) + (f" ({parameters})" if parameters else "")


def average_credible(task: EnsembleTask, score: Score, limits: Limits, *, facts: bool = True) -> Averaged:
    """Find and average the credible set; if a limit stops it, say so and return no confidence.

    `facts` asks for what the report says about the set, beyond the confidences.
    """
    start = time.monotonic()
    slack = math.log(task.bayes_factor)
    table = build_parent_sets(
        task.data,
        score,
        slack=slack,
        max_parents=task.most_parents(score),
        constraints=task.constraints,
        threads=task.threads,
        limits=limits,
        progress=task.progress,
    )
    if table.status is not Status.COMPLETE:
        return _incomplete(score, table.status, f"the table of parent sets did not fit ({table.status})")
    found = count_credible(
        table,
        log_slack=slack,
        classes=True,
        constraints=task.constraints,
        limits=_left(limits, start),
        seed=task.seed,
        progress=task.progress,
    )
    if not found.complete or found.count == 0:
        return _incomplete(score, found.status, f"its networks could not all be counted ({found.status})")
    networks: Ensemble = found
    if found.count <= MOST_DAGS or _can_list_classes(found, score, task):
        by_class = found.count > MOST_DAGS
        listed = find_credible(
            table,
            log_slack=slack,
            by="mec" if by_class else "dag",
            constraints=task.constraints,
            limits=_left(limits, start),
            seed=task.seed,
            progress=task.progress,
        )
        if listed.complete:
            networks = _weighted_by_size(listed) if by_class else listed
    confidence = edge_confidence(
        networks, orient="cpdag" if isinstance(networks, NetworkSet) else "dag", n_cases=task.data.n_cases
    )
    if networks is not found:
        confidence = replace(confidence, n_networks=found.count)
    described = _describe(task, score, found, networks, _left(limits, start)) if facts else None
    return Averaged(
        "credible",
        score,
        confidence,
        Status.COMPLETE,
        credible=described,
        max_parents=task.most_parents(score),
    )


def _incomplete(score: Score, status: Status, reason: str) -> Averaged:
    if status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return Averaged("credible", score, None, status, reason)


def _left(limits: Limits, start: float) -> Limits:
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(0.01, limits.seconds - (time.monotonic() - start)))


def _can_list_classes(found: NetworkSummary, score: Score, task: EnsembleTask) -> bool:
    """Classes can be listed as wholes if their members score alike, none is forbidden, and there are not too many.

    A limit of parents forbids all members of a class or none: turning a covered arc round swaps two numbers of parents
    (Chickering 1995, Theorem 2).
    """
    whole = score.facts.equivalent and task.constraints is None
    return whole and found.class_count is not None and found.class_count <= MOST_CLASSES


def _weighted_by_size(classes: NetworkSet) -> NetworkSet:
    """Weigh each class by the number of its DAGs, so that averages are those over all DAGs."""
    sizes = np.array([math.log(size) for size in class_sizes(classes)])
    log_weights = classes.scores + sizes
    log_weights -= log_weights.max()
    return replace(classes, log_weights=log_weights - math.log(float(np.exp(log_weights).sum())))


def _describe(
    task: EnsembleTask, score: Score, found: NetworkSummary, networks: Ensemble, limits: Limits
) -> CredibleFacts:
    deviations: tuple[float, ...] = ()
    by_class = False
    if isinstance(networks, NetworkSet):
        by_class = networks.count < found.count
        deviations = tuple(np.sort(networks.opt - networks.scores).round(6).tolist())
    return CredibleFacts(
        count=found.count,
        classes=found.class_count,
        bayes_factor=task.bayes_factor,
        optimum=found.opt,
        deviations=deviations,
        by_class=by_class,
        covered=_covered(task, score, found, limits),
        best_share=math.exp(-found.log_mass),
    )


def _covered(task: EnsembleTask, score: Score, found: NetworkSummary, limits: Limits) -> float | None:
    """Return the posterior probability of the credible set among all DAGs, where 3^n steps are few."""
    if task.data.n_variables > LARGEST_POSTERIOR or task.constraints is not None:
        return None
    table = build_parent_sets(
        task.data,
        score,
        slack=math.inf,
        max_parents=task.most_parents(score),
        threads=task.threads,
        limits=limits,
        progress=task.progress,
    )
    if table.status is not Status.COMPLETE:
        return None
    posterior = exact_posterior(table, limits=limits, progress=task.progress)
    return posterior.covered_by(found) if posterior.complete else None


def average_bootstrap(task: EnsembleTask, score: Score, limits: Limits) -> Averaged:
    """Learn a network from each of many resampled data sets, and average them."""
    networks = bootstrap_networks(
        task.data,
        replicates=task.replicates,
        score=score,
        constraints=task.constraints,
        max_parents=task.most_parents(score),
        seed=task.seed,
        workers=task.threads,
        limits=Limits(seconds=limits.seconds),
        progress=task.progress,
    )
    if networks.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if networks.count == 0:
        return Averaged("bootstrap", score, None, networks.status, f"no replicate was finished ({networks.status})")
    reason = "" if networks.complete else f"{networks.count:,} of {task.replicates:,} replicates ({networks.status})"
    confidence = edge_confidence(networks, n_cases=task.data.n_cases)
    return Averaged("bootstrap", score, confidence, networks.status, reason, max_parents=task.most_parents(score))
