"""Tables of related data sets, such as the sites of a study: each its own, and each drawn towards what they share.

A site with few cases says little of rare configurations; all sites together say much, but are not alike. In the
hierarchical Dirichlet model of Azzimonti, Corani and Zaffalon (2019) the probabilities of a variable and its parents in
site f are drawn from a Dirichlet distribution with the parameters s kappa, and kappa from one with alpha_0: what sites
share is estimated with all else. Its posterior has no closed form; the variational one does: Dirichlet for the
sites, with the parameters nu_f = s kappa + n_f, and Dirichlet for kappa, with tau kappa. The three are found in turns
until the bound on the likelihood stands still (sections 3 and B of the paper; the same steps and the same ends as in
bnlearn's "hdir", so that tables can be compared).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma

# A relative gain below this ends each of the loops, and so many rounds do.
TINY = float(np.sqrt(np.finfo(np.float64).eps))
MOST_ROUNDS = 200
FIRST_SCALE = 100.0  # where the search for tau begins; ten times as far where it comes to nothing
NEXT_STEP = 0.9  # times the last one, where a step gains too little
ENOUGH = 0.4  # of the gain that the slope promises
LEAST = 1e-10  # of kappa, on the way

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RelatedCounts:
    """The counts n of each cell (rows) in each site (columns), and the prior."""

    counts: NDArray[np.float64]
    alpha: float  # alpha_0, of a cell of kappa's prior
    size: float  # s, the equivalent sample size of a site

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of cells, K, and of sites, F."""
        return self.counts.shape[0], self.counts.shape[1]

    def posterior(self) -> NDArray[np.float64]:
        """Return nu: normalised over the states of a variable, the tables of the sites."""
        cells, sites = self.shape
        nu, kappa = np.full((cells, sites), 1 / cells), np.full(cells, 1 / cells)
        last = 1e-10
        for _ in range(MOST_ROUNDS):
            kappa, tau = self._shared(digamma(nu).sum(axis=1), kappa)
            nu = self.size * kappa[:, None] + self.counts
            bound = self._bound(nu, kappa, tau)
            if abs(bound - last) < TINY * abs(last):
                break
            last = bound
        return nu

    def _rest(self, kappa: Vector, tau: float) -> Vector:
        """Return alpha_0 - tau kappa + F (1 - s kappa)."""
        return np.asarray(self.alpha - tau * kappa + self.shape[1] * (1 - self.size * kappa))

    def _shared(self, of_sites: Vector, kappa: Vector) -> tuple[Vector, float]:
        """Return kappa and tau, in turns, given the sums of digamma(nu) over the sites."""
        last, tau = 0.0, 0.0
        for _ in range(MOST_ROUNDS):
            tau = self._scale(kappa)
            kappa = self._centre(of_sites, tau)
            bound = self._of_shared(kappa, tau, of_sites)
            if abs(bound - last) < TINY * abs(last):
                break
            last = bound
        return kappa, tau

    def _scale(self, kappa: Vector) -> float:
        """Return tau, by Newton's steps of its logarithm."""
        cells, sites = self.shape
        start = tau = FIRST_SCALE
        weight = sites * self.size * (cells - 1)
        for _ in range(MOST_ROUNDS):
            rest, one, two = self._rest(kappa, tau), polygamma(1, tau * kappa), polygamma(2, tau * kappa)
            slope = float(((one * kappa - polygamma(1, tau)) * rest).sum()) + weight / tau**2
            bend = float(((kappa**2 * two - polygamma(2, tau)) * rest - kappa**2 * one).sum())
            bend += float(polygamma(1, tau)) - 2 * weight / tau**3
            with np.errstate(over="ignore"):
                tau = float(np.exp(np.log(tau) - slope / (bend * tau + slope)))
            if not tau >= TINY:
                start *= 10
                tau = start
            if abs(slope) < TINY:
                break
        return tau

    def _centre(self, of_sites: Vector, tau: float) -> Vector:
        """Return kappa, by Newton's steps among vectors that sum to one, from the uniform one."""
        (cells, sites), s = self.shape, self.size
        kappa = np.full(cells, 1 / cells)
        value = self._of_centre(kappa, tau, of_sites)
        for _ in range(MOST_ROUNDS):
            rest, one = self._rest(kappa, tau), polygamma(1, tau * kappa)
            inner = digamma(tau * kappa) + digamma(s * kappa) - np.log(kappa) - 1
            slope = tau * one * rest - s * sites * inner - sites / kappa + s * of_sites
            bend = tau**2 * polygamma(2, tau * kappa) * rest - tau * one * (tau + 2 * s * sites)
            bend += sites * (s / kappa + 1 / kappa**2 - s**2 * polygamma(1, s * kappa))
            change = ((slope / bend).sum() / (1 / bend).sum() - slope) / bend
            promised, size = float(slope @ change), -float(bend @ change**2)
            falls = change < 0
            step = min(1.0, float(((kappa[falls] - LEAST) / -change[falls]).min(initial=1.0)))
            before, here = value, kappa
            while value < before + ENOUGH * step * promised and step > TINY:
                kappa = here + step * change
                value = self._of_centre(kappa, tau, of_sites)
                step *= NEXT_STEP
            if size < 2 * TINY or step < TINY:
                break
        return np.asarray(np.maximum(kappa, TINY), dtype=np.float64)

    # ---- The bound, in parts

    def _of_centre(self, kappa: Vector, tau: float, of_sites: Vector) -> float:
        s, sites = self.size, self.shape[1]
        own = digamma(tau * kappa) * self._rest(kappa, tau) + gammaln(tau * kappa) + s * kappa * of_sites
        return float((own - sites * (gammaln(s * kappa) + (1 - s * kappa) * np.log(kappa))).sum())

    def _of_shared(self, kappa: Vector, tau: float, of_sites: Vector) -> float:
        cells, sites = self.shape
        scale = -float((digamma(tau) * self._rest(kappa, tau)).sum()) - float(gammaln(tau))
        return self._of_centre(kappa, tau, of_sites) + scale - sites * self.size * (cells - 1) / tau

    def _bound(self, nu: NDArray[np.float64], kappa: Vector, tau: float) -> float:
        (cells, sites), s = self.shape, self.size
        totals, own = nu.sum(axis=0), digamma(nu)
        of_sites = (
            gammaln(nu) + (self.counts - nu + 1) * (own - digamma(totals)) + (s * kappa[:, None] - 1) * own
        ).sum()
        of_sites -= (gammaln(totals) + (s - cells) * digamma(totals)).sum()
        summed = own.sum(axis=1)
        constant = sites * float(gammaln(s)) - cells * float(gammaln(self.alpha)) - s * float(kappa @ summed)
        return self._of_shared(kappa, tau, summed) + float(of_sites) + constant
