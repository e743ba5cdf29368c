from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from arcwise.data import Dataset, Table, apply_cuts, discretize, find_cuts, impute, read_data, read_table
from arcwise.data.discretize import cluster_cuts, entropy_cuts, equal_width, intervals_of, rounded
from arcwise.errors import ArcwiseError, DataError, OptionError


def continuous(shared: Path, name: str) -> list[str]:
    meta = json.loads((shared / "data" / "meta.json").read_text())
    return next(entry["continuous_vars"] for entry in meta if entry["file"] == name)


def is_relabelling(left: Dataset, right: Dataset) -> bool:
    """Whether the columns are equal up to the names of the states; both have only states that occur."""
    pairs = [set(zip(a.tolist(), b.tolist(), strict=True)) for a, b in zip(left.codes, right.codes, strict=True)]
    return left.arities.tolist() == right.arities.tolist() == [len(pair) for pair in pairs]


@pytest.mark.parametrize(
    ("raw", "coded"),
    [("iris", "liao2019/iris"), ("iris", "bene/iris"), ("ecoli", "bene/ecoli"), ("liver_bupa", "bene/liver")],
)
def test_the_published_recipe_gives_the_published_codes(shared: Path, raw: str, coded: str) -> None:
    name = f"uci/{raw}.csv.gz"
    table = impute(read_table(shared / "data" / name), method="mode")
    data = discretize(table, method="width", bins=3, columns=continuous(shared, name)).to_dataset()
    assert is_relabelling(data, read_data(shared / "data" / f"{coded}.csv.gz"))


@pytest.mark.parametrize(("raw", "coded"), [("parkinsons", "parkinsons"), ("wdbc", "wdbc"), ("sensors", "sensors")])
def test_cutting_at_the_mean_gives_the_codes_of_liao(shared: Path, raw: str, coded: str) -> None:
    name = f"uci/{raw}.csv.gz"
    columns = continuous(shared, name)
    table = read_table(shared / "data" / name)
    data = discretize(table, method="mean", columns=columns).to_dataset().select(columns)
    published = read_data(shared / "data" / "liao2019" / f"{coded}.csv.gz")
    published = published.select([published.names[table.names.index(column)] for column in columns])
    assert is_relabelling(data, published)


def test_missing_values_then_intervals() -> None:
    frame = pd.DataFrame({"comfort": [5.0, 7.5, None, 10.0, 15.0] * 18, "decision": list("AASAI") * 18})
    data = discretize(
        impute(Table.from_dataframe(frame), method="mode"), method="width", columns=["comfort"]
    ).to_dataset()
    assert (data.n_cases, data.arities.tolist()) == (90, [3, 3])


# ---- MDL


def entropy(classes: list[int]) -> float:
    return -sum(p * math.log2(p) for p in (classes.count(c) / len(classes) for c in set(classes)))


def mdl_by_hand(pairs: list[tuple[float, int]]) -> list[float]:
    """Fayyad and Irani's method, by its definition."""
    pairs = sorted(pairs)
    whole = [c for _, c in pairs]
    best: tuple[float, int] | None = None
    for cut in range(1, len(pairs)):
        if pairs[cut - 1][0] < pairs[cut][0]:
            after = cut * entropy(whole[:cut]) + (len(whole) - cut) * entropy(whole[cut:])
            if best is None or after < best[0] - 1e-9:
                best = (after, cut)
    if best is None:
        return []
    cut = best[1]
    left, right = whole[:cut], whole[cut:]
    k, k1, k2 = len(set(whole)), len(set(left)), len(set(right))
    delta = math.log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(whole) - best[0] / len(whole) <= (math.log2(len(whole) - 1) + delta) / len(whole):
        return []
    middle = 0.5 * (pairs[cut - 1][0] + pairs[cut][0])
    return [*mdl_by_hand(pairs[:cut]), middle, *mdl_by_hand(pairs[cut:])]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=2, max_size=40), st.integers(1, 6))
