"""The verbs that ask an analysis: edges in words, effects, predictions, and whether the network fits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from arcwise.base.errors import FormatError, OptionError, suggestion
from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.base.run import Run, Status
from arcwise.cli.options import DataVerb, DiscreteOptions, TableOptions, TableVerb, TimeLimit
from arcwise.cli.output import (
    AnswerVerb,
    FolderArgument,
    FolderOrGraphArgument,
    LevelOptions,
    open_folder,
    prediction_frame,
    print_found,
    write_frame,
)
from arcwise.cli.verb import Result, Verb, facts, given_options
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data.mixed import NOMINAL
from arcwise.data.table import Table
from arcwise.effects.effect import PossibleEffects, possible_effects, usable_cases
from arcwise.effects.mixed_effect import MixedEffect, MixedEffects
from arcwise.evaluate.fit import FitCheck, check_fit
from arcwise.evaluate.prediction import NumberScores, score_numbers, score_predictions
from arcwise.findings.thresholds import record_of
from arcwise.graph.nodes import linked_names
from arcwise.report.effects import (
    effect_answer,
    effects_answer,
    mixed_effect_answer,
    mixed_effects_answer,
    possible_answer,
    possible_mixed_answer,
)
from arcwise.report.explanation import EdgeExplanation, explain_folder, explain_graph, list_edges
from arcwise.report.page import fit_answer, prediction_answer
from arcwise.report.sections import variable_answer

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.analysis.saved import SavedAnalysis
    from arcwise.report.report import Answer


class ShowVerb(Verb):
    """Print the answer of an analysis again: its edges by what to do with them, what to expect, and the checks.

    Example: arcwise show survey-report --details
    """

    folder: FolderArgument
    details: bool = option(False, "print all edges and the sections of the report, not the answer alone")

    def _run(self) -> Result:
        saved = open_folder(self.folder)
        words, edges = saved.words, list_edges(saved.folder, saved.record, saved.threshold)
        payload = {**saved.record, "output": self.folder, "edges": saved.to_frame(full=True)}
        return Result(
            payload, lambda: print_found(words, edges, self.folder, target=saved.target, details=self.details)
        )


BROWSER_SECONDS = 5.0  # seconds after which a browser that stays in the foreground is one that runs
START = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


class OpenVerb(Verb):
    """Open the report of an analysis in the browser; without one, say where it is.

    Example: arcwise open survey-report
    """

    folder: FolderArgument

    def _run(self) -> Result:
        page = open_folder(self.folder).report.path
        opened = _browse(page.resolve().as_uri())
        text = f"opened {page}" if opened else f"No browser can be started here. The report is {page.resolve()}"
        return Result({"report": page.resolve(), "opened": opened}, text)


def _browse(address: str) -> bool:
    """Have a browser show a page, by a process of its own: one that writes to the terminal, or waits, stops nobody."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform not in ("win32", "darwin") and not any(os.environ.get(name) for name in screens):
        return False
    nothing = subprocess.DEVNULL
    begun = subprocess.Popen(
        [sys.executable, "-c", START, address], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
    )
    try:
        return begun.wait(BROWSER_SECONDS) == 0
    except subprocess.TimeoutExpired:
        begun.returncode = 0  # it is left to itself
        return True


WIDEST = 100  # longer lines are hard to read


