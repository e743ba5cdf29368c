"""Penalised likelihoods: LL, AIC, BIC, fNML, qNML, and the node-average likelihoods of data with gaps, NAL and PNAL."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.data.dataset import Dataset, gap_codes
from arcwise.scores.score import QUOTIENT_LIMITS, Asymmetry, Facts, Parameter, Score, two_way

# Of two binary variables, 8 cases show both, which agree, and 4 show the first alone: X -> Y averages X over 12 cases
# and Y over 8, Y -> X both over 8, and X is less even in 12 cases than in 8.
UNSEEN_TOGETHER = Asymmetry((3, 3), (4, 0, 4, 0, 4, 0, 0, 0, 0), first=((), (0,)), second=((1,), ()), gaps=True)


@dataclass(frozen=True)
class ParameterPenalty(Score):
    """LL - w q (r - 1): every free parameter of a family costs the same."""

    weight: ClassVar[float | None] = None  # w, what a parameter costs; log(N) / 2 if None

    def per_parameter(self, cases: int) -> float:
        """Return w for a number of cases."""
        return math.log(cases) / 2 if self.weight is None else self.weight

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return _core.scores.make_penalised_likelihood(data.n_effective, self.per_parameter(data.n_effective))


@dataclass(frozen=True)
class LogLikelihood(ParameterPenalty):
    """LL = sum n_jk log(n_jk / n_j). More parents never lower it: a yardstick, not a criterion to search with."""

    name = "ll"
    weight = 0.0
    FACTS = Facts(
        title="LL",
        in_words="log likelihood",
        sources=(Citation("liao-2022", "section 4.2"),),
        equivalent=True,
        regular=True,
        bound="no likelihood exceeds one",
        number_of_cases="no N: the likelihood of the rows in which the variable was not set",
    )


@dataclass(frozen=True)
class Aic(ParameterPenalty):
    """AIC = LL - q (r - 1)."""

    name = "aic"
    weight = 1.0
    FACTS = Facts(
        title="AIC",
        in_words="Akaike's information criterion",
        sources=(Citation("akaike-1974"), Citation("liao-2022", "section 4.2")),
        equivalent=True,
        regular=True,
        bound="LL <= 0, and supersets have at least as many parameters",
        keeps_parents_few=True,
        number_of_cases="no N: the likelihood of the rows in which the variable was not set",
    )


@dataclass(frozen=True)
class Bic(ParameterPenalty):
    """BIC = LL - q (r - 1) log(N) / 2. Differences approximate log Bayes factors for large N.

    N is the number of cases in which the variable was not set by an experiment: of variables that were set in different
    cases, the penalties differ.
    """

    name = "bic"
    FACTS = Facts(
        title="BIC",
        in_words="Bayesian information criterion (MDL)",
        sources=(Citation("schwarz-1978"), Citation("liao-2022", "section 4.2")),
        equivalent=True,
        asymptotic=True,
        regular=True,
        bound="LL <= 0, and supersets have at least as many parameters",
        keeps_parents_few=True,
        number_of_cases="N of log(N) / 2: the rows in which the variable was not set",
    )


@dataclass(frozen=True)
class BicLaplace(ParameterPenalty):
    """BIC with the likelihood at theta_jk = (n_jk + 1) / (n_j + r) in place of its maximum.

    Lau & Bush call it BIC with Bayesian correction: a state that the data do not show keeps a probability above zero.
    """

    name = "bic_laplace"
    FACTS = Facts(
        title="BIC-Laplace",
        in_words="BIC with Bayesian (Laplace) correction",
        sources=(Citation("lau-2004", "sections 3.4 and 3.5"),),
        equivalent=False,
        regular=True,
        bound="smoothed parameters are no likelier than the maximum, so BIC's bound holds",
        asymmetric=two_way(((3, 1), (0, 2))),
        keeps_parents_few=True,
        number_of_cases="N of log(N) / 2: the rows in which the variable was not set",
    )

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return _core.scores.make_corrected_likelihood(self.per_parameter(data.n_effective))


@dataclass(frozen=True)
class NodeAverageScore(Score):
    """N times the average log likelihood of each family over its complete cases, minus a penalty.

    Likelihoods over different cases cannot be compared, averages can; times N, the number of all cases, they are on
    the scale of the other scores, and on complete data they are log likelihoods. A family of which no case has all
    values is worth a fair guess, -N log(r).
    """

    takes_gaps: ClassVar[bool] = True

    def weight(self, cases: int, variables: int) -> float:
        """Return what each parameter costs, per case."""
        return 0.0

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        weight = self.weight(data.n_effective, data.n_variables)
        return _core.scores.make_node_average(data.n_cases, weight, data.arities.tolist(), gap_codes(data).tolist())


@dataclass(frozen=True)
class Nal(NodeAverageScore):
    """NAL = N x the sum over variables of LL / n, over the n cases that have the variable and its parents.

    Without a penalty it prefers families that few cases have whole: a yardstick, not a criterion to search with.
    """

    name = "nal"
    FACTS = Facts(
        title="NAL",
        in_words="node-average likelihood, from available rows",
        sources=(Citation("bodewes-2021"), Citation("balov-2013")),
        equivalent=False,
        regular=None,
        bound="no likelihood exceeds one",
        asymmetric=UNSEEN_TOGETHER,
        number_of_cases="the factor N: the rows in which the variable was not set",
    )


@dataclass(frozen=True)
class Pnal(NodeAverageScore):
    """PNAL = NAL - N w q (r - 1) with w = N^-alpha / n, for N cases and n variables.

    The likelihoods of two families are averaged over different cases, so that chance makes them differ by about
    N^(-1/2), even if one of them explains nothing more. The penalty must vanish more slowly than that: then, and only
    then, the true network wins in the end (Balov 2013, if values are missing completely at random); hence alpha lies
    between 0 and 1/2. BIC's penalty, log(N) / (2 N), vanishes too fast. Divided by the number of variables, and with
    alpha = 1/4, as Bodewes and Scutari have it in bnlearn's `hc`.
    """

    alpha: float = 0.25

    name = "pnal"
    parameters = (Parameter("alpha", "how fast the penalty vanishes: N^-alpha", high=0.5),)
    FACTS = Facts(
        title="PNAL",
        in_words="penalised node-average likelihood, from available rows",
        sources=(Citation("bodewes-2021"), Citation("balov-2013")),
        equivalent=False,
        regular=None,
        bound="no likelihood exceeds one, and supersets have at least as many parameters",
        asymmetric=UNSEEN_TOGETHER,
        keeps_parents_few=True,
        number_of_cases="N of N^-alpha, and the factor N: the rows in which the variable was not set",
    )

    def weight(self, cases: int, variables: int) -> float:
        """Return N^-alpha / n."""
        return float(cases**-self.alpha / variables)


# Normalised maximum likelihoods: fNML and qNML.
#
# The normaliser C(N, K) of a multinomial variable is the sum, over all sequences of N values out of K, of the
# sequence's maximised likelihood. Small K go by the recurrence of Kontkanen & Myllymäki (2007), large K by the sum of
# Mononen & Myllymäki (2008): exact to rounding for any N and K up to 1e300, in O(sqrt(N)) steps.


@dataclass(frozen=True)
class Fnml(Score):
    """fNML = LL - sum_j log C(n_j, r): each configuration's likelihood is normalised on its own. No parameter."""

    name = "fnml"
    kernel = "make_fnml"
    FACTS = Facts(
        title="fNML",
        in_words="factorised normalised maximum likelihood",
        sources=(Citation("silander-2010"), Citation("liao-2022", "section 4.2")),
        equivalent=False,
        asymptotic=True,
        regular=True,
        bound="LL <= 0, and C(n + m, r) <= C(n, r) C(m, r): splitting configurations costs more",
        asymmetric=two_way(((3, 1), (0, 2))),
        number_of_cases="n_j of C(n_j, r): the rows in which the variable was not set, by configuration",
    )


@dataclass(frozen=True)
class Qnml(Score):
    """qNML = LL - [log C(N, q r) - log C(N, q)]: the NML of the family over that of its parents. No parameter.

    N is the number of cases in which the variable was not set by an experiment.
    """

    name = "qnml"
    kernel = "make_qnml"
    FACTS = Facts(
        title="qNML",
        in_words="quotient normalised maximum likelihood",
        sources=(Citation("silander-2018"), Citation("liao-2022", "section 4.2")),
        parent_limits=QUOTIENT_LIMITS,
        equivalent=True,
        asymptotic=True,
        regular=True,
        bound="LL <= 0, and the penalty grows with q",
        number_of_cases="N of C(N, q r) and C(N, q): the rows in which the variable was not set",
    )
