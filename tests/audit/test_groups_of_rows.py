"""Which column is proposed as that which says which rows belong together: names of groups, never what measures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arcwise.audit.rows import find_groups
from arcwise.data import Table


def grouped(name: str, *, steps: bool, groups: int = 12, size: int = 60) -> Table:
    """Numbers that differ between groups: by chance, or along a line over the groups' numbers."""
    rng = np.random.default_rng(4)
    group = rng.integers(0, groups, groups * size)
    line = (np.arange(groups)[:, None] - groups / 2) * 3 / groups * np.array([1.0, -1.0, 0.7])
    of_group = line if steps else rng.normal(size=(groups, 3))
    values = of_group[group] + rng.normal(size=(len(group), 3))
    return Table.from_dataframe(pd.DataFrame(values, columns=["a", "b", "c"]).assign(**{name: group + 1}))


@pytest.mark.parametrize("name", ["school", "patient_id", "pid", "hhid", "subjectID", "visitId"])
def test_names_of_groups_are_found(name: str) -> None:
    assert [one.columns for one in find_groups(grouped(name, steps=False))] == [(name,)]


@pytest.mark.parametrize("name", ["school", "PID", "pid"])
def test_a_scale_is_no_group(name: str) -> None:
    """Years of school, or party identification from one end to the other: others differ along a line over them."""
    assert not list(find_groups(grouped(name, steps=True)))


@pytest.mark.parametrize("name", ["paid", "lipid", "thyroid", "grid"])
def test_words_that_end_like_an_identifier_are_none(name: str) -> None:
    assert not list(find_groups(grouped(name, steps=False)))
