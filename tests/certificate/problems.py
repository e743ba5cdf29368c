"""Tables whose proofs have all that a certificate can have, and the truth about them in exact arithmetic."""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.certificate import checker
from arcwise.data import Dataset
from arcwise.exact import certify_optimal
from arcwise.parent_sets import ParentSetTable, build_parent_sets


@functools.cache
def noise_table(n: int, seed: int) -> ParentSetTable:
    """Of 30 rows of coin tosses under a large prior: the relaxation has a gap, so that the search must branch."""
    codes = np.random.default_rng(seed).integers(0, 2, size=(30, n))
    return build_parent_sets(Dataset.from_codes(codes, states=[["0", "1"]] * n), "bdeu:ess=20", progress=False)


def certificate_of(table: ParentSetTable, path: Path, **options: Any) -> dict[str, Any]:
    """The certificate that is written for a table, as JSON."""
    certify_optimal(table, path, progress=False, **options)
    return dict(json.loads(path.read_text(encoding="utf-8")))


def signed(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with the digest that belongs to it, as a forger would have it."""
    return {**certificate, "digest": checker.digest_of(certificate)}


def exact_optimum(table: checker.Table, certificate: dict[str, Any]) -> Fraction | None:
    """The highest score of a network under a certificate's constraints, by dynamic programming over subsets."""
    rows = []
    for v, sets in enumerate(table[1]):
        must, never = set(certificate["required"][v]), set(certificate["forbidden"][v])
        limit = certificate["most parents"][v]
        allowed = [row for row in sets if must <= set(row[1]) and not never & set(row[1]) and len(row[1]) <= limit]
        rows.append(tuple((score, sum(1 << u for u in parents)) for score, parents in sorted(allowed, reverse=True)))
    return _optimum(tuple(rows))


@functools.lru_cache(maxsize=64)
def _optimum(rows: tuple[tuple[tuple[float, int], ...], ...]) -> Fraction | None:
    best: list[Fraction | None] = [Fraction(0)] + [None] * (2 ** len(rows) - 1)
    for subset in range(1, len(best)):
        for v, sets in enumerate(rows):
            before = best[subset ^ 1 << v] if subset >> v & 1 else None
            fitting = next((score for score, parents in sets if not parents & ~(subset ^ 1 << v)), None)
            if before is None or fitting is None:
                continue
            known, reached = best[subset], before + Fraction(fitting)
            best[subset] = reached if known is None else max(known, reached)
    return best[-1]
