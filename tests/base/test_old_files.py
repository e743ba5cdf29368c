"""Files of earlier versions are read, and say what they said: see tests/golden/make_files.py."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from arcwise import Dataset, build_parent_sets, datasets, edge_confidence, find_credible
from arcwise.confidence import EdgeConfidence
from arcwise.data import read_data
from arcwise.ensemble import NetworkSet, NetworkSummary
from arcwise.model import read_bif
from arcwise.parent_sets import ParentSetTable, read_jkl, read_parent_sets

FOLDERS = sorted((Path(__file__).resolve().parents[1] / "golden").glob("files-*"))


@pytest.fixture(scope="module")
def data() -> Dataset:
    return datasets.load("iris")


@pytest.fixture(scope="module")
def table(data: Dataset) -> ParentSetTable:
    return build_parent_sets(data, "bic", slack=math.log(20))


def test_there_are_files_of_both_versions() -> None:
    assert [folder.name for folder in FOLDERS] == ["files-0.1", "files-0.2"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_tables_are_read(folder: Path, table: ParentSetTable) -> None:
    for found in (read_parent_sets(folder / "table.arct"), read_jkl(folder / "table.jkl")):
        assert found.names == table.names
        assert found.data_digest == table.data_digest
        assert np.array_equal(found.node_offsets, table.node_offsets)
        assert np.array_equal(found.members, table.members)
        assert np.allclose(found.scores, table.scores, rtol=1e-12)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_networks_and_confidences_are_read(folder: Path, table: ParentSetTable) -> None:
    expected = find_credible(table, bayes_factor=20)
    known = {(network.arcs, round(score, 6)) for network, score in zip(expected, expected.scores, strict=True)}
    for name in ("networks.nets", "networks.parquet"):
        found = NetworkSet.load(folder / name)
        assert found.complete
        assert {(network.arcs, round(score, 6)) for network, score in zip(found, found.scores, strict=True)} == known
        assert np.allclose(edge_confidence(found).present, edge_confidence(expected).present, atol=1e-9)
    counted = NetworkSummary.load(folder / "counted.summary")
    assert counted.count == expected.count
    assert np.allclose(counted.arc_probabilities(), expected.arc_probabilities(), atol=1e-9)
    kept = EdgeConfidence.load(folder / "confidence.parquet")
    assert np.allclose(kept.present, edge_confidence(expected).present, atol=1e-9)
    assert (kept.origin, kept.n_networks) == ("credible", expected.count)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_samples_models_and_data_are_read(folder: Path, data: Dataset) -> None:
    sample = NetworkSet.load(folder / "bootstrap.nets")
    assert (sample.count, sample.origin, sample.names) == (5, "bootstrap", data.names)
    assert 0 < edge_confidence(sample).standard_error.max() < 0.3
    model = read_bif(folder / "network.bif")
    assert model.log_likelihood(data.select(model.names)) < 0
    if folder.name != "files-0.1":  # which wrote no Parquet data
        assert read_data(folder / "data.parquet").digest == data.digest
