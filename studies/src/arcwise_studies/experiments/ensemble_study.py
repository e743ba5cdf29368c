"""Meta-ensembles on proxies (Liao 2022, section 5.5): their training table, and how well they do on unseen benchmarks.

The members' confidences for one sample are combined pair by pair. What is predicted for a benchmark comes from models
and thresholds that were learned without it: benchmarks are dealt into folds, and one fold is left out at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.learned_table import SIZE_GROUPS, LearnedTable
from arcwise.confidence.meta_ensemble import (
    MISSING,
    TrainingTable,
    fit_booster,
    member_thresholds,
    pair_features,
    vote_weights,
    weighted_vote,
)
from arcwise_studies.experiments.instances import METRICS, Instances, metric_weights
from arcwise_studies.experiments.pair_states import ABSENT, PairStates

__all__ = ["COMBINERS", "EnsembleStudy", "ensemble_predictions", "sample_pairs"]

FACTS = ("truth", "family", "benchmark", "cases", "group", "repetition", "sample")
COMBINERS = ("majority", "weighted", "boosting")
FOLDS = 4
PAIRS_PER_SAMPLE = 18  # how many pairs of a sample go into the training table
STRATA = (0.05, 0.95)  # by the mean confidence of the members: nearly absent, disputed, nearly certain


@dataclass(frozen=True, eq=False)
class MemberSample:
    """One sample of a network: what each member says about every pair, and the truth."""

    facts: Mapping[str, Any]
    truth: NDArray[np.uint8]
    members: Mapping[str, PairStates]

    def confidences(self, labels: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Return the confidences of the members; `MISSING` where one found no network."""
        nothing = np.full(len(self.truth), MISSING)
        return {label: self.members[label].present if label in self.members else nothing for label in labels}

    def with_directions(self, values: NDArray[np.float64]) -> PairStates:
        """Return combined confidences, split into directions as the members split theirs on average."""
        shares = sum(np.asarray(states.shares) for states in self.members.values())
        total = np.asarray(shares).sum(axis=0)
        split = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
        split[2] += total <= 0
        return PairStates(self.truth, split * values)


