"""`NetworkOrigin`: what follows from where networks come from."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from arcwise.networks.recipe import KINDS, SOURCES, NetworkKind, NetworkOrigin

FLAGS = ("is_sample", "is_searched", "is_chained", "is_resampled", "is_whole")


@pytest.mark.parametrize(
    ("origin", "true"),
    [
        ("credible", {"is_whole"}),
        ("bootstrap", {"is_sample", "is_searched", "is_resampled"}),
        ("posterior", {"is_sample", "is_chained"}),
        ("search", {"is_sample", "is_searched"}),
        ("optimum", {"is_sample"}),
        ("permutation", {"is_sample", "is_searched"}),
        ("draws", {"is_sample"}),
        ("k-best", set()),
        ("credible + bootstrap", {"is_sample", "is_searched"}),
        ("credible + k-best", set()),
    ],
)
def test_facts_of_origins(origin: str, true: set[str]) -> None:
    assert {flag for flag in FLAGS if getattr(NetworkOrigin(origin), flag)} == true


def test_origins_know_their_kind_before_any_source_is_registered() -> None:
    code = (
        "from arcwise.networks.recipe import KINDS, SOURCES\n"
        "assert not SOURCES\n"
        f"print({{name: [getattr(kind, flag) for flag in {FLAGS}] for name, kind in KINDS.items()}})"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    alone = {name: NetworkKind(*flags) for name, flags in ast.literal_eval(ran.stdout).items()}
    assert set(alone) >= {"bootstrap", "credible", "optimum", "posterior", "search"} <= set(SOURCES)
    assert {name: KINDS[name] for name in alone} == alone  # registering has changed none


def test_joined_origins_are_told_once_and_come_apart_again() -> None:
    joined = NetworkOrigin.joined(["draws", "bootstrap", "draws"])
    assert joined == "draws + bootstrap" and joined.kinds == [KINDS["draws"], KINDS["bootstrap"]]
