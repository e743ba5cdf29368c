from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.inference import joint_twin, most_probable_twin

from arcwise.data import Table
from arcwise.errors import OptionError, UnknownNameError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, read_bif
from arcwise.progress import ProgressEvent

from .conftest import random_networks


def joint_table(network: BayesianNetwork) -> np.ndarray:
    """The whole joint distribution, cell by cell: the oracle."""
    joint = np.ones([len(states) for states in network.states])
    for cell in itertools.product(*(range(len(states)) for states in network.states)):
        for v, name in enumerate(network.names):
            joint[cell] *= network.table(name)[tuple(cell[u] for u in (*network.dag.parents[v], v))]
    return joint


def evidence_of(network: BayesianNetwork, choice: st.DataObject, among: list[int]) -> dict[str, str]:
    return {
        network.names[v]: choice.draw(st.sampled_from(network.states[v])) for v in among if choice.draw(st.booleans())
    }


@given(random_networks(max_variables=6, max_states=3), st.data())
def test_the_native_core_agrees_with_its_twin(network: BayesianNetwork, choice: st.DataObject) -> None:
    evidence = evidence_of(network, choice, list(range(network.n_variables)))
    others = [name for name in network.names if name not in evidence]
    total = float(joint_twin(network, [], evidence))
    if total == 0:
        for ask in (network.marginals, network.most_probable):
            with pytest.raises(OptionError, match="the evidence is impossible"):
                ask(evidence)
        return
    found = network.marginals(evidence)
    assert list(found) == others
    assert found.log_evidence == pytest.approx(math.log(total) if evidence else 0, abs=1e-12)
    for name in others:
        np.testing.assert_allclose(found[name].probabilities, joint_twin(network, [name], evidence) / total, atol=1e-12)
    best = network.most_probable(evidence)
    _, log_top = most_probable_twin(network, evidence)
    assert best.log_joint == pytest.approx(log_top, abs=1e-12)
    assert list(best.states) == others
    # Ties may be broken in another way: what counts is how probable the states are.
    assert network.log_probability({**evidence, **best.states}) == pytest.approx(log_top, abs=1e-12)
    assert best.probability == pytest.approx(math.exp(log_top) / total)


def test_the_twin_is_the_sum_over_the_joint_table(sprinkler: BayesianNetwork) -> None:
    joint = joint_table(sprinkler)
    np.testing.assert_allclose(joint_twin(sprinkler, sprinkler.names, {}), joint, atol=1e-15)
    given = joint[:, :, :, 1].sum(axis=1)
    np.testing.assert_allclose(joint_twin(sprinkler, ["rain", "cloudy"], {"wet": "yes"}), given.T, atol=1e-15)
    states, log_top = most_probable_twin(sprinkler, {"wet": "yes"})
    assert states == {"cloudy": "yes", "sprinkler": "no", "rain": "yes"}
    assert math.exp(log_top) == pytest.approx(0.5 * 0.9 * 0.8 * 0.9)


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
    assert list(pair.to_frame().columns) == ["rain", "sprinkler", "probability"]
    assert pair.most_probable == ("yes", "no")
    frame = given_wet.to_frame()
    assert frame.query("variable == 'rain' and state == 'yes'")["probability"].item() == given_wet["rain"]["yes"]
    with pytest.raises(UnknownNameError, match="observed"):
        given_wet["wet"]
    best = sprinkler.most_probable({"wet": "yes"})
    assert best.to_frame().to_dict(orient="list")["state"] == ["yes", "no", "yes"]
    assert "0.5007" in repr(best)
    assert "yes: 0.7079" in repr(given_wet["rain"])


def test_states_may_be_given_by_their_text() -> None:
    network = BayesianNetwork(Dag(["a"], [()]), [["0", "1"]], [[[0.25, 0.75]]])
    assert math.exp(network.log_probability({"a": 1})) == pytest.approx(0.75)
    assert network.query(["a"])[1] == 0.75


def test_published_networks_agree_with_pgmpy(networks: Path) -> None:
    golden = json.loads((Path(__file__).parent / "golden" / "pgmpy_inference.json").read_text())
    assert len(golden["queries"]) >= 10
    for entry in golden["queries"]:
        network = read_bif(networks / f"{entry['network']}.bif.gz")
        result = network.query(entry["variables"], evidence=entry["evidence"])
        np.testing.assert_allclose(result.probabilities, entry["probabilities"], atol=1e-9)


