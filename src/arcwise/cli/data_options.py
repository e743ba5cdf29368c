"""Options that say how data are read: which columns, what stands between fields, whether numbers are categories."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.option_group import OptionGroup
from arcwise.errors import OptionError, suggestion
from arcwise.mentions import Argument, Remedy

if TYPE_CHECKING:
    from arcwise.analysis.left_out import LeftOut
    from arcwise.cli.rule_options import ConstraintOptions
    from arcwise.data import Dataset, Incomplete, Table
    from arcwise.data.large import Grouping
    from arcwise.ensemble.uncut import Cutting, Uncut
    from arcwise.graph import Constraints
    from arcwise.scores import Score

__all__ = ["CategoricalOption", "DataArgument", "DataOptions", "SeparatorOption", "TableOptions"]

DataArgument = Annotated[
    Path, typer.Argument(help="The data: .csv, .tsv, .arff, .parquet, .xlsx and others, also with .gz; - for stdin.")
]


SeparatorOption = Annotated[
    str | None,
    typer.Option(
        "--separator",
        help="Field separator of a text file (default: what the first lines show: a comma, a semicolon, a tab or a "
        "bar).",
        show_default=False,
    ),
]
CategoricalOption = Annotated[
    bool, typer.Option("--categorical", help="Treat columns of numbers as categories, however many values they have.")
]


@dataclass(frozen=True)
class TableOptions(OptionGroup):
    """How a file of raw data is read."""

    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME", help="Read only this column; may be repeated.", show_default=False),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="NAME", help="Leave this column out; may be repeated.", show_default=False),
    ] = None
    separator: SeparatorOption = None
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The format: csv, tsv, parquet, arff, lau, xlsx, jsonl, sqlite or duckdb "
            "(default: what the suffix says).",
            show_default=False,
        ),
    ] = None

    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="The table of a data base or the sheet of a workbook (default: the only one).",
            show_default=False,
        ),
    ] = None

    header: Annotated[
        str | None,
        typer.Option(
            "--header",
            help="Where the names of the columns are: in the first line, or none (default: in the first line that is "
            "no title).",
            show_default=False,
        ),
    ] = None
    interventions: Annotated[
        str | None,
        typer.Option(
            "--interventions",
            metavar="NAME",
            help="A column that names the variables which an experiment set in each row, several with ; between them; "
            "empty where none was (default: the data are observations).",
            show_default=False,
        ),
    ] = None
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "--condition",
            metavar="LABEL=NAME",
            help="What a label of the column of interventions sets, LABEL=VARIABLE;VARIABLE, or LABEL= for nothing; "
            "may be repeated.",
            show_default=False,
        ),
    ] = None

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: whole, since rows are handed back one by one."""
        from arcwise.data.large import Grouping

        return Grouping(always=False)

    @property
    def keywords(self) -> dict[str, Any]:
        """How the file is to be taken apart, as `read_table` wants it."""
        from arcwise.data.targets import checked_conditions

        given: dict[str, Any] = {
            "separator": self.separator,
            "format": self.format,
            "table": self.table,
            "interventions": self.interventions,
        }
        if self.header not in (None, "first", "none"):
            raise OptionError(suggestion("header", str(self.header), ("first", "none")))
        if self.header is not None:
            given["header"] = self.header == "first"
        if self.condition:
            given["conditions"] = checked_conditions(self.condition)
        given["grouping"] = self.grouping
        return {name: value for name, value in given.items() if value is not None}

    def read_table(self, data: Path, progress: bool | None, grouping: Grouping | None = None) -> Table:
        """Read a data file as it is, with its gaps and numbers; a large one in another way, if that is given."""
        from arcwise.data import read_table
        from arcwise.data.read import warn_of_titles

        keywords = self.keywords | ({} if grouping is None else {"grouping": grouping})
        table = read_table(data, columns=self.column, drop=self.drop or (), progress=progress, **keywords)
        warn_of_titles(table)
        return table


