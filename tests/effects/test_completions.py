"""Effects and averages from data with gaps: how far completions differ is part of every interval."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import beta

from arcwise import learn
from arcwise.analysis.saved import open as open_analysis
from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset
from arcwise.effects import find_effect, find_effects, possible_effects
from arcwise.effects.effect import Moments
from arcwise.effects.model_average import ModelAverage
from arcwise.ensemble import NetworkSet
from arcwise.errors import OptionError
from arcwise.graph import Constraints, Dag
from arcwise.networks.completions import (
    completed_under,
    completion_of_networks,
    with_completion_networks,
    with_completions,
)

NAMES = ("z", "x", "y")
FORK = Dag.from_arcs(NAMES, [("z", "x"), ("z", "y"), ("x", "y")])
CHAIN = Dag.from_arcs(NAMES, [("x", "y"), ("y", "z")])
AWAY = Dag.from_arcs(NAMES, [("y", "x"), ("x", "z")])
# Which networks each completion has, with their weights.
OWN = (((FORK, 0.9), (AWAY, 0.1)), ((CHAIN, 0.6), (FORK, 0.4)), ((CHAIN, 0.3), (AWAY, 0.7)), ((FORK, 1.0),))


def completed(cases: int = 300) -> Dataset:
    """Four completions, one below the other, in which half of x and y differ."""
    rng = np.random.default_rng(3)
    z = rng.integers(0, 2, cases)
    x = np.where(rng.random(cases) < 0.7, z, 1 - z)
    y = np.where(rng.random(cases) < 0.8, x, 1 - z)
    blocks = []
    for share in (0.2, 0.4, 0.6, 0.8):
        other = rng.random(cases) < 0.5
        blocks.append(np.stack([z, x, np.where(other, (rng.random(cases) < share).astype(int), y)], axis=1))
    return Dataset.from_codes(np.concatenate(blocks), names=list(NAMES))


def networks_of_completions() -> NetworkSet:
    dags = [dag for own in OWN for dag, _ in own]
    weights = np.array([weight / len(OWN) for own in OWN for _, weight in own])
    listed = NetworkSet.from_dags(dags, origin="credible").with_weights(weights)
    return with_completions(listed, [len(own) for own in OWN])


def simulated(data: Dataset, draws: int = 40_000) -> tuple[NDArray[np.float64], float]:
    """Draws of P(y = 1 | do(x = 1)) given an effect, one completion and network after the other, and P(effect)."""
    rng, found, weights, effect = np.random.default_rng(4), [], [], 0.0
    each = data.n_rows // len(OWN)
    for number, own in enumerate(OWN):
        codes = data.codes[:, number * each : (number + 1) * each].astype(int)
        for dag, weight in own:
            if "x" not in dag.ancestors("y"):
                continue
            effect += weight / len(OWN)
            by = codes[0] if "z" in dag.parents_of("x") else np.zeros(each, dtype=int)
            counts = np.zeros((by.max() + 1, 2, 2))
            np.add.at(counts, (by, codes[1], codes[2]), 1)
            cells = rng.dirichlet((counts + 1 / counts.size).ravel(), draws).reshape(-1, *counts.shape)
            given = cells[:, :, 1, 1] / cells[:, :, 1].sum(axis=2)
            found.append((cells.sum(axis=(2, 3)) * given).sum(axis=1))
            weights.append(np.full(draws, weight))
    share = np.concatenate(weights)
    chosen = rng.choice(len(share), size=draws, p=share / share.sum())
    return np.concatenate(found)[chosen], effect


def test_a_mixture_over_completions_and_their_networks() -> None:
    """Each completion counts with its own networks, and what differs between completions widens the interval."""
    data, networks = completed(), networks_of_completions()
    drawn, effect = simulated(data)
    found = find_effect(networks, data, "x", "y", copies=len(OWN))
    assert found.probability == pytest.approx(effect)
    assert found.set_if_effect is not None
    assert found.set_if_effect.mean[1, 1] == pytest.approx(drawn.mean(), abs=0.003)
    # Four completions: the spread between them counts 5/3 times, so that the interval is at least that of the draws.
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.set_if_effect.low[1, 1] < low
    assert found.set_if_effect.high[1, 1] > high
    assert found.set_if_effect.high[1, 1] - found.set_if_effect.low[1, 1] < 2 * (high - low)
    # The same from all pairs.
    row = find_effects(networks, data, copies=len(OWN)).to_frame().query("cause == 'x' and outcome == 'y'").iloc[0]
    assert found.change_if_effect is not None
    assert row["low"] == pytest.approx(found.change_if_effect.low[0].min(), abs=1e-6)


def test_total_variance() -> None:
    """Rubin's rules for equal weights; for others the law of total variance."""
    rng = np.random.default_rng(0)
    means, variances = rng.random((5, 2, 3)), rng.random((5, 2, 3))
    mean, variance = Moments(means, variances).over()
    assert mean == pytest.approx(means.mean(axis=0))
    assert variance == pytest.approx(variances.mean(axis=0) + (1 + 1 / 5) * means.var(axis=0, ddof=1))
    weights = np.array([0.0, 2.0, 0.0, 0.0, 0.0])
    mean, variance = Moments(means, variances).over(weights)
    assert mean == pytest.approx(means[1])
    assert variance == pytest.approx(variances[1])


