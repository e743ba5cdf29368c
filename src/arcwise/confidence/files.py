"""Files of edge confidences: Parquet with all facts, or CSV for people and spreadsheets."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import read_parquet, write_parquet
from arcwise.base.errors import ArcwiseError, FormatError
from arcwise.base.files import write_text
from arcwise.base.options import MANY_VARIABLES
from arcwise.confidence.calibration import Calibration
from arcwise.graph.constraints import Constraints
from arcwise.networks.origin import Facts, fixed_pairs
from arcwise.networks.recipe import SOURCES, Origin, Recipe

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.confidence.edge_confidence import EdgeConfidence


Orientation = Literal["cpdag", "dag", "skeleton"]

COLUMNS = ("first", "second", "forward", "backward", "undirected")
NOTHING = type(None)
KINDS: dict[str, tuple[type, ...]] = {
    "orient": (str,),
    "origin": (str,),
    "n_networks": (int,),
    "weights": (str,),
    "exact": (bool,),
    "complete": (bool,),
    "recipe": (dict, NOTHING),
    "n_cases": (int, NOTHING),
    "data_digest": (str, NOTHING),
    "feature": (str,),
    "completions": (int,),
}
LEAST = {"n_networks": 0, "n_cases": 0, "completions": 0}
# Columns that only confidences from data with gaps have, and their fields.
GAP_COLUMNS = {"share_filled": "filled", "spread": "spread"}


def save_confidence(confidence: EdgeConfidence, path: str | os.PathLike[str]) -> None:
    """Write one row per pair of variables; the suffix says how: .parquet, .csv or .csv.gz.

    Of more than `MANY_VARIABLES`, only pairs with a confidence above 0 have a row.
    """
    name = Path(path).name
    is_large = len(confidence.names) > MANY_VARIABLES and confidence.effective is None and confidence.filled is None
    frame = confidence.to_frame(above=0.0 if is_large else -1.0)
    if name.endswith(".parquet"):
        facts: dict[str, Any] = {"kind": "edge confidence", "names": list(confidence.names)}
        facts |= {fact: getattr(confidence, fact) for fact in KINDS}
        facts["recipe"] = None if confidence.recipe is None else confidence.recipe.describe()
        if is_large:
            facts["listed"] = len(frame)  # all other pairs have confidence 0
        if confidence.constraints is not None:
            facts["constraints"] = confidence.constraints.describe()
        if confidence.targets:
            facts["targets"] = [list(target) for target in confidence.targets]
        if confidence.beliefs:
            facts["beliefs"] = dict(confidence.beliefs)
        if confidence.calibration is not None:
            facts["calibration"] = confidence.calibration.describe()
        write_parquet(frame, path, facts=facts)
    elif name.endswith((".csv", ".csv.gz")):
        text = io.StringIO()
        frame.to_csv(text, index=False)
        write_text(path, text.getvalue())
    else:
        raise FormatError(f"cannot write {path}: the name must end in .parquet, .csv or .csv.gz.")


def rounded(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop what the order of summation left: a half of the weights is 0.5, which is not above a threshold of 0.5."""
    return np.clip(np.round(sums, 12), 0.0, 1.0)


