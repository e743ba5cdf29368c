"""Bayes factors: their names, their logarithms, and where a difference of scores is one.

Heckerman, Geiger and Chickering's scale (Liao section 3.4): 1 to 3 is anecdotal evidence for the better network, 3 to
20 positive, 20 to 150 strong, more very strong. A credible set at factor 20 holds every network against which the
evidence is not strong.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Mapping
from typing import Any

from arcwise.base.errors import OptionError, check_argument, check_known
from arcwise.scores.registry import make_score

# The limit up to which evidence deserves the name.
BAYES_FACTORS: dict[str, float] = {"anecdotal": 3.0, "positive": 20.0, "strong": 150.0}
SPELLED = f"a number >= 1, or {', '.join(f'{name} ({factor:g})' for name, factor in BAYES_FACTORS.items())}"


def describe_bayes_factor(factor: float) -> str:
    """Return the word of Heckerman's scale for a Bayes factor >= 1.

    >>> describe_bayes_factor(20)
    'positive'
    >>> describe_bayes_factor(1000)
    'very strong'
    """
    return next((name for name, limit in BAYES_FACTORS.items() if factor <= limit), "very strong")


def log_slack_of(bayes_factor: float | str | None, log_slack: float | None) -> float:
    """Return the slack (natural log) that the two arguments of every credible-set function ask for.

    Exactly one must be given; a Bayes factor may be a number >= 1 or a name: "anecdotal" (3), "positive" (20),
    "strong" (150).
    """
    if (bayes_factor is None) == (log_slack is None):
        raise OptionError(
            "give either bayes_factor (a number >= 1, or 'anecdotal' 3, 'positive' 20, 'strong' 150) or log_slack "
            "(its natural logarithm)."
        )
    if bayes_factor is not None:
        return math.log(factor_of(bayes_factor))
    assert log_slack is not None
    check_argument(0 <= log_slack < math.inf, "log_slack", log_slack, "must be a finite number >= 0.")
    return float(log_slack)


def settings_within(slack: float) -> dict[str, Any]:
    """Return the settings of the source that makes all networks within a slack."""
    return {"bayes_factor": float(f"{math.exp(min(slack, 700.0)):.12g}"), "most_networks": None}


def warn_if_not_bayes_factor(score: Mapping[str, Any]) -> None:
    """Warn if a difference of this score is not the logarithm of a Bayes factor (AIC, LL, Min- and Max-BDeu).

    The warning names the line outside of arcwise that led here.
    """
    if "name" not in score:
        return
    options = dict(score)
    name = str(options.pop("name"))
    try:
        facts = make_score(name, **options).facts
    except (OverflowError, TypeError, ValueError):
        return
    if not facts.reads_as_odds:
        warnings.warn(
            f"a difference of {name} scores is not the logarithm of a Bayes factor: the set holds the networks within "
            "the slack, but the factor has no meaning as odds. Use log_slack=, or another score such as bdeu.",
            stacklevel=_levels_to_the_caller(),
        )


def factor_of(bayes_factor: float | str) -> float:
    """Return the Bayes factor that a number, the text of one, or a name asks for.

    >>> factor_of("strong"), factor_of("1.5"), factor_of(20)
    (150.0, 1.5, 20.0)
    """
    if bayes_factor in BAYES_FACTORS:
        return BAYES_FACTORS[str(bayes_factor)]
    try:
        value = float(bayes_factor)
    except (OverflowError, TypeError, ValueError):
        value = math.nan
    if isinstance(bayes_factor, str) and math.isnan(value):
        check_known("Bayes factor", bayes_factor, BAYES_FACTORS)
    rule = f"must be a finite number >= 1, or {', '.join(BAYES_FACTORS)}."
    check_argument(1 <= value < math.inf, "bayes_factor", bayes_factor, rule)
    return value


def _levels_to_the_caller() -> int:
    frame, levels = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "arcwise":
        frame, levels = frame.f_back, levels + 1
    return levels