class EnsembleStudy:
    """The samples of a discovery study, and what ensembles predict for benchmarks that they have not seen.

    The members are the methods and scores of the instances. With `by_size`, each group of sample sizes has a model of
    its own, instead of one model with the sample size as a feature.
    """

    def __init__(self, instances: Instances, *, by_size: bool = False) -> None:
        self.instances = instances
        self.by_size = by_size
        frame = instances.frame
        labels = frame["method"] + ":" + frame["score"]
        self.labels: tuple[str, ...] = tuple(sorted(labels.unique()))
        groups: dict[str, list[int]] = {}
        for k, sample in enumerate(frame["sample"]):
            groups.setdefault(sample, []).append(k)
        self.samples = [
            MemberSample(
                facts={name: frame[name].iloc[rows[0]] for name in FACTS},
                truth=instances.states[rows[0]].truth,
                members={labels.iloc[k]: instances.states[k] for k in rows},
            )
            for rows in groups.values()
        ]
        self.benchmarks = tuple(sorted(frame["benchmark"].unique()))
        self._boosters: dict[tuple[int, str, str | None], Any] = {}

    def training_table(
        self, provenance: Mapping[str, Any], *, without: Sequence[str] = (), group: str | None = None
    ) -> TrainingTable:
        """Return pairs of every sample (of a group of sizes), by strata, so that every sample counts the same."""
        networks: list[str] = []
        cases: list[int] = []
        edges: list[NDArray[np.int64]] = []
        weights: list[NDArray[np.float64]] = []
        found: dict[str, list[NDArray[np.float64]]] = {label: [] for label in self.labels}
        for index, sample in enumerate(self.samples):
            if sample.facts["benchmark"] in without or group not in (None, sample.facts["group"]):
                continue
            values = sample.confidences(self.labels)
            rows, weight = sample_pairs(sample.truth, list(values.values()), np.random.default_rng([2022, index]))
            networks += [str(sample.facts["truth"])] * len(rows)
            cases += [int(sample.facts["cases"])] * len(rows)
            edges.append((sample.truth[rows] != ABSENT).astype(np.int64))
            weights.append(weight)
            for label, column in values.items():
                found[label].append(column[rows])
        return TrainingTable(
            network=tuple(networks),
            cases=np.array(cases, dtype=np.int64),
            edge=np.concatenate(edges),
            weight=np.concatenate(weights),
            confidences={label: np.concatenate(columns) for label, columns in found.items()},
            provenance=dict(provenance),
        )

    def folds(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Return the benchmarks that are left out together."""
        count = min(FOLDS, len(self.benchmarks))
        for fold in range(count):
            yield fold, self.benchmarks[fold::count]

    @cached_property
    def _tables(self) -> dict[int, LearnedTable]:
        """The thresholds that are learned without each fold."""
        found = {}
        for fold, left_out in self.folds():
            rows = ~self.instances.frame["benchmark"].isin(left_out).to_numpy()
            found[fold] = LearnedTable.of(self.instances.take(rows).learn_all(), {})
        return found

    def _booster(self, fold: int, left_out: Sequence[str], metric: str, group: str | None) -> Any:
        key = fold, metric, group
        if key not in self._boosters:
            training = self.training_table({}, without=left_out, group=group)
            self._boosters[key] = fit_booster(training, self._tables[fold], self.labels, metric)
        return self._boosters[key]

    def predictions(self, metric: str, weight: float) -> Instances:
        """Return the combined confidences for every sample, one instance per combiner, from models without its fold.

        A sample for which a member is missing is left out of no vote: the others decide.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        states: list[PairStates] = []
        fold_of = {name: fold for fold, names in self.folds() for name in names}
        left_out = dict(self.folds())
        cutoffs: dict[tuple[int, str], dict[str, float]] = {}
        weights: dict[tuple[int, str], dict[str, float]] = {}
        for sample in self.samples:
            fold = fold_of[sample.facts["benchmark"]]
            key = (fold, sample.facts["group"])
            table = self._tables[fold]
            size = SIZE_GROUPS[sample.facts["group"]][0]
            if key not in cutoffs:
                cutoffs[key] = member_thresholds(table, self.labels, size, metric, weight)
                weights[key] = vote_weights(table, self.labels, size, metric, weight)
            values = sample.confidences(self.labels)
            features = pair_features(values, cutoffs[key], float(sample.facts["cases"]), weight)
            booster = self._booster(fold, left_out[fold], metric, sample.facts["group"] if self.by_size else None)
            combined = {
                "majority": weighted_vote(values, cutoffs[key]),
                "weighted": weighted_vote(values, cutoffs[key], weights[key]),
                "boosting": booster.predict_proba(features)[:, 1],
            }
            for name in COMBINERS:
                rows.append({**dict(sample.facts), "method": "ensemble", "score": name})
                states.append(sample.with_directions(np.asarray(combined[name])))
        made = Instances(pd.DataFrame(rows))
        made.__dict__["states"] = states
        return made


_last: dict[str, dict[tuple[str, float], Instances]] = {}


def ensemble_predictions(instances: Instances) -> dict[tuple[str, float], Instances]:
    """Return the predictions for every metric and weight; those of the last study are kept, for they take minutes."""
    digest = instances.digest
    if digest not in _last:
        study = EnsembleStudy(instances)
        found = {
            (metric, weight): study.predictions(metric, weight)
            for metric in METRICS
            for weight in metric_weights(metric)
        }
        _last.clear()
        _last[digest] = found
    return _last[digest]


def sample_pairs(
    truth: NDArray[np.uint8], confidences: Sequence[NDArray[np.float64]], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose pairs of a sample by strata, and say what each stands for; the weights of a sample sum to 1.

    The strata are true edges and others, by whether the members nearly all deny the pair, dispute it, or nearly all
    find it. Most pairs are absent and undisputed; chosen in proportion, they would be all there is to learn from.
    """
    table = np.array([values for values in confidences if not (values == MISSING).all()])
    mean = table.mean(axis=0) if len(table) else np.zeros(len(truth))
    stratum = np.digitize(mean, STRATA) + 3 * (truth != ABSENT)
    present, sizes = np.unique(stratum, return_counts=True)
    quota = -(-PAIRS_PER_SAMPLE // len(present))
    rows, weights = [], []
    for name, size in zip(present, sizes, strict=True):
        chosen = np.sort(rng.permutation(np.flatnonzero(stratum == name))[:quota])
        rows.append(chosen)
        weights.append(np.full(len(chosen), size / len(chosen) / len(truth)))
    order = np.argsort(np.concatenate(rows))
    return np.concatenate(rows)[order], np.concatenate(weights)[order]
