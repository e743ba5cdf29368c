"""Worlds of other kinds: their shapes are what they are called, their tables say what their formulas say."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise.data import MixedData
from arcwise.data.column import VariableKind
from arcwise.errors import ConfigError
from arcwise.graph import Dag
from arcwise_studies.cut_systems import CURVES, NOISES, CutSystem
from arcwise_studies.experiments.calibration import (
    AS_THEY_ARE,
    KINDS,
    CalibrationSettings,
    as_seen,
    world_of_kind,
    world_of_numbers,
    worlds,
)
from arcwise_studies.number_systems import copula_system, number_system
from arcwise_studies.random_networks import random_network, visible_names
from arcwise_studies.shapes import SHAPES, TABLES, shape_parents
from arcwise_studies.source_text import SourceText
from arcwise_studies.sources import Sources


def shaped(shape: str, n: int, seed: int = 1) -> Dag:
    return Dag([f"x{v}" for v in range(n)], shape_parents(shape, n, np.random.default_rng(seed)))  # refuses cycles


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 3, 5, 17, 60])
def test_every_shape_is_a_dag_over_all_nodes(shape: str, n: int) -> None:
    for seed in range(5):
        dag = shaped(shape, n, seed)
        assert dag.n_nodes == n
        assert all(len(set(own)) == len(own) for own in dag.parents)


def pieces(dag: Dag) -> int:
    piece = list(range(dag.n_nodes))
    for child, own in enumerate(dag.parents):
        for parent in own:
            old, new = piece[child], piece[parent]
            piece = [new if p == old else p for p in piece]
    return len(set(piece))


@pytest.mark.parametrize("shape", ["tree", "polytree"])
def test_trees_join_all_nodes_without_a_loop(shape: str) -> None:
    for seed in range(10):
        dag = shaped(shape, 25, seed)
        assert (dag.n_arcs, pieces(dag)) == (24, 1)
    assert max(len(own) for own in shaped("tree", 25).parents) == 1
    assert max(len(own) for own in shaped("polytree", 25).parents) > 1


def test_a_lattice_has_rows_and_columns() -> None:
    dag = shaped("lattice", 36)
    assert set(Counter(len(own) for own in dag.parents)) == {0, 1, 2}
    assert sum(1 for own in dag.parents if not own) == 1


def test_scale_free_networks_have_hubs_and_bipartite_ones_two_sides() -> None:
    children = Counter(p for seed in range(5) for own in shaped("scale-free", 60, seed).parents for p in own)
    assert max(children.values()) > 5 * np.mean(list(children.values()))
    dag = shaped("bipartite", 30)
    assert all(not dag.parents[p] for own in dag.parents for p in own)


def test_chains_hubs_modules_and_layers_are_what_they_are_called() -> None:
    chain = shaped("chain", 20)
    children = Counter(p for own in chain.parents for p in own)
    assert (chain.n_arcs, pieces(chain), max(children.values())) == (19, 1, 1)
    assert len({p for own in shaped("hubs", 60).parents for p in own}) <= 60 // 8
    modules = [pieces(shaped("modules", 30, seed)) for seed in range(5)]
    assert all(5 <= count <= 8 for count in modules)  # of four to six nodes
    layers = shaped("layers", 30)
    depth: dict[int, int] = {}
    for v in layers.topological_order:
        above = {depth[p] for p in layers.parents[v]}
        assert len(above) <= 1
        depth[v] = 1 + max(above, default=-1)
    assert set(depth.values()) == {0, 1, 2}


def test_the_places_of_nodes_do_not_tell_their_depth() -> None:
    firsts = Counter(next(v for v, own in enumerate(shaped("tree", 5, s).parents) if not own) for s in range(200))
    assert min(firsts[v] for v in range(5)) > 20


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("arities", [[], [2], [2, 2, 2]])
def test_rows_of_tables_are_distributions(tables: str, arities: list[int]) -> None:
    found = TABLES[tables](arities, 2, np.random.default_rng(3))
    assert found.shape == (2 ** len(arities), 2)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.min() >= 0


def test_noisy_or_fails_only_if_every_cause_does() -> None:
    found = TABLES["noisy-or"]([2, 2], 2, np.random.default_rng(7))[:, 0]  # that the effect does not occur
    none, second, first, both = found
    assert both == pytest.approx(first * second / none)


def test_a_parity_shows_nothing_in_pairs() -> None:
    for seed in range(40):
        found = TABLES["parity"]([2, 2], 2, np.random.default_rng(seed))[:, 1]
        if found[0] == found[3]:  # a parity, no majority
            assert found[0] + found[1] == pytest.approx(1)
            return
    pytest.fail("no parity was drawn")


def test_monotone_tables_move_one_way_with_each_parent() -> None:
    found = TABLES["monotone"]([3, 4], 3, np.random.default_rng(5))
    below = np.cumsum(found, axis=1)[:, :2].reshape(3, 4, 2)
    for axis in (0, 1):
        steps = np.diff(below, axis=axis)
        assert (steps > 0).all() or (steps < 0).all()


def test_contexts_do_not_ask_all_parents_everywhere() -> None:
    rows = [len({tuple(row) for row in TABLES["contexts"]([2] * 4, 2, np.random.default_rng(s))}) for s in range(20)]
    assert min(rows) < 16


def test_copies_are_of_parents_and_skewed_columns_of_one_state() -> None:
    found = TABLES["copying"]([3], 3, np.random.default_rng(2))
    assert (found.argmax(axis=1) == np.arange(3)).all()
    skewed = np.concatenate([TABLES["skewed"]([2, 2], 3, np.random.default_rng(s)) for s in range(50)])
    assert skewed[:, 0].mean() > 0.6


@pytest.mark.parametrize("text", ["shape=star", "tables=linear", "tables=rare,max_states=3", "shape=tree,uniform=yes"])
def test_unknown_shapes_and_tables_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        random_network(SourceText.parse(f"random:nodes=5,{text}"))


@pytest.mark.parametrize("text", ["nodes=1", "nodes=5,least_bins=1", "nodes=5,least_bins=4,most_bins=3", "nodes=5,x=1"])
def test_systems_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        Sources().check_network(f"system:{text}")


def test_a_straight_system_has_lines_and_normal_noise_alone() -> None:
    system = Sources().world("system:nodes=12,mean_parents=2,straight=yes,seed=3")
    with pytest.raises(ConfigError, match="straight takes 'yes'"):
        Sources().check_network("system:nodes=5,straight=no")
    assert isinstance(system, CutSystem)
    assert {curve for own in system.curves for curve in own} == {0} == set(system.noises)


def test_a_system_is_no_network() -> None:
    with pytest.raises(ConfigError, match="has no network"):
        Sources().network("system:nodes=5")


def test_what_a_number_depends_on_can_be_seen_in_its_intervals() -> None:
    dag = Dag(["a", "b", "c"], [[], [0], []])
    system = CutSystem(dag, ((), (0,), ()), ((), (1.2,), ()), (0, 1, 2), (3, 4, 2), (False, True, False))
    data = system.sample(4000, seed=1)
    assert data.arities.tolist() == [3, 4, 2]
    a, b, c = (data.codes[v].astype(float) for v in range(3))
    assert np.corrcoef(a, b)[0, 1] > 0.3
    assert abs(np.corrcoef(a, c)[0, 1]) < 0.06
    assert np.bincount(data.codes[0]).tolist() == pytest.approx([1333, 1333, 1333], abs=2)
    again = system.sample(4000, seed=1)
    np.testing.assert_array_equal(data.codes, again.codes)


def test_curves_and_noises_keep_numbers_of_one_size() -> None:
    rng = np.random.default_rng(2)
    for draw, curve in itertools.product(NOISES, CURVES):
        own = curve(draw(rng, 20_000))
        assert 0.3 < own.std() < 8


@pytest.mark.parametrize("family", KINDS)
def test_worlds_of_every_kind_can_be_sampled(family: str) -> None:
    sources = Sources()
    for index in range(4):
        text = world_of_kind(family, index)
        sources.check_network(text)
        world = sources.world(text)
        seen = as_seen(world.sample(200, seed=1, threads=1), visible_names(world.names))
        assert seen is not None
        assert set(seen.names) <= set(world.names)


def test_worlds_that_are_added_leave_the_others_where_they_were() -> None:
    settings = CalibrationSettings(random=3, independent=2)
    more = CalibrationSettings(random=3, independent=2, added=tuple(f"{family}:2" for family in KINDS))
    assert list(worlds(more))[:5] == list(worlds(settings))
    assert len(list(worlds(more))) == 5 + 2 * len(KINDS)


def drawn(text: str, n_cases: int = 4000) -> tuple[Dag, MixedData]:
    system = number_system(SourceText.parse(f"numbers:{text}"))
    return system.dag, system.sample(n_cases, seed=1)


def test_a_linear_system_has_the_slopes_of_its_weights_and_no_other() -> None:
    dag, data = drawn("nodes=8,mean_parents=1.5,low=0.5,high=0.5,seed=3", 50_000)
    for v, own in enumerate(dag.parents):
        others = [u for u in dag.topological_order[: dag.topological_order.index(v)] if u not in own]
        columns = np.column_stack([data.values[list(own)].T, data.values[others].T, np.ones(data.n_rows)])
        slopes = np.linalg.lstsq(columns, data.values[v], rcond=None)[0]
        scale = 1 / np.sqrt(1 - np.var(columns @ slopes))  # of noise of variance 1
        assert np.abs(slopes[: len(own)]) * scale == pytest.approx(0.5, abs=0.05)
        assert np.abs(slopes[len(own) : -1]).max(initial=0) < 0.03


@pytest.mark.parametrize("text", ["categories=0.5,first=yes", "categories=0.6", "scales=1,latent=yes", "slopes=1"])
def test_every_effect_of_a_system_can_be_seen_and_the_same_text_draws_the_same(text: str) -> None:
    dag, data = drawn(f"nodes=9,low=1,high=1.5,{text},seed=5")
    assert drawn(f"nodes=9,low=1,high=1.5,{text},seed=5")[1].digest == data.digest
    kinds = [kind is VariableKind.NOMINAL for kind in data.kinds]
    if "first" in text:
        assert not any(kinds[v] and not kinds[p] for v, own in enumerate(dag.parents) for p in own)
    if "scales" in text:
        assert set(data.kinds) == {VariableKind.ORDINAL}
        assert min(data.arities) >= 3 and max(data.arities) <= 6


def test_unrelated_variables_are_unrelated() -> None:
    dag, data = drawn("nodes=12,mean_parents=0,tails=0.5,seed=2")
    assert dag.n_arcs == 0
    ranks = np.argsort(np.argsort(data.values, axis=1), axis=1)
    assert np.abs(np.corrcoef(ranks) - np.eye(12)).max() < 0.08


@pytest.mark.parametrize("text", ["nodes=1", "nodes=5,low=0", "nodes=5,curves=2", "nodes=5,first=maybe", "nodes=5,x=1"])
def test_systems_of_numbers_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        Sources().check_network(f"numbers:{text}")


def test_a_system_like_a_table_has_its_values_and_its_correlations(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    dose = 0.1 + np.round(np.exp(rng.normal(size=600)), 1)
    pain = np.round(10 - np.log(dose) + 0.3 * rng.normal(size=600), 1)
    sex = np.where(rng.random(600) < 0.3, "f", "m")
    pd.DataFrame({"dose": dose, "pain": pain, "sex": sex, "row": range(600)}).to_csv(tmp_path / "t.csv", index=False)
    system = copula_system(SourceText.parse("copula:data=t,seed=1"), Sources(data_folder=str(tmp_path)))
    assert system.names == ("dose", "pain", "sex")  # numbers of rows are left out
    data = system.sample(5000, seed=1)
    assert set(data.values[0]) <= set(dose)
    assert set(data.values[1]) <= set(pain)
    ranks = np.argsort(np.argsort(data.values[:2], axis=1), axis=1)
    assert np.corrcoef(ranks)[0, 1] < -0.85
    assert np.mean(data.values[2] == data.states[2].index("f")) == pytest.approx(np.mean(sex == "f"), abs=0.03)
    with pytest.raises(ConfigError, match="data set"):
        Sources(data_folder=str(tmp_path)).check_network("copula:data=u")


@pytest.mark.parametrize("family", AS_THEY_ARE)
def test_worlds_of_numbers_can_be_drawn_and_learned_from(family: str) -> None:
    for k in range(3):
        system = number_system(SourceText.parse(world_of_numbers(family, k)))
        data = as_seen(system.sample(60, seed=k), visible_names(system.names))
        assert isinstance(data, MixedData)
        assert not data.constant.any()
        assert not any(name.startswith("hidden") for name in data.names)
