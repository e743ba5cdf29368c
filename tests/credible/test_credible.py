"""The credible set against the filter over all DAGs, published counts, and itself in three ways."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.twins.credible_set import credible_twin, is_least_member

from arcwise import _core, datasets
from arcwise._core.credible import NetworkDiagram
from arcwise.credible import diagram as credible_diagram
from arcwise.credible import listing as class_counting
from arcwise.credible import parts
from arcwise.credible.parts import UNLIMITED, Build
from arcwise.data import Dataset, read_data
from arcwise.ensemble import CredibleSet, NetworkSet, class_sizes, count_credible, find_credible, weigh_classes
from arcwise.errors import GuaranteeError, OptionError, UnknownNameError
from arcwise.graph import Constraints, Cpdag, Dag
from arcwise.graph.classes import native_pairs
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets


@cache
def all_dags(n: int) -> NDArray[np.int64]:
    """The parent masks of all DAGs with n nodes, one row per DAG."""
    found: set[tuple[int, ...]] = set()
    for order in itertools.permutations(range(n)):
        before = [sum(1 << u for u in order[: order.index(v)]) for v in range(n)]
        subsets = [[m for m in range(1 << n) if m & ~before[v] == 0] for v in range(n)]
        found.update(itertools.product(*subsets))
    return np.array(sorted(found))


def members(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def full_table(scores: list[dict[int, float]]) -> ParentSetTable:
    names = [f"v{i}" for i in range(len(scores))]
    return ParentSetTable.from_lists(
        names, [[(s, members(mask)) for mask, s in row.items()] for row in scores], slack=math.inf
    )


@st.composite
def score_tables(draw: st.DrawFn, sizes: tuple[int, ...] = (1, 2, 3, 4)) -> list[dict[int, float]]:
    """Local scores for every parent set, from few values so that ties are common."""
    n = draw(st.sampled_from(sizes))
    seed = draw(st.integers(0, 2**32 - 1))
    grid = draw(st.sampled_from([None, 0.5, 1.0]))
    rng = np.random.default_rng(seed)
    table = []
    for v in range(n):
        masks = [m for m in range(1 << n) if not m >> v & 1]
        values = rng.normal(scale=2.0, size=len(masks))
        if grid is not None:
            values = np.round(values / grid) * grid
        table.append(dict(zip(masks, values.tolist(), strict=True)))
    return table


def within(scores: list[dict[int, float]], slack: float, allowed: NDArray[np.bool_] | None = None) -> dict[str, float]:
    dags = all_dags(len(scores))
    total = np.zeros(len(dags))
    for v, row in enumerate(scores):
        lookup = np.full(1 << len(scores), -np.inf)
        lookup[list(row)] = list(row.values())
        total += lookup[dags[:, v]]
    if allowed is not None:
        total[~allowed] = -np.inf
    keep = total >= total.max() - slack - 1e-9
    return {str(dag): score for dag, score in zip(dags[keep].tolist(), total[keep].tolist(), strict=True)}


def as_masks(networks: NetworkSet) -> dict[str, float]:
    listed = [str([sum(1 << p for p in ps) for ps in networks.parents(i)]) for i in range(networks.count)]
    assert len(set(listed)) == len(listed), "a network is listed twice"
    return dict(zip(listed, networks.scores.tolist(), strict=True))


BUILDERS = pytest.mark.parametrize("builder", ["subsets", "sources", "frontier"])


def use_builder(patch: pytest.MonkeyPatch, builder: str, seed: int | None = None) -> None:
    """Let diagrams be made in one way only; the frontier's order is shuffled if there is a seed."""

    shuffle = seed

    def build(make: Build, order: NDArray[np.int32], slack: float, *, seed: int) -> NetworkDiagram:
        if builder == "sources":
            return make(_core.credible.Construction.SOURCES, order, slack, UNLIMITED)
        if shuffle is not None:
            order = np.random.default_rng(shuffle).permutation(order)
        return make(_core.credible.Construction.FRONTIER, order, slack, UNLIMITED)

    patch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 20 if builder == "subsets" else 0)
    patch.setattr(parts, "build_as_planned", build)