def read_confidence(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the `EdgeConfidence` in a Parquet file that `save_confidence` wrote, checked."""
    if not str(path).endswith(".parquet"):
        raise FormatError(f"{path}: confidences are read from .parquet; a CSV does not hold what thresholds need.")
    frame, facts = read_parquet(path)
    if facts is None or facts.get("kind") != "edge confidence":
        raise FormatError(f"{path}: a Parquet file, but not one of edge confidences. Make one with arcwise confidence.")
    if missing := [column for column in COLUMNS if column not in frame.columns]:
        raise FormatError(f"{path}: the column '{missing[0]}' is missing; the file was edited. Write it again.")
    names, known = _checked_facts(path, facts)
    columns = {column: _numbers(path, frame, column) for column in COLUMNS[2:]}
    gaps = {field: _numbers(path, frame, column) for column, field in GAP_COLUMNS.items() if column in frame.columns}
    about_gaps = {field: np.zeros((len(names), len(names))) for field in gaps}
    index = {name: position for position, name in enumerate(names)}
    n = len(names)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    seen = set()
    pairs = zip(frame["first"].tolist(), frame["second"].tolist(), strict=True)
    for row, (first, second) in enumerate(pairs):
        is_text = isinstance(first, str) and isinstance(second, str)
        i, j = (index.get(first, -1), index.get(second, -1)) if is_text else (-1, -1)
        values = np.array([columns[column][row] for column in COLUMNS[2:]])
        if i < 0 or j < 0 or i == j or (min(i, j), max(i, j)) in seen:
            raise FormatError(f"{path}: the pair {first}, {second} is unknown or listed twice. Write the file again.")
        if not ((values >= -1e-9).all() and values.sum() <= 1 + 1e-6):
            raise FormatError(f"{path}: the confidences of {first}, {second} are not probabilities: {values.tolist()}.")
        seen.add((min(i, j), max(i, j)))
        directed[i, j], directed[j, i] = values[0], values[1]
        undirected[i, j] = undirected[j, i] = values[2]
        for field, numbers in gaps.items():
            if not 0 <= numbers[row] <= 1:
                raise FormatError(f"{path}: '{field}' of {first}, {second} is not between 0 and 1: {numbers[row]}.")
            about_gaps[field][i, j] = about_gaps[field][j, i] = numbers[row]
    expected = facts.get("listed", n * (n - 1) // 2)
    if not isinstance(expected, int) or len(seen) != expected:
        lost = f"{expected - len(seen)}" if isinstance(expected, int) and expected > len(seen) else "some"
        raise FormatError(f"{path}: {lost} pairs are missing; the file was edited.")
    try:
        known |= _known(names, facts, known["recipe"]) | about_gaps
        fixed_pairs(names, known["constraints"], known["targets"], known["beliefs"])  # finds what experiments set
        if Origin(known["origin"]).is_chained:
            known["effective"] = _effective(path, frame, index, rounded(directed + directed.T + undirected))
    except (ArcwiseError, TypeError, ValueError, AttributeError, KeyError) as error:
        what = "the constraints, experiments, prior odds or calibration"
        raise FormatError(f"{path}: {what} cannot be read ({error}).") from error
    return {"names": names, "directed": directed, "undirected": undirected, **known}


def _known(names: tuple[str, ...], facts: dict[str, Any], recipe: Recipe | None) -> dict[str, Any]:
    """Return what constraints, experiments, odds and a calibration say; a file has each only where there is one."""
    constraints, calibration = facts.get("constraints"), facts.get("calibration")
    if constraints is None:
        found = None if recipe is None else recipe.constraints_on(names)
    else:
        found = Constraints.from_description(names, constraints)
    return {
        "constraints": found,
        "targets": tuple(tuple(target) for target in facts.get("targets", ())),
        "beliefs": dict(facts.get("beliefs", {})) or ({} if recipe is None else recipe.beliefs),
        "calibration": None if calibration is None else Calibration.from_description(calibration),
    }


def _effective(
    path: str | os.PathLike[str], frame: pd.DataFrame, index: dict[str, int], present: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the effective numbers of networks that the standard errors of chains' draws follow from."""
    found = np.full(present.shape, np.inf)
    known = "standard_error" in frame.columns
    errors = _numbers(path, frame, "standard_error") if known else np.full(len(frame), np.nan)
    i, j = ([index[name] for name in frame[column]] for column in ("first", "second"))
    variance = present[i, j] * (1 - present[i, j])
    found[i, j] = np.divide(variance, errors**2, out=np.full(len(frame), np.inf), where=errors != 0)
    return np.asarray(np.minimum(found, found.T))


def _checked_facts(path: str | os.PathLike[str], facts: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names and what else is known of the confidences, each of its type."""
    facts = {"recipe": _recipe_of_0_1(facts), "completions": 0, **facts}
    known: dict[str, Any] = {fact: facts.get(fact) for fact in KINDS}
    names: Any = facts.get("names")
    wrong = [
        fact
        for fact, value in known.items()
        if fact not in facts
        or not _fits(value, KINDS[fact])
        or (fact in LEAST and value is not None and value < LEAST[fact])
    ]
    is_list = isinstance(names, list) and all(isinstance(name, str) and name for name in names)
    if not is_list or len(set(names)) < len(names):
        wrong.insert(0, "names")
    if wrong or known["orient"] not in get_args(Orientation):
        fact = wrong[0] if wrong else "orient"
        raise FormatError(f"{path}: the fact '{fact}' of the confidences is missing or wrong. Write the file again.")
    try:
        known["recipe"] = known["recipe"] and Recipe.from_description(known["recipe"])
    except FormatError as error:
        raise error.within(f"{path}:") from None
    return tuple(names), known


def _fits(value: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool) and bool not in kinds:
        return False
    return isinstance(value, kinds) and (not isinstance(value, int | float) or abs(value) < 1e300)


def _numbers(path: str | os.PathLike[str], frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    try:
        return np.asarray(frame[column].to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{path}: the column '{column}' does not hold numbers. Write the file again.") from None


def _recipe_of_0_1(facts: dict[str, Any]) -> dict[str, Any] | None:
    """Return the recipe that follows from the facts that files of 0.1 have in its place."""
    score, origin, slack = facts.get("score"), facts.get("origin"), facts.get("log_slack")
    if not isinstance(score, dict) or not score:
        return None
    source, count, most = SOURCES.get(str(origin)), facts.get("n_networks"), facts.get("max_parents")
    within = slack if isinstance(slack, int | float) and 0 <= slack < 700 else None
    if source is None:
        return None
    settings = source.inferred_settings(within, count if isinstance(count, int) else 0, Facts())
    if settings is None:
        return None
    return Recipe(source.name, score, settings, most if isinstance(most, int) else None).describe()
