"""`arcwise`: the command-line program.

Exit codes: 0 done; 1 the user's mistake, told in one message; 2 wrong usage; 3 a limit was reached and the result is
valid but not complete. Data go to stdout, messages and progress to stderr.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys

import typer

from arcwise.errors import ArcwiseError

__all__ = ["app", "main"]

# One module per verb, in the order of `arcwise --help`; each has a function `register(app)`.
VERBS: tuple[str, ...] = (
    "scores",
    "search",
    "credible",
    "bootstrap",
    "optimal",
    "confidence",
    "threshold",
    "consensus",
    "prior",
    "fit",
    "sample",
    "evaluate",
)

app = typer.Typer(
    help="Learn Bayesian-network structure from discrete data, and say which arcs to trust.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(value: bool) -> None:
    if value:
        import arcwise

        typer.echo(f"arcwise {arcwise.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    pass


@functools.cache
def _register_verbs() -> None:
    for verb in VERBS:
        importlib.import_module(f"arcwise.cli.{verb}").register(app)


def main() -> None:
    """Run the command line; a mistake of the user's ends with one message and exit code 1."""
    _register_verbs()
    try:
        app()
    except ArcwiseError as error:
        typer.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe went away (`arcwise ... | head`): not an error. Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
