"""Classes of rows that were not learned from: averaged networks beside what others use, by log loss and errors.

Five folds of each public table, split alike for all; rows of classes with fewer than eight rows are left out. The
forest and the logistic regression of scikit-learn see numbers as they are (standardised; gaps at the median), and
states as indicators. Naive Bayes, TAN, kDB and AODE see what averages of networks of states see: numbers that are cut
where the class changes (Fayyad and Irani) in the rows to learn from.

Ours are two. "Networks": an average over networks of resampled rows, numbers as they are where there are any; nothing
is chosen. "Pooled": six such averages, of networks with and without an arc from the class to every column, of states
and of numbers as they are; five folds within the rows to learn from choose how much each counts, and how far its
probabilities are drawn together.

    python -m benchmarks.classification [--data FOLDER] [--log FILE] [--page] [NAME ...]
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from arcwise import Constraints
from arcwise.data import Dataset, Table, VariableKind, find_cuts
from arcwise.data.mixed import MixedData
from arcwise.effects import ModelAverage
from arcwise.effects.model_average import MixedAverage
from arcwise.ensemble import bootstrap_networks
from arcwise.local import tree_augmented
from arcwise.model import fit_parameters
from benchmarks._page import PageTable, draw, page_option
from benchmarks._topic import SHARED, has_data, log_at, parser_for

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
# The class of every table; more than 20,000 rows are left to whoever has the time.
CLASSES = {
    **dict.fromkeys(
        (
            *("australian", "balance_scale", "bc_wisconsin", "credit_approval", "diabetes_pima", "ecoli"),
            *("heart_statlog", "iris", "lymphography", "mushroom", "page_blocks", "primary_tumor", "segment"),
            *("soybean_683", "thyroid_new", "wine", "yeast"),
        ),
        "class",
    ),
    **dict.fromkeys(["breast_cancer", "hepatitis", "tic_tac_toe", "vehicle", "voting"], "Class"),
    **{"biodeg": "experimental_class", "glass": "type", "parkinsons": "status", "sensors": "OUTPUT"},
    **{"spectf": "diagnosis", "steel_plates": "fault", "wdbc": "diagnosis", "zoo": "type"},
}
FOLDS, FEWEST = 5, 8
REPLICATES = 30
MOST_STATES = 8  # a column of numbers with more values is one of numbers
LEAST = 1e-4  # no probability counts as less
POWERS = (1 / 4, 1 / 3, 1 / 2.5, 1 / 2, 1 / 1.5, 1 / 1.2, 1.0, 1.25, 1 / 0.6)
OURS = ("networks", "pooled")
PEERS = ("naive Bayes", "TAN", "kDB", "AODE", "random forest", "logistic regression")


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to classify, with the columns as each method wants them."""

    learned: pd.DataFrame
    asked: pd.DataFrame
    classes: Codes  # of the rows to learn from
    labels: tuple[str, ...]

    @cached_property
    def numbers(self) -> list[str]:
        return [c for c in self.learned if pd.api.types.is_numeric_dtype(self.learned[c])]

    @cached_property
    def filled(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        middle = self.learned[self.numbers].median()
        return self.learned.fillna(middle), self.asked.fillna(middle)

    @cached_property
    def cut(self) -> tuple[Dataset, Dataset]:
        """Both parts as states; what the rows to learn from do not have becomes their most frequent state."""
        learned, asked = self.filled
        cuts: Mapping[str, Floats] = {}
        if self.numbers:
            table = Table.from_dataframe(learned.assign(class_=np.array(self.labels)[self.classes]))
            cuts = find_cuts(table, method="mdl", columns=self.numbers, target="class_")
        codes: list[list[Codes]] = [[], []]
        names, states = list[str](), list[tuple[str, ...]]()
        for name in map(str, learned):
            parts = [
                np.searchsorted(cuts[name], part[name]).astype(str) if name in cuts else part[name].to_numpy(str)
                for part in (learned, asked)
            ]
            own, counts = np.unique(parts[0], return_counts=True)
            if len(own) < 2:
                continue
            usual = own[counts.argmax()]
            for kept, values in zip(codes, parts, strict=True):
                kept.append(np.searchsorted(own, np.where(np.isin(values, own), values, usual)))
            names.append(name)
            states.append(tuple(own.tolist()))
        codes[0].append(self.classes)
        codes[1].append(np.zeros(len(asked), dtype=np.int64))
        made = [
            Dataset.from_codes(np.column_stack(kept), names=[*names, "class_"], states=[*states, self.labels])
            for kept in codes
        ]
        return made[0], made[1]

    @cached_property
    def mixed(self) -> tuple[MixedData, Floats]:
        """The rows to learn from with numbers as they are, and the values of the rows to classify, without classes."""
        cut = self.cut
        others = [name for name in cut[0].names[:-1] if name not in self.numbers]
        values = [
            np.array([
                *(part[name].to_numpy(float) for name in self.numbers),
                *(codes.codes[codes.index(name)].astype(float) for name in others),
                classes,
            ])
            for part, codes, classes in zip(
                self.filled, cut, (self.classes.astype(float), np.full(len(self.asked), np.nan)), strict=True
            )
        ]  # fmt: skip
        names = [*self.numbers, *others, "class_"]
        kinds = [VariableKind.NUMBER] * len(self.numbers) + [VariableKind.NOMINAL] * (len(others) + 1)
        states = tuple(() if k < len(self.numbers) else cut[0].states[cut[0].index(n)] for k, n in enumerate(names))
        return MixedData(values[0], tuple(names), tuple(kinds), states), values[1]


def of_states(split: Split, score: str, prior: str, *, augmented: bool, most: int | None = None) -> Floats:
    """Return the classes by an average over networks of states; `augmented`: the class is a parent of every column."""
    learned, asked = split.cut
    required = [("class_", name) for name in learned.names[:-1]] if augmented else []
    found = bootstrap_networks(
        learned,
        score,
        replicates=REPLICATES,
        draws="replacement",
        constraints=Constraints(learned.names, required=required, max_parents=most),
        seed=1,
        workers=1,
        progress=False,
    )
    return ModelAverage(found, learned, prior=prior).predict_proba(asked, "class_", progress=False)


def as_they_are(split: Split, *, augmented: bool) -> Floats:
    """Return the classes by an average over networks of numbers and states."""
    learned, asked = split.mixed
    required = [("class_", name) for name in learned.names[:-1]] if augmented else []
    found = bootstrap_networks(
        learned,
        "bic-dg",
        replicates=REPLICATES,
        constraints=Constraints(learned.names, required=required),
        seed=1,
        workers=1,
        progress=False,
    )
    return np.asarray(MixedAverage(found, learned).predict_table(asked, "class_", most=REPLICATES, progress=False))


AVERAGES: dict[str, Callable[[Split], Floats]] = {
    "free, qNML": lambda split: of_states(split, "qnml", "bdeu", augmented=False),
    "augmented, qNML": lambda split: of_states(split, "qnml", "bdeu", augmented=True),
    "augmented, BDeu": lambda split: of_states(split, "bdeu:ess=1", "k2", augmented=True),
    "class alone": lambda split: of_states(split, "bdeu:ess=1", "k2", augmented=True, most=1),
    "free, numbers": lambda split: as_they_are(split, augmented=False),
    "augmented, numbers": lambda split: as_they_are(split, augmented=True),
}


def networks(split: Split) -> Floats:
    return AVERAGES["free, numbers" if split.numbers else "free, qNML"](split)


def pooled(split: Split) -> Floats:
    """Return the averages of all kinds, weighed by what they say of rows within those to learn from."""
    names = [name for name in AVERAGES if split.numbers or not name.endswith("numbers")]
    truth, said = list[Codes](), {name: list[Floats]() for name in names}
    for learned, asked in folds(split.classes, seed=2):
        inner = Split(split.learned.iloc[learned], split.learned.iloc[asked], split.classes[learned], split.labels)
        truth.append(split.classes[asked])
        for name in names:
            said[name].append(AVERAGES[name](inner))
    classes = np.concatenate(truth)
    powers, right = [], []
    for name in names:
        own = np.concatenate(said[name])
        powers.append(min(POWERS, key=lambda power: log_loss(raised(own, power), classes)))
        right.append(raised(own, powers[-1])[np.arange(len(classes)), classes])
    weights = np.full(len(names), 1 / len(names))
    for _ in range(200):  # expectation and maximisation: the weights under which these rows are most likely
        shares = weights[:, None] * np.array(right)
        weights = (shares / shares.sum(axis=0)).mean(axis=1)
    kept = [(name, weight, power) for name, weight, power in zip(names, weights, powers, strict=True) if weight > 0.01]
    total = sum(weight * raised(AVERAGES[name](split), power) for name, weight, power in kept)
    return np.asarray(total / sum(weight for _, weight, _ in kept))


def raised(probabilities: Floats, power: float) -> Floats:
    """Return probabilities whose logarithms are multiplied: below 1 they are drawn together."""
    logs = power * np.log(np.maximum(probabilities, 1e-12))
    made = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(made / made.sum(axis=1, keepdims=True))


def naive_bayes(split: Split) -> Floats:
    from sklearn.naive_bayes import CategoricalNB

    learned, asked = split.cut
    model = CategoricalNB(min_categories=[len(states) for states in learned.states[:-1]])
    return np.asarray(model.fit(learned.codes[:-1].T, split.classes).predict_proba(asked.codes[:-1].T))


def tan(split: Split) -> Floats:
    learned, asked = split.cut
    network = fit_parameters(tree_augmented(learned, "class_", progress=False).dag, learned, estimator="laplace")
    return network.query_rows("class_", asked, progress=False).probabilities


def kdb(split: Split, parents: int = 2) -> Floats:
    """Return what the k-dependence classifier of Sahami (1996) says, its tables smoothed by one row per cell."""
    learned, asked = split.cut
    x, y, new = learned.codes[:-1].astype(np.int64), split.classes, asked.codes[:-1].astype(np.int64)
    sizes, n_classes = [len(states) for states in learned.states[:-1]], len(split.labels)
    order = sorted(range(len(x)), key=lambda v: -information(x[v], y))
    logs = np.log(np.bincount(y, minlength=n_classes) + 1.0)[None].repeat(new.shape[1], 0)
    for place, v in enumerate(order):
        shared = {
            u: sum(information(x[v][y == c], x[u][y == c]) * (y == c).mean() for c in range(n_classes))
            for u in order[:place]
        }
        near = sorted(shared, key=shared.__getitem__, reverse=True)[:parents]
        logs += np.log(conditional(x, y, new, sizes, n_classes, v, near))
    return raised(np.exp(logs - logs.max(axis=1, keepdims=True)), 1.0)


def conditional(
    x: Codes, y: Codes, new: Codes, sizes: Sequence[int], n_classes: int, v: int, near: Sequence[int]
) -> Floats:
    """Return P(v of the new rows | each class, their values of `near`), smoothed by one row per cell."""
    shape = [n_classes, *(sizes[u] for u in near), sizes[v]]
    counts = np.zeros(shape)
    np.add.at(counts, (y, *(x[u] for u in near), x[v]), 1.0)
    table = (counts + 1.0) / (counts + 1.0).sum(axis=-1, keepdims=True)
    return np.asarray(table[(slice(None), *(new[u] for u in near), new[v])].T)


def aode(split: Split, least: int = 30) -> Floats:
    """Return what averaged one-dependence estimators say (Webb, Boughton and Wang 2005), with one row per cell more."""
    learned, asked = split.cut
    x, y, new = learned.codes[:-1].astype(np.int64), split.classes, asked.codes[:-1].astype(np.int64)
    sizes, n_classes = [len(states) for states in learned.states[:-1]], len(split.labels)
    total = np.zeros((new.shape[1], n_classes))
    for u in range(len(x)):
        counts = np.zeros((n_classes, sizes[u]))
        np.add.at(counts, (y, x[u]), 1.0)
        logs = np.log((counts + 1.0) / (len(y) + counts.size))[:, new[u]].T
        for v in range(len(x)):
            if v != u:
                logs = logs + np.log(conditional(x, y, new, sizes, n_classes, v, [u]))
        enough = np.bincount(x[u], minlength=sizes[u])[new[u]] >= least
        total += np.where(enough[:, None], np.exp(logs), 0.0)
    rest = total.sum(axis=1) <= 0
    if rest.any():
        total[rest] = naive_bayes(split)[rest]
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def information(a: Codes, b: Codes) -> float:
    """Return the mutual information of two columns, in nats."""
    joint = np.zeros((a.max(initial=0) + 1, b.max(initial=0) + 1))
    np.add.at(joint, (a, b), 1.0 / max(len(a), 1))
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / apart[seen])).sum())


