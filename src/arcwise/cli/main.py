"""`arcwise`: the command-line program.

Exit codes: 0 done; 1 the user's mistake, told in one message; 2 wrong usage; 3 a limit was reached and the result is
valid but not complete. Data go to stdout, messages and progress to stderr.
"""

from __future__ import annotations

import functools
import importlib
import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from arcwise.cli.spelling import as_options
from arcwise.cli.verb_group import VerbGroup
from arcwise.errors import ArcwiseError

__all__ = ["app", "main"]

# One module per verb, by the stages of the pipeline, in the order of `arcwise --help`; each has `register(app)`.
STAGES: dict[str, tuple[str, ...]] = {
    "The whole analysis": ("learn", "explain"),
    "Prepare data": ("impute", "discretize"),
    "Score and find one network": ("scores", "optimal", "search"),
    "Find many networks": ("credible", "bootstrap"),
    "Decide which edges to trust": ("confidence", "threshold", "consensus", "prior"),
    "Use and compare networks": ("fit", "query", "sample", "evaluate"),
    "Run experiments": ("study",),
}
VERBS: tuple[str, ...] = tuple(verb for verbs in STAGES.values() for verb in verbs)


class _Program(VerbGroup):
    """The group of all verbs. Ctrl-C and a closed pipe are dealt with here, before typer sees them."""

    stages = STAGES

    def make_context(self, *arguments: Any, **options: Any) -> Any:  # where --help and --version print
        with _quiet_ending():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _quiet_ending():
            return super().invoke(ctx)


@contextmanager
def _quiet_ending() -> Iterator[None]:
    """End without a traceback on Ctrl-C (exit code 130), and if the reader of stdout went away, as `head` does (0).

    The signal SIGPIPE stays ignored: connections to workers live in the same process, and a lost one must not kill it.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError as error:
        if not _reader_is_gone():
            raise ConnectionError(f"a connection broke: {error}") from error
        # What is still in the buffer goes nowhere, so that Python does not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def _reader_is_gone() -> bool:
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


app = typer.Typer(
    cls=_Program,
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


@functools.cache
def _command() -> Any:
    _register_verbs()
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a mistake of the user's ends with one message and exit code 1.

    The arguments are those of the process if none are given.
    """
    try:
        _command().main(args=None if arguments is None else list(arguments), prog_name="arcwise")
    except ArcwiseError as error:
        typer.echo(f"{type(error).__name__}: {as_options(str(error))}", err=True)
        sys.exit(1)
    except MemoryError:
        typer.echo("MemoryError: there is not enough memory for this. Use fewer columns or rows, or a limit.", err=True)
        sys.exit(1)
