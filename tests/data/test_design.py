"""Rows that belong together: what they are worth, and that they are drawn, shuffled and kept as wholes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcwise import Dataset
from arcwise.base.errors import DataError, OptionError
from arcwise.counts import contingency
from arcwise.data import Table, read_data, read_table
from arcwise.data.dataset import Incomplete, stack
from arcwise.data.design import Design, drawn_rows, exchanged_rows, intraclass
from arcwise.graph import Dag
from arcwise.local import hill_climb
from arcwise.model import fit_parameters
from arcwise.scores import make_score


def clusters(groups: int, size: int, *, columns: int = 4, copied: float = 0.6, seed: int = 0) -> Dataset:
    """Rows of groups, of which a share is the row of the group and the others are drawn anew."""
    rng = np.random.default_rng(seed)
    own = rng.integers(0, 3, (groups * size, columns))
    of_group = np.repeat(rng.integers(0, 3, (groups, columns)), size, axis=0)
    codes = np.where((rng.random(groups * size) < copied)[:, None], of_group, own)
    states = [["a", "b", "c"]] * columns
    return Dataset.from_codes(codes, states=states).with_groups(np.repeat(np.arange(groups), size))


def by_groups(data: Dataset) -> dict[int, NDArray[np.int64]]:
    """The rows of each group that count, sorted."""
    whole, found = data.expand(), {}
    assert whole.design is not None
    for group in range(whole.design.n_groups):
        rows = whole.codes[:, whole.design.groups == group].T
        found[group] = rows[np.lexsort(rows.T)]
    return found


# ---- What rows are worth


def test_the_intraclass_correlation_is_that_of_an_analysis_of_variance() -> None:
    # Of a column with two states it is the textbook's, of 0 and 1: here by scipy's F test.
    from scipy.stats import f_oneway

    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), rng.integers(2, 9, 30))
    values = (rng.random(len(groups)) < rng.beta(1, 1, 30)[groups]).astype(int)
    data = Dataset.from_codes(np.column_stack([values, rng.integers(0, 2, len(groups))])).with_groups(groups)
    ratio = f_oneway(*(values[groups == g] for g in range(30))).statistic
    sizes = np.bincount(groups)
    usual = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / 29
    assert data.design is not None
    assert intraclass(data, data.design)[0] == pytest.approx((ratio - 1) / (ratio + usual - 1))


def test_copies_are_worth_one_row_and_independent_rows_each_one() -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 3, (200, 6))
    tripled = Dataset.from_codes(np.repeat(rows, 3, axis=0)).with_groups(np.repeat(np.arange(200), 3))
    assert tripled.n_cases == 600
    assert tripled.n_effective == 200
    assert tripled.worths is not None
    assert tripled.worths == pytest.approx(np.full(600, 1 / 3))
    mixed = Dataset.from_codes(rng.integers(0, 3, (600, 6))).with_groups(np.repeat(np.arange(200), 3))
    assert mixed.n_effective > 540
    alone = Dataset.from_codes(rows).with_groups(np.arange(200))
    assert alone.n_effective == 200


def test_what_rows_are_worth_is_what_their_mean_says() -> None:
    # Kish: the variance of a mean over N rows in groups is that over n_effective independent ones.
    shares, worth = [], []
    for seed in range(300):
        data = clusters(40, 10, columns=6, seed=seed)
        shares.append(float(np.mean(data.codes[0] == 0)))
        worth.append(data.n_effective)
    assert np.var(shares) == pytest.approx((1 / 3) * (2 / 3) / np.mean(worth), rel=0.25)


def test_weights_count_as_rows_of_the_group() -> None:
    data = clusters(30, 4)
    collapsed = data.collapse()
    assert collapsed.n_rows < data.n_rows
    assert collapsed.n_effective == data.n_effective
    assert collapsed.worths is not None
    assert data.worths is not None
    assert collapsed.worths.sum() == pytest.approx(data.worths.sum())


# ---- Draws


def test_a_sample_has_whole_groups_and_of_each_what_it_is_worth() -> None:
    data = clusters(50, 8)
    assert data.worths is not None
    assert data.design is not None
    worth, groups = data.worths.reshape(50, 8).sum(axis=1), data.design.groups
    total = 0
    for seed in range(200):
        own = np.bincount(groups, drawn_rows(groups, data.worths, np.random.default_rng(seed), None), minlength=50)
        times = own / worth
        # A group that is drawn k times gives k times its worth, rounded; about one in e is not drawn.
        assert np.all(np.abs(own - np.round(times) * worth) < np.maximum(np.round(times), 1))
        assert 0.2 < np.mean(own == 0) < 0.55
        total += own.sum()
    assert total / 200 == pytest.approx(data.n_effective, rel=0.05)


def test_a_share_is_drawn_without_replacement() -> None:
    data = clusters(50, 8, copied=1.0)  # worth one row a group
    for seed in range(20):
        sample = data.subsample(0.7, seed)
        assert sample.design is None
        assert sample.n_cases in (34, 35, 36)
        assert sample.weights is not None
        assert data.design is not None
        assert np.bincount(data.design.groups, sample.weights).max() == 1


def test_each_row_is_as_likely_to_be_drawn() -> None:
    data = clusters(20, 5)
    drawn = sum(data.resample(seed).native_weights for seed in range(4000)) / 4000
    assert data.worths is not None
    assert np.abs(drawn - data.worths).max() < 5 * np.sqrt(data.worths.max() / 4000 * 2)


def test_samples_of_the_experiments_keep_their_sizes() -> None:
    data = clusters(40, 5, copied=1.0).with_targets(["X0"] * 100 + [None] * 100)
    for seed in range(10):
        sample = data.resample(seed)
        assert sample.targets is not None
        assert sample.weights is not None
        assert np.bincount(sample.targets.of_row, sample.weights).tolist() == [20, 20]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(0, 99), st.sampled_from([None, 0.3, 1.0]))
def test_any_groups_can_be_drawn(labels: list[int], seed: int, share: float | None) -> None:
    rng = np.random.default_rng(seed)
    worths = rng.random(len(labels)) * rng.integers(0, 2, len(labels))
    worths[0] = 0.5
    groups = np.array(labels, dtype=np.int32)
    drawn = drawn_rows(groups, worths, rng, share)
    assert drawn.sum() > 0
    assert not drawn[worths == 0].any()


def test_independent_rows_are_what_groups_are_worth() -> None:
    data = clusters(50, 8)
    alone = data.independent()
    assert alone.design is None
    assert abs(alone.n_cases - data.n_effective) <= 1
    assert alone.digest == data.independent().digest
    plain = data.with_groups(None)
    assert plain.independent() is plain


# ---- Shuffles


@settings(max_examples=60)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=80), st.integers(0, 99))
def test_groups_exchange_their_values(sizes: list[int], seed: int) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
    given_by = groups[exchanged_rows(groups, np.random.default_rng(seed))]
    source = {}
    for group, other in zip(groups.tolist(), given_by.tolist(), strict=True):
        assert source.setdefault(group, other) == other  # a group has its values from one group
    assert sorted(source.values()) == list(range(len(sizes)))


def test_what_a_column_has_in_common_within_groups_survives_a_shuffle() -> None:
    data = clusters(60, 6)
    shuffled = data.permute_columns(seed=3)
    assert shuffled.design is not None
    assert data.design is not None
    for v in range(4):  # groups are of one size: the same values
        assert np.bincount(shuffled.codes[v]).tolist() == np.bincount(data.codes[v]).tolist()
    assert intraclass(shuffled, shuffled.design) == pytest.approx(intraclass(data, data.design))
    gaps = Incomplete(data, np.zeros((4, 360), dtype=bool)).permute_columns(seed=3)
    assert gaps.held.design is not None
    assert intraclass(gaps.held, gaps.held.design) == pytest.approx(intraclass(data, data.design))


# ---- Shapes


def test_groups_stay_with_their_rows() -> None:
    data = clusters(12, 5)
    groups = by_groups(data)
    assert data.design is not None
    for made in (
        data.collapse(),
        data.collapse().expand(),
        data.take(np.arange(60)[::-1]).take(np.arange(60)[::-1]),
        data.select(data.names),
        data.with_targets([None] * 60),
    ):
        assert all(np.array_equal(rows, groups[g]) for g, rows in by_groups(made).items())
    for part in data.split(0.5, seed=1):
        assert part.design is not None
        assert part.n_cases == 5 * part.design.n_groups
    both = stack([data, data.with_groups(None)])
    assert both.design is not None
    assert both.design.n_groups == 12 + 60
    assert data.design.tile(2).n_groups == 24


def test_a_split_keeps_groups_together() -> None:
    data = clusters(12, 5, copied=1.0)
    first, second = data.split(0.3, seed=2)
    assert (first.n_cases, second.n_cases) == (20, 40)


def test_the_digest_tells_groups() -> None:
    data = clusters(12, 5)
    assert data.digest != data.with_groups(None).digest
    assert data.design is not None
    relabelled = data.with_groups([f"g{99 - g}" for g in data.design.groups])
    assert relabelled.digest == data.digest


def test_gaps_are_drawn_with_their_groups() -> None:
    data = clusters(40, 5, copied=1.0)
    missing = np.random.default_rng(1).random((4, 200)) < 0.1
    drawn = Incomplete(data, missing).resample(seed=1)
    assert drawn.n_cases in (39, 40, 41)
    assert drawn.held.design is None


# ---- Files and frames


def test_the_column_of_groups_is_no_variable() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 6, "who": [f"p{k // 3}" for k in range(12)], "b": ["u", "u", "v"] * 4})
    data = Dataset.from_dataframe(frame, groups="who")
    assert data.names == ("a", "b")
    assert data.design is not None
    assert data.design.groups.tolist() == np.repeat(np.arange(4), 3).tolist()
    assert data.design.name == "who"
    with pytest.raises(DataError, match="column"):
        Dataset.from_dataframe(frame, groups="whom")
    frame.loc[3, "who"] = None
    with pytest.raises(DataError, match="1 of its values are missing"):
        Dataset.from_dataframe(frame, groups="who")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arff"])
def test_files_keep_groups(tmp_path: Path, suffix: str) -> None:
    data = clusters(12, 5)
    path = tmp_path / f"data.{suffix}"
    data.to_file(path)
    read = read_data(path, groups="groups")
    assert read.names == data.names
    assert read.design is not None
    assert data.design is not None
    assert read.design.groups.tolist() == data.design.groups.tolist()
    assert read_table(path, groups="#5", columns=["X0", "X1"]).design is not None


def test_groups_that_do_not_fit_are_refused() -> None:
    data = clusters(12, 5)
    with pytest.raises(DataError, match="groups of 3 rows do not fit 60 rows"):
        data.with_groups([1, 2, 3])
    with pytest.raises(DataError, match="the group of row 2 is missing"):
        data.with_groups([1, 2, float("nan")])
    with pytest.raises(DataError, match="one number per row"):
        Design(np.array([0.5, 1.0]))  # type: ignore[arg-type]


# ---- Surveys


def survey(rows: int = 400, seed: int = 0, spread: float = 0.8) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, 4))
    codes[:, 1] = np.where(rng.random(rows) < 0.6, codes[:, 0], codes[:, 1])
    return Dataset.from_codes(codes).with_survey(np.exp(rng.normal(0, spread, rows)))


def test_kish_counts_what_weighted_rows_tell() -> None:
    data = survey()
    assert data.design is not None
    weights = data.design.weights
    assert weights is not None
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert data.n_effective == round(effective)
    assert data.worths == pytest.approx(weights * effective / weights.sum())
    even = data.with_survey(np.full(400, 7.5))
    assert even.n_effective == 400
    assert even.worths == pytest.approx(np.ones(400))
    # The variance of a weighted mean is that over so many independent cases.
    means = [np.average(one.codes[0] == 0, weights=one.worths) for one in (survey(200, seed) for seed in range(800))]
    worth = np.mean([survey(200, seed).n_effective for seed in range(50)])
    assert np.var(means) == pytest.approx((1 / 3) * (2 / 3) / worth, rel=0.15)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=3, max_size=40).filter(any), st.integers(0, 99))
def test_weights_that_count_rows_give_the_shares_of_repeated_rows(counts: list[int], seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 2, (len(counts), 3))
    states = [["0", "1"]] * 3
    weighted = Dataset.from_codes(codes, states=states).with_survey(np.array(counts) * 0.37)
    repeated = Dataset.from_codes(np.repeat(codes, counts, axis=0), states=states)
    assert weighted.worths is not None
    assert contingency(weighted, [2, 0]) * (repeated.n_cases / weighted.worths.sum()) == pytest.approx(
        contingency(repeated, [2, 0])
    )
    dag = Dag.from_arcs(["X0", "X1", "X2"], [("X0", "X1"), ("X1", "X2")])
    both = (fit_parameters(dag, one, estimator="mle") for one in (weighted, repeated))
    for mine, theirs in zip(*(network.tables for network in both), strict=True):
        assert mine == pytest.approx(theirs, nan_ok=True)


def test_whole_cases_keep_the_totals() -> None:
    data = survey(500, seed=4)
    assert data.worths is not None
    assert data.native_weights.sum() == data.n_effective
    assert np.abs(data.native_weights - data.worths).max() < 1
    # Rows are rounded in the order of their content: of the first variables together, hardly anything is lost.
    table = np.zeros((3, 3))
    np.add.at(table, (data.codes[0], data.codes[1]), data.native_weights)
    assert np.abs(table - contingency(data, [0, 1])).max() < 1
    alone = data.independent()
    assert alone.design is None
    assert alone.n_cases == data.n_effective


def test_samples_draw_rows_by_their_weights() -> None:
    data = survey(60)
    assert data.worths is not None
    for draw in (data.resample, lambda seed: data.subsample(0.7, seed)):
        drawn = np.array([draw(seed).native_weights for seed in range(3000)])
        share = drawn.sum() / 3000 / data.worths.sum()
        assert share in (pytest.approx(1.0, abs=0.03), pytest.approx(0.7, abs=0.03))
        assert drawn.mean(axis=0) == pytest.approx(data.worths * share, abs=0.12)


@pytest.mark.parametrize("seed", range(10))
def test_what_rows_of_a_survey_are_worth_does_not_depend_on_the_order_of_columns(seed: int) -> None:
    """Worths are rounded row by row in the order of their content; searches put the variables into another order."""
    data = survey(60, seed)
    other = data.select(data.names[::-1])
    assert data.native_weights.tolist() == other.native_weights.tolist()
    found = hill_climb(data, score="bic", progress=False)
    assert found.score == pytest.approx(make_score("bic").score_network(data, found.dag), abs=1e-9)


def test_a_column_that_varies_in_rows_without_weight_alone_is_constant() -> None:
    """Three such columns would be joined, with certainty, since the prior alone has a say."""
    codes = np.zeros((40, 3), dtype=int)
    codes[:4] = [[1, 1, 1], [1, 1, 1], [1, 0, 0], [0, 0, 1]]
    data = Dataset.from_codes(codes, names=list("abc")).with_survey(np.arange(40) >= 4)
    assert data.constant.all()
    assert hill_climb(data, score="bdeu:ess=10", progress=False).dag.n_arcs == 0


def test_clusters_of_a_survey_lose_by_both() -> None:
    data = clusters(60, 5, copied=1.0)  # each group is worth a row
    weighted = data.with_survey(np.repeat(np.arange(1.0, 61.0), 5))
    assert weighted.n_effective == round(np.arange(1, 61).sum() ** 2 / (np.arange(1, 61) ** 2).sum())
    assert weighted.design is not None
    assert weighted.take([0, 7, 7]).design.weights.tolist() == [1.0, 2.0, 2.0]  # type: ignore[union-attr]
    first = weighted.split(0.5, seed=1)[0]
    assert first.design is not None
    assert first.design.n_groups * 5 == first.n_rows


@pytest.mark.parametrize(
    ("kind", "constant"), [("bootstrap", 1.0), ("halves", 1.0), ("fay", 4.0), ("jackknife", 59.0 * 59 / 60)]
)
def test_replicate_weights_move_figures_as_their_variance_says(kind: str, constant: float) -> None:
    rng = np.random.default_rng(1)
    rows, count = 60, 60 if kind == "jackknife" else 400
    weights = rng.uniform(1, 4, rows)
    factors = {
        "bootstrap": lambda: rng.multinomial(rows, [1 / rows] * rows),
        "halves": lambda: np.where(np.repeat(rng.random(30) < 0.5, 2) == (np.arange(rows) % 2 == 0), 2.0, 0.0),
        "fay": lambda: np.where(np.repeat(rng.random(30) < 0.5, 2) == (np.arange(rows) % 2 == 0), 1.5, 0.5),
    }
    if kind == "jackknife":
        replicates = weights * (1 - np.eye(rows)) * rows / (rows - 1)
    else:
        replicates = weights * np.array([factors[kind]() for _ in range(count)])
    design = Design(np.arange(rows), weights=weights, replicates=replicates)
    values = rng.normal(size=rows)

    def variance(drawn: Sequence[NDArray[np.float64]]) -> float:
        each = np.array([np.average(values, weights=own) for own in drawn])
        return float(np.mean((each - np.average(values, weights=weights)) ** 2))

    moved = variance([design.perturbed(rng) for _ in range(3000)])
    assert moved == pytest.approx(constant * variance(list(replicates)), rel=0.12)


def test_networks_are_drawn_by_replicate_weights() -> None:
    data = survey(200)
    assert data.design is not None
    only = np.zeros((2, 200))
    only[0, :120], only[1, 80:] = 1.0, 1.0
    drawn = data.with_survey(data.design.weights, only * data.design.weights)  # type: ignore[arg-type, operator]
    for seed in range(10):
        rows = np.flatnonzero(drawn.resample(seed).native_weights)
        assert rows.max() < 120 or rows.min() >= 80
        assert drawn.resample(seed).n_cases == pytest.approx(drawn.n_effective, abs=1)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arff"])
def test_files_keep_survey_weights(tmp_path: Path, suffix: str) -> None:
    data, path = survey(50), tmp_path / f"data.{suffix}"
    assert data.design is not None
    weights = data.design.weights
    assert weights is not None
    data = data.with_survey(weights, np.array([weights * 2, weights / 3]))
    data.to_file(path)
    read = read_data(path, weights="weights", replicate_weights=["replicate weights *"])
    assert read.digest == data.digest
    alone = read_data(path, weights="weights", drop=["replicate weights 1", "replicate weights 2"])
    assert alone.n_effective == data.n_effective


def test_survey_weights_that_are_none_are_refused() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 6, "b": ["u", "u", "v"] * 4, "w": [-1.0] + [2.5] * 11, "t": ["q"] * 12})
    table = Table.from_dataframe(frame)
    with pytest.raises(DataError, match="the survey weight of row 0 is -1; it must be a number >= 0"):
        table.with_survey("w")
    with pytest.raises(DataError, match="column 't' cannot weigh the rows of a survey"):
        table.with_survey("t")
    with pytest.raises(DataError, match=r"no column is called 'rep\*'"):
        table.with_survey("w", ["rep*"])
    with pytest.raises(OptionError, match="go with survey weights"):
        table.with_design(None, None, ["w"])
    data = Dataset.from_dataframe(frame[["a", "b"]])
    with pytest.raises(DataError, match="all survey weights are 0"):
        data.with_survey(np.zeros(12))
    with pytest.raises(DataError, match=r"shape \(3,\) do not fit 12 rows"):
        data.with_survey([1, 2, 3])
    with pytest.raises(DataError, match="cannot be stacked"):
        stack([data, data.with_survey(np.ones(12))])
