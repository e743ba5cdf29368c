"""Self-calibration: how often "0.9" is right *for data like these*, found by simulation.

Networks are drawn from those that the data leave (each by its weight), and their tables from what the data say of them
given each structure. Each network is a world whose truth is known: as many cases as the data have are sampled from it,
and learned from by the same recipe. What the confidences of these runs are worth is then read off: the log odds of the
package's curve are shifted and stretched until they fit (Platt 1999), with the curve's own as a start, so that a few
dozen runs are enough. It is a parametric bootstrap of the whole analysis: it knows the sample size, the states and the
strengths of the dependences, and it supposes that some network of the ensemble is near the truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, OptionError, Remedy, UnfinishedError, check_argument
from arcwise.base.run import Limits, Run, Status
from arcwise.confidence.by_recipe import carry_out, recipe_of
from arcwise.confidence.calibration import KNOTS, Calibration, CalibrationCurve, calibration_table
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.permutations import Learned
from arcwise.confidence.probability import Reliability, decided_pairs, reliability
from arcwise.counts import contingency
from arcwise.credible.credible_set import CredibleSet
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.model.network import BayesianNetwork
from arcwise.networks.origin import Ensemble
from arcwise.networks.recipe import Recipe

REPEATS = 20
FEWEST = 5  # of which anything can be read off
EDGE = 1e-4
ROUNDS = 30
# What the start, a shift of 0 and a stretch of 1, counts: as much as this many edges.
PRIOR = 2.0


@dataclass(frozen=True, eq=False)
class SelfCalibration:
    """What simulations say: the calibration, how reliable the confidences were, and whether all were finished.

    `members` networks were learned from each of the `repeats` data sets; None for as many as from the data.
    """

    calibration: Calibration
    reliability: Reliability
    repeats: int
    status: Status
    members: int | None = None


def self_calibration(
    confidence: EdgeConfidence,
    data: Dataset,
    *,
    repeats: int = REPEATS,
    networks: Ensemble | None = None,
    members: int | None = None,
    run: Run | None = None,
) -> SelfCalibration:
    """Simulate data sets like these from the networks that were found, learn again, and see how often it was right.

    Parameters
    ----------
    confidence
        The confidences, which must know their recipe.
    data
        The data that they come from.
    repeats
        How many data sets are simulated: each takes as long as the confidences took.
    networks
        The networks that the confidences are averages over, to simulate from; None to find them again.
    members
        How many networks are learned from each simulated data set, of a source that samples: fewer are quicker, and
        their shares coarser. None for as many as there were.
    run
        Seed, threads, limits and progress. At a limit of time the calibration is from what was finished.

    Raises
    ------
    UnfinishedError
        If fewer than five simulations were finished.
    OptionError
        If the data come from experiments: what is simulated are observations.
    """
    if data.targets is not None and not data.targets.is_empty:
        raise OptionError(
            "self-calibration simulates observations, and in some of these cases variables were set.",
            remedies=Remedy("use", Argument("calibration", "table")),
        )
    check_argument(repeats >= FEWEST, "repeats", repeats, f"must be at least {FEWEST}.")
    if data.names != confidence.names:
        raise OptionError("the data have different variables from the confidences, or in another order.")
    run = run or Run()
    recipe = recipe_of(confidence).without_recuts
    again = recipe_of(confidence, most=members).without_recuts
    vectors: list[NDArray[np.float64]] = []
    truths: list[NDArray[np.bool_]] = []
    pairs = np.triu_indices(len(data.names), 1)
    # What constraints decide is always right, and tells nothing of the others.
    told = ~decided_pairs(recipe.constraints_on(data.names), data.names)
    if not told.any():
        raise OptionError(
            "the constraints decide every edge, so that no confidence is left to calibrate.",
            remedies=Remedy("use", Argument("calibration", "table")),
        )
    with run.shown() as run:
        status = Status.COMPLETE
        if networks is None:
            begun = carry_out(recipe, data, run.share(0.3).but(progress=False))
            networks, status = begun.networks, begun.status
        dags = list(_drawn(networks, repeats, run.seed))
        simulation = _Simulation(data, again, run.seed, repeats)
        for dag, (vector, ended) in zip(dags, simulation.learned(dags, run), strict=True):
            ended.unless_interrupted()
            if vector is None:
                status = ended
                continue
            vectors.append(vector[told])
            joined = dag.to_adjacency() > 0
            truths.append((joined | joined.T)[pairs][told])
    if len(vectors) < FEWEST:
        raise UnfinishedError(
            f"self-calibration needs {FEWEST} simulated data sets, and {len(vectors)} were learned from ({status}).",
            remedies=Remedy("allow more time"),
        )
    known, truth = np.concatenate(vectors), np.concatenate(truths)
    usual = confidence.calibration or calibration_table().calibration(confidence)
    fewer = members if recipe.source_facts.counted_by and members is not None else None
    found = Calibration(
        kind="self",
        curve=_recalibrated(usual.curve, known, truth),
        directions=usual.directions,
        basis=f"come from {len(vectors)} data sets that were simulated from the networks found here",
    )
    return SelfCalibration(found, reliability(known, truth), len(vectors), status, fewer)


@dataclass(frozen=True, eq=False)
class _Simulation:
    """Data sets that are simulated from networks and learned from; each depends on its network and index alone."""

    data: Dataset
    recipe: Recipe
    seed: int
    repeats: int

    def learned(self, dags: Sequence[Dag], run: Run) -> Iterator[Learned]:
        """Yield the confidences that each simulated data set gave, in order, here or on a cluster."""

        def note(done: int) -> None:
            run.report("self-calibration", done, self.repeats)

        if run.cluster is None:
            for index, dag in enumerate(dags):
                yield self.learn(index, dag, run.part(self.repeats - index))
                note(index + 1)
            return
        asked = [(index, dag, run.limits) for index, dag in enumerate(dags)]
        how = json.dumps(self.recipe.describe(), sort_keys=True, default=str)
        digest = f"{self.data.digest} {how} {self.seed} {self.repeats}"
        for found in run.cluster.run_all(_learn_simulated, self, digest, asked, run=run, note=note):
            yield (None, Status.TIME_LIMIT) if found is None else found

    def learn(self, index: int, dag: Dag, run: Run) -> Learned:
        """Draw tables and cases of a network, and learn from these."""
        draws = np.random.default_rng([self.seed, index, self.repeats])
        sample = _drawn_tables(dag, self.data, draws).sample(self.data.n_cases, seed=draws, threads=1)
        own = Run(int(draws.integers(2**32)), run.thread_count, run.limits, progress=False)
        made = carry_out(self.recipe, sample, own)
        return made.vector, made.status


def _learn_simulated(simulation: _Simulation, asked: tuple[int, Dag, Limits]) -> Learned:
    index, dag, limits = asked
    return simulation.learn(index, dag, Run(threads=1, limits=limits))  # a worker has one core


def _drawn(networks: Ensemble, count: int, seed: int) -> Iterator[Dag]:
    """Draw networks by their weights."""
    if isinstance(networks, CredibleSet):
        yield from networks.sample(count, seed=seed)
        return
    listed = networks.listed
    if listed is None or not listed.count:
        raise UnfinishedError(
            f"there are no networks to simulate from ({networks.status}).", remedies=Remedy("allow more time")
        )
    rng = np.random.default_rng(seed)
    for index in rng.choice(listed.count, size=count, p=listed.weights / listed.weights.sum()).tolist():
        yield listed[int(index)]


def _drawn_tables(dag: Dag, data: Dataset, rng: np.random.Generator) -> BayesianNetwork:
    """Draw the tables of a network from their posterior under BDeu with ess 1: its mean would be too weak."""
    tables = []
    for v, parents in enumerate(dag.parents):
        told = data.cases_without(dag.names[v])
        counts = contingency(told, [*parents, v]).reshape(-1, int(data.arities[v])).astype(np.float64)
        weights = rng.standard_gamma(counts + 1.0 / counts.size) + 1e-12
        tables.append(weights / weights.sum(axis=1, keepdims=True))
    return BayesianNetwork(dag, data.states, tables)


def _recalibrated(
    curve: CalibrationCurve, confidence: NDArray[np.float64], truth: NDArray[np.bool_]
) -> CalibrationCurve:
    """Shift and stretch the log odds of a curve so that they fit (Newton's method)."""
    design = np.stack([np.ones(len(confidence)), _log_odds(curve(confidence))])
    beta, start = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    for _ in range(ROUNDS):
        found = 1 / (1 + np.exp(-beta @ design))
        gradient = design @ (truth - found) - PRIOR * (beta - start)
        curvature = (design * (found * (1 - found))) @ design.T + PRIOR * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    beta[1] = max(float(beta[1]), 0.05)  # what is more credible is more probable
    return CalibrationCurve.of(1 / (1 + np.exp(-(beta[0] + beta[1] * _log_odds(np.asarray(curve(KNOTS)))))))


def _log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = np.clip(probability, EDGE, 1 - EDGE)
    return np.asarray(np.log(inside / (1 - inside)))
