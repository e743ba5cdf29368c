"""The checker by itself: what it may import, how it reads tables, and the inequalities that it believes."""

from __future__ import annotations

import ast
import itertools
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.certificate.problems import noise_table
from tests.exact.tables import tables

from arcwise import _core
from arcwise.certificate import checker
from arcwise.certificate.certified import plain_table
from arcwise.exact import certify_optimal
from arcwise.parent_sets import ParentSetTable, read_parent_sets, write_parent_sets
from arcwise.parent_sets.table import format_binary, format_jkl

SOURCE = Path(checker.__file__)


def test_it_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            modules.add(str(node.module))
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_it_runs_alone(tmp_path: Path) -> None:
    """As a file that was copied elsewhere, with nothing else of arcwise to be found."""
    table = noise_table(7, 1)
    write_parent_sets(tmp_path / "t.arct", table)
    certify_optimal(table, tmp_path / "c.json.gz", progress=False)
    write_parent_sets(tmp_path / "other.arct", noise_table(7, 2))
    (tmp_path / "alone.py").write_bytes(SOURCE.read_bytes())

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)

    done = run("-I", "-S", "alone.py", "t.arct", "c.json.gz")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("accepted: the network has the score")
    done = run("-I", "-S", "alone.py", "other.arct", "c.json.gz")
    assert done.returncode == 1
    assert done.stderr == "refused: it is about another table: names, parent sets or scores differ\n"
    assert run("-I", "-S", "alone.py").returncode == 2
    assert run("-m", "arcwise.certificate", "t.arct", "c.json.gz").returncode == 0


NAMES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4), min_size=5, unique=True)


@given(tables(), NAMES, st.booleans())
@settings(max_examples=100)
def test_tables_are_read_as_arcwise_reads_them(table: ParentSetTable, names: list[str], as_text: bool) -> None:
    table = ParentSetTable.from_lists(
        names[: table.n_variables],
        [[(table.scores[r], table.parents_of(r)) for r in table.rows_of(v)] for v in range(table.n_variables)],
    )
    content = format_jkl(table) if as_text else format_binary(table)
    read = checker.parse_jkl(content.decode()) if as_text else checker.parse_arct(content)
    assert checker.table_digest(read) == checker.table_digest(plain_table(table))
    assert sorted(read[1][0]) == sorted(plain_table(table)[1][0])


def test_published_files_are_read_as_arcwise_reads_them(shared: Path) -> None:
    for name in ("asia_10000_3", "zoo_BIC", "bnslim_child-5000", "computed/carpo100_BIC"):
        path = shared / "data" / "scores" / f"{name}.jkl.gz"
        own, other = checker.read_table(str(path)), plain_table(read_parent_sets(path))
        assert own[0] == other[0]
        assert checker.table_digest(own) == checker.table_digest(other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x\n",
        "1\na 1\n-1 1 a\n",  # its own parent
        "1\na 1\n",
        "1\na 0\n",
        "1\na 1\n-1 1 b\n",
        "1\na 1\nnan 0\n",
        "1\na 1\ninf 0\n",
        "1\na 2\n-1 0\n-2 0\n",  # a set twice
        "1\na 1\n-1 2 b\n",
        "2\na 1\n-1 0\n",
        "1\na 1\n-1 0\nb 1\n-1 0\n",
        "1\na 1\n-1 0\n-2 0\n",
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.jkl").write_text(text, encoding="utf-8")
    with pytest.raises(checker.Refused, match="cannot be read"):
        checker.read_table(str(tmp_path / "t.jkl"))


def test_a_broken_binary_table_is_refused(tmp_path: Path) -> None:
    content = format_binary(noise_table(7, 1))
    path = tmp_path / "t.arct"
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(checker.Refused):
            checker.read_table(str(path))
        path.write_bytes(content[:at])
        with pytest.raises(checker.Refused):
            checker.read_table(str(path))


def networks(n: int) -> list[tuple[int, ...]]:
    sets = [[mask for mask in range(2**n) if not mask >> v & 1] for v in range(n)]
    return [parents for parents in itertools.product(*sets) if checker.is_acyclic(parents)]


def test_the_networks_on_four_variables() -> None:
    assert len(checker.four_variable_networks()) == 543
    assert len(networks(3)) == 25


def test_clusters_hold_in_every_network() -> None:
    """And with equality in some, so that no smaller side would do."""
    for size in (2, 3, 4):
        for members in itertools.combinations(range(4), size):
            for at_least in range(1, size):
                cut = checker.cut_of(["cluster", at_least, list(members)], [], 4)
                numbers = [(v, cut.number_of(v)) for v in members]
                assert max(sum(number(p[v]) for v, number in numbers) for p in networks(4)) == cut.side


def test_tables_of_four_variables_are_those_of_the_search() -> None:
    for facet in _core.exact.facet_coefficients().reshape(-1, 4, 16).tolist():
        table = checker.coefficients(["".join(map(str, row)) for row in facet])
        assert checker.four_variable_side(table) in (2, 3)
        cut = checker.cut_of(["table", 0, [3, 1, 0, 2]], [(table, checker.four_variable_side(table))], 4)
        sums = [sum(cut.number_of(v)(p[v]) for v in range(4)) for p in networks(4)]
        assert max(sums) == cut.side


@given(tables(), st.data())
@settings(max_examples=100)
def test_whatever_the_weights_are_the_bound_holds(table: ParentSetTable, data: st.DataObject) -> None:
    """And what is left has every network above the floor."""
    names, entries = plain_table(table)
    n = len(names)
    problem: checker.Problem = {
        v: checker.undominated((int(score * 2**20), sum(1 << u for u in parents)) for score, parents in rows)
        for v, rows in enumerate(entries)
    }
    cuts = []
    for _ in range(data.draw(st.integers(0, 5)) if n > 1 else 0):
        members = data.draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=n, unique=True))
        at_least = data.draw(st.integers(1, len(members)))
        cuts.append((checker.cut_of(["cluster", at_least, members], [], n), data.draw(st.integers(0, 2**30))))
    choices = [
        choice
        for choice in itertools.product(*problem.values())
        if checker.is_acyclic([parents for _, parents in choice])
    ]
    floor = data.draw(st.integers(-(2**35), 2**35))
    bound, left = checker.weigh(problem, floor, cuts)
    left = checker.possible(left)
    for choice in choices:
        score = sum(score for score, _ in choice)
        assert score <= bound
        assert score <= floor or all(row in left[v] for v, row in enumerate(choice))


