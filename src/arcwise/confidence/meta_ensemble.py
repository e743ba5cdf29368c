"""The meta-ensemble (Liao 2022, section 5.5): several scores and methods learn, and their confidences are combined."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.calibration import Calibration, Kind
from arcwise.confidence.calibration.curve import CalibrationCurve
from arcwise.confidence.calibration.edge_probability import EdgeProbability
from arcwise.confidence.combiners import (
    boost,
    feature_names,
    majority_vote,
    member_thresholds,
    pair_features,
    vote_weights,
    weighted_vote,
)
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.learned_table import check_metric, learned_table
from arcwise.ensemble.ensemble_facts import shared_constraints
from arcwise.errors import DataWarning, OptionError, UnknownNameError, suggestion
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Combiner", "EnsembleConfidence", "combine_confidences"]

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
    if combine not in get_args(Combiner):
        raise UnknownNameError(suggestion("way to combine", combine, get_args(Combiner)))
    weight = check_metric(metric, beta=beta, alpha=alpha)
    if not members:
        raise OptionError("there is no confidence to combine.")
    first = next(iter(members.values()))
    for label, other in members.items():
        if other.names != first.names:
            raise OptionError(f"the member {label} has different variables from the rest, or in another order.")
    cases = {other.n_cases for other in members.values()}
    if len(cases) > 1 or None in cases:
        raise OptionError("the members must come from the same data, and say how many cases there are (n_cases=).")
    assert first.n_cases is not None
    if combine != "probability":
        _warn_of_other_recipes(members)
    labels = tuple(members)
    vectors = {label: members[label].vector for label in labels}
    if combine == "probability":
        values = pooled([member.probability.vector for member in members.values()])
    elif combine == "boosting":
        values = boost(vectors, n_cases=first.n_cases, metric=metric, weight=weight)
    else:
        cutoffs = member_thresholds(learned_table(), labels, first.n_cases, metric, weight)
        if combine == "majority":
            values = majority_vote(vectors, cutoffs)
        else:
            weights = vote_weights(learned_table(), labels, first.n_cases, metric, weight)
            values = weighted_vote(vectors, cutoffs, weights)
    said: list[EdgeConfidence | EdgeProbability] = [
        member.probability if combine == "probability" else member for member in members.values()
    ]
    directed, undirected = _with_directions(values, said)
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
    """Say that the values are probabilities already, and what speaks against them."""
    own = [member.probability.calibration for member in members.values()]
    doubts = [known.doubt for known in own if known.doubt]
    kind: Kind = "table" if all(known.kind != "none" for known in own) else "none"
    basis = f"are pooled from those of {len(members)} members"
    return Calibration(kind, CalibrationCurve.identity(), None, basis, doubts[0] if doubts else "")


def _warn_of_other_recipes(members: Mapping[str, EdgeConfidence]) -> None:
    """Warn if a member was made differently from those that the combination was trained with."""
    for label, member in members.items():
        if text := learned_table().mismatch(member.recipe, member.n_networks):
            warnings.warn(f"the member {label}: {text}", DataWarning, stacklevel=3)


def _with_directions(
    values: NDArray[np.float64], members: Sequence[EdgeConfidence | EdgeProbability]
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
