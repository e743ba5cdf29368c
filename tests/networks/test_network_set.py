from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import datasets
from arcwise.base.arrays import read_array_file, write_array_file
from arcwise.ensemble import CredibleSet, Ensemble, Families, NetworkSet, NetworkSummary, concatenate
from arcwise.errors import FormatError, GraphError, OptionError, UnknownNameError
from arcwise.graph import Constraints, Dag
from arcwise.limits import Status
from arcwise.networks.network_list import first_cyclic
from arcwise.parent_sets import build_parent_sets

NAMES = ("it's", 'b"c', "d,e", "é")


@st.composite
def dags(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> Dag:
    order = draw(st.permutations(range(len(names))))
    parents: list[set[int]] = [set() for _ in names]
    for position, v in enumerate(order):
        parents[v] = draw(st.sets(st.sampled_from(order[:position]))) if position else set()
    return Dag(names, parents)


@st.composite
def network_sets(draw: st.DrawFn) -> NetworkSet:
    members = draw(st.lists(dags(), min_size=1, max_size=12))
    scores = draw(st.none() | st.lists(st.floats(-1000, 0), min_size=len(members), max_size=len(members)))
    return NetworkSet.from_dags(
        members,
        origin=draw(st.sampled_from(["credible", "bootstrap"])),
        scores=scores,
        opt=draw(st.sampled_from([float("nan"), -1.5])),
        slack=3.0,
        status=draw(st.sampled_from(list(Status))),
        tolerance=1e-9,
        score={"name": "bdeu", "ess": 1.0},
        facts={"seed": 7, "note": "it's"},
    )


def assert_same(a: NetworkSet, b: NetworkSet) -> None:
    assert list(a) == list(b)
    np.testing.assert_array_equal(a.scores, b.scores)
    np.testing.assert_array_equal(a.log_weights, b.log_weights)
    for name in ("names", "origin", "status", "max_parents", "tolerance", "score", "data_digest", "facts"):
        assert getattr(a, name) == getattr(b, name), name
    for name in ("opt", "slack"):
        assert getattr(a, name) == getattr(b, name) or (math.isnan(getattr(a, name)) and math.isnan(getattr(b, name)))


@given(network_sets(), st.sampled_from(["nets", "nets.gz", "nets.parquet"]))
def test_files_hold_the_whole_set(tmp_path_factory: pytest.TempPathFactory, networks: NetworkSet, name: str) -> None:
    path = tmp_path_factory.mktemp("files") / name
    networks.save(path)
    assert_same(NetworkSet.load(path), networks)


@given(network_sets())
def test_arc_probabilities_are_sums_over_the_networks(networks: NetworkSet) -> None:
    expected = np.zeros((4, 4))
    for dag, weight in zip(networks, networks.weights, strict=True):
        for child, parents in enumerate(dag.parents):
            for p in parents:
                expected[p, child] += weight
    np.testing.assert_allclose(networks.arc_probabilities(), expected, atol=1e-12)
    equal = sum((np.array([[p in ps for ps in dag.parents] for p in range(4)]) for dag in networks), np.zeros((4, 4)))
    np.testing.assert_allclose(networks.arc_probabilities("equal"), equal / len(networks), atol=1e-12)


@given(network_sets(), network_sets(), st.data())
def test_parts_and_joins_are_those_of_a_list(a: NetworkSet, b: NetworkSet, choice: st.DataObject) -> None:
    joined = concatenate([a, b])
    assert list(joined) == [*a, *b]
    assert math.isclose(joined.weights.sum(), 1.0)
    np.testing.assert_allclose(joined.weights[: len(a)].sum(), len(a) / (len(a) + len(b)))
    start = choice.draw(st.integers(0, len(joined)))
    part = joined[start:]
    assert list(part) == list(joined)[start:]
    if part.count:
        assert math.isclose(part.weights.sum(), 1.0)
        assert joined[-1] == part[-1]
    mask = np.array(choice.draw(st.lists(st.booleans(), min_size=len(joined), max_size=len(joined))))
    assert list(joined[mask]) == [dag for dag, keep in zip(joined, mask, strict=True) if keep]
    assert part.compact().families.n_rows <= joined.families.n_rows


def test_posterior_weights_follow_the_scores() -> None:
    networks = NetworkSet.from_dags([Dag(("a", "b"), [[], []]), Dag(("a", "b"), [[], [0]])], origin="x", scores=[0, -1])
    np.testing.assert_allclose(networks.weights, [1 / (1 + math.exp(-1)), math.exp(-1) / (1 + math.exp(-1))])
    np.testing.assert_allclose(networks.with_weights("equal").weights, [0.5, 0.5])
    np.testing.assert_allclose(networks.with_weights(np.array([3.0, 1.0])).weights, [0.75, 0.25])
    assert isinstance(networks, Ensemble)
    with pytest.raises(UnknownNameError, match=r"unknown weighting 'eqal'; did you mean 'equal'\?"):
        networks.with_weights("eqal")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"2 finite numbers >= 0"):
        networks.with_weights(np.array([1.0, -1.0]))
    with pytest.raises(OptionError, match=r"needs the score of every network"):
        NetworkSet.from_dags([networks[0]], origin="bootstrap").with_weights("posterior")


