from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.errors import ConstraintError, FormatError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build, build_parent_sets, read_jkl
from arcwise.progress import ProgressEvent
from arcwise.scores import make_score


def coded(path: Path) -> Dataset:
    """The reference data, with the states that occur."""
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=str)
    numbers = table.astype(np.int64) if np.char.isdigit(table).all() else table
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in numbers.T])
    # A constant column has two states, of which it never shows one.
    return Dataset.from_codes(codes, states=[[str(k) for k in range(max(2, column.max() + 1))] for column in codes.T])


def random_data(n: int, rows: int, *, arity: int = 2, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(arity, size=(rows, n))
    for v in range(1, n):
        copied = rng.random(rows) < 0.6
        codes[copied, v] = codes[copied, rng.integers(v)]
    return Dataset.from_codes(codes, states=[[str(k) for k in range(arity)]] * n)


# The number of parent sets in published instances (ELSA papers; ../shared/data/scores/README.md).
PUBLISHED = {
    "iris": 26,
    "mildew1000": 126,
    "hailfinder100": 167,
    "water1000": 159,
    "barley1000": 244,
    "lung-cancer": 292,
    "hailfinder500": 418,
    "carpo100": 423,
    "horse": 490,
    "insurance1000": 506,
    "sponge": 618,
    "flag": 741,
    "alarm1000": 1002,
    "autos": 2391,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_bic_tables_have_the_published_number_of_sets_and_scores(shared: Path, name: str) -> None:
    data = coded(shared / f"data/liao2019/{name}.csv.gz")
    table = build_parent_sets(data, "bic", slack=0.0)
    assert table.n_rows == PUBLISHED[name]
    path = next(p for p in (shared / "data/scores").rglob(f"{name}_BIC.jkl.gz"))
    reference = read_jkl(path)
    rounding = 2e-3 if name == "water1000" else 6e-7  # the file is in single precision
    for node in range(table.n_variables):
        # The published files count a constant column as having no parameter.
        extra = math.log(data.n_cases) / 2 if data.codes[node].max() == 0 else 0.0
        ours = {table.parents_of(row): table.scores[row] + extra for row in table.rows_of(node)}
        theirs = {reference.parents_of(row): reference.scores[row] for row in reference.rows_of(node)}
        assert ours.keys() == theirs.keys()
        assert all(math.isclose(ours[p], theirs[p], abs_tol=rounding) for p in ours)


def test_unpruned_bdeu_equals_the_gobnilp_file(shared: Path) -> None:
    data = coded(shared / "data/sampled/asia_10000.csv.gz")
    ours = build_parent_sets(data, "bdeu", slack=math.inf, max_parents=3)
    theirs = read_jkl(shared / "data/scores/asia_10000_3.jkl.gz")
    assert ours.n_rows == theirs.n_rows == 512
    for node in range(8):
        found = {ours.parents_of(row): ours.scores[row] for row in ours.rows_of(node)}
        for row in theirs.rows_of(node):
            assert found[theirs.parents_of(row)] == pytest.approx(theirs.scores[row], abs=1e-7)


def test_the_table_says_what_it_guarantees() -> None:
    data = random_data(5, 50)
    table = build_parent_sets(data, "bdeu:ess=2", slack=3.0, max_parents=2)
    assert (table.slack, table.max_parents, table.status) == (3.0, 2, Status.COMPLETE)
    assert table.score == {"name": "bdeu", "ess": 2}
    assert table.data_digest == data.digest
    assert table.statistics is not None and table.statistics.families > 0
    assert build_parent_sets(data, "bic").max_parents is None


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_threads_change_no_bit(score: str) -> None:
    data = random_data(12, 300, arity=3)
    tables = [build_parent_sets(data, score, slack=2.0, max_parents=4, threads=threads) for threads in (1, 2, 3)]
    assert len({table.digest for table in tables}) == 1


def test_more_than_64_variables_and_wide_codes() -> None:
    data = random_data(130, 40)
    table = build_parent_sets(data, "bic", slack=0.0, max_parents=2)
    rng = np.random.default_rng(1)
    for node in rng.integers(130, size=10):
        for row in list(table.rows_of(int(node)))[:5]:
            assert table.scores[row] == pytest.approx(
                make_score("bic").score_family(data, int(node), table.parents_of(row)), abs=1e-9
            )
    wide = Dataset.from_codes(np.column_stack([np.arange(400) % 300, np.arange(400) % 2, np.arange(400) % 3]))
    assert wide.codes.dtype == np.uint16
    assert build_parent_sets(wide, "bdeu").n_variables == 3


def test_weights_count_as_rows_do() -> None:
    data = random_data(6, 40)
    weights = np.arange(40) % 4
    repeated = Dataset.from_codes(np.repeat(data.codes.T, weights, axis=0), states=data.states)
    weighted = Dataset.from_codes(data.codes.T, states=data.states, weights=weights)
    for score in ("bic", "bdeu", "k2"):
        a, b = build_parent_sets(repeated, score, slack=1.0), build_parent_sets(weighted, score, slack=1.0)
        np.testing.assert_allclose(a.scores, b.scores, rtol=1e-12)
        np.testing.assert_array_equal(a.members, b.members)
    heavy = Dataset.from_codes(data.codes.T, states=data.states, weights=np.full(40, 10**9))
    assert build_parent_sets(heavy, "bic", max_parents=2).n_rows > 0


def test_a_limit_stops_at_a_finished_level_with_its_guarantee() -> None:
    data = random_data(40, 400, arity=3)
    table = build_parent_sets(data, "bdeu", limits=Limits(seconds=0.3))
    assert table.status is Status.TIME_LIMIT
    level = table.max_parents
    assert level is not None
    again = build_parent_sets(data, "bdeu", max_parents=level)
    np.testing.assert_array_equal(table.scores, again.scores)
    small = build_parent_sets(data, "bdeu", limits=Limits(memory_bytes=2_000_000))
    assert small.status is Status.MEMORY_LIMIT
    assert small.max_parents is not None and small.max_parents >= 1
    everything = build_parent_sets(
        data, "bic", slack=math.inf, limits=Limits(memory_bytes=30_000_000)
    )  # the rows alone fill it
    assert everything.status is Status.MEMORY_LIMIT
    assert everything.max_parents == 3
    with pytest.raises(OptionError, match="does not hold one parent set per variable"):
        build_parent_sets(data, "bdeu", limits=Limits(memory_bytes=10))


def test_interrupting_gives_the_finished_levels() -> None:
    data = random_data(30, 300)

    def stop(event: ProgressEvent) -> None:
        if event.stage == "3 parents":
            raise KeyboardInterrupt

    table = build_parent_sets(data, "bdeu", progress=stop)
    assert (table.status, table.max_parents) == (Status.INTERRUPTED, 2)


def test_an_error_in_the_callback_is_raised() -> None:
    def fail(event: ProgressEvent) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build_parent_sets(random_data(30, 300), "bic", progress=fail)


def test_work_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    data = random_data(14, 200, arity=3)
    saved = tmp_path / "work.checkpoint"
    stages: list[str] = []

    def stop(event: ProgressEvent) -> None:
        stages.append(event.stage)
        if event.stage == "3 parents":
            raise KeyboardInterrupt

    for score in ("bic", "bdeu", "k2"):
        expected = build_parent_sets(data, score, slack=1.0, max_parents=4)
        assert (
            build_parent_sets(data, score, slack=1.0, max_parents=4, checkpoint=saved, progress=stop).max_parents == 2
        )
        assert saved.exists()
        stages.clear()
        table = build_parent_sets(
            data, score, slack=1.0, max_parents=4, checkpoint=saved, progress=lambda event: stages.append(event.stage)
        )
        assert "2 parents" not in stages
        assert table.digest == expected.digest
        assert not saved.exists()


def test_work_with_required_arcs_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    data = random_data(9, 200, arity=3)
    saved = tmp_path / "work.checkpoint"
    required = [(data.names[0], data.names[8]), (data.names[5], data.names[8]), (data.names[3], data.names[1])]
    constraints = Constraints(data.names, required=required)

    def stop(event: ProgressEvent) -> None:
        if event.stage == "3 parents":
            raise KeyboardInterrupt

    expected = build_parent_sets(data, "bic", slack=1.0, constraints=constraints)
    build_parent_sets(data, "bic", slack=1.0, constraints=constraints, checkpoint=saved, progress=stop)
    assert saved.exists()
    found = build_parent_sets(data, "bic", slack=1.0, constraints=constraints, checkpoint=saved)
    assert found.digest == expected.digest
    assert not saved.exists()


def test_a_checkpoint_of_other_work_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    data = random_data(14, 200, arity=3)
    saved = tmp_path / "work.checkpoint"

    def stop(event: ProgressEvent) -> None:
        if event.stage == "2 parents":
            raise KeyboardInterrupt

    build_parent_sets(data, "bic", checkpoint=saved, progress=stop)
    with pytest.raises(FormatError, match="belongs to other data or options"):
        build_parent_sets(data, "bic", slack=1.0, checkpoint=saved)
    content = saved.read_bytes()
    saved.write_bytes(content[:-1])
    with pytest.raises(FormatError, match=r"truncated or damaged.*Remove it to start again"):
        build_parent_sets(data, "bic", checkpoint=saved)


def test_constraints_shape_the_table() -> None:
    data = random_data(5, 200)
    a, b, c, d, _ = data.names
    constraints = Constraints(data.names, required=[(a, b)], forbidden=[(c, b)], max_parents_of={d: 1})
    table = build_parent_sets(data, "bic", slack=100.0, constraints=constraints)
    for node in range(5):
        for row in table.rows_of(node):
            assert constraints.allows(node, table.parents_of(row))
    assert {table.parents_of(row) for row in table.rows_of(1)} >= {(0,), (0, 3), (0, 4)}
    with pytest.raises(ConstraintError, match="required parents but max_parents=0"):
        build_parent_sets(data, "bic", max_parents=0, constraints=constraints)
    with pytest.raises(ConstraintError, match="different variables"):
        build_parent_sets(data, "bic", constraints=Constraints(["x"]))
    shuffled = constraints.reorder(data.names[::-1])
    again = build_parent_sets(data, "bic", slack=100.0, constraints=shuffled)
    assert again.digest == table.digest


def test_filter_leaves_what_the_constraints_allow() -> None:
    data = random_data(5, 200)
    table = build_parent_sets(data, "bic", slack=50.0)
    constraints = Constraints(data.names, forbidden=[(data.names[0], data.names[1])], max_parents=2)
    filtered = table.filter(constraints)
    filtered.validate()
    assert filtered.digest != table.digest
    direct = build_parent_sets(data, "bic", slack=50.0, constraints=constraints)
    np.testing.assert_array_equal(filtered.scores, direct.scores)
    np.testing.assert_array_equal(filtered.members, direct.members)
    assert filtered.slack == 50.0
    needs = Constraints(data.names, required=[(data.names[0], data.names[1])])
    assert math.isnan(table.filter(needs).slack)
    assert all(0 in table.filter(needs).parents_of(row) for row in table.filter(needs).rows_of(1))
    empty = ParentSetTable.from_lists(data.names, [[(-1.0, [])]] * 5)
    with pytest.raises(ConstraintError, match="no parent set of 'X1'"):
        empty.filter(needs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slack": -1.0}, "slack=-1.0 must be 0 or more"),
        ({"slack": math.nan}, "slack=nan"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"max_parents": 1.5}, "max_parents=1.5"),
        ({"threads": 0}, "threads=0"),
        ({"memory_limit": 10**9}, "build_parent_sets takes no argument 'memory_limit'"),
    ],
)
def test_wrong_options_are_told(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        build_parent_sets(random_data(3, 10), "bic", **options)  # type: ignore[arg-type]


def test_levels_are_made_at_once_where_bounds_drop_little(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_data(20, 60, seed=3)
    at_once = build_parent_sets(data, "bdeu", slack=math.log(20))
    assert at_once.statistics is not None
    assert at_once.statistics.sets >= 2**20
    monkeypatch.setattr(build, "DENSE_FROM", math.inf)
    by_level = build_parent_sets(data, "bdeu", slack=math.log(20))
    assert at_once.n_rows == by_level.n_rows > 20
    for node in range(20):
        found, expected = (
            {table.parents_of(row): float(table.scores[row]) for row in table.rows_of(node)}
            for table in (at_once, by_level)
        )
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_limit_before_the_levels_made_at_once_leaves_the_finished_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_data(22, 40, seed=3)
    monkeypatch.setattr(build, "DENSE_FROM", 1e4)
    whole = build_parent_sets(data, "bdeu", limits=Limits(memory_bytes=200_000_000))
    assert whole.status is Status.COMPLETE
    # The array of all sets needs 32 MB and the best scores 16 MB: with less, levels go on one by one.
    partial = build_parent_sets(data, "bdeu", limits=Limits(memory_bytes=20_000_000))
    assert partial.status is Status.MEMORY_LIMIT
    assert partial.max_parents is not None
    expected = build_parent_sets(data, "bdeu", max_parents=partial.max_parents)
    np.testing.assert_array_equal(partial.members, expected.members)