@given(tables())
@settings(max_examples=100)
def test_a_dropped_set_is_in_no_network(table: ParentSetTable) -> None:
    problem: checker.Problem = {
        v: [(0, sum(1 << u for u in parents)) for _, parents in rows] for v, rows in enumerate(plain_table(table)[1])
    }
    used: dict[int, set[int]] = {v: set() for v in problem}
    for choice in itertools.product(*problem.values()):
        if checker.is_acyclic([parents for _, parents in choice]):
            for v, (_, parents) in enumerate(choice):
                used[v].add(parents)
    left = checker.possible(problem)
    assert {v: {parents for _, parents in rows} for v, rows in left.items()} == used


TRIANGLE: checker.Table = (
    ["a", "b", "c"],
    [[(-1.0, ()), (0.0, (1,))], [(-1.0, ()), (0.0, (2,))], [(-1.0, ()), (0.0, (0,))]],
)
# Every variable wants the next one as its parent, and that is a cycle: the best network does without one of the arcs.
PROOF: dict[str, Any] = {
    "required": [[], [], []],
    "forbidden": [[], [], []],
    "most parents": [3, 3, 3],
    "network": [[1], [2], []],
    "tables": [],
    "cuts": [["cluster", 1, [0, 1, 2]]],
    "steps": [{"rounds": [{"cuts": [0], "weights": [2**44]}]}],
}


def test_a_proof_by_hand() -> None:
    found = checker.derive(TRIANGLE, PROOF)
    assert (found.score, found.bound, found.gap) == (-1, -1, 0)
    assert found.arcs == (("b", "a"), ("c", "b"))
    assert checker.derive(TRIANGLE, {**PROOF, "required": [[1], [], []]}).bound == -1
    assert checker.derive(TRIANGLE, {**PROOF, "forbidden": [[1], [], []], "network": [[], [2], [0]]}).gap == 0


@pytest.mark.parametrize(
    ("steps", "bound"),
    [
        ([{}], 0),
        ([{"rounds": [{"cuts": [0], "weights": [2**44]}]}], -1),
        ([{"rounds": [{"cuts": [0], "weights": [2**43]}]}], Fraction(-1, 2)),
        ([{"rounds": [{"cuts": [0], "weights": [2**43]}, {"cuts": [0], "weights": [2**44]}]}], -1),
        ([{"rounds": [{"cuts": [0], "weights": [2**60]}]}], 0),  # far too much: the trivial bound is better
        ([{"branch": [1, 0]}, {}, {}], 0),
        ([{"branch": [1, 0]}, {"branch": [2, 1]}, {}, {}, {}], -1),
        ([{"groups": [[0, 2], [1]]}, {}, {}], 0),  # no cycle is left in them
        ([{"groups": [[0, 1, 2]]}, *PROOF["steps"]], -1),
    ],
)
def test_bounds_by_hand(steps: list[dict[str, Any]], bound: Fraction) -> None:
    """Of a network with a score of -2, so that its floor leaves something to do."""
    found = checker.derive(TRIANGLE, {**PROOF, "network": [[], [2], []], "steps": steps})
    assert (found.score, found.bound) == (-2, bound)


