"""The limit of parents that searches have if nobody gives one: what is found can be fitted."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.ensemble import bootstrap_networks
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.local import LocalSearchResult, first_ascent, genetic_search, hill_climb, tabu_search
from arcwise.model import fit_parameters


@pytest.fixture(scope="module")
def rare() -> Dataset:
    """Something that happens if any of eighty rare events does: all of them are its parents by BDeu."""
    events = np.random.default_rng(1).random((600, 80)) < 0.015
    codes = np.column_stack([events, events.any(axis=1)]).astype(int)
    return Dataset.from_codes(codes, states=[["no", "yes"]] * 81)


def most_parents(found: LocalSearchResult) -> int:
    return max(map(len, found.dag.parents))


def test_without_a_limit_a_network_cannot_be_fitted(rare: Dataset) -> None:
    free = hill_climb(rare, "bdeu", max_parents=None, refine=0, by_position=True)
    assert free.usual_limit is None
    assert most_parents(free) > 30
    with pytest.raises(OptionError, match=r"at most .* are supported"):
        fit_parameters(free.dag, rare, progress=False)
    for search in (hill_climb, tabu_search):
        found = search(rare, "bdeu", refine=0)
        assert found.usual_limit == 9  # 2^9 <= 600 < 2^10
        assert most_parents(found) == 9
        assert fit_parameters(found.dag, rare, progress=False).n_variables == 81
    assert most_parents(first_ascent(rare, "k2", seed=1)) <= 9
    assert most_parents(genetic_search(rare, "k2", seed=1, patience=1)) <= 9


def test_what_is_given_counts_and_penalties_that_count_cells_need_none(rare: Dataset) -> None:
    assert hill_climb(rare, "bic", refine=0).usual_limit is None
    assert most_parents(hill_climb(rare, "bdeu", max_parents=12, refine=0)) == 12
    own = Constraints(rare.names, max_parents_of={rare.names[0]: 20})
    assert hill_climb(rare, "bdeu", constraints=own, refine=0).usual_limit is None
    needed = Constraints(rare.names, required=[(name, rare.names[0]) for name in rare.names[1:12]])
    assert hill_climb(rare, "bdeu", constraints=needed, refine=0).usual_limit == 11
    with pytest.raises(OptionError, match="None for no limit"):
        hill_climb(rare, "bdeu", max_parents="most")  # type: ignore[arg-type]


def test_variables_of_many_states_have_fewer_parents() -> None:
    codes = np.random.default_rng(2).integers(0, 50, (4000, 12))
    data = Dataset.from_codes(codes, states=[[str(k) for k in range(50)]] * 12)
    assert hill_climb(data, "bdeu", refine=0).usual_limit == 2  # 50^2 <= 4,000
    assert hill_climb(data, "k2", refine=0).as_dict()["usual_limit"] == 2


def test_networks_of_a_bootstrap_can_be_fitted(rare: Dataset) -> None:
    for learner in ("tabu", "first-ascent"):
        found = bootstrap_networks(rare, "bdeu", replicates=2, seed=1, learner=learner, progress=False)
        assert found.max_parents is None
        assert max(len(own) for dag in found for own in dag.parents) == 19  # 2^20 x 81 < 2^27
        free = bootstrap_networks(rare, "bdeu", replicates=2, seed=1, learner=learner, max_parents=80, progress=False)
        assert max(len(own) for dag in free for own in dag.parents) > 19