def test_a_million_networks_of_twenty_variables_take_less_than_200_megabytes() -> None:
    families = Families.from_sets([[(), *(((v + 1 + k) % 20,) for k in range(19))] * 1 for v in range(20)])
    networks = NetworkSet(
        names=tuple(f"v{v}" for v in range(20)),
        families=families,
        choices=np.zeros((10**6, 20), dtype=np.uint16),
        scores=np.zeros(10**6),
        log_weights=np.full(10**6, -math.log(10**6)),
        origin="test",
    )
    assert networks.nbytes < 200e6
    assert networks.count == 10**6


def test_a_network_with_a_cycle_is_found() -> None:
    n = 70
    families = Families.from_sets([[(), ((v + 1) % n,)] for v in range(n)])
    choices = np.ones((3, n), dtype=np.uint8)
    choices[0, 5] = 0
    choices[2, 69] = 0
    assert first_cyclic(families, choices) == 1
    assert first_cyclic(families, choices[[0, 2]]) is None


@pytest.mark.parametrize("name", ["nets", "nets.parquet"])
def test_damaged_files_are_refused(tmp_path: Path, name: str) -> None:
    networks = NetworkSet.from_dags([Dag(("a", "b"), [[], [0]])], origin="credible", scores=[-1.0])
    path = tmp_path / name
    networks.save(path)
    whole = path.read_bytes()
    for damage in (whole[: len(whole) // 2], b"", whole[:-4] + b"nope", whole[:30] + b"x" + whole[31:]):
        path.write_bytes(damage)
        with pytest.raises(FormatError):
            NetworkSet.load(path)
    with pytest.raises(FormatError, match="cannot read"):
        NetworkSet.load(tmp_path / f"none-{name}")


def test_parquet_whose_rows_were_changed_is_refused(tmp_path: Path) -> None:
    import duckdb

    networks = NetworkSet.from_dags([Dag(("a", "b"), [[], [0]])], origin="credible", scores=[-1.0])
    networks.save(tmp_path / "nets.parquet")
    with duckdb.connect() as connection:
        kept = connection.execute(f"SELECT value FROM parquet_kv_metadata('{tmp_path}/nets.parquet')").fetchall()
        connection.execute(
            f"COPY (SELECT -2.0::DOUBLE AS score, * EXCLUDE score FROM '{tmp_path}/nets.parquet') "
            f"TO '{tmp_path}/other.parquet' (KV_METADATA {{arcwise: '{bytes(kept[0][0]).decode()}'}})"
        )
    with pytest.raises(FormatError, match="not those that were saved"):
        NetworkSet.load(tmp_path / "other.parquet")


def test_a_file_that_was_edited_to_hold_a_cycle_is_refused(tmp_path: Path) -> None:
    networks = NetworkSet(
        names=("a", "b"),
        families=Families.from_sets([[(1,)], [(0,)]]),
        choices=np.zeros((1, 2), dtype=np.uint8),
        scores=np.zeros(1),
        log_weights=np.zeros(1),
        origin="forged",
    )
    for name in ("nets", "nets.parquet"):
        networks.save(tmp_path / name)
        with pytest.raises(FormatError, match="network 0 has a directed cycle"):
            NetworkSet.load(tmp_path / name)
    with pytest.raises(GraphError):
        list(networks)


def test_summaries_keep_counts_beyond_any_machine_word(tmp_path: Path) -> None:
    summary = NetworkSummary(
        names=("a", "b"),
        families=Families.from_sets([[()], [(), (0,)]]),
        count=10**30,
        posterior=np.array([1.0, 0.25, 0.75]),
        equal=np.array([1.0, 0.5, 0.5]),
        origin="credible",
        class_count=2,
    )
    assert isinstance(summary, Ensemble)
    summary.save(tmp_path / "s")
    read = NetworkSummary.load(tmp_path / "s")
    assert read.count == 10**30
    assert read.class_count == 2
    np.testing.assert_array_equal(read.arc_probabilities(), [[0, 0.75], [0, 0]])
    np.testing.assert_array_equal(read.arc_probabilities("equal"), [[0, 0.5], [0, 0]])
    content = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(content[:-1])
    with pytest.raises(FormatError, match="checksum"):
        NetworkSummary.load(tmp_path / "s")


def crafted_files(folder: Path) -> list[tuple[Any, str, Path]]:
    """Write a set and its summary, both under a constraint; return who reads each, and of which kind it is."""
    data = datasets.load("balance-scale")
    known = Constraints(data.names, required=[data.names[:2]])
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.log(1000), constraints=known, progress=False)
    found = CredibleSet.build(table, bayes_factor=100, progress=False)
    found.networks().save(folder / "whole.nets")
    found.summary().save(folder / "whole.summary")
    return [
        (NetworkSet, "arcwise-networks 1", folder / "whole.nets"),
        (NetworkSummary, "arcwise-summary 1", folder / "whole.summary"),
    ]


def test_files_with_a_right_checksum_and_a_wrong_content_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "edited"
    for reader, kind, path in crafted_files(tmp_path):
        facts, arrays = read_array_file(path, kind)
        edits: list[tuple[dict[str, Any], dict[str, Any]]] = [({}, {name: a[:, None]}) for name, a in arrays.items()]
        edits += [({}, {name: a.astype("f8")}) for name, a in arrays.items() if a.dtype != np.float64]
        edits += [({}, {name: a[:-1]}) for name, a in arrays.items()]
        edits += [({"tolerance": "NaN"}, {}), ({"tolerance": -1}, {}), ({"names": [1, 2, 3, 4, 5]}, {})]
        forbidden = {"constraints": {"forbidden": [facts["names"][:2]]}}
        edits += [({"facts": facts["facts"] | forbidden}, {})]
        for others, replaced in edits:
            write_array_file(target, kind, facts | others, arrays | replaced)
            with pytest.raises(FormatError):
                reader.load(target)
        reader.load(path)


@pytest.mark.parametrize("number", [b"NaN", b"1e999", b"-Infinity"])
def test_a_header_that_could_not_be_written_again_is_refused(number: bytes, tmp_path: Path) -> None:
    for reader, kind, path in crafted_files(tmp_path):
        body = path.read_bytes()[: -hashlib.sha256().digest_size]
        start = len(kind) + 1
        size = int.from_bytes(body[start : start + 8], "little")
        header, arrays = body[start + 8 :][:size], body[start + 8 :][size:]
        header = header.replace(b'"facts":{', b'"facts":{"more":' + number + b",", 1)
        edited = body[:start] + len(header).to_bytes(8, "little") + header + arrays
        path.write_bytes(edited + hashlib.sha256(edited).digest())
        with pytest.raises(FormatError, match="header"):
            reader.load(path)
