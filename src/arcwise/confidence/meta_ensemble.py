"""The meta-ensemble (Liao 2022, section 5.5): several scores and methods learn, and their confidences are combined."""

from __future__ import annotations

import csv
import gzip
import io
import json
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import UNREADABLE, Argument, DataWarning, FormatError, OptionError, Remedy, check_known
from arcwise.base.showing import one_screen
from arcwise.confidence.calibration import Calibration, Kind
from arcwise.confidence.curves import CalibrationCurve
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.learned_table import SIZE_GROUPS, WEIGHTS, LearnedTable, check_metric, learned_table, size_group
from arcwise.confidence.probability import EdgeProbability
from arcwise.networks.recipe import shared_constraints

if TYPE_CHECKING:
    import pandas as pd


# `TrainingTable`: pairs of variables of proxy networks, what each member of an ensemble said, and the truth.


KIND = "arcwise ensemble training table 1"
MISSING = -1.0  # the confidence of a member that found no network within its limits
FIXED = ("network", "cases", "edge", "weight")


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """One row per sampled pair of variables of a proxy data set.

    Parameters
    ----------
    network, cases
        The proxy network and the number of cases sampled from it.
    edge
        1 if the true skeleton has the edge.
    weight
        What the row stands for: pairs are sampled by strata, and every proxy data set has the same total weight, so
        that large networks do not dominate.
    confidences
        For each member, such as "bootstrap:bic", its confidence in the pair; `MISSING` if it found no network.
    """

    network: tuple[str, ...]
    cases: NDArray[np.int64]
    edge: NDArray[np.int64]
    weight: NDArray[np.float64]
    confidences: Mapping[str, NDArray[np.float64]]
    provenance: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.network)

    @classmethod
    def from_bytes(cls, content: bytes, *, where: str = "training table") -> TrainingTable:
        """Read a compressed CSV, as a study exports it, and check it."""
        try:
            first, _, rest = gzip.decompress(content).decode().partition("\n")
            provenance = json.loads(first.removeprefix("# "))
            if provenance.pop("kind") != KIND:
                raise ValueError("another kind of file")
            header, *rows = csv.reader(io.StringIO(rest))
            if tuple(header[: len(FIXED)]) != FIXED or any(len(row) != len(header) for row in rows):
                raise ValueError("the columns do not fit")
            columns = dict(zip(header, zip(*rows, strict=True), strict=True))
            confidences = {
                label: np.array([float(text) / 1000 if text else MISSING for text in columns[label]])
                for label in header[len(FIXED) :]
            }
            return cls(
                network=columns["network"],
                cases=np.array([int(text) for text in columns["cases"]], dtype=np.int64),
                edge=np.array([int(text) for text in columns["edge"]], dtype=np.int64),
                weight=np.array([float(text) for text in columns["weight"]]),
                confidences=confidences,
                provenance=provenance,
            )
        except (*UNREADABLE, OSError, EOFError, zlib.error) as error:
            raise FormatError(f"{where}: not a training table ({error}). Make it with arcwise study export.") from error


@cache
def training_table() -> TrainingTable:
    """Return the table that comes with the package."""
    file = resources.files("arcwise.confidence").joinpath("data", "ensemble.csv.gz")
    return TrainingTable.from_bytes(file.read_bytes(), where="ensemble.csv.gz")


# How an ensemble combines its members (Liao 2022, section 5.5): majority, weighted voting, gradient boosting.
#
# One row stands for one pair of variables. For each member it has the confidence, the distance of the confidence from
# the member's learned threshold, and the prediction (above it or not); for all members together the sample size and
# the weight, beta or alpha, for which the thresholds were chosen.


def member_thresholds(
    table: LearnedTable, labels: Sequence[str], n_cases: int | None, metric: str, weight: float
) -> dict[str, float]:
    """Return the learned threshold of each member, such as "bootstrap:bic"."""
    found = {label: table.neighbours(*label.partition(":")[::2], n_cases, metric, weight) for label in labels}
    return {label: a.threshold + share * (b.threshold - a.threshold) for label, (a, b, share) in found.items()}


def feature_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of `pair_features`."""
    own = tuple(f"{label} {what}" for label in labels for what in ("confidence", "distance", "prediction"))
    return (*own, "log10 cases", "log2 weight")


def pair_features(
    confidences: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, NDArray[np.float64] | float],
    n_cases: NDArray[np.float64] | float,
    weight: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Return one row per pair: confidence, distance to threshold and prediction of each member, size and weight."""
    columns: list[NDArray[np.float64]] = []
    for label, values in confidences.items():
        absent = values == MISSING
        distance = np.where(absent, 0.0, values - thresholds[label])
        columns += [values, distance, (distance > 0).astype(np.float64)]
    columns += [np.full(len(values), 1.0) * np.log10(n_cases), np.full(len(values), 1.0) * np.log2(weight)]
    return np.column_stack(columns)


