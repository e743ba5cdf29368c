"""`arcwise check`: what to know about data before anything is learned from them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from arcwise.base.errors import Argument
from arcwise.base.options import option
from arcwise.cli.options import DataArgument
from arcwise.cli.output import console
from arcwise.cli.verb import Result, Rows, Verb
from arcwise.data.table import Table
from arcwise.data.write import format_to_write, write_table
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import audit, find_obstacles, open_table
from arcwise.report.report import print_blocks
from arcwise.report.sections import audit_blocks

# What can be said about data, beside what is done to gaps and numbers.
CHECK_OPTIONS = (
    *("drop", "keep", "categorical", "categories", "missing", "decimal", "thousands", "dates", "merge_rare"),
    *("header", "separator", "format", "table", "sample", "whole", "memory", "temporary"),
)
CHECK_ROWS = Rows((LearnOptions,), only=CHECK_OPTIONS)


class CheckVerb(Verb):
    """Check a table before you learn from it: identifiers, dates, copies, spellings, gaps, and what to do.

    The options are those of `arcwise learn`, which does the same first: what they say is taken into account. What it
    would ask about is listed here, too.

    Example: arcwise check customers.csv
    """

    data: DataArgument
    given: Annotated[dict[str, Any], CHECK_ROWS]
    output: Path | None = option(
        None,
        "write the data with all safe proposals carried out; gaps are not filled, and numbers not cut",
        flags=("--output", "-o"),
    )

    def _run(self) -> Result:
        if self.output is not None:
            format_to_write(self.output)
        options = LearnOptions(agree=True, **self.given)
        table = open_table(self.data, progress=self.progress, **options.reading)
        assert isinstance(table, Table)  # a file was read
        found = audit(table.drop(table.checked_names(table.still_there(options.drop), Argument("drop"))), options)
        obstacles = find_obstacles(found.repaired, options)
        remark = ""
        if self.output is not None:
            write_table(found.repaired, self.output)
            remark = f"Written: {self.output}, {len(found.repaired.columns)} columns."
        facts = found.describe()
        asked = [obstacle.describe() for obstacle in obstacles]
        return Result(
            {**facts, "findings": [*facts["findings"], *asked], "output": self.output},
            lambda: print_blocks(audit_blocks(found, obstacles), console()),
            remark,
        )
