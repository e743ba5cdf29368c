from __future__ import annotations

import signal
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import _core, datasets
from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.errors import ConstraintError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.priors import EssSolver, Learning, ess_path, find_optima
from arcwise.scores import make_score

SIZES = [1e-3, 0.5, 1.0, 7.0, 30.0, 200.0, 1e3, 2e4, 1e5]  # more than one block of eight


def random_data(seed: int, variables: int = 5, cases: int = 60, weighted: bool = False) -> Dataset:
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 5, variables)
    codes = np.stack([rng.integers(0, arity, cases) for arity in arities], axis=1)
    for v in range(1, variables):  # some dependence
        copy = rng.random(cases) < 0.6
        codes[copy, v] = codes[copy, v - 1] % arities[v]
    return Dataset.from_codes(
        codes,
        states=[[str(k) for k in range(arity)] for arity in arities],
        weights=rng.integers(0, 4, cases) if weighted else None,
    )


def spectra_of(data: Dataset) -> _core.priors.CountSpectra:
    spectra = _core.priors.make_spectra(data.codes, data.arities, data.native_weights)
    while spectra.level < data.n_variables:
        assert spectra.advance(None, 1e9, 2, 1e12) == 0
    return spectra


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_spectra_are_the_multisets_of_the_counts(seed: int, weighted: bool) -> None:
    data = random_data(seed, variables=4, weighted=weighted)
    spectra = spectra_of(data)
    for mask in range(2**4):
        members = [spectra.labels[p] for p in range(4) if mask >> p & 1]
        flat = spectra.spectrum(mask)
        counts = contingency(data, members).ravel() if members else np.array([data.n_cases])
        assert dict(zip(flat[::2], flat[1::2], strict=True)) == Counter(counts[counts > 0].tolist())


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 0, 1, 2]), st.integers(1, 2))
def test_the_optima_are_those_of_tables_and_the_exact_search(seed: int, most: int | None, threads: int) -> None:
    """The twin: a table of parent sets per score and `find_optimal`, which share no code with the solver."""
    rng = np.random.default_rng(seed)
    data = random_data(seed, weighted=seed % 2 == 0)
    arcs = [(a, b) for a in data.names for b in data.names if a != b]
    chosen = [arcs[i] for i in rng.choice(len(arcs), size=4, replace=False)]
    required = chosen[:1] if most != 0 else []
    forbidden = [arc for arc in chosen[1:] if arc not in required]
    learning = Learning(most, Constraints(data.names, required=required, forbidden=forbidden), threads=threads)
    path, averaged = EssSolver(data, learning).solve_with_average(SIZES)
    scores = [make_score("bdeu", ess=ess) for ess in SIZES]
    mean = make_score("bdeu_averaged", grid=tuple(SIZES))
    expected = find_optima(data, [*scores, mean], learning, progress=False)
    assert averaged is not None
    for found, table, score in zip([*path, averaged], expected, [*scores, mean], strict=True):
        assert found.score == pytest.approx(table.score, rel=1e-10, abs=1e-8)
        assert score.score_network(data, found.dag) == pytest.approx(found.score, rel=1e-10, abs=1e-8)
        assert learning.constraints is not None
        assert not learning.constraints.violations(found.dag)
        assert max(len(parents) for parents in found.dag.parents) <= (5 if most is None else most)
        assert found.status is Status.COMPLETE


def test_threads_change_no_bit() -> None:
    data = datasets.load("tic-tac-toe")
    one, two = (EssSolver(data, Learning(threads=t)).solve_with_average(SIZES) for t in (1, 2))
    assert [o.score for o in one[0]] == [o.score for o in two[0]]
    assert [o.dag for o in (*one[0], one[1])] == [o.dag for o in (*two[0], two[1])]


def test_many_variables_get_tables() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(40, 22))
    codes[:, 1] = codes[:, 0]
    data = Dataset.from_codes(codes, states=[["0", "1"]] * 22)
    solver = EssSolver(data, Learning(max_parents=1))
    assert not solver.keeps_counts
    path, averaged = solver.solve_with_average([0.5, 1.0])
    assert averaged is not None
    assert all(o.status is Status.COMPLETE for o in (*path, averaged))
    expected = find_optima(data, [make_score("bdeu", ess=0.5)], Learning(max_parents=1), progress=False)[0]
    assert path[0].score == pytest.approx(expected.score)


def test_a_time_limit_ends_the_counting_at_a_finished_size_and_says_so() -> None:
    data = random_data(3, variables=12, cases=400)
    path = ess_path(data, ess=[1.0, 10.0], learning=Learning(limits=Limits(seconds=1e-9)))
    assert path.status is Status.TIME_LIMIT
    assert len(path.dags) == 1  # a first one there is
    assert path.averaged is None
    free = ess_path(data, ess=[1.0], learning=Learning(max_parents=0))
    np.testing.assert_allclose(path.scores, free.scores)  # only sets of one variable were counted


def test_little_memory_means_tables() -> None:
    data = random_data(3, variables=10)
    solver = EssSolver(data, Learning(limits=Limits(memory_bytes=100_000)))
    assert not solver.keeps_counts


def test_ctrl_c_ends_the_path_with_what_is_there() -> None:
    data = random_data(5, variables=17, cases=100)
    learning = Learning(max_parents=2)
    sizes = np.logspace(-3, 5, 3000)
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        path = ess_path(data, ess=sizes, learning=learning)
    finally:
        timer.cancel()
    assert path.status is Status.INTERRUPTED
    assert 0 < len(path.ess) < 3000
    assert len(path.ess) == len(path.dags) == len(path.scores)
    assert path.averaged is None
    assert len(path.plot()) == 2


def test_bad_requests() -> None:
    data = random_data(1)
    with pytest.raises(OptionError, match="positive, finite"):
        EssSolver(data).solve([])
    with pytest.raises(OptionError, match="max_parents"):
        Learning(max_parents=-1)
    with pytest.raises(OptionError, match="threads=0"):
        Learning(threads=0)
    names = data.names
    with pytest.raises(ConstraintError, match="required parents"):
        EssSolver(data, Learning(0, Constraints(names, required=[(names[0], names[1])])))
