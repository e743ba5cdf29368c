"""`arcwise`: the command-line program.

Exit codes: 0 done; 1 the user's mistake, with one message; 2 wrong usage; 3 a limit was reached and the result is
valid but not complete; 130 Ctrl-C before there was a result; 143 SIGTERM, which stops the work as Ctrl-C does. Data go
to stdout, messages and progress to stderr.
"""

from __future__ import annotations

import errno
import functools
import importlib
import os
import select
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

import typer

from arcwise.base.errors import ArcwiseError, DataWarning
from arcwise.cli.signals import asked_to_stop, forget_stops, note_interrupt, stop_code
from arcwise.cli.spelling import spell_error
from arcwise.cli.verb import OF_STUDIES, RUNNING, TYPED, VerbGroup, add_verb

# The verbs by the stages of the pipeline, in the order of `arcwise --help`. Another package adds verbs by entry points
# of the group "arcwise.verbs", whose values are functions such as `register(app)` of a module here.
STAGES: dict[str, tuple[str, ...]] = {
    "The whole analysis": ("learn", "show", "open", "demo"),
    "Ask it questions": ("explain", "effect", "predict", "check-fit"),
    "Prepare data": ("check", "impute", "discretize"),
    "Score and find one network": ("scores", "optimal", "check-certificate", "search"),
    "Find many networks": ("credible", "posterior", "bootstrap"),
    "Decide which edges to trust": ("confidence", "threshold", "consensus", "prior"),
    "Use and compare networks": ("fit", "query", "sample", "evaluate", "convert"),
    "Run experiments": ("study",),
}
# The modules that hold several verbs; any other verb has a module of its own name.
SHARED: dict[str, tuple[str, ...]] = {
    "learn": ("learn", "demo"),
    "questions": ("show", "open", "explain", "effect", "predict", "check-fit"),
    "data": ("impute", "discretize"),
    "exact": ("scores", "optimal", "check-certificate"),
    "ensembles": ("credible", "posterior", "bootstrap"),
    "edges": ("confidence", "threshold", "consensus"),
    "networks": ("fit", "sample", "convert"),
}
# What a write to stdout may end in.
UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
TERMINATED = 128 + 15
_USUAL_WARNING = warnings.formatwarning
VERBS: tuple[str, ...] = tuple(verb for verbs in STAGES.values() for verb in verbs)
OWN = tuple(verb for verb in VERBS if verb not in OF_STUDIES)