@BUILDERS
@settings(max_examples=60)
@given(scores=score_tables(), slack=st.sampled_from([0.0, 0.5, 1.0, 2.9957, 8.0]))
def test_the_set_is_the_filter_over_all_dags(builder: str, scores: list[dict[int, float]], slack: float) -> None:
    table, expected = full_table(scores), within(scores, slack)
    with pytest.MonkeyPatch.context() as patch:
        use_builder(patch, builder)
        found = find_credible(table, log_slack=slack)
        counted = count_credible(table, log_slack=slack)
    assert found.complete
    assert as_masks(found) == pytest.approx(expected)
    assert (np.diff(found.scores) <= 0).all()
    assert counted.count == len(expected)
    for weights in ("posterior", "equal"):
        np.testing.assert_allclose(counted.arc_probabilities(weights), found.arc_probabilities(weights), atol=1e-9)
        assert max(counted.arc_probabilities(weights).max(), found.arc_probabilities(weights).max()) <= 1


@BUILDERS
def test_all_29281_dags_of_five_nodes(builder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_builder(monkeypatch, builder)
    rng = np.random.default_rng(5)
    scores = [{m: float(rng.normal()) for m in range(32) if not m >> v & 1} for v in range(5)]
    everything = count_credible(full_table(scores), log_slack=100.0)
    assert everything.count == 29281
    for slack in (1.0, 4.0):
        assert as_masks(find_credible(full_table(scores), log_slack=slack)) == pytest.approx(within(scores, slack))


@BUILDERS
@settings(max_examples=40)
@given(scores=score_tables((3, 4)), slack=st.sampled_from([0.5, 3.0]), choice=st.data())
def test_constraints_filter_the_set(
    builder: str, scores: list[dict[int, float]], slack: float, choice: st.DataObject
) -> None:
    n = len(scores)
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    forbidden = choice.draw(st.sets(st.sampled_from(pairs), max_size=4))
    required = choice.draw(st.sets(st.sampled_from([p for p in pairs if p not in forbidden]), max_size=1))
    limit = choice.draw(st.sampled_from([None, 1, 2]))
    table, dags = full_table(scores), all_dags(n)
    allowed = np.ones(len(dags), dtype=bool)
    for a, b in forbidden:
        allowed &= dags[:, b] >> a & 1 == 0
    for a, b in required:
        allowed &= dags[:, b] >> a & 1 == 1
    if limit is not None:
        allowed &= np.array([max(int(m).bit_count() for m in dag) <= limit for dag in dags])
    names = table.names
    constraints = Constraints(
        names,
        required=[(names[a], names[b]) for a, b in required],
        forbidden=[(names[a], names[b]) for a, b in forbidden],
        max_parents=limit,
    )
    with pytest.MonkeyPatch.context() as patch:
        use_builder(patch, builder)
        found = find_credible(table, log_slack=slack, constraints=constraints)
    assert as_masks(found) == pytest.approx(within(scores, slack, allowed))


@BUILDERS
@settings(max_examples=60)
@given(n=st.sampled_from([3, 4]), seed=st.integers(0, 2**32 - 1), slack=st.sampled_from([0.0, 1.0, 4.0, 50.0]))
def test_classes_are_those_of_the_dags(builder: str, n: int, seed: int, slack: float) -> None:
    # A score that is a difference of one set function gives equivalent DAGs the same value.
    g = np.random.default_rng(seed).normal(scale=1.5, size=1 << n)
    g[0] = 0
    scores = [{m: float(g[m | 1 << v] - g[m]) for m in range(1 << n) if not m >> v & 1} for v in range(n)]
    table = full_table(scores).vouched(equivalent=True)
    with pytest.MonkeyPatch.context() as patch:
        use_builder(patch, builder)
        classes = find_credible(table, log_slack=slack, by="mec")
        dags = find_credible(table, log_slack=slack)
        counted = count_credible(table, log_slack=slack, classes=True)
    of_dags = {dag.cpdag for dag in dags}
    of_classes = [dag.cpdag for dag in classes]
    assert len(set(of_classes)) == len(of_classes), "a class is listed twice"
    assert set(of_classes) == of_dags
    assert counted.class_count == len(of_dags)


@settings(max_examples=30)
@given(scores=score_tables((3, 4)), slack=st.sampled_from([0.5, 3.0]))
def test_the_twin_agrees(scores: list[dict[int, float]], slack: float) -> None:
    table = full_table(scores)
    twin = {tuple(rows): score for score, rows in credible_twin(table, slack)}
    found = find_credible(table, log_slack=slack)
    assert len(twin) == found.count
    assert sorted(twin.values(), reverse=True) == pytest.approx(found.scores.tolist())


Liao = Callable[[str], Dataset]


@pytest.fixture
def liao(request: pytest.FixtureRequest) -> Liao:
    """The data of Liao et al. (2019) by name. Tic-tac-toe can be enumerated; the others are in the reference data."""

    def read(name: str) -> Dataset:
        if name == "tic-tac-toe":
            return datasets.load(name)
        return read_data(request.getfixturevalue("shared") / "data" / "liao2019" / f"{name}.csv.gz", categorical=True)

    return read


@pytest.mark.parametrize(
    ("name", "factor", "dags", "classes"),
    [
        ("tic-tac-toe", 3, 192, 8),
        ("tic-tac-toe", 20, 192, 8),
        ("tic-tac-toe", 150, 544, 40),
        ("wine", 3, 308, None),
        ("wine", 20, 3449, None),
        ("wine", 150, 26153, None),
        ("voting", 20, 441, 33),
        ("voting", 150, 2222, 170),
        ("zoo", 3, 49, 13),
        ("zoo", 20, 1111, None),
        ("zoo", 150, 21679, None),
        ("hepatitis", 3, 580, None),
        ("hepatitis", 20, 87169, None),
        ("hepatitis", 150, 5591502, None),
        ("mildew1000", 150, 2052, 4),
        ("barley1000", 20, 364, 2),
        ("barley1000", 150, 1274, None),
        ("sponge", 3, 1102, None),
    ],
)
def test_published_counts(liao: Liao, name: str, factor: int, dags: int, classes: int | None) -> None:
    # Liao Table 3.1 and the counts of GOBNILP (ANCHORS 3.3); classes where Table 3.1 agrees with Theorem 2.1.
    table = build_parent_sets(liao(name), "bic", slack=math.log(factor))
    summary = count_credible(table, bayes_factor=factor, classes=classes is not None)
    assert summary.complete
    assert summary.count == dags
    if classes is not None:
        assert summary.class_count == classes


def test_tic_tac_toe_with_bdeu(liao: Liao) -> None:
    table = build_parent_sets(liao("tic-tac-toe"), "bdeu:ess=1", slack=math.log(20))
    found = find_credible(table, bayes_factor="positive")
    assert found.count == 152
    assert found.opt == pytest.approx(-9423.068333, abs=1e-6)
    assert len({dag.cpdag for dag in found}) == 24
    assert find_credible(table, bayes_factor=20, by="mec").count == 24


def test_classes_of_data_are_counted_in_two_ways(liao: Liao, monkeypatch: pytest.MonkeyPatch) -> None:
    table = build_parent_sets(liao("zoo"), "bic", slack=math.log(150))
    by_diagram = count_credible(table, bayes_factor=150, classes=True).class_count
    with monkeypatch.context() as patch:
        patch.setattr(class_counting, "has_whole_classes", lambda table: False)
        by_grouping = count_credible(table, bayes_factor=150, classes=True).class_count
    monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
    by_least_members = count_credible(table, bayes_factor=150, classes=True).class_count
    assert by_diagram == by_grouping == by_least_members == 4977


@pytest.mark.slow
def test_classes_of_large_sets_are_not_counted_by_their_members(liao: Liao) -> None:
    table = build_parent_sets(liao("hailfinder100"), "bic", slack=math.log(150))
    summary = count_credible(table, bayes_factor=150, classes=True)
    assert summary.count == 735_148_848
    classes = find_credible(table, bayes_factor=150, by="mec")
    assert classes.count == summary.class_count
    # Every member of every class is in the set: the sizes add up to the count of the DAGs, found in another way.
    assert sum(class_sizes(classes)) == summary.count


@pytest.mark.parametrize("weights", ["posterior", "equal"])
def test_classes_weigh_as_much_as_their_members(liao: Liao, weights: Literal["posterior", "equal"]) -> None:
    table = build_parent_sets(liao("wine"), "bic", slack=math.log(20))
    dags = find_credible(table, bayes_factor=20).with_weights(weights)
    classes = weigh_classes(find_credible(table, bayes_factor=20, by="mec"), weights=weights)
    assert sum(int(size) for size in classes.facts["sizes"]) == dags.count
    np.testing.assert_allclose(classes.weights.sum(), 1.0)
    skeleton = [arcs + arcs.T for arcs in (dags.arc_probabilities(), classes.arc_probabilities())]
    np.testing.assert_allclose(*skeleton, atol=1e-9)


def test_a_million_networks_of_20_variables_take_little_memory(liao: Liao) -> None:
    table = build_parent_sets(liao("hepatitis"), "bic", slack=math.log(150))
    networks = find_credible(table, bayes_factor=150, limits=Limits(count=1_000_000))
    assert (networks.n_variables, networks.count) == (20, 1_000_000)
    assert networks.nbytes < 200e6
    assert networks.facts["total"] == "5591502"


def test_every_class_of_five_nodes_has_one_least_member() -> None:
    n, masks = 5, range(32)
    table = full_table([{m: 0.0 for m in masks if not m >> v & 1} for v in range(n)])
    number = {(v, m): r for v in range(n) for r, m in zip(table.rows_of(v), sets_of(table, v), strict=True)}
    rows = np.array([[number[v, int(m)] for v, m in enumerate(dag)] for dag in all_dags(n)])
    for seed in range(3):
        rank = np.random.default_rng(seed).permutation(n).astype(np.int32)
        least = _core.graph.least_members_of_rows(rows, rank, table.set_offsets, table.members)
        keys = _core.graph.class_keys_of_rows(rows, table.set_offsets, table.members, native_pairs(None)).reshape(-1, 2)
        assert least.sum() == 8782  # the classes of five nodes (OEIS A007984)
        assert len(np.unique(keys[least > 0], axis=0)) == 8782


@settings(max_examples=60)
@given(n=st.sampled_from([2, 4, 6, 8]), seed=st.integers(0, 2**32 - 1), density=st.sampled_from([0.3, 0.6, 0.9]))
def test_least_members_are_those_of_the_twin(n: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    order, rank = rng.permutation(n).tolist(), rng.permutation(n).astype(np.int32)
    parents = [[u for u in order[: order.index(v)] if rng.random() < density] for v in range(n)]
    names = [f"v{v}" for v in range(n)]
    members = list(itertools.islice(Dag(names, [sorted(ps) for ps in parents]).cpdag.members(), 60))
    entries: list[list[tuple[float, tuple[int, ...]]]] = [
        [(0.0, ps) for ps in dict.fromkeys(dag.parents[v] for dag in members)] for v in range(n)
    ]
    table = ParentSetTable.from_lists(names, entries, slack=math.inf)
    number = {(v, table.parents_of(r)): r for v in range(n) for r in table.rows_of(v)}
    rows = np.array([[number[v, ps] for v, ps in enumerate(dag.parents)] for dag in members])
    found = _core.graph.least_members_of_rows(rows, rank, table.set_offsets, table.members)
    if math.factorial(n) <= 720 or members[0].cpdag.size <= 60:
        assert found.tolist() == [is_least_member(dag, rank.tolist()) for dag in members]
    assert found.sum() <= 1


def sets_of(table: ParentSetTable, v: int) -> list[int]:
    return [sum(1 << p for p in table.parents_of(row)) for row in table.rows_of(v)]


def test_all_builders_give_the_same_set(liao: Liao, monkeypatch: pytest.MonkeyPatch) -> None:
    table = build_parent_sets(liao("voting"), "bic", slack=math.log(150))
    sets = []
    for builder in ("subsets", "sources", "frontier"):
        use_builder(monkeypatch, builder)
        sets.append(find_credible(table, bayes_factor=150))
    assert len({found.facts["states"] for found in sets}) == 3
    assert set(sets[0]) == set(sets[1]) == set(sets[2])


@st.composite
def sparse_tables(draw: st.DrawFn) -> ParentSetTable:
    """Draw a table of 6 to 9 variables with some small parent sets each, whose scores are close together."""
    n = draw(st.integers(6, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    near = draw(st.sampled_from([2, 3, n]))  # how far from a node its parents are
    entries = []
    for v in range(n):
        others = [p for p in range(n) if 0 < min((p - v) % n, (v - p) % n) <= near]
        sets = {frozenset(rng.choice(others, size=rng.integers(0, 3), replace=False).tolist()) for _ in range(7)}
        sets.add(frozenset())
        entries.append([(float(rng.normal(scale=1.5)) + 0.7 * len(s), sorted(s)) for s in sorted(sets, key=sorted)])
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


@settings(max_examples=150)
@given(table=sparse_tables(), slack=st.sampled_from([0.3, 1.0, 2.5, 5.0]), seed=st.integers(0, 99))
def test_the_frontier_forgets_nothing_that_matters(table: ParentSetTable, slack: float, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        use_builder(patch, "subsets")
        expected = count_credible(table, log_slack=slack)
        use_builder(patch, "frontier", seed)
        found = count_credible(table, log_slack=slack)
    assert found.count == expected.count
    for weights in ("posterior", "equal"):
        np.testing.assert_allclose(found.arc_probabilities(weights), expected.arc_probabilities(weights), atol=1e-9)


def test_a_count_is_told_where_only_the_shares_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(150))
    whole = credible_diagram.CredibleDiagram.sums

    def narrow(self: credible_diagram.CredibleDiagram, **options: Any) -> credible_diagram.DiagramSums:
        sums = whole(self, **options)
        return replace(sums, status=Status.MEMORY_LIMIT) if options.get("families") else sums

    monkeypatch.setattr(credible_diagram.CredibleDiagram, "sums", narrow)
    stopped = count_credible(table, bayes_factor=150)
    assert (stopped.count, stopped.status) == (0, Status.MEMORY_LIMIT)
    assert stopped.facts["reached_count"] == "544"
    assert stopped.facts["reached_slack"] == pytest.approx(math.log(150))


def test_the_remedy_for_too_little_slack_is_one() -> None:
    data = datasets.load("tic-tac-toe")
    with pytest.raises(GuaranteeError) as refused:
        count_credible(build_parent_sets(data, "bic", slack=1.0), bayes_factor=5)  # ln 5 = 1.60943...
    found = re.search(r"slack=([\d.]+)\)", str(refused.value))
    assert found is not None
    assert count_credible(build_parent_sets(data, "bic", slack=float(found[1])), bayes_factor=5).complete


def test_more_classes_are_listed_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=math.log(150))
    monkeypatch.setattr(class_counting, "LARGEST_LISTED", 100)
    for few in (0, 20_000):  # by a diagram of the classes, or by listing
        monkeypatch.setattr(class_counting, "FEW", few)
        monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
        assert count_credible(table, bayes_factor=150, classes=True).class_count == (40 if few == 0 else None)
        raised = count_credible(table, bayes_factor=150, classes=True, limits=Limits(count=1000))
        assert (raised.count, raised.class_count) == (544, 40)
    monkeypatch.setattr(class_counting, "FEW", 0)
    monkeypatch.setattr(class_counting, "LARGEST_LISTED", 10)
    assert count_credible(table, bayes_factor=150, classes=True).class_count is None


def test_more_than_64_variables() -> None:
    # 40 pairs that may be joined either way at no loss, or not at all at a loss of 0.5: 2^40 optima.
    entries = [[(0.0, [v ^ 1]), (-0.5, [])] for v in range(80)]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(80)], entries, slack=math.inf)
    summary = count_credible(table, log_slack=0.0, classes=True)
    assert summary.count == 2**40
    assert summary.opt == pytest.approx(-20.0)
    assert summary.class_count is None  # too many to list
    assert find_credible(table.vouched(equivalent=True), log_slack=0.0, by="mec").count == 1
    wider = count_credible(table, log_slack=1.0)  # up to two pairs apart
    assert wider.count == 2**40 + 40 * 2**39 + math.comb(40, 2) * 2**38
    probabilities = summary.arc_probabilities()
    assert probabilities[0, 1] == pytest.approx(0.5)
    assert probabilities[0, 2] == 0


def test_limits_are_a_status() -> None:
    scores = [{m: 0.0 for m in range(16) if not m >> v & 1} for v in range(4)]
    table = full_table(scores)
    cut = find_credible(table, log_slack=0.0, limits=Limits(count=100))
    assert (cut.count, cut.status, cut.complete) == (100, Status.COUNT_LIMIT, False)
    assert cut.facts["total"] == "543"
    exact = find_credible(table, log_slack=0.0, limits=Limits(count=543))
    assert exact.complete
    tiny = find_credible(table, log_slack=0.0, limits=Limits(memory_bytes=100))
    assert tiny.status is Status.MEMORY_LIMIT
    assert tiny.count == 0
    hasty = count_credible(table, log_slack=0.0, limits=Limits(memory_bytes=100))
    assert not hasty.complete


def test_a_count_that_is_stopped_says_how_far_it_got(liao: Liao) -> None:
    table = build_parent_sets(liao("lung-cancer"), "bic", slack=1.5)
    # 5 MB hold the diagram of slack 0.5 (3,000 states), not that of 1.5 (200,000).
    stopped = count_credible(table, log_slack=1.5, limits=Limits(memory_bytes=5_000_000))
    assert stopped.status is Status.MEMORY_LIMIT
    assert stopped.count == 0
    reached = stopped.facts["reached_slack"]
    assert 0 < reached < 1.5
    assert count_credible(table, log_slack=reached).count == int(stopped.facts["reached_count"]) > 0


def test_a_table_with_too_little_slack_is_refused() -> None:
    scores = [{0: 0.0, 2: 1.0}, {0: 0.0, 1: 1.0}]
    entries = [[(s, members(m)) for m, s in row.items()] for row in scores]
    tight = ParentSetTable.from_lists(["a", "b"], entries, slack=0.0)
    with pytest.raises(
        GuaranteeError, match=r"a credible set at Bayes factor 20 needs a table with slack >= 2\.996; this one has 0"
    ):
        find_credible(tight, bayes_factor=20)
    unknown = ParentSetTable.from_lists(["a", "b"], entries)
    with pytest.raises(GuaranteeError, match=r"table\.vouched\(\)"):
        find_credible(unknown, bayes_factor=20)
    assert find_credible(unknown.vouched(), bayes_factor=20).count == 3
    assert find_credible(unknown.vouched(3.0), bayes_factor=20).count == 3
    limited = ParentSetTable.from_lists(["a", "b", "c"], [*entries, [(0.0, [])]], slack=9.0, max_parents=1)
    assert find_credible(limited, bayes_factor=3).max_parents == 1
    with pytest.raises(GuaranteeError, match="limits on the parents of single variables"):
        find_credible(limited, log_slack=0.0, by="mec", constraints=Constraints("abc", max_parents_of={"a": 1}))


@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_a_limit_of_parents_keeps_classes_whole(max_parents: int) -> None:
    """All members of a class have the same numbers of parents, in another order, so a limit forbids all or none."""
    data = datasets.load("tic-tac-toe")
    table = build_parent_sets(data, "qnml", slack=3.0, max_parents=max_parents)
    dags = find_credible(table, log_slack=3.0)
    classes = find_credible(table, log_slack=3.0, by="mec")
    found = {Cpdag.from_dag(dag) for dag in dags}
    assert {Cpdag.from_dag(dag) for dag in classes} == found
    assert classes.count == len(found)
    assert sum(class_sizes(classes)) == dags.count


def test_scores_that_are_no_bayes_factors_are_told() -> None:
    entries = [[(0.0, []), (1.0, [1])], [(0.0, []), (1.0, [0])]]
    aic = ParentSetTable.from_lists(["a", "b"], entries, slack=9.0, score={"name": "aic"})
    with pytest.warns(UserWarning, match="not the logarithm of a Bayes factor"):
        find_credible(aic, bayes_factor=3)
    assert find_credible(aic, log_slack=1.0).count == 3
    k2 = ParentSetTable.from_lists(["a", "b"], entries, slack=9.0, score={"name": "k2"})
    with pytest.raises(GuaranteeError, match="different values"):
        find_credible(k2, bayes_factor=3, by="mec")


def test_arguments_are_checked() -> None:
    table = ParentSetTable.from_lists(["a"], [[(0.0, [])]], slack=9.0)
    for wrong in ({}, {"bayes_factor": 3, "log_slack": 1.0}, {"bayes_factor": 0.5}, {"log_slack": -1.0}):
        with pytest.raises(OptionError):
            find_credible(table, **wrong)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'strong'"):
        find_credible(table, bayes_factor="stong")
    assert find_credible(table, bayes_factor=3)[0] == Dag(("a",), [()])


def test_the_best_scores_of_subsets_are_found_only_if_they_fit_the_limit_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = build_parent_sets(datasets.load("tic-tac-toe"), "bic", slack=3.0, progress=False)
    needed = _core.exact.SubsetDp.memory_for(table.n_variables)
    whole = CredibleSet.build(table, log_slack=2.5)
    made: list[int] = []

    class Noted:
        memory_for = staticmethod(_core.exact.SubsetDp.memory_for)

        def __new__(cls, *arguments: Any) -> Any:
            made.append(1)
            return native(*arguments)

    native = _core.exact.SubsetDp
    monkeypatch.setattr(_core.exact, "SubsetDp", Noted)
    monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
    monkeypatch.setattr(credible_diagram, "MANY_ROWS", 0)
    for memory, times in ((needed, 1), (needed - 1, 0)):
        made.clear()
        found = CredibleSet.build(table, log_slack=2.5, limits=Limits(memory_bytes=memory))
        assert len(made) == times
        assert (found.count, found.status) == (whole.count, Status.COMPLETE)
