"""NIP-BDe and expected log-BDe: the definitions by brute force, sampling, and what Ueno & Uto's tables show."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest
from tests.twins.scores import every_structure, score_family_twin

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Dag, all_dags, class_keys_from_masks
from arcwise.scores import JointPrior, Score, make_score
from arcwise.scores.dirichlet import all_structures, smoothed_joints


def make_data(seed: int = 0, variables: int = 3, rows: int = 40) -> Dataset:
    rng = np.random.default_rng(seed)
    arities = [2, 3, 2, 2, 2, 2, 2][:variables]
    codes = np.stack([rng.integers(0, r, rows) for r in arities], axis=1)
    codes[:, 1] = np.where(rng.random(rows) < 0.6, codes[:, 0], codes[:, 1])
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities])


def hypothetical_joint(data: Dataset, dag: Dag) -> np.ndarray:
    """The joint distribution with the parameters of eq. (10), cell by cell."""
    joint = np.ones(tuple(data.arities))
    for cell in np.ndindex(joint.shape):
        for v, parents in enumerate(dag.parents):
            n_jk = contingency(data, [*parents, v])[(*(cell[p] for p in parents), cell[v])]
            n_j = contingency(data, parents)[tuple(cell[p] for p in parents)]
            q = math.prod(int(data.arities[p]) for p in parents)
            joint[cell] *= (n_jk + 1 / (int(data.arities[v]) * q)) / (n_j + 1 / q)
    return joint


def test_the_joint_distributions_of_all_structures() -> None:
    data = make_data()
    joints = smoothed_joints(data, every_structure(3))
    for masks, joint in zip(every_structure(3), joints, strict=True):
        dag = Dag(data.names, [[p for p in range(3) if int(mask) >> p & 1] for mask in masks])
        np.testing.assert_allclose(joint.reshape(tuple(data.arities)), hypothetical_joint(data, dag), rtol=1e-12)
        assert joint.sum() == pytest.approx(1, rel=1e-12)


def test_the_classes_of_five_variables() -> None:
    masks, weights = all_structures(5)
    assert len(masks) == 8782
    assert weights.sum() == pytest.approx(1)
    assert (weights * 29281).max() == pytest.approx(120)  # the orders of the complete DAG


@pytest.mark.parametrize("ess", [0.1, 5.0])
def test_the_definitions_by_brute_force(ess: float) -> None:
    """Averages over all 25 DAGs of BDe with each as the prior network."""
    data = make_data()
    hypotheses = [
        make_score("bde", prior=JointPrior(data.names, hypothetical_joint(data, h)), ess=ess)
        for h in all_dags(data.names)
    ]
    expected_log, nip = make_score("expected_log_bde", ess=ess), make_score("nip_bde", ess=ess)
    for dag in list(all_dags(data.names))[::4]:
        values = np.array([h.score_network(data, dag) for h in hypotheses])
        assert expected_log.score_network(data, dag) == pytest.approx(values.mean(), rel=1e-12)
        estimate = expected_log.estimate_network(data, dag)
        assert (estimate.value, estimate.standard_error, estimate.structures) == (pytest.approx(values.mean()), 0, 25)
        assert nip.estimate_network(data, dag).value == pytest.approx(math.log(np.exp(values).mean()), rel=1e-12)
    family = np.array([h.score_family(data, 1, [0, 2]) for h in hypotheses])
    assert nip.score_family(data, 1, [0, 2]) == pytest.approx(math.log(np.exp(family).mean()), rel=1e-12)
    assert expected_log.estimate_family(data, 1, [2, 0]).value == pytest.approx(family.mean(), rel=1e-12)


@pytest.mark.parametrize("largest", [0, 1, None])
def test_the_local_form_by_brute_force(largest: int | None) -> None:
    """Each hypothetical parent set as a network: the family's other variables complete, then the child."""
    data = make_data(variables=4, rows=25)
    child, parents = 1, (0, 3)
    values = []
    for size in range(4 if largest is None else largest + 1):
        for hypothesis in itertools.combinations((0, 2, 3), size):
            order = sorted({*parents, *hypothesis})
            complete = {v: order[:i] for i, v in enumerate(order)}
            dag = Dag(data.names, [hypothesis if v == child else complete.get(v, ()) for v in range(4)])
            prior = JointPrior(data.names, hypothetical_joint(data, dag))
            values.append(make_score("bde", prior=prior, ess=3).score_family(data, child, parents))
    for name, expected in (("expected_log_bde", np.mean(values)), ("nip_bde", math.log(np.mean(np.exp(values))))):
        score = make_score(name, structures="local", ess=3, hypothetical_parents=largest)
        assert score.score_family(data, child, parents) == pytest.approx(expected, rel=1e-11)
        estimate = score.estimate_family(data, child, parents)
        assert estimate.value == pytest.approx(expected, rel=1e-11)
        assert estimate.structures == len(values)


