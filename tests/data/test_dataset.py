from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Dataset
from arcwise.errors import ArcwiseError, DataError, OptionError

CODES = np.array([[0, 1, 2], [1, 0, 2], [0, 1, 2], [1, 1, 0]])
NAMES = ("a", "b", "c")


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    arities = draw(st.lists(st.sampled_from([2, 3, 300]), min_size=1, max_size=4))
    rows = draw(st.integers(1, 30))
    few = draw(st.booleans())
    codes = np.array([[draw(st.integers(0, 1 if few else r - 1)) for r in arities] for _ in range(rows)])
    weights = draw(st.none() | st.lists(st.integers(0, 5), min_size=rows, max_size=rows).filter(any))
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities], weights=weights)


def cases(data: Dataset) -> Counter[tuple[int, ...]]:
    counts: Counter[tuple[int, ...]] = Counter()
    for row in range(data.n_rows):
        counts[tuple(data.codes[:, row].tolist())] += 1 if data.weights is None else int(data.weights[row])
    return +counts


def test_from_codes_stores_columns_in_the_smallest_type() -> None:
    data = Dataset.from_codes(CODES, names=NAMES)
    assert data.codes.dtype == np.uint8
    assert data.codes.flags.c_contiguous
    np.testing.assert_array_equal(data.codes, CODES.T)
    assert data.states == (("0", "1"), ("0", "1"), ("0", "1", "2"))
    assert (data.n_variables, data.n_rows, data.n_cases) == (3, 4, 4)
    assert data.arities.tolist() == [2, 2, 3]
    wide = Dataset.from_codes(CODES, states=[["x", "y"], ["x", "y"], [str(k) for k in range(257)]])
    assert wide.codes.dtype == np.uint16
    assert repr(data) == "<Dataset: 3 variables of 2 to 3 states, 4 rows>"


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float64, np.uint32, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_from_codes_accepts_any_type_and_order_and_copies(kind: type, order: str) -> None:
    table = np.array(CODES, dtype=kind, order=order)  # type: ignore[call-overload]
    data = Dataset.from_codes(table)
    table[:] = 0
    np.testing.assert_array_equal(data.codes, CODES.T)


def test_the_constructor_shares_memory_and_arrays_are_read_only() -> None:
    codes = np.ascontiguousarray(CODES.T, dtype=np.uint8)
    data = Dataset(codes, NAMES, (("0", "1"), ("0", "1"), ("0", "1", "2")))
    assert np.shares_memory(data.codes, codes)
    for array in (data.codes, data.arities, data.resample(np.random.default_rng(1)).weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1  # type: ignore[index]


def test_the_product_of_arities_does_not_overflow() -> None:
    data = Dataset.from_codes(np.zeros((1, 5000), dtype=int), states=[["a", "b"]] * 5000)
    assert data.log_configurations == pytest.approx(5000 * np.log(2))


def bad(**changes: object) -> dict[str, object]:
    fields: dict[str, object] = {"codes": CODES, "names": NAMES, "states": None, "weights": None}
    return fields | changes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (bad(codes=np.zeros((0, 3))), "no rows"),
        (bad(codes=np.zeros((3, 0))), "no rows"),
        (bad(codes=np.zeros(3)), r"shape \(3,\) are not a table"),
        (bad(names=("a", "b")), "2 names for 3 columns"),
        (bad(names=("a", "b", "a")), "name 'a' is given to variables 1 and 3 of 3"),
        (bad(names=("a", " ", "c")), "variable 2 of 3 has an empty name"),
        (bad(codes=-CODES), r"variable 'a' \(1 of 3\) has code -1 in row 1"),
        (bad(codes=CODES + 0.5), r"has code 0.5 in row 0"),
        (bad(codes=np.where(CODES == 2, np.nan, CODES)), r"has code nan in row 0; .* impute"),
        (bad(codes=CODES.astype(str) + "x"), "codes must be integers"),
        (bad(codes=CODES * 10**8), "were not declared"),
        (bad(codes=np.zeros((2, 2))), r"'a' \(1 of 2\) has one state, '0'; a variable needs at least two"),
        (bad(states=[["0", "1"]] * 3), r"'c' \(3 of 3\) has code 2 in row 0, but only 2 states"),
        (bad(states=[["0", "1"]] * 2), "states are given for 2 variables, but there are 3"),
        (bad(states=[["0", "1"], ["0", "0"], ["0", "1", "2"]]), "state '0' twice"),
        (bad(states=[["0", "1"], ["0", ""], ["0", "1", "2"]]), "empty name"),
        (bad(states=["01", "01", "012"]), "states must be a list of strings"),
        (bad(weights=[1, 2, 3]), r"weights of shape \(3,\) do not fit 4 rows"),
        (bad(weights=[1, 2, 3, -1]), "weight of row 3 is -1"),
        (bad(weights=[1, 2, 3, 0.5]), "whole numbers .*, not 0.5"),
        (bad(weights=[1, 2, 3, np.inf]), "whole numbers .*, not inf"),
        (bad(weights=["1", "2", "3", "4"]), "whole numbers"),
        (bad(weights=[0, 0, 0, 0]), "no rows"),
        (bad(weights=[2**52, 2**52, 2**52, 1]), r"at most 2\^53"),
        (bad(weights=[2**63, 2**63, 1, 1]), r"at most 2\^53"),
    ],
)
def test_bad_codes_are_refused(arguments: dict[str, object], message: str) -> None:
    codes = arguments.pop("codes")
    if isinstance(codes, np.ndarray) and codes.shape == (2, 2):
        arguments["names"] = NAMES[:2]
    with pytest.raises(DataError, match=message):
        Dataset.from_codes(codes, **arguments)  # type: ignore[arg-type]


