from __future__ import annotations

import contextlib
import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import ConstraintError, FormatError, OptionError
from arcwise.graph import Constraints
from arcwise.parent_sets import ParentSetTable, format_jkl, parse_jkl, read_jkl, write_jkl


def entries(table: ParentSetTable) -> list[dict[tuple[int, ...], float]]:
    return [
        {table.parents_of(row): float(table.scores[row]) for row in table.rows_of(node)}
        for node in range(table.n_variables)
    ]


def read_slowly(text: str) -> tuple[list[str], list[dict[frozenset[str], float]]]:
    """The format in ten lines of Python, by words: what the native reader is compared with."""
    words = iter(" ".join(line for line in text.splitlines() if not line.startswith("#")).split())
    names, nodes = [], []
    for _ in range(int(next(words))):
        names.append(next(words))
        sets = {}
        for _ in range(int(next(words))):
            score = float(next(words))
            sets[frozenset(next(words) for _ in range(int(next(words))))] = score
        nodes.append(sets)
    return names, nodes


@st.composite
def tables(draw: st.DrawFn) -> ParentSetTable:
    names = draw(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=6, unique=True))
    score = st.floats(-1e9, 1e9)  # what is supported, for up to ten variables
    rows = []
    for node in range(len(names)):
        others = [v for v in range(len(names)) if v != node]
        subsets = st.frozensets(st.sampled_from(others)) if others else st.just(frozenset[int]())
        sets = draw(st.lists(subsets, min_size=1, max_size=6, unique=True))
        rows.append([(draw(score), parents) for parents in sets])
    slack = draw(st.just(math.nan) | st.floats(0, 50))
    limit = draw(st.none() | st.integers(0, 5))
    return ParentSetTable.from_lists(names, rows, slack=slack, max_parents=limit, score={"name": "bic"})


@given(tables())
def test_a_written_table_reads_back_the_same(table: ParentSetTable) -> None:
    again = parse_jkl(format_jkl(table))
    assert again.digest == table.digest


def test_every_reference_file_loads_and_equals_a_slow_reader(shared: Path) -> None:
    files = sorted((shared / "data/scores").rglob("*.jkl.gz"))
    assert len(files) == 42
    for path in files:
        table = read_jkl(path)
        table.validate()
        names, nodes = read_slowly(gzip.decompress(path.read_bytes()).decode())
        assert sorted(table.names) == sorted(names)
        for name, expected in zip(names, nodes, strict=True):
            node = table.names.index(name)
            found = {
                frozenset(table.names[p] for p in table.parents_of(r)): table.scores[r] for r in table.rows_of(node)
            }
            assert found == expected, path


def test_numbered_variables_keep_their_numbers_and_named_ones_their_order() -> None:
    numbered = parse_jkl(b"3\n2 1\n-1 0\n0 1\n-2 1 1\n1 1\n-3 0\n")
    assert numbered.names == ("0", "1", "2")
    assert entries(numbered) == [{(1,): -2.0}, {(): -3.0}, {(): -1.0}]
    named = parse_jkl(b"# a comment\n\n2\r\nrain 2\n-1 0\n-0.5 1 grass\n# another\ngrass 1\n-2.5e1 0")
    assert named.names == ("rain", "grass")
    assert entries(named) == [{(): -1.0, (1,): -0.5}, {(): -25.0}]
    assert math.isnan(named.slack)


def test_names_that_are_not_words_survive() -> None:
    table = ParentSetTable.from_lists(["blood pressure", "#1", "µ"], [[(-1.0, [1])], [(-2.0, [])], [(-3.0, [0, 1])]])
    assert parse_jkl(format_jkl(table)).names == table.names
    assert b"\n0 1\n-1 1 1\n" in format_jkl(table)


