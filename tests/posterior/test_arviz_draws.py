"""Bootstrap replicates for ArviZ: draw by draw what the networks are."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise import bootstrap_networks, datasets
from arcwise.confidence import edge_confidence
from arcwise.ensemble import NetworkSet
from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.networks.network_list import edge_draws, to_arviz


@pytest.fixture(scope="module")
def networks() -> NetworkSet:
    return bootstrap_networks(datasets.load("iris"), replicates=12, seed=1, progress=False)


def test_the_draws_are_the_networks(networks: NetworkSet) -> None:
    draws = edge_draws(networks)
    confidence = edge_confidence(networks)
    names = networks.names
    unsure = 0
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            joined = [names[i] in dag.parents_of(names[j]) or names[j] in dag.parents_of(names[i]) for dag in networks]
            name = f"{names[i]} - {names[j]}"
            if name in draws:
                assert draws[name].tolist() == joined
                assert draws[name].mean() == pytest.approx(confidence.present[i, j])
                unsure += 1
            else:
                assert len(set(joined)) == 1
    assert unsure == len(draws) - 1 > 0
    assert np.array_equal(draws["score"], networks.scores)


def test_arviz_takes_them(networks: NetworkSet) -> None:
    pytest.importorskip("arviz", reason="ArviZ is an optional extra: pip install 'arcwise[arviz]'")
    found = to_arviz(networks)
    assert dict(found.posterior.sizes)["draw"] == 12


def test_networks_with_weights_are_refused() -> None:
    pytest.importorskip("arviz", reason="ArviZ is an optional extra: pip install 'arcwise[arviz]'")
    one, other = Dag.from_parents({"a": [], "b": ["a"]}), Dag(["a", "b"], [(), ()])
    weighted = NetworkSet.from_dags([one, other], scores=[-1.0, -3.0], origin="given").with_weights("posterior")
    with pytest.raises(OptionError, match="weights of their own"):
        to_arviz(weighted)
