from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import OptionError
from arcwise.model.tables import Question, parse_question


@pytest.mark.parametrize(
    ("text", "asked", "states", "evidence", "explanation"),
    [
        ("P(x)", ("x",), (), {}, False),
        (" P( x,y |z = a,w=b ) ", ("x", "y"), (), {"z": "a", "w": "b"}, False),
        ("P(x=b|z=a)", ("x",), ("b",), {"z": "a"}, False),
        ("P(*)", (), (), {}, False),
        ("P(* | z=a)", (), (), {"z": "a"}, False),
        ("MPE()", (), (), {}, True),
        ("MPE(z=a)", (), (), {"z": "a"}, True),
        ("MPE(|z=a)", (), (), {"z": "a"}, True),
        ('P("wet grass" | "a,\\"b\\"(\\\\"="|=")', ("wet grass",), (), {'a,"b"(\\': "|="}, False),
        ("P(x|bp=<5)", ("x",), (), {"bp": "<5"}, False),
    ],
)
def test_questions(
    text: str, asked: tuple[str, ...], states: tuple[str, ...], evidence: dict[str, str], explanation: bool
) -> None:
    assert parse_question(text) == Question(text, asked, states, evidence, explanation)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "P or MPE is missing before its end"),
        ("x", "it begins with 'x'"),
        ("P x", r"'\(' is missing before 'x'"),
        ("P()", r"a variable is missing before '\)'"),
        ("P(x | y)", "the evidence needs a state of 'y'"),
        ("P(x | y=)", "a state of 'y' is missing"),
        ("P(x | y=a", r"a comma or '\)' is missing before its end"),
        ("P(x y)", r"a comma or '\|' or '\)' is missing before 'y'"),
        ("P(x) y", "'y' follows the closing"),
        ("P(x=a, y)", "a state to each"),
        ("P(x | y=a, y=b)", "names 'y' twice"),
        ('P("x)', "quotation mark"),
        ("MPE(x)", "needs a state of 'x'"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_question(text)


@given(st.text(), st.text(min_size=1), st.text())
def test_any_name_can_be_quoted(x: str, y: str, state: str) -> None:
    def quoted(word: str) -> str:
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'

    question = parse_question(f"P({quoted(x)} | {quoted(y)}={quoted(state)})")
    assert (question.asked, question.evidence) == ((x,), {y: state})