def test_the_guarantee_is_in_the_comments(tmp_path: Path) -> None:
    table = ParentSetTable.from_lists(["a"], [[(-1.5, [])]], slack=3.0, max_parents=2, score={"name": "bic"})
    path = tmp_path / "table.jkl.gz"
    write_jkl(path, table)
    text = gzip.decompress(path.read_bytes()).decode()
    assert "# every set of at most 2 parents that is in a network within 3 of the optimum" in text
    again = read_jkl(path)
    assert (again.slack, again.max_parents, again.score) == (3.0, 2, {"name": "bic"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 0: the file ends where the number of variables should follow"),
        ("x\n", "line 1: expected the number of variables, found 'x'"),
        ("0\n", "line 1: expected the number of variables"),
        ("99999999999999999999\n", "line 1: expected the number of variables"),
        ("9999999999\na 1\n-1 0\n", "line 3: the file ends where variable 2 of 9999999999"),
        ("2\na 1\n-1 0\n", "line 3: the file ends where variable 2 of 2 should follow"),
        ("1\na 2\n-1 0\n", "line 3: the file ends where parent set 2 of 2 of 'a' should follow"),
        ("1\na 0\n", "line 2: variable 'a' has no parent set"),
        ("1\na -1\n", "line 2: expected a variable and its number of parent sets"),
        ("1\na b c\n", "found 3 words, the first 'a'"),
        ("1\na 1\nzero 0\n", "line 3: expected a score, found 'zero'"),
        ("1\na 1\nnan 0\n", "line 3: the score 'nan' is not finite"),
        ("1\na 1\n-inf 0\n", "line 3: the score '-inf' is not finite"),
        ("1\na 1\n-1\n", "line 3: expected the number of parents after the score"),
        ("1\na 1\n-1 2 b\n", "line 3: says 2 parents but lists 1"),
        ("1\na 1\n-1 1 b\n", "line 3: parent 'b' is not a variable of the file"),
        ("1\na 1\n-1 1 a\n", "line 3: 'a' is among its own parents"),
        ("2\na 1\n-1 0\nb 1\n-1 2 a a\n", "line 5: a parent is listed twice"),
        ("2\na 2\n-1 1 b\n-2 1 b\nb 1\n-1 0\n", "line 4: 'a' has this parent set twice"),
        ("2\na 1\n-1 0\na 1\n-1 0\n", r"line 4: variable 'a' comes a second time \(first in line 2\)"),
        ("1\na 1\n-1 0\nb 1\n", "line 4: text after the last of 1 variables"),
        ("# arcwise parent sets: {}\n1\na 1\n-1 0\n", "was edited"),
        ("# arcwise parent sets: {\n1\na 1\n-1 0\n", "was edited"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_jkl(text.encode(), source="table.jkl")


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.jkl"
    path.write_bytes(b"1\na\xff 1\n-1 0\n")
    with pytest.raises(FormatError, match=r"bad\.jkl, line 2: not UTF-8"):
        read_jkl(path)
    with pytest.raises(FormatError, match="cannot read"):
        read_jkl(tmp_path / "missing.jkl")


@given(st.binary(max_size=60))
def test_any_bytes_give_a_table_or_a_format_error(content: bytes) -> None:
    with contextlib.suppress(FormatError):
        parse_jkl(content)


def test_validate_finds_each_defect() -> None:
    good = ParentSetTable.from_lists(["a", "b"], [[(-1.0, [1]), (-2.0, [])], [(-1.0, [])]])
    good.validate()

    def broken(**changes: object) -> ParentSetTable:
        fields = {f: getattr(good, f) for f in ("names", "node_offsets", "scores", "set_offsets", "members")}
        return ParentSetTable(**{**fields, **changes})  # type: ignore[arg-type]

    for table, message in [
        (broken(names=("a", "a")), "a name occurs twice"),
        (broken(names=("a",)), "2 nodes for 1 names"),
        (broken(set_offsets=np.array([0, 2, 1, 1])), "offsets that do not ascend"),
        (broken(node_offsets=np.array([0, 0, 3])), r"node 'a' \(1 of 2\): no parent set"),
        (broken(scores=np.array([-1.0, np.nan, -1.0])), r"node 'a' \(1 of 2\), row 1: a score that is NaN"),
        (broken(members=np.array([7], dtype=np.int32)), "not a variable"),
        (broken(members=np.array([0], dtype=np.int32)), "among its own parents"),
        (broken(scores=np.array([-3.0, -2.0, -1.0])), "rows that are not sorted"),
        (broken(set_offsets=np.array([0, 0, 0, 1]), members=np.array([0], dtype=np.int32)), "a second time"),
    ]:
        with pytest.raises(FormatError, match=message):
            table.validate()
    with pytest.raises(FormatError, match="no parent set"):
        ParentSetTable.from_lists(["a"], [[]])
    with pytest.raises(FormatError, match="a parent twice"):
        ParentSetTable.from_lists(["a", "b"], [[(-1.0, [1, 1])], [(-1.0, [])]])


def test_a_name_that_comes_twice_in_the_comment_is_refused() -> None:
    table = ParentSetTable.from_lists(["a b", "c d"], [[(-1.0, ())], [(-2.0, ())]])
    content = format_jkl(table)
    assert b'"c d"' in content
    with pytest.raises(FormatError, match="a name occurs twice in the comment"):
        parse_jkl(content.replace(b'"c d"', b'"a b"'))


def test_a_long_word_is_cut_between_two_characters() -> None:
    """The word is quoted up to its 40th byte, which may be in the middle of a character."""
    with pytest.raises(FormatError, match="found 'x" + "\u00e4" * 19 + r"\.\.\.'"):
        parse_jkl(("x" + "\u00e4" * 30 + "\n").encode())


def test_what_cannot_be_vouched_for_is_refused() -> None:
    table = ParentSetTable.from_lists(["a"], [[(-1.0, ())]])
    for slack in (-1.0, math.nan):
        with pytest.raises(OptionError, match="must be 0 or more"):
            table.vouched(slack)


def test_constraints_in_another_order_filter_the_same_rows() -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(-1.0, ()), (-0.5, (1,))], [(-2.0, ()), (-1.5, (0,))]])
    found = table.filter(Constraints(["b", "a"], forbidden=[("b", "a")]))
    assert [found.parents_of(row) for row in range(found.n_rows)] == [(), (0,), ()]
    with pytest.raises(ConstraintError, match="different variables"):
        table.filter(Constraints(["b", "c"]))
