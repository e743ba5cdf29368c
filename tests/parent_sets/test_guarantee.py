"""A table knows what it was built for, in memory and in files, and searches refuse what it is not complete for."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise.confidence import edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import CredibleSet, bootstrap_networks, count_credible, find_credible, k_best, stream_credible
from arcwise.errors import ArcwiseError, FormatError, GuaranteeError, OptionError
from arcwise.exact import find_optimal
from arcwise.graph import Constraints
from arcwise.local import order_search
from arcwise.parent_sets import build_parent_sets, format_binary, format_jkl, parse_parent_sets
from arcwise.scores import JointPrior, UniformPrior, make_score


def xor_data(seed: int = 1) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (30, 4))
    codes[:, 1] = np.where(rng.random(30) < 0.7, codes[:, 0], codes[:, 1])
    codes[:, 3] = np.where(rng.random(30) < 0.5, codes[:, 1] ^ codes[:, 2], codes[:, 3])
    return Dataset.from_codes(codes, states=[["0", "1"]] * 4)


SEARCHES: dict[str, Callable[..., Any]] = {
    "find_optimal": find_optimal,
    "order_search": order_search,
    "find_credible": lambda table, **options: find_credible(table, bayes_factor=3, **options),
    "count_credible": lambda table, **options: count_credible(table, bayes_factor=3, **options),
    "k_best": lambda table, **options: k_best(table, 1, **options),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_required_arcs_that_the_table_was_not_built_for(search: Callable[..., Any]) -> None:
    data = xor_data()
    names = data.names
    rules = Constraints(names, required=[(names[2], names[0])])
    plain = build_parent_sets(data, "bdeu:ess=1", slack=math.log(20))
    with pytest.raises(
        GuaranteeError, match=r"required arcs X2 -> X0.*build_parent_sets\(\.\.\., constraints=\.\.\.\)"
    ):
        search(plain, constraints=rules)
    built = build_parent_sets(data, "bdeu:ess=1", slack=math.log(20), constraints=rules)
    search(built, constraints=rules)
    search(built)  # the networks of such a table have the arcs anyway
    with pytest.raises(GuaranteeError):
        search(built, constraints=Constraints(names, required=[(names[0], names[1])]))
    search(plain, constraints=Constraints(names, forbidden=[(names[2], names[0])], max_parents=2))
    search(build_parent_sets(data, "bdeu:ess=1", slack=math.inf), constraints=rules)
    search(plain.vouched(), constraints=rules)


def test_stream_refuses_them_too(tmp_path: Path) -> None:
    data = xor_data()
    rules = Constraints(data.names, required=[(data.names[2], data.names[0])])
    with pytest.raises(GuaranteeError, match="not built for"):
        stream_credible(build_parent_sets(data, "bic", slack=2.0), tmp_path, log_slack=1.0, constraints=rules)


@pytest.mark.parametrize("write", [format_binary, format_jkl])
def test_files_keep_the_constraints(write: Callable[..., bytes]) -> None:
    data = xor_data()
    a, b, c, d = data.names
    rules = Constraints(data.names, required=[(c, a)], forbidden=[(d, b)], tiers=[[c], [a, b]], max_parents_of={d: 2})
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.log(20), constraints=rules)
    again = parse_parent_sets(write(table))
    assert again.constraints == rules
    assert again.equivalent is True
    assert again.digest == table.digest
    other = Constraints(data.names, required=[(b, a)])
    assert build_parent_sets(data, "bdeu:ess=1", slack=math.log(20), constraints=other).digest != table.digest
    assert find_credible(again, bayes_factor=20, constraints=rules).count == find_credible(table, bayes_factor=20).count
    with pytest.raises(GuaranteeError):
        find_optimal(again, constraints=other)


def test_constraints_of_a_file_are_checked() -> None:
    data = xor_data()
    rules = Constraints(data.names, required=[(data.names[2], data.names[0])])
    content = format_jkl(build_parent_sets(data, "bic", constraints=rules)).decode()
    assert '[["X2", "X0"]]' in content
    for wrong in ('[["X2", "nobody"]]', '[["X2", "X2"]]', '"X2"', "[3]"):
        with pytest.raises(FormatError, match="constraints"):
            parse_parent_sets(content.replace('[["X2", "X0"]]', wrong).encode())


def test_constraints_have_one_description() -> None:
    names = ("a", "b", "c")
    first = Constraints(names, required=[("a", "b"), ("c", "b")], tiers=[["c", "a"]], max_parents_of={"b": 2, "a": 1})
    second = Constraints(
        ("c", "b", "a"), required=[("c", "b"), ("a", "b")], tiers=[["a", "c"]], max_parents_of={"a": 1, "b": 2}
    )
    assert first.describe() == second.describe()
    assert first.digest == second.digest
    assert Constraints(names, **first.describe()) == first
    for other in (
        {"required": [("b", "a")]},
        {"forbidden": [("a", "b")]},
        {"tiers": [["a"], ["b"]]},
        {"max_parents": 2},
    ):
        assert Constraints(names, **other).digest != first.digest  # type: ignore[arg-type]


def test_tables_of_bde_have_classes() -> None:
    data = Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (50, 3)))
    prior = JointPrior(data.names, np.full((2, 2, 2), 1 / 8))
    for table in (
        build_parent_sets(data, make_score("bde", prior=prior, ess=1.0), slack=3.0),
        build_parent_sets(data, "bdeu:ess=1", slack=3.0),
    ):
        again = parse_parent_sets(format_binary(table))
        for each in (table, again):
            assert count_credible(each, bayes_factor=20, classes=True).class_count == 6
            assert find_credible(each, bayes_factor=20, by="mec").count == 6
            assert edge_confidence(CredibleSet.build(each, bayes_factor=20)).orient == "cpdag"
            assert k_best(each, 1, by="mec").count == 1


def test_kept_work_tells_prior_networks_apart(tmp_path: Path) -> None:
    data = xor_data()
    small = data.select(list(data.names[:2]))
    tables = (np.full((2, 2), 0.25), np.array([[0.1, 0.4], [0.4, 0.1]]))
    one, other = (make_score("bde", prior=JointPrior(small.names, table), ess=5.0) for table in tables)
    assert one.identity() != other.identity()
    assert make_score("bde", prior=UniformPrior.of(small)).identity()["prior"].startswith("UniformPrior:")
    bootstrap_networks(small, replicates=2, score=one, path=tmp_path / "r", seed=1)
    with pytest.raises(ArcwiseError):
        bootstrap_networks(small, replicates=2, score=other, path=tmp_path / "r", seed=1)

    class Own:
        def joint_probabilities(self, variables: Any) -> Any:
            return UniformPrior.of(small).joint_probabilities(variables)

    own = make_score("bde", prior=Own(), ess=5.0)
    assert build_parent_sets(small, own).n_rows > 0
    with pytest.raises(OptionError, match="has no property digest"):
        build_parent_sets(small, own, checkpoint=tmp_path / "c")