def by_scikit_learn(split: Split, model: Any) -> Floats:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    learned, asked = split.filled
    others = [name for name in learned if name not in split.numbers]
    columns = ColumnTransformer([
        ("numbers", StandardScaler(), split.numbers),
        ("states", OneHotEncoder(handle_unknown="ignore"), others),
    ])  # fmt: skip
    return np.asarray(make_pipeline(columns, model).fit(learned, split.classes).predict_proba(asked))


def forest(split: Split) -> Floats:
    from sklearn.ensemble import RandomForestClassifier

    return by_scikit_learn(split, RandomForestClassifier(500, random_state=1))


def regression(split: Split) -> Floats:
    from sklearn.linear_model import LogisticRegression

    return by_scikit_learn(split, LogisticRegression(max_iter=2000))


METHODS: dict[str, Callable[[Split], Floats]] = dict(
    zip((*OURS, *PEERS), (networks, pooled, naive_bayes, tan, kdb, aode, forest, regression), strict=True)
)

HEADER = ("data", "rows × columns", *METHODS)
RANKS = ("method", "mean rank: log loss", "mean rank: errors", "mean log loss", "mean errors, %", "CPU s")


def folds(classes: Codes, seed: int) -> Iterator[tuple[Codes, Codes]]:
    from sklearn.model_selection import StratifiedKFold

    with warnings.catch_warnings():  # of classes with fewer rows than folds
        warnings.simplefilter("ignore")
        yield from StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(classes)), classes)