def test_the_constructor_names_the_other_constructor_for_the_other_shape() -> None:
    with pytest.raises(DataError, match="from_codes"):
        Dataset(CODES.astype(np.uint8), NAMES, (("0", "1"),) * 3)


def test_index_suggests() -> None:
    data = Dataset.from_codes(CODES, names=("smoke", "cough", "age"))
    assert data.index("cough") == 1
    with pytest.raises(DataError, match="did you mean 'smoke'"):
        data.index("smoker")


# ---- Digests


def test_digest_is_fixed_and_depends_on_every_part() -> None:
    data = Dataset.from_codes(CODES, names=NAMES)
    assert data.digest == Dataset.from_codes(np.asfortranarray(CODES.astype(np.int8)), names=NAMES).digest
    assert data.digest == Dataset.from_codes(CODES, names=NAMES, weights=[1, 1, 1, 1]).digest
    # Fixed for ever: files carry digests. Recomputed here from the definition.
    by_hand = hashlib.sha256(b'[["a", "b", "c"], [["0", "1"], ["0", "1"], ["0", "1", "2"]], 4]')
    by_hand.update(bytes([0, 1, 0, 1, 1, 0, 1, 1, 2, 2, 2, 0]))
    assert data.digest == by_hand.hexdigest()
    others = [
        Dataset.from_codes(CODES, names=("a", "b", "d")),
        Dataset.from_codes(CODES, names=NAMES, states=[["0", "1"], ["0", "1"], ["0", "1", "x"]]),
        Dataset.from_codes(CODES[::-1], names=NAMES),
        Dataset.from_codes(CODES, names=NAMES, weights=[1, 1, 1, 2]),
        data.collapse(),
    ]
    assert len({data.digest, *(other.digest for other in others)}) == 6


# ---- Shapes


@given(datasets())
def test_collapse_keeps_every_case(data: Dataset) -> None:
    small = data.collapse()
    assert cases(small) == cases(data)
    assert small.n_rows == len(cases(data))
    assert small.n_cases == data.n_cases
    first = [tuple(column) for column in small.codes.T.tolist()]
    seen = dict.fromkeys(tuple(column) for column in data.codes.T.tolist())
    assert first == [row for row in seen if row in cases(data)]
    assert cases(small.expand()) == cases(data)
    assert small.expand().weights is None


@given(datasets(), st.data())
def test_select_and_take(data: Dataset, choice: st.DataObject) -> None:
    chosen = choice.draw(st.lists(st.integers(0, data.n_variables - 1), min_size=1, unique=True))
    part = data.select([data.names[v] for v in chosen])
    np.testing.assert_array_equal(part.codes, data.codes[chosen])
    assert part.states == tuple(data.states[v] for v in chosen)
    assert part.codes.dtype == Dataset.code_type(int(part.arities.max()))
    rows = choice.draw(st.lists(st.integers(0, data.n_rows - 1), min_size=1))
    if data.weights is None or data.weights[rows].sum():
        np.testing.assert_array_equal(data.take(rows).codes, data.codes[:, rows])