@pytest.mark.parametrize("name", ["expected_log_bde", "nip_bde"])
def test_samples_come_with_an_honest_standard_error(name: str) -> None:
    data = make_data(variables=4, rows=200)
    exact = make_score(name, structures="all")
    dags = [Dag(data.names, [(), (0,), (0, 1), ()]), Dag(data.names, [(), (), (), ()])]
    for dag in dags:
        truth = exact.estimate_network(data, dag).value
        errors = []
        for seed in range(20):
            estimate = make_score(name, structures="sample", samples=100, seed=seed).estimate_network(data, dag)
            assert estimate.structures == 100
            errors.append((estimate.value - truth) / estimate.standard_error)
        assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(1, abs=0.55)
    few, many = (make_score(name, structures="sample", samples=s) for s in (50, 800))
    assert (
        many.estimate_network(data, dags[0]).standard_error < 0.5 * few.estimate_network(data, dags[0]).standard_error
    )
    sample = make_score(name, structures="sample", samples=50)
    assert sample.score_family(data, 2, [0]) == pytest.approx(score_family_twin(sample, data, 2, [0]), rel=1e-12)
    assert sample.score_family(data, 2, [0]) == make_score(name, structures="sample", samples=50).score_family(
        data, 2, [0]
    )


def test_above_five_variables_structures_are_drawn() -> None:
    data = make_data(variables=7, rows=100)
    score = make_score("expected_log_bde", samples=60)
    estimate = score.estimate_family(data, 0, [1, 2])
    assert estimate.standard_error > 0
    assert score.score_family(data, 0, [1, 2]) == pytest.approx(estimate.value, rel=1e-11)


def test_mistakes_with_structures() -> None:
    data = make_data(variables=7)
    with pytest.raises(OptionError, match="must be one of 'auto', 'all'"):
        make_score("nip_bde", structures="every")
    with pytest.raises(OptionError, match=r"samples=0 .* whole number in \[1, inf\)"):
        make_score("nip_bde", samples=0)
    with pytest.raises(OptionError, match="whole number"):
        make_score("nip_bde", samples=10.5)
    with pytest.raises(OptionError, match="must be >= 0"):
        make_score("nip_bde", hypothetical_parents=-1)
    with pytest.raises(OptionError, match="all DAGs over 7 variables are too many"):
        make_score("nip_bde", structures="all").score_family(data, 0)
    wide = Dataset.from_codes(np.zeros((5, 30), dtype=int), states=[["a", "b"]] * 30)
    with pytest.raises(OptionError, match="do not fit"):
        make_score("nip_bde").score_family(wide, 0)
    with pytest.raises(OptionError, match="Set hypothetical_parents"):
        make_score("nip_bde", structures="local").score_family(wide, 0)
    assert make_score("nip_bde", structures="local", hypothetical_parents=1).score_family(wide, 0, [1]) < 0
    with pytest.raises(OptionError, match="per family"):
        make_score("nip_bde", structures="local").estimate_network(data, Dag(data.names, [()] * 7))