def test_where_completions_are_not_known_all_count_alike() -> None:
    data, networks = completed(), networks_of_completions()
    plain = replace(networks, facts={})
    found = find_effect(plain, data, "x", "y", copies=len(OWN))
    parts = [
        find_effect(plain, data.take(np.arange(k * 300, (k + 1) * 300)), "x", "y").set_to.mean for k in range(len(OWN))
    ]
    assert found.set_to.mean == pytest.approx(np.mean(parts, axis=0))
    single = find_effect(networks, data.take(np.arange(300)), "x", "y")  # one completion: nothing to match
    assert single.set_to.mean == pytest.approx(parts[0])


def test_the_range_of_a_class_is_over_all_completions() -> None:
    data = completed()
    found = possible_effects(FORK, data, "x", "y", copies=len(OWN))
    parts = [possible_effects(FORK, data.take(np.arange(k * 300, (k + 1) * 300)), "x", "y") for k in range(len(OWN))]
    assert found.mean == pytest.approx(np.mean([part.mean for part in parts], axis=0))
    width = max(float((part.high - part.low).max()) for part in parts)
    assert (found.high - found.low).max() > 1.2 * width


def test_the_error_of_so_few_completions_is_told() -> None:
    reach = family_reach(networks_of_completions())
    own = np.array([0.9, 1.0, 0.3, 1.0])
    assert reach.standard_errors()[1, 2] == pytest.approx(own.std(ddof=1) / 2)
    assert reach.completions is not None
    assert reach.completions.ancestors[:, 1, 2] == pytest.approx(own)


def test_a_part_of_a_set_does_not_know_its_completions(tmp_path: Path) -> None:
    networks = networks_of_completions()
    assert completion_of_networks(networks) == pytest.approx([0, 0, 1, 1, 2, 2, 3])
    networks.save(tmp_path / "networks.nets")
    assert completion_of_networks(NetworkSet.load(tmp_path / "networks.nets")) == pytest.approx([0, 0, 1, 1, 2, 2, 3])
    assert completion_of_networks(networks[::-1]) is None
    for broken in (["7"], [3, -3, 7], [3], "7", [7.0]):
        assert completion_of_networks(replace(networks, facts={"by_completion": broken})) is None


def test_rows_must_be_whole_completions() -> None:
    with pytest.raises(OptionError, match="must divide the rows"):
        find_effect(networks_of_completions(), completed(), "x", "y", copies=7)