@dataclass(frozen=True)
class DataOptions(TableOptions):
    """How a file of discrete data is read, and what is done about gaps."""

    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            help="Read about this many rows of a Parquet or DuckDB file, drawn at random; the same ones every time "
            "(default: all).",
            show_default=False,
        ),
    ] = None
    whole: Annotated[
        bool,
        typer.Option(
            "--whole", help="Read a Parquet or DuckDB file of more than 10^8 cells whole, not as its distinct rows."
        ),
    ] = False
    memory: Annotated[
        float | None,
        typer.Option(
            "--memory",
            help="Gigabytes for reading a Parquet or DuckDB file of more than 10^8 cells, which is read as its "
            "distinct rows (default: 4, or what is free).",
            show_default=False,
        ),
    ] = None
    temporary: Annotated[
        Path | None,
        typer.Option(
            "--temporary",
            help="A folder for what does not fit into that memory (default: the system's).",
            show_default=False,
        ),
    ] = None
    categorical: CategoricalOption = False
    impute: Annotated[
        str | None,
        typer.Option(
            "--impute",
            help="What to do about missing values: knn, mode, state or drop, as `arcwise impute` does; bootstrap also "
            "takes completions (default: refuse them, unless the score takes them, as pnal does).",
            autocompletion=names_of("arcwise.data.impute", "METHODS"),
            show_default=False,
        ),
    ] = None

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: as its distinct rows."""
        from arcwise.data.large import Grouping

        return Grouping(
            always=False if self.whole else None,
            memory=self.memory,
            temporary=self.temporary,
            sample=self.sample,
            categories=self.categorical,
        )

    def read_rows(self, data: Path, progress: bool | None) -> Table:
        """Read a data file whose rows are asked about one by one."""
        if self.sample is not None:
            raise OptionError(Argument("sample", self.sample), "is not for rows that are compared one by one.")
        return replace(self, whole=True).read_table(data, progress)

    def read(self, data: Path, progress: bool | None, score: Score | None = None) -> Dataset:
        """Read a data file that is discrete; a column with one value only is left out, as `learn` does.

        Gaps are filled as asked for. If the score takes them, they are marked for it.
        """
        return self._whole(self._varying(data, progress)[0], progress, score)

    def read_known(
        self, data: Path, progress: bool | None, rules: ConstraintOptions, score: Score | None = None
    ) -> tuple[Dataset, Constraints | None]:
        """Read a data file, and what is known about its variables."""
        table, gone = self._varying(data, progress)
        return self._whole(table, progress, score), rules.read_with(table.names, gone, score)

    def read_incomplete(
        self, data: Path, progress: bool | None, rules: ConstraintOptions, score: Score | None = None
    ) -> tuple[Incomplete, Constraints | None]:
        """Read a data file that is discrete, with its gaps, and what is known about its variables."""
        table, gone = self._varying(data, progress)
        return table.to_incomplete(categorical=self.categorical), rules.read_with(table.names, gone, score)

    def read_uncut(
        self, data: Path, progress: bool | None, rules: ConstraintOptions, score: Score | None, cutting: Cutting
    ) -> tuple[Uncut, Constraints | None]:
        """Read a data file whose numbers are cut later, and what is known about its variables."""
        from arcwise.ensemble.uncut import Uncut

        table, gone = self._varying(data, progress)
        if self.impute != "completions":  # which are made anew in every replicate
            table = self._filled(table, progress)
            if table.n_missing:
                table.to_dataset()  # says what to do about gaps
        columns = [] if self.categorical else [name for name in table.continuous() if name != cutting.target]
        if not columns:
            raise OptionError(
                Argument("recut", cutting.method),
                "cuts columns of numbers with more than 20 distinct values, and there are none.",
                remedies=Remedy("leave it out"),
            )
        known = rules.read_with(table.names, gone, score)
        arcs = None if known is None else known.arc_part
        return Uncut(table, tuple(columns), replace(cutting, constraints=arcs)), known

    def _filled(self, table: Table, progress: bool | None) -> Table:
        """Return a table with its gaps filled as asked for."""
        from arcwise.data import impute
        from arcwise.data.impute import METHODS

        if self.impute is not None and self.impute not in METHODS:
            raise OptionError(
                Argument("impute", self.impute),
                f"is none of {', '.join(METHODS)}; completions are made by `arcwise learn` and `arcwise bootstrap`.",
            )
        if not table.n_missing or self.impute is None:
            return table
        return impute(table, method=self.impute, progress=progress)

    def _whole(self, table: Table, progress: bool | None, score: Score | None) -> Dataset:
        """Return a table's data without gaps, or with gaps marked for a score that takes them."""
        table = self._filled(table, progress)
        if table.n_missing and score is not None and score.data_score.takes_gaps:
            return table.to_incomplete(categorical=self.categorical).with_gap_states()
        return table.to_dataset(categorical=self.categorical)

    def _varying(self, data: Path, progress: bool | None) -> tuple[Table, dict[str, LeftOut]]:
        """Read a data file without the columns that have one value only, and return why these were left out."""
        from arcwise.analysis.left_out import LeftOut
        from arcwise.audit.constants import find_constants

        table = self.read_table(data, progress)
        gone = dict.fromkeys(self.drop or (), LeftOut("as asked for", Remedy("do not drop it")))
        for finding in find_constants(table):
            assert finding.repair is not None
            table = finding.repair.change(table)
            gone |= {name: LeftOut.by(name, finding) for name in finding.columns}
            if progress is not False:
                typer.echo(finding.repair.done, err=True)
        return table, gone
