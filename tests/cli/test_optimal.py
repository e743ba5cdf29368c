"""`arcwise optimal` from tables and from data."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.exact.tables import hard_table

from arcwise import datasets
from arcwise.graph import Constraints, read_structure, write_constraints
from arcwise.parent_sets import ParentSetTable, write_jkl

Cli = Callable[..., str]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "small.jkl"
    entries = [[(-1.0, (1,)), (-4.0, ())], [(-2.0, (0,)), (-3.0, ())], [(-5.0, (0, 1)), (-9.0, ())]]
    write_jkl(path, ParentSetTable.from_lists(["a", "b", "c"], entries))
    return path


def test_a_table(cli: Cli, table: Path) -> None:
    answer = json.loads(cli("optimal", table, "--json"))
    assert answer["score"] == answer["upper_bound"] == -9.0
    assert answer["status"] == "complete"
    assert sorted(map(tuple, answer["arcs"])) == [("a", "c"), ("b", "a"), ("b", "c")]
    assert {"score", "upper_bound", "gap", "status", "method", "seconds", "arcs"} <= set(answer)
    assert {"reason", "nodes", "ties_possible"} <= set(answer)


def test_text_and_structure_file(cli: Cli, table: Path, tmp_path: Path) -> None:
    output = tmp_path / "best.txt"
    assert "proved optimal" in cli("optimal", table, "-o", output)
    assert ("b", "a") in read_structure(output).arcs


def test_constraints_apply(cli: Cli, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_constraints(path, Constraints(["a", "b", "c"], forbidden=[("b", "a")]))
    assert json.loads(cli("optimal", table, "--constraints", path, "--json"))["score"] == -11.0


def test_data_are_scored_first(cli: Cli, tmp_path: Path) -> None:
    datasets.tic_tac_toe().to_file(tmp_path / "boards.csv")
    answer = json.loads(cli("optimal", tmp_path / "boards.csv", "--score", "bic", "--json"))
    assert answer["score"] == pytest.approx(-9396.375858, abs=1e-6)  # as tests/scores/test_goldens.py finds by sets
    assert answer["gap"] == 0


def start(table: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "arcwise.cli", "optimal", str(table), "--json", "--quiet", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_limit_is_exit_code_3(tmp_path: Path) -> None:
    table = tmp_path / "hard.jkl"
    write_jkl(table, hard_table())
    process = start(table, "--limit-seconds", "0.2")
    answer = json.loads(process.communicate(timeout=120)[0])
    assert process.returncode == 3
    assert answer["status"] == "time limit"
    assert answer["score"] < answer["upper_bound"]


def test_a_parent_limit_needs_data(cli: Cli, table: Path) -> None:
    assert "already built" in cli("optimal", table, "--max-parents", 2, code=1)


def test_ancestors_from_data_and_who_refuses_them(cli: Cli, tmp_path: Path) -> None:
    rows = [f"{a},{b},{c}" for a, b, c in [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)] for _ in range(10)]
    data = tmp_path / "cases.csv"
    data.write_text("\n".join(["a,b,c", *rows]) + "\n")
    known = ("--constraints", '{"ancestors": [["b", "a"]], "non_ancestors": [["c", "?"]]}')
    answer = json.loads(cli("optimal", data, "--categorical", *known, "--json"))
    assert answer["arcs"] == [["b", "a"]]
    message = cli("search", data, "--categorical", *known, code=1)
    assert "local search cannot obey constraints on ancestors (b leads to a)" in message
    assert "arcwise learn --method credible" in message


def test_a_certificate_is_written_and_checked(cli: Cli, table: Path, tmp_path: Path) -> None:
    certificate = tmp_path / "proof.json.gz"
    cli("optimal", table, "--certificate", certificate)
    answer = cli("check-certificate", table, certificate)
    assert "score        -9.000000" in answer
    assert "no network of the table scores higher by more than 0\n" in answer
    assert "constraints" not in answer
    found = json.loads(cli("check-certificate", table, certificate, "--json"))
    assert found["accepted"]
    assert (found["score"], found["gap"], found["exact_score"]) == (-9.0, 0.0, "-9")


def test_a_certificate_with_constraints_says_so(cli: Cli, table: Path, tmp_path: Path) -> None:
    known, certificate = tmp_path / "known.json", tmp_path / "proof.json"
    write_constraints(known, Constraints(["a", "b", "c"], forbidden=[("b", "a")], max_parents=1))
    cli("optimal", table, "--constraints", known, "--certificate", certificate)
    assert "among the networks with 1 forbidden arcs, 3 parent limits" in cli("check-certificate", table, certificate)
    found = json.loads(cli("check-certificate", table, certificate, "--json"))
    assert found["forbidden"] == [["b", "a"]]
    assert found["max_parents"] == {"a": 1, "b": 1, "c": 1}


def test_a_refused_certificate_is_exit_code_1_and_one_sentence(cli: Cli, table: Path, tmp_path: Path) -> None:
    certificate, other = tmp_path / "proof.json", tmp_path / "other.jkl"
    cli("optimal", table, "--certificate", certificate)
    other.write_text(table.read_text(encoding="utf-8").replace("-9", "-8"), encoding="utf-8")
    message = cli("check-certificate", other, certificate, code=1)
    assert message == (
        f"CertificateError: {certificate} is refused: it is about another table: names, parent sets or scores differ.\n"
    )
    content = certificate.read_text(encoding="utf-8")
    certificate.write_text(content.replace('"score":"-9"', '"score":"-8"'), encoding="utf-8")
    assert "its digest is not that of its content" in cli("check-certificate", table, certificate, code=1)


def test_certificates_that_cannot_be_written(cli: Cli, table: Path, tmp_path: Path) -> None:
    assert "ends in .json" in cli("optimal", table, "--certificate", tmp_path / "proof.txt", code=1)
    answer = cli("optimal", table, "--method", "ilp", "--certificate", tmp_path / "proof.json", code=1)
    assert "--method ilp writes no certificate" in answer
    assert "--method branch-and-bound" in answer


def test_a_certificate_from_data(cli: Cli, tmp_path: Path) -> None:
    """The table that `arcwise scores` writes is the one that the certificate is about."""
    data, table, certificate = tmp_path / "d.csv", tmp_path / "t.arct", tmp_path / "proof.json.gz"
    rows = ["a,b,c", *(f"{i % 2},{i % 3},{i * i % 5 % 2}" for i in range(40))]
    data.write_text("\n".join(rows), encoding="utf-8")
    cli("optimal", data, "--score", "bic", "--certificate", certificate)
    cli("scores", data, "--score", "bic", "-o", table)
    assert "proved" in cli("check-certificate", table, certificate)
