"""`MixedNetwork`: against least squares, numerical integration, closed forms and other libraries' regressions."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from arcwise.data.mixed import NOMINAL, NUMBER, ORDINAL, MixedData
from arcwise.errors import DataError, FormatError, OptionError
from arcwise.graph.dag import Dag
from arcwise.model.mixed_families import LinearFamily, LogisticFamily, TableFamily
from arcwise.model.mixed_network import MixedNetwork, NumberAnswer, StateAnswer, mixture_quantile

STATES = ("a", "b", "c")


def mixed_data(rows: int = 900, seed: int = 1) -> MixedData:
    """A nominal cause g of x and y, y a line in x that differs by g, and a class d of x and g."""
    rng = np.random.default_rng(seed)
    g = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    x = 100 + 5 * g + rng.normal(0, 4, rows)
    y = (
        np.array([3.0, -1.0, 0.0])[g]
        + np.array([0.5, 0.2, -0.4])[g] * x
        + rng.normal(0, [1.0, 2.0, 0.5], (rows, 3))[np.arange(rows), g]
    )
    odds = np.column_stack([np.zeros(rows), 0.3 * (x - 104) + 0.5 * (g == 1), -0.2 * (x - 104) - (g == 2)])
    d = (np.cumsum(np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True), axis=1) < rng.random((rows, 1))).sum(axis=1)
    return MixedData(
        np.array([g, x, y, d.astype(float)]),
        ("g", "x", "y", "d"),
        (NOMINAL, NUMBER, NUMBER, NOMINAL),
        (STATES, (), (), ("u", "v", "w")),
    )


DAG = Dag.from_arcs(["g", "x", "y", "d"], [("g", "x"), ("g", "y"), ("x", "y"), ("g", "d"), ("x", "d")])


def test_lines_are_those_of_least_squares_in_each_configuration() -> None:
    data = mixed_data()
    family = MixedNetwork.fit(DAG, data).family("y")
    assert isinstance(family, LinearFamily)
    for g in range(3):
        rows = data.codes("g") == g
        x, y = data.scores("x")[rows], data.scores("y")[rows]
        found = stats.linregress(x, y)
        residuals = y - found.intercept - found.slope * x
        np.testing.assert_allclose(family.coefficients[g], [found.intercept, found.slope], rtol=1e-8)
        # bnlearn: the standard error of the regression, with n - p degrees of freedom.
        np.testing.assert_allclose(family.spreads[g], np.sqrt((residuals**2).sum() / (rows.sum() - 2)), rtol=1e-10)


def test_weights_are_repeated_rows_and_set_cases_do_not_count() -> None:
    data = mixed_data(300)
    rng = np.random.default_rng(2)
    weighted = MixedData(data.values, data.names, data.kinds, data.states, rng.integers(0, 4, 300))
    first, second = MixedNetwork.fit(DAG, weighted), MixedNetwork.fit(DAG, weighted.expand())
    for own, other in zip(first.families, second.families, strict=True):
        for name, array in own.arrays().items():
            np.testing.assert_allclose(array, other.arrays()[name], rtol=1e-8, atol=1e-9)
    assert np.isclose(first.log_likelihood(weighted), second.log_likelihood(weighted.expand()), rtol=1e-9)
    half = np.arange(300) < 150
    found = MixedNetwork.fit(DAG, data.with_targets(["y" if own else None for own in half]))
    alone = MixedNetwork.fit(DAG, data.take(~half))
    np.testing.assert_allclose(found.family("y").arrays()["spreads"], alone.family("y").arrays()["spreads"])


def test_a_configuration_with_few_cases_takes_the_slopes_of_all() -> None:
    data = mixed_data()
    g = data.codes("g")
    kept = np.flatnonzero((g != 2) | (np.cumsum(g == 2) <= 4))
    few = data.take(kept)
    family = MixedNetwork.fit(DAG, few).family("y")
    assert isinstance(family, LinearFamily)
    columns = [np.ones(few.n_rows), few.scores("x"), few.codes("g") == 1, few.codes("g") == 2]
    pooled, rest, _, _ = np.linalg.lstsq(np.column_stack(columns), few.scores("y"), rcond=None)
    np.testing.assert_allclose(family.coefficients[2], [pooled[0] + pooled[3], pooled[1]], rtol=1e-6)
    np.testing.assert_allclose(family.spreads[2], np.sqrt(rest[0] / (few.n_rows - 4)), rtol=1e-8)
    unseen = MixedNetwork.fit(DAG, data.take(g != 2)).family("y")
    assert isinstance(unseen, LinearFamily)
    assert np.isfinite(unseen.coefficients).all()


def test_logistic_regression_is_that_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    data = mixed_data(2000)
    family = MixedNetwork.fit(DAG, data).family("d")
    assert isinstance(family, LogisticFamily)
    x, g = data.scores("x"), data.codes("g")
    columns = np.column_stack([(x - x.mean()) / x.std(), g == 1, g == 2])
    model = linear_model.LogisticRegression(C=1e9, max_iter=10_000, tol=1e-10).fit(columns, data.codes("d"))
    np.testing.assert_allclose(
        np.exp(family.log_probabilities(data.values)), model.predict_proba(columns), rtol=0, atol=5e-4
    )


def test_states_that_numbers_tell_apart_have_finite_odds() -> None:
    x = np.linspace(-3, 3, 80)
    data = MixedData(np.array([x, (x > 0).astype(float)]), ("x", "d"), (NUMBER, NOMINAL), ((), ("no", "yes")))
    network = MixedNetwork.fit(Dag.from_arcs(["x", "d"], [("x", "d")]), data)
    assert np.isfinite(network.family("d").arrays()["coefficients"]).all()
    assert network.predict(data, "d").tolist() == np.where(x > 0, "yes", "no").tolist()


def test_the_density_of_a_linear_network_is_that_of_a_gaussian() -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(2, 3, 400)
    b = 1 - 2 * a + rng.normal(0, 1, 400)
    c = 0.5 * a + b + rng.normal(0, 2, 400)
    data = MixedData(np.array([a, b, c]), ("a", "b", "c"), (NUMBER,) * 3, ((),) * 3)
    network = MixedNetwork.fit(Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("a", "c"), ("b", "c")]), data)
    mean, cov = gaussian(network)
    np.testing.assert_allclose(
        network.row_log_densities(data), stats.multivariate_normal(mean, cov).logpdf(data.values.T), rtol=1e-9
    )
    answer = network.query("a", {"c": 4.0, "b": -1.0})
    assert isinstance(answer, NumberAnswer) and answer.error == 0
    inner = np.linalg.inv(cov[1:, 1:])
    assert np.isclose(answer.mean, mean[0] + cov[0, 1:] @ inner @ (np.array([-1.0, 4.0]) - mean[1:]))
    spread = np.sqrt(cov[0, 0] - cov[0, 1:] @ inner @ cov[1:, 0])
    assert np.isclose(answer.spread, spread) and np.isclose(answer.high, answer.mean + 1.959964 * spread, rtol=1e-6)
    assert np.isclose(answer.log_evidence, stats.multivariate_normal(mean[1:], cov[1:, 1:]).logpdf([-1.0, 4.0]))
    # Setting b cuts it off from a.
    done = network.query("a", do={"b": -1.0})
    assert isinstance(done, NumberAnswer) and np.isclose(done.mean, mean[0])


def gaussian(network: MixedNetwork) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of a linear network, from (1 - B)^-1."""
    n = len(network.names)
    slopes, start, noise = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for family in network.families:
        assert isinstance(family, LinearFamily)
        slopes[family.child, list(family.numbers)] = family.coefficients[0, 1:]
        start[family.child], noise[family.child] = family.coefficients[0, 0], family.spreads[0] ** 2
    whole = np.linalg.inv(np.eye(n) - slopes)
    return whole @ start, whole @ np.diag(noise) @ whole.T


