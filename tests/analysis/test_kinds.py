"""What a column is, where somebody says it: cut or kept as states, recorded, and repeated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.errors import ArcwiseError
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import open_table, prepare


def frame(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    score = rng.integers(0, 8, rows)
    age = rng.integers(20, 60, rows)
    return pd.DataFrame({"score": score, "age": age, "ill": np.where(score + rng.normal(size=rows) > 4, "yes", "no")})


@pytest.mark.parametrize(
    ("kinds", "cut"),
    [
        ({}, ("age",)),
        ({"score": "number"}, ("score", "age")),
        ({"age": "ordinal", "score": "number"}, ("score",)),
        ({"age": "nominal"}, ()),
        ({"score": "ordinal", "ill": "nominal"}, ("age",)),
    ],
)
def test_numbers_are_cut_and_states_are_kept(kinds: dict[str, str], cut: tuple[str, ...]) -> None:
    options = LearnOptions(kinds=kinds, agree=True)  # type: ignore[arg-type]
    prepared = prepare(open_table(frame()), options)
    assert prepared.cut == cut
    arities = dict(zip(prepared.data.names, prepared.data.arities.tolist(), strict=True))
    assert arities["score"] == (3 if "score" in cut else 8)
    assert options.kinds == tuple(f"{name}={kind}" for name, kind in kinds.items())
    words = [word for name, kind in kinds.items() for word in ("--kind", f"{name}={kind}")]
    assert options.command_words() == [*words, "--yes"]


def test_a_number_that_looks_like_a_handed_out_one_stays() -> None:
    data = frame().assign(case_id=np.random.default_rng(1).permutation(400))
    without = prepare(open_table(data), LearnOptions(agree=True))
    kept = prepare(open_table(data), LearnOptions(agree=True, kinds=("case_id=number",)))
    assert "case_id" not in without.data.names and kept.cut == ("age", "case_id")


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (("score=numbr",), "did you mean 'number'"),
        (("score",), "must be of the form NAME=KIND, such as age=number"),
        (
            ("ill=number",),
            r"column 'ill' \(3 of 3\) is to be a number, and holds '(yes|no)', '(yes|no)'\. Make it nominal",
        ),
        (("scor=number",), "names the unknown column 'scor'; did you mean 'score'"),
    ],
)
def test_kinds_that_cannot_be_are_one_message(kinds: tuple[str, ...], words: str) -> None:
    with pytest.raises(ArcwiseError, match=words):
        learn(frame(), kinds=kinds, agree=True, progress=False)
