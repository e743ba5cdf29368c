"""The scores by name, and how a text such as ``bdeu:ess=10`` becomes a score."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from arcwise.base.errors import OptionError, UnknownScoreError, suggestion
from arcwise.graph.beliefs import Beliefs, make_beliefs
from arcwise.graph.dag import Dag
from arcwise.scores.dirichlet import (
    K2,
    Bd,
    Bde,
    Bdeu,
    BdeuAveraged,
    Bdj,
    Bhd,
    ExpectedLogBde,
    MaxBdeu,
    MinBdeu,
    NipBde,
    Qbdj,
)
from arcwise.scores.gaussian import (
    Bge,
    ConditionalGaussianBic,
    DegenerateGaussianBic,
    GaussianBic,
    JointConditionalGaussianBic,
)
from arcwise.scores.penalised import Aic, Bic, BicLaplace, Fnml, LogLikelihood, Nal, Pnal, Qnml
from arcwise.scores.score import BelievedScore, Score


def log_prior_of(score: Mapping[str, Any], dag: Dag) -> float | None:
    """Return the log prior of a network by the beliefs in a score's description; None if it has none."""
    described = score.get("beliefs")
    return None if described is None else Beliefs.from_description(described).on(dag.names).network(dag)


LIKELIHOODS = (LogLikelihood, Aic, Bic, BicLaplace, Nal, Pnal)
MARGINAL_LIKELIHOODS = (Bdeu, BdeuAveraged, MinBdeu, MaxBdeu, Bde, NipBde, ExpectedLogBde, Bhd)
SCORES: dict[str, type[Score]] = {
    kind.name: kind for kind in (*LIKELIHOODS, K2, Bd, Bdj, Qbdj, Fnml, Qnml, *MARGINAL_LIKELIHOODS)
}
# The scores of `MixedData`.
MIXED_SCORES: dict[str, type[Score]] = {
    kind.name: kind
    for kind in (DegenerateGaussianBic, Bge, GaussianBic, ConditionalGaussianBic, JointConditionalGaussianBic)
}
KNOWN_SCORES = SCORES | MIXED_SCORES


def make_score(score: str | Score, *, beliefs: Any = None, **options: Any) -> Score:
    """Make a score from its name and parameters.

    Parameters
    ----------
    score
        A name in `SCORES` or, of scores of `MixedData`, in `MIXED_SCORES`, or a name with parameters as the command
        line takes them, ``"bdeu:ess=10"``; a `Score` is returned as it is.
    beliefs
        What is believed before the data, to be added to the score: `Beliefs`, a table with the columns from, to, odds,
        or a file of odds. The result is then a `BelievedScore`, unless all odds are 1.
    options
        The score's parameters; they may not repeat those in the text.

    Examples
    --------
    >>> make_score("bdeu", ess=10) == make_score("bdeu:ess=10")
    True
    """
    believed = make_beliefs(beliefs)
    if believed is not None:
        return BelievedScore(make_score(score, **options), believed)
    if isinstance(score, Score):
        if options:
            raise OptionError(f"a score object takes no further options, not {', '.join(options)}; make a new one.")
        return score
    name, _, text = score.partition(":")
    if name not in KNOWN_SCORES:
        raise UnknownScoreError(suggestion("score", name, KNOWN_SCORES))
    given = _parse_options(name, text)
    if repeated := given.keys() & options.keys():
        raise OptionError(f"score '{score}': {', '.join(sorted(repeated))} given twice.")
    given |= options
    kind = KNOWN_SCORES[name]
    known = [field.name for field in dataclasses.fields(kind)]
    for option in given:
        if option not in known:
            takes = f"takes {', '.join(known)}" if known else "has no parameters"
            raise OptionError(f"score '{name}' has no parameter '{option}'; it {takes}.")
    return kind(**given)


def _parse_options(name: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        key, separator, value = part.partition("=")
        if not separator:
            raise OptionError(f"score '{name}:{text}': '{part}' is not of the form parameter=value.")
        options[key.strip()] = _parse_value(value.strip())
    return options


def _parse_value(text: str) -> Any:
    if "+" in text.lstrip("+") and "e+" not in text.lower():
        return tuple(_parse_value(part) for part in text.split("+"))
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
