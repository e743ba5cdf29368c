"""`learn --method search`, and the search that is shown where a limit leaves no bootstrap: one network, to look at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.errors import DataWarning
from arcwise.graph import Constraints
from arcwise.report.sections import variable_answer

QUICK = {"compare": False, "permutations": 0, "seed": 1}


def joined(cases: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    a = rng.integers(2, size=cases)
    b = np.where(rng.random(cases) < 0.85, a, 1 - a)
    return pd.DataFrame({"a": a.astype(str), "b": b.astype(str), "c": rng.integers(2, size=cases).astype(str)})


def test_a_search_knows_what_experiments_set() -> None:
    frame = joined()
    frame["set"] = np.where(np.arange(len(frame)) < 300, "a", "")
    found = learn(frame, method="search", interventions="set", **QUICK)
    assert ("a",) in found.confidence.targets
    assert found.confidence.directed[0, 1] == 1


def test_an_effect_of_one_network_is_told_to_be_too_sure() -> None:
    found = learn(joined(), method="search", **QUICK)
    with pytest.warns(DataWarning, match="one network by single search"):
        found.effect("a", "b")


def test_what_a_variable_depends_on_names_the_networks_that_say_so() -> None:
    told = {
        "credible": "of the networks that the data cannot rule out",
        "bootstrap": "of the networks learned from resampled data",
        "posterior": "of the networks drawn from the posterior",
        "search": "Only one network was learned",
    }
    for method, words in told.items():
        found = learn(joined(200), method=method, **QUICK)
        text = variable_answer(found.variable("a"), found.edges).to_text().replace("\n", " ")
        assert words in text
        assert (told["credible"] in text) == (method == "credible")


def test_limits_of_single_variables_do_not_direct_what_a_search_came_upon() -> None:
    frame = joined()
    known = Constraints(tuple(frame.columns), max_parents_of={"c": 1})
    for source in ("search", "bootstrap"):
        found = learn(frame, method=source, constraints=known, **QUICK).confidence
        free = learn(frame, method=source, **QUICK).confidence  # in a few resampled data sets, c makes a collider
        assert found.orient == free.orient == "cpdag"
        assert found.undirected[0, 1] == free.undirected[0, 1] > 0.95
        np.testing.assert_array_equal(found.directed, free.directed)


def test_searches_of_many_completions_are_no_sample() -> None:
    frame = joined()
    frame.loc[::7, "b"] = None
    found = learn(frame, method="search", agree=True, **QUICK)
    assert found.has_few_networks
    assert "every method supports" not in found.to_text()


def test_a_search_that_finds_no_edge_shows_nothing() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.choice(["x", "y"], 200) for name in "abcd"})
    text = learn(frame, method="search", **QUICK).to_text()
    assert "the data show no edge" not in text


def test_one_network_is_not_said_to_disagree_with_others_that_find_its_edges() -> None:
    found = learn(joined(), method="search", permutations=0, seed=1)
    told = found.explain("a", "b")
    assert "the one network that was learned" in told
    assert "Methods disagree" not in told
