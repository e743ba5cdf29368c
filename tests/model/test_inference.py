from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import OptionError, UnknownNameError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, read_bif

from .conftest import random_networks


def joint_table(network: BayesianNetwork) -> np.ndarray:
    """The whole joint distribution, cell by cell: the oracle."""
    joint = np.ones([len(states) for states in network.states])
    for cell in itertools.product(*(range(len(states)) for states in network.states)):
        for v, name in enumerate(network.names):
            joint[cell] *= network.table(name)[tuple(cell[u] for u in (*network.dag.parents[v], v))]
    return joint


@given(random_networks(max_variables=6, max_states=3), st.data())
def test_every_query_equals_the_sum_over_the_joint_table(network: BayesianNetwork, choice: st.DataObject) -> None:
    joint = joint_table(network)
    shuffled = choice.draw(st.permutations(range(network.n_variables)))
    asked = shuffled[: choice.draw(st.integers(1, network.n_variables))]
    others = shuffled[len(asked) :]
    observed = {
        v: choice.draw(st.integers(0, len(network.states[v]) - 1)) for v in others if choice.draw(st.booleans())
    }
    evidence = {network.names[v]: network.states[v][state] for v, state in observed.items()}
    index = tuple(slice(observed[v], observed[v] + 1) if v in observed else slice(None) for v in range(joint.ndim))
    summed = joint[index].sum(axis=tuple(v for v in range(joint.ndim) if v not in asked))
    remaining = sorted(asked)
    expected = summed.transpose([remaining.index(v) for v in asked])
    total = expected.sum()
    assert network.log_probability(evidence) == pytest.approx(math.log(total) if total > 0 else -math.inf, abs=1e-12)
    names = [network.names[v] for v in asked]
    if total == 0:
        with pytest.raises(OptionError, match="the evidence is impossible"):
            network.query(names, evidence=evidence)
        return
    result = network.query(names, evidence=evidence)
    np.testing.assert_allclose(result.probabilities, expected / total, atol=1e-12)
    assert result.log_evidence == pytest.approx(math.log(total) if evidence else 0, abs=1e-12)
    assert result.names == tuple(names)


def test_marginals_and_lookups(sprinkler: BayesianNetwork) -> None:
    given_wet = sprinkler.marginals(evidence={"wet": "yes"})
    assert list(given_wet) == ["cloudy", "sprinkler", "rain"]
    # Russell and Norvig's example, as Murphy's introduction computes it.
    assert given_wet["sprinkler"]["yes"] == pytest.approx(0.2781 / 0.6471, abs=1e-4)
    assert given_wet["rain"]["yes"] == pytest.approx(0.4581 / 0.6471, abs=1e-4)
    assert math.exp(sprinkler.log_probability({"wet": "yes"})) == pytest.approx(0.6471, abs=1e-12)
    pair = sprinkler.query(["rain", "sprinkler"], evidence={"wet": "yes"})
    series = pair.to_series()
    assert series["yes", "no"] == pair["yes", "no"]
    assert series.index.names == ["rain", "sprinkler"]
    assert sprinkler.query("rain").to_series()["yes"] == pytest.approx(0.5)


def test_states_may_be_given_by_their_text() -> None:
    network = BayesianNetwork(Dag(["a"], [()]), [["0", "1"]], [[[0.25, 0.75]]])
    assert math.exp(network.log_probability({"a": 1})) == pytest.approx(0.75)
    assert network.query(["a"])[1] == 0.75


def test_published_networks_agree_with_pgmpy(shared: Path) -> None:
    golden = json.loads((Path(__file__).parent / "golden" / "pgmpy_inference.json").read_text())
    assert len(golden["queries"]) >= 10
    for entry in golden["queries"]:
        network = read_bif(shared / "data" / "networks" / f"{entry['network']}.bif.gz")
        result = network.query(entry["variables"], evidence=entry["evidence"])
        np.testing.assert_allclose(result.probabilities, entry["probabilities"], atol=1e-9)


