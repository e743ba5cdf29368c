"""Certificates: complete and true on whatever a search meets, refused when anything in them is changed."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.certificate.problems import certificate_of, exact_optimum, noise_table, signed
from tests.exact.tables import random_table, tables
from tests.oracles.brute_force_networks import best_score
from tests.oracles.random_constraints import drawn_constraints

from arcwise.certificate import check_certificate, checker
from arcwise.certificate.certified import plain_table
from arcwise.errors import CertificateError, ConstraintError, FormatError
from arcwise.exact import certify_optimal, find_optimal
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, write_parent_sets

FINISHED = Fraction(1, 10**6)


@given(tables())
@settings(max_examples=60)
def test_small_tables_against_brute_force(table: ParentSetTable) -> None:
    expected = best_score(table)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.json")
        if expected == -math.inf:
            with pytest.raises(ConstraintError):
                certify_optimal(table, path, progress=False)
            return
        optimum = certify_optimal(table, path, progress=False)
        found = check_certificate(table, path)
    assert found.dag == optimum.dag
    assert float(found.score) == pytest.approx(expected, abs=1e-6)
    exact = exact_optimum(plain_table(table), unconstrained(table))
    assert exact is not None
    assert found.score <= exact <= found.bound <= found.score + FINISHED


def unconstrained(table: ParentSetTable) -> dict[str, Any]:
    n = table.n_variables
    return {"required": [[]] * n, "forbidden": [[]] * n, "most parents": [n] * n}


@given(tables(with_empty=True), st.data())
@settings(max_examples=60)
def test_constraints_are_part_of_what_is_certified(table: ParentSetTable, data: st.DataObject) -> None:
    constraints = drawn_constraints(table.names, data)
    if constraints is None:
        return
    expected = best_score(table, constraints)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.json")
        if expected == -math.inf:
            with pytest.raises(ConstraintError):
                certify_optimal(table.vouched(), path, constraints=constraints, progress=False)
            return
        content = certificate_of(table.vouched(), path, constraints=constraints)
        found = check_certificate(table, path)
    assert set(found.required) == set(constraints.required)
    assert set(constraints.forbidden) <= set(found.forbidden)
    assert not constraints.violations(found.dag)
    exact = exact_optimum(plain_table(table), content)
    assert exact is not None
    assert float(exact) == pytest.approx(expected, abs=1e-9)
    assert found.score <= exact <= found.bound <= found.score + FINISHED


@pytest.mark.parametrize(("n", "seed"), [(7, 1), (9, 1), (9, 5)])
def test_a_proof_that_branches(tmp_path: Path, n: int, seed: int) -> None:
    table = noise_table(n, seed)
    content = certificate_of(table, tmp_path / "c.json")
    assert any("branch" in step for step in content["steps"])
    found = check_certificate(table, tmp_path / "c.json")
    exact = exact_optimum(plain_table(table), content)
    assert exact is not None
    assert found.score <= exact <= found.bound <= found.score + FINISHED


def test_recording_does_not_change_the_search(tmp_path: Path) -> None:
    for table in (noise_table(9, 1), random_table(14, sets=25, seed=3, reach=3)):
        plain = find_optimal(table, method="branch-and-bound", progress=False)
        recorded = certify_optimal(table, tmp_path / "c.json", progress=False)
        assert recorded == dataclasses.replace(plain, seconds=recorded.seconds)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_limit_leaves_the_bound_that_was_reached(tmp_path: Path, count: int) -> None:
    table = noise_table(9, 1)
    limits = Limits(count=count) if count else Limits(seconds=1e-9)
    optimum = certify_optimal(table, tmp_path / "c.json", limits=limits, progress=False)
    found = check_certificate(table, tmp_path / "c.json")
    exact = exact_optimum(plain_table(table), unconstrained(table))
    assert optimum.status is not Status.COMPLETE
    assert exact is not None
    assert found.score <= exact <= found.bound
    # The checker may know better than the search, never worse.
    assert FINISHED < found.gap <= Fraction(optimum.gap) + FINISHED


def test_the_memory_limit_holds_for_what_is_recorded(tmp_path: Path) -> None:
    optimum = certify_optimal(noise_table(9, 1), tmp_path / "c.json", limits=Limits(memory_bytes=2000), progress=False)
    assert optimum.status is Status.MEMORY_LIMIT
    assert check_certificate(noise_table(9, 1), tmp_path / "c.json").gap > FINISHED


@pytest.mark.parametrize("factor", [2.0**-1000, 1e-6, 1e4, 5e7])
def test_scores_of_any_size(tmp_path: Path, factor: float) -> None:
    small = noise_table(7, 1)
    table = dataclasses.replace(small, scores=small.scores * factor)
    content = certificate_of(table, tmp_path / "c.json")
    found = check_certificate(table, tmp_path / "c.json")
    exact = exact_optimum(plain_table(table), content)
    assert exact is not None
    assert found.score <= exact <= found.bound <= found.score + max(FINISHED, Fraction(factor) / 10**6)


# -- changed certificates ---------------------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every entry of a certificate that is no list or object, with the way to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, (*path, i))
    else:
        yield path, value


def changed(certificate: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The certificate with one entry replaced."""
    result = copy.deepcopy(certificate)
    place: Any = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return result


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[checker.Table, dict[str, Any]]:
    """A table and its certificate, with branches, clusters of several kinds, tables and constraints."""
    table = noise_table(9, 1)
    constraints = Constraints(table.names, forbidden=[(table.names[0], table.names[1])], max_parents=4)
    path = tmp_path_factory.mktemp("proof") / "c.json"
    content = certificate_of(table, path, constraints=constraints)
    assert {"cluster", "table"} == {cut[0] for cut in content["cuts"]}
    assert any("branch" in step for step in content["steps"])
    checker.check(plain_table(table), content)
    return plain_table(table), content