def test_mdl_follows_its_definition(pairs: list[tuple[int, int]], copies: int) -> None:
    rows = [(float(value), c if value < 5 else (c + value) % 3) for value, c in pairs] * copies
    found = entropy_cuts(np.array([v for v, _ in rows]), np.array([c for _, c in rows]), 3)
    assert found.tolist() == mdl_by_hand(rows)


def test_mdl_decides_close_cases_as_defined() -> None:
    decisions = []
    for a in range(1, 12):
        for b in range(1, 12):
            for wrong in (0, 1):
                rows = [(0.0, 0)] * a + [(1.0, 1)] * b + [(1.0, 0)] * wrong
                found = entropy_cuts(np.array([v for v, _ in rows]), np.array([c for _, c in rows]), 2).tolist()
                assert found == mdl_by_hand(rows), (a, b, wrong)
                decisions.append(bool(found))
    assert 20 < sum(decisions) < len(decisions) - 20


def test_mdl_cuts_of_iris() -> None:
    table = Table.from_dataframe(load_iris(as_frame=True).frame)
    cuts = find_cuts(table, method="mdl", target="target")
    expected = {
        "sepal length (cm)": [5.55, 6.15],
        "sepal width (cm)": [2.95, 3.35],
        "petal length (cm)": [2.45, 4.75],
        "petal width (cm)": [0.8, 1.75],
    }
    assert {name: points.round(10).tolist() for name, points in cuts.items()} == expected
    for name, points in cuts.items():
        rows = zip(table.column(name).values().tolist(), table.column("target").codes.tolist(), strict=True)
        assert points.tolist() == mdl_by_hand(list(rows))


def test_columns_without_cuts() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": [0.0] * 100 + [1.0] * 100, "c": ["a"] * 100 + ["b"] * 100})
    frame["y"] += rng.normal(size=200) * 0.1
    with pytest.raises(DataError, match=r"finds no cut in 1 of 2 columns \('x'\).*without_cuts='drop'"):
        discretize(frame, method="mdl", target="c")
    assert list(discretize(frame, method="mdl", target="c", without_cuts="drop").columns) == ["y", "c"]
    halved = Dataset.from_dataframe(discretize(frame, method="mdl", target="c", without_cuts="median"))
    assert np.bincount(halved.codes[0]).tolist() == [100, 100]


# ---- The others


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30), st.integers(2, 5), st.sampled_from([1, 10, 100]))
def test_equal_width_is_exact_in_decimals(digits: list[int], bins: int, scale: int) -> None:
    digits = [*digits, min(digits) + bins * 3]  # so that boundaries are hit
    values = [f"{d / scale:.2f}" for d in digits]
    column = pd.DataFrame({"x": [float(v) for v in values]})
    (points,) = find_cuts(column, method="width", bins=bins, columns=["x"]).values()
    exact = [Fraction(v) for v in values]
    low, width = min(exact), max(exact) - min(exact)
    expected = [sum(v > low + width * k / bins for k in range(1, bins)) for v in exact]
    assert np.searchsorted(points, column["x"], side="left").tolist() == expected


def test_quantiles_share_the_rows() -> None:
    frame = pd.DataFrame({"x": np.arange(90.0), "c": ["a", "b"] * 45})
    data = Dataset.from_dataframe(discretize(frame, method="quantile", bins=3))
    assert np.bincount(data.codes[0]).tolist() == [30, 30, 30]
    assert data.states[0] == ("(-inf,29]", "(29,59]", "(59,inf)")
    tied = pd.DataFrame({"x": [0.0] * 80 + [*np.arange(1.0, 31.0)], "c": ["a", "b"] * 55})
    assert Dataset.from_dataframe(discretize(tied, method="quantile", bins=4)).states[0] == (
        "(-inf,0]",
        "(0,3]",
        "(3,inf)",
    )


