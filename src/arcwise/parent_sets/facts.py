"""What a file says about a table in addition to its rows: the guarantee, the score, the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from arcwise.errors import ArcwiseError, FormatError
from arcwise.graph import Constraints
from arcwise.limits import Status
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["facts_of", "read_constraints_of", "read_facts"]

# An integer of a thousand digits is a number in JSON, but no float.
LARGEST_SLACK = 1e300
_NEEDED = {"slack", "max_parents", "score", "data_digest", "status"}
_OPTIONAL = {"names", "constraints", "equivalent", "targets"}


def facts_of(table: ParentSetTable) -> dict[str, Any]:
    """Return the facts in terms of JSON, which knows neither NaN nor infinity."""
    slack: float | str | None = table.slack
    if math.isnan(table.slack):
        slack = None
    elif math.isinf(table.slack):
        slack = "infinite"
    facts: dict[str, Any] = {
        "slack": slack,
        "max_parents": table.max_parents,
        "score": table.score,
        "data_digest": table.data_digest,
        "status": str(table.status),
    }
    if table.constraints is not None:
        facts["constraints"] = table.constraints.describe()
    if table.equivalent is not None:
        facts["equivalent"] = table.equivalent
    if table.targets is not None:
        facts["targets"] = [list(names) for names in table.targets]
    return facts


def read_constraints_of(facts: dict[str, Any], names: Sequence[str], complaint: str) -> Constraints | None:
    """Return the constraints among the facts of a table over these variables; FormatError if they are not such."""
    described = facts.get("constraints")
    if described is None:
        return None
    try:
        return Constraints(names, **described)
    except (ArcwiseError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"{complaint} ({error})") from None


def read_facts(facts: object, complaint: str) -> dict[str, Any]:
    """Return the facts as arguments of `ParentSetTable` (with `names`, if given); FormatError if they are not facts."""
    if not isinstance(facts, dict) or not _well_formed(facts):
        raise FormatError(complaint)
    checked = {str(name): value for name, value in facts.items()}
    checked["slack"] = float({None: math.nan, "infinite": math.inf}.get(checked["slack"], checked["slack"]))
    checked["status"] = Status(checked["status"])
    if checked.get("targets") is not None:
        checked["targets"] = tuple(tuple(names) for names in checked["targets"])
    return checked


def _well_formed(facts: dict[Any, Any]) -> bool:
    if not _NEEDED <= facts.keys() <= _NEEDED | _OPTIONAL:
        return False
    slack, limit, digest, names = facts["slack"], facts["max_parents"], facts["data_digest"], facts.get("names")
    return (
        (slack is None or slack == "infinite" or (_is_number(slack) and 0 <= slack < LARGEST_SLACK))
        and (limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and 0 <= limit < 2**31))
        and isinstance(facts["score"], dict)
        and (digest is None or isinstance(digest, str))
        and isinstance(facts.get("constraints"), dict | None)
        and isinstance(facts.get("equivalent"), bool | None)
        and _are_targets(facts.get("targets"))
        and isinstance(facts["status"], str)
        and facts["status"] in {str(status) for status in Status}
        and (names is None or (isinstance(names, list) and all(isinstance(name, str) for name in names)))
    )


def _are_targets(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, list) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in value
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
