"""Regressions and pictures of edges: values of scipy and statsmodels, and what has none."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.analysis.test_as_they_are import quick, trial

from arcwise.analysis import explain_folder
from arcwise.analysis.analysis import Analysis
from arcwise.data.column import VariableKind
from arcwise.data.mixed import MixedData
from arcwise.findings.edge_picture import MOST_POINTS, Boxes, Scatter, picture_of, quantiles_of, smooth
from arcwise.findings.edge_record import REGRESSED
from arcwise.findings.regression import Regressions, Shape


def table(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    colour = rng.integers(0, 3, rows)
    size = 1e6 + 3 * rng.normal(size=rows)  # far from 0
    bent = (size - 1e6) ** 2 + rng.normal(size=rows)
    weight = 2 * (size - 1e6) + np.array([0, 5, -1])[colour] + rng.normal(size=rows)
    columns = {"colour": np.array(["blue", "green", "red"])[colour], "size": size, "bent": bent, "weight": weight}
    return pd.DataFrame({**columns, "ill": np.where(weight + rng.normal(size=rows) > 0, "yes", "no")})


@pytest.fixture(scope="module")
def found() -> Regressions:
    return Regressions(MixedData.from_dataframe(table()))


def least_squares(y: np.ndarray, columns: list[np.ndarray]) -> tuple[np.ndarray, float]:
    x = np.column_stack([np.ones(len(y)), *(own - own.mean() for own in columns)])
    slopes = np.linalg.lstsq(x, y, rcond=None)[0]
    return slopes, float(((y - x @ slopes) ** 2).sum())


def test_two_numbers_are_as_scipy_has_them(found: Regressions) -> None:
    frame = table()
    one = found.of("size", "weight", ("size",))
    assert one is not None
    law = stats.linregress(frame["size"], frame["weight"])
    assert one.slope == pytest.approx(law.slope, rel=1e-9)
    assert one.t == pytest.approx(law.slope / law.stderr, rel=1e-9)
    assert one.partial == pytest.approx(law.rvalue, rel=1e-9)
    assert (one.outcome, one.of, one.given, one.compared, one.freedom) == ("weight", "size", (), (), 298)
    back = found.of("weight", "size", ("weight",))
    assert back is not None and back.t == pytest.approx(one.t)


def test_other_parents_are_held_fixed(found: Regressions) -> None:
    frame = table()
    one = found.of("size", "weight", ("colour", "size"))
    assert one is not None and one.given == ("colour",)
    states = [(frame["colour"] == state).to_numpy(float) for state in ("green", "red")]
    y, size = frame["weight"].to_numpy(), frame["size"].to_numpy()
    slopes, left = least_squares(y, [*states, size])
    before = least_squares(y, states)[1]
    assert one.slope == pytest.approx(slopes[-1], rel=1e-8)
    assert one.partial == pytest.approx(math.sqrt(1 - left / before), rel=1e-8)
    assert one.t == pytest.approx(math.sqrt((before - left) / left * 296), rel=1e-8)


def test_a_category_of_three_states_has_f(found: Regressions) -> None:
    frame = table()
    groups = [own["weight"] for _, own in frame.groupby("colour")]
    law = stats.f_oneway(*groups)
    for ends in (("colour", "weight"), ("weight", "colour")):
        one = found.of(*ends, ())
        assert one is not None
        assert one.f == pytest.approx(law.statistic, rel=1e-9) and math.isnan(one.slope)
        assert one.compared == ("blue", "green", "red")
        means = [own.mean() for own in groups]
        assert one.shifts == pytest.approx((means[1] - means[0], means[2] - means[0]), rel=1e-7)


def test_a_category_of_two_states_has_a_difference(found: Regressions) -> None:
    frame = table()
    one = found.of("weight", "ill", ())
    law = stats.ttest_ind(*(frame["weight"][frame["ill"] == state] for state in ("yes", "no")))
    assert one is not None
    assert one.t == pytest.approx(law.statistic, rel=1e-9) and one.slope == one.shifts[0] > 0


def test_what_is_no_line_is_told(found: Regressions) -> None:
    bent, line = found.of("size", "bent", ()), found.of("size", "weight", ())
    assert bent is not None and line is not None
    assert bent.shape is Shape.CURVE and bent.figures[0] < 0.05 and bent.figures[1] > 0.9
    assert line.shape is Shape.LINE
    back = found.of("bent", "size", ())
    assert back is not None and back.shape is Shape.TURNED and back.figures == pytest.approx(bent.figures)


def test_what_shows_an_edge_in_place_of_a_slope() -> None:
    rng = np.random.default_rng(6)
    group, x = rng.integers(0, 2, 400), rng.normal(size=400)
    wide = rng.normal(size=400) * np.where(group, 1, 3)
    far = np.where(np.arange(400) == 0, 4000, x + rng.normal(size=400))  # one case decides the slope
    frame = pd.DataFrame({"group": np.array(["a", "b"])[group], "x": x, "wide": wide, "far": far})
    found = Regressions(MixedData.from_dataframe(frame.assign(noise=rng.normal(size=400))))

    def shape(tail: str, head: str) -> Shape | None:
        one = found.of(tail, head, ())
        return None if one is None else one.shape

    assert shape("group", "wide") is Shape.SPREAD
    assert shape("x", "far") is Shape.RANKS
    assert shape("x", "noise") is Shape.NOTHING
    one = found.of("x", "far", ())
    assert one is not None and one.figures[1] > 0.6


def test_weights_copies_and_what_was_set() -> None:
    frame = table(120)
    once = MixedData.from_dataframe(frame)
    twice = MixedData.from_dataframe(pd.concat([frame, frame], ignore_index=True))
    weighted = MixedData.from_dataframe(frame.assign(n=2), counts="n")
    plain, copies = Regressions(once).of("size", "weight", ()), Regressions(twice, 2).of("size", "weight", ())
    doubled, counted = (Regressions(data).of("size", "weight", ()) for data in (twice, weighted))
    assert plain is not None and copies is not None and doubled is not None and counted is not None
    assert copies.t == pytest.approx(plain.t) and counted.t == pytest.approx(doubled.t)
    assert counted.t == pytest.approx(plain.t * math.sqrt(238 / 118))
    some = once.with_targets([["weight"] if k % 2 else None for k in range(120)])
    half = Regressions(some).of("size", "weight", ())
    assert half is not None
    law = stats.linregress(frame["size"][::2], frame["weight"][::2])
    assert half.t == pytest.approx(law.slope / law.stderr, rel=1e-9)
    assert picture_of(some, "size", "weight") == picture_of(once.take(np.arange(0, 120, 2)), "size", "weight")


def test_what_cannot_be_regressed_is_left_out() -> None:
    frame = table(60).assign(
        copy=lambda f: f["size"], mark=lambda f: (f["weight"] > 0).astype(int).map({0: "a", 1: "b"})
    )
    found = Regressions(MixedData.from_dataframe(frame))
    assert found.of("ill", "mark", ()) is None  # no number
    assert found.of("copy", "weight", ("size", "copy")) is None  # nothing of its own
    assert found.of("size", "weight", ("copy", "bent")) is None
    few = Regressions(
        MixedData.from_dataframe(
            table(4)[["size", "weight", "bent"]], kinds=dict.fromkeys(("size", "weight", "bent"), "number")
        )
    )
    assert few.of("size", "weight", ("bent",)) is not None
    assert Regressions(few.data.take([0, 1, 2])).of("size", "weight", ("bent",)) is None  # no case left over


def test_local_lines_are_those_of_statsmodels() -> None:
    x = np.arange(1.0, 13)
    y = x**2 - 10 * np.sin(x)
    # statsmodels 0.15: lowess(y, x, frac=.6, it=0, delta=0, xvals=[2.5, 6, 11])
    expected = [4.701934050630281, 38.65690661899182, 127.77757404584509]
    assert smooth(x, y, np.array([2.5, 6.0, 11.0]), np.ones(12)) == pytest.approx(expected, rel=1e-12)
    most_at_one_place = np.array([0.0] * 8 + [5, 6, 7, 8])
    assert smooth(most_at_one_place, y, np.array([0.0]), np.ones(12)) == pytest.approx(y[:8].mean())


def test_a_picture_has_the_cases() -> None:
    frame = table()
    data = MixedData.from_dataframe(frame)
    one = picture_of(data, "size", "weight")
    assert isinstance(one, Scatter)
    assert one.points == tuple(zip(frame["size"], frame["weight"], strict=True)) and not one.cells
    many = MixedData.from_dataframe(table(MOST_POINTS + 1))
    cells = picture_of(many, "size", "weight")
    assert isinstance(cells, Scatter) and not cells.points
    assert MOST_POINTS - 8 < sum(count for _, _, count in cells.cells) <= MOST_POINTS + 1
    column, row, count = max(cells.cells, key=lambda cell: cell[2])
    ends = [np.linspace(*span, n + 1) for span, n in zip((cells.x_range, cells.y_range), cells.grid, strict=True)]
    x, y = many.scores("size"), many.scores("weight")
    inside = (x >= ends[0][column]) & (x < ends[0][column + 1]) & (y >= ends[1][row]) & (y < ends[1][row + 1])
    assert int(inside.sum()) == count
    assert picture_of(data, "colour", "ill") is None


def test_boxes_are_quantiles() -> None:
    frame = table()
    data = MixedData.from_dataframe(frame)
    found = picture_of(data, "weight", "colour")
    assert isinstance(found, Boxes) and (found.x, found.y) == ("colour", "weight")
    for state, cases, quantiles, mean in zip(found.states, found.cases, found.quantiles, found.means, strict=True):
        own = frame["weight"][frame["colour"] == state].to_numpy()
        shares = (0.05, 0.25, 0.5, 0.75, 0.95)
        assert cases == len(own) and mean == pytest.approx(own.mean())
        assert quantiles == pytest.approx(np.quantile(own, shares, method="inverted_cdf"))
    repeated = np.repeat(frame["weight"].to_numpy()[:5], [1, 4, 2, 1, 7])
    weighted = quantiles_of(frame["weight"].to_numpy()[:5], np.array([1.0, 4, 2, 1, 7]), (0.3, 0.9))
    assert weighted == pytest.approx(np.quantile(repeated, (0.3, 0.9), method="inverted_cdf"))


def test_every_edge_at_a_number_has_a_regression_in_the_file(tmp_path: Path) -> None:
    frame = trial()
    analysis: Analysis = quick(frame)
    folder = analysis.save(tmp_path / "out")
    told = {frozenset((one.edge.first, one.edge.second)): one for one in explain_folder(folder)}
    rows = pd.read_csv(folder / "edges.csv")
    for row, edge in zip(rows.itertuples(), analysis.edges, strict=True):
        assert edge.regression is not None
        assert (row.partial_correlation, row.t, row.slope) == pytest.approx(
            (edge.regression.partial, edge.regression.t, edge.regression.slope)
        )
        if edge.fate.in_network:
            one = told[frozenset((edge.first, edge.second))]
            assert {name: one.to_dict()[name] for name in REGRESSED}["t"] == pytest.approx(edge.regression.t)
            assert f"t = {edge.regression.t:.3g}" in one.words
    words = analysis.explain("arm", "final")
    assert "the mean of final is 3.38 higher with arm = yes than with arm = no (t = 8.65" in words


def test_without_numbers_there_is_none(tmp_path: Path) -> None:
    analysis = quick(table()[["colour", "ill"]])
    assert all(edge.regression is None for edge in analysis.edges)
    assert not set(REGRESSED) & set(analysis.to_frame(full=True))
    assert analysis.pictures == (None,) * len(analysis.edges)


def test_of_more_columns_than_rows_the_correlations_are_made_when_they_are_asked_for() -> None:
    """Thousands of numbers would fill memory with those of all pairs; rows of weight 0 ask for these."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(9, 25))
    values[1] += values[0]
    values[8] = np.arange(25) % 3
    kinds, states = (*[VariableKind.NUMBER] * 8, VariableKind.NOMINAL), (*[()] * 8, ("a", "b", "c"))
    names, weights = tuple(f"v{k}" for k in range(9)), rng.integers(1, 3, 25)
    wide = Regressions(MixedData(values, names, kinds, states, weights))
    more = np.concatenate([values, np.repeat(values[:, :1], 60, axis=1)], axis=1)
    all_pairs = Regressions(MixedData(more, names, kinds, states, np.concatenate([weights, np.zeros(60, dtype=int)])))
    for tail, head in itertools.permutations(names, 2):
        given = [name for name in names[:4] if name not in (tail, head)]
        one, other = wide.of(tail, head, given), all_pairs.of(tail, head, given)
        assert one is not None and other is not None
        assert (one.t, one.partial) == pytest.approx((other.t, other.partial), abs=1e-9)
    for made, shape in ((wide, (35, 25)), (all_pairs, (35, 35))):
        sums = made._sums[0]
        assert sums is not None and sums.made.shape == shape
