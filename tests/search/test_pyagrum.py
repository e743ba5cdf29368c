"""Hill climbing and tabu search reach at least what pyAgrum's reach, on samples of known networks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcwise.model import read_bif
from arcwise.search import hill_climb, tabu_search

GOLDEN = json.loads((Path(__file__).resolve().parents[1] / "golden/pyagrum_climbs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLDEN["networks"])
def test_at_least_pyagrums_bic(shared: Path, name: str) -> None:
    """From the empty network with no parent limit, as pyAgrum; with ten restarts that break ties in other orders.

    Which local optimum a climb from the empty network ends in is decided by ties between equal changes: without
    restarts we are above pyAgrum in most samples and below in some (water here), which says nothing about either.
    """
    golden = GOLDEN["networks"][name]
    network = read_bif(shared / f"data/networks/{name}.bif.gz")
    data = network.sample(GOLDEN["cases"], seed=GOLDEN["seed"], progress=False)
    assert data.digest == golden["digest"]
    for method, search in (("hill-climbing", hill_climb), ("tabu", tabu_search)):
        once = search(data)
        found = search(data, restarts=10, perturb=0, seed=1)
        assert found.score >= once.score
        assert found.score >= golden[method] - 1e-6, method
