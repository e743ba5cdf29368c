"""BDe with prior networks."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.twins.scores import score_family_twin

from arcwise.data import Dataset, write_data
from arcwise.errors import DataError, OptionError
from arcwise.exact import find_optimal
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import JointPrior, PriorNetwork, UniformPrior, dirichlet, make_score


def make_data(seed: int = 0, variables: int = 4) -> Dataset:
    rng = np.random.default_rng(seed)
    arities = [2, 3, 2, 4, *[2] * 20][:variables]
    codes = np.stack([rng.integers(0, r, 60) for r in arities], axis=1)
    codes[:, 1] = (codes[:, 0] + codes[:, 1] // 2) % 3
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities])


def families(data: Dataset) -> list[tuple[int, tuple[int, ...]]]:
    n = data.n_variables
    others = [[u for u in range(n) if u != v] for v in range(n)]
    return [(v, ps) for v in range(n) for k in range(n) for ps in itertools.combinations(others[v], k)]


def random_prior(data: Dataset, seed: int = 1) -> JointPrior:
    cells = int(np.prod(data.arities))
    table = np.random.default_rng(seed).dirichlet(np.ones(cells)).reshape(tuple(data.arities))
    return JointPrior(data.names, table)


@pytest.mark.parametrize("ess", [0.1, 1.0, 50.0])
def test_a_uniform_prior_makes_it_bdeu(ess: float) -> None:
    data = make_data()
    shape = tuple(data.arities)
    table = JointPrior(data.names, np.full(shape, 1 / np.prod(shape)))
    bdeu = make_score("bdeu", ess=ess).score_families(data, families(data))
    for prior in (UniformPrior.of(data), table):
        score = make_score("bde", prior=prior, ess=ess)
        np.testing.assert_allclose(score.score_families(data, families(data)), bdeu, rtol=1e-12)


def test_asking_per_family_gives_the_same_as_the_joint_table(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_data()
    score = make_score("bde", prior=random_prior(data), ess=4)
    dense = score.score_families(data, families(data))
    monkeypatch.setattr(dirichlet, "DENSE_CELLS", 1)
    np.testing.assert_allclose(score.score_families(data, families(data)), dense, rtol=1e-12)


def test_a_prior_over_more_variables_than_a_joint_table_holds() -> None:
    data = make_data(variables=24)
    score = make_score("bde", prior=UniformPrior.of(data), ess=2)
    expected = make_score("bdeu", ess=2).score_family(data, 0, [3, 9, 23])
    assert score.score_family(data, 0, [3, 9, 23]) == pytest.approx(expected, rel=1e-12)


def test_a_prior_equal_to_the_data_likes_the_data() -> None:
    """With the empirical joint as prior, BDe tends to the likelihood at its maximum as the sample size grows."""
    data = make_data()
    counts = np.zeros(tuple(data.arities))
    np.add.at(counts, tuple(data.codes.astype(int)), 1)
    prior = JointPrior(data.names, counts / counts.sum())
    likelihood = make_score("ll").score_family(data, 0, [1, 2])
    gaps = [likelihood - make_score("bde", prior=prior, ess=e).score_family(data, 0, [1, 2]) for e in (1, 1e3, 1e9)]
    assert gaps[0] > gaps[1] > gaps[2] > -1e-9
    assert gaps[2] < 1e-5


def test_what_a_prior_rules_out_has_no_probability() -> None:
    data = make_data()
    table = np.ones(tuple(data.arities))
    table[1] = 0
    score = make_score("bde", prior=JointPrior(data.names, table / table.sum()))
    assert score.score_family(data, 0, [2]) == -np.inf
    assert score_family_twin(score, data, 0, [2]) == -np.inf


class WrongShape:
    def joint_probabilities(self, variables: Sequence[str]) -> np.ndarray:
        return np.full((2,) * len(variables), 0.5 ** len(variables))


def test_mistakes_with_priors() -> None:
    data = make_data()
    assert isinstance(WrongShape(), PriorNetwork)
    with pytest.raises(OptionError, match="needs prior="):
        make_score("bde")
    with pytest.raises(OptionError, match="needs prior="):
        make_score("bde", prior="uniform")
    with pytest.raises(DataError, match=r"has the shape \(2, 2, 2, 2\), the data \(2, 3, 2, 4\)"):
        make_score("bde", prior=WrongShape()).score_family(data, 1, [0])
    with pytest.raises(DataError, match="gives no joint of"):
        make_score("bde", prior=UniformPrior({"X0": 2})).score_family(data, 1, [0])
    with pytest.raises(OptionError, match="sum 1, not 4"):
        JointPrior(["a", "b"], np.ones((2, 2)))
    with pytest.raises(OptionError, match="as many axes"):
        JointPrior(["a"], np.full((2, 2), 0.25))
    wide = make_data(variables=24)
    many = Dataset.from_codes(np.zeros((3, 60), dtype=int), states=[["a", "b"]] * 60)
    assert wide.n_variables == 24
    with pytest.raises(OptionError, match="Limit the number of parents"):
        make_score("bde", prior=UniformPrior.of(many)).score_family(many, 0, range(1, 60))


def test_marginals_of_a_table() -> None:
    data = make_data()
    prior = random_prior(data)
    joint = prior.joint_probabilities(["X3", "X1"])
    assert joint.shape == (4, 3)
    np.testing.assert_allclose(joint, prior.table.sum(axis=(0, 2)).T)
    assert prior == random_prior(data)
    assert prior != random_prior(data, seed=2)
    assert hash(prior) == hash(random_prior(data))


def prior_network(data: Dataset, seed: int = 3) -> BayesianNetwork:
    """A network over the variables of the data, its states in another order."""
    rng = np.random.default_rng(seed)
    dag = Dag(data.names, [(), (0,), (0, 1), (1,)])
    states = [own[::-1] for own in data.states]
    sizes = [(int(np.prod([len(states[p]) for p in ps])), len(states[v])) for v, ps in enumerate(dag.parents)]
    return BayesianNetwork(dag, states, [rng.dirichlet(np.ones(r), q) for q, r in sizes])


def test_a_network_is_a_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    data, network = make_data(), prior_network(make_data())
    joint = network.joint_probabilities(data.names)
    assert joint.sum() == pytest.approx(1.0)
    assert network.joint_probabilities(["X3", "X1"]) == pytest.approx(joint.sum(axis=(0, 2)).T)
    score = make_score("bde", prior=network, ess=4)
    plain = make_score("bde", prior=JointPrior(data.names, joint[::-1, ::-1, ::-1, ::-1]), ess=4)
    expected = plain.score_families(data, families(data))
    np.testing.assert_allclose(score.score_families(data, families(data)), expected, rtol=1e-12)
    monkeypatch.setattr(dirichlet, "DENSE_CELLS", 1)
    np.testing.assert_allclose(score.score_families(data, families(data)), expected, rtol=1e-12)
    assert score.title == "BDe (prior BayesianNetwork, ess 4)"
    assert score.identity()["prior"] == f"BayesianNetwork:{network.digest}"
    assert prior_network(data, seed=4).digest != network.digest == prior_network(data).digest
    table = build_parent_sets(data, score, progress=False)
    found = find_optimal(table, data=data)
    assert found.score == pytest.approx(score.score_network(data, found.dag))


def test_a_network_with_other_states_is_refused() -> None:
    data, network = make_data(), prior_network(make_data())
    other = BayesianNetwork(network.dag, [("a", "b"), *network.states[1:]], network.tables)
    with pytest.raises(DataError, match="'X0' has the states 0, 1 in the data, and a, b in the prior"):
        make_score("bde", prior=other).score_family(data, 0)


def test_the_command_line_reads_a_prior(cli: Callable[..., str], tmp_path: Path) -> None:
    data, network = make_data(), prior_network(make_data())
    write_data(data, tmp_path / "data.csv")
    network.write(tmp_path / "prior.bif")
    score = make_score("bde", prior=network, ess=50)
    best = find_optimal(build_parent_sets(data, score, progress=False))
    told = cli("optimal", tmp_path / "data.csv", "--score", f"bde:prior={tmp_path / 'prior.bif'},ess=50", "--json")
    assert json.loads(told)["score"] == pytest.approx(best.score)
    told = cli("search", tmp_path / "data.csv", "--score", f"bde:prior={tmp_path / 'prior.bif'}", "--ess", 50, "--json")
    assert json.loads(told)["score"] <= best.score + 1e-9