def other_number(draw: st.DrawFn, value: Any) -> Any:
    """Another number than the one that stands there: near it, or anywhere."""
    if isinstance(value, str):  # an exact fraction, a row of digits, a digest
        digits = [i for i, sign in enumerate(value) if sign.isdigit()]
        at = draw(st.sampled_from(digits))
        digit = draw(st.sampled_from([d for d in "0123456789" if d != value[at]]))
        return value[:at] + digit + value[at + 1 :]
    near = st.sampled_from([-1, 1, 2, -2, 2**40])
    return draw((near.map(lambda step: value + step) | st.integers(-5, 2**50)).filter(lambda other: other != value))


@given(data=st.data())
@settings(max_examples=150)
def test_any_number_changed_is_refused(proof: tuple[checker.Table, dict[str, Any]], data: st.DataObject) -> None:
    table, certificate = proof
    entries = [(path, value) for path, value in places(certificate) if any(map(str.isdigit, str(value)))]
    path, value = data.draw(st.sampled_from(entries))
    with pytest.raises(checker.Refused):
        checker.check(table, changed(certificate, path, data.draw(st.composite(other_number)(value))))


@given(data=st.data())
@settings(max_examples=150)
def test_a_forger_proves_nothing_that_is_false(
    proof: tuple[checker.Table, dict[str, Any]], data: st.DataObject
) -> None:
    """With the digest made anew and the figures that then follow, what is accepted is true all the same."""
    table, certificate = proof
    forged = certificate
    for _ in range(data.draw(st.integers(1, 4))):
        entries = [(path, value) for path, value in places(forged) if path[0] not in SIGNED]
        numbers = [(path, value) for path, value in entries if any(map(str.isdigit, str(value)))]
        path, value = data.draw(st.sampled_from(numbers))
        forged = changed(forged, path, data.draw(st.composite(other_number)(value)))
    try:
        found = checker.derive(table, forged)
    except checker.Refused:
        return
    exact = exact_optimum(table, forged)
    assert exact is not None
    assert found.score <= exact <= found.bound
    stated = signed({**forged, "score": str(found.score), "bound": str(found.bound)})
    assert checker.check(table, stated) == found
    with pytest.raises(checker.Refused, match="bound"):
        checker.check(table, signed({**stated, "bound": str(found.bound - Fraction(1, 2**90))}))