def weighted_vote(
    confidences: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
) -> NDArray[np.float64]:
    """Return the weight of the members that predict the edge, as a share of the weight of those with a prediction.

    Without weights every member counts once, and more than one half is a majority.
    """
    rows = len(next(iter(confidences.values())))
    for_it, all_of_it = np.zeros(rows), np.zeros(rows)
    for label, values in confidences.items():
        known = values != MISSING
        weight = 1.0 if weights is None else weights[label]
        all_of_it += weight * known
        for_it += weight * (known & (values > thresholds[label]))
    return np.divide(for_it, all_of_it, out=np.zeros(rows), where=all_of_it > 0)


def vote_weights(
    table: LearnedTable, labels: Sequence[str], n_cases: int | None, metric: str, weight: float
) -> dict[str, float]:
    """Return the weight of each member: the inverse of its mean loss on the proxies, scaled to sum to 1."""
    losses = {label: table.neighbours(*label.partition(":")[::2], n_cases, metric, weight)[0].loss for label in labels}
    raw = {label: 1.0 / max(loss, 1e-6) if np.isfinite(loss) else 1.0 for label, loss in losses.items()}
    return {label: value / sum(raw.values()) for label, value in raw.items()}


def fit_booster(training: TrainingTable, thresholds: LearnedTable, labels: Sequence[str], metric: str) -> Any:
    """Fit scikit-learn's gradient boosting, with its default settings as in the thesis, to proxy pairs.

    Deterministic: the seed is fixed, and every row has one weight of the grid, in turn, so that beta or alpha can be a
    feature without a copy of the rows for each.
    """
    from sklearn.ensemble import GradientBoostingClassifier

    if unknown := [label for label in labels if label not in training.confidences]:
        raise OptionError(
            f"gradient boosting was not trained with {unknown[0]}; it knows {', '.join(training.confidences)}.",
            remedies=(Remedy("use", Argument("combine", "majority")), Remedy("use members that it knows")),
        )
    grid = np.array([1.0]) if metric == "shd" else np.array(WEIGHTS)
    weight = grid[np.arange(len(training)) % len(grid)]
    cutoffs = {label: np.empty(len(training)) for label in labels}
    groups = np.array([size_group(int(n)) for n in training.cases])
    for name, (first, _) in SIZE_GROUPS.items():
        for value in grid:
            rows = (groups == name) & (weight == value)
            for label, cutoff in member_thresholds(thresholds, labels, first, metric, float(value)).items():
                cutoffs[label][rows] = cutoff
    known = {label: training.confidences[label] for label in labels}
    features = pair_features(known, cutoffs, training.cases.astype(np.float64), weight)
    return GradientBoostingClassifier(random_state=0).fit(features, training.edge, sample_weight=training.weight)


@cache
def _shipped_booster(labels: tuple[str, ...], metric: str) -> Any:
    return fit_booster(training_table(), learned_table(), labels, metric)


def boost(
    confidences: Mapping[str, NDArray[np.float64]], *, n_cases: int, metric: str, weight: float
) -> NDArray[np.float64]:
    """Return the probability of an edge for each pair by the model trained on the shipped table.

    The model is trained on first use (a few seconds) for the members and the metric at hand, then kept in this process.
    """
    labels = tuple(sorted(confidences))
    model = _shipped_booster(labels, metric)
    ordered = {label: confidences[label] for label in labels}
    cutoffs = member_thresholds(learned_table(), labels, n_cases, metric, weight)
    return np.asarray(model.predict_proba(pair_features(ordered, cutoffs, float(n_cases), weight))[:, 1])


Combiner = Literal["probability", "boosting", "majority", "weighted"]
SMALLEST = 1e-4  # a member that is surer than this has no more say


@one_screen
@dataclass(frozen=True, eq=False)
class EnsembleConfidence(EdgeConfidence):
    """The combined confidence, and those of the members.

    With `combiner` "probability", `present` is the probability whose log odds are the mean of those of the members'
    probabilities; with "boosting", the probability that gradient boosting predicts; with "majority" and "weighted" it
    is the (weighted) share of the members that predict the edge, so that 0.5 is the threshold. Directions are those of
    the members on average.
    """

    members: Mapping[str, EdgeConfidence] = field(default_factory=dict)
    combiner: str = "boosting"
    metric: str = "shd"
    weight: float = 1.0

    def rows(self) -> pd.DataFrame:
        """Return what the combiner saw: one row per pair, with every member's confidence, distance and prediction."""
        import pandas as pd

        labels = tuple(sorted(self.members))
        assert self.n_cases is not None
        cutoffs = member_thresholds(learned_table(), labels, self.n_cases, self.metric, self.weight)
        vectors = {label: self.members[label].vector for label in labels}
        values = pair_features(vectors, cutoffs, float(self.n_cases), self.weight)
        frame = pd.DataFrame(values, columns=list(feature_names(labels)))
        i, j = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        frame.insert(0, "first", names[i])
        frame.insert(1, "second", names[j])
        frame["combined"] = self.vector
        return frame