def test_the_bounds_of_groups_add_up() -> None:
    """Scores above 0, and a network that is not the best: the larger of the two bounds would be too small."""
    table: checker.Table = (["a", "b"], [[(1.0, ())], [(0.0, ()), (2.0, (0,))]])
    proof = {key: value[:2] for key, value in PROOF.items() if key not in ("cuts", "tables")}
    steps = [{"groups": [[0], [1]]}, {}, {}]
    found = checker.derive(
        table, {**proof, "most parents": [2, 2], "network": [[], []], "cuts": [], "tables": [], "steps": steps}
    )
    assert (found.score, found.bound) == (1, 3)


@pytest.mark.parametrize(
    ("entry", "value", "reason"),
    [
        ("network", [[1], [2], [0]], "a cycle"),
        ("network", [[1], [2], [1]], "not in the table"),
        ("network", [[1], [2]], "wrong length"),
        ("network", [[1, 1], [2], []], "wrong length"),
        ("network", [[3], [2], []], "from 0 to 2"),
        ("required", [[], [], [0]], "its constraints do not allow"),
        ("forbidden", [[1], [], []], "its constraints do not allow"),
        ("most parents", [0, 3, 3], "its constraints do not allow"),
        ("most parents", [4, 3, 3], "from 0 to 3"),
        ("cuts", [["cluster", 0, [0, 1, 2]]], "from 1 to 3"),
        ("cuts", [["cluster", 4, [0, 1, 2]]], "from 1 to 3"),
        ("cuts", [["cluster", 1, [0, 1, 1]]], "wrong length"),
        ("cuts", [["table", 0, [0, 1, 2]]], "neither a cluster nor a table"),
        ("cuts", [["circle", 1, [0, 1, 2]]], "neither a cluster nor a table"),
        ("tables", [["0" * 16] * 3], "wrong length"),
        ("tables", [["0" * 15 + "-"] * 4], "sixteen digits"),
        ("steps", [], "fewer steps"),
        ("steps", [{}, {}], "more steps"),
        ("steps", [{"branch": [1, 0]}, {}], "fewer steps"),
        ("steps", [{"branch": [1, 1]}, {}, {}], "does not have"),
        ("steps", [{"branch": [1, 3]}, {}, {}], "does not have"),
        ("steps", [{"branch": [1]}, {}, {}], "wrong length"),
        ("steps", [{"groups": [[0, 1]]}, {}], "each once"),
        ("steps", [{"groups": [[0, 1], [1, 2]]}, {}, {}], "each once"),
        ("steps", [{"groups": [[0, 1, 2], []]}, {}], "fewer steps"),
        ("steps", [{"groups": [[0, 1, 2]], "branch": [0, 1], "rounds": []}, {}], "one split"),
        ("steps", [{"groups": [[0, 1, 2]], "branch": [0, 1]}, {}], "one split"),
        ("steps", [{"bound": 7}], "other entries"),
        ("steps", [{"groups": [[0, 1], [2]]}, PROOF["steps"][0], {}], "not all of its variables"),
        ("steps", [{"rounds": [{"cuts": [0], "weights": [-1]}]}], "from 0 to"),
        ("steps", [{"rounds": [{"cuts": [0], "weights": [0.5]}]}], "from 0 to"),
        ("steps", [{"rounds": [{"cuts": [1], "weights": [1]}]}], "from 0 to 0"),
        ("steps", [{"rounds": [{"cuts": [0], "weights": [1, 1]}]}], "wrong length"),
        ("steps", [{"rounds": [7]}], "not an object"),
    ],
)
def test_what_a_step_may_not_do(entry: str, value: Any, reason: str) -> None:
    with pytest.raises(checker.Refused, match=reason):
        checker.derive(TRIANGLE, {**PROOF, entry: value})


def test_scores_are_taken_as_the_fractions_they_are() -> None:
    nothing: dict[str, list[object]] = {"tables": [], "cuts": [], "required": [[]], "forbidden": [[]], "network": [[]]}
    found = checker.derive((["a"], [[(0.1, ())]]), {**nothing, "most parents": [0], "steps": [{}]})
    assert found.score == found.bound == Fraction(0.1) != Fraction(1, 10)


def test_the_table_in_every_format(tmp_path: Path) -> None:
    table = noise_table(7, 1)
    certify_optimal(table, tmp_path / "c.json", progress=False)
    for name in ("t.jkl", "t.jkl.gz", "t.arct", "t.arct.gz"):
        write_parent_sets(tmp_path / name, table)
        certificate = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
        assert checker.check(checker.read_table(str(tmp_path / name)), certificate).steps >= 2
