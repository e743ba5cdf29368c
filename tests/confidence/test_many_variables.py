"""Confidences of very many variables: few pairs have any, and only these are listed."""

from __future__ import annotations

import os
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arcwise.base.arrays import read_parquet, write_parquet
from arcwise.confidence import EdgeConfidence, edge_confidence
from arcwise.confidence.edge_confidence import rounded
from arcwise.ensemble import NetworkSet
from arcwise.errors import FormatError
from arcwise.graph import Dag


@pytest.fixture(scope="module")
def chain() -> EdgeConfidence:
    """A chain of 600 variables, in half of the networks without its last arc."""
    names = [f"x{v}" for v in range(600)]
    parents = [[], *([v] for v in range(599))]
    networks = [Dag(names, parents), Dag(names, [*parents[:-1], []])]
    return edge_confidence(NetworkSet.from_dags(networks, origin="bootstrap"))


def test_only_pairs_with_a_confidence_are_written_and_the_rest_is_read_as_none(
    chain: EdgeConfidence, tmp_path: Path
) -> None:
    path = tmp_path / "confidence.parquet"
    chain.save(path)
    frame, facts = read_parquet(path)
    assert facts is not None and facts["listed"] == len(frame) == 599
    again = EdgeConfidence.load(path)
    np.testing.assert_allclose(again.present, chain.present)
    np.testing.assert_allclose(again.directed, chain.directed)
    write_parquet(frame.iloc[1:], path, facts=facts)
    with pytest.raises(FormatError, match="1 pairs are missing"):
        EdgeConfidence.load(path)
    write_parquet(frame, path, facts={**facts, "listed": "many"})
    with pytest.raises(FormatError, match="some pairs are missing"):
        EdgeConfidence.load(path)


def test_all_pairs_of_few_variables_are_written(
    chain: EdgeConfidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[EdgeConfidence.__module__], "MANY_VARIABLES", 600)
    chain.save(tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + 600 * 599 // 2


def test_a_frame_of_likely_pairs_is_not_made_of_all(chain: EdgeConfidence) -> None:
    _ = chain.present, chain.standard_error, chain.probability
    tracemalloc.start()
    frame = chain.to_frame(above=0.6)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(frame) == 598 and frame["present"].min() == 1.0
    assert most < 2_000_000  # bytes; the table of all pairs has twenty million


@pytest.mark.skipif(sys.platform != "linux", reason="memory in use is read from /proc")
def test_what_no_network_joins_takes_no_memory() -> None:
    n = 3000  # a matrix of all pairs has 72 MB
    networks = NetworkSet.from_dags([Dag.from_arcs([f"x{v}" for v in range(n)], [(0, 1)])], origin="bootstrap")

    def in_use() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    found = edge_confidence(networks)
    before = in_use()
    again = replace(found, directed=rounded(found.directed), undirected=rounded(found.undirected))
    kept = (again.present, again.standard_error, again.vector)
    assert in_use() - before < 2**26
    assert kept[2].sum() == 1.0 and again.to_frame()["present"].tolist() == [1.0]