def log_loss(probabilities: Floats, classes: Codes) -> float:
    right = probabilities[np.arange(len(classes)), classes]
    return float(-np.log(np.maximum(right, LEAST)).mean())


def read(path: Path, target: str) -> tuple[pd.DataFrame, Codes, tuple[str, ...]]:
    """Return a table without its class, and the class; numbers of few values are states, and gaps of states are one."""
    frame = pd.read_csv(path)
    words = frame.pop(target).astype(str)
    kept = words.isin(words.value_counts().loc[lambda counts: counts >= FEWEST].index)
    frame, words = frame[kept].reset_index(drop=True), words[kept]
    for name in frame:
        column = frame[name]
        if not pd.api.types.is_numeric_dtype(column) or column.nunique() <= MOST_STATES:
            frame[name] = column.astype(object).where(column.notna(), "?").astype(str)
    labels, classes = np.unique(words, return_inverse=True)
    return frame, classes.astype(np.int64), tuple(labels.tolist())


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Return the losses of all methods on a table, and their CPU seconds."""
    frame, classes, labels = read(folder / f"{name}.csv.gz", CLASSES[name])
    found: dict[str, Any] = {"name": name, "columns": frame.shape[1], "rows": len(frame), "classes": len(labels)}
    said = {method: np.zeros((len(frame), len(labels))) for method in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    for learned, asked in folds(classes, seed=1):
        for method, call in METHODS.items():
            split = Split(frame.iloc[learned], frame.iloc[asked], classes[learned], labels)
            begin = time.process_time()
            said[method][asked] = call(split)
            seconds[method] += time.process_time() - begin
    for method, own in said.items():
        found[method] = [log_loss(own, classes), float((own.argmax(axis=1) != classes).mean()), seconds[method]]
    return found


def losses_of(one: Mapping[str, Any]) -> list[str]:
    """Return a row of the page: the log losses on a table."""
    return [one["name"], f"{one['rows']:,} × {one['columns']}", *(f"{one[method][0]:.3f}" for method in METHODS)]


def ranked(found: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield the rows of the page: each method over all tables."""
    ranks = [
        np.mean([rankdata([round(one[method][which], 6) for method in METHODS]) for one in found], axis=0)
        for which in (0, 1)
    ]
    for place, method in enumerate(METHODS):
        loss, errors, seconds = (sum(one[method][which] for one in found) for which in range(3))
        means = (f"{loss / len(found):.3f}", f"{100 * errors / len(found):.1f}")
        yield [method, *(f"{own[place]:.2f}" for own in ranks), *means, f"{seconds:.0f}"]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all with --page, else wine")
    parser.add_argument("--data", type=Path, default=SHARED / "data" / "uci", help="the folder of NAME.csv.gz")
    parser.add_argument("--log", type=Path, help="a file that results are kept in, and continued from")
    page_option(parser)
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.names if name not in CLASSES]:
        parser.error(f"unknown data: {', '.join(unknown)}. Known: {', '.join(sorted(CLASSES))}.")
    if not has_data(given.data):
        return
    names = given.names or (sorted(CLASSES) if given.page else ["wine"])
    with log_at(given.log) as log:
        lines = log.read_text().splitlines() if log.exists() else []
        known = {one["name"]: one for one in map(json.loads, lines)}
        table = PageTable("classification", HEADER, sorted(CLASSES), write=given.page)
        for name in names:
            if name not in known:
                known[name] = measure(name, given.data)
                with log.open("a") as file:
                    print(json.dumps(known[name]), file=file)
            table.add(losses_of(known[name]))
    ranks = PageTable("classification-ranks", RANKS, list(METHODS), write=given.page)
    for row in ranked([known[name] for name in names]):
        ranks.add(row)
    if given.page:
        draw("classification-ranks", {"log loss": 1, "errors": 2}, f"mean rank on {len(names)} tables; 1 is best")


if __name__ == "__main__":
    main(sys.argv[1:])
