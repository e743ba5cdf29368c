"""bnlearn's model strings and adjacency frames."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from arcwise.errors import FormatError
from arcwise.graph import Dag, all_dags, format_model_string, parse_model_string

ASIA = "[asia][smoke][tub|asia][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]"


def test_every_small_dag_reads_back() -> None:
    for dag in all_dags(("a", "b c", "d.é", "1")):
        assert parse_model_string(dag.to_model_string()) == dag == Dag.from_model_string(format_model_string(dag))
        assert Dag.from_adjacency(dag.to_frame()) == dag


def test_bnlearns_own() -> None:
    dag = parse_model_string(f" {ASIA[:20]}{ASIA[20:]}\n")
    assert dag.parents_of("either") == ("tub", "lung")
    assert parse_model_string("[b|a]\n [a]\n").arcs == (("a", "b"),)
    assert parse_model_string("[b| a : c ][a][c|]").parents_of("b") == ("a", "c")


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed: bnlearn's own reader is not asked")
def test_bnlearn_reads_what_is_written() -> None:
    dag = parse_model_string(ASIA).reorder(["dysp", "xray", "either", "bronc", "lung", "tub", "smoke", "asia"])
    code = f'suppressMessages(library(bnlearn)); cat(nrow(arcs(model2network("{dag.to_model_string()}"))))'
    found = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)
    if "there is no package called" in found.stderr:
        pytest.skip("R has no bnlearn")
    assert found.stdout == "8", found.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no node"),
        ("[a][b|a", r"line 1, column 4: expected \[NODE\]"),
        ("[a]\n[b]x", "line 2, column 4"),
        ("[a][a]", "the node 'a' is there twice"),
        ("[ ]", "a node has no name"),
        ("[a|b]", "arc b -> a: unknown node 'b'"),
        ("[a|b][b|a]", "not acyclic"),
        ("[a|a]", "cannot be its own parent"),
        ("[a|b:b][b]", "given twice"),
        ("[a||b][b]", "expected"),
    ],
)
def test_what_is_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_model_string(text)


@pytest.mark.parametrize("name", ["a:b", "[a", "a|b", " a"])
def test_a_name_that_cannot_be_written_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match="cannot stand in a model string"):
        Dag([name], [()]).to_model_string()