def integrate(network: MixedNetwork, evidence: dict[str, float], target: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of the target and their shares, by summing the density of g, x, y, d over a fine grid."""
    axes = {"g": np.arange(3.0), "x": np.linspace(75, 140, 131), "y": np.linspace(-80, 90, 851), "d": np.arange(3.0)}
    axes |= {name: np.array([own]) for name, own in evidence.items()}
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*axes.values(), indexing="ij")])
    weights = np.exp(sum(family.log_density(grid) for family in network.families))
    k = list(axes).index(target)
    shape = [len(axis) for axis in axes.values()]
    shares = np.asarray(weights).reshape(shape).sum(axis=tuple(i for i in range(4) if i != k))
    return axes[target], shares / shares.sum()


@pytest.mark.parametrize("evidence", [{}, {"y": 48.0}, {"x": 107.0}, {"x": 107.0, "d": 1.0}, {"x": 98.0, "y": 60.0}])
def test_exact_answers_are_those_of_integration(evidence: dict[str, float]) -> None:
    network = MixedNetwork.fit(DAG, mixed_data())
    told = {n: network.states[3][int(own)] if n == "d" else own for n, own in evidence.items()}
    for target in ("g", "x", "y"):
        if target in evidence:
            continue
        values, shares = integrate(network, evidence, target)
        answer = network.query(target, told)
        assert answer.error == 0
        if isinstance(answer, StateAnswer):
            np.testing.assert_allclose(list(answer.probabilities.values()), shares, atol=2e-5)
            continue
        assert np.isclose(answer.mean, values @ shares, atol=0.01)
        assert np.isclose(answer.spread, np.sqrt((values - answer.mean) ** 2 @ shares), rtol=0.01, atol=0.01)
        ends = np.cumsum(shares) - shares / 2
        assert np.interp(answer.high, values, ends) - np.interp(answer.low, values, ends) == pytest.approx(
            0.95, abs=0.02
        )


@pytest.mark.parametrize("evidence", [{"d": 2.0}, {"d": 0.0, "y": 48.0}])
def test_draws_are_as_far_off_as_they_say(evidence: dict[str, float]) -> None:
    network = MixedNetwork.fit(DAG, mixed_data())
    told = {n: network.states[3][int(own)] if n == "d" else own for n, own in evidence.items()}
    values, shares = integrate(network, evidence, "x")
    answer = network.query("x", told, seed=4)
    assert isinstance(answer, NumberAnswer) and 0 < answer.error < 0.1
    assert abs(answer.mean - values @ shares) < 4 * answer.error + 0.01
    _, shares = integrate(network, evidence, "g")
    states = network.query("g", told, seed=4)
    assert isinstance(states, StateAnswer)
    assert np.abs(np.array(list(states.probabilities.values())) - shares).max() < 4 * states.error + 1e-4


def test_setting_is_not_observing() -> None:
    network = MixedNetwork.fit(DAG, mixed_data())
    seen, done = network.query("g", {"x": 112.0}), network.query("g", do={"x": 112.0})
    assert isinstance(seen, StateAnswer) and isinstance(done, StateAnswer)
    assert seen.probabilities["c"] > 2 * done.probabilities["c"]
    # y under do(x): the lines of each g, by how frequent g is.
    table, line = network.family("g").arrays()["table"][0], network.family("y").arrays()["coefficients"]
    answer = network.query("y", do={"x": 112.0})
    assert isinstance(answer, NumberAnswer) and np.isclose(answer.mean, table @ (line[:, 0] + 112.0 * line[:, 1]))


def test_predictions_are_the_answers_row_by_row() -> None:
    data = mixed_data(12, seed=8)
    network = MixedNetwork.fit(DAG, mixed_data())
    rows = [{n: data[n].tolist()[r] for n in data.names} for r in range(12)]
    for target in ("g", "y"):
        for r, row in enumerate(rows):
            answer = network.query(target, {n: own for n, own in row.items() if n != target})
            if isinstance(answer, StateAnswer):
                own = network.predict_proba(data, target)[r]
                np.testing.assert_allclose(own, list(answer.probabilities.values()), atol=1e-12)
                assert network.predict(data, target)[r] == answer.most_probable
            else:
                own = np.array(network.predict_numbers(data, target))[:, r]
                np.testing.assert_allclose(own, [answer.mean, answer.low, answer.high], rtol=1e-9)
    mean, low, high = network.predict_numbers(data, "x")
    for r, row in enumerate(rows):
        codes = {"g": float(data.codes("g")[r]), "y": row["y"], "d": float(data.codes("d")[r])}
        values, shares = integrate(network, codes, "x")
        assert np.isclose(mean[r], values @ shares, atol=0.02)
        ends = np.cumsum(shares) - shares / 2
        assert np.interp(low[r], values, ends) == pytest.approx(0.025, abs=0.03)
        assert np.interp(high[r], values, ends) == pytest.approx(0.975, abs=0.03)


def test_what_is_drawn_is_found_again() -> None:
    network = MixedNetwork.fit(DAG, mixed_data())
    again = MixedNetwork.fit(DAG, network.sample(60_000, seed=3))
    np.testing.assert_allclose(again.family("g").arrays()["table"], network.family("g").arrays()["table"], atol=0.01)
    for name in ("x", "y"):
        np.testing.assert_allclose(
            again.family(name).arrays()["spreads"], network.family(name).arrays()["spreads"], rtol=0.03
        )
    data = network.sample(20_000, seed=3)
    own, other = (np.exp(n.family("d").log_probabilities(data.values)) for n in (network, again))  # type: ignore[attr-defined]
    assert np.abs(own - other).mean() < 0.01
    done = network.sample(2000, seed=3, do={"x": 101.5})
    assert (done.scores("x") == 101.5).all() and done.targets is not None and done.targets.sets == (("x",),)


def test_scales_are_numbers_that_are_drawn_as_states() -> None:
    rng = np.random.default_rng(6)
    mark = rng.integers(0, 5, 500).astype(float)
    data = MixedData(
        np.array([mark, 2 * mark + rng.normal(size=500)]), ("mark", "x"), (ORDINAL, NUMBER), (tuple("24689"), ())
    )
    network = MixedNetwork.fit(Dag.from_arcs(["mark", "x"], [("mark", "x")]), data)
    slope = stats.linregress(data.scores("mark"), data.scores("x")).slope
    np.testing.assert_allclose(network.family("x").arrays()["coefficients"][0, 1], slope)
    answers = [network.query("x", {"mark": own}) for own in ("8", 8)]
    assert answers[0] == answers[1]
    drawn = network.sample(300, seed=1)
    assert drawn.kinds == data.kinds and set(drawn.codes("mark")) == set(range(5))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_files_hold_every_bit(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    network = MixedNetwork.fit(DAG, mixed_data(60, seed))
    path = tmp_path_factory.mktemp("mixed") / "network.json"
    network.write(path)
    again = MixedNetwork.read(path)
    assert again == network
    assert again.query("x", {"g": "b"}) == network.query("x", {"g": "b"})


def test_bif_cannot_hold_it(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"BIF .* hold tables of states, and this network has numbers\. Write \.json"):
        MixedNetwork.fit(DAG, mixed_data(60)).write(tmp_path / "network.bif")


def test_hostile_files_are_refused() -> None:
    network = MixedNetwork.fit(DAG, mixed_data(60))
    good = {
        "format": "arcwise mixed network",
        "version": 1,
        "names": list(network.names),
        "kinds": [str(kind) for kind in network.kinds],
        "states": [list(own) for own in network.states],
        "families": [
            {"parents": list(p), "type": f.WORD} | {name: array.tolist() for name, array in f.arrays().items()}
            for p, f in zip(DAG.parents, network.families, strict=True)
        ],
    }
    assert MixedNetwork.parse(json.dumps(good)) == network
    edits: list[tuple[tuple[str | int, ...], object]] = [
        (("format",), "other"),
        (("version",), 2),
        (("names", 0), "x"),
        (("names",), 5),
        (("kinds", 1), "numbr"),
        (("states", 0), ["a"]),
        (("states", 1), ["a", "b"]),
        (("families", 1, "parents"), [2]),  # a cycle
        (("families", 1, "parents"), [True]),
        (("families", 1, "parents"), [10**30]),
        (("families", 1, "type"), "table"),
        (("families", 1, "spreads", 0), 0.0),
        (("families", 1, "spreads", 0), float("nan")),
        (("families", 1, "coefficients"), [[1.0]]),
        (("families", 0, "table", 0, 0), 7.0),
        (("families", 3, "coefficients", 0, 0), "1"),
        (("families", 3, "more"), 1),
        (("families",), []),
        (("families",), {}),
        (("families", 2), None),
    ]
    for path, value in edits:
        changed = copy.deepcopy(good)
        place = changed
        for key in path[:-1]:
            place = place[key]  # type: ignore[index]
        place[path[-1]] = value  # type: ignore[index]
        with pytest.raises(FormatError):
            MixedNetwork.parse(json.dumps(changed))
    for text in ("", "[]", "{", "[" * 10_000, '{"format": NaN}'):
        with pytest.raises(FormatError):
            MixedNetwork.parse(text)


def test_questions_that_have_no_answer() -> None:
    network = MixedNetwork.fit(DAG, mixed_data(200))
    for evidence, words in (
        ({"x": "tall"}, "'tall' is no value of 'x', which must be a finite number"),
        ({"d": "z"}, "must be one of u, v, w"),
        ({"z": 1}, "unknown variable 'z'"),
        ({"y": 3}, "must be different variables"),
    ):
        with pytest.raises(OptionError, match=words):
            network.query("y", evidence)
    with pytest.raises(OptionError, match="only 1 of them count"):
        network.query("x", {"d": "u", "y": 1e9})
    other = MixedData.of_states(mixed_data(50).as_dataset())
    with pytest.raises(DataError, match="'x' is nominal in the data and number in the network"):
        network.log_likelihood(other)


def test_quantiles_of_a_mixture() -> None:
    weights, means, spreads = np.array([0.3, 0.7]), np.array([-1.0, 4.0]), np.array([0.5, 2.0])
    for share in (0.01, 0.3, 0.975):
        at = mixture_quantile(weights, means, spreads, share)
        assert np.isclose(weights @ stats.norm(means, spreads).cdf(at), share, atol=1e-12)


def test_tables_are_the_posterior_mean() -> None:
    data = mixed_data(100)
    both = Dag.from_arcs(["g", "d"], [("g", "d")])
    family = MixedNetwork.fit(both, data.select(["g", "d"]), ess=2.0).family("d")
    assert isinstance(family, TableFamily)
    for g, d in itertools.product(range(3), range(3)):
        n_jk = ((data.codes("g") == g) & (data.codes("d") == d)).sum()
        n_j = (data.codes("g") == g).sum()
        assert np.isclose(family.table[g, d], (n_jk + 2 / 9) / (n_j + 2 / 3))
    assert np.array_equal(data.matrix, data.values)


# ---- Ranges and gaps


def test_a_range_is_the_part_of_the_grid_that_it_holds() -> None:
    data = mixed_data(2000)
    network = MixedNetwork.fit(DAG, data)
    rows = network.sample(400_000, seed=3)
    x, y, d = rows.scores("x"), rows.scores("y"), rows.codes("d")
    for text, kept in (("> 105", x > 105), ("> 98 <= 101", (x > 98) & (x <= 101)), ("<97", x < 97)):
        answer = network.query("d", {"x": text}, seed=1)
        assert isinstance(answer, StateAnswer)
        shares = np.bincount(d[kept], minlength=3) / kept.sum()
        np.testing.assert_allclose(list(answer.probabilities.values()), shares, atol=0.01)
        assert np.isclose(np.exp(answer.log_evidence), kept.mean(), rtol=0.05)
        number = network.query("y", {"x": text, "d": "v"}, seed=1)
        assert isinstance(number, NumberAnswer)
        own = y[kept & (d == 1)]
        assert abs(number.mean - own.mean()) < 6 * own.std() / np.sqrt(len(own)) + 4 * number.error
    exact = network.query("y", {"g": "a"})
    assert isinstance(exact, NumberAnswer)
    asked = network.observed("y", "> 50")
    assert isinstance(asked, tuple) and exact.share(asked) == pytest.approx(stats.norm.sf(50, exact.mean, exact.spread))


def test_far_tails_have_digits() -> None:
    family = LinearFamily(0, (), (), (), np.array([[0.0]]), np.array([1.0]))
    rng = np.random.default_rng(1)
    for low, high in ((8.0, np.inf), (-np.inf, -8.0), (20.0, 20.5), (-1.0, 2.0)):
        drawn, inside = family.sample_between(np.zeros((1, 4000)), (low, high), rng)
        assert (drawn >= low).all() and (drawn <= high).all()
        expected = stats.truncnorm(low, high)
        assert abs(drawn.mean() - expected.mean()) < 5 * expected.std() / np.sqrt(4000)
        exact = stats.norm.logcdf(high) if low == -np.inf else stats.norm.logsf(low)
        if high == np.inf or low == -np.inf:
            assert np.allclose(inside, exact, rtol=1e-9)


def test_a_range_of_a_scale_is_its_steps_and_what_has_no_order_is_refused() -> None:
    rng = np.random.default_rng(4)
    scale = rng.integers(0, 5, 500).astype(float)
    own = (("1", "2", "3", "4", "5"), (), ("a", "b"))
    values = np.array([scale, scale + rng.normal(size=500), rng.integers(0, 2, 500)])
    data = MixedData(values, ("s", "x", "g"), (ORDINAL, NUMBER, NOMINAL), own)
    network = MixedNetwork.fit(Dag.from_arcs(["s", "x", "g"], [("s", "x")]), data)
    assert network.observed("s", "> 3") == (3.5, np.inf) and network.observed("s", ">= 3 <= 3") == (2.5, 3.5)
    answer = network.query("s")
    assert isinstance(answer, NumberAnswer)
    shares = [answer.share(network.observed("s", f">= {k} <= {k}")) for k in own[0]]  # type: ignore[arg-type]
    assert sum(shares) == pytest.approx(1.0)
    for name, text, words in (("g", "> a", "no order"), ("x", "> 3 < 2", "cannot lie"), ("s", "> 5", "no state")):
        with pytest.raises(OptionError, match=words):
            network.observed(name, text)


def test_rows_with_gaps_are_predicted_as_their_questions_are_answered() -> None:
    data = mixed_data(1500)
    network, rng = MixedNetwork.fit(DAG, data), np.random.default_rng(6)
    values = data.matrix[:, :40]
    values[rng.random(values.shape) < 0.4] = np.nan
    mean, low, high = network.predict_table(values, "y")
    shares = network.predict_table(values, "g")
    assert isinstance(shares, np.ndarray)
    for row in range(40):
        known = {
            name: data.states[v][int(values[v, row])] if data.states[v] else values[v, row]
            for v, name in enumerate(data.names)
            if not np.isnan(values[v, row])
        }
        number = network.query("y", {n: own for n, own in known.items() if n != "y"}, seed=2)
        state = network.query("g", {n: own for n, own in known.items() if n != "g"}, seed=2)
        assert isinstance(number, NumberAnswer) and isinstance(state, StateAnswer)
        slack = 0.05 * number.spread + 0.02
        assert abs(number.mean - mean[row]) < slack and abs(number.low - low[row]) < 3 * slack < abs(high[row])
        np.testing.assert_allclose(list(state.probabilities.values()), shares[row], atol=0.03)


def test_what_is_missing_is_drawn_from_its_distribution_given_the_rest() -> None:
    rng = np.random.default_rng(9)
    a = rng.normal(0, 1, 4000)
    b = a + rng.normal(0, 1, 4000)
    data = MixedData(np.array([a, b]), ("a", "b"), (NUMBER,) * 2, ((),) * 2)
    network = MixedNetwork.fit(Dag.from_arcs(["a", "b"], [("a", "b")]), data)
    missing = np.array([np.arange(4000) < 2000, np.arange(4000) > 1900])
    drawn = network.draw_missing(data.values, missing, rng, 10)
    np.testing.assert_array_equal(drawn[~missing], data.values[~missing])
    np.testing.assert_allclose(np.cov(drawn), np.cov(data.values), atol=0.12)
