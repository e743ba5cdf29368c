from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from arcwise.errors import OptionError, UnknownNameError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork

ARC = Dag.from_arcs(["a", "b"], [("a", "b")])
STATES = [["x", "y"], ["u", "v", "w"]]
TABLES = [[[0.4, 0.6]], [[0.2, 0.3, 0.5], [1, 0, 0]]]


def test_a_network_is_immutable_and_says_what_it_is() -> None:
    network = BayesianNetwork(ARC, STATES, TABLES)
    assert repr(network) == "BayesianNetwork(2 variables, 1 arcs, 5 free parameters)"
    assert network.tables[1].shape == (2, 3)
    assert network.parents("b") == ("a",)
    assert network.is_defined
    with pytest.raises(ValueError, match="read-only"):
        network.tables[1][0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        network.table("b")[0, 0] = 1


def test_the_input_is_copied() -> None:
    table = np.array([[0.4, 0.6]])
    network = BayesianNetwork(Dag(["a"], [()]), [["x", "y"]], [table])
    table[0, 0] = 0.7
    assert network.tables[0][0, 0] == 0.4


def test_tables_by_name_and_with_one_axis_per_parent(sprinkler: BayesianNetwork) -> None:
    assert sprinkler.table("wet").shape == (2, 2, 2)
    assert sprinkler.tables[3].tolist() == [[1.0, 0.0], [0.1, 0.9], [0.1, 0.9], [0.01, 0.99]]
    assert sprinkler.describe_row(3, 2) == "wet | sprinkler=yes, rain=no"
    assert sprinkler.n_free_parameters == 9


def test_equality_and_copies(sprinkler: BayesianNetwork) -> None:
    undefined = BayesianNetwork(ARC, STATES, [TABLES[0], [[np.nan] * 3, [1, 0, 0]]])
    assert not undefined.is_defined
    for network in (sprinkler, undefined):
        for twin in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
            assert twin == network
            assert hash(twin) == hash(network)
            with pytest.raises(ValueError, match="read-only"):
                twin.tables[0][0, 0] = 1
    near = BayesianNetwork(ARC, STATES, [[[0.4 + 1e-13, 0.6 - 1e-13]], TABLES[1]])
    network = BayesianNetwork(ARC, STATES, TABLES)
    assert near != network
    assert near.is_close(network)
    assert not near.is_close(network, tolerance=1e-14)
    assert network != undefined
    assert network != sprinkler


MISTAKES = {
    "no variable": (Dag([], []), [], [], "at least one variable"),
    "states missing": (ARC, STATES[:1], TABLES, "states are given for 1 variables, but the DAG has 2"),
    "state not a string": (ARC, [[0, 1], STATES[1]], TABLES, "a state's name is a string that is not empty"),
    "empty state": (ARC, [["x", ""], STATES[1]], TABLES, "a state's name is a string that is not empty"),
    "state twice": (ARC, [["x", "x"], STATES[1]], TABLES, "variable 'a' has the state 'x' twice"),
    "no states": (ARC, [[], STATES[1]], TABLES, "variable 'a' has no states"),
    "table missing": (ARC, STATES, {"a": TABLES[0]}, "tables are missing for b"),
    "table unknown": (ARC, STATES, {"a": TABLES[0], "B": TABLES[1]}, "tables: unknown variable 'B'"),
    "shape": (ARC, STATES, [TABLES[0], [[1, 0, 0]]], r"table of 'b' given a has shape \(1, 3\); it must be \(2, 3\)"),
    "not numbers": (ARC, STATES, [TABLES[0], "what"], "table of 'b': not an array of numbers"),
    "sum": (ARC, STATES, [TABLES[0], [[0.2, 0.3, 0.5], [1, 0.1, 0]]], r"row 1 \(b \| a=y\) sums to 1.1"),
    "negative": (ARC, STATES, [[[-0.4, 1.4]], TABLES[1]], r"row 0 \(a\): \[-0.4, 1.4\]; probabilities lie between"),
    "infinite": (ARC, STATES, [[[np.inf, 0]], TABLES[1]], "probabilities lie between"),
    "half undefined": (ARC, STATES, [[[np.nan, 1]], TABLES[1]], "An undefined row is NaN in every column"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_each_mistake_has_its_message(kind: str) -> None:
    dag, states, tables, message = MISTAKES[kind]
    with pytest.raises(OptionError, match=message):
        BayesianNetwork(dag, states, tables)


def test_a_table_beyond_memory_is_refused_before_it_is_made() -> None:
    names = [f"v{i}" for i in range(80)]
    dag = Dag(names, [()] * 79 + [tuple(range(79))])
    with pytest.raises(OptionError, match="The largest is that of 'v79', with 79 parents and 604,462,909,807,314,587"):
        BayesianNetwork(dag, [["a", "b"]] * 80, [[[0.5, 0.5]]] * 80)


def test_unknown_names_are_answered_with_the_nearest(sprinkler: BayesianNetwork) -> None:
    with pytest.raises(UnknownNameError, match="unknown variable 'rian'; did you mean 'rain'"):
        sprinkler.table("rian")
    with pytest.raises(UnknownNameError, match="unknown state of 'rain' 'yess'; did you mean 'yes'"):
        sprinkler.state_index("rain", "yess")
