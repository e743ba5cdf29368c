"""`EdgeRecord`: all that is known about one pair of variables, and `EDGE_COLUMNS`, the one list of its columns.

edges.csv, the JSON of `arcwise explain`, the tables of the page and of the terminal, the values that the page's script
has, and the documentation of the file are made from this list. A new column is a row of it, and, if nothing knows the
value yet, a field of the record that `arcwise.findings.edges` fills.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from arcwise.base.errors import FormatError
from arcwise.base.showing import one_screen, percent, round_inside, show_confidence, show_range
from arcwise.confidence.calibration import SETTLED_PROBABILITY, is_settled
from arcwise.confidence.consensus import Fate
from arcwise.confidence.probability import PairProbability
from arcwise.findings.regression import EdgeRegression, Missed, Reason, Shape
from arcwise.findings.verdict import HALF, Direction, Verdict

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.confidence.edge_confidence import EdgeConfidence, PairConfidence
    from arcwise.graph.statements import Statement
    from arcwise.priors.optima import EdgePrior


# Methods whose confidences are no further apart are said to agree.
CLOSE = 0.2
# From this share on an edge is said to be free to point either way.
FREE_SHARE = 0.75
# What holds in this share of the networks with an edge holds in nearly all of them.
NEARLY_ALL = 0.95
# From this probability on, if there is an edge, its direction is likely, and drawn with an arrow head; where no study
# tells probabilities, from this share of the networks with the edge on.
LIKELY_DIRECTION = 0.7
# Usual strengths of the prior, in imagined cases, from 1 (Ueno's advice, and the default of most programs) to 50 (above
# the largest that Steck's Table 1 finds best, 44). An edge that BDeu supports at all of them does not depend
# on that choice, whatever happens at a thousandth or at 100,000.
USUAL_ESS = (1.0, 50.0)
GUESSED_PROBABILITY = 0.35  # as how probable the edges of too few networks are drawn
# An edge is one to rely on from the first probability on, and a probable one from the last, if nothing else is in the
# way; below, it is open. Where methods disagree it is probable from the second on: of the disputed edges of 46 tables
# with a known truth, 91 of 91 were real from there on, and 39 of 57 below; of 92 fresh ones, 183 of 195 and 65 of 101.
# `arcwise.findings.verdict.RIGHT` has how often the verdicts were right in those.
SURE, DISPUTED, LIKELY = 0.9, 0.8, 0.7
REPORT, WITH = "report it", "report with: "  # what to do about an edge, and what it depends on
# A confidence that varies by more between completions depends on what the gaps are filled with.
FILLING = 0.05


class Agreement(enum.StrEnum):
    """Whether other methods and scores say the same about an edge."""

    AGREE = "agree"  # all confidences are close to the main one
    DIFFER = "differ"  # some are further off, but on the same side of one half
    DISAGREE = "disagree"  # some find the edge likely, others not
    NOT_COMPARED = "not compared"
    TOO_FEW = "too few networks"  # the confidence itself means nothing


class Origin(enum.StrEnum):
    """Where an edge, or its absence, comes from."""

    FOUND = "found"  # the data's: neither the edge nor its direction was said
    EXPERIMENT = "experiment"  # the data's, but observations alone would leave the direction open
    REQUIRED = "required"  # the arc is there because it was required
    APPEARS = "appears"  # not required, but likely only under what was said
    DIRECTED = "directed"  # the edge is found; the direction is what was said
    FOLLOWS = "follows"  # the edge is found; the direction is there only because of other things that were said
    BELIEVED = "believed"  # the edge is found; the direction is what prior odds make of one that is open
    FORBIDDEN = "forbidden"  # there is no edge because both directions were excluded
    GONE = "gone"  # not forbidden, but unlikely only under what was said

    @property
    def is_found(self) -> bool:
        """Whether the data speak for the edge, whoever speaks for its direction."""
        return not self.is_decided and self not in (Origin.APPEARS, Origin.GONE)

    @property
    def is_decided(self) -> bool:
        """Whether what was said leaves the data no say in whether there is an edge."""
        return self in (Origin.REQUIRED, Origin.FORBIDDEN)

    @property
    def is_directed_by_data(self) -> bool:
        """Whether the direction, as far as it is settled, is the data's."""
        return self in (Origin.FOUND, Origin.EXPERIMENT)

    @property
    def is_constrained(self) -> bool:
        """Whether constraints made it what it is, in part or altogether."""
        return not self.is_directed_by_data and self is not Origin.BELIEVED


class Support(enum.StrEnum):
    """At which strengths of the prior BDeu supports an edge."""

    ALWAYS = "always"
    USUAL = "usual"  # at all usual ones
    DEPENDS = "depends"  # at some of these
    NEVER = "never"  # at none of them


class BeliefTest(enum.StrEnum):
    """What the data, without the prior odds, say about what was believed."""

    AGREE = "agrees"
    CONTRADICT = "contradicted"
    DECIDED = "not tested: your constraint decides"
    NOT_ASKED = "no odds of its own"
    NOT_KNOWN = "not compared"


def _no_counts() -> NDArray[np.int64]:
    return np.zeros((0, 0), dtype=np.int64)