SIGNED = ("format", "digest", "table", "variables")  # what every certificate about the table has
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(data=st.data())
@settings(max_examples=150)
def test_what_is_no_certificate_is_refused_not_an_accident(
    proof: tuple[checker.Table, dict[str, Any]], data: st.DataObject
) -> None:
    table, certificate = proof
    forged = copy.deepcopy(certificate)
    place: Any = forged
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        place = inner
    if data.draw(st.booleans()):
        place[key] = data.draw(ANYTHING)
    else:
        del place[key]
    try:
        found = checker.check(table, signed(forged))
    except checker.Refused:
        return
    exact = exact_optimum(table, forged)
    assert exact is not None
    assert found.score <= exact <= found.bound


@given(data=st.data())
@settings(max_examples=100)
def test_any_score_changed_is_refused(proof: tuple[checker.Table, dict[str, Any]], data: st.DataObject) -> None:
    (names, entries), certificate = proof
    v = data.draw(st.integers(0, len(names) - 1))
    row = data.draw(st.integers(0, len(entries[v]) - 1))
    score, parents = entries[v][row]
    other = data.draw(st.sampled_from([math.nextafter(score, 0), score + 1, -score]))
    rows = [*entries[v][:row], (other, parents), *entries[v][row + 1 :]]
    with pytest.raises(checker.Refused, match="another table"):
        checker.check((names, [*entries[:v], rows, *entries[v + 1 :]]), certificate)


def test_a_forged_proof_about_a_changed_table(proof: tuple[checker.Table, dict[str, Any]]) -> None:
    """A better network in a table whose digest was forged, too: the old steps do not prove the old bound."""
    (names, entries), certificate = proof
    for v, row in [(v, row) for v, rows in enumerate(entries) for row in range(len(rows))][:40]:
        score, parents = entries[v][row]
        rows = [*entries[v][:row], (score + 100.0, parents), *entries[v][row + 1 :]]
        table = names, [*entries[:v], rows, *entries[v + 1 :]]
        forged = signed({**certificate, "table": checker.table_digest(table)})
        exact = exact_optimum(table, forged)
        assert exact is not None
        if exact > Fraction(certificate["bound"]):
            with pytest.raises(checker.Refused):
                checker.check(table, forged)


def test_another_table_other_names(tmp_path: Path) -> None:
    table = noise_table(7, 1)
    certify_optimal(table, tmp_path / "c.json.gz", progress=False)
    renamed = dataclasses.replace(table, names=("other", *table.names[1:]))
    for other in (renamed, noise_table(7, 2)):
        with pytest.raises(CertificateError, match=r"c\.json\.gz is refused: it is about another table"):
            check_certificate(other, tmp_path / "c.json.gz")
    # What is said about the table, its guarantee, is not part of it.
    assert check_certificate(table.vouched(), tmp_path / "c.json.gz").steps >= 2


def test_equal_files_by_equal_runs(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        certify_optimal(noise_table(7, 1), tmp_path / name, progress=False)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


def test_names_and_files_that_are_not_there(tmp_path: Path) -> None:
    table = noise_table(7, 1)
    with pytest.raises(FormatError, match=r"ends in \.json or \.json\.gz"):
        certify_optimal(table, tmp_path / "c.txt", progress=False)
    with pytest.raises(FormatError, match="cannot read"):
        check_certificate(table, tmp_path / "c.json")
    (tmp_path / "c.json").write_text("[1, 2", encoding="utf-8")
    with pytest.raises(CertificateError, match="it is not JSON"):
        check_certificate(table, tmp_path / "c.json")
    (tmp_path / "c.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(CertificateError, match="it is not JSON"):
        check_certificate(table, tmp_path / "c.json")
    (tmp_path / "c.json").write_bytes(b"\x1f\x8bnot gzip")
    with pytest.raises(CertificateError, match="cannot be unpacked"):
        check_certificate(table, tmp_path / "c.json")
    (tmp_path / "c.json").write_text(json.dumps({"format": "else"}), encoding="utf-8")
    with pytest.raises(CertificateError, match="not of the format"):
        check_certificate(table, tmp_path / "c.json")
    write_parent_sets(tmp_path / "t.jkl", table)
    (tmp_path / "t.jkl").write_bytes((tmp_path / "t.jkl").read_bytes()[:-40])
    with pytest.raises(CertificateError, match=r"the table .*t\.jkl cannot be read"):
        check_certificate(tmp_path / "t.jkl", tmp_path / "c.json")
