from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import ConstraintError, FormatError, OptionError
from arcwise.graph import Constraints, Dag, all_dags, read_constraints, write_constraints
from arcwise.graph.statements import StatementKind

NAMES = ("age", "sex", "smoke", "cancer")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"required": [("age", "smoke"), ("smoke", "age")]},
            r"age -> smoke is required; smoke -> age is required\. Drop",
        ),
        ({"required": [("age", "sex"), ("sex", "smoke"), ("smoke", "age")]}, "smoke"),
        (
            {"required": [("age", "smoke")], "forbidden": [("age", "smoke")]},
            r"together: age -> smoke is required; age -> smoke is forbidden\.",
        ),
        (
            {"required": [("cancer", "age")], "tiers": [["age"], ["cancer"]]},
            r"cancer -> age is required; the tiers are age \| cancer",
        ),
        (
            {"required": [("age", "cancer"), ("sex", "cancer")], "max_parents": 1},
            "age -> cancer is required; sex -> cancer is required; a variable has at most 1 parent",
        ),
        ({"required": [("age", "cancer")], "max_parents_of": {"cancer": 0}}, "at most 0"),
        ({"required": [("age", "age")]}, "own parent"),
        ({"forbidden": [("agee", "sex")]}, "forbidden arc agee -> sex: unknown node 'agee'; did you mean 'age'"),
        ({"tiers": [["age"], ["sex", "age"]]}, "'age' is in tier 1 and again in tier 2"),
        ({"tiers": ["age"]}, "tier 1 is the text"),
        ({"tiers": "age, sex"}, r"the tiers 'age, sex': one tier forbids nothing\. Write what comes first \|"),
        ({"tiers": " | sex"}, "tier 1 is empty"),
        ({"tiers": "age | , | sex"}, "tier 2 is empty"),
        ({"max_parents": -1}, "0 or more"),
        ({"max_parents_of": {"age": 1.5}}, r"max_parents_of\['age'\]=1.5"),
        ({"max_parents_of": {"agee": 1}}, "did you mean 'age'"),
        ({"required": ["ab"]}, "give pairs"),
    ],
)
def test_contradictions_are_refused_with_the_reason(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        Constraints(NAMES, **options)


def test_by_hand() -> None:
    constraints = Constraints(
        NAMES,
        required=[("smoke", "cancer")],
        forbidden=[("sex", "cancer")],
        tiers=[["age", "sex"], ["smoke"]],
        max_parents=2,
        max_parents_of={"smoke": 1},
    )
    assert constraints.required_parents("cancer") == ("smoke",)
    assert constraints.forbidden_parents("cancer") == ("sex",)
    assert constraints.forbidden_parents("age") == ("smoke",)
    assert constraints.forbidden_parents("smoke") == ("cancer",)  # it would close a cycle with smoke -> cancer
    assert [constraints.max_parents_of(name) for name in NAMES] == [2, 2, 1, 2]
    assert constraints.allows("cancer", ["smoke", "age"])
    assert not constraints.allows("cancer", ["age"])
    assert not constraints.allows("cancer", ["smoke", "sex"])
    assert not constraints.allows("smoke", ["age", "sex"])
    assert constraints.allows(3, [2])
    dag = Dag.from_arcs(NAMES, [("age", "smoke"), ("sex", "smoke"), ("sex", "cancer")])
    assert constraints.violations(dag) == [
        "'smoke' has 2 parents, at most 1 are allowed",
        "smoke -> cancer is missing",
        "sex -> cancer is not allowed",
    ]
    native = constraints.native()
    assert native.required.tolist() == [[0], [0], [0], [4]]
    assert native.forbidden.tolist() == [[1 | 4], [2 | 4], [4 | 8], [8 | 2]]
    assert native.limits.tolist() == [2, 2, 1, 2]
    assert not constraints.is_trivial
    assert Constraints(NAMES, max_parents=3).is_trivial
    assert not Constraints(NAMES, max_parents=2).is_trivial
    assert Constraints.from_lists(NAMES, whitelist=[("age", "sex")]) == Constraints(NAMES, required=[("age", "sex")])
    assert pickle.loads(pickle.dumps(constraints)) == constraints
    moved = constraints.reorder(NAMES[::-1])
    assert moved.violations(dag) and moved.reorder(NAMES) == constraints


ARCS = st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")).filter(lambda arc: arc[0] != arc[1])


@given(
    st.lists(ARCS, max_size=3),
    st.lists(ARCS, max_size=5),
    st.permutations("abcd"),
    st.integers(0, 4),
    st.none() | st.integers(0, 3),
)
def test_agrees_with_the_definition_on_every_dag(
    required: list[tuple[str, str]],
    forbidden: list[tuple[str, str]],
    order: list[str],
    cut: int,
    limit: int | None,
) -> None:
    tiers = [order[:cut], order[cut:3]]

    def satisfies(dag: Dag) -> bool:
        arcs = set(dag.arcs)
        return (
            arcs >= set(required)
            and not arcs & set(forbidden)
            and not any(a in tiers[1] and b in tiers[0] for a, b in arcs)
            and (limit is None or all(len(ps) <= limit for ps in dag.parents))
        )

    expected = [dag for dag in all_dags("abcd") if satisfies(dag)]
    try:
        constraints = Constraints("abcd", required=required, forbidden=forbidden, tiers=tiers, max_parents=limit)
    except ConstraintError:
        assert not expected
        return
    assert [dag for dag in all_dags("abcd") if constraints.allows_dag(dag)] == expected
    # Local checks suffice: a DAG is allowed if each of its parent sets is.
    assert [d for d in all_dags("abcd") if all(constraints.allows(v, d.parents[v]) for v in range(4))] == expected
    assert expected


def test_more_than_64_variables_fill_two_words() -> None:
    names = [f"v{i}" for i in range(70)]
    native = Constraints(names, required=[("v69", "v0")], forbidden=[("v64", "v1")]).native()
    assert native.required.shape == (70, 2)
    assert native.required[0].tolist() == [0, 1 << 5]
    assert native.forbidden[1].tolist() == [2, 1]
    assert native.forbidden[69].tolist() == [1, 1 << 5]
    assert native.limits.dtype == np.int32


def test_files(tmp_path: Path) -> None:
    constraints = Constraints(
        NAMES, required=[("age", "smoke")], tiers=[["age"], ["cancer"]], max_parents=3, max_parents_of={"sex": 0}
    )
    write_constraints(tmp_path / "c.json", constraints)
    assert read_constraints(tmp_path / "c.json", NAMES) == constraints
    toml = tmp_path / "c.toml"
    toml.write_text(
        'whitelist = [["age", "smoke"]]\ntiers = [["age"], ["cancer"]]\nmax_parents = 3\nmax_parents_of = { sex = 0 }\n'
    )
    assert read_constraints(toml, NAMES) == constraints
    with pytest.raises(FormatError, match="end the name in"):
        write_constraints(tmp_path / "c.toml", constraints)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("{", FormatError, "line 1"),
        ("[1]", FormatError, "a table with the keys"),
        ({"require": []}, FormatError, "did you mean 'required'"),
        ({"required": [], "whitelist": []}, FormatError, "says the same"),
        ({"required": ["ab"]}, FormatError, "pairs"),
        ({"forbidden": [["age", "sex", "smoke"]]}, FormatError, "pairs"),
        ({"tiers": ["age"]}, FormatError, "lists of names"),
        ({"max_parents_of": 3}, FormatError, "a table of names"),
        ({"max_parents": "3"}, ConstraintError, "c.json: max_parents='3'"),
        ({"required": [["age", "x"]]}, ConstraintError, "c.json: required arc"),
        ("[" * 100_000, FormatError, "nested too deeply"),
    ],
)
def test_bad_files(tmp_path: Path, content: object, error: type[Exception], message: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(error, match=message):
        read_constraints(path, NAMES)


def test_missing_and_undecodable_files(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_constraints(tmp_path / "c.json", NAMES)
    with pytest.raises(FormatError, match="cannot read"):
        read_constraints(tmp_path / "none.json", NAMES)
    with pytest.raises(FormatError, match=r"\.json, \.toml or \.csv"):
        read_constraints(tmp_path / "c.txt", NAMES)


KINDS = {
    "required": [("smoke", "cancer")],
    "roots": ["age"],
    "leaves": ["cancer"],
    "separate": [("sex", "cancer")],
    "groups": [["age", "sex"]],
    "ancestors": [("age", "cancer")],
    "non_ancestors": [("sex", "smoke")],
}


def test_all_kinds_in_a_file_a_table_and_a_record(tmp_path: Path) -> None:
    constraints = Constraints(NAMES, **KINDS)
    assert constraints.describe() == {
        "required": [["smoke", "cancer"]],
        "roots": ["age"],
        "leaves": ["cancer"],
        "separate": [["cancer", "sex"]],
        "groups": [["age", "sex"]],
        "ancestors": [["age", "cancer"]],
        "non_ancestors": [["sex", "smoke"]],
    }
    assert pickle.loads(pickle.dumps(constraints)) == constraints
    assert constraints.reorder(NAMES[::-1]).digest == constraints.digest
    toml = tmp_path / "c.toml"
    toml.write_text(
        'whitelist = [["smoke", "cancer"]]\nroots = ["age"]\nleaves = ["cancer"]\nseparate = [["sex", "cancer"]]\n'
        'groups = [["age", "s?x"]]\nancestors = [["age", "cancer"]]\nnon_ancestors = [["sex", "smoke"]]\n'
    )
    assert read_constraints(toml, NAMES) == constraints
    table = tmp_path / "c.csv"
    table.write_text(
        "from,to,kind\nsmoke,cancer,required\nage,,root\ncancer,,leaf\nsex,cancer,separate\nage,1,group\nsex,1,group\n"
        "age,cancer,ancestor\nsex,smoke,non_ancestor\n"
    )
    assert read_constraints(table, NAMES) == constraints
    assert Constraints.from_frame(NAMES, pd.read_csv(table)) == constraints
    more = pd.DataFrame(
        {"from": ["age", "sex", "cancer", None], "to": [1, 1, 2, 3], "kind": ["tier", "tier", "tiers", "max_parents"]}
    )
    assert Constraints.from_frame(NAMES, more) == Constraints(NAMES, tiers=[["age", "sex"], ["cancer"]], max_parents=3)
    write_constraints(tmp_path / "c.json", constraints)
    assert read_constraints(tmp_path / "c.json", NAMES) == constraints


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("age", "sex", "requierd")], "row 1: unknown kind 'requierd'; did you mean 'required'"),
        ([("age", "sex", "root")], "row 1: 'root' is about one variable"),
        ([("age", None, "forbidden")], "row 1: 'forbidden' needs something in the column to"),
        ([("age", "first", "tier")], "row 1: 'tier' needs an integer in the column to, not 'first'"),
        ([(None, "sex", "forbidden")], "needs a variable in the column from"),
    ],
)
def test_bad_rows(rows: list[tuple[object, ...]], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        Constraints.from_frame(NAMES, pd.DataFrame(rows, columns=["from", "to", "kind"]))
    with pytest.raises(ConstraintError, match="'kind' is not there"):
        Constraints.from_frame(NAMES, pd.DataFrame(rows, columns=["from", "to", "what"]))


def test_patterns() -> None:
    names = ["age", "lab_a", "lab_b", "lab_c", "x*"]
    known = Constraints(names, forbidden=[("lab_*", "age")], groups=[["lab_*"]], leaves=["x*"])
    assert known.forbidden == (("lab_a", "age"), ("lab_b", "age"), ("lab_c", "age"))
    assert known.groups == (("lab_a", "lab_b", "lab_c"),)
    assert known.leaves == ("x*",)  # a variable's own name is no pattern
    assert Constraints(names, tiers=[["age"], ["lab_a"], ["*"]]).tiers == (
        ("age",),
        ("lab_a",),
        ("lab_b", "lab_c", "x*"),
    )
    limits = Constraints(names, max_parents_of={"lab_a": 0, "lab_*": 2}).max_parents_by_name
    assert limits == {"lab_a": 0, "lab_b": 2, "lab_c": 2}
    with pytest.raises(ConstraintError, match=r"roots: no variable matches .* 'labs_\*'; did you mean .*lab_a"):
        Constraints(names, roots=["labs_*"])
    with pytest.raises(ConstraintError, match="'lab_b' is in tier 1 and again in tier 2"):
        Constraints(names, tiers=[["lab_*"], ["*_b"]])


def test_whitelists_force_in_bnlearn_and_limit_in_pgmpy() -> None:
    arcs = [("age", "sex"), ("sex", "smoke")]
    assert Constraints.from_lists(NAMES, whitelist=arcs) == Constraints(NAMES, required=arcs)
    limited = Constraints.from_lists(NAMES, whitelist=arcs, fixed_edges=[("age", "smoke")], dialect="pgmpy")
    assert limited == Constraints(NAMES, required=[("age", "smoke")], allowed=[*arcs, ("age", "smoke")])
    assert not limited.allows("cancer", ["age"])
    assert limited.allows("smoke", ["age", "sex"])
    nothing = Constraints.from_lists(NAMES, whitelist=[], dialect="pgmpy")
    assert [d for d in all_dags(NAMES) if nothing.allows_dag(d)] == [Dag(NAMES, [[]] * 4)]
    assert Constraints.from_description(NAMES, nothing.describe()) == nothing
    with pytest.raises(OptionError, match="did you mean 'bnlearn'"):
        Constraints.from_lists(NAMES, dialect="bnlearm")


def test_statements_and_leaving_one_out() -> None:
    constraints = Constraints(NAMES, **KINDS, tiers=[["age"], ["smoke"]], max_parents=1, max_parents_of={"cancer": 2})
    texts = [said.text() for said in constraints.statements]
    assert texts == [
        "smoke → cancer is required",
        "the tiers are age | smoke",
        "age has no parents",
        "cancer has no children",
        "there is no arc between sex and cancer",
        "there is no arc between any two of age, sex",
        "age leads to cancer",
        "sex does not lead to smoke",
        "a variable has at most 1 parent",
        "cancer has at most 2 parents",
    ]
    for said in constraints.statements[:-1]:
        rest = constraints.without(said)
        assert said not in rest.statements
        assert set(rest.statements) >= set(constraints.statements) - {said} or said.kind.value == "max_parents"
    loose = constraints.without(constraints.statements[-1])
    assert loose.max_parents_of("smoke") == 1
    assert loose.allows("cancer", ["smoke", "age"])
    assert [said.source for said in constraints.reasons("smoke", "age")] == [
        "your tiers",
        "your word that age is a root",
    ]
    with pytest.raises(OptionError, match="did you mean 'roots'"):
        Constraints(NAMES, rots=["age"])


def test_a_limit_that_required_arcs_fill_forbids_the_rest() -> None:
    for constraints in (
        Constraints("abc", required=[("a", "b")], max_parents_of={"b": 1}),
        Constraints("abc", required=[("a", "b")], max_parents=1),
    ):
        assert constraints.forbidden_parents("b") == ("c",)
        assert constraints.max_parents_of("b") == 1
        assert {said.kind for said in constraints.reasons("c", "b")} in (
            {StatementKind.REQUIRED, StatementKind.MAX_PARENTS_OF},
            {StatementKind.REQUIRED, StatementKind.MAX_PARENTS},
        )
    root = Constraints("abc", max_parents_of={"a": 0})
    assert root.forbidden_masks == Constraints("abc", roots=["a"]).forbidden_masks
    assert root.limits == (0, 2, 2)
    assert [said.text() for said in root.reasons("b", "a")] == ["a has at most 0 parents"]


@pytest.mark.parametrize("one", [{"max_parents_of": {"a": 2}}, {"max_parents": 2, "max_parents_of": {"b": 0}}])
@pytest.mark.parametrize("other", [{"max_parents": 1}, {"max_parents_of": {"a": 1, "c": 2}}])
def test_joined_limits_are_the_lower_ones(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = Constraints("abc", **one), Constraints("abc", **other)
    for joined in (first.joined(second), second.joined(first)):
        assert joined.limits == tuple(map(min, first.limits, second.limits))
        for dag in all_dags("abc"):
            assert joined.allows_dag(dag) == (first.allows_dag(dag) and second.allows_dag(dag))