@one_screen
@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeRecord:
    """One pair of variables with all that is known about it.

    Parameters
    ----------
    first, second
        The variables, in the order of the data.
    tail, head
        The arc that the consensus network has, or the more credible direction if it has none.
    fate
        What became of the edge.
    present, standard_error
        The confidence that an edge joins them, and its Monte Carlo error; not a number for a single network.
    split
        If there is an edge, how likely it points first -> second, second -> first, or could do either. The three sum
        to 1; all are 0 for an edge that what was said leaves no network with: there is nothing to point. Not numbers
        where that is not known.
    by_method
        The confidence by every method and score: (title, value), None where it was not computed.
    probability
        How probable the edge and its directions are; None if that is not known.
    settled
        Whether its direction is settled, as a file says; None to find out from the shares and the probability.
    is_guess
        Whether there are too few networks for a share of them to mean anything.
    share_filled, between_completions
        The share of the cases in which a value of the two was filled in, and the standard deviation of the confidence
        between completions; None where there are none, or one for every network.
    counts
        How many cases show each pair of states, without those in which `head` was set: rows are the states of `tail`,
        columns those of `head`.
    prior, support
        What the equivalent sample size does to tail -> head given the head's other parents; and at which strengths of
        the prior BDeu supports it, as a file says, None to find out from the first.
    origin, statements, reason
        Whether it is the data's finding or the analyst's own word; the statements that made it so; and what a
        direction comes from where that is no constraint: "your experiment on smoke".
    without, kept_without
        What the data alone say, by the same recipe without constraints and prior odds, None if that was not computed
        or there are no constraints; and whether the network would then have the edge.
    odds, has_own_odds, odds_decided, without_odds
        The prior odds of first -> second and of second -> first, None if there were none; whether the pair has odds of
        its own, not only those of every edge; whether a constraint requires the edge, or excludes every arc that the
        odds are about; and the confidence without prior odds, None if it was not computed.
    cuts_decide
        Whether it would be unlikely if numbers were cut in some other way.
    regression
        What a linear regression says of it, as a check; None without a number, or where numbers were cut.
    withheld
        Why a direction that the data give it never counts as settled (`Withheld`); "" if nothing speaks against it.
    one_of, one_of_probability
        A variable at one end that is linked with at least one of several, this edge's other end among them, though no
        edge to a single one is established; and how probable that is. "" if there is none.
    missed
        Why there is no edge where a regression on all other columns shows one; None where it shows none.
    sites
        In how many sites the rows of the site alone show it, "3 of 5"; "" without sites.
    judged
        The verdict, what is known of the direction, and what to do, as a file says; None to find out from the rest.
    """

    first: str
    second: str
    tail: str
    head: str
    fate: Fate = Fate.BELOW
    present: float = math.nan
    standard_error: float = math.nan
    split: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    by_method: tuple[tuple[str, float | None], ...] = ()
    probability: PairProbability | None = None
    settled: bool | None = None
    is_guess: bool = False
    share_filled: float = 0.0
    between_completions: float | None = None
    counts: NDArray[np.int64] = field(default_factory=_no_counts)
    prior: EdgePrior | None = None
    support: Support | None = None
    origin: Origin = Origin.FOUND
    statements: tuple[Statement, ...] = ()
    reason: str = ""
    without: EdgeRecord | None = None
    kept_without: bool = False
    odds: tuple[float, float] | None = None
    has_own_odds: bool = False
    odds_decided: bool = False
    without_odds: PairConfidence | None = None
    cuts_decide: bool = False
    regression: EdgeRegression | None = None
    withheld: str = ""
    one_of: str = ""
    one_of_probability: float | None = None
    missed: Missed | None = None
    sites: str = ""
    judged: tuple[Verdict, Direction, str] | None = None

    @classmethod
    def of(cls, confidence: EdgeConfidence, first: str, second: str) -> EdgeRecord:
        """Return what a confidence says about a pair: shares, probability, and the more credible direction."""
        i, j = confidence.names.index(first), confidence.names.index(second)
        present = float(confidence.present[i, j])
        ways = float(confidence.directed[i, j]), float(confidence.directed[j, i]), float(confidence.undirected[i, j])
        split = tuple(way / present for way in ways) if present > 0 else _split_of_none(confidence, first, second)
        tail, head = (second, first) if split[1] > split[0] else (first, second)
        return cls(
            first=first,
            second=second,
            tail=tail,
            head=head,
            present=present,
            standard_error=float(confidence.standard_error[i, j]),
            split=(split[0], split[1], split[2]),
            probability=confidence.probability.pair(first, second),
            share_filled=0.0 if confidence.filled is None else float(confidence.filled[i, j]),
            between_completions=None if confidence.spread is None else float(confidence.spread[i, j]),
        )

    @property
    def has_confidence(self) -> bool:
        """Whether there is a confidence: a single network has none."""
        return not math.isnan(self.present)

    @property
    def forward(self) -> float:
        """The share of all networks that point it first -> second."""
        return self.present * self.split[0]

    @property
    def backward(self) -> float:
        """The share of all networks that point it second -> first."""
        return self.present * self.split[1]

    @property
    def undirected(self) -> float:
        """The share of all networks that have it and leave its direction open."""
        return self.present * self.split[2]

    @property
    def is_pointed(self) -> bool:
        """Whether it has an arrow head: the network directs it, and so do most networks that have the edge."""
        known = self.has_confidence and not self.is_guess
        return self.fate.is_arc and (not known or self.leans)

    @property
    def leans(self) -> bool:
        """Whether its direction, from `tail` to `head`, is at least likely."""
        if self.judged is not None:
            return self.judged[1] is not Direction.UNKNOWN
        return self.is_settled or self.likelihood >= LIKELY_DIRECTION

    @property
    def likelihood(self) -> float:
        """If there is an edge, how probably it points from `tail` to `head`; what no study tells is a share."""
        known = self._of_study
        return self.way if known is None else known.forward if self.is_ahead else known.backward

    @property
    def name(self) -> str:
        """Its two ends, with an arrow if it has a head."""
        return f"{self.tail} {'→' if self.is_pointed else '—'} {self.head}"

    @property
    def is_ahead(self) -> bool:
        """Whether it points first -> second, where it points anywhere."""
        return self.tail == self.first

    @property
    def likelier(self) -> tuple[str, str]:
        """The two variables in the more credible direction, whatever the network has."""
        return (self.second, self.first) if self.split[1] > self.split[0] else (self.first, self.second)

    @property
    def way(self) -> float:
        """The share of the networks with the edge that point it from `tail` to `head`."""
        return self.split[0 if self.is_ahead else 1]

    @property
    def shares(self) -> tuple[float, float, float]:
        """If there is an edge: the share of its more credible direction, of the other, and of those that are free."""
        if self.present <= 0:
            return 0.0, 0.0, 0.0
        return max(self.split[:2]), min(self.split[:2]), self.split[2]

    @property
    def way_probability(self) -> float | None:
        """If there is an edge, how probably it points from `tail` to `head`; None where no study tells.

        Studies tell of what observations alone direct, not of what somebody said, believed or set.
        """
        return None if self._of_study is None else self._of_study.studied(ahead=self.is_ahead)

    @property
    def _of_study(self) -> PairProbability | None:
        return self.probability if self.origin is Origin.FOUND else None

    @property
    def is_settled(self) -> bool:
        """Whether its direction, from `tail` to `head`, is settled."""
        if self.settled is not None:
            return self.settled
        if self.is_withheld:
            return False
        known = self._of_study
        if known is None:
            return is_settled(self.way, None)
        return is_settled(self.way, known.arrow(ahead=self.is_ahead), strictly=known.is_strict)

    @property
    def is_withheld(self) -> bool:
        """Whether the data direct it, but not so that it could count as settled."""
        return bool(self.withheld) and self.origin is Origin.FOUND

    @property
    def lacks_reason(self) -> bool:
        """Whether its direction is as probable as a settled one, but what compels it is not."""
        known = self._of_study
        if known is None or not known.is_studied or self.is_settled:
            return False
        return is_settled(0.0, self.real * self.likelihood, strictly=known.is_strict)

    def settles(self, *, ahead: bool) -> bool:
        """Whether this settles the direction first -> second (`ahead`), or the other one, whoever said what."""
        if self.withheld:
            return False
        known = None if self.probability is None else self.probability.arrow(ahead=ahead)
        return is_settled(self.split[0 if ahead else 1], known)

    @property
    def is_settled_by_data(self) -> bool:
        """Whether the data settle the direction: nobody said it, or the data alone would say the same."""
        if not self.is_settled or self.origin is Origin.BELIEVED:
            return False
        if self.origin.is_directed_by_data or self.without is None:
            return self.origin.is_directed_by_data
        return self.origin.is_found and self.without.settles(ahead=self.is_ahead)

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest confidence over the methods that were computed."""
        known = [value for _, value in self.by_method if value is not None]
        return min(known), max(known)

    @property
    def others(self) -> dict[str, float]:
        """The confidences by the other methods and scores that were computed."""
        return {title: value for title, value in self.by_method[1:] if value is not None}

    @property
    def agreement(self) -> Agreement:
        """Whether other methods and scores say the same: within 0.2, or at least on the same side of one half.

        What was required or forbidden is the same for all, so they are not asked.
        """
        if self.is_guess:
            return Agreement.TOO_FEW
        others = self.others.values()
        if not others or self.origin.is_decided:
            return Agreement.NOT_COMPARED
        if any((value > HALF) != (self.present > HALF) for value in others):
            return Agreement.DISAGREE
        close = all(abs(value - self.present) <= CLOSE + 1e-9 for value in others)
        return Agreement.AGREE if close else Agreement.DIFFER

    @property
    def verdict(self) -> Verdict:
        """What to do with it: the one answer of probability, methods, prior, bins, gaps and origin."""
        if self.judged is not None:
            return self.judged[0]
        if not self.origin.is_found:
            return Verdict.YOURS
        if not self.has_confidence or self.is_guess or self.fate.is_left_out:
            return Verdict.OPEN
        if self.agreement is Agreement.DISAGREE and self.real < DISPUTED:
            return Verdict.OPEN
        if self.real < LIKELY:
            return Verdict.OPEN if self.real > HALF else Verdict.UNLIKELY
        return Verdict.PROBABLY if self.doubts else Verdict.RELY

    @property
    def doubts(self) -> tuple[str, ...]:
        """What an edge that every method supports depends on, each in a few words."""
        return tuple(
            words
            for words, holds in (
                (f"probability {show_confidence(self.real, 2)}", self.real < SURE),
                ("no other method was asked", self.agreement is Agreement.NOT_COMPARED),
                ("the methods differ in strength", self.agreement is Agreement.DIFFER),
                (f"methods disagree{self._range}", self.agreement is Agreement.DISAGREE),
                ("the prior decides", self.prior_support is Support.DEPENDS),
                ("no usual prior supports it", self.prior_support is Support.NEVER),
                ("the bins decide", self.cuts_decide),
                ("others may stand in its place", self.one_of != ""),
                ("no regression shows it", self.regression is not None and self.regression.shape is Shape.NOTHING),
                ("the missing values matter", (self.between_completions or 0.0) >= FILLING),
            )
            if holds
        )

    @property
    def depends(self) -> str:
        """What to report it with, in a few words; "" for nothing."""
        return self.action.removeprefix(WITH) if self.action.startswith(WITH) else ""

    @property
    def direction(self) -> Direction:
        """How far its direction is known, and whose word it is."""
        if self.judged is not None:
            return self.judged[1]
        if not self.is_pointed or self.is_guess or not self.has_confidence:
            return Direction.UNKNOWN
        if not self.origin.is_directed_by_data:
            return Direction.SETTLED if self.is_settled_by_data else Direction.YOURS
        return Direction.SETTLED if self.is_settled else Direction.LIKELY

    @property
    def action(self) -> str:
        """The one thing to do about it."""
        if self.judged is not None:
            return self.judged[2]
        match self.verdict:
            case Verdict.YOURS:
                return YOUR_ACTIONS[self.origin]
            case Verdict.OPEN:
                return f"not established: {self._why_open}"
            case Verdict.UNLIKELY:
                return "do not draw it, and do not claim that the two are unrelated"
        return f"{WITH}{'; '.join(self.doubts)}" if self.doubts else REPORT

    @property
    def _why_open(self) -> str:
        if not self.has_confidence or self.is_guess:
            return "too few networks to tell"
        if self.fate.is_left_out:
            return LEFT_OUT[self.fate]
        known = self.regression
        shown = f"; a regression shows it (t = {known.t:.2g})" if known is not None and known.is_clear else ""
        if self.agreement is Agreement.DISAGREE:
            return f"methods disagree{self._range}{shown}"
        return f"probability {show_confidence(self.real, 2)}{shown}"

    @property
    def _range(self) -> str:
        return f" ({show_range(*self.spread)})" if self.by_method else ""

    @property
    def real(self) -> float:
        """Its probability; where that is not known, its confidence, or next to nothing if that means nothing."""
        if self.is_guess:
            return GUESSED_PROBABILITY
        return self.present if self.probability is None else self.probability.edge

    @property
    def label(self) -> str:
        """The number on its line, its probability; "?" for what the methods dispute, "" where it tells nothing."""
        if self.verdict in (Verdict.RELY, Verdict.YOURS) or self.is_guess:
            return ""
        disputed = self.verdict is Verdict.OPEN and self.agreement is Agreement.DISAGREE
        return "?" if disputed else show_confidence(self.real, 2)

    @property
    def prior_support(self) -> Support | None:
        """Whether BDeu supports it at every strength of the prior, at all usual ones, at some of these, or at none.

        None if that was not asked.
        """
        prior = self.prior
        if prior is None:
            return self.support
        if (prior.exact > 0).all():
            return Support.ALWAYS
        low, high = USUAL_ESS
        if any(low < change < high for change in prior.sign_changes):
            return Support.DEPENDS
        inside = prior.exact[(prior.ess >= low * (1 - 1e-9)) & (prior.ess <= high)]
        return Support.USUAL if inside.size and bool((inside > 0).all()) else Support.NEVER

    @property
    def information(self) -> float:
        """What the two tell about each other alone, in the data, in nats."""
        shares = self.counts / max(1, self.counts.sum())
        by_chance = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
        return float(rel_entr(shares, by_chance).sum())

    @property
    def origin_label(self) -> str:
        """The origin in a few words: "directed by your tiers"."""
        alone = "" if self.without is None else f" (the data alone: {show_confidence(self.without.real, 2)})"
        if self.origin is Origin.FORBIDDEN and self.without is not None:
            would = "would have had it" if self.kept_without else "would not have had it"
            return f"forbidden by you (the data {would}: {show_confidence(self.without.real, 2)})"
        return {
            Origin.FOUND: "found",
            Origin.REQUIRED: "required by you",
            Origin.APPEARS: f"implied by your constraints{alone}",
            Origin.FOLLOWS: follows_words(self.way),
            Origin.FORBIDDEN: "forbidden by you",
            Origin.GONE: f"gone because of what you said{alone}",
        }.get(self.origin, f"directed by {self.sources}")

    @property
    def sources(self) -> str:
        """What the analyst said, as the reason for something: "your tiers"."""
        listed = " and ".join(dict.fromkeys(statement.source for statement in self.statements[:2]))
        return self.reason or listed or "what you said"

    @property
    def stated_reason(self) -> str:
        """The reason for the origin, in words; "" for what is found."""
        return self.sources if self.statements or self.reason else ""

    @property
    def belief_test(self) -> BeliefTest:
        """Whether the data agree with the prior odds.

        Odds above 1 are contradicted if the data alone give the arcs that they favour no more than one half: edges that
        could be turned count for either. Odds below 1 are contradicted if the data alone give the arcs that they
        disfavour more than one half, against any direction: an edge that could be turned does not count against one
        direction alone.
        """
        if self.odds is None or not self.has_own_odds:
            return BeliefTest.NOT_ASKED
        if self.odds_decided:
            return BeliefTest.DECIDED
        if self.without_odds is None:
            return BeliefTest.NOT_KNOWN
        known = self.without_odds
        ways = list(zip(self.odds, (known.forward, known.backward), strict=True))
        wanted = [share for odds, share in ways if odds > 1]
        unwanted = [share for odds, share in ways if odds < 1]
        if wanted and sum(wanted) + known.undirected <= HALF:
            return BeliefTest.CONTRADICT
        turned = known.undirected if len(unwanted) == 2 else 0.0
        return BeliefTest.CONTRADICT if unwanted and sum(unwanted) + turned > HALF else BeliefTest.AGREE


def follows_words(share: float) -> str:
    """Return the origin of a direction that follows from what was said, which it need not do in all networks."""
    text = "directed because of what you said"
    return text if share >= NEARLY_ALL else f"{text} in {percent(share)} of the weight"


class Shown(enum.Flag):
    """Where a column is shown."""

    CSV = enum.auto()  # edges.csv and `Analysis.to_frame`
    EXPLAIN = enum.auto()  # the JSON of `arcwise explain`, which reads it from edges.csv
    PAGE = enum.auto()  # the table of the page; its script has the numbers, to sort by
    SCRIPT = enum.auto()  # the page's script alone
    TEXT = enum.auto()  # the table of the terminal


CSV, EXPLAIN, PAGE, SCRIPT, TEXT = Shown
FILES = CSV | EXPLAIN


def share(text: str) -> float:
    """Read a share, from 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1 + 1e-9:
        raise ValueError
    return value