def test_k_means_finds_the_groups() -> None:
    x = np.concatenate([np.linspace(0, 1, 20), np.linspace(10, 11, 50), np.linspace(50, 51, 5)])
    table = Table.from_dataframe(pd.DataFrame({"x": x, "c": ["a", "b", "a"] * 25}))
    (points,) = find_cuts(table, method="kmeans", bins=3).values()
    np.testing.assert_allclose(points, [5.5, 30.5])
    assert np.bincount(discretize(table, method="kmeans", bins=3).to_dataset().codes[0]).tolist() == [20, 50, 5]


def test_k_means_is_no_worse_than_scikit_learns_binning() -> None:
    from sklearn.preprocessing import KBinsDiscretizer

    def spread(values: np.ndarray, points: np.ndarray) -> float:
        groups = np.searchsorted(points, values)
        return sum(float(((g := values[groups == k]) - g.mean()) @ (g - g.mean())) for k in np.unique(groups))

    for seed in range(5):
        x = np.random.default_rng(seed).gamma(2.0, size=(300, 1))
        theirs = KBinsDiscretizer(4, strategy="kmeans", encode="ordinal", subsample=None).fit(x).bin_edges_[0][1:-1]
        (points,) = find_cuts(pd.DataFrame({"x": x[:, 0]}), method="kmeans", bins=4).values()
        assert spread(x[:, 0], points) <= spread(x[:, 0], theirs) * 1.001


@given(st.lists(st.integers(0, 12), min_size=2, max_size=9), st.integers(2, 4), st.sampled_from([0, 10**9]))
def test_k_means_is_the_best_of_all_ways_to_part_the_values(whole: list[int], clusters: int, shift: int) -> None:
    values = np.array(whole, dtype=float) + shift
    distinct = np.unique(values)
    if len(distinct) < 2:
        return

    def spread(points: np.ndarray) -> float:
        groups = np.searchsorted(points, values)
        return sum(float(((values[groups == k] - values[groups == k].mean()) ** 2).sum()) for k in np.unique(groups))

    middles = 0.5 * (distinct[1:] + distinct[:-1])
    wanted = min(clusters, len(distinct)) - 1
    best = min(spread(np.array(points)) for points in itertools.combinations(middles, wanted))
    found = cluster_cuts(values, clusters)
    assert len(found) == wanted and spread(found) <= best + 1e-6


def test_empty_intervals_count_only_if_asked() -> None:
    frame = pd.DataFrame({"x": [0.0, 0.1, 0.2, 10.0], "c": list("abab")})
    assert Dataset.from_dataframe(discretize(frame, method="width", columns=["x"])).arities[0] == 2
    kept = discretize(frame, method="width", columns=["x"], keep_empty=True)
    assert Dataset.from_dataframe(kept).arities[0] == 3


def test_new_data_are_cut_as_the_old() -> None:
    old = Table.from_dataframe(pd.DataFrame({"x": np.arange(30.0), "c": ["a", "b"] * 15}))
    new = Table.from_dataframe(pd.DataFrame({"x": [-5.0, 9.75, 100.0, None], "c": list("abab")}))
    cuts = find_cuts(old, method="width")
    column = apply_cuts(new, cuts).column("x")
    assert column.labels == ("(-inf,9.66667]", "(9.66667,19.3333]", "(19.3333,inf)")
    assert column.codes.tolist() == [0, 1, 2, 3]
    for wrong in ([1.0, 1.0], [2.0, 1.0], [np.nan], [[1.0]]):
        with pytest.raises(OptionError, match="ascending"):
            apply_cuts(new, {"x": wrong})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="does not hold numbers"):
        apply_cuts(new, {"c": [1.0]})


