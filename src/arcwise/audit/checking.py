"""`check`: the audit of a DataFrame, a file or a table."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from arcwise.audit.audit import Audit, AuditSettings, audit_table
from arcwise.data import Dataset, Table, read_table
from arcwise.data.large import Grouping
from arcwise.progress import ProgressCallback
from arcwise.settings import gather

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AuditKeywords", "CheckKeywords", "check"]


class AuditKeywords(TypedDict, total=False):
    """`AuditSettings` as keywords."""

    settings: AuditSettings
    missing: tuple[str, ...]
    decimal: str | None
    thousands: str | None
    dates: str | None
    merge_rare: int | None
    header: str | None
    keep: Collection[str]
    categories: Collection[str]


class CheckKeywords(AuditKeywords, total=False):
    """`AuditSettings` as keywords, and how a file is to be read."""

    separator: str | None
    format: str | None
    table: str | None
    grouping: Grouping


READING = ("separator", "format", "table", "grouping")


def check(
    data: pd.DataFrame | Table | Dataset | str | os.PathLike[str],
    *,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[CheckKeywords],
) -> Audit:
    """Say what an analyst should know about data before learning from them, and what `learn` would do about it.

    Identifiers, dates, numbers that are written as text, free text, more states than the rows can carry, constants,
    copies, several spellings of one label, values that stand for missing ones, repeated rows, names that are missing,
    columns that leak the order of the rows: each with its evidence, its severity, a proposal and the option of `learn`
    that asks for it. What is done with gaps and with columns of numbers is a choice and no finding: `learn` and the
    verb ``arcwise check`` ask about them beside these.

    Parameters
    ----------
    data
        A DataFrame, a file, a table or a data set.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `AuditSettings` by keyword, such as ``decimal=","``, or a whole one as ``settings=``; and how a
        file is to be read, as in `arcwise.data.read_table`: `separator`, `format`, `table`, a sheet or a table of a
        data base, and `grouping`. Of a file that is read as its distinct rows, what tells nearly every row apart is
        left out and numbers are cut, unless `grouping` says otherwise.

    Examples
    --------
    >>> import pandas as pd
    >>> from arcwise import check
    >>> frame = pd.DataFrame({"sure": ["Yes", "yes", "No", "no"] * 10, "town": ["a", "b", "-", "a"] * 10})
    >>> for finding in check(frame).findings:
    ...     print(finding.what)
    column 'town': '-' stands for missing values
    column 'sure' has the same label in several spellings: 'No' = 'no'; 'Yes' = 'yes'
    """
    reading: dict[str, Any] = {name: settings.pop(name) for name in READING if name in settings}  # type: ignore[misc]
    said = gather(AuditSettings, check, settings)
    if isinstance(data, str | os.PathLike):
        header = None if said.header is None else said.header == "first"
        usual = Grouping(
            leave_out=True,
            discretize="quantile",
            dates=None if said.dates == "drop" else said.dates,
            keep=said.keep,
            categories=said.categories,
            missing=said.missing,
        )
        given = read_table(data, progress=progress, merge=True, header=header, **{"grouping": usual} | reading)
    elif isinstance(data, Dataset):
        given = Table.from_dataframe(data.to_dataframe())
    else:
        given = data if isinstance(data, Table) else Table.from_dataframe(data)
    return audit_table(given, said)
