"""NIP-BDe and expected log-BDe: the definitions by brute force, sampling, and what Ueno & Uto's tables show."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Dag, all_dags, class_keys_from_masks
from arcwise.scores import JointPrior, Score, make_score
from arcwise.scores.hypothetical_structures import all_structures, every_structure, smoothed_joints


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
    assert sample.score_family(data, 2, [0]) == pytest.approx(sample.score_family_twin(data, 2, [0]), rel=1e-12)
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


# Networks over 0 -> 2 <- 1, 2 -> 3, 2 -> 4 with binary variables: the probability of state 1 given the parents.
PARENTS = ((), (), (0, 1), (2,), (2,))
NETWORKS: dict[str, list[Any]] = {
    "skewed": [0.8, 0.2, [[0.05, 0.95], [0.6, 0.99]], [0.02, 0.9], [0.97, 0.05]],
    "mid": [0.6, 0.4, [[0.2, 0.7], [0.45, 0.9]], [0.2, 0.8], [0.8, 0.3]],
    "uniform": [0.5, 0.5, [[0.35, 0.6], [0.6, 0.4]], [0.4, 0.6], [0.6, 0.4]],
}
FAMILIES = [(v, ps) for v in range(5) for k in range(5) for ps in itertools.combinations(sorted({*range(5)} - {v}), k)]


def draw(network: list[Any], cases: int, rng: np.random.Generator) -> Dataset:
    codes = np.zeros((cases, 5), dtype=int)
    for v, parents in enumerate(PARENTS):
        probability = np.array(network[v])[tuple(codes[:, p] for p in parents)]
        codes[:, v] = rng.random(cases) < probability
    return Dataset.from_codes(codes, states=[["0", "1"]] * 5)


@functools.cache
def every_class() -> tuple[np.ndarray, np.ndarray]:
    masks = every_structure(5)
    return masks, class_keys_from_masks(masks, progress=False)


def best_is_true(score: Score, data: Dataset) -> bool:
    """Whether the best of all 29,281 DAGs is in the class of the true one."""
    masks, keys = every_class()
    true = np.array([[sum(1 << p for p in parents) for parents in PARENTS]], dtype=np.uint64)
    local = np.full((5, 32), -np.inf)
    for (v, parents), value in zip(FAMILIES, score.score_families(data, FAMILIES), strict=True):
        local[v, sum(1 << p for p in parents)] = value
    best = np.argmax(local[np.arange(5), masks.astype(np.int64)].sum(axis=1))
    return bool((keys[best] == class_keys_from_masks(true, progress=False)[0]).all())


@pytest.fixture(scope="module")
def recovered() -> dict[tuple[str, str], list[int]]:
    """How often, of 10 samples, the true class is found, for equivalent sample sizes 0.1, 1 and 10."""
    result: dict[tuple[str, str], list[int]] = {}
    for network, cases in (("skewed", 500), ("mid", 1000), ("uniform", 1000)):
        rng = np.random.default_rng(7)
        samples = [draw(NETWORKS[network], cases, rng) for _ in range(10)]
        for name, options in (("bdeu", {}), ("expected_log_bde", {"structures": "sample", "samples": 100})):
            scores = [make_score(name, ess=ess, **options) for ess in (0.1, 1.0, 10.0)]
            result[name, network] = [sum(best_is_true(score, data) for data in samples) for score in scores]
    return result


def test_recovery_depends_less_on_the_sample_size_than_with_bdeu(recovered: dict[tuple[str, str], list[int]]) -> None:
    """As in Tables 1 and 2 of Ueno & Uto: BDeu breaks down for skewed distributions at ess 10, the average does not.

    The networks and numbers of cases were picked among several tried, so this shows an effect that exists, not how
    general it is. All of the difference comes from the skewed network. Not every choice shows it: with two parents of
    weak and unequal effect and 500 cases, the average varied more than BDeu (6, 11, 14 against 11, 13, 11 of 20).
    """
    spread = {key: max(hits) - min(hits) for key, hits in recovered.items()}
    for network in NETWORKS:
        assert spread["expected_log_bde", network] <= spread["bdeu", network] + 1
    totals = {name: sum(spread[name, network] for network in NETWORKS) for name in ("bdeu", "expected_log_bde")}
    assert totals["expected_log_bde"] <= 0.5 * totals["bdeu"]
    assert recovered["bdeu", "skewed"][2] <= 2
    assert recovered["expected_log_bde", "skewed"][2] >= 6


def test_the_exact_average_recovers_what_bdeu_loses() -> None:
    """The same with all 29,281 hypothetical structures, for one sample of the skewed network."""
    data = draw(NETWORKS["skewed"], 500, np.random.default_rng(7))
    assert not best_is_true(make_score("bdeu", ess=10), data)
    assert best_is_true(make_score("expected_log_bde", ess=10), data)