def flag(text: str) -> bool:
    """Read whether something holds."""
    return text == str(True)


@dataclass(frozen=True, slots=True)
class EdgeColumn:
    """A column of the edges: what it is called, what it means, how it is read and where it is shown."""

    name: str  # in edges.csv and in JSON, and, unless there is a heading, above a table
    meaning: str = ""
    _: KW_ONLY
    field: str = ""  # the field of the record that it is read into from edges.csv
    value: Callable[[EdgeRecord], Any] | None = None  # for an edge; by default that of the field
    kind: Callable[[str], Any] = share  # what it is, as that which reads it: `share`, `float`, `flag`, `str`, an enum
    since: str = "0.1"  # the version that wrote it first: files of earlier ones do not have it
    shown: Shown = CSV
    file_if: Callable[[EdgeRecord], bool] | None = None  # edges.csv has it only if this holds for one of the edges
    table_if: Callable[[EdgeRecord], bool] | None = None  # and so have tables
    key: str = ""  # what the page's script and style call it; by default its name
    heading: str | None = None  # what stands above it in a table, ...
    few_heading: str = ""  # ... if there are too few networks, ...
    group: str = ""  # ... and above it and its neighbours on the page
    # What a table shows, given how many networks there are if they are too few, else 0; by default the value.
    cell: Callable[[EdgeRecord, int], str] | None = None
    text: Callable[[EdgeRecord, int], str] | None = None  # in the terminal, if that differs
    digits: int = 4  # how exactly the page's script has it

    @property
    def page_key(self) -> str:
        """What the page's script and style call it."""
        return self.key or self.name

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.kind in (share, float)

    @property
    def in_script(self) -> bool:
        """Whether the page's script has it: what it computes itself has a cell, but no value."""
        has_value = bool(self.field) or self.value is not None
        return SCRIPT in self.shown or (PAGE in self.shown and self.is_number and has_value)

    def of(self, edge: EdgeRecord) -> Any:
        """Return its value for an edge, as a table of values has it."""
        value = getattr(edge, self.field) if self.value is None else self.value(edge)
        return str(value) if isinstance(value, enum.StrEnum) else value

    def known(self, edge: EdgeRecord) -> Any:
        """Return its value for an edge, None for what is no number."""
        value = self.of(edge)
        return None if isinstance(value, float) and math.isnan(value) else value

    def title(self, few: int) -> str:
        """Return what stands above it in a table."""
        return (few and self.few_heading) or (self.name if self.heading is None else self.heading)

    def show(self, edge: EdgeRecord, few: int, where: Shown) -> str:
        """Return what a table shows of an edge."""
        cell = self.text if where is TEXT and self.text is not None else self.cell
        if cell is not None:
            return cell(edge, few)
        value = self.known(edge)
        if value is None:
            return "–"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value) if not self.is_number else show_confidence(value) if self.kind is share else f"{value:.3g}"

    def style(self, edge: EdgeRecord) -> str:
        """Return what the page's style calls the cell of an edge; "" for a number."""
        mark = f" {edge.verdict.key}" if self.kind is Verdict else ""
        return "" if self.is_number else self.page_key + mark

    def for_script(self, edge: EdgeRecord) -> Any:
        """Return what the page's script has of an edge; None for nothing."""
        value = self.known(edge)
        if value is None or isinstance(value, bool):
            return 1 if value else None
        return round_inside(value, self.digits) if self.kind is share else round(value, self.digits)


