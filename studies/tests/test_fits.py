"""What is learned from studies: calibration models, maps of directions, thresholds and training tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.confidence.curves import DirectionMap, SetFacts
from arcwise.confidence.learned_table import GRID
from arcwise.confidence.meta_ensemble import TrainingTable, training_table
from arcwise.confidence.probability import reliability
from arcwise.errors import FormatError, OptionError
from arcwise_studies.experiments.calibration_fit import fit_directions, fit_model
from arcwise_studies.experiments.instances import choose_on_grid, mean_errors
from arcwise_studies.products import training_bytes


def _simulated(rng: np.random.Generator, n_cases: int, twist: float) -> tuple[np.ndarray, np.ndarray]:
    """Claims whose log odds are `twist` times too large."""
    odds = rng.normal(-1.5, 2.0, size=400)
    real = rng.random(400) < 1 / (1 + np.exp(-odds))
    return 1 / (1 + np.exp(-twist * odds)), real


def test_a_model_finds_how_bold_the_confidences_are_and_that_this_depends_on_the_cases() -> None:
    rng = np.random.default_rng(1)
    claims, truths, facts = [], [], []
    for k in range(120):
        n_cases, twist = ((100, 3.0), (5000, 1.0))[k % 2]
        c, real = _simulated(rng, n_cases, twist)
        claims.append(c)
        truths.append(real)
        facts.append(SetFacts(n_cases, 20, 1.0, 0.1))
    model = fit_model(claims, truths, facts, [1.0] * len(claims))
    bold = model.curve(SetFacts(100, 20, 1.0, 0.1))
    calm = model.curve(SetFacts(5000, 20, 1.0, 0.1))
    at = 1 / (1 + math.exp(-3.0))  # a claim of 0.95: log odds of 3
    assert float(bold(at)) == pytest.approx(1 / (1 + math.exp(-1.0)), abs=0.05)
    assert float(calm(at)) == pytest.approx(at, abs=0.03)
    fresh, real = _simulated(rng, 100, 3.0)
    assert reliability(np.asarray(bold(fresh)), real).log_loss < reliability(fresh, real).log_loss - 0.1


def test_directions_are_learned_and_symmetric() -> None:
    rng = np.random.default_rng(2)
    shares = rng.dirichlet([1.0, 1.0, 1.0], size=4000).T
    truth = np.array([rng.choice(3, p=column) for column in shares.T])  # shares that mean what they say
    found = fit_directions(shares, truth, np.full(4000, 1000.0), np.ones(4000).tolist())
    one = np.array([0.7]), np.array([0.1]), np.array([0.2])
    forward, backward, either = (float(part[0]) for part in found(*one, 1000))
    assert (forward, backward, either) == pytest.approx((0.7, 0.1, 0.2), abs=0.06)
    turned = found(one[1], one[0], one[2], 1000)
    assert (float(turned[1][0]), float(turned[0][0])) == pytest.approx((forward, backward))
    with pytest.raises(FormatError, match="3 numbers"):
        DirectionMap((1.0,), (0.0, 0.0, 0.0))


@given(st.integers(0, 2**32 - 1))
def test_the_rule_takes_the_smallest_mean_absolute_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(rng.integers(1, 8), len(GRID))).astype(float)
    by_hand = [sum(abs(row.min() - row[c]) for row in values) / len(values) for c in range(len(GRID))]
    np.testing.assert_allclose(mean_errors(values), by_hand)
    best = [GRID[c] for c in range(len(GRID)) if by_hand[c] <= min(by_hand) + 1e-12]
    assert choose_on_grid(mean_errors(values)) == min(best, key=lambda c: (abs(c - 0.5), c))
    with pytest.raises(OptionError, match="not the shape"):
        mean_errors(np.zeros(3))


def test_a_single_good_instance_does_not_decide() -> None:
    """Algorithm 5.2 as printed would take the threshold of the best instance; the text takes the mean."""
    losses = np.ones((3, len(GRID)))
    losses[0, 2] = 0.0  # the best value of all, at 0.10 on one instance
    losses[1:, 10] = 0.4
    losses[0, 10] = 0.5
    assert choose_on_grid(mean_errors(losses)) == 0.5


def test_a_training_table_is_written_as_it_was_read() -> None:
    content = training_bytes(training_table())
    assert training_bytes(TrainingTable.from_bytes(content)) == content
    with pytest.raises(FormatError, match="not a training table"):
        TrainingTable.from_bytes(content[:200])