class _Program(VerbGroup):
    """The group of all verbs. Mistakes, Ctrl-C and a closed pipe are dealt with here, before typer sees them."""

    stages = STAGES

    def list_commands(self, ctx: Any) -> list[str]:
        self._load(())
        foreign = [name for name in self.commands if name not in OWN]
        return [name for name in VERBS if name in (*OWN, *foreign)] + [name for name in foreign if name not in VERBS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the verb that is asked for: each loads the stages whose options it has."""
        if cmd_name not in self.commands:
            self._load([cmd_name])
        return super().get_command(ctx, cmd_name)

    def all_commands(self) -> Mapping[str, Any]:
        self._load(OWN)
        return self.commands

    def _load(self, names: Sequence[str]) -> None:
        """Import verbs of ours, and those of other packages unless only one is wanted that nobody adds to."""
        for verb in names:
            if verb in OWN:
                _register(verb)
        if len(names) != 1 or names[0] not in OWN or names[0] == "prior":
            _register_foreign()
        self.commands.update(typer.main.get_command(app).commands)  # type: ignore[attr-defined]

    def make_context(self, *arguments: Any, **options: Any) -> Any:  # where --help and --version print
        with _quiet_ending():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _quiet_ending():
                return super().invoke(ctx)
        except ArcwiseError as error:
            if asked_to_stop(lately=True):
                raise typer.Exit(_say_stopped()) from None
            find = functools.partial(self.get_command, ctx)
            message = spell_error(error, ctx.meta.get(RUNNING), find, ctx.meta.get(TYPED, ()))
            typer.echo(f"{type(error).__name__}: {message}", err=True)
            raise typer.Exit(1) from None


@contextmanager
def _quiet_ending() -> Iterator[None]:
    """End without a traceback on Ctrl-C (exit code 130) and SIGTERM (143), and when stdout cannot be written.

    If the reader of stdout went away, as `head` does, that is no error (0); a full disk is one (1). The signal SIGPIPE
    stays ignored: connections to workers live in the same process, and a lost one must not kill it.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        raise typer.Exit(_say_stopped()) from None
    except BrokenPipeError as error:
        if not _reader_is_gone():
            raise ConnectionError(f"a connection broke: {error}") from error
        _drop_stdout()
        raise typer.Exit(0) from None
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            raise
        _drop_stdout()
        typer.echo(f"FormatError: cannot write to stdout: {error.strerror}.", err=True)
        raise typer.Exit(1) from None


def _say_stopped() -> int:
    """Say what stopped the program, and return its exit code."""
    note_interrupt()
    code = stop_code()
    typer.echo("terminated" if code == TERMINATED else "interrupted", err=True)
    return code


def _drop_stdout() -> None:
    """Let what is still in the buffer go nowhere, so that Python does not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reader_is_gone() -> bool:
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


app = typer.Typer(
    cls=_Program,
    help="Learn Bayesian networks from tables, and say which edges to rely on.",
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
def _register(verb: str) -> None:
    """Add a verb: the class of that name in its module, or what the module registers, a group."""
    name = next((name for name, verbs in SHARED.items() if verb in verbs), verb)
    module = importlib.import_module(f"arcwise.cli.{name}")
    if hasattr(module, "register"):
        module.register(app)
        _register_foreign(f"{verb}-")
    else:
        add_verb(app, verb, getattr(module, verb.title().replace("-", "") + "Verb"))


def _register_foreign(prefix: str = "") -> None:
    """Add the verbs of other packages, or those of one group of ours: "prior-compare" is `arcwise prior compare`."""
    for entry in entry_points(group="arcwise.verbs"):
        if entry.name.startswith(prefix):
            _register_entry(entry)


@functools.cache
def _register_entry(entry: EntryPoint) -> None:
    try:
        entry.load()(app)
    except Exception as error:  # whatever a foreign module does when it is imported
        message = f"the verb '{entry.name}' of {entry.value} cannot be loaded: {type(error).__name__}: {error}."
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _register_verbs() -> None:
    for verb in OWN:
        _register(verb)
    _register_foreign()


@functools.cache
def _command() -> Any:
    return typer.main.get_command(app)


def prepare() -> None:
    """Import what the verb needs that is asked for, while a signal can still end the program at once."""
    for verb in [word for word in sys.argv[1:] if word in OWN][:1]:
        _register(verb)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a user's mistake ends with one message and exit code 1.

    The arguments are those of the process if none are given.
    """
    forget_stops()
    warnings.formatwarning = _one_line
    try:
        _command().main(args=None if arguments is None else list(arguments), prog_name="arcwise")
    except MemoryError:
        _explain_memory_error()
    except (ImportError, RuntimeError) as error:
        # A library that finds no room to be loaded, a thread that finds none for its stack.
        if not any(words in str(error) for words in ("failed to map segment", "Cannot allocate", "start new thread")):
            raise
        _explain_memory_error()


def _one_line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> str:
    """Return a warning about the data as a user of the command line wants it: without the line of our code."""
    if issubclass(category, DataWarning):
        return f"{category.__name__}: {message}\n"
    return _USUAL_WARNING(message, category, *where, **more)


def _explain_memory_error() -> NoReturn:
    from arcwise.base.machine import describe_memory

    what = f"MemoryError: there is not enough memory for this: {describe_memory()}."
    typer.echo(f"{what} Use fewer columns, rows or threads, or a limit.", err=True)
    sys.exit(1)