def _split_of_none(confidence: EdgeConfidence, first: str, second: str) -> tuple[float, float, float]:
    """Return how an edge that no network has would point: either way, unless constraints exclude one."""
    known = confidence.constraints
    forward = known is None or first not in known.forbidden_parents(second)
    backward = known is None or second not in known.forbidden_parents(first)
    return (0.0, 0.0, 1.0) if forward == backward else (float(forward), float(backward), 0.0)


SPLIT = ("forward_if_edge", "backward_if_edge", "either_if_edge")
SHARES_IF_EDGE = ("probability_forward_if_edge", "probability_backward_if_edge", "probability_either_if_edge")
EXPLANATION, SETTLED, WITHOUT, SAID = "explanation", "settled", "without_constraints", "said"

# What the page's table says without a script, and the terminal's; with one, the slider decides.
IN_NETWORK = {
    Fate.KEPT: "yes",
    Fate.UNDIRECTED: "yes, open",
    Fate.REQUIRED: "yes, required",
    Fate.DROPPED: "left out (cycle)",
    Fate.FORBIDDEN: "left out (forbidden)",
    Fate.LIMITED: "left out (parents)",
    Fate.BREAKS_ANCESTRY: "left out (ancestors)",
    Fate.BELOW: "no",
}
# Why an edge above the cut-off is not in the network.
LEFT_OUT = {
    Fate.DROPPED: "left out, it would close a cycle",
    Fate.FORBIDDEN: "left out, forbidden",
    Fate.LIMITED: "left out, too many parents",
    Fate.BREAKS_ANCESTRY: "left out, it must not lead there",
}
# What to do about an edge that is there, or not, because the analyst said so.
YOUR_ACTIONS = {
    Origin.REQUIRED: "report it as an assumption, not as a finding",
    Origin.APPEARS: "report it as a consequence of what you said, not as a finding",
    Origin.FORBIDDEN: "report that you excluded it: the data had no say",
    Origin.GONE: "report that what you said removed it",
}