def combine_confidences(
    members: Mapping[str, EdgeConfidence],
    *,
    combine: Combiner = "boosting",
    metric: str = "shd",
    beta: float | None = None,
    alpha: float | None = None,
) -> EnsembleConfidence:
    """Combine confidences that were learned from the same data into one.

    Parameters
    ----------
    members
        The confidences by label, such as "bootstrap:bic": what `team_confidences` returns.
    combine
        "probability": the mean of the log odds of the members' probabilities (a logarithmic opinion pool). On families
        of worlds left out, a credible set and a bootstrap together have less log loss than either, at every number of
        cases. "boosting": gradient boosting, trained on proxies; it knows the members that were studied. "majority" or
        "weighted" (by how well each did on the proxies): votes of the members, each at its learned threshold.
    metric, beta, alpha
        What mistakes cost, as in `recommend`: it decides the members' thresholds.

    Returns
    -------
    EnsembleConfidence
        With probabilities and boosting, choose the threshold by `recommend`; with votes it is 0.5. A warning says if a
        member was not made by the recipe that its threshold was learned with.
    """
    check_known("way to combine", combine, get_args(Combiner))
    weight = check_metric(metric, beta=beta, alpha=alpha)
    if not members:
        raise OptionError("there is no confidence to combine.")
    first = next(iter(members.values()))
    for label, other in members.items():
        if other.names != first.names:
            raise OptionError(f"the member {label} has different variables from the rest, or in another order.")
    cases = {other.n_cases for other in members.values()}
    if len(cases) > 1 or None in cases:
        raise OptionError("the members must come from the same data, and say how many rows there are (n_cases=).")
    assert first.n_cases is not None
    trusted: list[EdgeConfidence] | list[EdgeProbability] = list(members.values())
    if combine == "probability":
        trusted = [member.probability for member in members.values()]
        values = pooled([member.vector for member in trusted])
    else:
        for label, member in members.items():
            if text := learned_table().mismatch(member.recipe, member.n_networks):
                warnings.warn(f"the member {label}: {text}", DataWarning, stacklevel=2)
        vectors = {label: member.vector for label, member in members.items()}
        if combine == "boosting":
            values = boost(vectors, n_cases=first.n_cases, metric=metric, weight=weight)
        else:
            like = learned_table(), tuple(members), first.n_cases, metric, weight
            weights = vote_weights(*like) if combine == "weighted" else None
            values = weighted_vote(vectors, member_thresholds(*like), weights)
    directed, undirected = _with_directions(values, trusted)
    return EnsembleConfidence(
        names=first.names,
        directed=directed,
        undirected=undirected,
        orient="cpdag",
        origin="ensemble",
        n_networks=sum(other.n_networks for other in members.values()),
        weights=combine,
        exact=False,
        complete=all(other.complete for other in members.values()),
        n_cases=first.n_cases,
        data_digest=first.data_digest,
        constraints=shared_constraints([m.constraints for m in members.values()]),
        targets=tuple(t for t in first.targets if all(t in m.targets for m in members.values())),
        beliefs=first.beliefs if all(m.beliefs == first.beliefs for m in members.values()) else {},
        members=dict(members),
        combiner=combine,
        metric=metric,
        weight=weight,
        calibration=_pooled_calibration(members) if combine == "probability" else None,
    )


def pooled(probabilities: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the probabilities whose log odds are the means of those of the members.

    >>> pooled([np.array([0.5, 0.9]), np.array([0.5, 0.1])]).round(3).tolist()
    [0.5, 0.5]
    """
    inside = np.clip(np.array(probabilities), SMALLEST, 1 - SMALLEST)
    return np.asarray(1 / (1 + np.exp(-np.log(inside / (1 - inside)).mean(axis=0))))


def _pooled_calibration(members: Mapping[str, EdgeConfidence]) -> Calibration:
    """Return the message that the values are probabilities already, and what speaks against them."""
    own = [member.probability.calibration for member in members.values()]
    doubts = [known.doubt for known in own if known.doubt]
    kind: Kind = "table" if all(known.kind != "none" for known in own) else "none"
    basis = f"are pooled from those of {len(members)} members"
    return Calibration(kind, CalibrationCurve.identity(), None, basis, doubts[0] if doubts else "")


def _with_directions(
    values: NDArray[np.float64], members: Sequence[EdgeConfidence] | Sequence[EdgeProbability]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split the combined confidence of each pair by the members' mean shares; without any, undirected."""
    n = len(members[0].names)
    present = np.zeros((n, n))
    present[np.triu_indices(n, 1)] = values
    present += present.T
    total = sum(np.asarray(member.present) for member in members)
    arcs = sum(np.asarray(member.directed) for member in members)
    share = np.divide(arcs, total, out=np.zeros((n, n)), where=np.asarray(total) > 0)
    directed = present * share
    return directed, np.clip(present - directed - directed.T, 0.0, 1.0)
