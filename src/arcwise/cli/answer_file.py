"""Where answers come from, and how verbs that answer questions print, write and refuse."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.output_file import OutputOption, check_writable
from arcwise.cli.printing import PrintOptions, print_json
from arcwise.errors import FormatError

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.analysis import SavedAnalysis
    from arcwise.report import Answer

__all__ = ["AnswerOptions", "FolderArgument", "open_folder", "write_frame"]

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `arcwise learn -o`.")]


@dataclass(frozen=True)
class AnswerOptions(PrintOptions):
    """What to print, and where the table goes."""

    output: OutputOption = None
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the answer as Markdown, to be pasted into a report.")
    ] = False

    def check(self) -> None:
        """Refuse a file that cannot be written, before any work is lost to it."""
        if self.markdown and self.as_json:
            raise typer.BadParameter("--markdown and --json are two ways to print; give one.")
        self.stdout_is_taken(self.output)
        if self.output is not None and str(self.output) != "-":
            if not self.output.name.removesuffix(".gz").endswith(".csv"):
                raise FormatError(
                    f"cannot write {self.output}: tables are written as CSV; end the name in .csv or .csv.gz."
                )
            check_writable(self.output)

    def give(self, answer: Answer, frame: pd.DataFrame, **facts: Any) -> None:
        """Print the answer, or its table as JSON, and write the table if a file was named."""
        if self.output is not None:
            write_frame(frame, self.output)
        if self.as_json:
            print_json({**facts, "table": frame.to_dict(orient="records"), "output": self.output})
        elif self.output is None or str(self.output) != "-":
            typer.echo(answer.to_markdown() if self.markdown else answer.to_text(), nl=False)
            if self.output is not None:
                self.remark(f"wrote {len(frame):,} rows to {self.output}")


def open_folder(folder: Path) -> SavedAnalysis:
    """Open the folder of an analysis; a file is refused with what to do."""
    from arcwise.analysis import open_analysis

    if folder.is_file():
        raise FormatError(f"{folder} is a file: give the folder of `arcwise learn DATA -o DIR`.")
    return open_analysis(folder)


def write_frame(frame: pd.DataFrame, output: Path) -> None:
    """Write a table as CSV, to stdout for "-"."""
    from arcwise.files import write_text

    text = frame.to_csv(index=False, lineterminator="\n")
    if str(output) == "-":
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