def shown_confidence(present: float, few: int) -> str:
    """Return a confidence as it is shown: a share, or of few networks, in how many it is."""
    return f"{round(present * few)} of {few}" if few else show_confidence(present)


def shown_direction(edge: EdgeRecord, few: int) -> str:
    """Return how far the direction is known; where it is likely, with its probability."""
    if few or edge.present <= 0 or edge.fate.is_left_out:
        return ""
    doubted = edge.is_withheld or edge.lacks_reason  # then no study tells how often it is right
    is_told = edge.direction is Direction.LIKELY and not doubted
    return f"likely ({show_confidence(edge.likelihood, 2)})" if is_told else edge.direction


def _ranging(place: int) -> Callable[[EdgeRecord, int], str]:
    return lambda edge, few: "–" if few else show_confidence(edge.spread[place])


BY_ALL = "confidence by all methods and scores"
REGRESSION = "regression"
REGRESSED = ("partial_correlation", "t", "slope")
ONE_OF, NO_EDGE = ("one_of", "one_of_probability"), "no_edge_because"

# Behind these, edges.csv has a column for each other method and score, named by its title, and the explanation.
EDGE_COLUMNS: tuple[EdgeColumn, ...] = (
    EdgeColumn("first", "one variable", field="first", kind=str, shown=FILES),
    EdgeColumn("second", "the other, in the order of the data", field="second", kind=str, shown=FILES),
    EdgeColumn(
        "verdict",
        "what all checks together say: rely on, probably, open, your assumption, or unlikely",
        value=lambda e: e.verdict,
        kind=Verdict,
        since="0.3",
        shown=FILES | PAGE,
    ),
    EdgeColumn(
        "probability",
        "that the edge is real: of edges with 0.9, nine in ten are",
        value=lambda e: e.probability and e.probability.edge,
        since="0.2",
        shown=FILES | PAGE | TEXT,
        table_if=lambda e: e.probability is not None,
        text=lambda e, _: show_confidence(0.0 if e.probability is None else e.probability.edge, 2),
    ),
    EdgeColumn(
        "share",
        shown=TEXT,
        table_if=lambda e: e.probability is None,
        heading="confidence",
        few_heading="in networks",
        cell=lambda e, few: shown_confidence(e.present, few),
    ),
    EdgeColumn(
        "direction",
        "settled (by the data), likely, unknown, or yours (what you said or believed)",
        value=lambda e: e.direction,
        kind=Direction,
        since="0.3",
        shown=FILES | PAGE | TEXT,
        cell=shown_direction,
    ),
    EdgeColumn("do", "what to do about it", value=lambda e: e.action, kind=str, since="0.3", shown=FILES | PAGE | TEXT),
    EdgeColumn(
        "confidence",
        "that an edge joins them, in either direction",
        field="present",
        shown=FILES | PAGE,
        few_heading="in networks",
        group=BY_ALL,
        cell=lambda e, few: shown_confidence(e.present, few),
        digits=6,
    ),
    EdgeColumn("lowest", shown=PAGE, group=BY_ALL, cell=_ranging(0)),
    EdgeColumn("highest", shown=PAGE, group=BY_ALL, cell=_ranging(1)),
    EdgeColumn(
        "standard_error",
        "its Monte Carlo error; 0 for a credible set",
        field="standard_error",
        kind=float,
        shown=CSV | SCRIPT,
    ),
    EdgeColumn(
        "share_filled",
        "the share of the rows in which a value of the two was missing and filled in",
        field="share_filled",
        since="0.2",
    ),
    EdgeColumn(
        "spread",
        "the standard deviation of the confidence between completions; empty without",
        field="between_completions",
        since="0.2",
    ),
    EdgeColumn(
        SPLIT[0], "if there is an edge, how often it points first → second", value=lambda e: e.split[0], shown=FILES
    ),
    EdgeColumn(SPLIT[1], "... second → first", value=lambda e: e.split[1], shown=FILES),
    EdgeColumn(
        SPLIT[2],
        "... and could do either; they sum to 1, or are 0 if it was forbidden",
        value=lambda e: e.split[2],
        shown=FILES,
    ),
    EdgeColumn(
        SHARES_IF_EDGE[0],
        "if the edge is real, the probability that it points first → second",
        value=lambda e: e.probability and e.probability.forward,
        since="0.2",
    ),
    EdgeColumn(
        SHARES_IF_EDGE[1],
        "... second → first",
        value=lambda e: e.probability and e.probability.backward,
        since="0.2",
    ),
    EdgeColumn(
        SHARES_IF_EDGE[2],
        "... and that data cannot tell; they sum to 1",
        value=lambda e: e.probability and e.probability.either,
        since="0.2",
    ),
    EdgeColumn(
        SETTLED,
        "whether the direction, from → to, is settled. The edge then exists and points this way with a probability of "
        f"at least {SETTLED_PROBABILITY:g}, and a third variable compels it with as much. Where no study gives that, "
        "nine tenths of the networks with the edge agree",
        field="settled",
        value=lambda e: e.is_settled,
        kind=flag,
        since="0.2",
        shown=FILES,
    ),
    EdgeColumn(
        "from", "the tail of the network's arc, or of the more credible direction", field="tail", kind=str, shown=FILES
    ),
    EdgeColumn("to", "its head", field="head", kind=str, shown=FILES),
    EdgeColumn(
        "in_network", "whether the network has the edge", value=lambda e: e.fate.in_network, kind=flag, shown=FILES
    ),
    EdgeColumn(
        "fate",
        "kept, undirected (its direction is open), required (by the constraints), or below (the cut-off). Left out "
        "are: dropped (it would close a cycle), forbidden (both ways), limited (too many parents), misleading (it "
        "would break a statement about ancestors)",
        field="fate",
        kind=Fate,
        shown=FILES,
    ),
    EdgeColumn(
        "agreement",
        "whether other methods and scores agree, differ in strength, or disagree",
        value=lambda e: e.agreement,
        kind=Agreement,
        shown=FILES,
    ),
    EdgeColumn(
        "prior",
        "at which strengths of the prior BDeu supports it: every (always), all usual ones (usual), some of these "
        "(depends) or none (never). Empty if that was not asked",
        field="support",
        value=lambda e: e.prior_support,
        kind=Support,
        since="0.3",
        shown=FILES,
    ),
    EdgeColumn(
        REGRESSED[0],
        "of the two, with the other parents of `to` held fixed. For a category with more than two states it is the "
        "root of the share of variance that they explain. Empty without a number or scale",
        value=lambda e: e.regression and e.regression.partial,
        kind=float,
        since="0.3",
        shown=FILES | PAGE,
        file_if=lambda e: e.regression is not None,
        table_if=lambda e: e.regression is not None,
        heading="partial correlation",
        group=REGRESSION,
    ),
    EdgeColumn(
        REGRESSED[1],
        "that of the regression behind it, of the number or scale on the other. Beyond 2 is rarely chance. For a "
        "category with more than two states it is the root of F",
        value=lambda e: e.regression and e.regression.t,
        kind=float,
        since="0.3",
        shown=FILES | PAGE,
        file_if=lambda e: e.regression is not None,
        table_if=lambda e: e.regression is not None,
        group=REGRESSION,
        digits=2,
    ),
    EdgeColumn(
        REGRESSED[2],
        "its slope: by so much the mean of `to` changes with one more of `from`, or with its other state. Where `to` "
        "is a category, it is the other way round. Empty where there are more states",
        value=lambda e: e.regression and e.regression.slope,
        kind=float,
        since="0.3",
        shown=FILES,
        file_if=lambda e: e.regression is not None,
    ),
    EdgeColumn(
        ONE_OF[0],
        "a variable at one end that is linked with at least one of several. All rows that name it make the set. Each "
        "edge alone is uncertain. Empty if there is no such set",
        field="one_of",
        kind=str,
        since="0.3",
        shown=FILES,
        file_if=lambda e: e.one_of != "",
    ),
    EdgeColumn(
        ONE_OF[1],
        "that at least one of these edges is real: the share of networks with one of them, or what it is worth if less",
        field="one_of_probability",
        since="0.3",
        shown=FILES,
        file_if=lambda e: e.one_of != "",
    ),
    EdgeColumn(
        NO_EDGE,
        "why there is no edge, where a regression on all other columns shows the two to be related",
        value=lambda e: e.missed and e.missed.reason,
        kind=Reason,
        since="0.3",
        shown=FILES,
        file_if=lambda e: e.missed is not None,
    ),
    EdgeColumn(
        "sites",
        "in how many sites the rows of the site alone show it, with the other parents of `to` held fixed",
        field="sites",
        kind=str,
        since="0.3",
        shown=FILES | PAGE,
        file_if=lambda e: e.sites != "",
        table_if=lambda e: e.sites != "",
    ),
    EdgeColumn("in the network", key="state", kind=str, shown=PAGE, cell=lambda e, _: IN_NETWORK[e.fate]),
    EdgeColumn(
        "origin",
        "found by the data, or directed by an experiment. Required or forbidden by the analyst. Directed by your "
        "statements or odds, or follows from them. Appears or is gone because of statements about other edges",
        field="origin",
        kind=Origin,
        since="0.2",
        shown=FILES | PAGE,
        table_if=lambda e: e.origin is not Origin.FOUND,
        cell=lambda e, _: e.origin_label,
    ),
    EdgeColumn(
        SAID,
        "what it is owed to, such as your tiers; empty for what is found",
        field="reason",
        value=lambda e: e.stated_reason,
        kind=str,
        since="0.2",
        shown=FILES,
    ),
    EdgeColumn(
        WITHOUT,
        "the probability by the same method and score without constraints and prior odds; empty without constraints",
        value=lambda e: None if e.without is None else e.without.real,
        since="0.2",
        shown=FILES,
    ),
    EdgeColumn(
        "odds_forward",
        "the prior odds of first → second",
        value=lambda e: e.odds and e.odds[0],
        kind=float,
        since="0.2",
        file_if=lambda e: e.odds is not None,
    ),
    EdgeColumn(
        "odds_backward",
        "those of second → first",
        value=lambda e: e.odds and e.odds[1],
        kind=float,
        since="0.2",
        file_if=lambda e: e.odds is not None,
    ),
    EdgeColumn(
        "confidence_without_beliefs",
        "the confidence without any prior odds; empty if it was not computed",
        value=lambda e: e.without_odds and e.without_odds.present,
        since="0.2",
        file_if=lambda e: e.odds is not None,
    ),
    EdgeColumn(
        "belief",
        "whether the data agree with the odds of this edge, or contradict them; not tested where a constraint decides",
        value=lambda e: None if e.odds is None else e.belief_test,
        kind=str,
        since="0.2",
        file_if=lambda e: e.odds is not None,
    ),
)

