"""`arcwise query`: questions to a network, or to a folder of `arcwise learn`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import Common, option, row
from arcwise.cli import output as files
from arcwise.cli.verb import Result, facts
from arcwise.data.large import Grouping
from arcwise.data.read import read_table
from arcwise.findings.coding import Coding
from arcwise.model.mixed_network import Between, MixedNetwork, NumberAnswer, StateAnswer
from arcwise.model.network import BayesianNetwork
from arcwise.model.tables import MAX_CELLS, Question, parse_question
from arcwise.networks.recipe import networks_title

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.analysis.saved import SavedAnalysis
    from arcwise.effects.model_average import ModelAverage
    from arcwise.report.report import Answer


@dataclass(frozen=True, eq=False)
class Answered:
    """The answer to one question: as a table, what JSON says of it, and in words where there are any."""

    question: Question
    frame: pd.DataFrame
    content: dict[str, Any]
    words: Answer | None = None

    @property
    def payload(self) -> dict[str, Any]:
        """The answer for JSON."""
        return {"question": self.question.text, "evidence": dict(self.question.evidence), **self.content}

    @property
    def remark(self) -> str:
        """What is to be said below the table of one network."""
        lines = []
        if "log_joint" in self.content:
            lines.append(f"probability of these states given the evidence: {self.content['probability']:.6g}")
        if self.question.evidence and "log_evidence" in self.content and "error" in self.content:
            density = self.content["log_evidence"]
            lines.append(f"log density of the evidence: {density:.6g}")
            if self.content["error"]:
                lines.append(f"by weighted draws: means and probabilities are within {2 * self.content['error']:.2g}")
        elif self.question.evidence and "draws" not in self.content and "log_evidence" in self.content:
            log_evidence = self.content["log_evidence"]
            tiny = log_evidence < math.log(1e-300)
            shown = f"exp({log_evidence:.6g})" if tiny else f"{math.exp(log_evidence):.6g}"
            lines.append(f"probability of the evidence: {shown}")
        return "\n".join(lines)

    def text(self, *, markdown: bool) -> str:
        """The answer as it is printed."""
        if self.words is not None or markdown:
            from arcwise.report.effects import table_answer  # most answers are printed without

            words = self.words or table_answer(self.question.text, self.frame, self.remark)
            return words.to_markdown() if markdown else words.to_text()
        table = self.frame.to_string(index=False, float_format=lambda p: f"{p:.6g}", na_rep="")
        return "".join(f"{part}\n" for part in (self.question.text, table, self.remark) if part)


class QueryVerb(files.AnswerVerb):
    """Compute exact probabilities: of variables given evidence, of evidence, or the most probable explanation.

    'P(x | y=a, z=b)' is the distribution of x; 'P(x, y | z=a)' a joint one; 'P(x=c | y=a)' and 'P(y=a, z=b)' are single
    probabilities; 'P(* | y=a)' is the distribution of every other variable; 'MPE(y=a)' the most probable states of all
    other variables, together. Names with spaces or signs stand in double quotes; a number is the interval that holds
    it, and of a folder any value as it was in the data. With --evidence, one question such as
    'P(x)' or 'P(x | y=a)' is answered for each row, as CSV: a column per state, and the natural logarithm of the
    probability of the row's evidence. With --average, a folder's answers are averaged over all its networks and their
    parameters, with intervals.

    Example: arcwise query alarm.bif.gz 'P(HYPOVOLEMIA | BP=LOW, HR=HIGH)'
    """

    network: Annotated[
        Path,
        typer.Argument(
            metavar="NETWORK|DIR",
            help="A network with tables (.bif, .xmlbif, .net, .xdsl, .uai; packed with .gz too), - for stdin; or a "
            "folder of `arcwise learn`.",
        ),
    ]
    questions: Annotated[
        list[str], typer.Argument(help="What to compute: 'P(x | y=a)', 'P(x, y | z=a)', 'P(* | y=a)', 'MPE(y=a)'.")
    ]
    max_cells: int | None = option(
        None, "refuse a query whose largest clique has more cells", usual="2^27", low=1, high=2**40
    )
    threads: int | None = row(Common, "threads")
    rows: Path | None = option(
        None,
        "evidence, one line per row: a data file whose columns are variables; a gap is not observed",
        flags=("--evidence",),
    )
    impossible: str = option("error", "rows that the network gives probability 0: error, or missing (left empty)")
    average: bool = option(False, "of a folder: average over all networks, with intervals")
    draws: int = option(400, "with --average: draws of networks and parameters", low=2, high=10**7)
    level: float = row(files.LevelOptions, "level")
    seed: int = row(Common, "seed")

    def _check(self) -> None:
        if self.impossible not in ("error", "missing"):
            raise typer.BadParameter(f"--impossible is error or missing, not '{self.impossible}'.")
        super()._check()
        if self.rows is not None and str(self.rows) == str(self.network) == "-":
            raise typer.BadParameter("only one of the network and the rows can come from stdin.")

    @property
    def settings(self) -> dict[str, Any]:
        """What every question to a network is computed with."""
        return {"max_cells": self.max_cells or MAX_CELLS, "threads": self.threads, "progress": self.progress}

    def _run(self) -> Result:
        output = self.output
        questions = [parse_question(text) for text in self.questions]
        if len(questions) > 1 and (self.rows is not None or output is not None):
            raise typer.BadParameter("--evidence and -o take one question at a time.")
        answers = self._answers(questions)
        if output is not None:
            files.write_frame(answers[0].frame, output)
        payload = {"network": self.network, "answers": (found.payload for found in answers), "output": output}
        if output is not None:
            message = "" if str(output) == "-" else f"wrote {len(answers[0].frame):,} rows to {output}"
            return Result(payload, message=message)

        def show() -> None:
            if self.rows is not None:
                files.write_frame(answers[0].frame, Path("-"))
            else:
                typer.echo("\n".join(found.text(markdown=self.markdown) for found in answers), nl=False)

        return Result(payload, show)

    def _answers(self, questions: list[Question]) -> list[Answered]:
        """Answer all questions, of one network or averaged."""
        saved = files.open_folder(self.network) if self.network.is_dir() else None
        network = files.open_any_network(self.network) if saved is None else saved.network
        if saved is not None and saved.mixed is not None:
            network = saved.mixed_network
        if self.average and saved is None:
            raise OptionError(f"--average is for a folder of `arcwise learn`; {self.network} is one network.")

        if isinstance(network, MixedNetwork):
            return [self._answer_mixed(network, saved, question) for question in questions]

        def state_of(name: str, value: str) -> str:
            """Return the state that a value is coded as, and say which it is."""
            states = network.states[network.index(name)]
            state = states[network.state_index(name, value)] if saved is None else saved.state_of(name, value)
            if state != value:
                self.remark(f"{name}={value} is in the state {state}.")
            return state

        questions = [question.in_states(state_of) for question in questions]
        if self.rows is not None:
            return [self._answer_rows(network, saved, questions[0], self.rows)]
        if self.average and saved is not None:
            return [self._answer_averaged(saved, question) for question in questions]
        return [self._answer(network, question) for question in questions]

    def _answer_mixed(self, network: MixedNetwork, saved: SavedAnalysis | None, question: Question) -> Answered:
        """Return means and intervals of numbers, and probabilities of states and ranges."""
        import pandas as pd

        if question.explanation:
            raise OptionError(
                f"'{question.text}': the most probable values of numbers and states together are not defined. "
                "Ask P(* | ...), each variable on its own."
            )
        if self.rows is not None:
            return self._rows_mixed(network, saved, question, self.rows)
        evidence: dict[str, Any] = dict(question.evidence)
        states: dict[str, Any] = dict(zip(question.asked, question.states, strict=False))
        if saved is not None:
            evidence, states = saved.plain_evidence(evidence), saved.plain_evidence(states)
        for name in evidence:
            network.index(name)
        if states and not (self.average and len(states) == 1):
            return _event(network, question, states, evidence, self.seed)
        names = question.asked or tuple(name for name in network.names if name not in evidence)
        if len(question.asked) > 1:
            raise OptionError(
                f"'{question.text}': with numbers as they are, one variable is asked for at a time, or the "
                "probability of values of several: P(x=a, y>1 | z=b)."
            )
        if self.average and saved is not None:
            if len(names) != 1:
                raise OptionError(f"'{question.text}' cannot be averaged: ask for one variable, as in 'P(x | y=a)'.")
            within = states.get(names[0])
            found = saved.mixed_average.query(
                names[0],
                evidence,
                within=within,
                draws=self.draws,
                level=self.level,
                seed=self.seed,
                progress=self.progress,
            )
            frame = found.to_frame()
            if within is not None:
                frame = frame[frame[names[0]] != "else"]
            content = {"variables": names, "answer": frame, **facts(found, "networks", "draws", "level")}
            return Answered(question, frame, content)
        answers = [network.query(name, evidence, level=self.level, seed=self.seed) for name in names]
        frames = [answer_frame(network, one) for one in answers]
        content = {
            "answers": {one.name: frame for one, frame in zip(answers, frames, strict=True)},
            "error": max(one.error for one in answers),
            "log_evidence": answers[0].log_evidence,
            "level": self.level,
        }
        return Answered(question, pd.concat(frames, ignore_index=True), content)

    def _rows_mixed(
        self, network: MixedNetwork, saved: SavedAnalysis | None, question: Question, path: Path
    ) -> Answered:
        """Answer for each row of a file."""
        if question.states or len(question.asked) != 1:
            raise OptionError(f"'{question.text}' cannot be asked for rows; ask for one variable, as in 'P(x)'.")
        table, name = read_table(path, progress=self.progress, grouping=Grouping(always=False)), question.asked[0]
        unknown = [other for other in table.names if other not in network.names]
        if unknown:
            self.remark(f"columns that the network does not have are left aside: {', '.join(unknown)}")
        coded = (Coding(()) if saved is None else saved.coding).values(table, network)
        for remark in coded.without(name).remarks():
            self.remark(remark)
        values = coded.values
        for other, given in question.evidence.items():
            values[network.index(other)] = network.value(other, given)
        model = saved.mixed_average if saved is not None and self.average else network
        found = model.predict_table(values, name, level=self.level, seed=self.seed, progress=self.progress)
        frame = files.prediction_frame(network, name, found)
        return Answered(question, frame, {"variables": (name,), "rows": len(frame), "answers": frame})

    def _answer(self, network: BayesianNetwork, question: Question) -> Answered:
        if question.explanation:
            explanation = network.most_probable(question.evidence, **self.settings)
            content = facts(explanation, "states", "probability", "log_joint", "log_evidence")
            return Answered(question, explanation.to_frame(), content)
        if question.states:
            return self._one_probability(network, question)
        if not question.asked:
            marginals = network.marginals(question.evidence, **self.settings)
            by_name = {
                name: dict(zip(one.states[0], one.probabilities.tolist(), strict=True))
                for name, one in marginals.items()
            }
            content = {"marginals": by_name, "log_evidence": marginals.log_evidence}
            return Answered(question, marginals.to_frame(), content)
        found = network.query(question.asked, question.evidence, **self.settings)
        frame = found.to_frame()
        content = {"variables": found.names, "probabilities": frame, "log_evidence": found.log_evidence}
        return Answered(question, frame, content)

    def _one_probability(self, network: BayesianNetwork, question: Question) -> Answered:
        """Return P(states | evidence) by two probabilities of evidence: no joint table of the variables is needed."""
        import pandas as pd

        wanted, evidence = dict(zip(question.asked, question.states, strict=True)), question.evidence
        if len(wanted) < len(question.asked):
            raise OptionError(f"the query names a variable twice: {', '.join(question.asked)}.")
        for name in wanted:
            if name in evidence:
                raise OptionError(f"variable '{name}' is both asked for and observed; ask for others.")
        given = network.log_probability(evidence, **self.settings) if evidence else 0.0
        if given == -math.inf:
            listed = ", ".join(f"{name}={state}" for name, state in evidence.items())
            raise OptionError(f"the evidence is impossible: {listed} has probability 0.")
        both = network.log_probability({**wanted, **evidence}, **self.settings)
        probability = math.exp(min(both - given, 0.0))
        content = {"states": wanted, "probability": probability, "log_probability": both - given, "log_evidence": given}
        return Answered(question, pd.DataFrame([{**wanted, "probability": probability}]), content)

    def _answer_averaged(self, saved: SavedAnalysis, question: Question) -> Answered:
        """Return the answer averaged over networks and parameters, with intervals."""
        from arcwise.effects.model_average import AveragedDistribution
        from arcwise.report.effects import averaged_answer  # not for a network alone

        if question.explanation or not question.asked:
            raise OptionError(
                f"'{question.text}' cannot be averaged: networks have different explanations. Ask for variables, as in "
                "'P(x | y=a)', or leave --average out."
            )
        found = saved.query(
            question.asked,
            question.evidence,
            draws=self.draws,
            level=self.level,
            seed=self.seed,
            progress=self.progress,
        )
        assert isinstance(found, AveragedDistribution)
        frame = found.to_frame()
        for name, state in zip(question.asked, question.states or (), strict=False):
            frame = frame[frame[name] == state]
        content = {"variables": found.names, "probabilities": frame, **facts(found, "networks", "draws", "level")}
        return Answered(
            question,
            frame,
            content,
            averaged_answer(question.text, found, frame, networks_title(saved.confidence.recipe)),
        )

    def _answer_rows(
        self, network: BayesianNetwork, saved: SavedAnalysis | None, question: Question, path: Path
    ) -> Answered:
        if question.explanation or question.states or not question.asked:
            raise OptionError(
                f"'{question.text}' cannot be asked for rows; ask for variables, as in 'P(x)' or 'P(x, y)'."
            )
        table = read_table(path, progress=self.progress, grouping=Grouping(always=False))
        unknown = [name for name in table.names if name not in network.names]
        if unknown:
            self.remark(f"columns that the network does not have are left aside: {', '.join(unknown)}")
        model: BayesianNetwork | ModelAverage = network
        given: dict[str, Any] = {"evidence": question.evidence, "impossible": self.impossible, **self.settings}
        if saved is not None:
            coded = saved.coding.apply(table)
            table = coded.table
            for remark in coded.remarks():
                self.remark(remark)
        if saved is not None and self.average:
            model = saved.average
            given |= {"seed": self.seed}
        found = model.query_rows(question.asked, table, **given)
        frame = found.to_frame()
        together = len(found.names) > 1
        frame.columns = [
            ", ".join(f"{name}={s}" for name, s in zip(found.names, states if together else (states,), strict=True))
            for states in frame.columns
        ]
        frame["log_evidence"] = found.log_evidence
        content = {
            "variables": found.names,
            "rows": len(frame),
            "columns": list(frame.columns),
            "probabilities": found.probabilities.reshape(len(frame), -1),
            "log_evidence": found.log_evidence,
        }
        return Answered(question, frame, content)


def answer_frame(network: MixedNetwork, found: NumberAnswer | StateAnswer) -> pd.DataFrame:
    """Return mean and interval of a number, of a scale also the share of each step, or the shares of states."""
    import pandas as pd

    states = network.states[network.index(found.name)]
    if isinstance(found, StateAnswer):
        return pd.DataFrame({"variable": found.name, "value": states, "probability": [*found.probabilities.values()]})
    row = {"variable": found.name, "value": "mean", "mean": found.mean, "low": found.low, "high": found.high}
    if not states:
        return pd.DataFrame([row])
    shares = [found.share(cast(Between, network.observed(found.name, f">= {s} <= {s}"))) for s in states]
    steps = [{"variable": found.name, "value": s, "probability": p} for s, p in zip(states, shares, strict=True)]
    return pd.DataFrame([row, *steps])


def _event(
    network: MixedNetwork, question: Question, wanted: dict[str, Any], evidence: dict[str, Any], seed: int
) -> Answered:
    """Return the probability of values and ranges together, one after the other."""
    import pandas as pd

    known, probability, error = dict(evidence), 1.0, 0.0
    for name, value in wanted.items():
        v = network.index(name)
        asked = network.observed(name, value)
        found = network.query(name, known, seed=seed)
        if isinstance(found, StateAnswer):
            share = found.probabilities[network.states[v][int(cast(float, asked))]]
        elif isinstance(asked, Between):
            share = found.share(asked)
        elif network.states[v]:
            share = found.share(cast(Between, network.observed(name, f">= {value} <= {value}")))
        else:
            raise OptionError(f"'{name}' is a number, whose single values have no probability: ask P({name}>{value}).")
        probability, error, known[name] = probability * share, max(error, found.error), value
        if not share:
            break
    content = {"states": wanted, "probability": probability, "exact": not error}
    return Answered(question, pd.DataFrame([{**wanted, "probability": probability}]), content)
