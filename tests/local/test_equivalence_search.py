"""GES: its steps against brute force over all classes that a step may lead to, and its consistency."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.base.run import Run
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Dag, all_dags
from arcwise.limits import Limits, Status
from arcwise.local import equivalence_search, hill_climb
from arcwise.local.searches import SearchStep, _Class, _EquivalenceSearch
from arcwise.model import BayesianNetwork
from arcwise.scores import make_score


def make_data(seed: int, n: int = 4, rows: int = 60) -> Dataset:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for v in range(n):
        own = rng.integers(0, 2, rows)
        columns.append(np.where(rng.random(rows) < 0.6, columns[rng.integers(v)], own) if v else own)
    return Dataset.from_codes(np.column_stack(columns), states=[["0", "1"]] * n)


def members(graph: object, names: tuple[str, ...]) -> list[Dag]:
    return [dag for dag in all_dags(names) if dag.cpdag == graph]


@pytest.mark.parametrize("inserting", [True, False])
def test_a_step_leads_to_every_class_one_edge_away_with_its_gain(inserting: bool) -> None:
    """Chickering's Theorems 15 and 17: the classes of members with one arc more (or less) are those of valid steps."""
    data = make_data(1)
    names = data.names
    score = make_score("bdeu:ess=2")
    every = list(all_dags(names))
    value = {dag.cpdag: score.score_network(data, dag) for dag in every}
    rng = np.random.default_rng(3)
    classes = list(value)
    for number in rng.choice(len(classes), 25, replace=False):
        graph = classes[int(number)]
        expected = set()
        for dag in members(graph, names):
            arcs = set(dag.arcs)
            for other in every:
                if len(other.arcs) == len(arcs) + (1 if inserting else -1) and (
                    arcs < set(other.arcs) if inserting else set(other.arcs) < arcs
                ):
                    expected.add(other.cpdag)
        search = _EquivalenceSearch(data, score, Run())
        search.state = _Class(graph)
        found = {}
        for y in range(4):
            for x in range(4):
                if x == y:
                    continue
                made = search._insertions(x, y) if inserting else search._deletions(x, y)
                for _, _, others, less, more in made:
                    state = search.state
                    barrier = state.neighbours[y] & state.adjacent[x] | others
                    if inserting and not state.is_blocked(y, x, barrier):
                        continue
                    a, b = search._family_scores([(y, less), (y, more)])
                    gain = b - a if inserting else a - b
                    after = search._after(SearchStep(gain, x, y, others), inserting).graph
                    found[after] = gain
        assert set(found) == expected
        for after, gain in found.items():
            assert gain == pytest.approx(value[after] - value[graph], abs=1e-9)


def test_no_deletion_improves_the_end() -> None:
    for seed in range(4):
        data = make_data(seed)
        found = equivalence_search(data, "bic", progress=False)
        score = make_score("bic")
        assert found.score == pytest.approx(score.score_network(data, found.dag))
        assert found.score == pytest.approx(found.history[-1])
        assert found.status is Status.COMPLETE
        best = (
            max(
                score.score_network(data, other)
                for dag in members(found.dag.cpdag, data.names)
                for other in all_dags(data.names)
                if len(other.arcs) == len(dag.arcs) - 1 and set(other.arcs) < set(dag.arcs)
            )
            if found.dag.arcs
            else -np.inf
        )
        assert best <= found.score + 1e-9


def test_with_many_cases_it_finds_the_class_of_the_network() -> None:
    dag = Dag.from_parents({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": ["d"]})
    rng = np.random.default_rng(2)
    tables = [
        np.column_stack([p, 1 - p])
        for p in (
            np.where(rng.random(2 ** len(ps)) < 0.5, 0.15, 0.85) + rng.uniform(-0.1, 0.1, 2 ** len(ps))
            for ps in dag.parents
        )
    ]
    network = BayesianNetwork(dag, [["0", "1"]] * 5, tables)
    data = network.sample(20_000, seed=1)
    found = equivalence_search(data, "bic", progress=False)
    assert found.dag.cpdag == hill_climb(data, "bic", progress=False).dag.cpdag == dag.cpdag


def test_limits_and_refusals() -> None:
    data = make_data(1, n=6, rows=300)
    short = equivalence_search(data, limits=Limits(count=2), progress=False)
    assert short.status is Status.COUNT_LIMIT
    assert short.iterations == 2
    assert equivalence_search(data, limits=Limits(seconds=1e-9), progress=False).status is Status.TIME_LIMIT
    with pytest.raises(OptionError, match="GES needs one that does not"):
        equivalence_search(data, "k2")
