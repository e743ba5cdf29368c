"""The meta-ensemble (Liao 2022, section 5.5): several scores and methods learn, and their confidences are combined."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

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
from arcwise.confidence.members import Member, Method
from arcwise.data import Dataset
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.limits import Limits
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import Score
from arcwise.seeds import Seed, resolve_seed
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Combiner", "EnsembleConfidence", "combine_confidences", "ensemble_confidence"]

Combiner = Literal["boosting", "majority", "weighted"]
SCORES = ("aic", "bdeu", "bic", "qnml")


@one_screen
@dataclass(frozen=True, eq=False)
class EnsembleConfidence(EdgeConfidence):
    """The combined confidence, and those of the members.

    With `combiner` "boosting", `present` is the probability of an edge that gradient boosting predicts; with "majority"
    and "weighted" it is the (weighted) share of the members that predict the edge, so that 0.5 is the threshold.
    Directions are those of the members on average.
    """

    members: Mapping[str, EdgeConfidence] = field(default_factory=dict)
    missing: tuple[str, ...] = ()  # members that found no network within the limits
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


def ensemble_confidence(
    data: Dataset,
    *,
    scores: Sequence[str | Score] = SCORES,
    methods: Sequence[Method] = ("bootstrap", "credible"),
    combine: Combiner = "boosting",
    metric: str = "shd",
    beta: float | None = None,
    alpha: float | None = None,
    replicates: int = 200,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> EnsembleConfidence:
    """Learn with every score and method, and combine the confidences into one.

    Parameters
    ----------
    data
        The data.
    scores, methods
        The members: every score with every method.
    combine
        "boosting": gradient boosting, trained on proxies; it knows the members that were studied. "majority" or
        "weighted" (by how well each did on the proxies): votes of the members, each at its learned threshold.
    metric, beta, alpha
        What mistakes cost, as in `recommend`: it decides the members' thresholds.
    replicates, max_parents
        The bootstrap's networks, and the most parents of any variable.
    seed
        An integer or a numpy generator that fixes the random numbers.
    limits
        `seconds` for all members, shared equally among those still to come; `memory_bytes` for each.
    progress
        See `arcwise.progress.show_progress`.

    Returns
    -------
    EnsembleConfidence
        `members` has the confidences that went in, `missing` the members that found no network within the limits. With
        boosting, choose the threshold by `recommend`; with votes it is 0.5.
    """
    if combine not in get_args(Combiner):
        raise UnknownNameError(suggestion("way to combine", combine, get_args(Combiner)))
    check_metric(metric, beta=beta, alpha=alpha)
    team = [
        Member(method, score, replicates=replicates, max_parents=max_parents) for method in methods for score in scores
    ]
    if len({member.label for member in team}) < len(team) or not team:
        raise OptionError("an ensemble needs at least one score and one method, and each score and method once.")
    root = resolve_seed(seed)
    bounds = limits or Limits()
    begin = time.monotonic()
    found: dict[str, EdgeConfidence] = {}
    missing: list[str] = []
    with show_progress(progress) as callback:
        for index, member in enumerate(team):
            callback(ProgressEvent(f"ensemble: {member.label}", index, len(team)))
            left = bounds.native_seconds - (time.monotonic() - begin)
            share = Limits(
                seconds=None if bounds.seconds is None else max(1e-3, left / (len(team) - index)),
                memory_bytes=bounds.memory_bytes,
            )
            own = int(np.random.SeedSequence([root, index]).generate_state(1)[0])
            confidence = member.confidence(data, seed=own, limits=share)
            if confidence is None:
                missing.append(member.label)
            else:
                found[member.label] = confidence
        callback(ProgressEvent("ensemble", len(team), len(team)))
    if not found:
        raise OptionError("no member found a network within the limits; allow more time, or set max_parents.")
    combined = combine_confidences(found, combine=combine, metric=metric, beta=beta, alpha=alpha)
    object.__setattr__(combined, "missing", tuple(missing))
    return combined


def combine_confidences(
    members: Mapping[str, EdgeConfidence],
    *,
    combine: Combiner = "boosting",
    metric: str = "shd",
    beta: float | None = None,
    alpha: float | None = None,
) -> EnsembleConfidence:
    """Combine confidences that were learned from the same data; the keys are labels such as "bootstrap:bic"."""
    weight = check_metric(metric, beta=beta, alpha=alpha)
    if not members:
        raise OptionError("there is no confidence to combine.")
    first = next(iter(members.values()))
    for label, other in members.items():
        if other.names != first.names:
            raise OptionError(f"the member {label} is over other variables than the rest, or in another order.")
    cases = {other.n_cases for other in members.values()}
    if len(cases) > 1 or None in cases:
        raise OptionError("the members must come from the same data, and say how many cases there are (n_cases=).")
    assert first.n_cases is not None
    labels = tuple(members)
    vectors = {label: members[label].vector for label in labels}
    if combine == "boosting":
        values = boost(vectors, n_cases=first.n_cases, metric=metric, weight=weight)
    else:
        cutoffs = member_thresholds(learned_table(), labels, first.n_cases, metric, weight)
        if combine == "majority":
            values = majority_vote(vectors, cutoffs)
        else:
            weights = vote_weights(learned_table(), labels, first.n_cases, metric, weight)
            values = weighted_vote(vectors, cutoffs, weights)
    directed, undirected = _with_directions(values, list(members.values()))
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
        score={"name": combine},
        n_cases=first.n_cases,
        data_digest=first.data_digest,
        members=dict(members),
        combiner=combine,
        metric=metric,
        weight=weight,
    )


def _with_directions(
    values: NDArray[np.float64], members: list[EdgeConfidence]
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
