"""`arcwise query`: probabilities from a network, given evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import Common, option, row
from arcwise.cli.effect import EffectOptions
from arcwise.cli.output import AnswerOptions, PrintOptions, open_folder, open_network, print_json, write_frame

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.analysis.folder import SavedAnalysis
    from arcwise.effects.model_average import ModelAverage
    from arcwise.model.network import BayesianNetwork
    from arcwise.model.tables import Question
    from arcwise.report.answer import Answer


@dataclass(frozen=True)
class EvidenceOptions:
    """Rows of evidence."""

    rows: Path | None = option(
        None,
        "evidence, one line per case: a data file whose columns are variables; a gap is not observed",
        flags=("--evidence",),
    )
    impossible: str = option("error", "rows that the network gives probability 0: error, or missing (left empty)")


@dataclass(frozen=True)
class AveragingOptions:
    """Whether answers are averaged over the networks of a folder, and how."""

    average: bool = option(False, "of a folder: average over all networks, with intervals")
    draws: int = option(400, "with --average: draws of networks and parameters", low=2, high=10**7)
    level: float = row(EffectOptions, "level")
    seed: int = row(Common, "seed")


def query(
    network: Annotated[
        Path,
        typer.Argument(
            metavar="NETWORK|DIR",
            help="A network with tables (.bif, .xmlbif, .net, .xdsl, .uai; packed with .gz too), - for stdin; or a "
            "folder of `arcwise learn`.",
        ),
    ],
    questions: Annotated[
        list[str], typer.Argument(help="What to compute: 'P(x | y=a)', 'P(x, y | z=a)', 'P(* | y=a)', 'MPE(y=a)'.")
    ],
    max_cells: int | None = option(
        None, "refuse a query whose largest clique has more cells", usual="2^27", low=1, high=2**40
    ),
    *,
    threads: int | None = row(Common, "threads"),
    given: EvidenceOptions,
    averaging: AveragingOptions,
    printing: AnswerOptions,
) -> None:
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
    from arcwise.model.tables import MAX_CELLS, parse_question

    rows = given.rows
    if given.impossible not in ("error", "missing"):
        raise typer.BadParameter(f"--impossible is error or missing, not '{given.impossible}'.")
    printing.check()
    output = printing.output
    if rows is not None and str(rows) == str(network) == "-":
        raise typer.BadParameter("only one of the network and the rows can come from stdin.")
    parsed = [parse_question(text) for text in questions]
    if len(parsed) > 1 and (rows is not None or output is not None):
        raise typer.BadParameter("--evidence and -o take one question at a time.")
    options: dict[str, Any] = {
        "max_cells": max_cells or MAX_CELLS,
        "threads": threads,
        "progress": printing.progress,
    }
    answers = _answers(network, parsed, given, averaging, options, printing)
    if output is not None:
        write_frame(answers[0].frame, output)
    if printing.as_json:
        print_json({"network": network, "answers": [found.payload for found in answers], "output": output})
    elif output is None:
        for number, found in enumerate(answers):
            _print(found, blank=number > 0, csv=rows is not None, markdown=printing.markdown)
    elif str(output) != "-":
        printing.remark(f"wrote {len(answers[0].frame):,} rows to {output}")


@dataclass(frozen=True, eq=False)
class _Answered:
    """The answer to one question: as a table, for JSON, and in words where there are any."""

    frame: pd.DataFrame
    payload: dict[str, Any]
    words: Answer | None = None


def _answers(
    path: Path,
    questions: list[Question],
    given: EvidenceOptions,
    averaging: AveragingOptions,
    options: dict[str, Any],
    printing: PrintOptions,
) -> list[_Answered]:
    """Answer all questions, of one network or averaged."""
    saved = open_folder(path) if path.is_dir() else None
    network = open_network(path) if saved is None else saved.network
    if averaging.average and saved is None:
        raise OptionError(f"--average is for a folder of `arcwise learn`; {path} is one network.")
    questions = [_in_states(question, network, saved, printing) for question in questions]
    if given.rows is not None:
        asked = _Rows(given.rows, given.impossible, saved, averaging)
        return [_Answered(*_answer_rows(network, questions[0], asked, options, printing))]
    if averaging.average:
        assert saved is not None
        return [_answer_averaged(saved, question, averaging, printing) for question in questions]
    return [_Answered(*_answer(network, question, options)) for question in questions]


def _in_states(
    question: Question, network: BayesianNetwork, saved: SavedAnalysis | None, printing: PrintOptions
) -> Question:
    """Return a question with the states that its values are coded as, and say which these are."""

    def state_of(name: str, value: str) -> str:
        states = network.states[network.index(name)]
        state = states[network.state_index(name, value)] if saved is None else saved.state_of(name, value)
        if state != value:
            printing.remark(f"{name}={value} is in the state {state}.")
        return state

    return question.in_states(state_of)


def _answer(
    network: BayesianNetwork, question: Question, options: dict[str, Any]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the answer as a table and for JSON."""

    payload: dict[str, Any] = {"question": question.text, "evidence": dict(question.evidence)}
    if question.explanation:
        explanation = network.most_probable(question.evidence, **options)
        payload |= {
            "states": dict(explanation.states),
            "probability": explanation.probability,
            "log_joint": explanation.log_joint,
            "log_evidence": explanation.log_evidence,
        }
        return explanation.to_frame(), payload
    if question.states:
        return _one_probability(network, question, payload, options)
    if not question.asked:
        marginals = network.marginals(question.evidence, **options)
        payload |= {
            "marginals": {
                name: dict(zip(one.states[0], one.probabilities.tolist(), strict=True))
                for name, one in marginals.items()
            },
            "log_evidence": marginals.log_evidence,
        }
        return marginals.to_frame(), payload
    found = network.query(question.asked, question.evidence, **options)
    frame: pd.DataFrame = found.to_frame()
    payload |= {
        "variables": found.names,
        "probabilities": frame.to_dict(orient="records"),
        "log_evidence": found.log_evidence,
    }
    return frame, payload


