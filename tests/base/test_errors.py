"""An error is made of parts: Python and the command line spell them each in their own way."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from arcwise.base.errors import UNSAID, Argument, Call, Either, Remedy
from arcwise.cli import main
from arcwise.cli.spelling import spell_error
from arcwise.errors import ArcwiseError, DataError, FormatError, GuaranteeError, OptionError

GUARANTEE = GuaranteeError(
    "this table does not say what it holds.",
    remedies=(
        Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", 3.0))),
        Remedy("vouch for it with", Argument("trust_table", True)),
    ),
)


def told(error: ArcwiseError, verb: str) -> str:
    group: Any = main._command()
    group.all_commands()
    command = group
    for word in verb.split():
        command = command.commands[word]
    return spell_error(error, command, group.commands.get)


def test_the_argument_and_its_value_are_not_only_in_the_words() -> None:
    error = OptionError(Argument("seed", -1), "must be an integer >= 0.")
    assert (error.argument, error.value) == ("seed", -1)
    assert str(error) == "seed=-1 must be an integer >= 0."
    assert told(error, "search") == "--seed -1 must be an integer >= 0."
    plain = DataError("there are no rows.")
    assert (plain.argument, plain.value, plain.remedies) == (None, None, ())
    named = OptionError(Argument("target"), "names the unknown column 'x'.")
    assert (named.argument, named.value) == ("target", None)


def test_remedies_in_both_spellings() -> None:
    assert str(GUARANTEE) == (
        "this table does not say what it holds. Rebuild it with build_parent_sets(..., slack=3.0), or vouch for it "
        "with trust_table=True."
    )
    assert told(GUARANTEE, "credible") == (
        "this table does not say what it holds. Rebuild it with `arcwise scores --slack 3`, or vouch for it with "
        "--trust-table."
    )


def test_a_remedy_that_the_verb_does_not_have_is_left_out() -> None:
    assert (
        told(GUARANTEE, "fit") == "this table does not say what it holds. Rebuild it with `arcwise scores --slack 3`."
    )
    only = DataError("two ways.", remedies=Remedy("read the file with", Argument("merge", True)))
    assert told(only, "search") == "two ways."
    assert str(only) == "two ways. Read the file with merge=True."


def test_an_argument_without_an_option_keeps_its_name() -> None:
    error = OptionError(Argument("chunk", 0), "must be at least 1.")
    assert told(error, "credible") == "chunk=0 must be at least 1."


def test_what_python_does_otherwise_is_an_option_too() -> None:
    error = GuaranteeError(
        "?", remedies=Remedy("vouch for it with", Either("table.vouched()", Argument("trust_table", True)))
    )
    assert str(error) == "? Vouch for it with table.vouched()."
    assert told(error, "credible") == "? Vouch for it with --trust-table."
    assert told(error, "fit") == "?"


def test_values_are_quoted_for_the_shell() -> None:
    error = DataError("one column.", remedies=Remedy("give", Argument("separator", ";")))
    assert told(error, "search") == "one column. Give --separator ';'."
    error = DataError("constant.", remedies=Remedy("drop it with", Argument("drop", ["a b", "c"])))
    assert told(error, "search") == "constant. Drop it with --drop 'a b' --drop c."


def test_an_error_crosses_processes() -> None:
    copy = pickle.loads(pickle.dumps(GUARANTEE))
    assert type(copy) is GuaranteeError
    assert str(copy) == str(GUARANTEE)
    assert copy.remedies == GUARANTEE.remedies
    assert pickle.loads(pickle.dumps(Argument("target"))).value is UNSAID


def test_a_place_goes_before_an_error() -> None:
    inner = OptionError(Argument("drop"), "names nothing.", remedies=Remedy("correct it"))
    outer = inner.within("survey.csv:", kind=FormatError)
    assert type(outer) is FormatError
    assert str(outer) == "survey.csv: drop= names nothing. Correct it."
    assert told(outer, "search") == "survey.csv: --drop names nothing. Correct it."


@pytest.mark.parametrize("kind", [ArcwiseError, *ArcwiseError.__subclasses__()])
def test_every_kind_takes_parts(kind: type[ArcwiseError]) -> None:
    assert str(kind("what", Argument("a", 1), "is.", remedies=Remedy("stop"))) == "what a=1 is. Stop."
