"""`check`: the audit of a DataFrame, a file or a table."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, TypedDict, Unpack

from arcwise.audit.audit import Audit, AuditSettings, audit_table
from arcwise.data import Dataset, Table, read_table
from arcwise.progress import ProgressCallback
from arcwise.settings import gather

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AuditKeywords", "check"]


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


def check(
    data: pd.DataFrame | Table | Dataset | str | os.PathLike[str],
    *,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[AuditKeywords],
) -> Audit:
    """Say what an analyst should know about data before learning from them, and what `learn` would do about it.

    Identifiers, dates, numbers that are written as text, free text, more states than the rows can carry, constants,
    copies, several spellings of one label, values that stand for missing ones, repeated rows, names that are missing,
    columns that leak the order of the rows: each with its evidence, its severity, a proposal and the option of `learn`
    that asks for it.

    Parameters
    ----------
    data
        A DataFrame, a file, a table or a data set.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `AuditSettings` by keyword, such as ``decimal=","``, or a whole one as ``settings=``.

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
    said = gather(AuditSettings, check, settings)
    if isinstance(data, str | os.PathLike):
        table = read_table(data, progress=progress, merge=True)
    elif isinstance(data, Dataset):
        table = Table.from_dataframe(data.to_dataframe())
    else:
        table = data if isinstance(data, Table) else Table.from_dataframe(data)
    return audit_table(table, said)