def _one_probability(
    network: BayesianNetwork, question: Question, payload: dict[str, Any], options: dict[str, Any]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return P(states | evidence) by two probabilities of evidence: no joint table of the variables is needed."""
    import pandas as pd

    wanted = dict(zip(question.asked, question.states, strict=True))
    if len(wanted) < len(question.asked):
        raise OptionError(f"the query names a variable twice: {', '.join(question.asked)}.")
    for name in wanted:
        if name in question.evidence:
            raise OptionError(f"variable '{name}' is both asked for and observed; ask for others.")
    given = network.log_probability(question.evidence, **options) if question.evidence else 0.0
    if given == -math.inf:
        listed = ", ".join(f"{name}={state}" for name, state in question.evidence.items())
        raise OptionError(f"the evidence is impossible: {listed} has probability 0.")
    both = network.log_probability({**wanted, **question.evidence}, **options)
    probability = math.exp(min(both - given, 0.0))
    payload |= {"states": wanted, "probability": probability, "log_probability": both - given, "log_evidence": given}
    return pd.DataFrame([{**wanted, "probability": probability}]), payload


@dataclass(frozen=True)
class _Rows:
    """Rows of evidence, and of what they are asked."""

    path: Path
    impossible: str
    saved: SavedAnalysis | None
    averaging: AveragingOptions


def _answer_averaged(
    saved: SavedAnalysis, question: Question, averaging: AveragingOptions, printing: PrintOptions
) -> _Answered:
    """Return the answer averaged over networks and parameters, with intervals."""
    from arcwise.report.effects import averaged_answer

    if question.explanation or not question.asked:
        raise OptionError(
            f"'{question.text}' cannot be averaged: networks have different explanations. Ask for variables, as in "
            "'P(x | y=a)', or leave --average out."
        )
    found = saved.query(
        question.asked,
        question.evidence,
        draws=averaging.draws,
        level=averaging.level,
        seed=averaging.seed,
        progress=printing.progress,
    )
    frame = found.to_frame()
    for name, state in zip(question.asked, question.states or (), strict=False):
        frame = frame[frame[name] == state]
    payload = {
        "question": question.text,
        "evidence": dict(question.evidence),
        "variables": found.names,
        "probabilities": frame.to_dict(orient="records"),
        "networks": found.networks,
        "draws": found.draws,
        "level": found.level,
    }
    return _Answered(frame, payload, averaged_answer(question.text, found, frame, saved.networks_title))


def _answer_rows(
    network: BayesianNetwork, question: Question, asked: _Rows, options: dict[str, Any], printing: PrintOptions
) -> tuple[pd.DataFrame, dict[str, Any]]:
    from arcwise.data.large import Grouping
    from arcwise.data.read import read_table

    if question.explanation or question.states or not question.asked:
        raise OptionError(f"'{question.text}' cannot be asked for rows; ask for variables, as in 'P(x)' or 'P(x, y)'.")
    table = read_table(asked.path, progress=options["progress"], grouping=Grouping(always=False))
    unknown = [name for name in table.names if name not in network.names]
    if unknown:
        printing.remark(f"columns that the network does not have are left aside: {', '.join(unknown)}")
    saved = asked.saved
    model: BayesianNetwork | ModelAverage = network
    given: dict[str, Any] = {"evidence": question.evidence, "impossible": asked.impossible, **options}
    if saved is not None:
        coded = saved.coding.apply(table)
        table = coded.table
        for remark in coded.remarks():
            printing.remark(remark)
    if saved is not None and asked.averaging.average:
        model = saved.average
        given |= {"seed": asked.averaging.seed}
    found = model.query_rows(question.asked, table, **given)
    assert found.log_evidence is not None
    frame = found.to_frame()
    together = len(found.names) > 1
    frame.columns = [
        ", ".join(f"{name}={state}" for name, state in zip(found.names, states if together else (states,), strict=True))
        for states in frame.columns
    ]
    frame["log_evidence"] = found.log_evidence
    payload = {
        "question": question.text,
        "evidence": dict(question.evidence),
        "variables": found.names,
        "rows": len(frame),
        "columns": list(frame.columns),
        "probabilities": found.probabilities.reshape(len(frame), -1),
        "log_evidence": found.log_evidence,
    }
    return frame, payload


def _print(found: _Answered, *, blank: bool, csv: bool, markdown: bool) -> None:
    from arcwise.report.effects import table_answer

    frame, payload = found.frame, found.payload
    if csv:
        typer.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
        return
    if blank:
        typer.echo()
    remark = _remark(payload)
    if found.words is not None or markdown:
        words = found.words or table_answer(payload["question"], frame, remark)
        typer.echo(words.to_markdown() if markdown else words.to_text(), nl=False)
        return
    typer.echo(payload["question"])
    typer.echo(frame.to_string(index=False, float_format=lambda p: f"{p:.6g}"))
    if remark:
        typer.echo(remark)


def _remark(payload: dict[str, Any]) -> str:
    """Return what is to be said below the table of one network."""
    told = []
    if "log_joint" in payload:
        told.append(f"probability of these states given the evidence: {payload['probability']:.6g}")
    if payload["evidence"] and "draws" not in payload:
        log_evidence = payload["log_evidence"]
        tiny = log_evidence < math.log(1e-300)
        shown = f"exp({log_evidence:.6g})" if tiny else f"{math.exp(log_evidence):.6g}"
        told.append(f"probability of the evidence: {shown}")
    return "\n".join(told)
