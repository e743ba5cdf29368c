"""Counts, masses and shares of families against the listed networks, with plenty of memory and with hardly any."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcwise.base.run import Run
from arcwise.credible import diagram as credible_diagram
from arcwise.credible.diagram import CredibleDiagram, DiagramSums, build_diagram
from arcwise.data import read_data
from arcwise.ensemble import CredibleSet, count_credible
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets


def random_table(n: int, seed: int) -> ParentSetTable:
    """Sets of up to two parents whose scores are multiples of 0.1: equal sums differ in their last bits."""
    rng = np.random.default_rng(seed)
    entries = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        pairs = list(itertools.combinations(others, 2))
        sets: list[tuple[int, ...]] = [(), *((u,) for u in others), *pairs]
        kept = [sets[0], *(sets[i] for i in sorted(rng.choice(np.arange(1, len(sets)), size=4, replace=False)))]
        entries.append([(0.1 * int(rng.integers(0, 20)), parents) for parents in kept])
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


def diagram_of(table: ParentSetTable, slack: float) -> CredibleDiagram:
    return build_diagram(table, slack, by_class=False, constraints=None, run=Run())


def listed(diagram: CredibleDiagram) -> tuple[int, list[int], NDArray[np.float64]]:
    """The number of networks, of those with each row of the table, and the weights of these, from the list."""
    lister = diagram.lister()
    counts = np.zeros(diagram.table.n_rows, dtype=np.int64)
    masses = np.zeros(diagram.table.n_rows)
    total = 0
    while not lister.done:
        chosen, losses = diagram.next_chunk(lister, 10_000)
        total += len(losses)
        rows = chosen.astype(np.int64) + diagram.table.node_offsets[:-1]
        np.add.at(counts, rows, 1)
        np.add.at(masses, rows, np.exp(-losses)[:, None])
    return total, counts.tolist(), masses


def least_memory(diagram: CredibleDiagram, enough: int) -> DiagramSums:
    """The sums in about as little memory as they take, by bisection between what fails and what does not."""
    low, best = 0, diagram.sums(families=True, limits=Limits(memory_bytes=enough))
    while enough - low > 1 + enough // 500:
        middle = (low + enough) // 2
        sums = diagram.sums(families=True, limits=Limits(memory_bytes=middle))
        assert sums.peak_bytes <= middle
        if sums.status is Status.COMPLETE:
            enough, best = middle, sums
        else:
            assert sums.status is Status.MEMORY_LIMIT
            low = middle
    return best


@pytest.mark.parametrize("largest", [20, 0], ids=["subsets", "costs"])
@settings(max_examples=60)
@given(n=st.sampled_from([4, 5, 8]), seed=st.integers(0, 2**32 - 1), slack=st.sampled_from([0.0, 0.3, 0.7, 1.1]))
def test_sums_are_those_of_the_list(largest: int, n: int, seed: int, slack: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", largest)
        diagram = diagram_of(random_table(n, seed), slack)
    count, row_counts, row_masses = listed(diagram)
    sums = diagram.sums(families=True, limits=Limits())
    assert sums.remade_layers == 0
    assert (sums.count, sums.row_counts) == (count, row_counts)
    np.testing.assert_allclose(sums.row_masses, row_masses, rtol=1e-10)
    np.testing.assert_allclose(sums.row_masses.sum(), len(diagram.table.names) * math.exp(sums.log_mass), rtol=1e-10)
    assert diagram.sums(limits=Limits()).count == count
    tight = least_memory(diagram, sums.peak_bytes)
    assert (tight.count, tight.row_counts) == (count, row_counts)
    assert tight.log_mass == sums.log_mass
    np.testing.assert_array_equal(tight.row_masses, sums.row_masses)


def test_what_does_not_fit_is_made_again(shared: Path) -> None:
    data = read_data(shared / "data" / "liao2019" / "lung-cancer.csv.gz", categorical=True)
    diagram = diagram_of(build_parent_sets(data, "bic", slack=1.5), 1.5)
    sums = diagram.sums(families=True, limits=Limits())
    assert (sums.count, sums.remade_layers) == (909_413_616, 0)
    assert sum(sums.row_counts) == 57 * sums.count
    tight = least_memory(diagram, sums.peak_bytes)
    assert tight.remade_layers > 57
    assert tight.peak_bytes < 0.5 * sums.peak_bytes
    assert tight.row_counts == sums.row_counts
    np.testing.assert_array_equal(tight.row_masses, sums.row_masses)
    for memory in (None, tight.peak_bytes):
        one, three = (
            replace(diagram, threads=threads).sums(families=True, limits=Limits(memory_bytes=memory))
            for threads in (1, 3)
        )
        assert (one.count, one.log_mass, one.row_counts) == (three.count, three.log_mass, three.row_counts)
        assert (one.peak_bytes, one.remade_layers) == (three.peak_bytes, three.remade_layers)
        np.testing.assert_array_equal(one.row_masses, three.row_masses)


def test_counts_beyond_64_bits() -> None:
    # 50 pairs, each joined either way at no loss, or apart at a loss of 0.5.
    entries = [[(0.0, [v ^ 1]), (-0.5, [])] for v in range(100)]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(100)], entries, slack=math.inf)
    diagram = diagram_of(table, 5.0)
    sums = diagram.sums(families=True, limits=Limits())
    assert sums.count == sum(math.comb(50, apart) * 2 ** (50 - apart) for apart in range(11))
    joined = sum(math.comb(49, apart) * 2 ** (49 - apart) for apart in range(11))
    assert sorted(set(sums.row_counts)) == sorted({joined, sums.count - joined})
    assert sums.count > 2**64
    summary = count_credible(table, log_slack=5.0)
    assert summary.count == sums.count


@pytest.mark.parametrize("n", [140, 300])
def test_sets_of_nodes_of_more_than_two_words(n: int) -> None:
    # 20 pairs, each joined either way at no loss, or apart at a loss of 0.5; all other variables are alone.
    entries = [[(0.0, [v ^ 1]), (-0.5, [])] if v < 40 else [(0.0, [])] for v in range(n)]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)
    found = CredibleSet.build(table.vouched(equivalent=True), log_slack=1.0)
    assert found.count == sum(math.comb(20, apart) * 2 ** (20 - apart) for apart in range(3))
    assert found.networks("mec").count == sum(math.comb(20, apart) for apart in range(3))