def test_weights_count() -> None:
    frame = pd.DataFrame({"x": np.arange(30.0), "c": ["a", "b"] * 15})
    weights = np.where(np.arange(30) < 3, 100, 1)
    weighted = find_cuts(Table.from_dataframe(frame, counts=weights), method="quantile")
    repeated = find_cuts(frame.loc[frame.index.repeat(weights)], method="quantile")
    assert weighted["x"].tolist() == repeated["x"].tolist()


def test_close_cuts_get_enough_digits() -> None:
    frame = pd.DataFrame({"x": 1e6 + np.arange(30) / 1e4, "c": ["a", "b"] * 15})
    labels = Table.from_dataframe(discretize(frame, method="width", bins=5)).column("x").labels
    assert len(set(labels)) == 5


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"method": "mld"}, OptionError, "unknown discretisation method 'mld'; did you mean 'mdl'"),
        ({"method": "mdl"}, OptionError, "Name the class column: target=, or use 'width'"),
        (
            {"method": "mdl", "target": "clas"},
            DataError,
            "target= names the unknown column 'clas'; did you mean 'class'",
        ),
        ({"method": "mdl", "target": "x"}, DataError, "the target 'x' holds numbers with 30 distinct"),
        ({"method": "mdl", "target": "class", "columns": ["class"]}, OptionError, "cannot be among"),
        ({"method": "width", "bins": 1}, OptionError, "bins=1"),
        ({"method": "width", "bins": 2.5}, OptionError, "bins=2.5"),
        ({"method": "width", "columns": ["class"]}, DataError, "does not hold numbers"),
        ({"method": "width", "columns": ["one"]}, DataError, "one distinct value, '7'"),
        ({"method": "width", "columns": ["z"]}, DataError, "columns= names the unknown column 'z'"),
        ({"method": "width", "columns": "x"}, OptionError, r"\['x'\]"),
        ({"method": "width", "without_cuts": "drp"}, OptionError, "did you mean 'drop'"),
    ],
)
def test_mistakes(options: dict[str, object], kind: type[ArcwiseError], message: str) -> None:
    frame = pd.DataFrame({"x": np.arange(30.0), "y": [None, *np.arange(29.0)], "class": ["a", "b"] * 15, "one": 7})
    with pytest.raises(kind, match=message):
        discretize(frame, **options)  # type: ignore[call-overload]


@pytest.mark.parametrize("method", ["mdl", "width", "quantile", "kmeans", "mean"])
def test_cut_points_come_from_the_values_that_are_there_and_gaps_stay(method: str) -> None:
    rng = np.random.default_rng(1)
    whole = pd.DataFrame({"x": rng.normal(size=200), "class": np.repeat(["a", "b"], 100)})
    whole.loc[100:, "x"] += 3
    gaps = rng.random(200) < 0.3
    with_gaps = whole.assign(x=whole["x"].where(~gaps))
    options = {"method": method, "target": "class" if method == "mdl" else None, "columns": ["x"]}
    expected = find_cuts(whole[~gaps], **options)["x"]
    assert find_cuts(with_gaps, **options)["x"].tolist() == expected.tolist()
    cut = discretize(Table.from_dataframe(with_gaps), **options)
    assert cut.column("x").is_missing.tolist() == gaps.tolist()


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=30, unique=True), st.integers(2, 6))
def test_rounded_cuts_leave_every_value_where_it_was(values: list[float], bins: int) -> None:
    numbers = np.array([*values, math.nan])
    cuts = equal_width(numbers[:-1], bins)
    assert (intervals_of(numbers[:-1], rounded(cuts, numbers)) == intervals_of(numbers[:-1], cuts)).all()


def test_cuts_are_rounded_to_what_separates_the_values() -> None:
    values = np.array([12.1, 12.29, 12.5, 640.0, 655.5])
    assert rounded(np.array([12.29612, 654.88913]), values).tolist() == [12.3, 655.0]
    assert rounded(np.array([12.2951, 12.2952]), values).tolist() == [12.2951, 12.2952]  # nothing lies between them