def test_the_likelihood_of_published_data_agrees_with_pgmpy(networks: Path) -> None:
    golden = json.loads((Path(__file__).parent / "golden" / "pgmpy_inference.json").read_text())
    for entry in golden["likelihoods"]:
        network = read_bif(networks / f"{entry['network']}.bif.gz")
        row = network.sample(entry["rows"], seed=entry["seed"])
        assert network.log_likelihood(row) == pytest.approx(entry["log_likelihood"], rel=1e-10)


def test_long_evidence_does_not_underflow() -> None:
    n = 400
    dag = Dag([f"v{i}" for i in range(n)], [()] + [(i,) for i in range(n - 1)])
    network = BayesianNetwork(dag, [["a", "b"]] * n, [[[0.5, 0.5]]] + [[[0.001, 0.999], [0.001, 0.999]]] * (n - 1))
    evidence = {f"v{i}": "a" for i in range(1, n)}
    assert network.log_probability(evidence) == pytest.approx((n - 1) * math.log(0.001), rel=1e-12)
    assert network.query(["v0"], evidence=evidence)["a"] == pytest.approx(0.5)


def test_what_underflows_a_double_is_still_answered() -> None:
    # State b of the root is the only possible one, and explains each of 400 children 1,000 times worse than a would.
    n = 401
    dag = Dag([f"v{i}" for i in range(n)], [(), *[(0,)] * (n - 1)])
    child = [[0.999, 0.001, 0], [0.001, 0.499, 0.5]]
    network = BayesianNetwork(dag, [["a", "b"], *[["x", "y", "z"]] * (n - 1)], [[[0.5, 0.5]], *[child] * (n - 1)])
    evidence = {f"v{i}": "x" for i in range(1, n - 1)} | {f"v{n - 1}": "z"}
    expected = math.log(0.5) + (n - 2) * math.log(0.001) + math.log(0.5)
    assert network.log_probability(evidence) == pytest.approx(expected, rel=1e-12)
    found = network.query("v0", evidence)
    assert found["b"] == 1
    assert found.log_evidence == pytest.approx(expected, rel=1e-12)
    del evidence["v7"]
    left = network.marginals(evidence)
    assert left["v0"]["b"] == 1
    assert left["v7"]["y"] == pytest.approx(0.499)
    assert network.most_probable(evidence).states == {"v0": "b", "v7": "z"}
    rows = network.query_rows("v0", Table.from_dataframe(pd.DataFrame([evidence])))
    assert rows.probabilities.tolist() == [[0, 1]]


def wide_network(parents: int) -> BayesianNetwork:
    """One child of many parents: a clique of 2^(parents + 1) cells, and nearly as many in the table."""
    rng = np.random.default_rng(3)
    share = rng.random(2**parents)
    roots = [[[p, 1 - p]] for p in rng.random(parents).tolist()]
    dag = Dag([f"v{i}" for i in range(parents + 1)], [*[()] * parents, tuple(range(parents))])
    return BayesianNetwork(dag, [["a", "b"]] * (parents + 1), [*roots, np.column_stack([share, 1 - share])])


def test_a_large_clique_is_split_and_threads_do_not_change_a_bit() -> None:
    network = wide_network(18)
    evidence = {"v18": "b"}
    whole = joint_twin(network, [f"v{i}" for i in range(18)], evidence)
    one, many = (network.marginals(evidence, threads=threads) for threads in (1, 3))
    assert one.log_evidence == many.log_evidence == pytest.approx(math.log(whole.sum()), abs=1e-12)
    for v in range(18):
        expected = whole.sum(axis=tuple(u for u in range(18) if u != v)) / whole.sum()
        np.testing.assert_allclose(one[f"v{v}"].probabilities, expected, atol=1e-12)
        assert one[f"v{v}"].probabilities.tobytes() == many[f"v{v}"].probabilities.tobytes()
    pair = network.query(["v17", "v0"], evidence, threads=2)
    np.testing.assert_allclose(pair.probabilities, whole.sum(axis=tuple(range(1, 17))).T / whole.sum(), atol=1e-12)
    assert pair.probabilities.tobytes() == network.query(["v17", "v0"], evidence, threads=1).probabilities.tobytes()
    best = network.most_probable(evidence)
    cell = np.unravel_index(int(whole.argmax()), whole.shape)
    assert [best[f"v{v}"] for v in range(18)] == ["ab"[i] for i in cell]
    assert best.states == network.most_probable(evidence, threads=3).states


def test_marginals_one_by_one_are_those_of_one_propagation(networks: Path) -> None:
    # Without evidence, munin1 is answered variable by variable; with two leaves observed, at once.
    munin = read_bif(networks / "munin1.bif.gz")
    found = munin.marginals(threads=2)
    for name in munin.names[::40]:
        np.testing.assert_allclose(found[name].probabilities, munin.query(name).probabilities, atol=1e-12)


