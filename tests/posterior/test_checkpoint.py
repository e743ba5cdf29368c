"""Files of chains: nothing in them is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.posterior.chain_tables import random_table

from arcwise.base.arrays import read_array_file, write_array_file
from arcwise.ensemble import sample_posterior
from arcwise.errors import FormatError
from arcwise.limits import Limits
from arcwise.posterior.sampling import KIND, RunOfFile, run_of_file

TABLE = random_table(3, 1)


def cycle() -> np.ndarray:
    """0 -> 1 -> 2 -> 0, for every chain."""
    sets = [[TABLE.parents_of(row) for row in TABLE.rows_of(v)] for v in range(3)]
    return np.array([sets[0].index((2,)), sets[1].index((0,)), sets[2].index((1,))] * 4, dtype=np.uint32)


@pytest.mark.parametrize(
    "change",
    [
        {"positions": cycle()},
        {"positions": np.full(12, 99, dtype=np.uint32)},
        {"positions": np.zeros(3, dtype=np.uint32)},
        {"random_states": np.zeros(2, dtype=np.uint32)},
        {"rows": np.full((4, 60), 99, dtype=np.uint32)},
        {"rows": np.zeros((4, 7), dtype=np.uint32)},
        {"scores": np.zeros((4, 3))},
        {"done": 7},
        {"stride": 0},
        {"stride": 2, "done": -1, "rows": np.zeros((4, 0), dtype=np.uint32), "scores": np.zeros((4, 0))},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_file_that_was_edited_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "chains"
    sample_posterior(TABLE, seed=1, path=path, limits=Limits(count=20))
    assert run_of_file(path) == RunOfFile(seed=1, jump_slack=None)
    facts, arrays = read_array_file(path, KIND)
    for name, value in change.items():
        (arrays if name in arrays else facts)[name] = value
    write_array_file(path, KIND, facts, arrays)
    with pytest.raises(FormatError, match=r"the chains (cannot be read|are not those of this table)"):
        sample_posterior(TABLE, seed=1, path=path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chains"
    path.write_bytes(b"something else")
    with pytest.raises(FormatError, match="not a file of the kind"):
        sample_posterior(TABLE, path=path)
    assert run_of_file(tmp_path / "none") is None
    assert run_of_file(None) is None
