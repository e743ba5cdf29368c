"""A row of a table says everything about an option; a row of another table is said once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from arcwise.base.errors import OptionError, UnknownNameError
from arcwise.base.options import check_options, option, options_of, row

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Table:
    """Options of every kind."""

    way: Literal["fast", "slow"] = option("fast")
    count: int = option(3, "how many", low=1, most=99)
    share: float | None = option(None, "which share", low=0, high=1, usual="all")
    path: str | os.PathLike[str] | None = option(None, "where", flags=("--file",))
    cluster: str | Client | None = option(None, "who")
    rest: Mapping[str, Any] = option({}, "anything else", of="slow")


@dataclass(frozen=True)
class Other:
    """A table with a row of the first."""

    count: int = row(Table, "count", default=5, help="how often")
    way: str = row(Table, "way")


def test_what_a_row_says() -> None:
    way, count, share, path, cluster, rest = options_of(Table)
    assert (way.kind, way.known, way.sentence) == (str, ("fast", "slow"), "fast or slow.")
    assert (count.allowed, count.sentence, count.flag) == ("an integer >= 1", "How many.", "--count")
    assert (share.kind, share.optional, share.sentence) == (float, True, "Which share (default: all).")
    assert (path.kind, path.flag, path.key) == (Path, "--file", "file")
    assert cluster.kind is str  # although Dask may not be there
    assert (rest.kind, rest.default, rest.sentence) == (Mapping, {}, "slow: anything else.")
    assert Table().rest is not Table().rest


def test_a_row_of_another_table() -> None:
    count, way = options_of(Other)
    assert (count.default, count.help, count.low, count.most) == (5, "how often", 1, 99)
    assert way.known == ("fast", "slow")
    assert options_of(Table)[1].default == 3


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"count": 0}, OptionError, "count=0 must be an integer >= 1"),
        ({"count": 100}, OptionError, "count=100 must be an integer <= 99"),
        ({"share": 2}, OptionError, "share=2 must be a number from 0 to 1"),
        ({"way": "slwo"}, UnknownNameError, "did you mean 'slow'"),
    ],
)
def test_values_are_checked(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_options(Table(**given))