def grid(side: int) -> Dag:
    arcs = [(f"{i}.{j}", f"{i + 1}.{j}") for i in range(side - 1) for j in range(side)]
    arcs += [(f"{i}.{j}", f"{i}.{j + 1}") for i in range(side) for j in range(side - 1)]
    return Dag.from_arcs([f"{i}.{j}" for i in range(side) for j in range(side)], arcs)


def test_what_is_observed_rules_out_states_before_a_query_is_refused() -> None:
    # Who is "on" has parents that are "on": if the last one is, all are. In the middle there is a third state.
    dag = grid(40)
    third = dag.names.index("20.20")
    states = [["off", "on", "odd"] if v == third else ["off", "on"] for v in range(dag.n_nodes)]
    tables = []
    for v, parents in enumerate(dag.parents):
        shape = [len(states[parent]) for parent in parents]
        table = np.zeros([*shape, len(states[v])])
        table[..., 0] = 1
        table[(1,) * len(parents)] = [0.25, 0.5, 0.25] if v == third else [0.1, 0.9]
        tables.append(table.reshape(-1, len(states[v])))
    network = BayesianNetwork(dag, states, tables)
    with pytest.raises(OptionError, match="too large"):
        network.query("39.39")
    evidence = {"39.39": "on"}
    expected = 1599 * np.log(0.9) + np.log(0.5)
    assert network.log_probability(evidence) == pytest.approx(expected)
    np.testing.assert_array_equal(network.query(["20.20", "0.0"], evidence).probabilities, [[0, 0], [0, 1], [0, 0]])
    marginals = network.marginals(evidence)
    assert len(marginals) == 1599
    np.testing.assert_array_equal(marginals["20.20"].probabilities, [0, 1, 0])
    best = network.most_probable(evidence)
    assert set(best.states.values()) == {"on"}
    assert best.log_joint == pytest.approx(expected)
    assert network.log_probability({**evidence, "0.0": "off"}) == -np.inf
    with pytest.raises(OptionError, match="impossible"):
        network.marginals({**evidence, "5.5": "off"})


def test_an_interrupted_query_raises() -> None:
    side = 18
    dag = grid(side)
    rng = np.random.default_rng(1)
    tables = [rng.dirichlet([1, 1], size=2 ** len(parents)) for parents in dag.parents]
    network = BayesianNetwork(dag, [["a", "b"]] * dag.n_nodes, tables)

    def stop(event: ProgressEvent) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        network.query(f"{side - 1}.{side - 1}", progress=stop)


def test_more_parents_than_numpy_has_axes() -> None:
    n = 100
    dag = Dag([f"v{i}" for i in range(n + 1)], [()] * n + [tuple(range(n))])
    states = [["only"]] * (n - 1) + [["a", "b"]] * 2
    network = BayesianNetwork(dag, states, [[[1.0]]] * (n - 1) + [[[0.5, 0.5]], [[0.1, 0.9], [0.3, 0.7]]])
    assert network.query([f"v{n}", "v0"])["a", "only"] == pytest.approx(0.2)


def test_a_query_that_is_too_large_is_refused_at_once(networks: Path) -> None:
    names = [f"v{i}" for i in range(200)]
    network = BayesianNetwork(Dag(names, [()] * 200), [["a", "b"]] * 200, [[[0.5, 0.5]]] * 200)
    with pytest.raises(OptionError, match=r"too large: .* width 49, with 1,125,899,906,842,624 cells in the largest"):
        network.query(names[:50])
    alarm = read_bif(networks / "alarm.bif.gz")
    for ask in (lambda: alarm.query("BP", max_cells=4), lambda: alarm.most_probable(max_cells=4)):
        with pytest.raises(OptionError, match="at most 4 are allowed"):
            ask()


def test_wide_networks_are_answered_or_refused_with_the_width(networks: Path) -> None:
    link = read_bif(networks / "link.bif.gz")
    with pytest.raises(OptionError, match=r"too large: its junction tree has width 1\d, with [\d,]+ cells"):
        link.most_probable(max_cells=2**20)
    diabetes = read_bif(networks / "diabetes.bif.gz")
    found = diabetes.marginals()
    assert len(found) == diabetes.n_variables
    for name in diabetes.names[::50]:
        np.testing.assert_allclose(found[name].probabilities, diabetes.query(name).probabilities, atol=1e-12)


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