# A chain 0 -> 1 -> 2 -> 3 -> 4 of binary variables. As in section 5 of Ueno & Uto (whose figures of networks are not
# legible), the others come from the most skewed one by moving all probabilities the same share of the way to 1/2.
PARENTS = ((), (0,), (1,), (2,), (3,))
SKEWED: list[Any] = [0.8, [0.05, 0.95], [0.05, 0.95], [0.05, 0.95], [0.05, 0.95]]
NETWORKS = {"skewed": 1.0, "mid": 0.75, "uniform": 0.5}  # the distance to 1/2 that is left
CASES = 1000  # the largest of their samples
SAMPLES = 400
FAMILIES = [(v, ps) for v in range(5) for k in range(5) for ps in itertools.combinations(sorted({*range(5)} - {v}), k)]


def draw(network: str, rng: np.random.Generator, cases: int = CASES) -> Dataset:
    codes = np.zeros((cases, 5), dtype=int)
    for v, parents in enumerate(PARENTS):
        probability = 0.5 + NETWORKS[network] * (np.array(SKEWED[v]) - 0.5)
        codes[:, v] = rng.random(cases) < probability[tuple(codes[:, p] for p in parents)]
    return Dataset.from_codes(codes, states=[["0", "1"]] * 5)


@functools.cache
def every_class() -> tuple[np.ndarray, np.ndarray]:
    """One DAG of each class (both scores are score-equivalent) as parent masks, and which of them is the true one."""
    masks = all_structures(5)[0]
    true = np.array([[sum(1 << p for p in parents) for parents in PARENTS]], dtype=np.uint64)
    keys = class_keys_from_masks(np.concatenate([masks, true]), progress=False)
    return masks.astype(np.int64), (keys[:-1] == keys[-1]).all(axis=1)


def best_is_true(score: Score, data: Dataset) -> bool:
    """Whether the best of all 8,782 classes is the true one."""
    masks, is_true = every_class()
    local = np.full((5, 32), -np.inf)
    for (v, parents), value in zip(FAMILIES, score.score_families(data, FAMILIES), strict=True):
        local[v, sum(1 << p for p in parents)] = value
    return bool(is_true[np.argmax(local[np.arange(5), masks].sum(axis=1))])


@pytest.mark.parametrize(("network", "at_most"), [("skewed", 0.2), ("mid", 0.6), ("uniform", 0.95)])
def test_recovery_varies_less_with_the_sample_size_than_with_bdeu(network: str, at_most: float) -> None:
    """As in Tables 1 and 2 of Ueno & Uto, for each of the three networks.

    The recovery is how many of 400 samples have the true class as their best network; how it varies is the difference
    between the largest and the smallest of these numbers over ess 0.1, 1 and 10. The chain, the shares and the number
    of cases were chosen with samples of the seeds 1 to 5, the seed here was looked at once, after that: BDeu varied by
    252, 61 and 39, the average (Algorithm 1) by 20, 20 and 30. With 1,000 samples of another seed it was the same
    picture: 596, 163, 85 against 45, 58, 57. The difference comes from ess 10, at which BDeu adds edges; the nearer a
    network is to uniform the smaller it gets, since the average then is BDeu: see docs/papers/ueno.md for networks
    that show no difference.
    """
    rng = np.random.default_rng(2012)
    scores = [
        [make_score("bdeu", ess=ess), make_score("expected_log_bde", ess=ess, structures="local")]
        for ess in (0.1, 1.0, 10.0)
    ]
    recovered = np.zeros((3, 2), dtype=int)
    for _ in range(SAMPLES):
        data = draw(network, rng)
        recovered += [[best_is_true(score, data) for score in pair] for pair in scores]
    bdeu, average = np.ptp(recovered, axis=0)
    assert average <= at_most * bdeu, recovered
    assert bdeu >= 20  # there is something to vary less than
    assert recovered[2, 1] > recovered[2, 0]


def test_the_exact_average_recovers_what_bdeu_loses() -> None:
    """With all 29,281 hypothetical structures at ess 10: most of the samples that BDeu gets wrong at 10, not at 0.1."""
    rng = np.random.default_rng(1)
    samples = [draw("skewed", rng) for _ in range(20)]
    small, large = (make_score("bdeu", ess=ess) for ess in (0.1, 10))
    lost = [data for data in samples if best_is_true(small, data) and not best_is_true(large, data)][:4]
    exact = make_score("expected_log_bde", ess=10)
    assert len(lost) == 4
    assert sum(best_is_true(exact, data) for data in lost) >= 3
