"""`Calibration`: how the confidences of one data set become probabilities, and what that rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from arcwise.confidence.calibration.curve import CalibrationCurve
from arcwise.confidence.calibration.directions import DirectionMap
from arcwise.errors import FormatError, OptionError, UnknownNameError, suggestion
from arcwise.mentions import Argument, Remedy
from arcwise.showing import one_screen

__all__ = ["KINDS", "Calibration", "Kind", "calibrated_by", "check_kind"]

Kind = Literal["none", "table", "self"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def check_kind(kind: str) -> Kind:
    """Refuse what is no way to calibrate."""
    if kind not in KINDS:
        raise UnknownNameError(suggestion("calibration", str(kind), KINDS))
    found: Kind = kind
    return found


def calibrated_by(kind: str) -> Calibration | None:
    """Return the calibration of a kind that needs no data: that of the package is None, as in `EdgeConfidence`."""
    if check_kind(kind) == "self":
        raise OptionError(
            Argument("calibration", kind),
            "needs the data.",
            remedies=(Remedy("use", Argument("calibration", "table")), Remedy("let `learn` do it, which has the data")),
        )
    return Calibration.identity() if kind == "none" else None


@one_screen
@dataclass(frozen=True)
class Calibration:
    """A curve from confidence to probability, a map of directions, and what they rest on.

    Parameters
    ----------
    kind
        "table": learned from studies of known networks; "self": from data simulated here; "none": confidences are taken
        for probabilities.
    curve
        The probability of an edge of each confidence.
    directions
        From shares of directions to probabilities; None if shares are taken for probabilities.
    basis
        What it rests on: a phrase that follows "The probabilities ...".
    doubt
        Why the basis may not fit here, a sentence; "" if nothing speaks against it.
    """

    kind: Kind
    curve: CalibrationCurve
    directions: DirectionMap | None
    basis: str
    doubt: str = ""

    @classmethod
    def identity(cls) -> Calibration:
        """Take confidences for probabilities."""
        return cls("none", CalibrationCurve.identity(), None, "are the confidences themselves")

    def describe(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        known = self.directions
        return {
            "kind": self.kind,
            "curve": list(self.curve.values),
            "directions": None if known is None else [list(known.at_thousand), list(known.per_decade)],
            "basis": self.basis,
            "doubt": self.doubt,
        }

    @classmethod
    def from_description(cls, facts: Mapping[str, Any]) -> Calibration:
        """Read what `describe` returned, and check it."""
        try:
            known = facts["directions"]
            return cls(
                kind=check_kind(facts["kind"]),
                curve=CalibrationCurve(tuple(map(float, facts["curve"]))),
                directions=None if known is None else DirectionMap(*(tuple(map(float, own)) for own in known)),
                basis=str(facts["basis"]),
                doubt=str(facts["doubt"]),
            )
        except (KeyError, TypeError, ValueError, UnknownNameError) as error:
            raise FormatError(f"the calibration cannot be read ({error!r}).") from error