# The columns that every file has: those of the first version that wrote one.
FIRST_VERSION = "0.1"
FIRST_COLUMNS = (*(c.name for c in EDGE_COLUMNS if CSV in c.shown and c.since == FIRST_VERSION), EXPLANATION)


def shown_columns(where: Shown, edges: Iterable[EdgeRecord]) -> list[EdgeColumn]:
    """Return the columns that are shown there of these edges."""
    edges = tuple(edges)
    found = []
    for column in EDGE_COLUMNS:
        condition = column.file_if if where is CSV else column.table_if
        if where in column.shown and (condition is None or any(map(condition, edges))):
            found.append(column)
    return found


def json_values(edge: EdgeRecord) -> dict[str, Any]:
    """Return an edge as JSON has it, by the names of the columns."""
    return {column.name: column.known(edge) for column in EDGE_COLUMNS if EXPLAIN in column.shown}


def script_values(edge: EdgeRecord) -> dict[str, Any]:
    """Return an edge as the page's script has it, by the keys of the columns, without what is not known."""
    found = {}
    for column in EDGE_COLUMNS:
        if column.in_script and (value := column.for_script(edge)) is not None:
            found[column.page_key] = value
    return found


def edge_frame(edges: Sequence[EdgeRecord], methods: Sequence[str], words: Sequence[str]) -> pd.DataFrame:
    """Return the edges as a table, with what is said of each; `methods` are the titles of the other methods."""
    import pandas as pd

    columns = shown_columns(CSV, edges)
    rows = [
        {**{column.name: column.of(edge) for column in columns}, **dict(edge.by_method[1:]), EXPLANATION: text}
        for edge, text in zip(edges, words, strict=True)
    ]
    return pd.DataFrame(rows, columns=[*(column.name for column in columns), *methods, EXPLANATION])