@pytest.mark.parametrize("method", ["credible", "bootstrap"])
def test_intervals_are_as_wide_as_the_observed_cases_make_them(method: str) -> None:
    """Half of y is missing at random: the posterior of P(y | x) is that of the other half, known exactly."""
    rng = np.random.default_rng(8)
    x = rng.integers(0, 2, 400)
    y = np.where(rng.random(400) < 0.75, x, 1 - x)
    frame = pd.DataFrame({"x": x.astype(str), "y": y.astype(str)}).astype(object)
    missing = np.arange(400) % 2 == 0
    frame.loc[missing, "y"] = None
    settings = {"replicates": 30} if method == "bootstrap" else {}
    made = learn(frame, agree=True, method=method, compare=False, permutations=0, seed=1, progress=False, **settings)
    found = made.effect("x", "y").set_if_effect
    assert found is not None
    seen = np.bincount(y[~missing & (x == 1)], minlength=2) + 0.25
    low, high = beta.ppf([0.025, 0.975], seen[1], seen[0])
    # All 400 cases taken for observed would give 0.70 of this width.
    assert (found.high - found.low)[1, 1] == pytest.approx(high - low, rel=0.2)
    averaged = made.query("y", {"x": "1"}, draws=800)
    assert (averaged.high - averaged.low)[1] == pytest.approx(high - low, rel=0.2)


def test_an_average_takes_each_network_with_its_completion() -> None:
    """Two completions that differ wholly, and a network of each: parameters of one never go with the other."""
    codes = np.concatenate([np.tile([[0, 0], [1, 1]], (50, 1)), np.tile([[0, 1], [1, 0]], (50, 1))])
    data = Dataset.from_codes(codes, names=["x", "y"])
    joined, apart = Dag.from_arcs(["x", "y"], [("x", "y")]), Dag.from_arcs(["x", "y"], [])
    networks = with_completions(NetworkSet.from_dags([joined, apart], origin="bootstrap"), [1, 1])
    found = ModelAverage(networks, data, copies=2).query("y", {"x": "0"}, draws=200)
    # The first says P(y = 0 | x = 0) is nearly 1, the second, without an edge, about a half.
    assert found.mean[0] == pytest.approx(0.75, abs=0.06)
    assert found.low[0] > 0.35


def test_a_bootstrap_looks_at_the_completions_that_were_drawn_under_an_effect() -> None:
    data, plain = completed(), NetworkSet.from_dags([CHAIN, AWAY, CHAIN], origin="bootstrap")
    under = [dag.parent_masks for dag in (CHAIN, AWAY, FORK, AWAY)]
    found = find_effect(with_completion_networks(plain, under), data, "x", "y", copies=4)
    looked_at = np.concatenate([np.arange(300), np.arange(600, 900)])
    expected = find_effect(plain, data.take(looked_at), "x", "y", copies=2)
    for name in ("change_if_effect", "set_if_effect"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.mean == pytest.approx(other.mean)
        assert one.high - one.low == pytest.approx(other.high - other.low)
    # One completion does not say how far they differ: then all count.
    single = with_completion_networks(plain, [CHAIN.parent_masks, *[AWAY.parent_masks] * 3])
    alike = find_effect(plain, data, "x", "y", copies=4)
    assert find_effect(single, data, "x", "y", copies=4).set_to.mean == pytest.approx(alike.set_to.mean)
    for wrong in ("x", [], [[0]], [[0, 3]], [[0, "a"]], [0]):
        assert completed_under(replace(plain, facts={"completed_under": wrong})) is None


def test_gaps_do_not_dilute_what_a_bootstrap_says_of_an_effect(tmp_path: Path) -> None:
    """Values that were filled in as if there were no effect are no evidence of how large it is if there is one."""
    rng = np.random.default_rng(2)
    x = rng.integers(2, size=150)
    y = (rng.random(150) < np.where(x == 1, 0.66, 0.44)).astype(int)
    frame = pd.DataFrame({"x": x.astype(str), "y": y.astype(str)}).astype(object)
    frame.loc[rng.random(150) < 0.4, "y"] = None
    seen = frame.dropna()
    observed = (seen.y[seen.x == "1"] == "1").mean() - (seen.y[seen.x == "0"] == "1").mean()
    known = Constraints(("x", "y"), forbidden=[("y", "x")])
    options = {"method": "bootstrap", "score": "bdeu:ess=1", "compare": False, "permutations": 0, "seed": 1}
    made = learn(frame, constraints=known, agree=True, progress=False, **options)
    assert made.confidence.present[0, 1] < 0.5
    made.save(tmp_path / "out")
    for source in (made, open_analysis(tmp_path / "out")):
        found = source.effect("x", "y").change_if_effect
        assert found is not None
        assert found.mean[0, 1] == pytest.approx(observed, abs=0.03)  # 0.06 less, if all completions counted
