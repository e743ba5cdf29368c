"""Confidences and joined sets keep what their networks were made under: odds, constraints, experiments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arcwise.confidence import EdgeConfidence, combine_confidences, consensus_network, edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import CredibleSet, NetworkSet, concatenate
from arcwise.graph import Beliefs, Constraints, Dag
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import make_score

NAMES = ["a", "b", "c"]
BELIEFS = Beliefs(arcs={("a", "b"): 4})
CHAIN = Dag.from_arcs(NAMES, [("a", "b"), ("b", "c")])


def part_of_a_credible_set() -> NetworkSet:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (80, 3))
    codes[:, 1] = np.where(rng.random(80) < 0.8, codes[:, 0], codes[:, 1])
    data = Dataset.from_codes(codes, names=NAMES)
    table = build_parent_sets(data, make_score("bdeu", beliefs=BELIEFS), slack=4.0, progress=False)
    return CredibleSet.build(table, log_slack=4.0, progress=False).best(5)


def test_odds_are_kept_without_a_recipe(tmp_path: Path) -> None:
    part = part_of_a_credible_set()
    assert part.recipe is None
    found = edge_confidence(part)
    assert found.beliefs == BELIEFS.describe()
    assert found.fixed is not None
    assert found.fixed == part.fixed
    found.save(tmp_path / "part.parquet")
    read = EdgeConfidence.load(tmp_path / "part.parquet")
    assert read.beliefs == found.beliefs
    assert read.fixed == found.fixed
    assert consensus_network(read, 0.5).fixed == found.fixed


def test_a_combination_keeps_what_its_members_share() -> None:
    first = Constraints(NAMES, forbidden=[("c", "a"), ("c", "b")])
    second = Constraints(NAMES, forbidden=[("c", "b")], required=[("a", "b")])
    score = {"name": "bdeu", "ess": 1.0, "beliefs": BELIEFS.describe()}
    made = [
        NetworkSet.from_dags(
            [CHAIN],
            origin="test",
            score=score,
            facts={"constraints": known.describe(), "targets": [[], ["c"], *more], "n_cases": 100},
        )
        for known, more in ((first, [["a"]]), (second, []))
    ]
    members = {
        label: edge_confidence(part) for label, part in zip(("bootstrap:bic", "credible:bic"), made, strict=True)
    }
    both = combine_confidences(members, combine="majority")
    joined = concatenate(made)
    assert both.beliefs == BELIEFS.describe()
    assert both.constraints == joined.obeyed == Constraints(NAMES, forbidden=[("c", "b")])
    assert both.targets == joined.targets == ((), ("c",))
    assert joined.score == score
    assert joined.fixed == both.fixed


@pytest.mark.parametrize("other", [None, Constraints(NAMES, required=[("a", "b")])])
def test_nothing_is_shared_with_what_is_free(other: Constraints | None) -> None:
    known = Constraints(NAMES, forbidden=[("c", "b")])
    facts = [{"constraints": known.describe()}, {} if other is None else {"constraints": other.describe()}]
    joined = concatenate([NetworkSet.from_dags([CHAIN], origin="test", facts=own) for own in facts])
    assert joined.obeyed is None
    assert "constraints" not in joined.facts