def short_frame(edges: Iterable[EdgeRecord]) -> pd.DataFrame:
    """Return the edges as a table that is read: the verdict, what to do, and what it rests on."""
    import pandas as pd

    rows = [
        (edge.name, edge.verdict, edge.action, show_range(*edge.spread), round(edge.real, 2), edge.direction)
        for edge in edges
    ]  # a narrow console leaves out the middle
    return pd.DataFrame(rows, columns=["edge", "verdict", "do", "range", "probability", "direction"])


def read_frame(rows: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """Return the rows of edges.csv as the table that `edge_frame` made; a column that is in no list is a method's."""
    import pandas as pd

    kinds = {column.name: column.kind for column in EDGE_COLUMNS} | {EXPLANATION: str}
    frame = pd.DataFrame(rows)
    for name in frame:
        kind = kinds.get(str(name), share)
        if kind in (share, float):
            frame[name] = pd.to_numeric(frame[name].replace("", math.nan))
        elif kind is flag:
            frame[name] = frame[name] == str(True)
        elif kind is not str:
            frame[name] = frame[name].where(frame[name] != "", None)
    return frame


def read_edge(row: Mapping[str, str], methods: Sequence[str], source: str) -> EdgeRecord:
    """Return the edge of a row of edges.csv, of the file called `source`: a column that it lacks tells nothing."""
    first, second = row["first"], row["second"]
    damaged = FormatError(f"{source}: damaged in the line of {first} and {second}.")

    def read(name: str, kind: Callable[[str], Any]) -> Any:
        try:
            return kind(row[name])
        except ValueError:
            no_share = FormatError(f"{source}: {name} of {first} and {second} is '{row[name]}', no share.")
            raise (no_share if kind is share else damaged) from None

    known = {
        column.name: read(column.name, column.kind)
        for column in EDGE_COLUMNS
        if EXPLAIN in column.shown and (column.since == FIRST_VERSION or row.get(column.name))
    }
    tail, head = known["from"], known["to"]
    if {tail, head} != {first, second}:
        raise damaged
    alone = None
    if WITHOUT in known:
        alone = EdgeRecord(first=first, second=second, tail=tail, head=head, present=known[WITHOUT])
    others = [(title, read(title, share)) for title in methods if row.get(title)]
    probable = None
    if "probability" in known and all(row.get(name) for name in SHARES_IF_EDGE):
        probable = PairProbability(first, second, known["probability"], *(read(name, share) for name in SHARES_IF_EDGE))
    regression = None
    if all(name in known for name in REGRESSED[:2]):
        regression = EdgeRegression(*(known.get(name, math.nan) for name in REGRESSED))
    return EdgeRecord(
        **{column.field: known[column.name] for column in EDGE_COLUMNS if column.field and column.name in known},
        split=(known[SPLIT[0]], known[SPLIT[1]], known[SPLIT[2]]),
        by_method=(("", known["confidence"]), *others),
        probability=probable,
        without=alone,
        regression=regression,
        missed=Missed(known[NO_EDGE]) if NO_EDGE in known else None,
        judged=(known["verdict"], known["direction"], known["do"])
        if {"verdict", "direction", "do"} <= {*known}
        else None,
    )