def test_the_likelihood_of_published_data_agrees_with_pgmpy(shared: Path) -> None:
    golden = json.loads((Path(__file__).parent / "golden" / "pgmpy_inference.json").read_text())
    for entry in golden["likelihoods"]:
        network = read_bif(shared / "data" / "networks" / f"{entry['network']}.bif.gz")
        row = network.sample(entry["rows"], seed=entry["seed"])
        assert network.log_likelihood(row) == pytest.approx(entry["log_likelihood"], rel=1e-10)


def test_long_evidence_does_not_underflow() -> None:
    n = 400
    dag = Dag([f"v{i}" for i in range(n)], [()] + [(i,) for i in range(n - 1)])
    network = BayesianNetwork(dag, [["a", "b"]] * n, [[[0.5, 0.5]]] + [[[0.001, 0.999], [0.001, 0.999]]] * (n - 1))
    evidence = {f"v{i}": "a" for i in range(1, n)}
    assert network.log_probability(evidence) == pytest.approx((n - 1) * math.log(0.001), rel=1e-12)
    assert network.query(["v0"], evidence=evidence)["a"] == pytest.approx(0.5)


def test_more_parents_than_numpy_has_axes() -> None:
    n = 100
    dag = Dag([f"v{i}" for i in range(n + 1)], [()] * n + [tuple(range(n))])
    states = [["only"]] * (n - 1) + [["a", "b"]] * 2
    network = BayesianNetwork(dag, states, [[[1.0]]] * (n - 1) + [[[0.5, 0.5]], [[0.1, 0.9], [0.3, 0.7]]])
    assert network.query([f"v{n}", "v0"])["a", "only"] == pytest.approx(0.2)


def test_a_query_that_is_too_large_is_refused_at_once(shared: Path) -> None:
    names = [f"v{i}" for i in range(200)]
    network = BayesianNetwork(Dag(names, [()] * 200), [["a", "b"]] * 200, [[[0.5, 0.5]]] * 200)
    with pytest.raises(OptionError, match=r"the query is too large: it needs a table of 1,125,899,906,842,624 numbers"):
        network.query(names[:50])
    alarm = read_bif(shared / "data" / "networks" / "alarm.bif.gz")
    with pytest.raises(OptionError, match="at most 4 are allowed"):
        alarm.query(["BP"], max_cells=4)


def test_undefined_entries_matter_only_where_the_query_meets_them(sprinkler: BayesianNetwork) -> None:
    tables = [*sprinkler.tables[:3], [[np.nan] * 2, *sprinkler.tables[3][1:].tolist()]]
    network = BayesianNetwork(sprinkler.dag, sprinkler.states, tables)
    assert network.query(["rain"])["yes"] == pytest.approx(0.5)
    assert network.query(["wet"], evidence={"rain": "yes", "sprinkler": "yes"})["yes"] == pytest.approx(0.99)
    with pytest.raises(OptionError, match=r"undefined entries of the table of 'wet', .* wet \| sprinkler=no, rain=no"):
        network.query(["wet"])


@pytest.mark.parametrize(
    ("variables", "evidence", "error", "message"),
    [
        ([], {}, OptionError, "at least one variable"),
        (["rain", "rain"], {}, OptionError, "names a variable twice"),
        (["rain"], {"rain": "yes"}, OptionError, "'rain' is both asked for and observed"),
        (["rian"], {}, UnknownNameError, "did you mean 'rain'"),
        (["rain"], {"wet": "y"}, UnknownNameError, "unknown state of 'wet' 'y'"),
        (["rain"], {"wett": "yes"}, UnknownNameError, "did you mean 'wet'"),
        (["cloudy"], {"wet": "yes", "rain": "no", "sprinkler": "no"}, OptionError, "impossible: wet=yes, rain=no, spr"),
    ],
)
def test_wrong_queries_are_named(
    sprinkler: BayesianNetwork, variables: list[str], evidence: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sprinkler.query(variables, evidence=evidence)