class ExplainVerb(DataVerb, AnswerVerb):
    """Explain a variable or edges in plain words: how far to trust them, where they point, and what to do.

    For one variable of a folder of `arcwise learn`: what it is linked with, by how far that can be trusted and how much
    it matters; its Markov blanket; what remains open; -o writes the table. For edges, the strongest first: what its
    report says about each, the rules that keep it, and the network's table. For a single network and data: what goes
    with what, and whether the prior decides it; how far it can be trusted is then unknown. You can also ask about
    pairs without an edge.

    Example: arcwise explain survey-report 'smoke->cough'
    """

    source: FolderOrGraphArgument
    edge: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="X|EDGE",
            help="A variable: what it is linked with; or an edge, e.g. 'smoke->cough' or 'smoke--cough', or two names; "
            "default: all edges of the network.",
            show_default=False,
        ),
    ] = None
    data: Path | None = option(None, "for a graph file: the data to explain its edges with")

    def _run(self) -> Result:
        words = self.edge or []
        if self.data is None and self.source.is_dir() and len(words) == 1 and words[0] in self._names():
            self._refuse_reading()
            return self._explain_variable(words[0])
        if self.output is not None or self.markdown:
            raise OptionError(
                "--output and --markdown are for one variable of a folder: arcwise explain DIR X -o x.csv"
            )
        if self.data is None:
            if not self.source.is_dir() and self.source.exists():
                raise OptionError(
                    f"{self.source} is a file: give the folder of `arcwise learn`, or the data with --data."
                )
            self._refuse_reading()
            found = explain_folder(self.source, _pairs(words, self._names()) if words else None)
        else:
            given, cases = self.open_with_data(self.source, self.data)
            graph = given.graph(cases.names)
            pairs = _pairs(words, graph.names) if words else None
            found = explain_graph(graph, cases, pairs, network=given.network)
        payload = {"source": self.source, "edges": (item.to_dict() for item in found)}
        return Result(payload, lambda: _print(found))

    def _explain_variable(self, name: str) -> Result:
        analysis = open_folder(self.source)
        found = analysis.variable(name)
        return self.answer(
            variable_answer(found, analysis.edges),
            found.to_frame(),
            source=self.source,
            variable=name,
            blanket=found.blanket,
            blankets=[{"variables": names, "share": share} for names, share in found.blankets],
            known_bits=found.known,
            entropy_bits=found.entropy,
        )

    def _refuse_reading(self) -> None:
        if any(given_options(self, TableOptions, DiscreteOptions)):
            raise OptionError(
                "--column, --drop, --separator, --categorical and --interventions say how --data is read; there is "
                "none."
            )

    def _names(self) -> tuple[str, ...]:
        if not self.source.is_dir():
            raise FormatError(f"{self.source}: no such folder; `arcwise learn DATA -o {self.source}` would write it.")
        return EdgeConfidence.load(self.source / "confidence.parquet").names


