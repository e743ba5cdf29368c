"""The parts of an analysis: what each step of `learn` found, as data; `arcwise.report` makes words of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arcwise.confidence.consensus import ConsensusNetwork
    from arcwise.data.dataset import Dataset
    from arcwise.data.mixed import MixedData
    from arcwise.evaluate.fit import FitCheck
    from arcwise.findings.checks import PriorChecks
    from arcwise.findings.edge_record import EdgeRecord
    from arcwise.findings.method_result import MethodResult
    from arcwise.findings.network_facts import CredibleFacts
    from arcwise.findings.price import ConstraintPrice
    from arcwise.findings.thresholds import RuleMark, Thresholds
    from arcwise.model.network import BayesianNetwork
    from arcwise.priors.ess_path import Saturation


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the reader has to know.

    `by_time` if another machine, or a longer limit, would not need it; `aside` if no verdict would change without it.
    """

    text: str
    by_time: bool = False
    aside: bool = False

    def __str__(self) -> str:
        return self.text


class Part:
    """What a step found."""


@dataclass(frozen=True, eq=False)
class MainSet(Part):
    """The networks that the answer rests on."""

    result: MethodResult
    given_up: MethodResult | None = None  # what was asked for and a limit ended, if the result is shown in its place
    enough: float | None = None  # about how many seconds all networks need that the time did not suffice for


@dataclass(frozen=True, eq=False)
class Relearned(Part):
    """The main set once more without something that was said, or what became of it."""

    result: MethodResult | None = None
    given_up: MethodResult | None = None


class WithoutConstraints(Relearned):
    """Without the constraints."""


class WithoutBeliefs(Relearned):
    """Without prior odds."""


@dataclass(frozen=True, eq=False)
class MainAnswer(Part):
    """The cut-offs, the network above the chosen one with its tables, its edges, and what the prior does to it."""

    thresholds: Thresholds
    consensus: ConsensusNetwork
    network: BayesianNetwork
    edges: tuple[EdgeRecord, ...]
    prior: PriorChecks
    hurried: bool = False  # the time was up before anybody could ask what the prior does to each edge
    completion: Dataset | None = None  # one of data with gaps
    completions: Dataset | None = None  # all of them, one below the other
    numbers: MixedData | None = None  # all completions of numbers as they are, one below the other


@dataclass(frozen=True, eq=False)
class Comparisons(Part):
    """Other sets of networks, in the order in which they were tried."""

    made: tuple[MethodResult, ...] = ()  # those that the answer is compared with
    missing: tuple[tuple[str, MethodResult], ...] = ()  # the titles of others, and what became of them
    last_missing: int = 0  # how many were made before the last of these


@dataclass(frozen=True, eq=False)
class WhenCut(Part):
    """What the same data say with their numbers cut; None if the time did not suffice, or nothing is cut."""

    result: MethodResult | None = None


@dataclass(frozen=True, eq=False)
class PosteriorShare(Part):
    """What is known of a credible set, with the share of the posterior that it holds."""

    credible: CredibleFacts | None = None


@dataclass(frozen=True, eq=False)
class ShuffledColumns(Part):
    """The cut-off of Broom's rule, or why there is none: what went wrong, or that nobody asked for what is slow."""

    mark: RuleMark | None = None
    note: Remark | None = None
    skipped: str = ""


@dataclass(frozen=True, eq=False)
class PriceOfConstraints(Part):
    """What the constraints cost; None if the time was up."""

    found: ConstraintPrice | None = None


@dataclass(frozen=True, eq=False)
class GrowingParts(Part):
    """What networks from growing parts of the data say, or why there are none."""

    saturation: Saturation | None = None
    note: Remark | None = None


@dataclass(frozen=True, eq=False)
class Fit(Part):
    """Whether the data are as the network says."""

    found: FitCheck | None = None
    too_large: bool = False  # to be tested unasked
    shortage: str = ""
