"""The file that an interrupted run of chains resumes from: positions, random numbers and draws, without pickle."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.array_file import read_array_file, write_array_file
from arcwise.ensemble.chains.settings import MOVES
from arcwise.errors import FormatError, OptionError
from arcwise.parent_sets import ParentSetTable

__all__ = ["Checkpoint", "RunOfFile", "run_of_file"]

KIND = "arcwise-chains 2"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Where a run stands.

    Parameters
    ----------
    done, stride
        How many draws each chain has made, and every how many-th of them is kept.
    positions, random_states
        What the draws to come follow from.
    counts
        The moves so far, tried and accepted.
    rows, scores
        The draws that are kept, at [chain, draw].
    by_clock
        Whether a time limit decided where the chains began, or what they jump in: whoever goes on from here has not
        what a run without a limit has.
    """

    done: int
    stride: int
    positions: NDArray[np.uint32]
    random_states: NDArray[np.uint64]
    counts: NDArray[np.int64]
    rows: NDArray[np.uint32]
    scores: NDArray[np.float64]
    by_clock: bool = False

    def save(self, path: str | os.PathLike[str], identity: dict[str, Any]) -> None:
        """Write the file, whole or not at all."""
        arrays: dict[str, NDArray[Any]] = {
            "positions": self.positions,
            "random_states": self.random_states.view(np.uint32),
            "counts": self.counts,
            "rows": self.rows.reshape(len(self.scores), -1),
            "scores": self.scores,
        }
        facts = {"identity": identity, "done": self.done, "stride": self.stride, "by_clock": self.by_clock}
        write_array_file(path, KIND, facts, arrays)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], identity: dict[str, Any], table: ParentSetTable, heats: int
    ) -> Checkpoint | None:
        """Read the file of a run with the same identity; None if there is none yet."""
        if not Path(path).exists():
            return None
        facts, arrays = read_array_file(path, KIND)
        known = facts.get("identity")
        if known != identity:
            differing = [key for key in identity if not isinstance(known, dict) or known.get(key) != identity[key]]
            raise OptionError(
                f"{path} holds the chains of another run: {', '.join(differing)} differ. Repeat that run's arguments "
                "to resume it, or give another file."
            )
        n, chains = table.n_variables, int(identity["chains"])
        try:
            scores = arrays["scores"]
            found = cls(
                done=int(facts["done"]),
                stride=int(facts["stride"]),
                positions=arrays["positions"].astype(np.uint32).reshape(-1),
                random_states=arrays["random_states"].astype(np.uint32).reshape(-1).view(np.uint64),
                counts=arrays["counts"].astype(np.int64),
                rows=arrays["rows"].astype(np.uint32).reshape(chains, scores.shape[1], n),
                scores=scores.astype(np.float64).reshape(chains, -1),
                by_clock=bool(facts.get("by_clock", False)),
            )
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise FormatError(f"{path}: the chains cannot be read ({error!r}). Give another file.") from error
        sizes = np.diff(table.node_offsets)
        places = found.positions.reshape(-1, n) if found.positions.size == chains * heats * n else np.empty((0, n))
        kept = -(-found.done // found.stride) if found.done >= 0 and found.stride > 0 else -1
        if (
            len(places) != chains * heats
            or not (places < sizes).all()
            or not (found.rows < sizes).all()
            or found.random_states.size != 4 * chains
            or found.counts.shape != (2 * (len(MOVES) + 2),)
            or not np.isfinite(found.scores).all()
            or kept != found.scores.shape[1]
            or not all(_is_acyclic(table, rows) for rows in places.astype(np.int64))
        ):
            raise FormatError(f"{path}: the chains are not those of this table; the file was edited. Give another.")
        return found


@dataclass(frozen=True, slots=True)
class RunOfFile:
    """What a file says about the run that it belongs to.

    Parameters
    ----------
    seed
        The seed.
    jump_slack
        The slack of the credible set that its chains jump in; None if they do not jump.
    """

    seed: int
    jump_slack: float | None


def run_of_file(path: str | os.PathLike[str] | None) -> RunOfFile | None:
    """Return what a file says about its run; None if there is no file yet."""
    if path is None or not Path(path).exists():
        return None
    facts, _ = read_array_file(path, KIND)
    try:
        known = facts["identity"]
        jumps = known["jumps"]
        return RunOfFile(int(known["seed"]), None if jumps is None else float(jumps))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"{path}: the chains cannot be read ({error!r}). Give another file.") from error


def _is_acyclic(table: ParentSetTable, rows: NDArray[np.int64]) -> bool:
    parents = [table.parents_of(int(row)) for row in table.node_offsets[:-1] + rows]
    placed: set[int] = set()
    while len(placed) < len(parents):
        free = [v for v, own in enumerate(parents) if v not in placed and placed.issuperset(own)]
        if not free:
            return False
        placed.update(free)
    return True