def test_select_and_take_refuse() -> None:
    data = Dataset.from_codes(CODES, names=NAMES)
    with pytest.raises(OptionError, match=r"select\(\['a'\]\)"):
        data.select("a")
    for names in (["z"], []):
        with pytest.raises(DataError):
            data.select(names)
    with pytest.raises(DataError, match="given to variables"):
        data.select(["a", "a"])
    for rows in ([], [4], [-1], [[0]], [0.5], [True, False]):
        with pytest.raises(DataError):
            data.take(rows)
    assert data.take([True, False, False, True]).n_rows == 2


# ---- At random


@given(datasets(), st.integers(0, 100))
def test_resample_draws_n_cases_over_the_same_codes(data: Dataset, seed: int) -> None:
    sample = data.resample(np.random.default_rng(seed))
    assert sample.n_cases == data.n_cases
    assert np.shares_memory(sample.codes, data.codes)
    assert set(cases(sample)) <= set(cases(data))
    again = data.resample(np.random.default_rng(seed))
    np.testing.assert_array_equal(sample.weights, again.weights)  # type: ignore[arg-type]


def test_many_cases_are_drawn_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, 200)  # rows without a case are never drawn
    data = Dataset.from_codes(rng.integers(0, 2, (200, 3)), states=[["0", "1"]] * 3, weights=weights)
    listed = data.resample(np.random.default_rng(5)).weights
    assert listed is not None and not listed[weights == 0].any()
    monkeypatch.setattr("arcwise.data.cases.MOST_COUNTED", 0)
    np.testing.assert_array_equal(data.resample(np.random.default_rng(5)).weights, listed)


def test_resample_has_the_moments_of_the_multinomial() -> None:
    weights = np.array([1, 0, 5, 10])
    data = Dataset.from_codes(CODES, weights=weights)
    rng = np.random.default_rng(2)
    draws = np.array([data.resample(rng).weights for _ in range(20_000)])
    share = weights / 16
    np.testing.assert_allclose(draws.mean(axis=0), weights, atol=0.06)
    np.testing.assert_allclose(draws.var(axis=0), 16 * share * (1 - share), rtol=0.05)


@given(datasets(), st.integers(0, 100))
def test_permuted_columns_keep_margins(data: Dataset, seed: int) -> None:
    shuffled = data.permute_columns(np.random.default_rng(seed))
    assert (shuffled.n_rows, shuffled.n_cases, shuffled.names) == (data.n_cases, data.n_cases, data.names)
    for v in range(data.n_variables):
        np.testing.assert_array_equal(np.sort(shuffled.codes[v]), np.sort(data.expand().codes[v]))
    assert shuffled.codes.flags.c_contiguous
    assert shuffled.digest == data.permute_columns(np.random.default_rng(seed)).digest


def test_permuted_columns_are_independent() -> None:
    column = np.arange(1000) % 10
    data = Dataset.from_codes(np.stack([column, column], axis=1))
    rng = np.random.default_rng(3)
    first, second = data.permute_columns(rng), data.permute_columns(rng)
    for shuffled in (first, second):
        agreement = (shuffled.codes[0] == shuffled.codes[1]).mean()
        assert 0.06 < agreement < 0.14
    assert first.digest != second.digest


@given(datasets(), st.floats(0.05, 0.95), st.integers(0, 100))
def test_split_partitions_the_cases(data: Dataset, fraction: float, seed: int) -> None:
    size = round(fraction * data.n_cases)
    if size in (0, data.n_cases):
        with pytest.raises(DataError, match="one side empty"):
            data.split(fraction, np.random.default_rng(seed))
        return
    train, test = data.split(fraction, np.random.default_rng(seed))
    assert (train.n_cases, test.n_cases) == (size, data.n_cases - size)
    assert cases(train) + cases(test) == cases(data)
    assert train.states == test.states == data.states


def test_a_seed_is_a_number_or_a_generator() -> None:
    data = Dataset.from_codes(CODES)
    for call in (data.resample, data.permute_columns, lambda seed: data.split(0.5, seed)[0]):
        assert call(7).digest == call(np.random.default_rng(7)).digest
        with pytest.raises(OptionError, match="seed=-1 must be an integer >= 0"):
            call(-1)
        with pytest.raises(OptionError, match="seed='one'"):
            call("one")  # type: ignore[arg-type]
    for fraction in (0, 1, -0.1, float("nan")):
        with pytest.raises(ArcwiseError, match="between 0 and 1"):
            data.split(fraction, np.random.default_rng(1))
