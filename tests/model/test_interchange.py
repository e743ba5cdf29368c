from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from arcwise.errors import GraphError, OptionError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, read_bif

from .conftest import random_networks


@given(random_networks(undefined=True))
def test_networkx_attributes_hold_the_whole_network(network: BayesianNetwork) -> None:
    graph = network.to_networkx()
    assert BayesianNetwork.from_networkx(graph) == network
    document = json.loads(json.dumps(nx.node_link_data(graph, edges="edges")))
    assert BayesianNetwork.from_networkx(nx.node_link_graph(document, edges="edges")) == network


def test_parents_in_another_order_are_put_right(sprinkler: BayesianNetwork) -> None:
    graph = sprinkler.to_networkx()
    graph.nodes["wet"]["parents"] = ["rain", "sprinkler"]
    graph.nodes["wet"]["table"] = sprinkler.table("wet").transpose([1, 0, 2]).tolist()
    assert BayesianNetwork.from_networkx(graph) == sprinkler
    del graph.nodes["wet"]["parents"]
    graph.nodes["wet"]["table"] = sprinkler.table("wet")
    assert BayesianNetwork.from_networkx(graph) == sprinkler


def test_a_graph_without_what_a_network_needs_is_refused(sprinkler: BayesianNetwork) -> None:
    graph = sprinkler.to_networkx()
    with pytest.raises(GraphError, match="undirected"):
        BayesianNetwork.from_networkx(graph.to_undirected())
    graph.add_edge("cloudy", "wet")
    with pytest.raises(GraphError, match="node 'wet' lists the parents sprinkler, rain, but its arcs come from cloudy"):
        BayesianNetwork.from_networkx(graph)
    with pytest.raises(GraphError, match="node 'a' has no attribute 'states'"):
        BayesianNetwork.from_networkx(nx.DiGraph([("a", "b")]))
    graph = sprinkler.to_networkx()
    graph.nodes["wet"]["table"] = [0.5, 0.5]
    with pytest.raises(OptionError, match="table of 'wet' has 2 entries"):
        BayesianNetwork.from_networkx(graph)


@pytest.mark.filterwarnings("ignore")
class TestPgmpy:
    @pytest.fixture(autouse=True)
    def _needs_pgmpy(self) -> None:
        pytest.importorskip("pgmpy", reason="pgmpy is an optional peer")

    @pytest.mark.parametrize("name", ["cancer", "alarm", "hailfinder", "water"])
    def test_a_network_survives_the_way_there_and_back(self, name: str, networks: Path) -> None:
        network = read_bif(networks / f"{name}.bif.gz").normalized()
        model = network.to_pgmpy()
        assert model.check_model()
        assert BayesianNetwork.from_pgmpy(model).is_close(network)

    def test_states_that_a_table_numbers_in_its_own_order(self) -> None:
        from pgmpy.factors.discrete import TabularCPD

        network = BayesianNetwork(
            Dag.from_arcs(["a", "b"], [("a", "b")]),
            [["x", "y"], ["u", "v"]],
            [[[0.4, 0.6]], [[0.1, 0.9], [0.7, 0.3]]],
        )
        model = network.to_pgmpy()
        model.remove_cpds("b")
        model.add_cpds(
            TabularCPD("b", 2, [[0.7, 0.1], [0.3, 0.9]], ["a"], [2], state_names={"b": ["u", "v"], "a": ["y", "x"]})
        )
        assert BayesianNetwork.from_pgmpy(model) == network

    def test_what_pgmpy_cannot_hold_is_refused(self) -> None:
        network = BayesianNetwork(Dag(["a"], [()]), [["x", "y"]], [[[np.nan, np.nan]]])
        with pytest.raises(OptionError, match="pgmpy has no undefined entries"):
            network.to_pgmpy()
