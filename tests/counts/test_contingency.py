from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.counts import contingency_twin

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import DataError


@st.composite
def weighted_data(draw: st.DrawFn) -> Dataset:
    arities = draw(st.lists(st.sampled_from([2, 3, 5, 300]), min_size=1, max_size=4))
    rows = draw(st.integers(1, 40))
    codes = np.array([[draw(st.integers(0, r - 1)) for r in arities] for _ in range(rows)])
    weights = draw(st.none() | st.lists(st.integers(0, 10**12), min_size=rows, max_size=rows).filter(any).map(np.array))
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities], weights=weights)


@given(weighted_data(), st.data())
def test_native_counts_equal_the_twin(data: Dataset, choice: st.DataObject) -> None:
    variables = choice.draw(st.permutations(range(data.n_variables)))[: choice.draw(st.integers(0, data.n_variables))]
    if np.prod([float(data.arities[v]) for v in variables]) > 1e6:
        variables = variables[:1]
    np.testing.assert_array_equal(contingency(data, variables), contingency_twin(data, variables))


def test_more_cells_than_memory_is_an_error_not_an_overflow() -> None:
    data = Dataset.from_codes(np.zeros((3, 80), dtype=int), states=[["a", "b"]] * 80)
    with pytest.raises(DataError, match=r"1,208,925,819,614,629,174,706,176 cells"):
        contingency(data, range(80))


@pytest.mark.parametrize("variables", [[-1], [0, 2]])
def test_a_position_out_of_range_is_refused(variables: list[int]) -> None:
    data = Dataset.from_codes(np.array([[0, 1], [1, 0]]))
    with pytest.raises(DataError, match="the positions are 0 to 1"):
        contingency(data, variables)
