"""Confidences of permuted data: what edges look like where there is nothing to find (for Broom's rule)."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.members import Member
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.limits import Limits, Status
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import make_score
from arcwise.seeds import Seed, resolve_seed
from arcwise.showing import one_screen

__all__ = ["PermutedConfidences", "member_of", "permuted_confidences"]


@one_screen
@dataclass(frozen=True, eq=False)
class PermutedConfidences:
    """The confidence vectors of permuted data, one row per permutation, for `broom_threshold`."""

    vectors: NDArray[np.float64]
    names: tuple[str, ...]
    member: Member
    status: Status

    @property
    def complete(self) -> bool:
        """True if no permutation is missing."""
        return self.status is Status.COMPLETE


def permuted_confidences(
    data: Dataset,
    member: Member,
    *,
    permutations: int = 60,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> PermutedConfidences:
    """Shuffle every column of the data on its own, learn as from the data, and average; again and again.

    Parameters
    ----------
    data
        The data that the confidences come from.
    member
        How they were found; `member_of` reads it off the confidences.
    permutations
        How many permuted data sets; 60 as in the thesis (p. 69).
    seed
        An integer or a numpy generator that fixes the random numbers; permutation k depends on the seed and on k alone.
    limits
        `seconds` for all permutations. At the limit, or on Ctrl-C, the result has those that are finished.
    progress
        See `arcwise.progress.show_progress`.
    """
    if permutations < 2:
        raise OptionError(Argument("permutations", permutations), "must be at least 2; 60 are usual.")
    root = resolve_seed(seed)
    begin = time.monotonic()
    bounds = limits or Limits()
    status = Status.COMPLETE
    vectors: list[NDArray[np.float64]] = []
    with show_progress(progress) as callback:
        try:
            for index in range(permutations):
                left = bounds.native_seconds - (time.monotonic() - begin)
                if left <= 0:
                    status = Status.TIME_LIMIT
                    break
                draws = np.random.default_rng([root, index])
                shuffled = data.permute_columns(rng=draws)
                one = replace(bounds, seconds=left) if bounds.seconds is not None else bounds
                found = member.confidence(shuffled, seed=int(draws.integers(2**32)), limits=one)
                if found is None:  # a limit left no network: this permutation says nothing
                    status = Status.TIME_LIMIT
                    break
                vectors.append(found.vector)
                elapsed = time.monotonic() - begin
                ahead = elapsed / len(vectors) * (permutations - len(vectors))
                callback(ProgressEvent("permutations", len(vectors), permutations, {"seconds left": ahead}))
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    pairs = data.n_variables * (data.n_variables - 1) // 2
    table = np.array(vectors) if vectors else np.empty((0, pairs))
    return PermutedConfidences(table, data.names, member, status)


def member_of(confidence: EdgeConfidence) -> Member:
    """Return how a confidence was found, so that permuted data can be treated alike."""
    if confidence.origin not in ("bootstrap", "credible") or "name" not in confidence.score:
        raise OptionError(
            f"permuted data must be treated as the data were, but these confidences (origin '{confidence.origin}') do "
            "not say how they were found. Learn from the permuted data yourself and give permuted=."
        )
    options = dict(confidence.score)
    score = make_score(str(options.pop("name")), **options)
    settings: dict[str, Any] = {"max_parents": confidence.max_parents}
    if confidence.origin == "bootstrap":
        settings["replicates"] = confidence.n_networks
    else:
        if confidence.log_slack is not None:
            settings["log_slack"] = confidence.log_slack
        settings["most_networks"] = max(confidence.n_networks, 100_000)
    return Member(confidence.origin, score, **settings)  # type: ignore[arg-type]