def _pairs(words: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs that are asked for: words with an arrow, or names two by two."""
    pairs: list[tuple[str, str]] = []
    waiting: str | None = None
    for word in words:
        if word in names:
            if waiting is None:
                waiting = word
            else:
                pairs.append((waiting, word))
                waiting = None
            continue
        parts = linked_names(word, names)
        if waiting is not None or parts is None:
            raise OptionError(suggestion("variable", word, names))
        pairs.append(parts)
    if waiting is not None:
        raise OptionError(
            f"an edge has two ends; '{waiting}' has no partner. Give {waiting}--OTHER, two names, or {waiting} alone "
            "with a folder of `arcwise learn`."
        )
    return pairs


def _print(found: Sequence[EdgeExplanation]) -> None:
    if not found:
        typer.echo("The network has no edge: no pair is above the cut-off. Ask for a pair to see how close it comes.")
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns) if sys.stdout.isatty() else WIDEST
    for number, item in enumerate(found):
        if number:
            typer.echo()
        typer.echo(item.title)
        for sentence in item.sentences:
            typer.echo(textwrap.fill(sentence, width, initial_indent="  ", subsequent_indent="  "))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--from and --to are numbers here; got '{text}'.") from None


HIDDEN = ("none", "possible")
ASSUMES = "no common cause is missing from the data"


class EffectVerb(DataVerb, TimeLimit, AnswerVerb):
    """Estimate what would happen to Y if X were set: how probably X leads to Y, and P(Y | do(X)) if it does.

    In each network of an analysis the parents of X are adjusted for; the answer is the mixture over all networks in
    which X leads to Y. It assumes that no common cause is missing from the data; --hidden-causes possible
    says what holds without. Without Y, the effects of X on all others; without X, all pairs.

    Example: arcwise effect survey-report smoke cough
    """

    source: FolderOrGraphArgument
    cause: Annotated[
        str | None,
        typer.Argument(metavar="X", help="The variable to set, or X->Y; without it, all.", show_default=False),
    ] = None
    outcome: Annotated[
        str | None,
        typer.Argument(metavar="Y", help="What it may change; without it, all others.", show_default=False),
    ] = None
    hidden_causes: str = option(
        "none",
        "common causes that the data do not have: none (the assumption behind every estimate), or possible, which "
        "adds the bounds that hold whatever is missing",
    )
    average: bool = option(False, "also the average over having an effect and having none")
    within_class: bool = option(False, "the range of the effect within the class of the one network (IDA)")
    level: float = row(LevelOptions, "level")
    by: float = option(1.0, "by how much a number is changed: --by 10 for ten years")
    start: str | None = option(None, "the value of X to begin with, for one change alone; or X", flags=("--from",))
    end: str | None = option(None, "the value of X to end with; or Y", flags=("--to",))
    data: Path | None = option(None, "for a graph file: the data to estimate effects from")

    def _check(self) -> None:
        if self.hidden_causes not in HIDDEN:
            raise typer.BadParameter(f"--hidden-causes is {' or '.join(HIDDEN)}, not '{self.hidden_causes}'.")
        super()._check()

    def _run(self) -> Result:
        cause, outcome = self.cause, self.outcome
        if self.data is not None or self.within_class:
            if cause is None or outcome is None:
                raise OptionError("the range within one class is that of one effect: give X and Y.")
            return self._within_class(cause, outcome)
        saved = open_folder(self.source)
        if cause is None and self.start is not None:  # the variables themselves
            cause, outcome = self.start, self.end
        elif cause is not None and outcome is None:
            cause, outcome = saved.confidence.link(cause) or (cause, None)
        if saved.mixed is not None and self.hidden_causes == "possible":
            raise OptionError(
                "--hidden-causes possible bounds the probabilities of states; nothing bounds a number whose causes "
                "are missing. Leave it out, or learn with --numbers cut."
            )
        if cause is not None and outcome is not None:
            between, by = self._change(saved, cause)
            one = saved.effect(cause, outcome, level=self.level, by=by)
            reverse = saved.reach.leads_to(outcome, cause)
            constrained, record = saved.confidence.constraints is not None, record_of(saved.confidence)
            figures: dict[str, Any] = {
                "probability": one.probability,
                "calibrated": bool(one.basis),
                "share": one.share,
                "standard_error": one.standard_error,
                "e_values": one.e_values,
            }
            if isinstance(one, MixedEffect):
                answer = mixed_effect_answer(
                    one,
                    reverse=reverse,
                    constrained=constrained,
                    between=between,
                    edges=saved.edges,
                    record=record,
                    effect_on=partial(saved.effect, cause, level=self.level, by=by),
                )
                figures["no_overlap"] = one.no_overlap
            else:
                answer = effect_answer(
                    one,
                    hidden_causes=self.hidden_causes == "possible",
                    average=self.average,
                    reverse=reverse,
                    constrained=constrained,
                    between=between,
                    edges=saved.edges,
                    record=record,
                )
                figures["changes"] = one.changes()
            return self._answered(answer, one.to_frame(), level=self.level, assumes=ASSUMES, **figures)
        if cause is not None:
            saved.network.index(cause)  # refuses an unknown name
            usable_cases(saved.stacked, cause)  # refuses one of which no case tells
        causes = None if cause is None else [cause]
        found = saved.effects(causes=causes, level=self.level, limits=self.limits, progress=self.progress)
        frame = found.to_frame()
        if cause is not None:
            frame = frame[frame["cause"] == cause].reset_index(drop=True)
        if isinstance(found, MixedEffects):
            answer, figures = mixed_effects_answer(found, cause), {}
        else:
            answer, figures = effects_answer(found, cause), {"untold": found.untold}
        return self._answered(answer, frame, found.status, level=self.level, assumes=ASSUMES, **figures)

    def _change(self, saved: SavedAnalysis, cause: str) -> tuple[tuple[str, str] | None, float]:
        """Return the two states that are asked about, None for all, and by how much a number is changed."""
        if self.cause is None or (self.start is None and self.end is None):
            return None, self.by
        if self.start is None or self.end is None:
            raise OptionError("a change has two ends: give --from and --to.")
        if saved.mixed is None:
            ends = saved.state_of(cause, self.start), saved.state_of(cause, self.end)
        else:
            v = saved.mixed_network.index(cause)
            if saved.mixed_network.kinds[v] is not NOMINAL:
                return None, _number(self.end) - _number(self.start)
            known = saved.mixed_network.states[v]
            for value in (self.start, self.end):
                if value not in known:
                    raise OptionError(suggestion(f"state of {cause}", value, known))
            ends = self.start, self.end
        if ends[0] == ends[1]:
            raise OptionError(f"--from and --to are both {cause} = {ends[0]}: nothing changes.")
        return ends, self.by

    def _answered(
        self, answer: Answer, frame: pd.DataFrame, status: Status = Status.COMPLETE, **figures: Any
    ) -> Result:
        asked = {"cause": self.cause} if self.outcome is None else {"cause": self.cause, "outcome": self.outcome}
        return self.answer(answer, frame, status, source=self.source, **asked, **figures)

    def _within_class(self, cause: str, outcome: str) -> Result:
        """Return the range of an effect within the class of one network: that of a folder, or of a file and data."""
        if self.data is None:
            found = open_folder(self.source).possible_effects(cause, outcome, level=self.level)
        else:
            given, cases = self.open_with_data(self.source, self.data)
            found = possible_effects(given.graph(cases.names), cases, cause, outcome, level=self.level)
        if isinstance(found, PossibleEffects):
            return self._answered(possible_answer(found), found.to_frame(), possible_parents=found.parents)
        import pandas as pd

        frames = [one.to_frame().assign(parents=", ".join(parents)) for parents, one in found]
        return self._answered(
            possible_mixed_answer(found), pd.concat(frames), possible_parents=[parents for parents, _ in found]
        )


class PredictVerb(TableVerb, TimeLimit, AnswerVerb):
    """Predict a variable of new rows from all others, or measure how well that works.

    Rows are cut and coded as the training data were; a missing value is not observed. One line per row: the most
    probable state, and the probability of each; of a number as it is, its mean and an interval. Without new rows:
    accuracy, log loss and calibration, or the error of a number, by cross-validation, with networks learned anew in
    every fold.

    Example: arcwise predict survey-report new.csv --target cough
    """

    folder: FolderArgument
    data: Annotated[
        Path | None,
        typer.Argument(
            help="New rows: a data file, - for stdin; without it, how well the variable is predicted.",
            show_default=False,
        ),
    ] = None
    target: str = option(REQUIRED, "the variable to predict")
    average: bool = option(False, "average over all networks instead of asking the one network")
    level: float = row(LevelOptions, "level", help="of a number: the share of values that its interval holds")
    unseen: str = option("missing", "a state that no training row had: missing (taken as not observed), or error")
    folds: int = option(10, "without new rows: the folds of cross-validation", low=2, high=100_000)
    seed: int = row(Common, "seed")

    def _check(self) -> None:
        super()._check()
        if self.unseen not in ("missing", "error"):
            raise typer.BadParameter(f"--unseen is missing or error, not '{self.unseen}'.")

    def _run(self) -> Result:
        import pandas as pd

        target = self.target
        saved = open_folder(self.folder)
        states = saved.network.states[saved.network.index(target)]
        number = saved.mixed is not None and saved.mixed_network.kinds[saved.mixed_network.index(target)] is not NOMINAL
        if self.data is None:
            if self.average:
                raise OptionError(
                    "--average is for new rows; cross-validation learns the consensus network of every fold."
                )
            limits, progress = self.limits, self.progress
            scores = saved.cross_validate(target, folds=self.folds, seed=self.seed, limits=limits, progress=progress)
            status = Status.TIME_LIMIT if scores.by_time else Status.COMPLETE
            measured = {str(name): value for name, value in scores.to_frame().iloc[0].items()}
            answer = prediction_answer(scores)
            frame = scores.to_frame() if isinstance(scores, NumberScores) else scores.calibration_frame()
            return self.answer(answer, frame, status, source=saved.folder, **{**measured, "folds": self.folds})
        table = self.read_table(self.data)
        if saved.mixed is not None:
            return self._predict_mixed(saved, table, is_number=number)
        coded = saved.coding.apply(table, unseen=self.unseen)  # type: ignore[arg-type]
        for remark in coded.without(target).remarks():  # that it is not known is why it is predicted
            self.remark(remark)
        options: dict[str, Any] = {"seed": self.seed} if self.average else {}
        model = saved.average if self.average else saved.network
        found = model.predict_proba(coded.table, target, progress=self.progress, **options)
        frame = pd.DataFrame({target: np.array(states, dtype=object)[found.argmax(axis=1)]})
        for k, state in enumerate(states):
            frame[f"P({target}={state})"] = found[:, k]
        facts = _scored(coded.table, target, states, found)
        return self._written(frame, facts, states)

    def _predict_mixed(self, saved: SavedAnalysis, table: Table, *, is_number: bool) -> Result:
        """Predict from numbers as they are."""
        target, network = self.target, saved.mixed_network
        coded = saved.coding.values(table, network, unseen=self.unseen)  # type: ignore[arg-type]
        for remark in (*coded.without(target).remarks(), *saved.beyond(coded.values, target)):
            self.remark(remark)
        given: dict[str, Any] = {"average": self.average, "seed": self.seed, "progress": self.progress}
        found = saved.predict_values(coded.values, target, level=self.level, **given)
        frame = prediction_frame(network, target, found)
        states, own = network.states[network.index(target)], coded.values[network.index(target)]
        known = ~np.isnan(own)
        facts: dict[str, float] = {}
        if known.any() and is_number:
            mean, low, high = (part[known] for part in found)
            scores = score_numbers(own[known], mean, low, high, target=target, level=self.level)
            facts = {"known": scores.n_cases, "rmse": scores.rmse, "explained": scores.explained}
            facts["inside"] = scores.inside
        elif known.any():
            assert isinstance(found, np.ndarray)
            one = score_predictions(found[known], own[known].astype(np.int64), target=target, states=states)
            facts = {"known": one.n_cases, "accuracy": one.accuracy, "log_loss": one.log_loss}
        return self._written(frame, facts, states)

    def _written(self, frame: pd.DataFrame, facts: dict[str, float], states: tuple[str, ...]) -> Result:
        """Write the predictions, and say how good they are where the rows know the answer."""
        target = self.target
        if self.output is not None or not self.as_json:
            write_frame(frame, self.output or Path("-"))
        done = [] if self.output is None or str(self.output) == "-" else [f"wrote {len(frame):,} rows to {self.output}"]
        if "rmse" in facts:
            done.append(
                f"{target} is known in {facts['known']:,} of these rows: the typical error is {facts['rmse']:.4g}, "
                f"{facts['explained']:.1%} of its variance is explained, {facts['inside']:.1%} lie in their interval"
            )
        elif facts:
            done.append(
                f"{target} is known in {facts['known']:,} of these rows: predicted right in {facts['accuracy']:.1%}, "
                f"log loss {facts['log_loss']:.3f}"
            )
        payload = {"source": self.folder, "target": target, "rows": len(frame), "states": states, **facts}
        return Result(payload, message="\n".join(done))


def _scored(table: Table, target: str, states: tuple[str, ...], probabilities: NDArray[np.float64]) -> dict[str, float]:
    """Return how good the predictions are where the rows know the answer; nothing if they do not."""
    if target not in table.names:
        return {}
    column = table.column(target)
    known = ~column.is_missing
    if not known.any():
        return {}
    scores = score_predictions(probabilities[known], column.codes[known].astype(np.int64), target=target, states=states)
    return {"known": scores.n_cases, "accuracy": scores.accuracy, "log_loss": scores.log_loss}


FACTS = ("n_tests", "n_untested", "small", "uniformity", "log_likelihood", "independent", "saturated", "n_cases")


class CheckFitVerb(DataVerb, TimeLimit, AnswerVerb):
    """Check whether a network fits data: the independences that it claims, its likelihood, and every pair of variables.

    If the network is right, one in twenty of the implied independences is rejected at 0.05, and in data sets drawn from
    it every pair of variables is about as dependent as in the data. The likelihood is compared with that of a network
    without edges, and with that of the frequencies of whole rows. The table of -o has every pair.

    Example: arcwise check-fit survey-report
    """

    source: Annotated[Path, typer.Argument(metavar="DIR|NETWORK", help="A folder of `arcwise learn`, or a .bif file.")]
    data: Annotated[
        Path | None,
        typer.Argument(
            help="New data, coded as the training data were; without it, the data that a folder was learned from.",
            show_default=False,
        ),
    ] = None
    replicates: int = option(100, "how many data sets to draw from the network; 0 for none", low=0, high=100_000)
    seed: int = row(Common, "seed")

    def _run(self) -> Result:
        found = self._compared(Run.of(self.limits))
        return self.answer(
            fit_answer(found),
            found.to_frame(),
            found.status,
            source=self.source,
            **facts(found, *FACTS),
            misfits=len(found.misfits),
            replicates=found.replicates,
        )

    def _compared(self, run: Run) -> FitCheck:
        options: Any = {"replicates": self.replicates, "seed": self.seed, "limits": run, "progress": self.progress}
        if self.source.is_dir():
            saved = open_folder(self.source)
            table = None if self.data is None else self.read_rows(self.data)
            if table is not None:
                for remark in saved.coding.apply(table).remarks():
                    self.remark(remark)
            return saved.check_fit(table, **options)
        if self.data is None and not self.source.exists():
            open_folder(self.source)  # says that it is not there
        if self.data is None:
            raise OptionError(f"{self.source} is one network: give the data to compare it with.")
        given, cases = self.open_with_data(self.source, self.data)
        if given.network is None:
            raise FormatError(f"{self.source}: a graph without probability tables; `arcwise fit` estimates them.")
        return check_fit(given.network, cases, **options)
